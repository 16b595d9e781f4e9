"""The numbers of a program, exact: what a counter has written, its sums by
symbol and by line of the source, and the size of the code.

A program is a statically linked ELF file whose snapshot stands in section
``snapshot_text`` and whose harness stands in ``harness_text``.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from harness.elf import SECTION, read_elf, snapshot_of, words
from records.faults import Failure

# ---- The file of a counter: a line for each instruction ----


class Instruction(NamedTuple):
    """One instruction of the program, as often as it was executed inside.

    A counter's file has all but the last two; what is kept has these, too.
    """

    address: int
    size: int  # bytes
    opcode: int  # Thumb too: the bytes as a little-endian number
    cls: str  # a class of plugin/a32.h, or `thumb`
    does: str  # of l, s, b: loads, stores, branches; whether its condition holds or not
    executions: int
    taken: int  # branches of A32 only
    load_accesses: int
    store_accesses: int
    mispredicted: int = 0  # branches of the snapshot only; simulated
    symbol: str = ""  # the function that it stands in, `?` outside every function
    offset: str = ""  # in the snapshot's section, as 0x01c8; empty outside


def parse(lines: Iterable[str]) -> Iterator[Instruction]:
    """Yield the instruction of each line.  Raises ValueError for a line that is not whole."""
    for line in lines:
        address, size, opcode, cls, does, executions, taken, *more = line.split("\t")
        loads, stores, mispredicted, *symbol_and_offset = more
        yield Instruction(
            int(address, 16),
            int(size),
            int(opcode, 16),
            cls,
            does,
            int(executions),
            int(taken),
            int(loads),
            int(stores),
            int(mispredicted),
            *symbol_and_offset,
        )


def as_lines(instructions: Iterable[Instruction]) -> str:
    """Return the text that is kept of instructions, a line for each, as `parse` reads it."""
    lines = []
    for address, size, opcode, *rest in instructions:
        fields = [f"{address:#010x}", size, f"{opcode:#x}", *rest]
        lines.append("\t".join(map(str, fields)))
    return "\n".join(lines)


def read_raw(path: Path) -> tuple[list[Instruction], int]:
    """Return what a counter wrote, as it is, and of how many calls.  Raises Failure where that is
    missing or damaged."""
    try:
        _, *lines, last, end = path.read_text(encoding="ascii").split("\n")
        word, *calls = last.split("\t")
        if end or word != "calls":
            raise ValueError("no last line")
        return list(parse(lines)), len(calls)
    except (OSError, ValueError):
        why = "missing or cut short; remove build/ and measure again"
        raise Failure(f"{path}: {why}") from None


def read_counts(path: Path, program: Path, calls: int = 0) -> list[Instruction]:
    """Return what a counter wrote for this program, each instruction with
    its symbol and offset.  `calls` is the number that the driver made, if that is known.

    The counter takes a block of Thumb code without any 2-byte or unaligned
    instruction for A32; the linker's $a and $t say what it is.  Thumb code
    loads (stores) if it ever made an access.  In the snapshot, where memory
    is counted by class, no Thumb code is accepted.  Raises Failure.
    """
    elf = read_elf(program)
    snapshot = snapshot_of(program)
    found = []
    rows, counted = read_raw(path)
    if calls and counted != calls:
        raise Failure(f"{program}: {counted} calls counted of {calls} that were made")
    for one in rows:
        what = f"{one.opcode:#x} at {one.address:#x}"
        inside = one.address in snapshot
        if elf.is_thumb(one.address):
            if inside:
                raise Failure(
                    f"{program}: Thumb code in the snapshot, {what}; it needs -marm"
                )
            loads = "l" if one.load_accesses else ""
            stores = "s" if one.store_accesses else ""
            one = one._replace(cls="thumb", does=loads + stores, taken=0)
        loads_unlike = one.load_accesses and "l" not in one.does
        stores_unlike = one.store_accesses and "s" not in one.does
        if loads_unlike or stores_unlike:
            raise Failure(f"{program}: {what} is no {one.cls}: it uses memory")
        offset = f"{one.address - snapshot.start:#06x}" if inside else ""
        found.append(one._replace(symbol=elf.function(one.address), offset=offset))
    return found


# ---- Sums by symbol: counts.csv ----

TOTAL = "total"  # the snapshot and the run-time that it called
SNAPSHOT = "snapshot"  # all that stands in its section
SIMULATED = "simulated_mispredictions_arm1176"  # plugin/predict.h
MULTIPLIES = {  # class -> metric
    "mul": "multiplies_32",
    "mul_half": "multiplies_32",
    "mul_long": "multiplies_long",
    "umaal": "multiplies_umaal",
}
METRICS = (
    "instructions",
    "loads",
    "stores",
    "load_accesses",
    "store_accesses",
    "branches",
    "branches_taken",
    "multiplies",
    "multiplies_32",
    "multiplies_long",
    "multiplies_umaal",
    "neon",
    SIMULATED,
)
Sums = Counter[tuple[str, str]]  # (symbol, metric) -> number


def unit(metric: str) -> str:
    """Return what a metric's value is a number of."""
    if metric == SIMULATED:
        return "mispredictions"
    if metric.endswith("_accesses"):
        return "accesses"
    return "instructions"


