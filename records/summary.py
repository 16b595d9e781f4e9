"""What the rows of a results folder say of each cell: means, medians, and the rows of the ladder.

A cell is a snapshot at a level.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from records.ladder import LEVELS, ROOT, Snapshot, parent_of
from records.rows import Row
from records.verdict import verdict
from records.workload import TRIP_FULL, TRIP_SMALL

FULL, STATIC = TRIP_FULL, "static"  # cases: the main one, and that of asm.csv
EXACT = ("instructions", "loads", "stores", "branches", "multiplies", "neon")
SIZES = ("asm_instructions", "asm_lines", "code_bytes")
Key = tuple[str, str, str, str]  # study, snapshot, level, case
Cell = tuple[str, str, str]  # without the case
Means = Mapping[Key, Mapping[str, float]]


def of_one_case(rows: Sequence[Row]) -> list[Row]:
    """Rows of counts.csv, lines.csv or models.csv in which the cells of a study can be compared:
    where some cell has the small round trips alone, the small ones of all its study stand for the
    full ones.  The key is the same, and `n` says how many they are."""
    have = {(row["case"], row["study"], row["snapshot"], row["level"]) for row in rows}
    few = {of[0] for case, *of in have if case == TRIP_SMALL and (FULL, *of) not in have}
    trips = FULL, TRIP_SMALL
    kept = [row for row in rows if row["study"] not in few or row["case"] != FULL]
    return [
        row | {"case": FULL} if row["study"] in few and row["case"] in trips else row
        for row in kept
    ]


def means(rows: Iterable[Row]) -> dict[Key, dict[str, float]]:
    """Key -> metric -> mean per operation over the whole snapshot and the run-time that it calls;
    of counts.csv, models.csv, or asm.csv, whose operation is the program.  What was simulated for
    the small workload alone stands for any round trip."""
    found: dict[Key, dict[str, float]] = defaultdict(dict)
    for row in rows:
        if row["symbol"] == "total":
            key = row["study"], row["snapshot"], row["level"], row["case"]
            found[key][row["metric"]] = row["value"] / row["n"]
    for (study, snapshot, level, case), counted in found.items():
        if case == FULL:
            small = found.get((study, snapshot, level, TRIP_SMALL), {})
            simulated = {m: mean for m, mean in small.items() if m.startswith("simulated_")}
            found[study, snapshot, level, case] = {**simulated, **counted}
    return dict(found)


def medians(rows: Iterable[Row]) -> dict[Cell, float]:
    """Cell -> median time of a round trip in microseconds, from the raw clock_gettime samples of
    times.csv."""
    trips: dict[Cell, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows:
        if row["metric"] in ("encrypt", "decrypt"):
            trips[row["study"], row["snapshot"], row["level"]][row["repeat"]] += row["value"]
    return {cell: statistics.median(trip.values()) / 1000 for cell, trip in trips.items()}


def ladder_rows(
    snapshots: Iterable[Snapshot],
    exact: Means,
    sizes: Means,
    times: Mapping[Cell, float],
    case: str = FULL,
    root: Path = ROOT,
    levels: Sequence[str] = LEVELS,
) -> list[Row]:
    """One row for each snapshot and each of these levels that has a number, in ladder order.

    Keys: rung, level, idea, parent; EXACT (means per operation); versus_base and versus_parent (how
    many times fewer instructions than the snapshot without a parent that this one descends from,
    and than the parent, at the same level); verdict; SIZES; median_us.  What is not known is None,
    an unknown verdict and no parent are "".  A parent may be in another study.
    """
    made = []
    for snapshot in snapshots:
        parent = first = parent_of(snapshot, root)
        while first and first.parent:
            first = parent_of(first, root)
        for level in levels:
            counted = exact.get((snapshot.study, snapshot.name, level, case), {})
            size = sizes.get((snapshot.study, snapshot.name, level, STATIC), {})
            if not counted and not size:
                continue
            here, above, base = (
                exact.get((s.study, s.name, level, case), {}).get("instructions") if s else None
                for s in (snapshot, parent, first or snapshot)
            )
            made.append(
                {"rung": snapshot.name, "level": level, "idea": snapshot.idea}
                | {"parent": snapshot.parent or ""}
                | {metric: counted.get(metric) for metric in EXACT}
                | {"versus_base": base / here if base and here else None}
                | {"versus_parent": above / here if above and here else None}
                | {"verdict": verdict(here, above) if above and here else ""}
                | {metric: size.get(metric) for metric in SIZES}
                | {"median_us": times.get((snapshot.study, snapshot.name, level))}
            )
    return made
