"""The numbers of a program, exact: what a counter has written, summed up by
symbol, by line of the source, and the size of the code.

A program is a statically linked ELF file whose snapshot stands in section
``snapshot_text`` and whose harness stands in ``harness_text``.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.elf import SECTION, lines, read_elf, snapshot_of, words
from records.faults import Failure

# ---- The file of a counter: a line for each instruction ----


class Row(NamedTuple):
    """One instruction of the program, as often as it was executed inside."""

    address: int
    size: int  # bytes
    opcode: int  # Thumb too: the bytes as a little-endian number
    cls: str  # a class of plugin/a32.h
    does: str  # of l, s, b: loads, stores, branches; whether its condition holds or not
    executions: int
    taken: int  # branches of A32 only
    load_accesses: int
    store_accesses: int
    mispredicted: int = 0  # branches of the snapshot only; simulated


def parse_rows(path: Path) -> Iterator[Row]:
    """The rows of a counter's file as they are.  Raises Failure where it is missing or damaged."""
    try:
        _, *rows, last = path.read_text(encoding="ascii").split("\n")
        if last or not rows or not rows.pop().startswith("calls"):
            raise ValueError("no last line")
        for address, size, opcode, cls, does, *numbers in (row.split("\t") for row in rows):
            executions, taken, loads, stores, mispredicted = map(int, numbers)
            place = int(address, 16), int(size), int(opcode, 16)
            yield Row(*place, cls, does, executions, taken, loads, stores, mispredicted)
    except (OSError, ValueError):
        why = "missing or cut short; remove build/ and measure again"
        raise Failure(f"{path}: {why}") from None


def read_rows(path: Path, program: Path) -> list[Row]:
    """The counter's output for this program, Thumb code told from A32 by
    the mapping symbols.

    The counter takes a block of Thumb code without any 2-byte or unaligned
    instruction for A32; the linker's $a and $t say what it is.  In the
    snapshot, where memory is counted by class, no Thumb code is accepted.
    Raises Failure.
    """
    elf, snapshot = read_elf(program), snapshot_of(program)
    rows = []
    for row in parse_rows(path):
        if elf.is_thumb(row.address):
            row = row._replace(cls="thumb", does="", taken=0)
        place, thumb = f"{row.opcode:#x} at {row.address:#x}", row.cls == "thumb"
        if thumb and row.address in snapshot:
            raise Failure(f"{program}: Thumb code in the snapshot, {place}; it needs -marm")
        unlike = row.load_accesses and "l" not in row.does
        if not thumb and (unlike or (row.store_accesses and "s" not in row.does)):
            raise Failure(f"{program}: {place} is no {row.cls}: it uses memory")
        rows.append(row)
    return rows


# ---- Sums by symbol: counts.csv ----

SIMULATED = "simulated_mispredictions_arm1176"  # plugin/predict.h
MULTIPLIES = {
    "mul": "multiplies_32",
    "mul_half": "multiplies_32",
    "mul_long": "multiplies_long",
    "umaal": "multiplies_umaal",
}
METRICS = (
    *("instructions", "loads", "stores", "load_accesses", "store_accesses", "branches"),
    *("branches_taken", "multiplies", *dict.fromkeys(MULTIPLIES.values()), "neon", SIMULATED),
)
Table = dict[str, Counter[str]]  # symbol -> metric -> number


def unit(metric: str) -> str:
    """What a metric's value is a number of."""
    if metric == SIMULATED:
        return "mispredictions"
    return "accesses" if metric.endswith("_accesses") else "instructions"


def metrics(row: Row) -> Counter[str]:
    """One instruction's part in the metrics of its symbol.

    Of Thumb code only size and accesses are known: it loads (stores) if it
    ever made an access.
    """
    n, thumb = row.executions, row.cls == "thumb"
    return Counter(
        {
            "instructions": n,
            f"class_{row.cls}": n,
            "load_accesses": row.load_accesses,
            "store_accesses": row.store_accesses,
            "loads": n * ("l" in row.does or (thumb and row.load_accesses > 0)),
            "stores": n * ("s" in row.does or (thumb and row.store_accesses > 0)),
            "branches": n * ("b" in row.does),
            "branches_taken": row.taken,
            "neon": n * row.cls.startswith("neon_"),
            "multiplies": n * (row.cls in MULTIPLIES),
            MULTIPLIES.get(row.cls, "multiplies"): n * (row.cls in MULTIPLIES),
            SIMULATED: row.mispredicted,
        }
    )


