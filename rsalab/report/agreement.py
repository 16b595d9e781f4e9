"""Plugin, Unicorn and an ARM kernel on the same programs, by agreement.csv of results/board-*."""

from __future__ import annotations

from pathlib import Path

from harness.board.agreement import CALLS, FILE, KERNEL, cells
from records import machine
from records.ladder import ROOT
from records.rows import read_rows
from rsalab import markdown
from rsalab.report.story import MISSING

HEAD = ["cell", "plugin", "Unicorn", "the kernel", "more by the kernel, a call"]


def table(root: Path = ROOT) -> str:
    """A table for each board: a row for each cell, instructions of the same calls of mont_mul.
    Raises Failure."""
    made = []
    for folder in sorted(root.glob(f"results/board-*/{FILE}")):
        facts = machine.read_machine(folder.parent)
        found = cells(read_rows(folder))
        rows = [
            [name, *(f"{cell[one]:,}" for one in ("plugin", "unicorn", KERNEL))]
            + [f"{(cell[KERNEL] - cell['plugin']) / CALLS:g}"]
            for name, cell in found.items()
        ]
        said = f"Instructions of {CALLS} calls of mont_mul; results/{folder.parent.name}:"
        said += f" {facts['os']}, kernel {facts['kernel']}, {facts['compiler']}."
        made.append(f"{markdown.table(HEAD, rows, (0,))}\n\n{said}")
    return "\n\n".join(made) or MISSING
