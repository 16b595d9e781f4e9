"""New rows beside those that a results folder has already: results are only ever merged into.

A row stays unless a row of the same cell and case is made now, or the cell's program has changed.
Rows of another platform, compiler or flags cannot stand beside new ones, and rows of a snapshot
whose folder is gone have no place: then the folder is first kept as it is, as
results/earlier/PLATFORM-DATE.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import Any

from harness.cells import PROVENANCE, flags_hash
from records import ladder, workload
from records.faults import Failure
from records.machine import read_machine
from records.rows import CELL, SCHEMAS, Row, read_rows

LOCAL, EARLIER = Path("results/local"), Path("results/earlier")
SAME = ("platform", "compiler", "flags")
WIDTHS = range(32, 4097, 32)  # bits of a snapshot, whose folder may be gone


def merged(
    folder: Path, made: dict[str, list[Row]], facts: dict[str, Any]
) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """File -> the rows that are to be written to it, `made` and what stays; and `facts`, what
    machine.json says of `made`, with the programs of what stays.  Raises Failure and OSError."""
    of_cells = {name for name, form in SCHEMAS.items() if set(CELL) <= set(form.columns)}
    there = {path.name: read_rows(path) for path in folder.glob("*.csv") if path.name in of_cells}
    known, now = programs(folder, facts), facts["programs"]
    if known is None or not {label(row) for file in made for row in there.get(file, [])} <= (
        known.keys() | now.keys()
    ):
        set_aside(folder, shutil.move)
        there, known = {}, {}
    rows = {file: [row for row in table if not gone(row)] for file, table in there.items()}
    rows = {file: table for file, table in rows.items() if len(table) < len(there[file])}
    if rows:
        set_aside(folder, shutil.copytree)
        known = {name: known[name] for name in known if not gone(dict(zip(CELL, name.split("/"))))}
    changed = {name for name in now if known.get(name, now[name]) != now[name]}
    rows |= {file: beside(there.get(file, []), made[file], changed) for file in made}
    return rows, {**facts, "programs": {**known, **now}}


def beside(there: list[Row], made: list[Row], changed: Collection[str] = ()) -> list[Row]:
    """The rows of a file: `made`, and of those that are there what stays; `changed` are the cells
    whose program is another now."""
    new = {(label(row), row.get("case")) for row in made}
    old = [row for row in there if label(row) not in changed and not gone(row)]
    return sorted(
        [row for row in old if (label(row), row.get("case")) not in new] + made, key=order
    )


@cache
def places(study: str) -> dict[str, int]:
    """The snapshots of a study and their places in the ladder; {} where there is no such study."""
    there = study == ladder.LADDER or study in ladder.studies()
    found = ladder.snapshots(study) if there else []
    return {snapshot.name: place for place, snapshot in enumerate(found)}


def gone(row: Row) -> bool:
    """Whether there is no folder of the row's snapshot here."""
    return row.get("snapshot") not in places(row["study"])


def label(row: Row) -> str:
    """`iterations/v4/O1`."""
    return "/".join(row[column] for column in CELL)


def programs(folder: Path, facts: dict[str, Any]) -> dict[str, str] | None:
    """Cell -> the hash of the program that the folder's rows are of; None when they are of another
    platform, compiler or flags.  provenance.csv is written first, so it knows what a run that was
    killed has written, and what a spoilt machine.json has said."""
    try:
        before = read_machine(folder)
    except Failure:
        before = {"programs": {}}
    if len(before) > 1 and any(before.get(key) != facts[key] for key in SAME):
        return None
    text = f"{facts['compiler']}\n{facts['flags']}"
    levels = ladder.EVERY_LEVEL
    ours = {flags_hash(text, level, width) for level in levels for width in WIDTHS}
    groups = read_rows(folder / PROVENANCE)
    return {
        **{name: str(program) for name, program in before["programs"].items()},
        **{label(row): row["program"] for row in groups if row["flags"] in ours},
    }


def set_aside(
    folder: Path,
    how: Callable[[Path, Path], object],
    what: str = "rows of another compiler, or of folders that are gone",
    earlier: Path | None = None,
) -> None:
    """Keep the folder under another name, and say so, if it holds any rows; `how` moves or copies.
    Raises OSError."""
    if not any(folder.glob("*.csv")):
        return
    try:
        facts = read_machine(folder)
        name = f"{facts['platform']}-{facts['date']}"
    except Failure:
        name = "unknown"
    name = re.sub("[^A-Za-z0-9.-]+", "", name) or "unknown"
    earlier = earlier or EARLIER
    taken = len(list(earlier.glob(f"{name}*")))
    kept = earlier / (f"{name}-{taken + 1}" if taken else name)
    earlier.mkdir(parents=True, exist_ok=True)
    how(folder, kept)
    print(f"  NOTE    {folder} had {what}; it is kept as {kept}", flush=True)


def order(row: Row) -> tuple[object, ...]:
    """A sorting key: studies by name, snapshots in ladder order, levels, cases."""

    def at(sequence: tuple[str, ...], word: str) -> int:
        return sequence.index(word) if word in sequence else len(sequence)

    level, case = at(ladder.EVERY_LEVEL, row["level"]), at(workload.CASES, row.get("case", ""))
    return row["study"], places(row["study"])[row["snapshot"]], level, case
