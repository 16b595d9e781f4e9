"""Which steps survive optimisation, and what hand-made assembly leaves to the compiler."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from records.ladder import ROOT, Snapshot
from records.verdict import THRESHOLD
from rsalab.charts.charts import times
from rsalab.charts.levels import HELPS, HURTS, NONE, by_level, caption, named
from rsalab.charts.picture import COLOUR, GREY, PALE, Chart, frame, settle, style
from rsalab.frames import Results, cell, rungs
from rsalab.report import hot, studies, tables
from rsalab.steps.table import whole

ASSEMBLY = "mont.S"
GONE = "the gain is gone"
LABEL = 45  # characters that a row has room for
TINT = {HELPS: "#bfe1f6", NONE: "#eeeeee", HURTS: "#f7d79a"}  # sky blue, grey, orange: pale


def words(table: pd.DataFrame, snapshot: Snapshot) -> dict[str, str]:
    """Level -> the verdict of this step; empty where it has no measured parent."""
    found = {level: cell(table, snapshot.name, level) for level in tables.levels(table)}
    return {level: row["verdict"] for level, row in found.items() if row is not None and
            row["verdict"]}  # fmt: skip


def reading(said: dict[str, str]) -> str:
    """What the verdicts of a step say together, from the lowest level to the highest."""
    levels, verdicts = list(said), list(said.values())
    if len(said) < 2:
        return "one level only"
    if len(set(verdicts)) == 1:
        same = {HELPS: "survives every level", HURTS: "loses at every level"}
        return same.get(verdicts[0], "changes nothing at any level")
    first, last = verdicts[0], verdicts[-1]
    helps, hurts = ([level for level in levels if said[level] == word] for word in (HELPS, HURTS))
    if first == HELPS and last == NONE and not hurts:
        return f"from -{levels[levels.index(helps[-1]) + 1]} on {GONE}"
    if first != HELPS and last == HELPS:
        return "needs the optimiser"
    if first == NONE and not helps:
        return f"in the compiler's way at {_at(hurts)}"
    both = [f"{word} at {_at(at)}" for word, at in ((HELPS, helps), (HURTS, hurts)) if at]
    return ", ".join(both) + (" only" if len(both) == 1 else "")


def _at(levels: list[str]) -> str:
    return " and ".join(f"-{level}" for level in levels)


def steps(table: pd.DataFrame, snapshots: list[Snapshot]) -> list[tuple[Snapshot, dict[str, str]]]:
    """The snapshots that have a verdict, with their words."""
    found = [(snapshot, words(table, snapshot)) for snapshot in snapshots]
    return [(snapshot, said) for snapshot, said in found if said]


def answer_of(found: list[tuple[Snapshot, dict[str, str]]]) -> str:
    """`7 of 8 steps help at every level; v3: loses at every level`."""
    if not found:
        return "No step was measured together with its parent"
    whole_way = [s for s, said in found if set(said.values()) == {HELPS}]
    others = [f"{s.name}: {reading(said)}" for s, said in found if s not in whole_way]
    text = f"{len(whole_way)} of {len(found)} steps help at every level"
    if 0 < len(others) <= 3:
        return f"{text}; {', '.join(others)}"
    own = [s.name for s, said in found if reading(said).endswith(GONE)]
    return f"{text}; optimised, the gain of {', '.join(own)} is gone" if own else text


def survival(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """The verdict of each step at each level, as tiles, and what the row says together."""
    found, levels = steps(table, snapshots), tables.levels(table)
    answer = answer_of(found)
    note = (
        f"{caption(results, snapshots)} Instructions of the parent over instructions of the step at"
        f" the same level; helps and hurts: at least {100 * THRESHOLD:g} % fewer or more."
    )
    with style():
        figure, axes = frame(answer, note, (11, 1.5 + 0.36 * max(1, len(found))))
        for y, (snapshot, said) in enumerate(found):
            for x, level in enumerate(levels):
                if level in said:
                    _tile(axes, x, y, said[level], cell(table, snapshot.name, level))
            axes.text(len(levels) + 0.12, y, reading(said), va="center_baseline")
        axes.set_xlim(-0.02, len(levels) + 1.45)
        axes.set_ylim(max(1, len(found)) - 0.5, -0.95)
        axes.set_yticks(range(len(found)))
        axes.set_yticklabels(_labels([s for s, _ in found]), color="black")
        for x, level in enumerate(levels):
            axes.text(x + 0.5, -0.6, f"-{level}", ha="center", color=COLOUR[level],
                      fontweight="bold", fontsize=10)  # fmt: skip
        axes.set_xticks([])
        axes.tick_params(length=0)
        axes.grid(False)
        axes.spines[:].set_visible(False)
        settle(figure)
    question = "Which steps survive optimisation, and whose gain is gone with it?"
    return Chart(named("survival", snapshots), question, answer, note, figure)


def _labels(snapshots: list[Snapshot]) -> list[str]:
    """Idea and step of each; name and parent where that would leave the tiles no room."""
    parents = [(s.parent or "").rpartition("/")[2] for s in snapshots]
    labels = [f"{s.idea}   {p} to {s.name}" for s, p in zip(snapshots, parents)]
    if max(map(len, labels), default=0) <= LABEL:
        return labels
    return [f"{s.name}, from {p}" for s, p in zip(snapshots, parents)]


def _tile(axes: Axes, x: int, y: int, word: str, row: pd.Series) -> None:
    """One verdict with its factor."""
    axes.add_patch(Rectangle((x + 0.02, y - 0.45), 0.96, 0.9, color=TINT[word], linewidth=0))
    weight = "normal" if word == HELPS else "bold"
    axes.text(x + 0.1, y, word, va="center_baseline", color=GREY if word == NONE else "black",
              fontweight=weight if word != NONE else "normal")  # fmt: skip
    axes.text(x + 0.92, y, times(row["versus_parent"]), va="center_baseline", ha="right",
              color=GREY if word == NONE else "black")  # fmt: skip


def beside(results: Results, root: Path = ROOT) -> list[str | Chart]:
    """What stands beside the ladder, study by study: Markdown and charts in reading order.  Every
    study has its verdicts; one that is a ladder of its own has its instructions by level too."""
    parts: list[str | Chart] = []
    for study, table in studies.measured(results, root).items():
        snapshots = rungs(results, study, root)
        names = {snapshot.name for snapshot in snapshots}
        parts.append(f"### studies/{study}")
        if any(snapshot.parent in names for snapshot in snapshots):
            parts.append(by_level(results, table, snapshots))
        parts.append(survival(results, table, snapshots))
    return parts or ["Nothing of the studies is measured here."]


def by_hand(results: Results, snapshots: list[Snapshot]) -> pd.DataFrame:
    """Instructions a round trip in and outside mont.S: columns rung, level, assembly, c; one row
    for each measured level of a rung that has assembly.  Empty without lines.csv."""
    lines, rows = hot.counted(results), []
    for snapshot in (s for s in snapshots if s.has_assembly):
        for level in COLOUR:
            found = hot.of_cell(lines, snapshot, level)
            if found:
                ours = sum(n for (file, _), n in found.items() if file == ASSEMBLY)
                rows.append([snapshot.name, level, ours, sum(found.values()) - ours])
    return pd.DataFrame(rows, columns=["rung", "level", "assembly", "c"])


def left_to_the_compiler(results: Results, snapshots: list[Snapshot]) -> Chart:
    """Instructions in mont.S and in C, by level, a panel for each rung that has assembly."""
    table = by_hand(results, snapshots)
    answer = _same(table)
    note = f"{caption(results, snapshots)} By file, from lines.csv; each panel has its own scale."
    names = list(table["rung"].unique())
    with style():
        figure, panels = frame(answer, note, (11, 2.9), nrows=1, ncols=max(1, len(names)),
                               squeeze=False)  # fmt: skip
        panels[0][0].set_visible(bool(names))
        for axes, name in zip(panels[0], names):
            _by_hand(axes, table[table["rung"] == name].reset_index(drop=True))
            axes.set_title(f"{name}: instructions of a round trip", color=GREY)
        settle(figure)
    question = "Is hand-made assembly the same at every level?"
    return Chart(named("by-hand", snapshots), question, answer, note, figure)


def _same(table: pd.DataFrame) -> str:
    """Whether mont.S executes the same at all levels, and what happens to the C around it."""
    if table.empty:
        return "Not available here: no rung with assembly, or no counts by line"
    moved = [name for name, rows in table.groupby("rung", sort=False)
             if rows["assembly"].nunique() > 1]  # fmt: skip
    text = f"No: mont.S differs at {', '.join(moved)}" if moved else "Yes, mont.S is"
    gains = [f"{rows['c'].iloc[0] / rows['c'].iloc[-1]:.2f}"
             for _, rows in table.groupby("rung", sort=False) if rows["c"].iloc[-1]]  # fmt: skip
    low, high = table["level"].iloc[0], table["level"].iloc[-1]
    said = " and ".join(f"x{gain}" for gain in dict.fromkeys(gains))
    return f"{text}; the C around it gains {said} from -{low} to -{high}"


def _by_hand(axes: Axes, rows: pd.DataFrame) -> None:
    """A bar for each level: assembly in grey, C in the level's colour."""
    full = (rows["assembly"] + rows["c"]).max()
    for y, row in rows.iterrows():
        axes.barh(y, row["assembly"], color=PALE, height=0.66)
        axes.barh(y, row["c"], left=row["assembly"], color=COLOUR[row["level"]], height=0.66)
        axes.text(full * 0.015, y, f"{whole(row['assembly'])} in {ASSEMBLY}", va="center")
        axes.annotate(f"{whole(row['c'])} in C", (row["assembly"] + row["c"], y), (4, 0),
                      textcoords="offset points", va="center", color=COLOUR[row["level"]],
                      fontweight="bold")  # fmt: skip
    axes.set_yticks(range(len(rows)), [f"-{level}" for level in rows["level"]], color="black")
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0, full * 1.28)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: whole(x)))
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
