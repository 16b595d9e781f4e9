"""Numbers of the rungs as a tree: a line leads from each rung to its parent, so that a branch
is seen as one."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes


def tree(axes: Axes, numbers: pd.Series, parents: pd.Series, **look: Any) -> None:
    """Draw a point for each rung, upwards its number, and a line to the point of its
    parent.  Both series have the rungs as index; NaN in `numbers` is left out.  `look`
    is what Axes.plot takes: color, marker, label."""
    axes.plot(numbers, linestyle="", **look)
    for rung, parent in parents.items():
        if rung in numbers and parent in numbers:
            ends = numbers[[parent, rung]]
            axes.plot(ends, color=look["color"])
