"""Loads and stores: how often a rung goes to memory, and what each step removed of it."""

from __future__ import annotations

import pandas as pd

from records.faults import Failure
from records.ladder import Snapshot
from records.results import Results
from records.statistics import THRESHOLD, verdict
from rsalab.charts import marks
from rsalab.charts.levels import NONE
from rsalab.charts.marks import brief
from rsalab.charts.mix import GROUPS
from rsalab.charts.picture import GREY, Chart, drawing, settle
from rsalab.frames import grid, levels, main_line

PARTS = ("loads", "stores", "rest")
PAINT = {"loads": GROUPS["loads"].colour, "stores": GROUPS["stores"].colour, "rest": "#c8c8c8"}


def accesses(table: pd.DataFrame, snapshots: list[Snapshot]) -> pd.DataFrame:
    """Memory accesses a round trip, loads and stores of one word each counted one by one: a row for
    each snapshot, a column for each level; NaN where they were not counted."""
    both = table.assign(accesses=table["load_accesses"] + table["store_accesses"])
    return grid(both, snapshots, "accesses")


def memory_accesses(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Memory accesses by rung, a line for each level, logarithmic; branches off the line.

    Raises Failure where no accesses were counted.
    """
    wide, line = accesses(table, snapshots), main_line(snapshots)
    if wide.isna().all(axis=None):
        raise Failure(f"{results.label}: no memory accesses were counted there")
    first, last = line[0], line[-1]
    ends = wide.loc[[first, last]].dropna(axis=1)
    said = [f"{brief(a)} to {brief(b)} at -{level}" for level, (a, b) in ends.items()]
    answer = f"From {first} to {last}: {', '.join(said) or 'no number'}"
    note = (
        f"{marks.caption(results, snapshots)} Memory accesses, logarithmic. One instruction"
        " may make several: a pop of four registers makes four, ldrd two."
    )
    name, question = (
        marks.named("memory-accesses", snapshots),
        "How often does each rung go to memory?",
    )
    with drawing(name, question, answer, note, (11, 5.4)) as (chart, axes):
        marks.grey_title(axes, "memory accesses of a round trip")
        marks.by_rung(axes, wide, snapshots, brief, marks.power)
    return chart


def changes(table: pd.DataFrame, snapshots: list[Snapshot]) -> pd.DataFrame:
    """What each step added (negative: removed), in per cent of its parent's instructions.

    Columns: step, level, parent, loads, stores, rest, whole; rest is instructions that are neither,
    whole their sum.  A pop into pc is a load here.
    """
    names = {"rung": "step", "instructions": "whole"}
    own = table[["rung", "level", "parent", "loads", "stores", "instructions"]].rename(
        columns=names
    )
    above = own.drop(columns="parent").rename(columns={"step": "parent"})
    found = own.merge(above, on=["parent", "level"], suffixes=("", "_above"))
    for part in ("loads", "stores"):
        found[part] = 100 * (found[part] - found[f"{part}_above"]) / found["whole_above"]
    found["whole"] = 100 * (found["whole"] / found["whole_above"] - 1)
    found["rest"] = found["whole"] - found["loads"] - found["stores"]
    return found[["step", "level", "parent", *PARTS, "whole"]]


def share(row: pd.Series) -> str:
    """How much of a change was loads and stores, in words."""
    memory, whole = row["loads"] + row["stores"], row["whole"]
    if verdict(1 + whole / 100, 1) == NONE:
        return NONE
    if memory * whole < 0:
        return f"{'more' if memory > 0 else 'fewer'} loads and stores"
    part = f"{100 * memory / whole:.0f}" if memory / whole >= 0.005 else "under 1"
    return f"{part} % of what {'went' if whole < 0 else 'came'}"


def loads_and_stores(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """What each step removed or added, split into loads, stores and the rest, a panel a level.

    Raises Failure where no step was measured together with its parent.
    """
    found, shown = changes(table, snapshots), levels(table)
    if found.empty:
        raise Failure(f"{results.label}: no step was measured there together with its parent")
    steps = [s for s in snapshots if s.name in set(found["step"])]
    labels = [f"{s.idea.partition(':')[0]}   {s.parent} to {s.name}" for s in steps]
    note = (
        f"{marks.caption(results, snapshots)} To the left of 0: instructions removed, in per cent"
        " of the parent's at the same level; to the right: added. The words beside a bar: which"
        " part of the whole change are loads and stores; a pop into pc is a load here."
    )
    with drawing(
        marks.named("loads-and-stores", snapshots),
        "How much of what each step removed was loads and stores?", _most(found), note,
        (11, 1.7 + len(shown) * (0.45 + 0.25 * len(steps))), nrows=len(shown), ncols=1,
        sharex=True, squeeze=False,
    ) as (chart, panels):  # fmt: skip
        parts = found[list(PARTS)]
        low, high = parts.clip(upper=0).sum(axis=1).min(), parts.clip(lower=0).sum(axis=1).max()
        for axes, level in zip(panels[:, 0], shown):
            axes.set_title(f"-{level}", fontweight="bold")
            axes.set_xlim(low * 1.02, high + 0.2 * (high - low))
            rows = found[found["level"] == level].set_index("step").reindex([s.name for s in steps])
            for y, (_, row) in enumerate(rows.iterrows()):
                axes.text(high + 0.02 * (high - low), y, share(row), va="center_baseline")
            marks.stacked(axes, rows[list(PARTS)].set_axis(labels), list(PAINT.values()))
            axes.axvline(0, color=GREY, linewidth=1)
        panels[-1, 0].set_xlabel("instructions removed (-) or added (+), % of the parent's")
        settle(chart.figure)
        for axes in panels[:, 0]:
            marks.name_parts(axes, "{:+.0f}".format)
    return chart


def _most(found: pd.DataFrame) -> str:
    """The step whose removal is loads and stores for the largest part, at each level."""
    said = []
    for level, rows in found.groupby("level", sort=True):
        removed = rows[rows["whole"] <= -100 * THRESHOLD]
        part = (removed["loads"] + removed["stores"]) / removed["whole"]
        if len(part):
            name = removed.loc[part.idxmax(), "step"]
            said.append(f"{name} at -{level} ({100 * part.max():.0f} %)")
    if not said:
        return "No step removed instructions"
    return f"Loads and stores weigh most in {', '.join(said)}"