def metrics(one: Instruction) -> dict[str, int]:
    """Return one instruction's part in every metric of its symbol, and in that of its class."""
    n = one.executions
    part = dict.fromkeys(METRICS, 0)
    part["instructions"] = n
    part[f"class_{one.cls}"] = n
    part["load_accesses"] = one.load_accesses
    part["store_accesses"] = one.store_accesses
    part["branches_taken"] = one.taken
    part[SIMULATED] = one.mispredicted
    if "l" in one.does:
        part["loads"] = n
    if "s" in one.does:
        part["stores"] = n
    if "b" in one.does:
        part["branches"] = n
    if one.cls.startswith("neon_"):
        part["neon"] = n
    if one.cls in MULTIPLIES:
        part["multiplies"] = n
        part[MULTIPLIES[one.cls]] = n
    return part


def sums(instructions: Iterable[Instruction]) -> Sums:
    """Return every metric of each symbol, of SNAPSHOT and of TOTAL, 0 or
    not, and class_NAME for each class that occurs in it.  Symbol ``?``
    holds code outside every function."""
    table = Sums()
    for one in instructions:
        symbols = [TOTAL, one.symbol]
        if one.offset:
            symbols.append(SNAPSHOT)
        for metric, number in metrics(one).items():
            for symbol in symbols:
                table[symbol, metric] += number
    return table


# ---- By instruction and by line of the source: lines.csv ----


def by_address(instructions: Iterable[Instruction]) -> list[Instruction]:
    """Return the instructions of the snapshot in the order of the code, each once, the numbers
    of all runs together.  Those of one line add up to the line, all to SNAPSHOT."""
    found: dict[tuple[int, str], Instruction] = {}
    for one in instructions:
        if not one.offset:
            continue
        key = one.address, one.cls
        before = found.get(key)
        if before:
            one = one._replace(
                executions=one.executions + before.executions,
                taken=one.taken + before.taken,
                load_accesses=one.load_accesses + before.load_accesses,
                store_accesses=one.store_accesses + before.store_accesses,
            )
        found[key] = one
    return [found[key] for key in sorted(found)]


# ---- The size of the code: asm.csv ----


def size_rows(folder: Path, source: Path) -> Iterator[dict[str, Any]]:
    """Yield rows for asm.csv, without the columns that say which cell it is,
    from a cell's folder and the snapshot's.

    `asm_instructions` are those of the measured object, literal pools
    excluded, by symbol and in total; `code_bytes` is the whole section,
    literal pools included; `asm_lines` is the length of the compiler's
    assembly output (a second -S, without -g) plus the lines of hand-written
    assembly that are neither blank nor comment, only to compare with the
    sources' tables.
    """
    snapshot = folder / "snapshot.o"
    code = [word.symbol for word in words(snapshot) if not word.text.startswith(".")]
    by_symbol = Counter(code)
    by_symbol[TOTAL] = len(code)
    for symbol, n in sorted(by_symbol.items()):
        yield _size_row("asm_instructions", symbol, n, "instructions")
    size = len(read_elf(snapshot).sections[SECTION])
    yield _size_row("code_bytes", TOTAL, size, "bytes")
    length = len((folder / "rsa.s").read_text().splitlines())
    for path in source.glob("*.S"):
        without = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        length += sum(1 for line in without.splitlines() if line.strip())
    yield _size_row("asm_lines", TOTAL, length, "lines")


def _size_row(metric: str, symbol: str, value: int, unit: str) -> dict[str, Any]:
    row = {"metric": metric, "symbol": symbol, "value": value, "unit": unit}
    return {**row, "workload": "static", "n": 1}
