"""What a step changes, as a waterfall: from the parent's bar down to the child's."""

import pandas as pd
from matplotlib.axes import Axes

from rsalab.charts.picture import COLOUR, GREY, brief, numbers

FEWER = COLOUR["O3"]
MORE = COLOUR["O0"]


def waterfall(axes: Axes, before: float, changes: "pd.Series[float]") -> None:
    """Draw `before` as a bar from 0, then a bar for each change, which begins
    where the one above it ends, and below them a bar of what is left."""
    after = before + changes.sum()
    ends = before + changes.cumsum()
    starts = ends - changes
    colours = changes.map(lambda change: FEWER if change < 0 else MORE)
    axes.barh("before", before, color=GREY)
    axes.barh(changes.index, changes, left=starts, color=list(colours))
    axes.barh("after", after, color=GREY)

    names = ["before", *changes.index, "after"]
    texts = [brief(before), *changes.map("{:+,.0f}".format), brief(after)]
    right = [before, *pd.concat([starts, ends], axis=1).max(axis=1), after]
    for name, text, end in zip(names, texts, right):
        axes.annotate(
            text, (end, name), (4, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.margins(x=0.2)
    numbers(axes, "x", brief)
