"""Technique or compiler?  The gain of each step with each compiler at each level, as a heat map."""

from math import log2

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes

from records import ladder
from records.faults import Failure
from records.results import Results
from records.statistics import THRESHOLD
from rsalab.charts import picture
from rsalab.charts.picture import WIDTH, Chart, asking, facts_of, ink, times
from rsalab.charts.theme import POINTS
from rsalab.compilers import Gain, gains

# Orange: more instructions; white: no difference; violet: fewer.
SHADES = colormaps["PuOr"]
FULL_SHADE = 2.0  # binary logarithm of the factor from which on a tile is darkest: x4


def compilers(results: Results) -> Chart:
    """Draw a panel for each compiler, with a tile for each step and level:
    parent / rung in instructions of a round trip, and its shade."""
    table = pd.DataFrame(gains(results.root), columns=Gain._fields)
    if table.empty:
        raise Failure("no step was counted by several compilers; `make compilers`")
    steps = list(dict.fromkeys(table["snapshot"]))
    panels = dict(list(table.groupby("compiler")))
    always = [step for step in steps if gains_everywhere(table, step)]
    answer = f"{len(always)} of {len(steps)} steps gain with each: {', '.join(always)}"
    size = (WIDTH, 1.8 + 0.3 * len(steps))
    facts = facts_of(results, compilers=", ".join(panels))
    drawn = asking("compilers", answer, size, facts, ncols=len(panels), sharey=True)
    with drawn as (chart, all_axes):
        for axes, (compiler, rows) in zip(all_axes, panels.items()):
            tiles(axes, rows, steps)
            picture.title(axes, compiler)
        ideas = {rung.name: rung.idea for rung in ladder.snapshots(root=results.root)}
        labels = [f"{ideas[step]}   {step}" for step in steps]
        picture.names(all_axes[0], "y", labels, fontsize=POINTS["names"])
    return chart


def gains_everywhere(table: pd.DataFrame, step: str) -> bool:
    """Return whether a step helps with every compiler at every level."""
    factors = table.loc[table["snapshot"] == step, "factor"]
    fewest = 1 / (1 - THRESHOLD)
    return bool((factors >= fewest).all())


def tiles(axes: Axes, rows: pd.DataFrame, steps: list[str]) -> None:
    """Draw the tiles of one compiler: a row for each step, a column for each level."""
    wide = rows.pivot(index="snapshot", columns="level", values="factor")
    for x, level in enumerate(wide.columns):
        for y, step in enumerate(steps):
            gain = wide.loc[step, level]
            shade = shade_of(gain)
            axes.barh(y, 0.96, 0.9, left=x - 0.48, color=shade)
            axes.text(x, y, times(gain), ha="center", va="center_baseline",
                      color=ink(shade), fontsize=POINTS["labels"])  # fmt: skip
    levels = [f"-{level}" for level in wide.columns]
    picture.names(axes, "x", levels, fontsize=POINTS["names"])
    axes.tick_params(axis="x", labeltop=True, labelbottom=False)
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)


def shade_of(gain: float) -> tuple[float, float, float, float]:
    """Return the colour of a factor; from x4 on, and from x1/4 down, it is the darkest."""
    strength = max(-1, min(1, log2(gain) / FULL_SHADE))
    return SHADES(0.5 + 0.4 * strength)
