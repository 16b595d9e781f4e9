"""Exact counts by instruction and by line of the source: lines.csv.

One row for each instruction of the snapshot that was executed: its offset in section
`snapshot_text`, which is also its offset in build/.../snapshot.o; its line in a file of the
snapshot's folder; its function (scopes.py); how often it was executed.  Where a function is
inlined, the line is that of the function's own text; code of the compiler's headers (arm_neon.h)
counts for the line of the snapshot that asks for it, and a macro of mont.S for the line where it is
used.  Rows of one line add up to the line, all rows of a case to symbol `snapshot` of counts.csv.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.count import scopes
from harness.count.counts import parse_rows, snapshot_of
from harness.count.elf import read_elf
from records.command import run

NUMBERS = ("instructions", "taken", "load_accesses", "store_accesses")
ADDR2LINE = "arm-linux-gnueabihf-addr2line"


def where(program: Path, addresses: Iterable[int], folder: Path) -> dict[int, tuple[str, int]]:
    """Address -> (file, line) of the innermost source line that stands in the snapshot's folder, a
    path from the root of the repository; file is its name there, and ("", 0) says that there is no
    such line.  Raises Failure."""
    asked = "".join(f"{address:#x}\n" for address in addresses)
    said = run([ADDR2LINE, "-a", "-i", "-e", program], input=asked)
    found: dict[int, tuple[str, int]] = {}
    inside = re.compile(rf"(?:.*/)?{re.escape(folder.as_posix())}/([^/:]+):([0-9]+)")
    for text in said.splitlines():
        if text.startswith("0x"):
            address = int(text, 16)
            found[address] = "", 0
        elif found[address] == ("", 0):
            line = inside.match(text)
            if line:
                found[address] = line[1], int(line[2])
    return found


def rows(program: Path, folder: Path, raw: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Rows for lines.csv, in the order of the code, without the columns that say which cell and
    case it is.  `folder` is the snapshot's, `raw` are the counters' files of every run of the case.
    Raises Failure."""
    snapshot, elf = snapshot_of(program), read_elf(program)
    classes: dict[int, str] = {}
    numbers: dict[int, Counter[str]] = {}
    for path in raw:
        for row in parse_rows(path):
            if row.address in snapshot:
                values = (row.executions, row.taken, row.load_accesses, row.store_accesses)
                classes[row.address] = row.cls
                numbers.setdefault(row.address, Counter()).update(dict(zip(NUMBERS, values)))
    lines = where(program, classes, folder) if classes else {}
    scope = scopes.functions(program, folder) if classes else {}
    for address in sorted(classes):
        file, line = lines[address]
        function = scope.get(address) or elf.function(address)
        place = {"file": file, "line": line, "function": function, "class": classes[address]}
        yield {**place, "offset": f"{address - snapshot.start:#06x}", **numbers[address]}
