"""In which functions the instructions are, by rung and level."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from records.ladder import LADDER, LEVELS, Snapshot
from records.summary import FULL
from rsalab.charts import marks
from rsalab.charts.picture import PALE, Chart, drawing, settle
from rsalab.frames import Results

# Colours that are no level's; what has none of its own is grey.
HELPER = {"add": "#56b4e9", "shr": "#e69f00", "halve": "#f0e442", "less": "#cc79a7",
          "odd": "#b9dfb0", "mmm": "#707070", "mont_mul": "#404040",
          "mod_mul": "#bdb4a0"}  # fmt: skip


def shares(results: Results, rungs: list[Snapshot], case: str = FULL) -> Chart:
    """Share of the instructions in each function, by rung, a panel for each level."""
    rows = results.counts[(results.counts["study"] == LADDER) & (results.counts["case"] == case)]
    rows = rows[(rows["metric"] == "instructions") & ~rows["symbol"].isin(["total", "snapshot"])]
    most = rows.groupby(["level", "snapshot"])["symbol"].nunique().groupby("level").max()
    shown = [level for level in LEVELS if level in most.index]
    said = ", ".join(f"{most[level]} at -{level}" for level in shown)
    caption = (
        f"{results.platform}, {results.compiler}; share of the instructions of"
        f" {results.trips(case)} round trips by function: exact, in the measured build, without"
        " -pg. A function holds what was inlined into it, and has its name where there is room."
    )
    with drawing(
        "instruction-shares", "In which functions are the instructions?",
        f"Functions that execute anything, at most: {said}", caption, (11, 4.8),
        ncols=len(shown), sharey=True, squeeze=False,
    ) as (chart, panels):  # fmt: skip
        for axes, level in zip(panels[0], shown):
            for at, rung in enumerate(rungs):
                own = rows[(rows["level"] == level) & (rows["snapshot"] == rung.name)]
                stack(axes, at, own.set_index("symbol")["value"])
            marks.level_title(axes, level)
            axes.set_xlim(0, 100)
            marks.numbers(axes, "x", lambda x: f"{x:.0f} %")
            axes.grid(False)
        panels[0][0].set_yticks(range(len(rungs)), [rung.name for rung in rungs], color="black")
        panels[0][0].invert_yaxis()
        settle(chart.figure)
        for axes in panels[0]:
            name_parts(axes)
    return chart


def stack(axes: Axes, at: int, own: pd.Series) -> None:
    """One bar, the largest function first."""
    start = 0.0
    for name, share in (100 * own.sort_values(ascending=False, kind="stable") / own.sum()).items():
        colour = HELPER.get(str(name).partition(".")[0], PALE)
        (part,) = axes.barh(at, share, left=start, color=colour, height=0.74, edgecolor="white")
        part.set_gid(name)
        start += share


def name_parts(axes: Axes) -> None:
    """Each function's name in its part of a bar, where it fits.  The layout is settled."""
    bars: list[Any] = list(axes.patches)
    for part in bars:
        middle = part.get_x() + part.get_width() / 2, part.get_y() + part.get_height() / 2
        dark = sum(part.get_facecolor()[:3]) < 1.5
        for size in (7.5, 6.2):
            text = axes.text(*middle, part.get_gid(), ha="center", va="center", fontsize=size,
                             color="white" if dark else "black")  # fmt: skip
            if text.get_window_extent().width < 0.96 * part.get_window_extent().width:
                break
            text.remove()
