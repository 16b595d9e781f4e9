"""Loads and stores: how often a rung goes to memory, and what each step removed of it."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from records.faults import Failure
from records.ladder import Snapshot
from records.verdict import THRESHOLD, verdict
from rsalab.charts.charts import rung_axis
from rsalab.charts.levels import NONE, brief, caption, grid, named, power
from rsalab.charts.mix import GROUPS, ink
from rsalab.charts.picture import COLOUR, GREY, MARKER, Chart, frame, settle, style
from rsalab.frames import Results, cell, main_line
from rsalab.report import tables
from rsalab.steps.table import means

PARTS = ("loads", "stores", "rest")
PAINT = {"loads": GROUPS["loads"].colour, "stores": GROUPS["stores"].colour, "rest": "#c8c8c8"}


def accesses(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> pd.DataFrame:
    """Memory accesses a round trip, loads and stores of one word each counted one by one: a row for
    each snapshot, a column for each level; NaN where they were not counted."""
    rows, study = results.counts.to_dict("records"), snapshots[0].study
    both = [means(rows, study, metric=f"{kind}_accesses") for kind in ("load", "store")]
    wide = grid(table, snapshots, "instructions") * float("nan")
    for name, level in both[0].keys() & both[1].keys():
        if name in wide.index and level in wide.columns:
            wide.loc[name, level] = both[0][name, level] + both[1][name, level]
    return wide


def memory_accesses(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Memory accesses by rung, a line for each level, logarithmic; branches off the line.

    Raises Failure where no accesses were counted.
    """
    wide, line = accesses(results, table, snapshots), main_line(snapshots)
    if wide.isna().all(axis=None):
        raise Failure(f"{results.label}: no memory accesses were counted there")
    first, last = line[0], line[-1]
    ends = [f"{brief(wide[level][first])} to {brief(wide[level][last])} at -{level}"
            for level in wide.columns if wide[level][[first, last]].notna().all()]  # fmt: skip
    answer = f"From {first} to {last}: {', '.join(ends) or 'no number'}"
    note = (
        f"{caption(results, snapshots)} Memory accesses, logarithmic. One instruction"
        " may make several: a pop of four registers makes four, ldrd two."
    )
    with style():
        figure, axes = frame(answer, note, (11, 5.4))
        place = {snapshot.name: x for x, snapshot in enumerate(snapshots)}
        for level in wide.columns:
            _line(axes, wide[level].dropna(), level, snapshots, place)
        rung_axis(axes, snapshots, line)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: power(y)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_title("memory accesses of a round trip", color=GREY)
        _ends(axes, wide.loc[last].dropna(), place[last])
        settle(figure)
    question = "How often does each rung go to memory?"
    return Chart(named("memory-accesses", snapshots), question, answer, note, figure)


def _line(
    axes: Axes, here: pd.Series, level: str, snapshots: list[Snapshot], place: dict[str, int]
) -> None:
    """One level: the main line, and dotted what branches off it."""
    line = main_line(snapshots)
    main = [rung for rung in line if rung in here]
    mark = {"color": COLOUR[level], "marker": MARKER[level], "markersize": 6}
    axes.plot([place[r] for r in main], here[main], linewidth=2, **mark)
    for side in (s for s in snapshots if s.name not in line and s.name in here):
        pair = [side.parent, side.name] if side.parent in here else [side.name]
        axes.plot([place[r] for r in pair], here[pair], linestyle=":", markerfacecolor="white",
                  markevery=[-1], **mark)  # fmt: skip


def _ends(axes: Axes, last: pd.Series, x: int) -> None:
    """Level and number at the end of each line; levels within a tenth share one label."""
    left = last.sort_values()
    while len(left):
        near = [level for level in left.index if left[level] <= left.iloc[0] * 1.1]
        text = ", ".join(f"-{level}" for level in sorted(near))
        axes.annotate(f"{text}  {brief(left.iloc[0])}", (x, left.iloc[0]), (10, 0),
                      textcoords="offset points", va="center",
                      color=COLOUR[near[0]] if len(near) == 1 else "black",
                      fontweight="bold", annotation_clip=False)  # fmt: skip
        left = left.drop(near)


