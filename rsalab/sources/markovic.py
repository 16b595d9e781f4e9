"""Markovic et al.: from how many bits on Karatsuba pays; long_numbers.py has their tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from records.ladder import ROOT
from records.published import about, read_csv
from rsalab.charts import picture
from rsalab.charts.picture import GREY, Chart, drawing

SOURCE = "Markovic et al."
PATTERNS = ("1", "2", "3")  # tables of dense operands, and of one that is almost all zeros
OPERANDS = {"1": "0x55..55", "2": "0xff..ff", "3": "0x80..01"}
OPERATIONS = ("product", "square")
COLUMNS = ("standard", "1", "2", "3", "4")


def file(number: str) -> str:
    """The file of one of the source's tables."""
    return f"markovic-table-{number}.csv"


def text(root: Path = ROOT) -> str:
    """What the five tables are of, and where ours stand."""
    facts, rows = about(file("1"), root), read_csv(file("5"), root)
    found = [
        {f"{float(row[column]) / float(row['cycle_ns']):.1f}" for row in rows}
        for column in ("standard_ms", "optimized_crt_ms")
    ]
    slow, fast = (" or ".join(sorted(cycles)) for cycles in found)
    return (
        f"{facts['section'].partition(',')[0]}, Tables 1 to 5: cycles on a {facts['platform']};"
        " standard, or 1 to 4 levels of Karatsuba.  Notebook 06 has Tables 1 to 4 beside our exact"
        " counts of the same operations: cycles there and instructions here are two metrics."
        f"  Table 5 is two numbers at {len(rows)} clocks: {slow} million cycles for the standard"
        f" private operation, {fast} million for the optimised one by CRT.  They are not those of"
        " Table 4."
    )


def gain(row: dict[str, str], operation: str) -> float:
    """Cycles of the standard procedure over those of the best number of levels."""
    levels = [int(row[f"{operation}_{c}"]) for c in COLUMNS[1:] if row[f"{operation}_{c}"]]
    return int(row[f"{operation}_standard"]) / min(levels)


def chart(root: Path = ROOT) -> Chart:
    """What the best number of Karatsuba's levels gains, by bits, for their three operands."""
    gains = {
        (operation, number): {
            int(row["a"]): gain(row, operation) for row in read_csv(file(number), root)
        }
        for operation in OPERATIONS
        for number in PATTERNS
    }
    pays = [
        next(b for b, g in gains[of, "1"].items() if g > 1 and gains[of, "2"][b] > 1)
        for of in OPERATIONS
    ]
    zeros = max(g for operation in OPERATIONS for g in gains[operation, "3"].values())
    answer = (
        f"With dense operands from {pays[0]} bits for products and {pays[1]} for"
        f" squares; with operands almost all zeros, {'never' if zeros < 1 else 'sometimes'}"
    )
    caption = (
        f"{SOURCE}, Tables 1 to 3, as published: {about(file('1'), root)['platform']},"
        " cycles. Standard procedure over the fastest of 1 to 4 levels of Karatsuba; above x1"
        " Karatsuba is faster. Nothing of ours is in this picture."
    )
    with drawing(
        "beside-markovic", "From how many bits on does Karatsuba pay, and for which operands?",
        answer, caption, (11, 4.6), nrows=1, ncols=2, sharey=True,
    ) as (made, panels):  # fmt: skip
        for axes, operation in zip(panels, OPERATIONS):
            draw(axes, {n: gains[operation, n] for n in PATTERNS})
            picture.title(axes, f"published: {operation}")
    return made


def draw(axes: Axes, gains: dict[str, dict[int, float]]) -> None:
    """A line for each kind of operand, named at its end."""
    lines = pd.DataFrame(gains).rename(columns=OPERANDS)
    lines.plot(ax=axes, style=["o-", "s-", "^-"], color=GREY, linewidth=1.6, legend=False)
    axes.axhline(1, color="black", linewidth=1)
    axes.set_ylim(0, None)
    picture.bit_axis(axes, lines.index, "bits of each operand")
    picture.numbers(axes, "y", lambda y: f"x{y:.1f}")
    bits = lines.index[-1]
    picture.line_ends(axes, {name: (bits, lines.loc[bits, name], GREY) for name in lines})
