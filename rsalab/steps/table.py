"""The table that a run ends with: `python3 -m rsalab.steps.table RESULTS [RUNG...]`."""

import argparse
import shutil
import statistics
import sys
from collections.abc import Iterable
from pathlib import Path

from records import ladder, workload
from records.machine import read_machine
from records.rows import read_rows
from records.verdict import verdict

LEVELS = ladder.LEVELS
Cell = tuple[str, str]  # snapshot, level


def whole(value: float) -> str:
    """A number without decimals: `12,350,977`."""
    return f"{value:,.0f}"


def factor(value: float) -> str:
    """A ratio of two numbers of one metric: `x8.60`."""
    return f"x{value:.2f}"


def means(
    rows: Iterable[dict], study: str, case: str = workload.TRIP_FULL, metric: str = "instructions"
) -> dict[Cell, float]:
    """Mean per operation of an exact metric, for every cell that has it; rows of counts.csv."""
    wanted = (study, case, metric, "total")
    return {
        (row["snapshot"], row["level"]): row["value"] / row["n"]
        for row in rows
        if (row["study"], row["case"], row["metric"], row["symbol"]) == wanted
    }


def sizes(rows: Iterable[dict], study: str, metric: str) -> dict[Cell, int]:
    """A metric over the whole snapshot, asm_instructions, asm_lines or code_bytes; rows of
    asm.csv."""
    return {
        (row["snapshot"], row["level"]): row["value"]
        for row in rows
        if (row["study"], row["metric"], row["symbol"]) == (study, metric, "total")
    }


def medians(rows: Iterable[dict], study: str) -> dict[Cell, float]:
    """Median time of a round trip in microseconds, from raw clock_gettime samples; rows of
    times.csv."""
    trips: dict[Cell, dict[int, int]] = {}
    for row in rows:
        if row["study"] == study and row["metric"] in ("encrypt", "decrypt"):
            trip = trips.setdefault((row["snapshot"], row["level"]), {})
            trip[row["repeat"]] = trip.get(row["repeat"], 0) + row["value"]
    return {cell: statistics.median(trip.values()) / 1000 for cell, trip in trips.items()}


class Table:
    """The results of one study, printed as a block of rows for each level.  A parent may stand in
    another study, whose numbers are read along."""

    def __init__(self, folder: Path, study: str = ladder.LADDER) -> None:
        self.snapshots = ladder.snapshots(study)
        counts, static = read_rows(folder / "counts.csv"), read_rows(folder / "asm.csv")
        cases = {row["case"] for row in counts}
        self.case = workload.TRIP_FULL if workload.TRIP_FULL in cases else workload.TRIP_SMALL
        self.counts = {s: means(counts, s, self.case) for s in {row["study"] for row in counts}}
        self.times = medians(read_rows(folder / "times.csv"), study)
        self.lines = sizes(static, study, "asm_lines")
        self.bytes = sizes(static, study, "code_bytes")

    def mean(self, snapshot: ladder.Snapshot | None, level: str) -> float | None:
        """Mean instructions of a round trip, None where they are not known."""
        if snapshot is None:
            return None
        return self.counts.get(snapshot.study, {}).get((snapshot.name, level))

    def against(self, snapshot: ladder.Snapshot, level: str) -> list[str]:
        """Instructions, the factors against the first ancestor and the parent, and the verdict."""
        parent = root = ladder.parent_of(snapshot)
        while root and root.parent:
            root = ladder.parent_of(root)
        here = self.mean(snapshot, level)
        first, above = self.mean(root or snapshot, level), self.mean(parent, level)
        return [
            whole(here) if here else "-",
            factor(first / here) if here and first else "-",
            factor(above / here) if here and above else "-",
            verdict(here, above) if here and above else "-",
        ]

    def row(self, snapshot: ladder.Snapshot, level: str, room: int) -> list[str]:
        """The cells of one row of text; `room` is the width of the idea."""
        cell = (snapshot.name, level)
        idea = snapshot.idea if len(snapshot.idea) <= room else snapshot.idea[: room - 1] + "\u2026"
        text = [snapshot.name, idea, *self.against(snapshot, level)]
        text += [whole(self.lines[cell]), whole(self.bytes[cell])]
        if self.times:
            text.append(f"{self.times[cell]:,.1f}" if cell in self.times else "-")
        return text

    def text(self, only: list[str], width: int) -> str:
        """The whole table; `only` names the snapshots to show, all when empty."""
        head = ["rung", "idea", "instructions", "v0/this", "parent/this", "verdict", "asm lines"]
        head += ["bytes", "median us"] if self.times else ["bytes"]
        room = max(
            20, width - 70 - max(len(s.name) for s in self.snapshots) - 12 * bool(self.times)
        )
        blocks = []
        for level in ladder.levels():
            rows = [
                self.row(s, level, room)
                for s in self.snapshots
                if (s.name, level) in self.bytes and (not only or s.name in only)
            ]
            blocks.append(f"-{level}\n{aligned([head, *rows])}")
        shown = [s for s in self.snapshots if not only or s.name in only]
        parents = [parent for s in shown if (parent := ladder.parent_of(s))]
        if self.counts and any(self.mean(p, ladder.levels()[0]) is None for p in parents):
            blocks.append("-  the rung to compare with is not measured: make all-iterations")
        return "\n\n".join(blocks)


def aligned(rows: list[list[str]]) -> str:
    """Columns of equal width; words to the left, numbers to the right."""
    left = {0, 1, 5}
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(w) if i in left else text.rjust(w)
            for i, (text, w) in enumerate(zip(row, widths))
        ).rstrip()
        for row in rows
    )


def heading(folder: Path, table: Table) -> str:
    """What the numbers are, where they come from and what is missing."""
    facts = read_machine(folder)
    said = ["{}, {}".format(facts["platform"], facts["compiler"])]
    if table.counts:
        said.append(
            "instructions: exact mean of a round trip (encrypt and decrypt one message, full-length"
            "\ne and d), counted in the snapshot and the run-time it calls"
        )
        if table.case == workload.TRIP_SMALL:
            said.append(
                "workload: small (the first 8 strings and 2 integers); MESSAGES=default counts more"
            )
    else:
        said.append("instructions: not available here (this qemu-arm has no plugin support)")
    if not table.times:
        said.append("time: not available here (programs run under emulation)")
    return "\n".join(said)


def main() -> int:
    """Command line; prints the tables, where the files are and what to type next."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("only", nargs="*", help="names of snapshots; all when there are none")
    parser.add_argument("--study", action="append", help="the ladder when there is none")
    options = parser.parse_args()
    width = shutil.get_terminal_size((110, 24)).columns
    for study in options.study or [ladder.LADDER]:
        table = Table(options.folder, study)
        print(f"\n{study}, {heading(options.folder, table)}\n\n{table.text(options.only, width)}")
    print(f"\nresults    {options.folder}/")
    step = options.only[0] if options.only else "v4"
    print(f"next       make diff B={step:<10} what a step changed, in C and in assembly")
    print("           make notebooks      the charts           make report    the report")
    return 0


if __name__ == "__main__":
    sys.exit(main())
