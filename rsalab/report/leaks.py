"""Constant time: which functions do other things for other operands, by traces.csv."""

from __future__ import annotations

from harness.trace.constant_time import FILE, FUNCTIONS
from records import ladder
from records.ladder import LADDER, Snapshot
from records.rows import Row, read_rows
from rsalab import markdown
from rsalab.report.story import MISSING, Story


def table(tale: Story) -> str:
    """A row for each rung, and for each other snapshot that has a function without a leak."""
    rows = read_rows(tale.results.folder / FILE)
    if not rows:
        return MISSING
    made = []
    for study in (LADDER, *ladder.studies(tale.root)):
        for snapshot in ladder.snapshots(study, tale.root):
            said = [leaks(rows, snapshot, function) for function in FUNCTIONS]
            if study == LADDER or not all(one == "leaks" for one in said):
                name = snapshot.name if study == LADDER else f"{study}/{snapshot.name}"
                made.append([f"[{name}]({tale.seen(snapshot.path / 'README.md')})", *said])
    return markdown.table(["snapshot", *FUNCTIONS], made, (0, 1, 2))


def leaks(rows: list[Row], snapshot: Snapshot, function: str) -> str:
    """What the traces of a function say, over all levels and compilers."""
    place = {"study": snapshot.study, "snapshot": snapshot.name, "function": function}
    found = [row for row in rows if place.items() <= row.items()]
    if not found:
        return MISSING
    leaking = sorted({f"-{row['level']}" for row in found if row["traces"] > 1})
    if not leaking:
        return f"the same for {min(row['secrets'] for row in found)} secrets"
    every = {f"-{row['level']}" for row in found}
    return "leaks" if set(leaking) == every else f"leaks at {', '.join(leaking)}"
