"""Where a row group comes from: program, inputs and flags of every (study, snapshot, level, case).

`python3 -m harness.exchange.provenance FOLDER...` checks results folders (harness.exchange.valid) and says what is
wrong with them.  The groups are results/<platform>/provenance.csv, one row each, because there are
as many as cells times cases, and a changed program is a changed line there.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from records.results import digest, replace

if TYPE_CHECKING:
    from harness.cells import Cell

FILE = "provenance.csv"
COLUMNS = ("study", "snapshot", "level", "case", "n", "program", "inputs", "flags")
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


def write(folder: Path, found: Iterable[dict]) -> None:
    """Write provenance.csv, the whole of it or nothing.  Raises OSError."""
    text = [",".join(COLUMNS)]
    text += [",".join(str(group[column]) for column in COLUMNS) for group in found]
    replace(folder / FILE, "\n".join(text) + "\n")


def read(folder: Path) -> list[dict]:
    """The groups of a results folder, n as an integer; [] when there is no file.  Raises ValueError
    naming the file and line that is not a group."""
    path = folder / FILE
    if not path.exists():
        return []
    found = []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}:1: the first line must be {','.join(COLUMNS)}")
        for group in reader:
            if None in group or None in group.values() or not str(group["n"]).isdigit():
                raise ValueError(f"{path}:{reader.line_num}: not a whole row")
            found.append({**group, "n": int(group["n"])})
    return found


def main(arguments: list[str]) -> int:
    """Command line; 0, or 1 with a line for every fault."""
    from harness.exchange import valid

    faults = [fault for folder in arguments for fault in valid.validate(Path(folder))]
    print(valid.shortened(faults) if faults else f"{' '.join(arguments)}: whole")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
