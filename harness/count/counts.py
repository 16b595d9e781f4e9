"""Exact counts of a program: the rows that either counter writes, and their sums by symbol.

A program is a statically linked ELF file whose snapshot stands in section ``snapshot_text`` and
whose harness stands in ``harness_text``.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from harness.count.elf import THUMB, read_elf
from records.command import run
from records.faults import Failure

SIMULATED = "simulated_mispredictions_arm1176"  # plugin/predict.h
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

MULTIPLIES = {
    "mul": "multiplies_32",
    "mul_half": "multiplies_32",
    "mul_long": "multiplies_long",
    "umaal": "multiplies_umaal",
}

HEAD = "address size opcode class does executions taken load_accesses store_accesses mispredicted"
Table = dict[str, Counter[str]]  # symbol -> metric -> number


@dataclass(frozen=True)
class Row:
    """One instruction of the program, as often as it was executed inside."""

    address: int
    size: int  # bytes
    opcode: int  # Thumb too: the bytes as a little-endian number
    cls: str  # a class of a32.h
    does: str  # of l, s, b: loads, stores, branches; whether its condition holds or not
    executions: int
    taken: int  # branches of A32 only
    load_accesses: int
    store_accesses: int
    mispredicted: int = 0  # branches of the snapshot only; simulated


def unit(metric: str) -> str:
    """What a metric's value is a number of."""
    if metric == SIMULATED:
        return "mispredictions"
    return "accesses" if metric.endswith("_accesses") else "instructions"


def sections(program: Path) -> dict[str, range]:
    """Address ranges of snapshot_text and harness_text.  Raises Failure where one is missing."""
    found = read_elf(program).sections
    for name in ("snapshot_text", "harness_text"):
        if not found.get(name):
            raise Failure(f"{program}: no section {name}, or an empty one")
    return {name: found[name] for name in ("snapshot_text", "harness_text")}


def snapshot_of(program: Path) -> range:
    """The addresses of the snapshot."""
    return sections(program)["snapshot_text"]


def counted(
    command: Sequence[str | Path],
    program: Path,
    out: Path,
    environment: Mapping[str, str],
    timeout: float | None,
) -> list[Row]:
    """What a counter's command, which has to end within `timeout` seconds, writes to `out`; what
    the program prints goes to results_of(out).  Raises Failure."""
    out.unlink(missing_ok=True)
    try:
        results_of(out).write_text(run(command, env=environment, timeout=timeout))
    except subprocess.TimeoutExpired:
        raise Failure(f"{program}: not counted: not finished in {timeout} s") from None
    except Failure as fault:
        raise Failure(f"{program}: not counted: {fault}") from None
    if not out.exists():
        raise Failure(f"{program}: not counted: the counter wrote nothing")
    return read_rows(out, program)


def results_of(out: Path) -> Path:
    """The file beside a counter's file that has what the program has printed."""
    return out.with_name(f"{out.name}.results")


def parse_rows(path: Path) -> Iterator[Row]:
    """The rows of a counter's file as they are.  Raises Failure where it is missing or damaged."""
    for address, size, opcode, cls, does, *numbers in _fields(path)[:-1]:
        try:
            place = int(address, 16), int(size), int(opcode, 16)
            executions, taken, loads, stores, mispredicted = map(int, numbers)
        except ValueError:
            raise _damaged(path) from None
        yield Row(*place, cls, does, executions, taken, loads, stores, mispredicted)


def _fields(path: Path) -> list[list[str]]:
    """The lines of a counter's file but for the head; the last one is of the calls."""
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, ValueError):
        raise _damaged(path) from None
    fields = [line.split("\t") for line in text.splitlines()[1:]]
    whole = text.endswith("\n") and fields and fields[-1][0] == "calls"
    if not whole or any(len(words) < 6 for words in fields[:-1]):
        raise _damaged(path)
    return fields


def _damaged(path: Path) -> Failure:
    return Failure(f"{path}: missing or cut short; remove build/ and measure again")


def read_rows(path: Path, program: Path) -> list[Row]:
    """The counter's output for this program, Thumb code told from A32 by the mapping symbols.

    The counter takes a block of Thumb code without any 2-byte or unaligned instruction for A32; the
    linker's $a and $t say what it is.  In the snapshot, where memory is counted by class, no Thumb
    code is accepted.  Raises Failure.
    """
    elf, snapshot = read_elf(program), snapshot_of(program)
    rows = []
    for row in parse_rows(path):
        mode = elf.mode(row.address)
        if mode == THUMB:
            row = replace(row, cls="thumb", does="", taken=0)
        place = f"{row.opcode:#x} at {row.address:#x}"
        if row.cls == "thumb" and row.address in snapshot:
            raise Failure(f"{program}: Thumb code in the snapshot, {place}; it needs -marm")
        if row.cls != "thumb" and (
            (row.load_accesses and "l" not in row.does)
            or (row.store_accesses and "s" not in row.does)
        ):
            raise Failure(f"{program}: {place} is no {row.cls}: it uses memory")
        rows.append(row)
    return rows


def text(rows: Iterable[Row], calls: Iterable[int]) -> str:
    """The file that the counter in qemu-arm would write."""
    lines = [HEAD.split()]
    for row in rows:
        _, _, _, *rest = astuple(row)
        place = f"{row.address:#010x}", row.size, f"{row.opcode:#0{2 + 2 * row.size}x}"
        lines.append([str(field) for field in (*place, *rest)])
    lines.append(["calls", *map(str, calls)])
    return "".join("\t".join(line) + "\n" for line in lines)


def add(total: Counter[str], row: Row) -> None:
    """Adds one instruction to the metrics of its symbol.

    Of Thumb code only size and accesses are known: it loads (stores) if it ever made an access.
    """
    n, thumb = row.executions, row.cls == "thumb"
    total["instructions"] += n
    total["class_" + row.cls] += n
    total["load_accesses"] += row.load_accesses
    total["store_accesses"] += row.store_accesses
    total["loads"] += n if "l" in row.does or (thumb and row.load_accesses) else 0
    total["stores"] += n if "s" in row.does or (thumb and row.store_accesses) else 0
    total["branches"] += n if "b" in row.does else 0
    total["branches_taken"] += row.taken
    total[SIMULATED] += row.mispredicted
    total["neon"] += n if row.cls.startswith("neon_") else 0
    if row.cls in MULTIPLIES:
        total["multiplies"] += n
        total[MULTIPLIES[row.cls]] += n


def by_symbol(rows: Iterable[Row], program: Path) -> Table:
    """Metrics by symbol, ``snapshot`` (its section) and ``total`` (and the run-time it called).

    Every METRIC is there, 0 or not, and class_NAME for each class that occurs.  Symbols are sorted
    by address; ``?`` holds code outside every function.
    """
    elf, snapshot = read_elf(program), snapshot_of(program)
    table = {name: Counter(dict.fromkeys(METRICS, 0)) for name in ("total", "snapshot")}
    for row in rows:
        symbols = ["total", elf.function(row.address)]
        if row.address in snapshot:
            symbols.append("snapshot")
        for name in symbols:
            add(table.setdefault(name, Counter(dict.fromkeys(METRICS, 0))), row)
    return table
