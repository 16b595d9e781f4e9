"""The counters' self-test: plugin/selftest.S, a program of known counts, against its table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from harness.count.counts import Table
from records.faults import Failure

PROGRAM = Path("build/selftest")
TABLE = Path("harness/count/plugin/selftest.txt")


def read_expected(path: Path) -> dict[str, dict[str, tuple[int, str]]]:
    """The table: symbol -> metric -> (value, line number and reason)."""
    table: dict[str, dict[str, tuple[int, str]]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        entry, _, why = line.partition("#")
        if entry.strip():
            symbol, metric, value = entry.split()
            reason = f"line {number}: {why.strip()}".rstrip(": ")
            table.setdefault(symbol, {})[metric] = int(value), reason
    return table


def compare(counted: Table, table: Path) -> int:
    """Compares counts of the program with its table; returns the number of values compared.

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
                    f" ({table.name}, {reason})"
                )
            compared += 1
    return compared
