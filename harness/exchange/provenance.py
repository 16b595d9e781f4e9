"""Where a row group comes from: program, inputs and flags of every (study, snapshot, level, case).

`python3 -m harness.exchange.provenance FOLDER...` checks results folders (harness.exchange.valid) and says what is
wrong with them.  The groups are results/<platform>/provenance.csv, one row each, because there are
as many as cells times cases, and a changed program is a changed line there.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from records.files import digest

if TYPE_CHECKING:
    from harness.cells import Cell

FILE = "provenance.csv"
HASHES = ("program", "inputs", "flags")


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


def groups(cells: Iterable[Cell], flags: str) -> list[dict]:
    """A row for every case of every cell; n is the number of operations.  `flags` is the text of
    build/flags.  Raises OSError when a program or an input is missing."""
    found = []
    for cell in cells:
        snapshot, tasks = cell.snapshot, cell.tasks
        place = {"study": snapshot.study, "snapshot": snapshot.name, "level": cell.level}
        made = {"program": digest(cell.program)}
        made["flags"] = flags_hash(flags, cell.level, snapshot.width)
        for case in dict.fromkeys(task.case for task in tasks):
            n = sum(task.n for task in tasks if task.case == case)
            found.append({**place, "case": case, "n": n, "inputs": inputs_hash(cell, case), **made})
    return found


def main(arguments: list[str]) -> int:
    """Command line; 0, or 1 with a line for every fault."""
    from harness.exchange import valid

    faults = [fault for folder in arguments for fault in valid.validate(Path(folder))]
    print(valid.shortened(faults) if faults else f"{' '.join(arguments)}: whole")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
