"""The ladder and the studies as a whole: what each rung costs, what each step
and each level gains, what survives optimisation, and what is left to the
compiler beside assembly by hand.

Each chart is of one study, the ladder where none is named, and raises Failure
where nothing of it was counted.
"""

from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox

from records.faults import Failure
from records.ladder import LADDER, LEVELS, Snapshot
from records.results import Results
from records.statistics import THRESHOLD, VERDICTS
from records.tables import factor, whole
from rsalab import markdown
from rsalab.charts import picture
from rsalab.charts.picture import (
    COLOUR,
    GREY,
    HATCH,
    MARKER,
    PALE,
    SPREAD,
    WIDTH,
    Chart,
    drawing,
    times,
)
from rsalab.frames import cells, grid, ladder_table, levels, main_line

HELPS, SAME, HURTS = VERDICTS
TINT = {HELPS: "#bfe1f6", SAME: "#eeeeee", HURTS: "#f7d79a"}  # sky blue, grey, orange: pale
DIFFERENCE = f"{100 * THRESHOLD:g} %"
ALONE = "no step beside its parent; `make all-iterations` has all"
LABEL = 45  # characters that a row of tiles has room for


def speed_up(results: Results, study: str = LADDER) -> Chart:
    """Factor against the first rung, by rung, a line for each level,
    branches off the line; below, the gain of each step over its parent, and
    of the last rung over the best C."""
    table, rungs = ladder_table(results, study), results.rungs(study)
    ratios, line = grid(table, rungs, "versus_base"), main_line(rungs)
    first, last = line[0], line[-1]
    if ratios.isna().all(axis=None) or first == last:
        raise Failure(f"{results.label}: {ALONE}")
    note = (
        f"{picture.caption(results, study)} Factors at the same level, logarithmic. Dotted, in"
        " brackets: a branch that no rung continues."
    )
    with drawing(
        picture.named("speed-up", study),
        f"How many times fewer instructions than {first} does each rung execute?",
        f"{last}: {picture.at_levels(ratios.loc[last], times)}", note, (WIDTH, 7), nrows=2,
        height_ratios=(3, 2),
    ) as (chart, (above, below)):  # fmt: skip
        picture.title(above, f"instructions of {first} / instructions of the rung")
        above.axhline(1, color=GREY, linewidth=1)
        picture.by_rung(above, ratios, rungs, times, lambda y: f"x{y:,.0f}")
        picture.title(below, "instructions of the parent / instructions of the rung")
        _step_bars(below, _steps(results, table))
    return chart


def _steps(results: Results, table: pd.DataFrame) -> pd.DataFrame:
    """Gains by level: a row for each step, and one for the last rung with
    assembly beside the best C."""
    rungs = results.rungs(table["study"].iloc[0])
    gains = grid(table, rungs, "versus_parent")
    gains.index = pd.Index([f"{s.name}\nover {(s.parent or '').rpartition('/')[2]}" for s in rungs])
    gains = gains.dropna(how="all")
    by_hand = [s.name for s in rungs if s.has_assembly]
    in_c = table[~table["rung"].isin(by_hand)]
    if by_hand and len(in_c):
        best = in_c.loc[in_c["instructions"].idxmin()]
        counts = grid(table, rungs, "instructions").loc[by_hand[-1]]
        name = f"{by_hand[-1]}\nover best C,\n{best['rung']} at -{best['level']}"
        gains.loc[name] = best["instructions"] / counts
    return gains


def _step_bars(axes: Axes, steps: pd.DataFrame) -> None:
    """Bars from 1 on, a group for each step and a bar for each level, with
    numbers above; the last group names the levels."""
    axes.set_visible(not steps.empty)
    for at, level in enumerate(steps):
        width = 0.8 / len(steps.columns)
        places = [x + at * width - 0.4 + width / 2 for x in range(len(steps))]
        axes.bar(places, steps[level] - 1, 0.9 * width, bottom=1, color=COLOUR[level],
                 hatch=HATCH[level], edgecolor="white", linewidth=0)  # fmt: skip
        for x, value in zip(places, steps[level]):
            name = f"-{level}  " * (x > len(steps) - 1.5)
            text = "" if pd.isna(value) else name + times(value)
            axes.text(x, max(1, value) * 1.1, text, rotation=90, ha="center", va="bottom",
                      fontsize=7.5, color=COLOUR[level])  # fmt: skip
    axes.set_yscale("log")
    if not steps.empty:
        axes.set_ylim(min(0.7, 0.9 * steps.min().min()), 3.5 * steps.max().max())
    axes.axhline(1, color=GREY, linewidth=1)
    picture.numbers(axes, "y", lambda y: f"x{y:g}", few=True)
    picture.names(axes, "x", list(steps.index), fontsize=8)


