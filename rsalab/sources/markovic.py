"""Markovic et al.: long products and squares, beside study width-1024."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from records.ladder import ROOT
from records.numbers import NONE, factor, whole
from records.published import about, read_csv
from rsalab.charts import marks
from rsalab.charts.picture import GREY, Chart, drawing
from rsalab.frames import Results
from rsalab.sources.own import MEASURED, NOT_MEASURED, Own, comparison

SOURCE, STUDY = "Markovic et al.", "width-1024"
PATTERNS = {"1": "55", "2": "ff", "3": "80"}  # table -> operands, as the study's cases name them
OPERANDS = {"1": "0x55..55", "2": "0xff..ff", "3": "0x80..01"}
OPERATIONS = ("product", "square")
COLUMNS = ("standard", "1", "2", "3", "4")
MISSING = Own(NOT_MEASURED, "instructions")


def file(number: str) -> str:
    """The file of one of the source's tables."""
    return f"markovic-table-{number}.csv"


def own(results: Results, case: str) -> Own:
    """The fewest instructions that any rung of the study takes for a case at any level: an exact
    mean.  Cases are product-1024-55, square-1024-ff and so on."""
    found = [
        (had["instructions"], rung, level)
        for (study, rung, level, of), had in results.means.items()
        if (study, of) == (STUDY, case) and "instructions" in had
    ]
    if not found:
        return MISSING
    least, rung, level = min(found)
    return Own(MEASURED, f"instructions, {rung} -{level}", least)


def product_table(results: Results, number: str, root: Path = ROOT) -> str:
    """Table 1, 2 or 3 with our instructions for the same operation."""
    names = [f"{operation}_{column}" for operation in OPERATIONS for column in COLUMNS]
    rows = []
    for row in read_csv(file(number), root):
        cells = [row["a"], *(whole(int(row[name])) if row[name] else NONE for name in names)]
        cases = [f"{operation}-{row['a']}-{PATTERNS[number]}" for operation in OPERATIONS]
        rows.append((cells, [own(results, case) for case in cases]))
    head = ["bits", *(name.replace("_", " ") for name in names)]
    return comparison(head, rows, (), [f"our {operation}" for operation in OPERATIONS])


def private_table(number: str, root: Path = ROOT) -> str:
    """Table 4 or 5.  Neither their processor nor their operation has a counterpart here."""
    if number == "4":
        names = ("multiplication", "standard", "crt")
        head = ["multiplication", "cycles, standard", "cycles, CRT", "standard/CRT"]
    else:
        names = ("cycle_ns", "standard_ms", "optimized_crt_ms")
        head = ["cycle, ns", "standard, ms", "optimised and CRT, ms", "standard/optimised"]
    rows = []
    for row in read_csv(file(number), root):
        what, slow, fast = (row[name] for name in names)
        ratio = factor(float(slow) / float(fast))
        if number == "4":
            slow, fast = whole(int(slow)), whole(int(fast))
        rows.append(([what, slow, fast, ratio], [MISSING]))
    return comparison(head, rows, (0,) if number == "4" else ())


def words(results: Results, root: Path = ROOT) -> str:
    """What the tables are of, and what is beside them."""
    facts = about(file("1"), root)
    text = (
        f"{facts['section'].partition(',')[0]}, Tables 1 to 5: cycles on a {facts['platform']};"
        " standard, or 1 to 4 levels of Karatsuba. "
    )
    if (results.counts["study"] == STUDY).any():
        return text + (
            f"Ours: instructions, exact, of the best rung of study {STUDY}, {results.platform},"
            f" {results.compiler}. Cycles there and instructions here are two metrics."
        )
    return text + (
        f"Nothing here is near it: these results hold no study {STUDY}, and the Montgomery products"
        " of the other rungs are another operation."
    )


def text(results: Results, root: Path = ROOT) -> str:
    """The five tables."""
    parts = [words(results, root)]
    for number in "12345":
        dense = number in PATTERNS
        table = product_table(results, number, root) if dense else private_table(number, root)
        parts += [f"Table {number}. {about(file(number), root)['title']}.", table]
    return "\n\n".join(parts)


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
            marks.grey_title(axes, f"published: {operation}")
    return made


def draw(axes: Axes, gains: dict[str, dict[int, float]]) -> None:
    """A line for each kind of operand, named at its end."""
    lines = pd.DataFrame(gains).rename(columns=OPERANDS)
    lines.plot(ax=axes, style=["o-", "s-", "^-"], color=GREY, linewidth=1.6, legend=False)
    axes.axhline(1, color="black", linewidth=1)
    axes.set_ylim(0, None)
    marks.bit_axis(axes, lines.index, "bits of each operand")
    marks.numbers(axes, "y", lambda y: f"x{y:.1f}")
    bits = lines.index[-1]
    marks.line_ends(axes, {name: (bits, lines.loc[bits, name], GREY) for name in lines})
