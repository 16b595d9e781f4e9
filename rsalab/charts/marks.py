"""What charts draw with: axes of rungs and numbers, lines over the rungs, labels, short numbers."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter, NullLocator

from records.ladder import LADDER, Snapshot
from records.numbers import whole
from records.summary import FULL
from rsalab.charts.picture import COLOUR, GREY, MARKER
from rsalab.frames import Results, main_line

TRIPS = "round trips (encrypt and decrypt a message, exponents of full length)"


def caption(results: Results, snapshots: list[Snapshot], case: str = FULL) -> str:
    """Platform, compiler, width, case and metric of a study's exact counts."""
    study, what = snapshots[0].study, TRIPS if case == FULL else f"operations of {case}"
    return (
        f"{results.platform}, {results.compiler}; {study}, numbers of {snapshots[0].width} bits;"
        " exact counts of the snapshot and the run-time that it calls, mean of"
        f" {whole(results.trips(case, study))} {what}."
    )


def named(name: str, snapshots: list[Snapshot]) -> str:
    """A chart's name: that of the ladder, and with the study behind it for any other."""
    study = snapshots[0].study
    return name if study == LADDER else f"{name}-{study}"


def times(ratio: float) -> str:
    """A factor in the digits that a picture needs: x1.48, x10.7, x2,477."""
    return f"x{ratio:.2f}" if ratio < 10 else f"x{ratio:.1f}" if ratio < 100 else f"x{whole(ratio)}"


def brief(value: float) -> str:
    """A count in three digits: 132 M, 12.4 M, 53.3 k; below 10,000 as it is."""
    value = float(f"{value:.3g}") if value >= 1e4 else value
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= 10 * size or (unit == "M" and value >= size):
            digits = max(0, 2 - math.floor(math.log10(value / size)))
            return f"{value / size:.{digits}f} {unit}"
    return whole(value)


def power(value: float) -> str:
    """A power of ten on an axis: 10 M, 100 k, 10."""
    if value >= 1e4:
        return f"{value / 1e6:g} M" if value >= 1e6 else f"{value / 1e3:g} k"
    return whole(value)


def ink(colour: str) -> str:
    """Black or white, whichever is read more easily on this colour."""
    red, green, blue = to_rgb(colour)
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.45 else "white"


def pale(colour: str) -> tuple[float, ...]:
    """A light shade of a colour."""
    return tuple(0.35 * part + 0.65 for part in to_rgb(colour))


def label(
    axes: Axes, text: str, at: tuple[float, float], by: tuple[float, float] = (4, 0), **look: Any
) -> None:
    """A text beside a place, `by` so many points to the right and up."""
    axes.annotate(text, at, by, textcoords="offset points", **{"va": "center", **look})


def numbers(axes: Axes, along: str, form: Callable[[float], str], few: bool = False) -> None:
    """How the numbers along `x` or `y` are written; `few`: none between the main ones."""
    axis = axes.xaxis if along == "x" else axes.yaxis
    axis.set_major_formatter(FuncFormatter(lambda value, _: form(value)))
    if few:
        axis.set_minor_locator(NullLocator())


def rows(axes: Axes, names: Iterable[str], **look: Any) -> None:
    """A name at each whole number downwards, without grid and ticks."""
    names = list(names)
    axes.set_yticks(range(len(names)), names, **{"color": "black", **look})
    axes.set_ylim(max(1, len(names)) - 0.5, -0.5)
    no_rows(axes)


def no_rows(axes: Axes) -> None:
    """No grid and no ticks along y."""
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)


def rung_rows(axes: Axes, snapshots: list[Snapshot]) -> None:
    """Rungs downwards with their ideas; in brackets those that no rung continues."""
    names = []
    for snapshot, name in zip(snapshots, bracketed(snapshots)):
        idea = snapshot.idea.partition(":")[0]
        names.append(f"{idea if len(idea) <= 36 else idea[:35] + '…'}   {name}")
    rows(axes, names)
    axes.set_ylim(len(names) - 0.5, -0.75)


