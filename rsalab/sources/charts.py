"""A picture for each source: its published numbers beside ours."""

import textwrap
from collections.abc import Sequence
from math import nan
from pathlib import Path

import pandas as pd

from records import ladder
from records.ladder import LEVELS, ROOT
from records.published import about, read_csv
from records.results import Results
from records.tables import factor, percent, whole
from rsalab import models
from rsalab import openssl as counted
from rsalab.charts import picture
from rsalab.charts.picture import COLOUR, GREY, WIDTH, Chart, drawing
from rsalab.sources import tables
from rsalab.sources.tables import BISHOP, BITS_64, BITS_96, DIRK, LEE, MARKOVIC, NOT_MEASURED
from rsalab.sources.tables import OPENSSL as OPENSSL_SOURCE


def of_bishop(results: Results, root: Path = ROOT, level: str = "O0") -> Chart:
    """Figure 9, in ms, beside our instructions for the mapped rungs."""
    theirs = tables.iterations(root)
    rungs = [row["ours"] if row["counterpart"] == "rung" else "" for row in theirs]
    means = [results.means(ladder.LADDER, rung, level).get("instructions") for rung in rungs]
    counts = [mean and mean / 1e6 for mean in means]
    first, last = counts[0], counts[-1]
    here = f"{factor(first / last)} in instructions here" if first and last else "not measured here"
    answer = f"First row to last: {factor(theirs[-1]['factor'])} in time there, {here}"
    caption = (
        f"Left: {BISHOP}, Table 1 and Figure 9, as published: Raspberry Pi 3 B+, gcc"
        f" 8.3.0 without -O, clock(), 2000 strings. Right: {picture.caption(results)} -{level}"
        f"{', their level' * (level == 'O0')}. Time and instructions are different things:"
        " compare the steps, not the bars."
    )
    with drawing(
        "beside-bishop-austin-2021",
        "Do Bishop and Austin's steps and ours fall in the same places?",
        answer, caption, (WIDTH, 5.8), nrows=1, ncols=2, sharey=True,
    ) as (made, panels):  # fmt: skip
        ideas = [row["description"].rstrip(".").replace(" ,", ",") for row in theirs]
        names = [textwrap.fill(f"{n}  {idea}", 30) for n, idea in enumerate(ideas)]
        words = [f"{count:.2f}  {rung}" if count else row["counterpart"]
                 for count, rung, row in zip(counts, rungs, theirs)]  # fmt: skip
        times = [row["ms"] for row in theirs]
        picture.paired_bars(
            panels, names,
            ("published: time, ms", times, [f"{ms:.2f}" for ms in times], GREY),
            ("here: instructions, millions", counts, words, COLOUR[level]),
        )  # fmt: skip
    return made


def of_dirk(results: Results, root: Path = ROOT) -> Chart:
    """Instructions of his five programs and of ours, with the factor against the first."""
    theirs = list(tables.perf_table(root)["instructions"].values())
    cells = list(models.PROGRAMS.values())
    ours = [results.means(BITS_64, *cell).get("instructions") for cell in cells]

    def words(values: Sequence[float | None]) -> list[str]:
        first = values[0]
        return [f"{whole(value)}  {factor(first / value if first else None)}" if value else
                NOT_MEASURED for value in values]  # fmt: skip

    answer = f"Assembly against plain C at -O0: {factor(theirs[0] / theirs[2])} in instructions"
    here = f"{factor(ours[0] / ours[2])} here" if ours[0] and ours[2] else f"ours {NOT_MEASURED}"
    caption = (
        f"Grey: {DIRK}, published totals of perf over {tables.TRIPS}. Coloured by level: study"
        f" {BITS_64}, {results.platform}, {results.compiler}, exact mean of a round trip. Factor"
        " against the first row of the same panel."
    )
    with drawing(
        "beside-dirk-2019",
        "Do Dirk's five programs and ours fall in the same places?",
        f"{answer} there, {here}", caption, (11, 3.2), nrows=1, ncols=2, sharey=True,
    ) as (made, panels):  # fmt: skip
        names = [f"{name}  ({rung} -{at})" for name, (rung, at) in models.PROGRAMS.items()]
        colours = [COLOUR[level] for _, level in cells]
        there = ("published: instructions a round trip", theirs, words(theirs), GREY)
        mine = ("here: instructions a round trip", ours, words(ours), colours)
        picture.paired_bars(panels, names, there, mine)
    return made


