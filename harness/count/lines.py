"""Exact counts by instruction and by line of the source: lines.csv.

One row for each instruction of the snapshot that was executed: its offset in section
`snapshot_text`, which is also its offset in build/.../snapshot.o, the line that it stands for in a
file of the snapshot's folder, and how often it was executed.  Where a function is inlined, the line
is that of the function's own text; code of the compiler's headers (arm_neon.h) counts for the line
of the snapshot that asks for it, and a macro of mont.S for the line where it is used.  Rows of one
line add up to the line, all rows of a case to symbol `snapshot` of counts.csv.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.cells import Cell
from harness.count import counts
from records.faults import Failure

CASES = ("roundtrip-full",)
NUMBERS = ("instructions", "taken", "load_accesses", "store_accesses")
ADDR2LINE = "arm-linux-gnueabihf-addr2line"


def where(program: Path, addresses: Iterable[int], folder: Path) -> dict[int, tuple[str, int]]:
    """Address -> (file, line) of the innermost source line that stands in the snapshot's folder, a
    path from the root of the repository; file is its name there, and ("", 0) says that there is no
    such line.  Raises Failure."""
    asked = "".join(f"{address:#x}\n" for address in addresses)
    command = [ADDR2LINE, "-a", "-i", "-e", str(program)]
    try:
        ran = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as fault:
        raise Failure(f"{program}: no source lines: {fault}") from None
    found: dict[int, tuple[str, int]] = {}
    inside = re.compile(rf"(?:.*/)?{re.escape(folder.as_posix())}/([^/:]+):([0-9]+)")
    for said in ran.stdout.splitlines():
        if said.startswith("0x"):
            address = int(said, 16)
            found[address] = "", 0
        elif found[address] == ("", 0):
            line = inside.match(said)
            if line:
                found[address] = line[1], int(line[2])
    return found


def executed(cell: Cell, case: str) -> tuple[int, dict[int, tuple[str, Counter]]]:
    """Operations, and address -> (opcode class, numbers), over the kept runs of a case; (0, {})
    unless all of them are there.  Raises Failure where a raw file does not fit its sums."""
    n, symbols = cell.totals(case)
    found: dict[int, tuple[str, Counter]] = {}
    snapshot = counts.sections(cell.program)["snapshot_text"] if n else range(0)
    for task in cell.tasks:
        if n and task.case == case:
            for row in _raw(cell, cell.kept(task).with_suffix(".tsv")):
                if row.address in snapshot:
                    values = (row.executions, row.taken, row.load_accesses, row.store_accesses)
                    _, numbers = found.setdefault(row.address, (row.cls, Counter()))
                    numbers.update(dict(zip(NUMBERS, values)))
    summed = sum(numbers["instructions"] for _, numbers in found.values())
    if n and summed != symbols["snapshot"]["instructions"]:
        raise Failure(f"{cell.name}: raw counts of {case} are not those of its sums; {AGAIN}")
    return n, found


AGAIN = "remove build/ and measure again"


def _raw(cell: Cell, path: Path) -> list[counts.Row]:
    try:
        return counts.read_rows(path, cell.program)
    except (OSError, ValueError, StopIteration, TypeError):
        raise Failure(f"{path}: missing or cut short; {AGAIN}") from None


def rows(cell: Cell) -> Iterator[dict]:
    """Rows for lines.csv, in the order of the code."""
    folder = Path(*cell.folder.parts[1:-1])
    start = counts.sections(cell.program)["snapshot_text"].start
    for case in CASES:
        n, found = executed(cell, case)
        lines = where(cell.program, found, folder) if found else {}
        for address in sorted(found):
            cls, numbers = found[address]
            file, line = lines[address]
            place = {"case": case, "file": file, "line": line, "class": cls}
            offset = f"{address - start:#06x}"
            yield cell.row(**place, offset=offset, **numbers, n=n)


def by_line(found: Iterable[dict]) -> dict[tuple[str, int], Counter]:
    """(file, line) -> numbers, added up over the instructions of the line."""
    table: dict[tuple[str, int], Counter] = {}
    for row in found:
        numbers = {name: row[name] for name in NUMBERS}
        table.setdefault((row["file"], row["line"]), Counter()).update(numbers)
    return table
