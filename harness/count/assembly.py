"""Size of a snapshot's code, from the object that is measured.

`asm_instructions` counts what objdump decodes, literal pools excluded, per symbol and in total;
`code_bytes` is the whole section, literal pools included; `asm_lines` is the length of the
compiler's assembly output (a second -S, without -g) plus the lines of hand-written assembly that
are neither blank nor comment, only to compare with the sources' tables.
"""

import re
from pathlib import Path
from typing import Any

from records.command import run

SECTION = "snapshot_text"
TOOL = "arm-linux-gnueabihf-"


def instructions(snapshot: Path) -> dict[str, int]:
    """Static instructions of each symbol of an object file, and `total`."""
    said = run([TOOL + "objdump", "-d", "-j", SECTION, snapshot])
    sizes, symbol = {"total": 0}, "?"
    for line in said.splitlines():
        label = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if label:
            symbol = label.group(1)
        elif re.match(r" *[0-9a-f]+:\t[0-9a-f]+ *\t(?!\.)", line):
            sizes[symbol] = sizes.get(symbol, 0) + 1
            sizes["total"] += 1
    return sizes


def code_bytes(snapshot: Path) -> int:
    """Size of the code section of an object file."""
    said = run([TOOL + "size", "-A", snapshot])
    return sum(
        int(fields[1])
        for fields in map(str.split, said.splitlines())
        if fields and fields[0] == SECTION
    )


def lines(folder: Path, source: Path) -> int:
    """Lines of the compiler's output in a cell's folder, and of mont.S in the snapshot's own."""
    total = len((folder / "rsa.s").read_text().splitlines())
    for path in source.glob("*.S"):
        code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        total += sum(1 for line in code.splitlines() if line.strip())
    return total


def rows(folder: Path, source: Path) -> list[dict[str, Any]]:
    """Rows for asm.csv, without the columns that say which cell it is."""
    snapshot = folder / "snapshot.o"
    sizes = [
        ("asm_instructions", symbol, n, "instructions")
        for symbol, n in sorted(instructions(snapshot).items())
    ]
    sizes.append(("code_bytes", "total", code_bytes(snapshot), "bytes"))
    sizes.append(("asm_lines", "total", lines(folder, source), "lines"))
    columns = ("metric", "symbol", "value", "unit")
    return [dict(zip(columns, size), case="static", n=1) for size in sizes]