def size_against_work(results: Results, study: str = LADDER) -> Chart:
    """Assembly lines against instructions, a panel for each level, the rungs joined in order."""
    table, rungs = ladder_table(results, study), results.rungs(study)
    line, in_c = main_line(rungs), [s.name for s in rungs if not s.has_assembly]
    c = table[table["rung"].isin(in_c)]
    if c["rung"].nunique() < 2:
        raise Failure(f"{results.label}: {ALONE}")
    level = levels(table)[-1]
    last = c[c["level"] == level].set_index("rung")
    short, few = last["asm_lines"].idxmin(), last["instructions"].idxmin()
    note = (
        f"{picture.caption(results, study)} Lines: the compiler's -S output without debugging"
        " information; mont.S before its macros are expanded."
    )
    with drawing(
        picture.named("lines-and-instructions", study),
        "Does shorter assembly execute fewer instructions?",
        f"-{level}, in C: fewest lines {short} ({last.loc[short, 'asm_lines']:.0f}),"
        f" fewest instructions {few} ({last.loc[few, 'asm_lines']:.0f} lines)",
        note, (WIDTH, 4.2), ncols=len(levels(table)), sharey=True,
    ) as (chart, panels):  # fmt: skip
        for axes, level in zip(panels, levels(table)):
            here = table[table["level"] == level].set_index("rung")
            main = here.loc[[rung for rung in line if rung in here.index]]
            axes.plot(main["asm_lines"], main["instructions"], color=COLOUR[level], alpha=0.35)
            for rung, row in here.iterrows():
                place = row["asm_lines"], row["instructions"]
                fill = COLOUR[level] if rung in line else "white"
                axes.plot(*place, marker=MARKER[level], color=COLOUR[level], markerfacecolor=fill)
            axes.set_yscale("log")
            axes.set_xlim(0, here["asm_lines"].max() * 1.2)
            axes.set_xlabel("lines of assembly")
            picture.title(axes, f"-{level}", COLOUR[level])
        panels[0].set_ylabel("instructions a round trip")
        picture.settle(chart.figure)
        for axes, level in zip(panels, levels(table)):
            _name_points(axes, table[table["level"] == level])
    return chart


def _name_points(axes: Axes, table: pd.DataFrame) -> None:
    """The name of each rung at the nearest place beside its point where it
    covers no point, line or name and no other point is as near; one that
    has to stand off has a line to its point."""
    places = table.set_index("rung")[["asm_lines", "instructions"]]
    points, scale = axes.transData.transform(places), axes.figure.dpi / 72
    drawn = [axes.transData.transform(line.get_xydata()) for line in axes.lines]
    taken = [Bbox([(1 - t) * a + t * b - 4, (1 - t) * a + t * b + 4])
             for way in drawn for a, b in zip(way, [*way[1:], way[-1]])
             for t in np.linspace(0, 1, 40)]  # fmt: skip
    turns = np.radians([0, 180, 30, 150, -30, -150, 60, 120, -60, -120, 90, -90])
    ways = [r * np.array([np.cos(t), np.sin(t)]) for r in (14, 20, 26, 32, 40) for t in turns]
    for point, (name, row) in zip(points, places.iterrows()):
        cost = {}
        for at, way in enumerate(ways):
            centre = point + way * scale
            box = Bbox([centre - (11, 7), centre + (11, 7)])
            far = np.hypot(*(points - centre).T) < 1.2 * scale * np.hypot(*way)
            cost[box.count_overlaps(taken), far.sum() > 1, at] = box
        *_, best = min(cost)
        taken.append(cost[min(cost)])
        look = {"arrowstyle": "-", "color": GREY, "lw": 0.6, "shrinkA": 0, "shrinkB": 3}
        picture.label(axes, str(name), tuple(row), tuple(ways[best]), ha="center", fontsize=8.5,
                      arrowprops=look if np.hypot(*ways[best]) > 15 else None)  # fmt: skip


def by_level(results: Results, study: str = LADDER) -> Chart:
    """Instructions of every rung at each level, on a logarithmic axis."""
    wide = grid(ladder_table(results, study), results.rungs(study), "instructions")
    low, high = wide.columns[[0, -1]]
    gain = (wide[low] / wide[high]).dropna().sort_values()
    with drawing(
        picture.named("levels", study),
        "How many instructions does each rung execute at -O0, -O1 and -O3?",
        "".join(f"-{low} / -{high}, at most: {times(n)}, {s}" for s, n in gain.tail(1).items()),
        f"{picture.caption(results, study)} Instructions, logarithmic.",
        (11, 1.7 + 0.38 * len(wide)),
    ) as (chart, axes):  # fmt: skip
        axes.set_xscale("log")
        axes.margins(x=0.1)
        _dumbbells(axes, wide, results.rungs(study), "instructions of a round trip")
    return chart


