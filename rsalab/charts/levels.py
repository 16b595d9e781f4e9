"""What each rung costs at each level, in instructions and in bytes of code; one chart each."""

from __future__ import annotations

import math

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from records.ladder import LADDER, Snapshot
from records.verdict import THRESHOLD, WORDS, verdict
from rsalab.charts.charts import times
from rsalab.charts.picture import COLOUR, GREY, MARKER, Chart, frame, settle, style
from rsalab.frames import Results, main_line
from rsalab.report import tables
from rsalab.steps.table import whole

HELPS, NONE, HURTS = WORDS
TRIP = "round trips (encrypt and decrypt a message, exponents of full length)"


def caption(results: Results, snapshots: list[Snapshot], case: str = "roundtrip-full") -> str:
    """Platform, compiler, width, case and metric of a study's exact counts."""
    counts, study = results.counts, snapshots[0].study
    rows = counts[(counts["study"] == study) & (counts["case"] == case)]
    what = TRIP if case == "roundtrip-full" else f"operations of {case}"
    n = whole(rows["n"].max()) if len(rows) else "0"
    return (
        f"{results.platform}, {results.compiler}; {study}, numbers of {snapshots[0].width} bits;"
        f" exact counts of the snapshot and the run-time that it calls, mean of {n} {what}."
    )


def named(name: str, snapshots: list[Snapshot]) -> str:
    """A chart's name: that of the ladder, and with the study behind it for any other."""
    study = snapshots[0].study
    return name if study == LADDER else f"{name}-{study}"


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
    return f"{value / 1e6:g} M" if value >= 1e6 else f"{value / 1e3:g} k" if value >= 1e4 else (
        whole(value))  # fmt: skip


def grid(table: pd.DataFrame, snapshots: list[Snapshot], metric: str) -> pd.DataFrame:
    """A metric of the ladder table: a row for each snapshot, a column for each level."""
    wide = table.pivot(index="rung", columns="level", values=metric)
    return wide.reindex(index=[s.name for s in snapshots], columns=tables.levels(table))


def rows_down(axes: Axes, snapshots: list[Snapshot]) -> None:
    """Rungs downwards with their ideas; in brackets those that no rung continues."""
    line = main_line(snapshots)
    labels = []
    for snapshot in snapshots:
        name = snapshot.name if snapshot.name in line else f"({snapshot.name})"
        idea = snapshot.idea.partition(":")[0]
        labels.append(f"{idea if len(idea) <= 36 else idea[:35] + '…'}   {name}")
    axes.set_yticks(range(len(snapshots)))
    axes.set_yticklabels(labels, color="black")
    axes.set_ylim(len(snapshots) - 0.5, -0.75)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)


def dumbbells(axes: Axes, wide: pd.DataFrame) -> None:
    """A row for each rung, a marker for each level, numbers at the two ends."""
    for y, (_, row) in enumerate(wide.iterrows()):
        known = row.dropna().sort_values(kind="stable")
        if known.empty:
            continue
        axes.plot([known.iloc[0], known.iloc[-1]], [y, y], color=GREY, linewidth=1, alpha=0.5)
        for level in wide.columns.intersection(known.index, sort=False):
            size = 6 if level == wide.columns[-1] else 8  # two that coincide are both seen
            axes.plot(known[level], y, marker=MARKER[level], color=COLOUR[level], markersize=size,
                      markeredgecolor="white", markeredgewidth=0.6)  # fmt: skip
        ends = [(known.iloc[0], -8, "right"), (known.iloc[-1], 8, "left")]
        for value, dx, side in ends if known.iloc[-1] > known.iloc[0] else ends[1:]:
            axes.annotate(brief(value), (value, y), (dx, 0), textcoords="offset points", ha=side,
                          va="center", fontsize=8.5)  # fmt: skip


def name_levels(axes: Axes, row: pd.Series) -> None:
    """Each level's name above its marker in the first row, close neighbours turned away from each
    other; the layout must be settled."""
    known = row.dropna().sort_values(kind="stable")
    points = [axes.transData.transform((value, 0))[0] for value in known]
    near = [right - left < 30 for left, right in zip(points, points[1:])]
    for place, (level, value) in enumerate(known.items()):
        side = "right" if near[place:][:1] == [True] else "center"
        side = "left" if place and near[place - 1] else side
        axes.annotate(f"-{level}", (value, 0), (0, 7), textcoords="offset points", ha=side,
                      color=COLOUR[level], fontweight="bold")  # fmt: skip


def by_level(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Instructions of every rung at each level, on a logarithmic axis."""
    wide = grid(table, snapshots, "instructions")
    low, high = wide.columns[0], wide.columns[-1]
    gain = (wide[low] / wide[high]).dropna()
    said = [f"{times(gain[name])} at {name}" for name in gain.index[[0, -1]]] if len(gain) else []
    answer = f"-{high} executes fewer instructions than -{low}: {', '.join(said) or 'no number'}"
    if len(gain) > 2 and gain.idxmax() not in gain.index[[0, -1]]:
        answer += f", most at {gain.idxmax()} ({times(gain.max())})"
    note = f"{caption(results, snapshots)} Instructions, logarithmic."
    with style():
        figure, axes = frame(answer, note, (11, 1.7 + 0.38 * len(wide)))
        dumbbells(axes, wide)
        rows_down(axes, snapshots)
        axes.set_xscale("log")
        low_end, high_end = wide.min().min(), wide.max().max()
        room = max(1.6, (high_end / low_end) ** 0.09)
        axes.set_xlim(low_end / room, high_end * room)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: power(x)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_title("instructions of a round trip", color=GREY)
        settle(figure)
        name_levels(axes, wide.iloc[0])
    question = "How many instructions does each rung execute at -O0, -O1 and -O3?"
    return Chart(named("levels", snapshots), question, answer, note, figure)


def code_size(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Bytes of code of every rung at each level."""
    wide = grid(table, snapshots, "code_bytes")
    answer = _sizes(wide)
    note = (
        f"{results.platform}, {results.compiler}; {snapshots[0].study}; bytes of the code section"
        f" of the measured object, constants between functions included. At least"
        f" {100 * THRESHOLD:g} % is a difference."
    )
    with style():
        figure, axes = frame(answer, note, (11, 1.6 + 0.38 * len(wide)))
        dumbbells(axes, wide)
        rows_down(axes, snapshots)
        axes.set_xlim(0, wide.max().max() * 1.1)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: whole(x)))
        axes.set_title("bytes of code", color=GREY)
        settle(figure)
        name_levels(axes, wide.iloc[0])
    return Chart(named("code-size", snapshots), "Is faster code larger code?", answer, note, figure)


def _sizes(wide: pd.DataFrame) -> str:
    """`-O3 code is larger than -O1 code for 4 rungs of 9, smaller for 3`."""
    if len(wide.columns) < 2:
        return "One level only: nothing to compare"
    wide = wide.dropna()
    low, high = wide.columns[-2:]
    said = [verdict(row[high], row[low]) for _, row in wide.iterrows()]
    text = f"-{high} code is larger than -{low} code for {said.count(HURTS)} rungs of {len(wide)}"
    text += f", smaller for {said.count(HELPS)}"
    if len(wide.columns) > 2:
        first = wide.columns[0]
        most = int((wide[first] > wide[[low, high]].max(axis=1)).sum())
        text += f"; -{first} code is the largest for {most}"
    return text
