"""perf.csv and the second source's table: every cell measured by perf, its numbers and rates.

`python3 -m harness.time.perftable [results/local]` prints a table for each level from a results folder's
perf.csv: a round trip's median, row for row as Dirk 2019 §4 has them.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.cells import Cell, keep, limit, recall
from harness.time import board, perf
from records import workload
from records.faults import Failure
from records.files import digest
from records.rows import read_rows

CASE = "roundtrip-full"
SHORT = 0.5  # seconds; work that takes less is made FACTOR times as long, above start-up's noise
FACTOR = 10

# Label -> metric, or two metrics and a factor for a rate; the source's order.
ROWS = {
    "runtime (ms)": ("task-clock", None, 1e-6),
    "cycles": ("cycles", None, 1),
    "instructions": ("instructions", None, 1),
    "instructions / cycle": ("instructions", "cycles", 1),
    "branches": ("branches", None, 1),
    "branch misses": ("branch-misses", None, 1),
    "branch miss %": ("branch-misses", "branches", 100),
    "cache references": ("cache-references", None, 1),
    "cache misses": ("cache-misses", None, 1),
    "cache miss %": ("cache-misses", "cache-references", 100),
}


def commands(cell: Cell, factor: int) -> tuple[int, list[str], list[str]]:
    """Round trips, and the two runs that are that many apart.  The runs differ by the messages of
    the default workload or, with a factor, as many times so many as the files hold."""
    folder = cell.inputs / "key-full"
    start = [str(cell.program), "roundtrip", str(folder / "key.txt")]
    total, shorter, longer = 0, list(start), list(start)
    for path, wanted in workload.default(folder):
        n = min(factor * wanted, workload.messages_in(path) - 1)
        shorter += ["-s", str(n), "-n", "1", str(path)]
        longer += ["-n", str(n + 1), str(path)]
        total += n
    return total, shorter, longer


def key(cell: Cell) -> str:
    """What a measurement depends on: program and inputs, perf, kernel, and what it permits."""
    _, _, longer = commands(cell, 1)
    files = [cell.program, *(Path(word) for word in longer if word.endswith(".txt"))]
    version = board.ask("perf", "--version") if shutil.which("perf") else "no perf"
    level = board.read(Path("/proc/sys/kernel/perf_event_paranoid"))
    return " ".join([digest(*files), version, platform.release(), level])


def measure(cell: Cell, repeats: int = 5) -> dict:
    """`n`, round trips, and `samples` as perf.samples gives them, of a program that runs directly
    on this machine.  Kept.  Raises Failure."""
    kept, told, seconds = cell.folder / "perf.json", key(cell), limit()
    found = recall(kept, told)
    if found is not None:
        return found
    n, shorter, longer = commands(cell, 1)
    try:
        if shutil.which("perf"):
            start = time.monotonic()
            subprocess.run(longer, capture_output=True, timeout=seconds)  # and warms up
            if time.monotonic() - start < SHORT:
                n, shorter, longer = commands(cell, FACTOR)
        samples = perf.samples(shorter, longer, repeats=repeats, timeout=seconds)
    except (Failure, subprocess.TimeoutExpired, OSError) as fault:
        raise Failure(f"{cell.name}: {fault}") from None
    if key(cell) != told:
        raise Failure(f"{cell.name}: changed while it was measured; type the command again")
    found = {"n": n, "samples": samples}
    keep(kept, told, found)
    return found


def rows(cell: Cell) -> Iterator[dict]:
    """Rows for perf.csv.  Where there is no value it is empty and `unit` says why."""
    measured = measure(cell)
    for metric, value, unit, repeat in measured["samples"]:
        yield cell.row(
            case=CASE,
            metric=metric,
            symbol="total",
            value="" if value is None else value,
            unit=unit,
            n=measured["n"],
            repeat=repeat,
        )


def note() -> str:
    """One line for the user when there is no perf; else empty."""
    return "" if shutil.which("perf") else f"no perf here, recorded as such; type: {perf.INSTALL}"


def derive(found: Iterable[dict]) -> dict[str, float | str]:
    """Label of ROWS -> median a round trip, or why there is none, from one cell's rows of perf.csv.
    A rate is the median of the rates of single runs."""
    values: dict[str, dict[int, float]] = {}
    why: dict[str, str] = {}
    for row in found:
        if row["metric"].endswith(perf.TAINTED):
            why.setdefault(row["metric"].removesuffix(perf.TAINTED), "tainted; make doctor")
        elif row["value"] is not None and row["unit"] == perf.UNITS.get(row["metric"]):
            values.setdefault(row["metric"], {})[row["repeat"]] = row["value"] / row["n"]
        else:
            why[row["metric"]] = row["unit"]
    made: dict[str, float | str] = {}
    for label, (above, below, factor) in ROWS.items():
        missing = [name for name in (above, below) if name and name not in values]
        if missing:
            made[label] = why.get(missing[0], "not measured")
            continue
        top, bottom = values[above], values[below] if below else dict.fromkeys(values[above], 1)
        rates = [top[repeat] / bottom[repeat] for repeat in top if bottom.get(repeat, 0) > 0]
        median = statistics.median(rates) if rates else -1
        made[label] = factor * median if median >= 0 else "below the noise"
    return made


def shown(value: float | str) -> str:
    """A cell of the table."""
    if isinstance(value, str):
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def table(columns: dict[str, dict[str, float | str]]) -> list[str]:
    """The lines of a table, a column for each snapshot, and under it why numbers are missing."""
    width = max(13, *(len(name) + 2 for name in columns))
    lines = [" " * 21 + "".join(f"{name:>{width}}" for name in columns)]
    reasons: dict[str, list[str]] = {}
    for label in ROWS:
        cells = [column[label] for column in columns.values()]
        lines.append(f"{label:<21}" + "".join(f"{shown(cell):>{width}}" for cell in cells))
        for reason in dict.fromkeys(cell for cell in cells if isinstance(cell, str)):
            reasons.setdefault(reason, []).append(label)
    return lines + [f"  - {reason}: {', '.join(names)}" for reason, names in reasons.items()]


def main() -> int:
    """Print a folder's tables; 2 and one line when it has no perf.csv that can be read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("results/local"))
    path = parser.parse_args().folder / "perf.csv"
    try:
        found = read_rows(path)
    except ValueError as fault:
        print(f"perf: {fault}", file=sys.stderr)
        return 2
    if not found:
        print(f"perf: no {path}: programs are measured where they run directly", file=sys.stderr)
        return 2
    cells: dict[tuple[str, str], dict[str, list[dict]]] = {}
    for row in found:
        level = cells.setdefault((row["study"], row["level"]), {})
        level.setdefault(row["snapshot"], []).append(row)
    for (study, level), snapshots in cells.items():
        print(f"{study} -{level}, a round trip, user space, median")
        print("\n".join(table({name: derive(rows) for name, rows in snapshots.items()})) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
