"""Plugin, Unicorn and an ARM kernel on the same programs, by agreement.csv of results/board-*."""

from __future__ import annotations

from pathlib import Path

from harness.board.agreement import CALLS, FILE, KERNEL, cells
from records import machine
from records.ladder import ROOT
from records.rows import Row, read_rows
from rsalab import markdown
from rsalab.report.story import MISSING


def table(root: Path = ROOT) -> str:
    """A table for each board: instructions of the same calls of mont_mul, a row for each snapshot,
    a column for each level; and what the kernel counts beyond them.  Raises Failure."""
    return "\n\n".join(map(of_board, boards(root))) or MISSING


def largest(root: Path = ROOT) -> str:
    """The table of the board that counted most cells.  Raises Failure."""
    found = boards(root)
    return (
        of_board(max(found, key=lambda board: len(read_rows(board / FILE)))) if found else MISSING
    )


def boards(root: Path) -> list[Path]:
    """The results folders of boards whose kernel has counted."""
    return sorted(path.parent for path in root.glob(f"results/board-*/{FILE}"))


def of_board(folder: Path) -> str:
    """The table of one board.  Raises Failure."""
    facts, rows = machine.read_machine(folder), read_rows(folder / FILE)
    found = cells(rows)
    levels = sorted({row["level"] for row in rows})
    made = [
        [name, *(equal(found.get(f"{name} {level}", {})) for level in levels)]
        for name in dict.fromkeys(row["snapshot"] for row in rows)
    ]
    head = ["", *(f"-{level}" for level in levels)]
    said = f"Instructions of {CALLS} calls of mont_mul; {beyond(rows)}. results/{folder.name}:"
    said += f" {facts['os']}, kernel {facts['kernel']}, {facts['compiler']}."
    return f"{markdown.table(head, made, (0,))}\n\n{said}"


def equal(cell: dict[str, int]) -> str:
    """The number that plugin and Unicorn both give, or both numbers, or none."""
    return " or ".join(dict.fromkeys(f"{cell[name]:,}" for name in ("plugin", "unicorn") if cell))


def beyond(rows: list[Row]) -> str:
    """Whether plugin and Unicorn agree, and what the kernel counts beyond the plugin."""
    found = cells(rows).values()
    agreed = sum(cell["plugin"] == cell["unicorn"] for cell in found)
    shares = sorted({(cell[KERNEL] - cell["plugin"]) / CALLS for cell in found})
    more = " or ".join(f"{share:g}" for share in shares)
    return (
        f"plugin and Unicorn agree in {agreed} of {len(found)} cells,"
        f" and the kernel counts {more} more a call"
    )