def rung_columns(axes: Axes, snapshots: list[Snapshot]) -> None:
    """Rungs along x with their ideas; in brackets those that no rung continues."""
    ideas = [textwrap.fill(s.idea.partition(":")[0], 16, break_on_hyphens=False) for s in snapshots]
    names = [f"{name}\n{idea}" for name, idea in zip(bracketed(snapshots), ideas)]
    axes.set_xticks(range(len(snapshots)), names, fontsize=8, color="black")
    axes.set_xlim(-0.4, len(snapshots) - 0.15)
    axes.grid(False, axis="x")
    axes.tick_params(axis="x", length=0)


def bracketed(snapshots: list[Snapshot]) -> list[str]:
    """The snapshots' names, in brackets those off the main line."""
    line = main_line(snapshots)
    return [s.name if s.name in line else f"({s.name})" for s in snapshots]


def rung_line(axes: Axes, here: pd.Series, level: str, snapshots: list[Snapshot]) -> None:
    """The numbers of one level by rung: the main line, and dotted what branches off it."""
    line, place = main_line(snapshots), {s.name: x for x, s in enumerate(snapshots)}
    mark: dict[str, Any] = {"color": COLOUR[level], "marker": MARKER[level], "markersize": 6}
    main = [name for name in line if name in here]
    axes.plot([place[name] for name in main], here[main], linewidth=2, **mark)
    for side in (s for s in snapshots if s.name not in line and s.name in here):
        pair = [side.parent, side.name] if side.parent in here else [side.name]
        axes.plot([place[str(name)] for name in pair], here[pair], linestyle=":", markevery=[-1],
                  markerfacecolor="white", **mark)  # fmt: skip


def line_ends(axes: Axes, x: int, ends: pd.Series, form: Callable[[float], str]) -> None:
    """Level and number beside the last point of each line, one above the other where they meet; y
    is logarithmic, and the layout is settled."""
    height, free = 13, -math.inf  # points of a line of text
    low, high = np.log10(axes.get_ylim())
    points = (
        72 * axes.get_position().height * axes.figure.bbox.height / axes.figure.dpi / (high - low)
    )
    for level, value in sorted(ends.items(), key=lambda end: (end[1], end[0])):
        at = np.log10(value) * points
        up = max(at, free) - at
        free = at + up + height
        label(axes, f"-{level}  {form(value)}", (x, value), (10, up), color=COLOUR[level],
              fontweight="bold")  # fmt: skip


def label_points(axes: Axes, x: pd.Series, y: pd.Series, names: pd.Series) -> None:
    """A name beside each point, on the first side where it covers no point and no other name."""
    sides = [(8, -3), (-22, -3), (-6, 8), (-6, -16), (8, 8), (-22, 8), (8, -16), (-22, -16)]
    points = axes.transData.transform(list(zip(x, y)))
    scale = axes.figure.dpi / 72
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in points]
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.8}
    for (px, py), place, name in zip(points, zip(x, y), names):
        boxes = [(px + dx * scale, py + dy * scale) for dx, dy in sides]
        free = [
            all(bx + 20 < left or bx > r or by + 11 < b or by > t for left, b, r, t in taken)
            for bx, by in boxes
        ]
        best = free.index(True) if True in free else 0
        bx, by = boxes[best]
        taken.append((bx, by, bx + 20, by + 11))
        label(axes, name, place, sides[best], fontsize=8.5, bbox=ground, va="baseline")


def level_title(axes: Axes, level: str) -> None:
    """The level above a panel, in its colour."""
    axes.set_title(f"-{level}", color=COLOUR[level], fontweight="bold")


def grey_title(axes: Axes, text: str) -> None:
    """What a panel shows."""
    axes.set_title(text, color=GREY)
