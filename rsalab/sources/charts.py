"""A picture for each source: its published numbers beside ours."""

import textwrap

import pandas as pd

from records.ladder import LEVELS, snapshots
from records.published import about
from records.results import Results
from records.tables import NONE, factor, percent, questions, whole
from rsalab import openssl as counted
from rsalab.charts import picture
from rsalab.charts.picture import COLOUR, GREY, WIDTH, Chart, asking, facts_of
from rsalab.frames import ask, check_name
from rsalab.sources.tables import NOT_MEASURED


def asked(results: Results, name: str, *values: object) -> pd.DataFrame:
    """Return the rows of a question of charts.sql."""
    return ask(results, questions(__file__)[name], *values)


def of_bishop(results: Results, level: str = "O0") -> Chart:
    """Return Figure 9, in ms, beside our instructions for the mapped rungs.
    Raises Failure where there is no such level."""
    check_name("level", level, LEVELS)
    rows = asked(results, "bishop", level).astype({"here": float})
    first = rows["here"].iloc[0]
    last = rows["here"].iloc[-1]
    here = "not measured here"
    if pd.notna(first / last):
        here = f"{factor(first / last)} in instructions here"
    there_gain = factor(rows["factor"].iloc[-1])
    answer = f"First row to last: {there_gain} in time there, {here}"
    size = (WIDTH, 5.8)
    facts = facts_of(results, level=level)
    drawn = asking(
        "beside-bishop-austin-2021", answer, size, facts, ncols=2, sharey=True
    )
    with drawn as (made, (there, mine)):
        descriptions = rows["description"].str.rstrip(".").str.replace(" ,", ",")
        names = [
            textwrap.fill(name, 30) for name in rows["iteration"] + "  " + descriptions
        ]
        words = []
        for row in rows.itertuples():
            text = row.counterpart
            if pd.notna(row.here):
                text = f"{row.here:.2f}  {row.ours}"
            words.append(text)
        picture.title(there, "published: time, ms")
        picture.bars(there, names, rows["ms"], rows["ms"].map("{:.2f}".format), GREY)
        picture.title(mine, "here: instructions, millions")
        picture.bars(mine, names, rows["here"], words, COLOUR[level])
    return made


def of_dirk(results: Results) -> Chart:
    """Return the instructions of a round trip of his five programs and of ours,
    with the factor against the first."""
    rows = asked(results, "dirk").astype({"here": float})
    factors = {side: rows[side].iloc[0] / rows[side] for side in ("there", "here")}
    here, there = (factor(factors[side].iloc[2]) for side in ("here", "there"))
    ours = f"ours {NOT_MEASURED}" if here == NONE else f"{here} here"
    names = rows["program"] + "  (" + rows["snapshot"] + " -" + rows["level"] + ")"
    answer = f"Assembly against plain C at -O0: {there} in instructions there, {ours}"
    drawn = asking(
        "beside-dirk-2019", answer, (11, 3.2), facts_of(results), ncols=2, sharey=True
    )
    with drawn as (made, panels):
        looks = {
            "there": ("published", GREY),
            "here": ("here", rows["level"].map(COLOUR)),
        }
        for axes, (side, (where, look)) in zip(panels, looks.items()):
            words = []
            for count, ratio in zip(rows[side], factors[side]):
                text = NOT_MEASURED
                if pd.notna(count):
                    text = f"{whole(count)}  {factor(ratio)}"
                words.append(text)
            picture.bars(axes, list(names), rows[side], words, look)
            picture.title(axes, f"{where}: instructions a round trip")
    return made


def of_lee(results: Results) -> Chart:
    """Return the factor against v0 by version and level: his times in one panel, our counts in the other."""
    rows = ask(results, "select * from lee").astype(
        {"ticks": float, "instructions": float}
    )
    wide = rows.pivot(index="snapshot", columns="level").reindex(
        rows["snapshot"].unique()
    )
    there, here = (
        wide[what].loc["v0"] / wide[what] for what in ("ticks", "instructions")
    )
    ours = f"ours {NOT_MEASURED}"
    if here.loc[["v2", "v2neon"]].notna().all(axis=None):
        ours = f"{span(here)} in instructions here"
    answer = f"NEON addition, v2 to v2neon: {span(there)} in time there, {ours}"
    drawn = asking(
        "beside-lee-2021",
        answer,
        (11, 8),
        facts_of(results),
        nrows=2,
        sharex=True,
        sharey=True,
    )
    with drawn as (made, panels):
        picture.title(panels[0], "published: ticks of v0 / ticks")
        picture.title(panels[1], "here: instructions of v0 / instructions")
        for axes, numbers in zip(panels, (there, here)):
            axes.axhline(1, color=GREY, linewidth=1)
            picture.by_rung(
                axes, numbers, snapshots("width-96"), factor, lambda y: f"x{y:g}"
            )
        if here.isna().all(axis=None):
            picture.label(
                panels[1], NOT_MEASURED, (0, 1), (4, 12), color=GREY, style="italic"
            )
    return made


