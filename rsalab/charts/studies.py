"""Two studies that are no ladders: long numbers (where Karatsuba's method
pays, which window is best, what the Chinese remainder theorem saves), and our
Montgomery product in OpenSSL.

Each chart raises Failure where its study was not counted.
"""

from collections.abc import Iterator, Sequence

import pandas as pd
from matplotlib.axes import Axes

from records.published import about
from records.results import Results
from records.tables import factor, questions
from rsalab import long_numbers, openssl
from rsalab.charts import picture
from rsalab.charts.picture import GREY, PALE, Chart, asking, brief, facts_of
from rsalab.frames import ask

ASKED = questions(__file__)
# Colours of lines, none of which is a level.
SHADES = ("#0072b2", "#d55e00", "#00795a", "#cc79a7")
QUANTITIES = {
    "counted": "instructions",
    "published": "ms on a Pi Zero W, published",
}
MOST = 1.7  # the ratio up to which the chart of crossovers shows a size
LOOKS = list(zip(SHADES, ("s-", "o-", "^-", "D-")))


def over_bits(
    panels: Sequence[Axes], rows: pd.DataFrame
) -> Iterator[tuple[Axes, str, pd.DataFrame]]:
    """Yield the panels with their headings and their lines over bits, a column
    each, in the order of `rows`."""
    for axes, (heading, part) in zip(panels, rows.groupby("heading")):
        lines = part.pivot(index="bits", columns="line", values="value")
        picture.title(axes, heading)
        yield axes, heading, lines[part["line"].unique()]


def crossover(results: Results) -> Chart:
    """Return instructions with one to four levels of Karatsuba's method over
    those without, by size, where the ratio is small enough for an exact place."""
    counted = ask(results, ASKED["crossover"], lacks=long_numbers.MISSING)
    programs = counted["operation"] + ", " + counted["implementation"]
    rows = counted.assign(
        heading=programs + " -O3: with / without",
        line=counted["levels"].map(_levels_of_karatsuba),
        value=counted["ratio"].where(counted["ratio"] <= MOST),
    )
    bits = results.query(ASKED["pays"])[0]["bits"]
    answer = f"Products, assembly -O3: {f'from {bits} bits' if bits else 'never here'}"
    size = (11, 6)
    drawn = asking(
        "long-crossover", answer, size, facts_of(results), nrows=2, ncols=2, sharey=True
    )
    with drawn as (chart, panels):
        for axes, _, lines in over_bits(panels, rows):
            axes.axhline(1, color=GREY, linewidth=1)
            picture.over_bits(axes, lines, LOOKS, "{:.1f}".format)
    return chart


def _levels_of_karatsuba(levels: int) -> str:
    """Return the name of a line, such as `2 levels`."""
    return "1 level" if levels == 1 else f"{levels} levels"


def windows(results: Results) -> Chart:
    """Return the instructions of a power by window size, counted and by the cost
    model."""
    counted = ask(results, ASKED["windows"], lacks=long_numbers.MISSING)
    named = counted.rename(columns={"modelled": "sliding, model"})
    rows = named.set_index("window")
    powers = {bits: lines.drop(columns="bits") for bits, lines in rows.groupby("bits")}
    most = max(powers)
    answer = f"Of {most} bits, sliding: {powers[most]['sliding'].idxmin()} bits"
    drawn = asking(
        "long-windows", answer, (11, 4), facts_of(results), ncols=len(powers)
    )
    with drawn as (chart, panels):
        for axes, (bits, lines) in zip(panels, powers.items()):
            lines.plot(
                ax=axes, color=[*SHADES[:2], GREY, GREY], style=["s-", "o-", "-", ":"]
            )
            axes.set_xlabel("window in bits")
            picture.title(axes, f"{bits} bits")
            picture.numbers(axes, "y", brief)
        panels[0].set_ylabel("instructions")
    return chart


def remainder(results: Results) -> Chart:
    """Return the instructions of the private operation of 1024 bits, plain and
    by the Chinese remainder theorem."""
    rows = ask(results, ASKED["remainder"], lacks=long_numbers.MISSING)
    names = rows["way"].map(long_numbers.MULTIPLICATIONS)
    operations = rows[["standard", "crt"]].set_index(names).rename_axis(None)
    answer = f"At most {factor((operations['standard'] / operations['crt']).max())}"
    with asking("long-crt", answer, (11, 3.8), facts_of(results)) as (chart, axes):
        operations.plot.barh(
            ax=axes, color=[PALE, SHADES[0]], width=0.72, xlabel="instructions"
        )
        for bars in axes.containers:
            axes.bar_label(bars, map(brief, bars.datavalues), padding=4)
        picture.names(axes, "y", list(operations.index))
        picture.numbers(axes, "x", brief)
        axes.margins(x=0.3)
    return chart


def openssl_operations(results: Results) -> Chart:
    """Return the instructions of each RSA operation of OpenSSL, and beside them
    the times of the source in milliseconds."""
    counted = ask(results, ASKED["operations"], lacks=openssl.MISSING)
    published = counted["origin"] == "published"
    theirs = published & (counted["implementation"] == openssl.OURS)
    rows = counted.assign(
        heading=counted["operation"] + ": " + counted["origin"].map(QUANTITIES),
        line=counted["label"].mask(theirs, "the source's"),
    )
    (signature,) = results.query(ASKED["signature"])
    ratio = factor(signature["ratio"])
    answer = f"Its assembly / ours, a signature of {signature['bits']} bits: {ratio}"
    grey = [(GREY, style) for _, style in LOOKS]
    facts = facts_of(
        results, source=about("openssl-arm-runs.csv", results.root)["source"]
    )
    drawn = asking("openssl-operations", answer, (11, 7.5), facts, nrows=2, ncols=2)
    with drawn as (chart, panels):
        for axes, heading, lines in over_bits(panels, rows):
            axes.set_yscale("log")
            if heading.endswith(QUANTITIES["counted"]):
                picture.over_bits(axes, lines, LOOKS, brief)
            else:
                picture.over_bits(axes, lines, grey, "{:,g}".format)
    return chart
