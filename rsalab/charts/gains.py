"""What a higher level buys, rung by rung, and where it loses."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from records.ladder import Snapshot
from records.results import Results
from records.statistics import THRESHOLD, verdict
from records.tables import NONE as DASH
from records.tables import factor
from rsalab import markdown
from rsalab.charts import marks
from rsalab.charts.levels import HELPS, HURTS, NONE
from rsalab.charts.marks import times
from rsalab.charts.picture import COLOUR, GREY, Chart, drawing
from rsalab.frames import cells, grid, levels


def gains(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """How many times fewer instructions each level executes than the level below it, by rung."""
    wide = grid(table, snapshots, "instructions")
    pairs = list(zip(wide.columns, wide.columns[1:]))
    ratios = [wide[low] / wide[high] for low, high in pairs]
    answer = "; ".join(_gain(low, high, r) for (low, high), r in zip(pairs, ratios))
    note = (
        f"{marks.caption(results, snapshots)} Instructions at one level over instructions at the"
        f" next, logarithmic; bars begin at 1. No difference: less than {100 * THRESHOLD:g} %."
    )
    question = "What does -O1 buy over -O0, and -O3 over -O1? Does a higher level ever lose?"
    with drawing(
        marks.named("gains", snapshots), question, answer or "One level only: nothing to compare",
        note, (11, 1.8 + 0.36 * len(wide)), nrows=1, ncols=max(1, len(pairs)), sharex=True,
        sharey=True, squeeze=False,
    ) as (chart, panels):  # fmt: skip
        for axes, (low, high), ratio in zip(panels[0], pairs, ratios):
            _bars(axes, ratio, COLOUR[high])
            axes.set_title(f"-{low} / -{high}", color=COLOUR[high], fontweight="bold")
        marks.rung_rows(panels[0][0], snapshots)
        for axes in panels[0]:
            marks.no_rows(axes)
    return chart


def _gain(low: str, high: str, ratio: pd.Series) -> str:
    """`-O3 over -O1: x1.00 to x3.11, never a loss`."""
    known = ratio.dropna()
    lost = [f"{name} ({times(r)})" for name, r in known.items() if verdict(1 / r, 1) == HURTS]
    after = f"loses at {', '.join(lost)}" if lost else "never a loss"
    return f"-{high} over -{low}: {times(known.min())} to {times(known.max())}, {after}"


def _bars(axes: Axes, ratio: pd.Series, colour: str) -> None:
    """Factors from the baseline 1 on a logarithmic axis, each with its number."""
    words = ["" if pd.isna(value) else verdict(1 / value, 1) for value in ratio]
    shown = ratio.where([word != NONE for word in words], 1)
    bars = axes.barh(range(len(shown)), shown - 1, left=1, color=colour, height=0.6)
    texts = [
        word if word in ("", NONE) else times(value) + f" {HURTS}" * (word == HURTS)
        for word, value in zip(words, shown)
    ]
    axes.bar_label(bars, texts, padding=4)
    axes.axvline(1, color=GREY, linewidth=1)
    axes.set_xscale("log", base=2)
    axes.margins(x=0.22)
    marks.numbers(axes, "x", lambda x: f"x{x:g}", few=True)


def lost(table: pd.DataFrame, snapshots: list[Snapshot]) -> str:
    """The highest level against the one below it, by rung, in more than one metric (Markdown)."""
    if len(levels(table)) < 2:
        return "One level only: nothing to compare."
    low, high = levels(table)[-2:]
    what = {"instructions": ["instructions"], "loads and stores": ["loads", "stores"]}
    what["bytes of code"] = ["code_bytes"]
    rows = []
    for snapshot in snapshots:
        here = dict(cells(table, snapshot.name))
        if low not in here or high not in here:
            continue
        row = [snapshot.name]
        for metrics in what.values():
            small, large = here[high][metrics].sum(), here[low][metrics].sum()
            known = small > 0 and large > 0
            word = {HELPS: "wins", HURTS: "loses"}.get(verdict(small, large) if known else "", NONE)
            row.append(f"{word} {factor(large / small)}" if known else DASH)
        rows.append(row)
    head = ["rung", *(f"{name}, -{low} / -{high}" for name in what)]
    return markdown.table(head, rows, (0, 1, 2, 3))
