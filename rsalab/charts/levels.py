"""What each rung costs at each level, in instructions and in bytes of code; one chart each."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from records.ladder import Snapshot
from records.results import Results
from records.statistics import THRESHOLD, VERDICTS, verdict
from records.tables import whole
from rsalab.charts import marks
from rsalab.charts.marks import brief, times
from rsalab.charts.picture import COLOUR, GREY, MARKER, SPREAD, Chart, drawing
from rsalab.frames import grid

HELPS, NONE, HURTS = VERDICTS


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
            marks.label(axes, brief(value), (value, y), (dx, 0), ha=side, fontsize=8.5)


def name_levels(axes: Axes, row: pd.Series) -> None:
    """Each level's name above its marker in the first row."""
    for level, value in row.dropna().items():
        marks.label(axes, f"-{level}", (value, 0), (0, 7), ha="center", va="baseline", gid=SPREAD,
                    color=COLOUR[str(level)], fontweight="bold")  # fmt: skip


def _chart(words: tuple[str, str, str, str], wide: pd.DataFrame, snapshots: list[Snapshot],
           metric: str, log: bool) -> Chart:  # fmt: skip
    """Name, question, answer and caption around a row for each rung of a grid of numbers."""
    name, question, answer, note = words
    size = (11, 1.7 + 0.38 * len(wide))
    with drawing(marks.named(name, snapshots), question, answer, note, size) as (chart, axes):
        dumbbells(axes, wide)
        marks.rung_rows(axes, snapshots)
        start, end = wide.min().min(), wide.max().max()
        if log:
            room = max(1.6, (end / start) ** 0.09)
            axes.set_xscale("log")
            axes.set_xlim(start / room, end * room)
            marks.numbers(axes, "x", marks.power, few=True)
        else:
            axes.set_xlim(0, end * 1.1)
            marks.numbers(axes, "x", whole)
        marks.grey_title(axes, metric)
        name_levels(axes, wide.iloc[0])
    return chart


def by_level(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Instructions of every rung at each level, on a logarithmic axis."""
    wide = grid(table, snapshots, "instructions")
    low, high = wide.columns[0], wide.columns[-1]
    gain = (wide[low] / wide[high]).dropna()
    said = [f"{times(gain[name])} at {name}" for name in gain.index[[0, -1]]] if len(gain) else []
    answer = f"-{high} executes fewer instructions than -{low}: {', '.join(said) or 'no number'}"
    if len(gain) > 2 and gain.idxmax() not in gain.index[[0, -1]]:
        answer += f", most at {gain.idxmax()} ({times(gain.max())})"
    note = f"{marks.caption(results, snapshots)} Instructions, logarithmic."
    question = "How many instructions does each rung execute at -O0, -O1 and -O3?"
    words = ("levels", question, answer, note)
    return _chart(words, wide, snapshots, "instructions of a round trip", log=True)


def code_size(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Bytes of code of every rung at each level."""
    wide = grid(table, snapshots, "code_bytes")
    note = (
        f"{results.platform}, {results.compiler}; {snapshots[0].study}; bytes of the code section"
        f" of the measured object, constants between functions included. At least"
        f" {100 * THRESHOLD:g} % is a difference."
    )
    words = ("code-size", "Is faster code larger code?", _sizes(wide), note)
    return _chart(words, wide, snapshots, "bytes of code", log=False)


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