def code_size(results: Results, study: str = LADDER) -> Chart:
    """Bytes of code of every rung at each level."""
    wide = grid(ladder_table(results, study), results.rungs(study), "code_bytes")
    low, high = wide.columns[[-2 % len(wide.columns), -1]]
    known = wide.dropna()
    more = int((known[high] >= (1 + THRESHOLD) * known[low]).sum())
    with drawing(
        picture.named("code-size", study), "Is faster code larger code?",
        f"-{high} code is larger than -{low} code for {more} rungs of {len(known)}",
        f"{results.platform}, {results.compiler}; {study}; bytes of the code section, constants"
        f" between functions included. Larger: by {DIFFERENCE} or more.",
        (11, 1.7 + 0.38 * len(wide)),
    ) as (chart, axes):  # fmt: skip
        _dumbbells(axes, wide, results.rungs(study), "bytes of code")
        axes.set_xlim(0, wide.max().max() * 1.1)
    return chart


def _dumbbells(axes: Axes, wide: pd.DataFrame, rungs: list[Snapshot], what: str) -> None:
    """A row for each rung, a marker for each level, numbers at the two
    ends; the first row names the levels."""
    for y, (_, row) in enumerate(wide.iterrows()):
        known = row.dropna().sort_values(kind="stable")
        axes.plot(known, [y] * len(known), color=GREY, linewidth=1, alpha=0.5, zorder=1)
        for level in row.dropna().index:
            size = 6 if level == wide.columns[-1] else 8  # two that coincide are both seen
            axes.plot(row[level], y, marker=MARKER[level], color=COLOUR[level], markersize=size,
                      markeredgecolor="white", markeredgewidth=0.6)  # fmt: skip
            if y == 0:
                picture.label(axes, f"-{level}", (row[level], 0), (0, 7), ha="center", gid=SPREAD,
                              va="baseline", color=COLOUR[level], fontweight="bold")  # fmt: skip
        for value in known.iloc[:-1].head(1):
            picture.label(axes, picture.brief(value), (value, y), (-8, 0), ha="right", fontsize=8.5)
        for value in known.tail(1):
            picture.label(axes, picture.brief(value), (value, y), (8, 0), fontsize=8.5)
    picture.rungs_down(axes, rungs)
    picture.numbers(axes, "x", picture.brief, few=True)
    picture.title(axes, what)


def gains(results: Results, study: str = LADDER, shown: Collection[str] = LEVELS) -> Chart:
    """How many times fewer instructions each level executes than the level below it, by rung."""
    wide = grid(ladder_table(results, study), results.rungs(study), "instructions")
    wide = wide[[level for level in wide if level in shown]]
    if len(wide.columns) < 2:
        raise Failure(f"{results.label}: one level only; `make all-iterations` measures all")
    pairs = zip(wide.columns, wide.columns[1:])
    ratios = pd.DataFrame({f"-{low} / -{high}": wide[low] / wide[high] for low, high in pairs})
    (rung, pair), least = next(iter(ratios.stack().sort_values().items()))
    note = (
        f"{picture.caption(results, study)} Instructions at one level over instructions at the"
        " next, logarithmic; bars begin at 1. Below 1 the higher level loses."
    )
    with drawing(
        picture.named("gains", study),
        "What does -O1 buy over -O0, and -O3 over -O1? Does a higher level ever lose?",
        f"Least: {times(least)}, {rung} {pair}", note, (11, 1.8 + 0.36 * len(wide)),
        ncols=len(ratios.columns), sharex=True, sharey=True,
    ) as (chart, panels):  # fmt: skip
        for axes, name, high in zip(panels, ratios, wide.columns[1:]):
            ends = ratios[name].fillna(1)
            bars = axes.barh(range(len(ends)), ends - 1, 0.6, left=1, color=COLOUR[high])
            axes.bar_label(bars, ["" if pd.isna(n) else times(n) for n in ratios[name]], padding=4)
            axes.axvline(1, color=GREY, linewidth=1)
            axes.set_xscale("log", base=2)
            axes.margins(x=0.22)
            picture.numbers(axes, "x", lambda x: f"x{x:g}", few=True)
            picture.title(axes, name, COLOUR[high])
            picture.rungs_down(axes, results.rungs(study))
    return chart


def lost(results: Results, study: str = LADDER) -> str:
    """The level below the highest over the highest, by rung, in more than one metric (Markdown)."""
    table = ladder_table(results, study)
    table["loads and stores"] = table["loads"] + table["stores"]
    table["bytes of code"] = table["code_bytes"]
    *_, low, high = [*levels(table)[-1:], *levels(table)[-2:]]
    ratios = {}
    for metric in ("instructions", "loads and stores", "bytes of code"):
        wide = grid(table, results.rungs(study), metric)
        ratios[f"{metric}, -{low} / -{high}"] = wide[low] / wide[high]
    rows = [[str(rung), *map(factor, row)] for rung, row in pd.DataFrame(ratios).iterrows()]
    return markdown.table(["rung", *ratios], rows)


