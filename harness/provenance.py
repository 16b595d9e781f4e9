"""Where a row group comes from: program, inputs and flags of every (study, snapshot, level, case).

The groups are results/<platform>/provenance.csv, one row each, because there are as many as cells
times cases, and a changed program is a changed line there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from harness.cells import Cell
from records.files import digest
from records.rows import Row

FILE = "provenance.csv"


def flags_hash(flags: str, level: str, width: int) -> str:
    """SHA-256 of how a snapshot is compiled: compiler and flags as build/flags has them, the level
    and the width in bits."""
    return hashlib.sha256(f"{flags.strip()}\n-{level} -DWIDTH={width}\n".encode()).hexdigest()


def inputs_hash(cell: Cell, case: str) -> str:
    """SHA-256 of a case's command lines and of the files that they name."""
    tasks = [task for task in cell.tasks if task.case == case]
    commands = "\n".join(" ".join(task.arguments) for task in tasks)
    files = digest(*(path for task in tasks for path in task.inputs))
    return hashlib.sha256(f"{commands}\n{files}\n".encode()).hexdigest()


def groups(cells: Iterable[Cell], flags: str) -> Iterator[Row]:
    """A row for every case of every cell; n is the number of operations.  `flags` is the text of
    build/flags.  Raises OSError when a program or an input is missing."""
    for cell in cells:
        program = digest(cell.program)
        how = flags_hash(flags, cell.level, cell.snapshot.width)
        for case in dict.fromkeys(task.case for task in cell.tasks):
            n = sum(task.n for task in cell.tasks if task.case == case)
            inputs = inputs_hash(cell, case)
            yield cell.row(case=case, n=n, program=program, inputs=inputs, flags=how)
