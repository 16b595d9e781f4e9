"""The instructions that carry a step, before and after: *In the assembly* of a README.

`look: O1 shr` in the front matter names level and function (records/look.py); without it they are
those that change most, -O0 apart.  On each side the
excerpt is the run of neighbouring instructions in which the function executes most.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from harness.cells import Cell
from records import ladder, look
from records.faults import Failure
from records.files import digest
from records.ladder import LEVELS, ROOT, Snapshot
from records.machine import read_machine
from records.rows import read_rows
from rsalab.explorer import listing
from rsalab.steps.spent import Step, compared

MOST = 14  # instructions on each side


class Line(NamedTuple):
    """An instruction: its offset in the code, how often it is executed, its function and text."""

    offset: int
    executions: int
    function: str
    text: str


def excerpt(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """Markdown for the paragraph; "" for a snapshot without a parent.  Raises Failure where a
    program on disk is not the one that was counted."""
    parent = ladder.parent_of(child, root)
    if parent is None:
        return ""
    made = {level: compared(folder, child, level, root) for level in LEVELS}
    if place := look.parse(child.look):
        level, names = place.level, (place.before, place.after)
    else:
        level = max(LEVELS[1:], key=lambda level: abs(made[level].gain - 1))
        names = (function(made[level]),) * 2
    blocks = []
    for snapshot, name in zip((parent, child), names):
        lines = busiest(executed(folder, snapshot, level), name)
        if not lines:
            blocks.append(f"{snapshot.name} executes no instruction of `{name}`.")
            continue
        n = made[level].child.n
        shown = [f"{line.executions / n:>12,.0f}  {said(line, name)}" for line in lines]
        head = f"`{name}` of {snapshot.name} at -{level}; on the left, executions a round trip:"
        blocks.append("\n".join([head, "", "```asm", *shown, "```"]))
    if any("@ " in block for block in blocks):
        blocks.append("`@ f`: an instruction of `f`, among those of the function shown.")
    return "\n\n".join(blocks)


def said(line: Line, name: str) -> str:
    """An instruction, with its function where that is another one."""
    return line.text if line.function == name else f"{line.text:<32}@ {line.function}"


def function(made: Step) -> str:
    """The function that changes most."""
    return made.functions()[0] if made.difference else "mont_mul"


def executed(folder: Path, snapshot: Snapshot, level: str) -> list[Line]:
    """The instructions that were executed, in the order of the code."""
    cell = Cell(snapshot, level, "default")
    if digest(cell.program) != read_machine(folder)["programs"].get(cell.label):
        raise Failure(f"{cell.program} is not the program that was counted; `make reference`")
    code = listing.read(cell.folder / "snapshot.o", cell.program)
    text = {offset: said for part in code.functions for offset, said in part.words.items()}
    path = folder / "lines.csv"
    found = counted(path, digest(path)).get((snapshot.study, snapshot.name, level), [])
    return [Line(offset, count, name, text[offset]) for offset, count, name in sorted(found)]


@cache
def counted(path: Path, _content: str) -> dict[tuple[str, ...], list[tuple[int, int, str]]]:
    """(study, snapshot, level) -> offset, executions and function of each instruction."""
    found: dict[tuple[str, ...], list[tuple[int, int, str]]] = {}
    for row in read_rows(path):
        key = (row["study"], row["snapshot"], row["level"])
        place = int(row["offset"], 16), row["instructions"], row["function"]
        found.setdefault(key, []).append(place)
    return found


def busiest(lines: list[Line], name: str, most: int = MOST) -> list[Line]:
    """The run of at most so many neighbours in which the function executes most; of equals the one
    that executes most, then the first; [] where none of the function is executed."""
    runs: list[list[Line]] = []
    for line in lines:
        if runs and line.offset == runs[-1][-1].offset + listing.WORD:
            runs[-1].append(line)
        else:
            runs.append([line])
    windows = [run[at : at + most] for run in runs for at in range(max(1, len(run) - most + 1))]

    def worth(window: list[Line]) -> tuple[int, int]:
        own = sum(line.executions for line in window if line.function == name)
        return own, sum(line.executions for line in window)

    found = max(windows, key=worth, default=[])
    return found if any(line.function == name for line in found) else []
