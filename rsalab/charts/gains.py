"""What a higher level buys, rung by rung, and where it loses."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from records.ladder import Snapshot
from records.verdict import THRESHOLD, verdict
from rsalab.charts.charts import times
from rsalab.charts.levels import HELPS, HURTS, NONE, caption, grid, named, rows_down
from rsalab.charts.picture import COLOUR, GREY, Chart, frame, settle, style
from rsalab.frames import Results, cell
from rsalab.report import markdown, tables


def gains(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """How many times fewer instructions each level executes than the level below it, by rung."""
    wide = grid(table, snapshots, "instructions")
    pairs = list(zip(wide.columns, wide.columns[1:]))
    ratios = [(wide[low] / wide[high]) for low, high in pairs]
    answer = "; ".join(_gain(low, high, r) for (low, high), r in zip(pairs, ratios))
    note = (
        f"{caption(results, snapshots)} Instructions at one level over instructions at the next,"
        f" logarithmic; bars begin at 1. No difference: less than {100 * THRESHOLD:g} %."
    )
    with style():
        figure, panels = frame(
            answer or "One level only: nothing to compare", note, (11, 1.8 + 0.36 * len(wide)),
            nrows=1, ncols=max(1, len(pairs)), sharex=True, sharey=True, squeeze=False,
        )  # fmt: skip
        for axes, (low, high), ratio in zip(panels[0], pairs, ratios):
            _bars(axes, ratio, COLOUR[high])
            axes.set_title(f"-{low} / -{high}", color=COLOUR[high], fontweight="bold")
        _factor_axis(panels[0][0], pd.concat(ratios) if ratios else pd.Series([1.0]))
        rows_down(panels[0][0], snapshots)
        for axes in panels[0]:
            axes.grid(False, axis="y")
            axes.tick_params(axis="y", length=0)
        settle(figure)
    question = "What does -O1 buy over -O0, and -O3 over -O1? Does a higher level ever lose?"
    return Chart(named("gains", snapshots), question, answer, note, figure)


def _gain(low: str, high: str, ratio: pd.Series) -> str:
    """`-O3 over -O1: x1.00 to x3.11, never a loss`."""
    known = ratio.dropna()
    lost = [f"{name} ({times(r)})" for name, r in known.items() if verdict(1 / r, 1) == HURTS]
    after = f"loses at {', '.join(lost)}" if lost else "never a loss"
    return f"-{high} over -{low}: {times(known.min())} to {times(known.max())}, {after}"


def _bars(axes: Axes, ratio: pd.Series, colour: str) -> None:
    """Factors from the baseline 1 on a logarithmic axis, each with its number."""
    for y, value in enumerate(ratio):
        if pd.isna(value):
            continue
        axes.barh(y, value - 1, left=1, color=colour, height=0.6)
        word = verdict(1 / value, 1)
        text = NONE if word == NONE else times(value) + (f" {HURTS}" if word == HURTS else "")
        side = ("right", -4) if value < 1 and word == HURTS else ("left", 4)
        axes.annotate(text, (value, y), (side[1], 0), textcoords="offset points", ha=side[0],
                      va="center", color=GREY if word == NONE else "black")  # fmt: skip
    axes.axvline(1, color=GREY, linewidth=1)


def _factor_axis(axes: Axes, ratio: pd.Series) -> None:
    """Room for the factors and their numbers; ticks at powers of two."""
    low, high = ratio.min(), max(ratio.max(), 1.5)
    axes.set_xscale("log")
    axes.set_xlim(low * 0.8 if low < 1 - THRESHOLD else 0.97, high * (high / min(low, 1)) ** 0.22)
    ticks = [2.0**k for k in range(-6, 12) if axes.get_xlim()[0] < 2.0**k < axes.get_xlim()[1]]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"x{x:g}"))


def lost(table: pd.DataFrame, snapshots: list[Snapshot]) -> str:
    """The highest level against the one below it, by rung, in more than one metric (Markdown)."""
    levels = tables.levels(table)
    if len(levels) < 2:
        return "One level only: nothing to compare."
    low, high = levels[-2:]
    what = {"instructions": ["instructions"], "loads and stores": ["loads", "stores"]}
    what["bytes of code"] = ["code_bytes"]
    rows = []
    for snapshot in snapshots:
        below, above = cell(table, snapshot.name, low), cell(table, snapshot.name, high)
        if below is None or above is None:
            continue
        row = [snapshot.name]
        for metrics in what.values():
            small, large = above[metrics].sum(), below[metrics].sum()
            known = small > 0 and large > 0
            word = {HELPS: "wins", HURTS: "loses"}.get(verdict(small, large) if known else "", NONE)
            row.append(f"{word} {tables.ratio(large / small)}" if known else tables.NONE)
        rows.append(row)
    head = ["rung", *(f"{name}, -{low} / -{high}" for name in what)]
    return markdown.table(head, rows, (0, 1, 2, 3))
