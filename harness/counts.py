"""The numbers of a program, exact: the sums of what it executes, by symbol and by line of the source,
and the size of the code."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from harness.elf import SECTION, read_elf, words
from harness.executed import Instruction
from records import rows

# ---- Sums by symbol: counts.csv ----

TOTAL = rows.TOTAL  # the snapshot and the run-time that it called
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
