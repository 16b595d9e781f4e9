"""Exact counts: runs an ARM program under qemu-arm with the counter (count.c), adds up by symbol.

Needs nothing but the standard library.  A program is a statically linked ELF file whose snapshot
stands in section ``snapshot_text`` and whose harness stands in ``harness_text``.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from harness.count.elf import Elf
from records.faults import Failure

QEMU = ("qemu-arm", "-cpu", "cortex-a7")

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
)

MULTIPLIES = {
    "mul": "multiplies_32",
    "mul_half": "multiplies_32",
    "mul_long": "multiplies_long",
    "umaal": "multiplies_umaal",
}


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


def why_unsupported(qemu: Sequence[str] = QEMU) -> str:
    """Why this qemu-arm cannot load the counter; empty if it can."""
    if shutil.which(qemu[0]) is None:
        return f"{qemu[0]} is not installed"
    said = subprocess.run([qemu[0], "-help"], capture_output=True, text=True, errors="replace")
    return "" if "-plugin" in said.stdout else f"{qemu[0]} was built without plugin support"


def supported(qemu: Sequence[str] = QEMU) -> bool:
    """Whether this qemu-arm can load the counter."""
    return not why_unsupported(qemu)


def unit(metric: str) -> str:
    """What a metric's value is a number of."""
    return "accesses" if metric.endswith("_accesses") else "instructions"


def sections(program: str | Path) -> dict[str, range]:
    """Address ranges of snapshot_text and harness_text."""
    found = Elf(program).sections
    for name in ("snapshot_text", "harness_text"):
        if not found.get(name):
            raise Failure(f"{program}: no section {name}, or an empty one")
    return {name: found[name] for name in ("snapshot_text", "harness_text")}


def read_rows(path: str | Path, program: str | Path) -> list[Row]:
    """The counter's output for this program, Thumb code told from A32 by the mapping symbols.

    The counter takes a block of Thumb code without any 2-byte or unaligned instruction for A32; the
    linker's $a and $t say what it is.  In the snapshot, where memory is counted by class, no Thumb
    code is accepted.
    """
    elf, snapshot = Elf(program), sections(program)["snapshot_text"]
    rows = []
    with open(path, encoding="ascii") as lines:
        next(lines)
        for line in lines:
            address, size, opcode, cls, does, *numbers = line.rstrip("\n").split("\t")
            row = Row(int(address, 16), int(size), int(opcode, 16), cls, does, *map(int, numbers))
            if elf.is_thumb(row.address):
                row = replace(row, cls="thumb", does="", taken=0)
            if row.cls == "thumb" and row.address in snapshot:
                raise Failure(f"{program}: Thumb code at {address} in the snapshot; needs -marm")
            if row.cls != "thumb" and (
                (row.load_accesses and "l" not in row.does)
                or (row.store_accesses and "s" not in row.does)
            ):
                raise Failure(f"{program}: {opcode} at {address} is no {cls}: it uses memory")
            rows.append(row)
    return rows


