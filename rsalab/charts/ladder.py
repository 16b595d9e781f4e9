"""The ladder and the studies as a whole: what each rung costs, what each step
and each level gains, what survives optimisation, and what is left to the
compiler beside assembly by hand.

Each chart is of one study, the ladder where none is named, and raises Failure
where nothing of it was counted.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from sqlite3 import Row

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from records.faults import Failure
from records.ladder import LADDER
from records.results import Results, measures
from records.statistics import THRESHOLD, VERDICTS
from records.tables import Column, factor, questions, tabulate, whole
from rsalab.charts import picture
from rsalab.charts.picture import (
    COLOUR,
    GREY,
    PALE,
    WIDTH,
    Chart,
    asking,
    facts_of,
    times,
)
from rsalab.frames import ask, check_name, grid, ladder_table, levels, main_line

DIFFERENCE = f"{100 * THRESHOLD:g} %"
ASKED = questions(__file__)
ALONE = "no step beside its parent; `make all-iterations` has all"
LABEL = 45  # characters that a row of tiles has room for


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
    """The factor against the first rung, as large as a slide shows it.  Raises Failure."""
    table = ladder_table(results)
    rungs = results.rungs()
    ratios = grid(table, rungs, "versus_base")
    line = main_line(rungs)
    if ratios.isna().all(axis=None) or len(line) < 2:
        raise Failure(f"{results.label}: {ALONE}")
    with picture.style():
        figure = Figure(figsize=(WIDTH, 3.5))
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
            bars, words, rotation=90, padding=3, fontsize=7.5, color=COLOUR[level]
        )
    axes.set_yscale("log")
    axes.margins(y=0.45)
    axes.axhline(1, color=GREY, linewidth=1)
    picture.numbers(axes, "y", lambda y: f"x{y:g}", few=True)
    picture.names(axes, "x", list(steps.index), fontsize=8)


def size_against_work(results: Results, study: str = LADDER) -> Chart:
    """Return lines of assembly against instructions of a round trip, a panel for
    each level, the rungs joined in order."""
    table = ladder_table(results, study)
    rungs = results.rungs(study)
    line = main_line(rungs)
    in_c = [s.name for s in rungs if not s.has_assembly]
    c = table[table["snapshot"].isin(in_c)]
    if c["snapshot"].nunique() < 2:
        raise Failure(f"{results.label}: {ALONE}")
    shown = levels(table)
    last = c[c["level"] == shown[-1]].set_index("snapshot")
    short = last["asm_lines"].idxmin()
    few = last["instructions"].idxmin()
    answer = (
        f"-{shown[-1]}, in C: fewest lines {short} ({last.loc[short, 'asm_lines']:.0f}),"
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
            for rung, *place in here.itertuples():
                fill, by = (shade, 26) if rung in line else ("white", -30)
                look = {"color": shade, "markerfacecolor": fill, "zorder": 4}
                axes.plot(*place, picture.LEVEL[level].marker, **look)
                stroke = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6}
                picture.end(axes, rung, place, "black", by, arrowprops=stroke)
            axes.set_yscale("log")
            axes.set_xlim(0, here["asm_lines"].max() * 1.5)
            axes.set_xlabel("lines of assembly")
            picture.title(axes, f"-{level}", shade)
        panels[0].set_ylabel("instructions a round trip")
        picture.numbers(panels[0], "y", picture.brief, few=True)
    return chart


def by_level(results: Results, study: str = LADDER) -> Chart:
    """Return the instructions of every rung at each level, on a logarithmic axis."""
    table = ladder_table(results, study)
    wide = grid(table, results.rungs(study), "instructions")
    low, high = wide.columns[[0, -1]]
    gain = (wide[low] / wide[high]).dropna()
    most = "not measured"
    if len(gain):
        most = f"{times(gain.max())}, {gain.idxmax()}"
    answer = f"-{low} / -{high}, at most: {most}"
    return _dumbbells(
        results, study, "levels", answer, wide, "instructions of a round trip"
    )


def code_size(results: Results, study: str = LADDER) -> Chart:
    """Return the bytes of code of every rung at each level."""
    table = ladder_table(results, study)
    wide = grid(table, results.rungs(study), "code_bytes")
    shown = list(wide.columns)
    high = shown[-1]
    low = shown[-2] if len(shown) > 1 else high
    measured = wide.dropna()
    is_larger = measured[high] >= (1 + THRESHOLD) * measured[low]
    answer = f"-{high} code is larger than -{low} code for {is_larger.sum()} rungs of {len(measured)}"
    return _dumbbells(results, study, "code-size", answer, wide, "bytes of code")


def _dumbbells(results: Results, study: str, name: str, answer: str, wide: pd.DataFrame, what: str
               ) -> Chart:  # fmt: skip
    """Return a row for each rung, a marker for each level, numbers at the two
    ends; bytes from 0 on, instructions on a logarithmic axis."""
    rows = range(len(wide))
    least = wide.min(axis=1)
    most = wide.max(axis=1)
    size = (11, 1.7 + 0.38 * len(wide))
    facts = facts_of(results, study, difference=DIFFERENCE)
    with asking(name, answer, size, facts) as (chart, axes):
        axes.set_xscale("log" if name == "levels" else "linear")
        axes.hlines(rows, least, most, color=PALE, zorder=1)
        for level in wide:
            mark = picture.LEVEL[level].marker
            axes.plot(wide[level], rows, mark, color=COLOUR[level], label=f"-{level}")
        for y, low, high in zip(rows, least, most):
            picture.label(axes, picture.brief(low), (low, y), (-8, 0), ha="right")
            picture.label(axes, picture.brief(high), (high, y), (8, 0))
        axes.margins(x=0.1)
        axes.legend(
            loc="lower right",
            bbox_to_anchor=(1, 1),
            ncols=len(wide.columns),
            frameon=False,
        )
        picture.rungs_down(axes, results.rungs(study))
        picture.numbers(axes, "x", picture.brief, few=True)
        picture.title(axes, what)
        if name != "levels":
            axes.set_xlim(0)
    return chart


def gains(results: Results, study: str = LADDER, shown: Sequence[str] = ()) -> Chart:
    """Return how many times fewer instructions each level executes than the
    level below it, by rung; of all levels, unless some are `shown`."""
    wide = grid(ladder_table(results, study), results.rungs(study), "instructions")
    for level in shown:
        check_name("level", level, wide)
    if shown:
        wide = wide[[level for level in wide if level in shown]]
        if len(wide.columns) < 2:
            raise Failure(f"-{shown[0]} beside itself: name two levels")
    if len(wide.columns) < 2:
        raise Failure(
            f"{results.label}: one level only; `make all-iterations` measures all"
        )
    columns = {}
    for low, high in zip(wide.columns, wide.columns[1:]):
        columns[f"-{low} / -{high}"] = wide[low] / wide[high]
    ratios = pd.DataFrame(columns)
    by_size = ratios.stack().sort_values()
    rung, pair = by_size.index[0]
    answer = f"Least: {times(by_size.iloc[0])}, {rung} {pair}"
    size = (11, 1.8 + 0.36 * len(wide))
    facts = facts_of(results, study)
    drawn = asking(
        "gains", answer, size, facts, ncols=len(columns), sharex=True, sharey=True
    )
    with drawn as (chart, panels):
        for axes, name, high in zip(panels, ratios, wide.columns[1:]):
            words = ratios[name].map(times)
            picture.bars(axes, list(wide.index), ratios[name], words, COLOUR[high], 1)
            axes.axvline(1, color=GREY, linewidth=1)
            axes.set_xscale("log", base=2)
            picture.numbers(axes, "x", lambda x: f"x{x:g}", few=True)
            picture.title(axes, name, COLOUR[high])
            picture.rungs_down(axes, results.rungs(study))
    return chart


def lost(results: Results, study: str = LADDER) -> str:
    """Return what the level below the highest has over what the highest has, by
    rung, in instructions, accesses and bytes (Markdown)."""
    shown = levels(ladder_table(results, study))
    low, high = [shown[0], *shown][-2:]
    heads = {
        "instructions": "instructions",
        "loads and stores": "accesses",
        "bytes of code": "code_bytes",
    }

    def ratio(name: str, row: Row) -> str:
        return factor(row[name])

    columns: dict[str, Column] = {"rung": "snapshot"}
    for head, name in heads.items():
        columns[f"{head}, -{low} / -{high}"] = partial(ratio, name)
    rows = results.rows(__file__, "lost", study=study, low=low, high=high)
    return tabulate(rows, columns).markdown


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
        picture.names(axes, "y", list(labels.unique()), fontsize=8.5)
        picture.names(axes, "x", [f"-{level}" for level in shown], weight="bold")
        axes.tick_params(axis="x", labeltop=True, labelbottom=False)
        for text, level in zip(axes.get_xticklabels(), shown):
            text.set_color(COLOUR[level])
        axes.spines[:].set_visible(False)
    return chart


def of_studies(results: Results) -> Iterator[str | Chart]:
    """Yield what stands beside the ladder, study by study: Markdown and charts in
    reading order.  Every study has its verdicts; one that is a ladder of
    its own has its instructions by level too."""
    if not results.studies():
        yield "Nothing of the studies is measured here; `make studies` measures them."
    for study in results.studies():
        rungs = results.rungs(study)
        yield f"### studies/{study}"
        if {rung.parent for rung in rungs} & {rung.name for rung in rungs}:
            yield by_level(results, study)
        if any(row["verdict"] for row in results.ladder(study)):
            yield survival(results, study)


def left_to_the_compiler(results: Results, study: str = LADDER) -> Chart:
    """Return the instructions in assembly and in C, by level, of the last rung
    that has assembly.  Raises Failure where none was counted by line."""
    lacks = f"no assembly of {study} by line; {measures(study)} it"
    by_hand = [rung.name for rung in results.rungs(study) if rung.has_assembly]
    if not by_hand:
        raise Failure(f"{results.label}: {lacks}")
    rung = by_hand[-1]
    lines = ask(results, ASKED["by_file"], study, rung, lacks=lacks)
    in_c = lines["c"]
    last = in_c.iloc[-1]
    answer = "There is no C around it"
    if last:
        answer = f"The C around it gains {times(in_c.iloc[0] / last)}"
    panel = lines.rename(columns={"assembly": "mont.S", "c": "C"})
    panel.index = pd.Index("-" + lines["level"])
    return picture.stacked(
        "by-hand", answer, (11, 2.9), facts_of(results, study),
        f"{rung}: instructions of a round trip", whole, {"mont.S": PALE, "C": COLOUR["O1"]},
        {"": panel},
    )  # fmt: skip
