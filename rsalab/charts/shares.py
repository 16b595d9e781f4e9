"""In which functions the instructions are, by rung and level."""

from __future__ import annotations

import pandas as pd

from records.ladder import LADDER, LEVELS, Snapshot
from records.results import Results
from records.summary import FULL
from rsalab.charts import marks
from rsalab.charts.picture import PALE, Chart, drawing, settle

# Colours that stand for no level; a part without a colour here is grey.
HELPER = {"add": "#56b4e9", "shr": "#e69f00", "halve": "#f0e442", "less": "#cc79a7",
          "odd": "#b9dfb0", "mmm": "#707070", "mont_mul": "#404040",
          "mod_mul": "#bdb4a0"}  # fmt: skip


def shares(results: Results, rungs: list[Snapshot], case: str = FULL) -> Chart:
    """Share of the instructions in each function, by rung, a panel for each level."""
    asked = (
        'select snapshot, level, symbol, value from counts where study = ? and "case" = ?'
        " and metric = 'instructions' and symbol not in ('total', 'snapshot')"
    )
    rows = pd.read_sql(asked, results.db, params=[LADDER, case])
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
            marks.level_title(axes, level)
            axes.set_xlim(0, 100)
            marks.numbers(axes, "x", lambda x: f"{x:.0f} %")
            wide = rows[rows["level"] == level].pivot_table(
                index="snapshot", columns="symbol", values="value", aggfunc="sum", fill_value=0
            )
            wide = 100 * wide.reindex([rung.name for rung in rungs]).div(wide.sum(axis=1), axis=0)
            wide = wide[wide.max().sort_values(ascending=False, kind="stable").index]
            colours = [HELPER.get(str(name).partition(".")[0], PALE) for name in wide]
            marks.stacked(axes, wide, colours)
        settle(chart.figure)
        for axes in panels[0]:
            marks.name_parts(axes)
    return chart
