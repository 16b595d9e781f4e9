"""The main line of the ladder: how much each rung gains, and whether shorter code executes less."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from records.ladder import Snapshot
from records.results import Results
from rsalab.charts import marks
from rsalab.charts.marks import times
from rsalab.charts.picture import COLOUR, GREY, MARKER, WIDTH, Chart, drawing, settle
from rsalab.frames import cells, grid, levels, main_line


def speed_up(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Factor against the first rung, by rung, a line for each level, branches off the line; below,
    the gain of each step over its parent, and of the last rung over the best C."""
    line, ratios = main_line(snapshots), grid(table, snapshots, "versus_base")
    first, last = line[0], line[-1]
    best = ", ".join(
        f"{times(row['versus_base'])} at -{level}" for level, row in cells(table, last)
    )
    answer = f"{last} executes fewer instructions than {first}: {best}"
    caption = marks.caption(results, snapshots)
    caption += f" Above: factor against {first} at the same level. Below: factor against the"
    caption += " parent at the same level. Both logarithmic."
    if len(line) < len(snapshots):
        caption += " Dotted, in brackets: a branch that no rung continues."
    question = f"How many times fewer instructions than {first} does each rung execute?"
    steps = _steps(table, snapshots)
    with drawing("speed-up", question, answer, caption, (WIDTH, 7), nrows=2,
                 height_ratios=(3, 2)) as (chart, (above, below)):  # fmt: skip
        marks.grey_title(above, f"instructions of {first} / instructions of the rung")
        above.axhline(1, color=GREY, linewidth=1)
        marks.by_rung(above, ratios, snapshots, times, lambda y: f"x{y:,.0f}")
        marks.grey_title(below, "instructions of the parent / instructions of the rung")
        below.set_visible(not steps.empty)
        _gains(below, steps, [f"{name}\n{over}" for name, over in steps.index])
    return chart


def best_c(table: pd.DataFrame, snapshots: list[Snapshot]) -> pd.Series | None:
    """The row of the ladder table of the rung and level that execute the fewest instructions of
    those in C; None where every rung has assembly."""
    in_c = table[table["rung"].isin([s.name for s in snapshots if not s.has_assembly])]
    return in_c.loc[in_c["instructions"].idxmin()] if len(in_c) else None


def _steps(table: pd.DataFrame, snapshots: list[Snapshot]) -> pd.DataFrame:
    """Gains by level: a row for each step, named by rung and what it is compared with, and one for
    the last rung with assembly beside the best C."""
    gains = grid(table, snapshots, "versus_parent")
    gains.index = pd.MultiIndex.from_tuples(
        [(s.name, f"over {(s.parent or '').rpartition('/')[2]}") for s in snapshots]
    )
    gains = gains.dropna(how="all")
    least, by_hand = best_c(table, snapshots), [s.name for s in snapshots if s.has_assembly]
    if least is not None and by_hand:
        name = by_hand[-1], f"over best C,\n{least['rung']} at -{least['level']}"
        gains.loc[name, :] = (
            least["instructions"] / grid(table, snapshots, "instructions").loc[by_hand[-1]]
        )
    return gains


def _gains(axes: Axes, steps: pd.DataFrame, names: list[str]) -> None:
    """Bars from 1 on, a group for each step and a bar for each level, with numbers above; the last
    group names the levels."""
    width = 0.8 / max(1, len(steps.columns))
    for at, level in enumerate(steps):
        places = [x + (at - (len(steps.columns) - 1) / 2) * width for x in range(len(steps))]
        axes.bar(places, steps[level] - 1, bottom=1, width=0.9 * width, color=COLOUR[level])
        for x, value in zip(places, steps[level]):
            if pd.notna(value):
                name = f"-{level}  " * (x > len(steps) - 1.5)
                axes.text(x, max(1, value) * 1.08, name + times(value), rotation=90, ha="center",
                          va="bottom", fontsize=7.5, color=COLOUR[level])  # fmt: skip
    axes.set_yscale("log")
    if not steps.empty:
        axes.set_ylim(min(0.7, 0.9 * steps.min().min()), 3.2 * steps.max().max())
    axes.axhline(1, color=GREY, linewidth=1)
    marks.numbers(axes, "y", lambda y: f"x{y:g}", few=True)
    axes.set_xticks(range(len(steps)), names, fontsize=8, color="black")
    axes.grid(False, axis="x")
    axes.tick_params(axis="x", length=0)


def correlation(rungs: pd.DataFrame) -> float:
    """Spearman's rank correlation of assembly lines and instructions."""
    return float(rungs[["asm_lines", "instructions"]].corr("spearman").iloc[0, 1])


def reading(rank: dict[str, float], n: int) -> str:
    """The answer that the correlations of n rungs in C give: the same sign at every level, or no
    answer at all."""
    low, high = min(rank.values()), max(rank.values())
    word = "Not clear"
    if high < 0:
        word = "No, the rungs with more lines execute fewer"
    elif low > 0:
        word = "Yes, the rungs with fewer lines execute fewer"
    said = ", ".join(f"{r:+.2f} at -{level}" for level, r in rank.items())
    return f"{word}: rank correlation of lines and instructions {said} (n = {n} rungs in C)"


def size_against_work(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Assembly lines against instructions, a panel for each level, the rungs joined in order."""
    line = main_line(snapshots)
    panels = [(level, table[table["level"] == level]) for level in levels(table)]
    in_c = [snapshot.name for snapshot in snapshots if not snapshot.has_assembly]
    rank = {level: correlation(found[found["rung"].isin(in_c)]) for level, found in panels}
    answer = reading(rank, int(table[table["rung"].isin(in_c)]["rung"].nunique()))
    caption = (
        f"{marks.caption(results, snapshots)} Lines: the compiler's -S output without debugging"
        " information; mont.S before its macros are expanded, and not in the correlation."
    )
    question, shape = "Does shorter assembly execute fewer instructions?", (WIDTH, 4.2)
    with drawing("lines-and-instructions", question, answer, caption, shape, nrows=1,
                 ncols=len(panels), sharey=True, squeeze=False) as (chart, grid_):  # fmt: skip
        for axes, (level, found) in zip(grid_[0], panels):
            known = found.set_index("rung")
            main = known.loc[[rung for rung in line if rung in known.index]]
            axes.plot(main["asm_lines"], main["instructions"], color=COLOUR[level], alpha=0.35)
            for rung, row in known.iterrows():
                fill = COLOUR[level] if rung in line else "white"
                axes.plot(row["asm_lines"], row["instructions"], marker=MARKER[level],
                          color=COLOUR[level], markerfacecolor=fill)  # fmt: skip
            axes.set_yscale("log")
            axes.set_xlim(0, found["asm_lines"].max() * 1.15)
            axes.set_xlabel("lines of assembly")
            marks.level_title(axes, level)
        grid_[0][0].set_ylabel("instructions a round trip")
        settle(chart.figure)
        for axes, (_, found) in zip(grid_[0], panels):
            marks.label_points(axes, found["asm_lines"], found["instructions"], found["rung"])
    return chart
