"""The main line of the ladder: how much each rung gains, and whether shorter code executes less."""

from __future__ import annotations

import pandas as pd

from records.ladder import Snapshot
from rsalab.charts import marks
from rsalab.charts.marks import times
from rsalab.charts.picture import COLOUR, GREY, MARKER, Chart, drawing, settle
from rsalab.frames import Results, cells, grid, levels, main_line


def speed_up(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Factor against the first rung, by rung, a line for each level; branches off the line."""
    line, ratios = main_line(snapshots), grid(table, snapshots, "versus_base")
    first, last = line[0], line[-1]
    best = ", ".join(
        f"{times(row['versus_base'])} at -{level}" for level, row in cells(table, last)
    )
    answer = f"{last} executes fewer instructions than {first}: {best}"
    caption = marks.caption(results, snapshots)
    caption += f" Factor against {first} at the same level, logarithmic."
    if len(line) < len(snapshots):
        caption += " Dotted, in brackets: a branch that no rung continues."
    question = f"How many times fewer instructions than {first} does each rung execute?"
    with drawing("speed-up", question, answer, caption, (11, 6)) as (chart, axes):
        marks.grey_title(axes, f"instructions of {first} / instructions of the rung")
        axes.axhline(1, color=GREY, linewidth=1)
        marks.by_rung(axes, ratios, snapshots, times, lambda y: f"x{y:,.0f}")
    return chart


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
    question, shape = "Does shorter assembly execute fewer instructions?", (11, 5)
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