def changes(table: pd.DataFrame, snapshots: list[Snapshot]) -> pd.DataFrame:
    """What each step added (negative: removed), in per cent of its parent's instructions.

    Columns: step, level, parent, loads, stores, rest, whole; rest is instructions that are neither,
    whole their sum.  A pop into pc is a load here.
    """
    rows = []
    for snapshot in snapshots:
        for level in tables.levels(table):
            this, base = (
                cell(table, snapshot.name, level),
                cell(table, snapshot.parent or "", level),
            )
            if this is None or base is None:
                continue
            part = {
                m: 100 * (this[m] - base[m]) / base["instructions"] for m in ("loads", "stores")
            }
            full = 100 * (this["instructions"] / base["instructions"] - 1)
            rest = full - part["loads"] - part["stores"]
            rows.append([snapshot.name, level, snapshot.parent, *part.values(), rest, full])
    return pd.DataFrame(rows, columns=["step", "level", "parent", *PARTS, "whole"])


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
    """What each step removed or added, split into loads, stores and the rest, a panel a level."""
    found, levels = changes(table, snapshots), tables.levels(table)
    steps = [s for s in snapshots if s.name in set(found["step"])]
    answer = _most(found)
    note = (
        f"{caption(results, snapshots)} To the left of 0: instructions removed, in per cent of the"
        " parent's at the same level; to the right: added. The words beside a bar: which part of"
        " the whole change are loads and stores; a pop into pc is a load here."
    )
    with style():
        height = 1.7 + len(levels) * (0.45 + 0.25 * max(1, len(steps)))
        figure, panels = frame(answer, note, (11, height), nrows=len(levels), ncols=1,
                               sharex=True, squeeze=False)  # fmt: skip
        low = found[list(PARTS)].clip(upper=0).sum(axis=1).min() if len(found) else -1.0
        high = found[list(PARTS)].clip(lower=0).sum(axis=1).max() if len(found) else 1.0
        for axes, level in zip(panels[:, 0], levels):
            rows = found[found["level"] == level].set_index("step")
            axes.set_xlim(low * 1.02, max(high, 0) + 0.2 * (high - low))
            _changes(axes, rows.reindex([s.name for s in steps]), max(0.0, high))
            labels = [f"{s.idea.partition(':')[0]}   {s.parent} to {s.name}" for s in steps]
            axes.set_yticks(range(len(steps)), labels, color="black")
            axes.set_title(f"-{level}", fontweight="bold")
            axes.set_xticks([x for x in range(-100, 1000, 20) if low <= x <= max(high, 20)])
        panels[-1, 0].set_xlabel("instructions removed (-) or added (+), % of the parent's")
        settle(figure)
    question = "How much of what each step removed was loads and stores?"
    return Chart(named("loads-and-stores", snapshots), question, answer, note, figure)


def _changes(axes: Axes, rows: pd.DataFrame, right: float) -> None:
    """A bar for each step; a part's name stands in the first bar that has room for it."""
    named_already: set[str] = set()
    span = axes.get_xlim()[1] - axes.get_xlim()[0]
    for y, (_, row) in enumerate(rows.iterrows()):
        ends = {-1: 0.0, 1: 0.0}
        for part in PARTS if pd.notna(row["whole"]) else ():
            size, side = row[part], -1 if row[part] < 0 else 1
            axes.barh(y, size, left=ends[side], color=PAINT[part], height=0.8, edgecolor="white",
                      linewidth=0.5)  # fmt: skip
            text = f"{size:+.0f}" if abs(size) >= 0.025 * span else ""
            if part not in named_already and abs(size) >= (len(part) + 5) * 0.0082 * span:
                text = f"{part} {text}"
                named_already.add(part)
            axes.text(ends[side] + size / 2, y, text, ha="center", va="center_baseline",
                      fontsize=7.5, color=ink(PAINT[part]))  # fmt: skip
            ends[side] += size
        if pd.notna(row["whole"]):
            axes.text(right + 0.02 * span, y, share(row), va="center_baseline", fontsize=8.5)
    axes.axvline(0, color=GREY, linewidth=1)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:+.0f}" if x else "0"))
    axes.grid(False, axis="y")
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)


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