def count(
    program: str | Path,
    args: Sequence[str] = (),
    *,
    plugin: str | Path,
    qemu: Sequence[str] = QEMU,
    out: str | Path | None = None,
    stdout: int | IO | None = subprocess.DEVNULL,
    timeout: float | None = None,
) -> list[Row]:
    """Runs the program and returns what its snapshot executed; ``out`` keeps the counter's file.

    The program gets an empty environment and a fixed name, so that its stack begins where it began
    the last time.  Raises Failure unless it ends with status 0 within ``timeout`` seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(out or Path(folder, "counts.txt")).resolve()
        options = [str(Path(plugin).resolve()), f"out={file}"]
        for name, addresses in sections(program).items():
            kind = name.partition("_")[0]
            options.append(f"{kind}={addresses.start:#x}-{addresses.stop:#x}")
        option = ",".join(o.replace(",", ",,") for o in options)
        command = [shutil.which(qemu[0]) or qemu[0], *qemu[1:], "-0", "program", "-plugin", option]
        file.unlink(missing_ok=True)
        run([*command, str(Path(program).resolve()), *map(str, args)], program, stdout, timeout)
        if not file.exists():
            raise Failure(f"{program}: not counted: the counter wrote nothing")
        return read_rows(file, program)


def run(
    command: list[str], program: str | Path, stdout: int | IO | None, timeout: float | None
) -> None:
    """Runs the emulator; Failure, with the first line that it said, unless all went well."""
    try:
        ran = subprocess.run(
            command,
            env={},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"{program}: not counted: not finished in {timeout} s") from None
    if ran.returncode != 0 or ran.stderr.startswith("count: "):
        said = ran.stderr.strip().splitlines()
        reason = said[0] if said else f"status {ran.returncode}"
        raise Failure(f"{program}: not counted: {reason}")


def add(total: Counter, row: Row) -> None:
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
    total["neon"] += n if row.cls.startswith("neon_") else 0
    if row.cls in MULTIPLIES:
        total["multiplies"] += n
        total[MULTIPLIES[row.cls]] += n


def by_symbol(rows: Sequence[Row], program: str | Path) -> dict[str, Counter]:
    """Metrics by symbol, ``snapshot`` (its section) and ``total`` (and the run-time it called).

    Every METRIC is there, 0 or not, and class_NAME for each class that occurs.  Symbols are sorted
    by address; ``?`` holds code outside every function.
    """
    elf, snapshot = Elf(program), sections(program)["snapshot_text"]
    table: dict[str, Counter] = {}
    for name in ("total", "snapshot"):
        table[name] = Counter(dict.fromkeys(METRICS, 0))
    for row in rows:
        symbols = ["total", elf.function(row.address)]
        if row.address in snapshot:
            symbols.append("snapshot")
        for name in symbols:
            add(table.setdefault(name, Counter(dict.fromkeys(METRICS, 0))), row)
    return table


def read_expected(path: str | Path) -> dict[str, dict[str, tuple[int, str]]]:
    """The self-test's table: symbol -> metric -> (value, line number and reason)."""
    table: dict[str, dict[str, tuple[int, str]]] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        entry, _, why = line.partition("#")
        if entry.strip():
            symbol, metric, value = entry.split()
            reason = f"line {number}: {why.strip()}".rstrip(": ")
            table.setdefault(symbol, {})[metric] = int(value), reason
    return table


def selftest(
    program: str | Path, table: str | Path, *, plugin: str | Path, qemu: Sequence[str] = QEMU
) -> int:
    """Counts the self-test program; returns the number of values compared.

    Raises Failure at the first value that is not as the table says."""
    return compare(by_symbol(count(program, plugin=plugin, qemu=qemu), program), table)


def compare(counted: dict[str, Counter], table: str | Path) -> int:
    """Compares counts of the self-test with its table; returns the number of values compared.

    Raises Failure at the first value that is not as the table says.  What the table does not name
    must be zero, except that ``total`` and ``snapshot`` are only looked at where named.
    """
    expected, compared = read_expected(table), 0
    for symbol in sorted({*expected, *counted}):
        want, have = expected.get(symbol, {}), counted.get(symbol, Counter())
        sums = symbol in ("total", "snapshot")
        for metric in [*want, *(m for m in have if m not in want and not sums)]:
            value, reason = want.get(metric, (0, "not in the table"))
            if have[metric] != value:
                raise Failure(
                    f"self-test: {symbol} {metric}: counted {have[metric]}, expected {value}"
                    f" ({Path(table).name}, {reason})"
                )
            compared += 1
    return compared


def main() -> int:
    """The command line: probe, selftest, show; 0, or 2 with one line on stderr."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("probe", help="can this qemu-arm load the counter?")
    for name, says in (("selftest", "check the counter"), ("show", "print counts by symbol")):
        command = commands.add_parser(name, help=says)
        command.add_argument("plugin")
        command.add_argument("program")
    commands.choices["selftest"].add_argument("table")
    commands.choices["show"].add_argument("args", nargs=argparse.REMAINDER)
    a = parser.parse_args()
    try:
        reason = why_unsupported()
        if reason:
            raise Failure(f"no counts: {reason}")
        if a.command == "selftest":
            n = selftest(a.program, a.table, plugin=a.plugin)
            print(f"counter self-test: {n} values as expected")
        elif a.command == "show":
            rows = count(a.program, a.args, plugin=a.plugin)
            for symbol, metrics in by_symbol(rows, a.program).items():
                for metric, value in metrics.items():
                    print(f"{symbol}\t{metric}\t{value}")
    except (OSError, ValueError) as fault:
        print(f"counts: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