def by_symbol(rows: Iterable[Row], program: Path) -> Table:
    """Metrics by symbol, ``snapshot`` (its section) and ``total`` (and the
    run-time it called).

    Every METRIC is there, 0 or not, and class_NAME for each class that
    occurs.  Symbols are sorted by address; ``?`` holds code outside every
    function.
    """
    elf, snapshot = read_elf(program), snapshot_of(program)
    table = {name: Counter(dict.fromkeys(METRICS, 0)) for name in ("total", "snapshot")}
    for row in rows:
        part = metrics(row)
        for name in ("total", elf.function(row.address), *["snapshot"] * (row.address in snapshot)):
            table.setdefault(name, Counter(dict.fromkeys(METRICS, 0))).update(part)
    return table


# ---- By instruction and by line of the source: lines.csv ----

NUMBERS = ("instructions", "taken", "load_accesses", "store_accesses")


def line_rows(program: Path, folder: Path, raw: Sequence[Path]) -> list[dict[str, Any]]:
    """Rows for lines.csv without the columns that say which cell and case
    it is: one for each instruction of the snapshot that was executed, at
    its offset in snapshot_text, which is also its offset in snapshot.o.
    Rows of one line add up to the line, all rows to symbol `snapshot`.

    `folder` is the snapshot's, `raw` are the counters' files of every run
    of the case.  Raises Failure.
    """
    snapshot, elf = snapshot_of(program), read_elf(program)
    numbers: dict[tuple[int, str], Counter[str]] = {}
    for row in (row for path in raw for row in parse_rows(path) if row.address in snapshot):
        values = (row.executions, row.taken, row.load_accesses, row.store_accesses)
        numbers.setdefault((row.address, row.cls), Counter()).update(dict(zip(NUMBERS, values)))
    places = lines(program, [address for address, _ in numbers], folder) if numbers else {}
    made = []
    for address, cls in sorted(numbers):
        file, line, function = places[address]
        function = function or elf.function(address)
        place = {"file": file, "line": line, "function": function, "class": cls}
        made.append(
            {**place, "offset": f"{address - snapshot.start:#06x}", **numbers[address, cls]}
        )
    return made


# ---- The size of the code: asm.csv ----


def size_rows(folder: Path, source: Path) -> Iterator[dict[str, Any]]:
    """Rows for asm.csv, without the columns that say which cell it is, from
    a cell's folder and the snapshot's.

    `asm_instructions` are those of the measured object, literal pools
    excluded, by symbol and in total; `code_bytes` is the whole section,
    literal pools included; `asm_lines` is the length of the compiler's
    assembly output (a second -S, without -g) plus the lines of hand-written
    assembly that are neither blank nor comment, only to compare with the
    sources' tables.
    """
    snapshot = folder / "snapshot.o"
    code = [word.symbol for word in words(snapshot) if not word.text.startswith(".")]
    size = len(read_elf(snapshot).sections[SECTION])
    length = len((folder / "rsa.s").read_text().splitlines())
    for path in source.glob("*.S"):
        without = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        length += sum(1 for line in without.splitlines() if line.strip())
    by_symbol = sorted({**Counter(code), "total": len(code)}.items())
    sizes = [("asm_instructions", symbol, n, "instructions") for symbol, n in by_symbol]
    sizes += [("code_bytes", "total", size, "bytes"), ("asm_lines", "total", length, "lines")]
    for metric, symbol, value, what in sizes:
        row = {"metric": metric, "symbol": symbol, "value": value, "unit": what}
        yield {**row, "case": "static", "n": 1}
