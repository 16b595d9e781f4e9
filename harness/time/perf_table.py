"""The hardware's counters as Dirk 2019 §4 shows them, row for row: a round trip's median.

`python3 -m harness.time.perf_table [results/local]` prints a table for each study and level from a
results folder's perf.csv.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable
from pathlib import Path

from harness.time.perf_stat import TAINTED, UNITS
from records.faults import Failure, command_line
from records.rows import Row, read_rows
from records.tables import aligned

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


def derive(found: Iterable[Row]) -> dict[str, float | str]:
    """Label of ROWS -> median a round trip, or why there is none, from one cell's rows of perf.csv.
    A rate is the median of the rates of single runs."""
    values: dict[str, dict[int, float]] = {}
    why: dict[str, str] = {}
    for row in found:
        if row["metric"].endswith(TAINTED):
            why.setdefault(row["metric"].removesuffix(TAINTED), "tainted; make doctor")
        elif row["value"] is not None and row["unit"] == UNITS.get(row["metric"]):
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
    return "-" if isinstance(value, str) else f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def table(columns: dict[str, dict[str, float | str]]) -> list[str]:
    """The lines of a table, a column for each snapshot, and under it why numbers are missing."""
    rows = [["", *columns]]
    reasons: dict[str, list[str]] = {}
    for label in ROWS:
        cells = [column[label] for column in columns.values()]
        rows.append([label, *map(shown, cells)])
        for reason in dict.fromkeys(cell for cell in cells if isinstance(cell, str)):
            reasons.setdefault(reason, []).append(label)
    why = [f"  - {reason}: {', '.join(names)}" for reason, names in reasons.items()]
    return aligned(rows) + why


def main() -> None:
    """Print a folder's tables.  Raises Failure when it has no perf.csv that can be read."""
    path = Path(*sys.argv[1:2] or ["results/local"], "perf.csv")
    cells: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in read_rows(path):
        level = cells.setdefault((row["study"], row["level"]), {})
        level.setdefault(row["snapshot"], []).append(row)
    if not cells:
        raise Failure(f"no {path}: programs are measured where they run directly")
    for (study, level_name), snapshots in cells.items():
        print(f"{study} -{level_name}, a round trip, user space, median")
        print("\n".join(table({name: derive(rows) for name, rows in snapshots.items()})) + "\n")


if __name__ == "__main__":
    sys.exit(command_line("perf", main))