def span(factors: pd.DataFrame) -> str:
    """Return what v2neon gains over v2, from the worst level to the best: `x0.29 to x0.88`."""
    ratio = factors.loc["v2neon"] / factors.loc["v2"]
    return " to ".join(dict.fromkeys(factor(end) for end in (ratio.min(), ratio.max())))


# --- Markovic et al. ------------------------------------------------------------------------------


def of_markovic(results: Results) -> Chart:
    """Return what the best number of Karatsuba's levels takes over none, by bits,
    for their three operands."""
    rows = asked(results, "markovic")
    *dense, zeros = rows["operands"].unique()
    every = rows.pivot(index="bits", columns=["operation", "operands"], values="ratio")
    ratios = {what: every[what][[*dense, zeros]] for what in ("product", "square")}
    pays = [wide.index[(wide[dense] < 1).all(axis=1)][0] for wide in ratios.values()]
    never = all(wide[zeros].min() > 1 for wide in ratios.values())
    answer = (
        f"With dense operands from {pays[0]} bits for products and {pays[1]} for squares; with"
        f" operands almost all zeros, {'never' if never else 'sometimes'}"
    )
    facts = about("markovic-table-1.csv", results.root)
    drawn = asking("beside-markovic", answer, (11, 4.6), facts, ncols=2, sharey=True)
    with drawn as (made, panels):
        for axes, (operation, wide) in zip(panels, ratios.items()):
            axes.axhline(1, color="black", linewidth=1)
            axes.set_yscale("log", base=2)
            axes.set_yticks([0.5, 1, 2, 4, 8])
            looks = [(GREY, style) for style in ("o-", "s-", "^-")]
            picture.over_bits(axes, wide, looks, lambda y: f"x{y:g}")
            picture.title(axes, f"published: {operation}, with / without")
    return made


# --- OpenSSL --------------------------------------------------------------------------------------

MODEL = "#cc79a7"  # modelled points: a colour that no level has


def of_openssl(results: Results) -> Chart:
    """Return their times in milliseconds by bits, and how far the model is from them."""
    theirs, ours = openssl_times(results)
    errors = "select code, low, high from errors"
    spans = []
    for row in results.query(errors):
        spans.append(f"{row['code']}: {percent(row['low'], row['high'])}")
    answer = (
        f"The model's error by code, {'; '.join(spans)}" if spans else counted.MISSING
    )
    facts = about("openssl-arm-runs.csv", results.root)
    with asking("beside-openssl", answer, (11, 4.8), facts, ncols=2) as (
        made,
        (left, right),
    ):
        left.set_yscale("log")
        right.axhline(1, color="black", linewidth=1)
        ours.plot(
            ax=left, style=["o", "s"] * 2, color=MODEL, markersize=5, legend=False
        )
        picture.over_bits(left, theirs, [(GREY, "-"), (GREY, "--")] * 2, "{:,g}".format)
        ratio = ours / theirs
        picture.over_bits(
            right, ratio, [(MODEL, "o-"), (MODEL, "s--")] * 2, "x{:.1f}".format
        )
        right.set_ylim(0, 1.2)
        picture.title(
            left, "time of an operation, ms: published (lines), modelled (dots)"
        )
        picture.title(right, "modelled time / published time")
    return made


def openssl_times(results: Results) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return milliseconds of OpenSSL's own code, published and modelled: a row for
    each length, a column for each operation and kind of code; not a number
    where it was not counted."""
    rows = asked(results, "openssl").astype({"modelled": float})
    lines = rows["operation"] + ", " + rows["code"]
    wide = rows.assign(line=lines).pivot(
        index="bits", columns="line", values=["ms", "modelled"]
    )
    return wide["ms"], wide["modelled"]
