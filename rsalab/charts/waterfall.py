"""What a step changes, as a waterfall: from the parent's bar down to the child's."""

import pandas as pd
from matplotlib.axes import Axes

from rsalab.charts.picture import COLOUR, GREY, brief, numbers

FEWER = COLOUR["O3"]
MORE = COLOUR["O0"]


def waterfall(axes: Axes, parent: pd.Series, child: pd.Series) -> None:
    """Draw what a parent costs as a bar from 0, then a bar for each part that
    changes, which begins where the one above it ends, and below them what
    the child costs.  The parts are the names in both series, whose own names
    stand at the first and the last bar."""
    changes = child - parent
    changes = changes[changes != 0].sort_values()
    before = parent.sum()
    after = child.sum()
    ends = before + changes.cumsum()
    starts = ends - changes

    colours = [FEWER if change < 0 else MORE for change in changes]
    axes.barh(parent.name, before, color=GREY)
    axes.barh(changes.index, changes, left=starts, color=colours)
    axes.barh(child.name, after, color=GREY)

    names = [parent.name, *changes.index, child.name]
    texts = [brief(before), *changes.map("{:+,.0f}".format), brief(after)]
    right = [before, *ends.combine(starts, max), after]
    for name, text, end in zip(names, texts, right):
        axes.annotate(
            text, (end, name), (4, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.margins(x=0.2)
    numbers(axes, "x", brief)
