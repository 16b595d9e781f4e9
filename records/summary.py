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
from records.statistics import verdict
from records.workload import TRIP_FULL, TRIP_SMALL

FULL, STATIC = TRIP_FULL, "static"  # cases: the main one, and that of asm.csv
EXACT = ("instructions", "loads", "stores", "branches", "multiplies", "neon")
SIZES = ("asm_instructions", "asm_lines", "code_bytes")
Key = tuple[str, str, str, str]  # study, snapshot, level, case
Cell = tuple[str, str, str]  # without the case
Means = Mapping[Key, Mapping[str, float]]


def small(rows: Iterable[Row]) -> set[str]:
    """The studies of which some cell has the small round trips alone."""
    have = {(row["case"], cell_of(row)) for row in rows}
    return {cell[0] for case, cell in have if case == TRIP_SMALL and (FULL, cell) not in have}


def of_one_case(rows: Sequence[Row]) -> list[Row]:
    """Rows of counts.csv, lines.csv or models.csv in which the cells of a study can be compared:
    where some cell has the small round trips alone, the small ones of all its study stand for the
    full ones.  The key is the same, and `n` says how many they are."""
    few, found = small(rows), []
    for row in rows:
        if row["study"] not in few or row["case"] not in (FULL, TRIP_SMALL):
            found.append(row)
        elif row["case"] == TRIP_SMALL:
            found.append(row | {"case": FULL})
    return found


def with_simulated(rows: Iterable[Row]) -> list[Row]:
    """Rows of counts.csv, and what was simulated for the small round trips of a cell alone as that
    of as many as its full ones: their mean stands for any round trip."""
    rows = list(rows)
    full = {cell_of(row): row["n"] for row in rows if row["case"] == FULL}
    simulated = [row for row in rows if row["metric"].startswith("simulated_")]
    there = {cell_of(row) for row in simulated if row["case"] == FULL}
    for row in simulated:
        cell = cell_of(row)
        if row["case"] == TRIP_SMALL and cell in full and cell not in there:
            value = round(row["value"] * full[cell] / row["n"])
            rows.append(row | {"case": FULL, "n": full[cell], "value": value})
    return rows


def cell_of(row: Row) -> Cell:
    """The cell that a row is of."""
    return row["study"], row["snapshot"], row["level"]


def means(rows: Iterable[Row]) -> dict[Key, dict[str, float]]:
    """Key -> metric -> mean per operation over the whole snapshot and the run-time that it calls;
    of counts.csv, models.csv, or asm.csv, whose operation is the program."""
    found: dict[Key, dict[str, float]] = defaultdict(dict)
    for row in with_simulated(row for row in rows if row["symbol"] == "total"):
        found[(*cell_of(row), row["case"])][row["metric"]] = row["value"] / row["n"]
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
