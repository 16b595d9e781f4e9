"""The instructions that carry a step, before and after: *In the assembly* of a README.

`look: O1 shr` in the front matter names level and function; without it they are those that change
most, -O0 apart.  On each side the excerpt is the run of neighbouring instructions of the function
that executes most.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from harness.cells import Cell
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LEVELS, ROOT, Snapshot
from records.machine import read_machine
from records.rows import read_rows
from rsalab.explorer import listing
from rsalab.steps.spent import Step, step

MOST = 14  # instructions on each side


class Line(NamedTuple):
    """An instruction: its offset in the code, how often it is executed, and its text."""

    offset: int
    executions: int
    text: str


def excerpt(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """Markdown for the paragraph; "" for a snapshot without a parent.  Raises Failure where a
    program on disk is not the one that was counted."""
    parent = ladder.parent_of(child, root)
    if parent is None:
        return ""
    made = {level: step(folder, child, level, root) for level in LEVELS}
    level, _, name = child.look.partition(" ")
    if not name:
        level = max(LEVELS[1:], key=lambda level: abs(made[level].gain - 1))
        name = function(made[level])
    blocks = []
    for snapshot in (parent, child):
        lines = executed(folder, snapshot, level, name)
        if not lines:
            blocks.append(f"{snapshot.name} executes no instruction of `{name}`.")
            continue
        n = made[level].child.n
        shown = [f"{line.executions / n:>12,.0f}  {line.text}" for line in busiest(lines)]
        head = f"`{name}` of {snapshot.name} at -{level}, executions a round trip:"
        blocks.append("\n".join([head, "", "```asm", *shown, "```"]))
    return "\n\n".join(blocks)


def function(made: Step) -> str:
    """The function that changes most."""
    return made.functions()[0] if made.difference else "mont_mul"


def executed(folder: Path, snapshot: Snapshot, level: str, name: str) -> list[Line]:
    """The instructions of a function that were executed, in the order of the code."""
    cell = Cell(snapshot, level, "default")
    if digest(cell.program) != read_machine(folder)["programs"].get(cell.label):
        raise Failure(f"{cell.program} is not the program that was counted; `make reference`")
    code = listing.read(cell.folder / "snapshot.o", cell.program)
    text = {offset: said for part in code.functions for offset, said in part.words.items()}
    path = folder / "lines.csv"
    found = counted(path, digest(path)).get((snapshot.study, snapshot.name, level, name), [])
    return [Line(offset, count, text[offset]) for offset, count in sorted(found)]


@cache
def counted(path: Path, _content: str) -> dict[tuple[str, ...], list[tuple[int, int]]]:
    """(study, snapshot, level, function) -> offset and executions of each of its instructions."""
    found: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for row in read_rows(path):
        key = (row["study"], row["snapshot"], row["level"], row["function"])
        found.setdefault(key, []).append((int(row["offset"], 16), row["instructions"]))
    return found


def busiest(lines: list[Line], most: int = MOST) -> list[Line]:
    """The run of at most so many neighbours that executes most; the first of equals."""
    runs: list[list[Line]] = []
    for line in lines:
        if runs and line.offset == runs[-1][-1].offset + listing.WORD:
            runs[-1].append(line)
        else:
            runs.append([line])
    windows = [run[at : at + most] for run in runs for at in range(max(1, len(run) - most + 1))]
    return max(windows, key=lambda window: sum(line.executions for line in window))
