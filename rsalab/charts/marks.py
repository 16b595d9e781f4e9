"""What charts draw with: axes of rungs and numbers, lines over the rungs, labels, short numbers."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from records.ladder import LADDER, Snapshot
from records.results import Results
from records.summary import FULL
from records.tables import whole
from rsalab.charts.picture import COLOUR, GREY, MARKER, SPREAD
from rsalab.frames import main_line

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


def ink(colour: Any) -> str:
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


def bit_axis(axes: Axes, bits: Sequence[int], name: str) -> None:
    """Lengths of numbers along x, with room for the names of lines on the right."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(bits)
    axes.set_xticks([], minor=True)
    numbers(axes, "x", lambda x: f"{x:.0f}")
    axes.set_xlim(min(bits) * 0.85, max(bits) * 2.4)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.set_xlabel(name)


Bars = tuple[str, Sequence[float | None], Sequence[str], Any]  # title, numbers, words, colours


def paired_bars(panels: Sequence[Axes], names: list[str], *sides: Bars) -> None:
    """A panel for each side and a row for each name, its words at the end of its bar; what has no
    number has words alone."""
    for axes, (title, values, words, colours) in zip(panels, sides):
        widths = [value or 0 for value in values]
        bars = axes.barh(range(len(names)), widths, color=colours, height=0.62)
        axes.bar_label(bars, words, padding=4, fontsize=8)
        rows(axes, names, fontsize=8)
        axes.set_xlim(0, max(axes.get_xlim()[1], 1) * 1.25)
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        numbers(axes, "x", whole)
        grey_title(axes, title)


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
    room = max(
        10, int(13 * axes.figure.bbox.width / axes.figure.dpi / len(snapshots))
    )  # characters
    ideas = [textwrap.fill(s.idea.partition(":")[0], room, break_on_hyphens=False,
                           break_long_words=False) for s in snapshots]  # fmt: skip
    names = [f"{name}\n{idea}" for name, idea in zip(bracketed(snapshots), ideas)]
    axes.set_xticks(range(len(snapshots)), names, fontsize=8, color="black")
    axes.set_xlim(-0.4, len(snapshots) - 0.15)
    axes.grid(False, axis="x")
    axes.tick_params(axis="x", length=0)


def bracketed(snapshots: list[Snapshot]) -> list[str]:
    """The snapshots' names, in brackets those off the main line."""
    line = main_line(snapshots)
    return [s.name if s.name in line else f"({s.name})" for s in snapshots]


def by_rung(
    axes: Axes, wide: pd.DataFrame, snapshots: list[Snapshot], form: Callable[[float], str],
    ticks: Callable[[float], str],
) -> None:  # fmt: skip
    """A line for each level, a column of `wide`, over the rungs, on a logarithmic axis: the main
    line, dotted what branches off it, and level and number at the end; `form` and `ticks` write the
    numbers there and on the axis."""
    line, place = main_line(snapshots), {s.name: x for x, s in enumerate(snapshots)}
    for level in wide:
        here = wide[level].dropna()
        mark: dict[str, Any] = {"color": COLOUR[level], "marker": MARKER[level], "markersize": 6}
        main = [name for name in line if name in here]
        axes.plot([place[name] for name in main], here[main], linewidth=2, **mark)
        for side in (s for s in snapshots if s.name not in line and s.name in here):
            pair = [str(name) for name in (side.parent, side.name) if name in here]
            axes.plot([place[name] for name in pair], here[pair], linestyle=":", markevery=[-1],
                      markerfacecolor="white", **mark)  # fmt: skip
    axes.set_yscale("log")
    numbers(axes, "y", ticks, few=True)
    rung_columns(axes, snapshots)
    known = wide.loc[[name for name in line if name in wide.index]].dropna(how="all")
    for last, row in known.tail(1).iterrows():
        ends = {f"-{at}  {form(y)}": (place[last], y, COLOUR[at]) for at, y in row.dropna().items()}
        line_ends(axes, ends, fontweight="bold")


def line_ends(axes: Axes, ends: Mapping[str, tuple[float, float, str]], **look: Any) -> None:
    """A text beside the end of each line, x, y and colour.  `drawing` moves apart those that
    meet."""
    look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    for text, (x, y, colour) in ends.items():
        label(axes, text, (x, y), (10, 0), color=colour, gid=SPREAD, **look)


def stacked(axes: Axes, rows: pd.DataFrame, colours: Sequence[str]) -> None:
    """A bar for each row, a part for each column, negative ones to the left of 0."""
    rows.plot.barh(ax=axes, stacked=True, color=colours, width=0.84, edgecolor="white",
                   linewidth=0.6, legend=False, ylabel="")  # fmt: skip
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(False)
    axes.tick_params(axis="y", length=0, labelcolor="black")


def name_parts(axes: Axes, form: Callable[[float], str] | None = None) -> None:
    """In each part of stacked bars that has room its number, and its name where it first has room
    for both; without `form` its name alone.  The layout must be settled."""
    for bars in axes.containers:
        name, named_already = bars.get_label(), False
        for bar in bars:
            number = form(bar.get_width()) if form else ""
            words = [number] if named_already else [f"{name} {number}".strip(), number]
            for text in filter(None, words):
                middle = bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height() / 2
                word = axes.text(*middle, text, ha="center", va="center_baseline", fontsize=7.5,
                                 color=ink(bar.get_facecolor()))  # fmt: skip
                if word.get_window_extent().width < 0.9 * bar.get_window_extent().width:
                    named_already = named_already or bool(number) and text != number
                    break
                word.remove()


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