def survival(results: Results, study: str = LADDER) -> Chart:
    """The verdict of each step at each level, as tiles with its factor."""
    table = ladder_table(results, study)
    judged, shown = table[table["verdict"] != ""], levels(table)
    steps = [rung for rung in results.rungs(study) if (judged["rung"] == rung.name).any()]
    if not steps:
        raise Failure(f"{results.label}: {ALONE}")
    always = (judged["verdict"] == HELPS).groupby(judged["rung"]).all().sum()
    note = (
        f"{picture.caption(results, study)} Instructions of the parent over instructions of the"
        f" step at the same level; helps and hurts: at least {DIFFERENCE} fewer or more."
    )
    with drawing(
        picture.named("survival", study),
        "Which steps survive optimisation, and whose gain is gone with it?",
        f"{always} of {len(steps)} help at every level", note,
        (WIDTH, 1.6 + 0.33 * len(steps)),
    ) as (chart, axes):  # fmt: skip
        for y, rung in enumerate(steps):
            for level, row in cells(judged, rung.name):
                x, word, ratio = shown.index(level), row["verdict"], times(row["versus_parent"])
                axes.add_patch(Rectangle((x + 0.01, y - 0.45), 0.98, 0.9, color=TINT[word], lw=0))
                axes.text(x + 0.5, y, f"{word} {ratio}", va="center_baseline", ha="center",
                          fontweight="bold" if word == HURTS else "normal")  # fmt: skip
        parents = [(rung.parent or "").rpartition("/")[2] for rung in steps]
        labels = [f"{s.idea}   {p} to {s.name}" for s, p in zip(steps, parents)]
        if max(map(len, labels)) > LABEL:
            labels = [f"{s.name}, from {p}" for s, p in zip(steps, parents)]
        picture.names(axes, "y", labels, fontsize=8.5)
        picture.names(axes, "x", [])
        axes.set_xlim(0, len(shown))
        axes.set_ylim(len(steps) - 0.5, -0.95)
        for x, level in enumerate(shown):
            axes.text(x + 0.5, -0.6, f"-{level}", ha="center", color=COLOUR[level], weight="bold")
        axes.spines[:].set_visible(False)
    return chart


def of_studies(results: Results) -> Iterator[str | Chart]:
    """What stands beside the ladder, study by study: Markdown and charts in
    reading order.  Every study has its verdicts; one that is a ladder of
    its own has its instructions by level too."""
    if not results.studies():
        yield "Nothing of the studies is measured here; `make studies` measures them."
    for study in results.studies():
        names = {rung.name for rung in results.rungs(study)}
        yield f"### studies/{study}"
        if any(rung.parent in names for rung in results.rungs(study)):
            yield by_level(results, study)
        if any(row["verdict"] for row in results.ladder(study)):
            yield survival(results, study)


def left_to_the_compiler(results: Results, study: str = LADDER) -> Chart:
    """Instructions in mont.S and in C, by level, of the last rung that has
    assembly.  Raises Failure where none was counted by line."""
    by_hand = [rung.name for rung in results.rungs(study) if rung.has_assembly][-1:]
    here = pd.read_sql(
        "select level, sum(instructions) filter (where file = 'mont.S') as assembly,"
        " sum(instructions) filter (where file <> 'mont.S') as c"
        " from trip_lines where (study, snapshot) = (?, ?) group by level",
        results.db, params=[study, *(by_hand or [""])],
    )  # fmt: skip
    if here.empty:
        raise Failure(f"{results.label}: no assembly by line; `make all-iterations` counts it")
    with drawing(
        picture.named("by-hand", study), "Is hand-made assembly the same at every level?",
        f"The C around it gains {times(here['c'].iloc[0] / here['c'].iloc[-1])}",
        f"{picture.caption(results, study)} By file.", (11, 2.9),
    ) as (chart, axes):  # fmt: skip
        axes.barh(here.index, here["assembly"], 0.66, color=PALE)
        colours = [COLOUR[level] for level in here["level"]]
        bars = axes.barh(here.index, here["c"], 0.66, left=here["assembly"], color=colours)
        words = [f"{whole(r.assembly)} in mont.S, {whole(r.c)} in C" for r in here.itertuples()]
        axes.bar_label(bars, words, padding=4)
        picture.names(axes, "y", [f"-{level}" for level in here["level"]])
        axes.margins(x=0.4)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        picture.numbers(axes, "x", whole)
        picture.title(axes, f"{by_hand[0]}: instructions of a round trip")
    return chart
