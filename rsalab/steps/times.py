"""The table of times: `python3 -m rsalab.steps.times RESULTS`, from the raw samples of times.csv.

For every rung and level, total, mean, minimum, maximum and median as in Bishop & Austin 2021: of a
message (a round trip) and of an exponentiation (each half of one), by either clock.  Samples marked
as tainted are counted and left out.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from harness.time.clock_samples import CLOCKS, REAL
from records import ladder
from records.faults import Failure, command_line
from records.ladder import LEVELS
from records.machine import read_machine
from records.rows import REMOVE, Row, read_rows
from records.statistics import Summary, summary
from records.tables import aligned

NANOSECONDS = {"ns": 1, "us": 1000}
Key = tuple[str, str]  # snapshot, level


def summaries(rows: Iterable[Row], study: str, clock: str = REAL) -> dict[Key, dict[str, Summary]]:
    """Cell -> `message` and `exponentiation` -> summary in microseconds; a message is two
    exponentiations, tainted ones left out."""
    cells: dict[Key, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["study"] == study and row["metric"] in CLOCKS[clock]:
            if row["unit"] not in NANOSECONDS:
                raise Failure(f"times.csv: {row['metric']} is in {row['unit']}; {REMOVE}")
            value = row["value"] * NANOSECONDS[row["unit"]] / 1000
            cells[row["snapshot"], row["level"]][row["repeat"]].append(value)
    return {
        cell: {
            "message": summary([sum(pair) for pair in messages.values()]),
            "exponentiation": summary([one for pair in messages.values() for one in pair]),
        }
        for cell, messages in cells.items()
    }


def lines(rows: list[Row], study: str) -> list[str]:
    """The table as text, level by level."""
    found = {clock: summaries(rows, study, clock) for clock in CLOCKS}
    text = [["rung", "level", "of", "clock", *Summary._fields]]
    for level in LEVELS:
        for cell in ((snapshot.name, level) for snapshot in ladder.snapshots(study)):
            for what in ("message", "exponentiation") if cell in found[REAL] else ():
                for clock in CLOCKS:
                    numbers = [f"{number:,.1f}" for number in found[clock][cell][what]]
                    text.append([*cell, what, clock, *numbers])
    return aligned(text, range(4))


def main() -> None:
    """Command line; prints what the times were taken on before the times."""
    folder = Path(sys.argv[1])
    rows = read_rows(folder / "times.csv")
    if not rows:
        raise Failure(f"{folder}/times.csv: no times; `make host` takes some")
    facts = read_machine(folder)
    tainted = sum(row["metric"].endswith("_tainted") for row in rows)
    print(f"\n{facts['platform']}, {facts['cpu']}, {facts['compiler']}")
    print(f"microseconds; {tainted} of {len(rows)} samples tainted and left out\n")
    for study in dict.fromkeys(row["study"] for row in rows):
        print("\n".join(lines(rows, study)))
    print(f"\nresults    {folder}/")
    print("next       make duel A=v2 B=v4 LEVEL=O1     do two of them differ?")


if __name__ == "__main__":
    sys.exit(command_line("times", main))
