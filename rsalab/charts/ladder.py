"""The ladder and the studies as a whole: what each rung costs, what each step
and each level gains, what survives optimisation, and what is left to the
compiler beside assembly by hand.

Each chart is of one study, the ladder where none is named, and raises Failure
where nothing of it was counted.
"""

from sqlite3 import Row

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from records.faults import Failure
from records.ladder import LADDER
from records.results import Results
from records.statistics import THRESHOLD, VERDICTS
from records.tables import questions
from rsalab.charts import picture
from rsalab.charts.picture import (
    COLOUR,
    GREY,
    WIDTH,
    Chart,
    asking,
    facts_of,
    times,
)
from rsalab.charts.theme import POINTS
from rsalab.frames import ask, grid, ladder_table, levels, main_line

DIFFERENCE = f"{100 * THRESHOLD:g} %"
ASKED = questions(__file__)
ALONE = "no step beside its parent; `make all-iterations` has all"
LABEL = 45  # characters that a row of tiles has room for
SLIDE = (7.8, 3.1)  # inches of a chart that a slide shows


def speed_up(results: Results, study: str = LADDER) -> Chart:
    """Return the factor against the first rung, by rung, a line for each level,
    branches off the line; below, the gain of each step over its parent, and
    of the last rung over the best C."""
    table = ladder_table(results, study)
    rungs = results.rungs(study)
    ratios = grid(table, rungs, "versus_base")
    line = main_line(rungs)
    first = line[0]
    last = line[-1]
    if ratios.isna().all(axis=None) or first == last:
        raise Failure(f"{results.label}: {ALONE}")
    answer = f"{last}: {picture.at_levels(ratios.loc[last], times)}"
    facts = facts_of(results, study, first=first)
    drawn = asking("speed-up", answer, (WIDTH, 7), facts, nrows=2, height_ratios=(3, 2))
    with drawn as (chart, (above, below)):
        picture.title(above, f"instructions of {first} / instructions of the rung")
        above.axhline(1, color=GREY, linewidth=1)
        picture.by_rung(above, ratios, rungs, times, lambda y: f"x{y:,.0f}")
        picture.title(below, "instructions of the parent / instructions of the rung")
        _step_bars(below, ask(results, ASKED["steps"], study))
    return chart


def _step_name(step: Row) -> str:
    """Return what stands below the bars of a step, a line for each thought."""
    rung = step["snapshot"]
    parent = step["parent"]
    level = step["best_level"]
    if level:
        return f"{rung}\nover best C,\n{parent} at -{level}"
    return f"{rung}\nover {parent}"


def on_slide(results: Results) -> Chart:
    """Draw the factor against the first rung, as large as a slide shows it.  Raises Failure."""
    table = ladder_table(results)
    rungs = results.rungs()
    ratios = grid(table, rungs, "versus_base")
    line = main_line(rungs)
    if ratios.isna().all(axis=None) or len(line) < 2:
        raise Failure(f"{results.label}: {ALONE}")
    with picture.style():
        figure = Figure(figsize=SLIDE)
        axes = figure.subplots()
        picture.by_rung(axes, ratios, rungs, times, lambda y: f"x{y:,.0f}")
        picture.title(axes, f"instructions of {line[0]} / instructions of the rung")
        picture.settle(figure)
        picture.spread(figure)
    answer = picture.at_levels(ratios.loc[line[-1]], times)
    return Chart("slide", f"{line[-1]} against {line[0]}:", answer, "", figure)


def _step_bars(axes: Axes, gains: pd.DataFrame) -> None:
    """Draw bars from 1 on, a group for each step and a bar for each level, with
    numbers above; the last group names the levels."""
    axes.set_visible(not gains.empty)
    names = [_step_name(step) for step in gains.to_dict("records")]
    by_step = gains.assign(step=names).pivot(
        index=["place", "step"], columns="level", values="gain"
    )
    steps = by_step.droplevel("place")
    for at, level in enumerate(steps):
        heights = steps[level].fillna(1) - 1
        width = 0.8 / len(steps.columns)
        places = [x + (at + 0.5) * width - 0.4 for x in range(len(steps))]
        bars = axes.bar(
            places,
            heights,
            0.9 * width,
            1,
            color=COLOUR[level],
            edgecolor="white",
            hatch=picture.LEVEL[level].hatch,
            linewidth=0,
        )
        words = ["" if pd.isna(gain) else times(gain) for gain in steps[level]]
        words[-1] = f"-{level}  {words[-1]}"
        axes.bar_label(
            bars,
            words,
            rotation=90,
            padding=3,
            fontsize=POINTS["labels"],
            color=COLOUR[level],
        )
    axes.set_yscale("log")
    axes.margins(y=0.45)
    axes.axhline(1, color=GREY, linewidth=1)
    picture.numbers(axes, "y", lambda y: f"x{y:g}", few=True)
    picture.names(axes, "x", list(steps.index), fontsize=POINTS["texts"])