def of_lee(results: Results, root: Path = ROOT) -> Chart:
    """Factor against v0 by version and level: his times in one panel, our counts in the other."""
    names, his = tables.versions(results, root), tables.ticks(root)
    counts = [[float(his[name][at]) if name in his else nan for at in LEVELS] for name in names]
    means = [[tables.of_lee(results, name, at).value for at in LEVELS] for name in names]
    wide = [pd.DataFrame(rows, names, list(LEVELS), dtype=float) for rows in (counts, means)]
    there, here = (numbers.loc["v0"] / numbers for numbers in wide)
    answer = f"NEON addition, v2 to v2neon: {span(there)} in time there, "
    known = here.loc[["v2", "v2neon"]].notna().all(axis=None)
    answer += f"{span(here)} in instructions here" if known else f"ours {NOT_MEASURED}"
    caption = (
        f"Above: {LEE}, Table 1, as published: ticks of clock() in an emulator. Below: study"
        f" {BITS_96}, {results.platform}, {results.compiler}, instructions of a round trip, exact"
        " mean. Factor against v0 of the same panel and level, logarithmic. Time under emulation"
        " and instructions are two things: compare the directions of the steps."
        " Dotted, in brackets: a branch that no version continues."
    )
    steps = ladder.snapshots(BITS_96)
    with drawing(
        "beside-lee-2021", "Do Lee's steps help at the same levels here?", answer,
        caption, (11, 8), nrows=2, ncols=1, sharex=True, sharey=True,
    ) as (made, panels):  # fmt: skip
        picture.title(panels[0], "published: ticks of v0 / ticks")
        panels[1].set_title("here: instructions of v0 / instructions", color="black")
        for axes in panels:
            axes.axhline(1, color=GREY, linewidth=1)
        for axes, numbers in zip(panels, (there, here)):
            picture.by_rung(axes, numbers, steps, factor, lambda y: f"x{y:g}")
        if here.isna().all(axis=None):
            picture.label(panels[1], NOT_MEASURED, (0, 1), (4, 12), color=GREY, style="italic")
    return made


def span(factors: pd.DataFrame) -> str:
    """What v2neon is against v2, from the worst level to the best: `x0.29 to x0.88`."""
    ratio = factors.loc["v2neon"] / factors.loc["v2"]
    return " to ".join(dict.fromkeys(factor(end) for end in (ratio.min(), ratio.max())))


# --- Markovic et al. ------------------------------------------------------------------------------

OPERANDS = {1: "0x55..55", 2: "0xff..ff", 3: "0x80..01"}  # of Tables 1 to 3
OPERATIONS = ("product", "square")


def with_karatsuba(operation: str, root: Path = ROOT) -> pd.DataFrame:
    """Cycles with the best number of Karatsuba's levels over those without,
    by bits; a column for each kind of operand."""
    ratios: dict[str, dict[int, float]] = {}
    for number, operands in OPERANDS.items():
        ratios[operands] = {}
        for row in read_csv(tables.KARATSUBA.format(number), root):
            levels = [row[f"{operation}_{n}"] for n in range(1, 5)]
            best = min(int(cycles) for cycles in levels if cycles)
            ratios[operands][int(row["a"])] = best / int(row[f"{operation}_standard"])
    return pd.DataFrame(ratios)


def of_markovic(root: Path = ROOT) -> Chart:
    """What the best number of Karatsuba's levels takes, by bits, for their three operands."""
    ratios = {operation: with_karatsuba(operation, root) for operation in OPERATIONS}
    *dense, zeros = OPERANDS.values()
    pays = [wide.index[(wide[dense] < 1).all(axis=1)][0] for wide in ratios.values()]
    never = all(wide[zeros].min() > 1 for wide in ratios.values())
    answer = (
        f"With dense operands from {pays[0]} bits for products and {pays[1]} for"
        f" squares; with operands almost all zeros, {'never' if never else 'sometimes'}"
    )
    caption = (
        f"{MARKOVIC}, Tables 1 to 3, as published:"
        f" {about(tables.KARATSUBA.format(1), root)['platform']}, cycles. The fastest of 1 to 4"
        " levels of Karatsuba over the standard procedure: with the method / without it, as in"
        " notebook 06; below x1 the method pays. Nothing of ours is in this picture."
    )
    with drawing(
        "beside-markovic", "From how many bits on does Karatsuba pay, and for which operands?",
        answer, caption, (11, 4.6), nrows=1, ncols=2, sharey=True,
    ) as (made, panels):  # fmt: skip
        for axes, (operation, wide) in zip(panels, ratios.items()):
            wide.plot(ax=axes, style=["o-", "s-", "^-"], color=GREY, linewidth=1.6, legend=False)
            axes.axhline(1, color="black", linewidth=1)
            axes.set_yscale("log", base=2)
            axes.set_yticks([0.5, 1, 2, 4, 8])
            picture.bit_axis(axes, wide.index, "bits of each operand")
            picture.numbers(axes, "y", lambda y: f"x{y:g}", few=True)
            picture.line_ends(axes, ends(wide))
            picture.title(axes, f"published: {operation}, with / without")
    return made


