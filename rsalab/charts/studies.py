"""Two studies that are no ladders: long numbers (where Karatsuba's method
pays, which window is best, what the Chinese remainder theorem saves), and our
Montgomery product in OpenSSL.

Each chart raises Failure where its study was not counted.
"""

from records.published import about
from records.results import Results
from records.tables import factor
from records.workload import RANDOM
from rsalab import long_numbers, openssl
from rsalab.charts import picture
from rsalab.charts.picture import GREY, PALE, Chart, asking, brief, facts_of
from rsalab.frames import ask

SHADES = "#0072b2", "#d55e00", "#00795a", "#cc79a7"  # of lines, none of which is a level
LOOKS = list(zip(SHADES, ("s-", "o-", "^-", "D-")))
LONGEST = 1.7  # the axis ends here: a ratio above it needs no exact place


def crossover(results: Results) -> Chart:
    """Instructions with one to four levels of Karatsuba's method over those without, by size."""
    rows = ask(
        results,
        "select implementation, operation, bits, way, instructions from long"
        " where (level, operands) = ('O3', ?) and way like 'levels-%'",
        RANDOM,
        lacks=long_numbers.MISSING,
    )
    wide = rows.pivot_table("instructions", ["implementation", "operation", "bits"], "way")
    ratios = wide.iloc[:, 1:].div(wide["levels-0"], axis=0)
    ratios.columns = ["1 level", "2 levels", "3 levels", "4 levels"]
    of_best = "(implementation, level, operation) = ('assembly', 'O3', 'product')"
    pays = [f"from {bits} bits" for (bits,) in
            results.query(f"select bits from crossovers where {of_best}")]  # fmt: skip
    answer = f"Products, assembly -O3: {pays[0] if pays else 'never here'}"
    facts = facts_of(results, longest=LONGEST)
    drawn = asking("long-crossover", answer, (11, 6), facts, nrows=2, ncols=2, sharey=True)
    with drawn as (chart, panels):
        groups = ratios.where(ratios <= LONGEST).groupby(level=["implementation", "operation"])
        for axes, ((program, operation), lines) in zip(panels, groups):
            picture.title(axes, f"{operation}, {program} -O3: with / without")
            axes.axhline(1, color=GREY, linewidth=1)
            picture.over_bits(axes, lines.droplevel([0, 1]), LOOKS, "{:.1f}".format)
    return chart


def windows(results: Results) -> Chart:
    """Instructions of a power by window size, counted and by the cost model."""
    asked = "select * from windows where (implementation, level) = ('assembly', 'O3')"
    rows = ask(results, asked, lacks=long_numbers.MISSING)
    wide = rows.pivot_table("instructions", ["bits", "window"], "method")
    wide["binary"] = wide["binary"].groupby("bits").transform("max")
    wide = wide[["sliding", "fixed", "binary", "sliding, model"]].rename_axis(columns=None)
    powers = {bits: lines.droplevel("bits") for bits, lines in wide.groupby("bits")}
    most = max(powers)
    answer = f"Of {most} bits, sliding: {powers[most]['sliding'].idxmin()} bits"
    drawn = asking("long-windows", answer, (11, 4), facts_of(results), ncols=len(powers))
    with drawn as (chart, panels):
        for axes, (bits, lines) in zip(panels, powers.items()):
            lines.plot(ax=axes, color=[*SHADES[:2], GREY, GREY], style=["s-", "o-", "-", ":"])
            axes.set_xlabel("window in bits")
            picture.title(axes, f"{bits} bits")
            picture.numbers(axes, "y", brief)
        panels[0].set_ylabel("instructions")
    return chart


def remainder(results: Results) -> Chart:
    """The private operation of 1024 bits, plain and by the Chinese remainder theorem."""
    asked = "select name, standard, crt from privates where program = 'assembly -O3' order by place"
    needs = ask(results, asked, lacks=long_numbers.MISSING).set_index("name")
    answer = f"At most {factor((needs['standard'] / needs['crt']).max())}"
    with asking("long-crt", answer, (11, 3.8), facts_of(results)) as (chart, axes):
        needs.plot.barh(ax=axes, color=[PALE, SHADES[0]], width=0.72, xlabel="instructions")
        for bars in axes.containers:
            axes.bar_label(bars, map(brief, bars.datavalues), padding=4)
        picture.names(axes, "y", list(needs.index))
        picture.numbers(axes, "x", brief)
        axes.margins(x=0.3)
    return chart


def openssl_operations(results: Results) -> Chart:
    """Instructions of each RSA operation of OpenSSL, and beside them the times of the source."""
    rows = ask(
        results,
        "select operation, bits, label, instructions, ms from rsa"
        " join builds using (implementation)"
        " left join published_rsa using (implementation, operation, bits) where whose = 'here'",
        lacks=openssl.MISSING,
    )
    here, there = (rows.pivot(index="bits", columns=["operation", "label"], values=what)
                   for what in ("instructions", "ms"))  # fmt: skip
    size = 2048 if 2048 in here.index else here.index[-1]
    ours, theirs = here["sign"].loc[size, ["ours", "assembly"]]
    answer = f"Its assembly / ours, a signature of {size} bits: {factor(theirs / ours)}"
    facts = facts_of(results, source=about("openssl-arm-runs.csv", results.root)["source"])
    drawn = asking("openssl-operations", answer, (11, 7.5), facts, nrows=2, ncols=2)
    with drawn as (chart, panels):
        for axes in panels:
            axes.set_yscale("log")
        for left, right, what in zip(panels[::2], panels[1::2], ("sign", "verify")):
            counted = here[what][["ours", "assembly", "NEON", "C"]]
            timed = there[what][["ours", "assembly", "C"]].rename(columns={"ours": "the source's"})
            picture.over_bits(left, counted, LOOKS, brief)
            grey = [(GREY, style) for _, style in LOOKS[:3]]
            picture.over_bits(right, timed, grey, "{:,g}".format)
            picture.title(left, f"{what}: instructions")
            picture.title(right, f"{what}: ms on a Pi Zero W, published")
    return chart