def size_against_work(results: Results, study: str = LADDER) -> Chart:
    """Return lines of assembly against instructions of a round trip, a panel for
    each level, the rungs joined in order."""
    table = ladder_table(results, study)
    table = table.dropna(subset=["asm_lines", "instructions"])
    rungs = results.rungs(study)
    line = main_line(rungs)
    in_c = [s.name for s in rungs if not s.has_assembly]
    c = table[table["snapshot"].isin(in_c)]
    if c["snapshot"].nunique() < 2:
        raise Failure(f"{results.label}: {ALONE}")
    shown = levels(table)
    highest = levels(c)[-1]
    last = c[c["level"] == highest].set_index("snapshot")
    short = last["asm_lines"].idxmin()
    few = last["instructions"].idxmin()
    answer = (
        f"-{highest}, in C: fewest lines {short} ({last.loc[short, 'asm_lines']:.0f}),"
        f" fewest instructions {few} ({last.loc[few, 'asm_lines']:.0f} lines)"
    )
    size = (WIDTH, 4.2)
    facts = facts_of(results, study)
    drawn = asking(
        "lines-and-instructions", answer, size, facts, ncols=len(shown), sharey=True
    )
    with drawn as (chart, panels):
        for axes, (level, rows) in zip(panels, table.groupby("level")):
            here = rows.set_index("snapshot")[["asm_lines", "instructions"]]
            shade = COLOUR[level]
            joined = here.reindex(line).dropna()
            axes.plot(
                joined["asm_lines"], joined["instructions"], color=shade, alpha=0.35
            )
            for rung, *point in here.itertuples():
                fill, by = (shade, 26) if rung in line else ("white", -30)
                look = {"color": shade, "markerfacecolor": fill, "zorder": 4}
                axes.plot(*point, picture.LEVEL[level].marker, **look)
                stroke = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6}
                picture.end(axes, rung, point, "black", by, arrowprops=stroke)
            axes.set_yscale("log")
            axes.set_xlim(0, here["asm_lines"].max() * 1.5)
            axes.set_xlabel("lines of assembly")
            picture.title(axes, f"-{level}", shade)
        panels[0].set_ylabel("instructions a round trip")
        picture.numbers(panels[0], "y", picture.brief, few=True)
    return chart


def survival(results: Results, study: str = LADDER) -> Chart:
    """Return the verdict of each step at each level, as tiles with its factor."""
    rows = ask(results, ASKED["survival"], study, lacks=ALONE)
    names = list(rows["snapshot"].unique())
    shown = levels(rows)
    always = (rows["verdict"] == VERDICTS[0]).groupby(rows["snapshot"]).all().sum()
    answer = f"{always} of {len(names)} help at every level"
    size = (WIDTH, 1.6 + 0.33 * len(names))
    facts = facts_of(results, study, difference=DIFFERENCE)
    with asking("survival", answer, size, facts) as (chart, axes):
        for row in rows.itertuples():
            x = shown.index(row.level)
            y = names.index(row.snapshot)
            worse = row.verdict == VERDICTS[-1]
            axes.barh(y, 0.98, 0.9, left=x - 0.49, color=COLOUR[row.verdict])
            axes.text(x, y, f"{row.verdict} {times(row.versus_parent)}", ha="center",
                      va="center_baseline", weight="bold" if worse else "normal")  # fmt: skip
        labels = picture.step_names(rows)
        if labels.str.len().max() > LABEL:
            labels = rows["snapshot"] + ", from " + rows["parent"]
        picture.names(axes, "y", list(labels.unique()), fontsize=POINTS["names"])
        picture.names(axes, "x", [f"-{level}" for level in shown], weight="bold")
        axes.tick_params(axis="x", labeltop=True, labelbottom=False)
        for text, level in zip(axes.get_xticklabels(), shown):
            text.set_color(COLOUR[level])
        axes.spines[:].set_visible(False)
    return chart
