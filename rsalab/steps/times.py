"""The table of times: `python3 -m rsalab.steps.times RESULTS`, from the raw samples of times.csv.

For every rung and level, total, mean, minimum, maximum and median as in Bishop & Austin 2021: of a
message (a round trip) and of an exponentiation (each half of one), by either clock.  Samples marked
as tainted are counted and left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from harness.time.clock_samples import CLOCKS, REAL
from records import ladder
from records.machine import read_machine
from records.rows import read_rows
from records.statistics import Summary, summary

NANOSECONDS = {"ns": 1, "us": 1000}
Key = tuple[str, str]  # snapshot, level


def by_cell(rows: Iterable[dict], study: str, clock: str) -> dict[Key, dict[int, list[float]]]:
    """Cell -> message -> its two exponentiations in microseconds, tainted ones left out."""
    cells: dict[Key, dict[int, list[float]]] = {}
    for row in rows:
        if row["study"] == study and row["metric"] in CLOCKS[clock]:
            messages = cells.setdefault((row["snapshot"], row["level"]), {})
            value = row["value"] * NANOSECONDS[row["unit"]] / 1000
            messages.setdefault(row["repeat"], []).append(value)
    return cells


def summaries(rows: list[dict], study: str, clock: str = REAL) -> dict[Key, dict[str, Summary]]:
    """Cell -> `message` and `exponentiation` -> summary in microseconds."""
    return {
        cell: {
            "message": summary([sum(pair) for pair in messages.values()]),
            "exponentiation": summary([one for pair in messages.values() for one in pair]),
        }
        for cell, messages in by_cell(rows, study, clock).items()
    }


def lines(rows: list[dict], study: str) -> list[str]:
    """The table as text, levels as blocks."""
    names = [snapshot.name for snapshot in ladder.snapshots(study)]
    text = [f"{'':22}{'':16}" + "".join(f"{name:>12}" for name in Summary._fields)]
    found = {clock: summaries(rows, study, clock) for clock in CLOCKS}
    cells = [(name, level) for level in ("O0", "O1", "O3") for name in names]
    for cell in (cell for cell in cells if cell in found[REAL]):
        for what in ("message", "exponentiation"):
            for clock in CLOCKS:
                numbers = "".join(f"{number:>12,.1f}" for number in found[clock][cell][what])
                text.append(f"{' '.join(cell):<7}{what:<15}{clock:<16}{numbers}")
    return text


def main(arguments: list[str]) -> int:
    """Command line; prints what the times were taken on before the times."""
    folder = Path(arguments[0])
    rows = read_rows(folder / "times.csv")
    if not rows:
        print(f"times: {folder}/times.csv: no times; `make host` takes some", file=sys.stderr)
        return 2
    facts = read_machine(folder)
    tainted = sum(row["metric"].endswith("_tainted") for row in rows)
    print(f"\n{facts['platform']}, {facts['cpu']}, {facts['compiler']}")
    print(f"microseconds; {tainted} of {len(rows)} samples tainted and left out\n")
    for study in dict.fromkeys(row["study"] for row in rows):
        print("\n".join(lines(rows, study)))
    print(f"\nresults    {folder}/")
    print("next       make duel A=v2 B=v4 LEVEL=O1     do two of them differ?")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
