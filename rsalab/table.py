"""The table that a run ends with: `python3 -m rsalab.table RESULTS [RUNG...]`."""

import json
import shutil
import statistics
import sys
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Tuple

from harness.results import read_rows
from rsalab import ladder
from rsalab.verdict import verdict

LEVELS = ("O0", "O1", "O3")
Cell = Tuple[str, str]  # snapshot, level


def whole(value: float) -> str:
    """A number without decimals: `12,350,977`."""
    return f"{value:,.0f}"


def factor(value: float) -> str:
    """A ratio of two numbers of one metric: `x8.60`."""
    return f"x{value:.2f}"


def means(
    rows: Iterable[dict], study: str, case: str = "roundtrip-full", metric: str = "instructions"
) -> Dict[Cell, float]:
    """Mean per operation of an exact metric, for every cell that has it; rows of counts.csv."""
    wanted = (study, case, metric, "total")
    return {
        (row["snapshot"], row["level"]): row["value"] / row["n"]
        for row in rows
        if (row["study"], row["case"], row["metric"], row["symbol"]) == wanted
    }


def sizes(rows: Iterable[dict], study: str, metric: str) -> Dict[Cell, int]:
    """A metric over the whole snapshot, asm_instructions, asm_lines or code_bytes; rows of
    asm.csv."""
    return {
        (row["snapshot"], row["level"]): row["value"]
        for row in rows
        if (row["study"], row["metric"], row["symbol"]) == (study, metric, "total")
    }


def medians(rows: Iterable[dict], study: str) -> Dict[Cell, float]:
    """Median time of a round trip in microseconds, from raw clock_gettime samples; rows of
    times.csv."""
    trips: Dict[Cell, Dict[int, int]] = {}
    for row in rows:
        if row["study"] == study and row["metric"] in ("encrypt", "decrypt"):
            trip = trips.setdefault((row["snapshot"], row["level"]), {})
            trip[row["repeat"]] = trip.get(row["repeat"], 0) + row["value"]
    return {cell: statistics.median(trip.values()) / 1000 for cell, trip in trips.items()}


class Table:
    """One study's results, printed as a block of rows for each level."""

    def __init__(self, folder: Path, study: str = "iterations") -> None:
        self.folder = folder
        self.snapshots = ladder.snapshots(study)
        self.counts = means(read_rows(folder / "counts.csv"), study)
        self.times = medians(read_rows(folder / "times.csv"), study)
        static = read_rows(folder / "asm.csv")
        self.lines = sizes(static, study, "asm_lines")
        self.bytes = sizes(static, study, "code_bytes")

    def ratio(self, base: Optional[str], cell: Cell) -> str:
        """How many times fewer instructions than the base at the same level: `x8.60`."""
        other = self.counts.get((base or "", cell[1]))
        return factor(other / self.counts[cell]) if other and cell in self.counts else "-"

    def verdict(self, parent: Optional[str], cell: Cell) -> str:
        """The word for a step at one level."""
        above = self.counts.get((parent or "", cell[1]))
        return verdict(self.counts[cell], above) if above and cell in self.counts else "-"

    def row(self, snapshot: ladder.Snapshot, level: str, room: int) -> List[str]:
        """The cells of one row of text; `room` is the width of the idea."""
        cell = (snapshot.name, level)
        idea = snapshot.idea if len(snapshot.idea) <= room else snapshot.idea[: room - 1] + "\u2026"
        number = whole(self.counts[cell]) if cell in self.counts else "-"
        text = [
            snapshot.name,
            idea,
            number,
            self.ratio(self.snapshots[0].name, cell),
            self.ratio(snapshot.parent, cell),
            self.verdict(snapshot.parent, cell),
            whole(self.lines[cell]),
            whole(self.bytes[cell]),
        ]
        return text + (["{:,.1f}".format(self.times[cell])] if self.times else [])

    def text(self, only: List[str], width: int) -> str:
        """The whole table; `only` names the rungs to show, all when empty."""
        head = [
            "rung",
            "idea",
            "instructions",
            "v0/this",
            "parent/this",
            "verdict",
            "asm lines",
            "bytes",
        ]
        head += ["median us"] if self.times else []
        room = max(20, width - 76 - 12 * bool(self.times))
        blocks = []
        for level in LEVELS:
            rows = [
                self.row(s, level, room)
                for s in self.snapshots
                if (s.name, level) in self.bytes and (not only or s.name in only)
            ]
            blocks.append("-{}\n{}".format(level, aligned([head, *rows])))
        return "\n\n".join(blocks)


def aligned(rows: List[List[str]]) -> str:
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
    facts = json.loads((folder / "machine.json").read_text())
    said = ["{}, {}".format(facts["platform"], facts["compiler"])]
    if table.counts:
        said.append(
            "instructions: exact mean of a round trip (encrypt and decrypt one message, 128-bit"
            " key,\nfull-length e and d), counted in the snapshot and the run-time it calls"
        )
    else:
        said.append("instructions: not available here (this qemu-arm has no plugin support)")
    if not table.times:
        said.append("time: not available here (programs run under emulation)")
    return "\n".join(said)


def main(arguments: List[str]) -> int:
    """Command line; prints the table, where the files are and what to type next."""
    folder, only = Path(arguments[0]), arguments[1:]
    table = Table(folder)
    print(
        "\n{}\n\n{}\n".format(
            heading(folder, table), table.text(only, shutil.get_terminal_size((110, 24)).columns)
        )
    )
    print("results    {}/".format(folder))
    print("next       make diff B=v4      what a step changed, in C and in assembly")
    print("           make notebooks      the charts           make report    the report")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
