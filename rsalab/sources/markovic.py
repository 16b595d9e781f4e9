"""The fourth source, Markovic et al.: long products and squares, beside study width-1024."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from records.ladder import ROOT
from rsalab.charts.picture import GREY, Chart, frame, settle, style
from rsalab.frames import Results
from rsalab.published import about, read_csv
from rsalab.report import markdown
from rsalab.sources.status import MEASURED, NONE, NOT_MEASURED, Own, said
from rsalab.steps.table import factor, whole

SOURCE, STUDY = "Markovic et al.", "width-1024"
PATTERNS = {"1": "55", "2": "ff", "3": "80"}  # table -> operands, as the study's cases name them
OPERATIONS = ("product", "square")
COLUMNS = ("standard", "1", "2", "3", "4")


def products(number: str, root: Path = ROOT) -> list[dict[str, str]]:
    """The rows of Table 1, 2 or 3."""
    return read_csv(f"markovic-table-{number}.csv", root)


def own(results: Results, case: str) -> Own:
    """The fewest instructions that any rung of the study takes for a case at any level: an exact
    mean.  Cases are product-1024-55, square-1024-ff and so on."""
    counts = results.counts
    rows = counts[(counts["study"] == STUDY) & (counts["case"] == case)]
    rows = rows[(rows["symbol"] == "total") & (rows["metric"] == "instructions")]
    if rows.empty:
        return Own(NOT_MEASURED, "instructions")
    means = rows["value"] / rows["n"]
    best = rows.loc[means.astype(float).idxmin()]
    return Own(MEASURED, f"instructions, {best['snapshot']} -{best['level']}", float(means.min()))


def product_table(results: Results, number: str, root: Path = ROOT) -> str:
    """Table 1, 2 or 3 with our instructions for the same operation."""
    rows = []
    for row in products(number, root):
        cells, owns = [row["a"]], []
        for operation in OPERATIONS:
            names = [f"{operation}_{column}" for column in COLUMNS]
            cells += [whole(int(row[name])) if row[name] else NONE for name in names]
            owns.append(own(results, f"{operation}-{row['a']}-{PATTERNS[number]}"))
        rows.append([*cells, *(o.text for o in owns), said(owns)])
    head = ["bits", *(f"{o} {c}" for o in OPERATIONS for c in COLUMNS)]
    head += [f"our {operation}" for operation in OPERATIONS]
    return markdown.table([*head, "status of ours"], rows, (len(head),))


def private_tables(root: Path = ROOT) -> list[str]:
    """Tables 4 and 5.  Their processor has no counterpart here, nor has their operation yet."""
    four = [
        [row["multiplication"], whole(int(row["standard"])), whole(int(row["crt"])),
         factor(int(row["standard"]) / int(row["crt"])), NONE, NOT_MEASURED]
        for row in read_csv("markovic-table-4.csv", root)
    ]  # fmt: skip
    five = [
        [row["cycle_ns"], row["standard_ms"], row["optimized_crt_ms"],
         factor(float(row["standard_ms"]) / float(row["optimized_crt_ms"])), NONE, NOT_MEASURED]
        for row in read_csv("markovic-table-5.csv", root)
    ]  # fmt: skip
    last = ["ours", "status of ours"]
    head = ["multiplication", "cycles, standard", "cycles, CRT", "standard/CRT", *last]
    told = ["cycle, ns", "standard, ms", "optimised and CRT, ms", "standard/optimised", *last]
    return [markdown.table(head, four, (0, 5)), markdown.table(told, five, (5,))]


def words(results: Results, root: Path = ROOT) -> str:
    """What the tables are of, and what is beside them."""
    facts = about("markovic-table-1.csv", root)
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


def text(results: Results, root: Path = ROOT, short: bool = True) -> str:
    """The tables; `short` leaves out all but the first and the fourth."""
    first, fourth = product_table(results, "1", root), private_tables(root)[0]
    titles = {n: about(f"markovic-table-{n}.csv", root)["title"] for n in "12345"}
    parts = [words(results, root), f"Table 1. {titles['1']}.", first]
    if not short:
        for number in "23":
            parts += [f"Table {number}. {titles[number]}.", product_table(results, number, root)]
    parts += [f"Table 4. {titles['4']}.", fourth]
    if not short:
        parts += [f"Table 5. {titles['5']}.", private_tables(root)[1]]
    return "\n\n".join(parts)


def gain(row: dict[str, str], operation: str) -> float:
    """Cycles of the standard procedure over those of the best number of levels."""
    levels = [int(row[f"{operation}_{c}"]) for c in COLUMNS[1:] if row[f"{operation}_{c}"]]
    return int(row[f"{operation}_standard"]) / min(levels)


def chart(root: Path = ROOT) -> Chart:
    """What the best number of Karatsuba's levels gains, by bits, for their three operands."""
    gains = {
        (operation, number): [gain(row, operation) for row in products(number, root)]
        for operation in OPERATIONS
        for number in PATTERNS
    }
    bits = [int(row["a"]) for row in products("1", root)]
    pays = {
        operation: next(b for b, *g in zip(bits, *(gains[operation, n] for n in "12"))
                        if min(g) > 1)
        for operation in OPERATIONS
    }  # fmt: skip
    zeros = [g for operation in OPERATIONS for g in gains[operation, "3"]]
    answer = (
        f"With dense operands from {pays['product']} bits for products and {pays['square']} for"
        f" squares; with operands almost all zeros, {'never' if max(zeros) < 1 else 'sometimes'}"
    )
    caption = (
        f"{SOURCE}, Tables 1 to 3, as published: {about('markovic-table-1.csv', root)['platform']},"
        " cycles. Standard procedure over the fastest of 1 to 4 levels of Karatsuba; above x1"
        " Karatsuba is faster. Nothing of ours is in this picture."
    )
    with style():
        figure, panels = frame(answer, caption, (11, 4.6), nrows=1, ncols=2, sharey=True)
        for axes, operation in zip(panels, OPERATIONS):
            draw(axes, bits, {n: gains[operation, n] for n in PATTERNS})
            axes.set_title(f"published: {operation}", color=GREY)
        settle(figure)
    question = "From how many bits on does Karatsuba pay, and for which operands?"
    return Chart("beside-markovic", question, answer, caption, figure)


def draw(axes: Axes, bits: list[int], gains: dict[str, list[float]]) -> None:
    """A line for each kind of operand, named at its end."""
    names = {"1": "0x55..55", "2": "0xff..ff", "3": "0x80..01"}
    for (number, line), marker, offset in zip(gains.items(), "os^", (7, -7, 0)):
        axes.plot(bits, line, color=GREY, marker=marker, linewidth=1.6)
        axes.annotate(names[number], (bits[-1], line[-1]), (8, offset),
                      textcoords="offset points", va="center", color=GREY)  # fmt: skip
    axes.axhline(1, color="black", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_xticks(bits)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0f}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"x{y:.1f}"))
    axes.set_xlim(bits[0] * 0.85, bits[-1] * 2.3)
    axes.set_ylim(0, None)
    axes.set_xlabel("bits of each operand")
