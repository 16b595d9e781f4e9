"""The table that a run ends with: `python3 -m rsalab.steps.table RESULTS [RUNG...]`.

It needs nothing but Python itself.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from records import ladder
from records.faults import command_line
from records.ladder import LADDER, levels
from records.machine import read_machine
from records.rows import Row, read_rows
from records.summary import ladder_rows, means, medians, of_one_case, small
from records.tables import NONE, aligned, factor, whole

HEAD = ["rung", "idea", "instructions", "v0/this", "parent/this", "verdict", "asm lines", "bytes"]
TRIP = (
    "instructions: exact mean of a round trip (encrypt and decrypt one message, full-length"
    "\ne and d), counted in the snapshot and the run-time it calls"
)
UNCOUNTED = "instructions: not available here (no counter works, or COUNTER=none)"
SMALL = "workload: small (the first 8 strings and 2 integers); MESSAGES=default counts more"
UNCOMPARED = "-  the rung to compare with is not measured: make all-iterations"


def untimed(facts: dict[str, Any]) -> str:
    """Why there is no time, of machine.json."""
    tainted = ", ".join(facts.get("timing", {}).get("tainted", {})) or "not measured"
    why = "programs run under emulation" if facts.get("runner") else tainted
    return f"time: not available here ({why})"


def cells(row: Row, room: int, timed: bool) -> list[str]:
    """A row of text; `room` is the width of the idea."""
    idea = row["idea"] if len(row["idea"]) <= room else row["idea"][: room - 1] + "\u2026"
    factors = [factor(row["versus_base"]), factor(row["versus_parent"]), row["verdict"] or NONE]
    sizes = [whole(row["asm_lines"]), whole(row["code_bytes"])]
    time = [NONE if row["median_us"] is None else f"{row['median_us']:,.1f}"] * timed
    return [row["rung"], idea, whole(row["instructions"]), *factors, *sizes, *time]


def text(folder: Path, study: str, only: list[str], width: int) -> str:
    """The tables of one study, one for each level; `only` names the snapshots to show, all when
    empty.  Raises Failure."""
    counted = read_rows(folder / "counts.csv")
    counts, times = means(of_one_case(counted)), medians(read_rows(folder / "times.csv"))
    sizes = means(read_rows(folder / "asm.csv"))
    rows = ladder_rows(ladder.snapshots(study), counts, sizes, times, levels=levels())
    shown = [row for row in rows if not only or row["rung"] in only]
    timed = any(row["median_us"] is not None for row in rows)
    room = max(20, width - 70 - max((len(row["rung"]) for row in rows), default=0) - 12 * timed)
    facts = read_machine(folder)
    notes = [f"{study}, {facts['platform']}, {facts['compiler']}", TRIP if counts else UNCOUNTED]
    blocks = [
        "\n".join(notes + [untimed(facts)] * (not timed) + [SMALL] * (study in small(counted)))
    ]
    for level in levels():
        lines = [cells(row, room, timed) for row in shown if row["level"] == level]
        head = HEAD + ["median us"] * timed
        blocks.append("\n".join([f"-{level}", *aligned([head, *lines], (0, 1, 5))]))
    if counts and any(row["parent"] and row["versus_parent"] is None for row in shown):
        blocks.append(UNCOMPARED)
    return "\n\n".join(blocks)


def main() -> None:
    """Command line; prints the tables, where the files are and what to type next."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("only", nargs="*", help="names of snapshots; all when there are none")
    parser.add_argument("--study", action="append", help="the ladder when there is none")
    options = parser.parse_args()
    width = shutil.get_terminal_size((110, 24)).columns
    for study in options.study or [LADDER]:
        print(f"\n{text(options.folder, study, options.only, width)}")
    print(f"\nresults    {options.folder}/")
    found = {snapshot.name: snapshot.parent for snapshot in ladder.snapshots()}
    step = next(filter(found.get, options.only), "v4")
    print(f"next       make diff B={step:<10} what a step changed, in C and in assembly")
    print("           make notebooks      the charts           make report    the report")


if __name__ == "__main__":
    sys.exit(command_line("table", main))