# --- OpenSSL --------------------------------------------------------------------------------------

MODEL = "#cc79a7"  # modelled points: a colour that no level has
CODES = {counted.THEIRS: "assembly", counted.C: "C"}  # counted here, and timed by the source
LINES, DOTS = ["-", "--"] * 2, ["o", "s"] * 2  # by code, for each operation


def of_openssl(root: Path = ROOT) -> Chart:
    """Their times by bits, and how far the model is from them.  Raises Failure."""
    theirs, ours = openssl_times(root)
    ratio = ours / theirs
    errors = {name: ratio.xs(name, axis=1, level=1).stack() - 1 for name in CODES.values()}
    spans = [
        f"{name}: {percent(some.min(), some.max())}" for name, some in errors.items() if len(some)
    ]
    answer = f"The model's error by code, {'; '.join(spans)}" if spans else counted.MISSING
    facts = about(counted.PUBLISHED, root)
    caption = (
        f"Grey: {OPENSSL_SOURCE}, {facts['section']}, as published: {facts['platform']}, time of an"
        " RSA operation, OpenSSL's own assembly and C. Violet: ARM1176 model at 1 GHz of our counts"
        " of the same operations. Modelled time / published time, baseline 1."
    )
    with drawing(
        "beside-openssl", "How far does the ARM1176 model reproduce OpenSSL's times?",
        answer, caption, (11, 4.8), nrows=1, ncols=2,
    ) as (made, (left, right)):  # fmt: skip
        theirs.plot(ax=left, style=LINES, color=GREY, linewidth=1.5, legend=False, logy=True)
        ours.plot(ax=left, style=DOTS, color=MODEL, markersize=5, legend=False)
        picture.title(left, "time of an operation, ms: published (lines), modelled (dots)")
        look = [dot + line for dot, line in zip(DOTS, LINES)]
        ratio.plot(ax=right, style=look, color=MODEL, legend=False)
        right.axhline(1, color="black", linewidth=1)
        right.set_ylim(0, 1.2)
        picture.title(right, "modelled time / published time")
        for axes, lines, form in ((left, theirs, "{:,g}"), (right, ratio, "x{:.1f}")):
            picture.numbers(axes, "y", form.format)
            picture.bit_axis(axes, lines.index, "bits of n")
            picture.line_ends(axes, ends(lines), fontsize=8)
    return made


def openssl_times(root: Path = ROOT) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Milliseconds of OpenSSL's own code, published and modelled: a row for
    each length, a column for each operation and kind of code; not a number
    where it was not counted.  Raises Failure."""
    measured, counts = counted.published(root), counted.committed(root)
    theirs, ours = {}, {}
    for what in counted.OPERATIONS:
        for name, code in CODES.items():
            source = counted.COLUMNS[name][3]
            here = {bits: counts.get((name, what, bits)) for bits in counted.SIZES}
            theirs[what, code] = {bits: 1000 * measured[source, bits, what] for bits in here}
            ours[what, code] = {bits: 1000 * one.seconds if one else nan
                                for bits, one in here.items()}  # fmt: skip
    return pd.DataFrame(theirs), pd.DataFrame(ours)


def ends(lines: pd.DataFrame) -> dict[str, tuple[float, float, str]]:
    """The place of each line's name: right of all lines, at the height where it ends."""
    return {name if isinstance(name, str) else ", ".join(name): (lines.index[-1],
            line.dropna().iloc[-1], GREY)
            for name, line in lines.dropna(axis=1, how="all").items()}  # fmt: skip
