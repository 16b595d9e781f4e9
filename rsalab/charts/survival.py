"""Which steps still gain when gcc optimises, and what assembly by hand gains at each level."""

from __future__ import annotations

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from records.ladder import Snapshot
from records.results import Results
from records.statistics import THRESHOLD
from records.tables import whole
from rsalab.charts import marks
from rsalab.charts.levels import HELPS, HURTS, NONE, by_level
from rsalab.charts.marks import times
from rsalab.charts.picture import COLOUR, GREY, PALE, WIDTH, Chart, drawing
from rsalab.frames import cells, levels, measured

ASSEMBLY = "mont.S"
GONE = "the gain is gone"
LABEL = 45  # characters that a row has room for
TINT = {HELPS: "#bfe1f6", NONE: "#eeeeee", HURTS: "#f7d79a"}  # sky blue, grey, orange: pale


Step = tuple[Snapshot, dict[str, pd.Series]]  # and its rows of the ladder table by level


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


def steps(table: pd.DataFrame, snapshots: list[Snapshot]) -> list[Step]:
    """The snapshots that have a verdict, with the rows that have one."""
    judged = table[table["verdict"] != ""]
    found = [(snapshot, dict(cells(judged, snapshot.name))) for snapshot in snapshots]
    return [(snapshot, rows) for snapshot, rows in found if rows]


def verdicts(rows: dict[str, pd.Series]) -> dict[str, str]:
    """Level -> verdict."""
    return {level: row["verdict"] for level, row in rows.items()}


def answer_of(found: list[Step]) -> str:
    """`7 of 8 steps help at every level; v3: loses at every level`."""
    if not found:
        return "No step was measured together with its parent"
    others = {s.name: reading(verdicts(rows)) for s, rows in found
              if set(verdicts(rows).values()) != {HELPS}}  # fmt: skip
    text = f"{len(found) - len(others)} of {len(found)} steps help at every level"
    if 0 < len(others) <= 3:
        return f"{text}; {', '.join(f'{name}: {said}' for name, said in others.items())}"
    own = [name for name, said in others.items() if said.endswith(GONE)]
    return f"{text}; optimised, the gain of {', '.join(own)} is gone" if own else text


def survival(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """The verdict of each step at each level, as tiles, and what the row says together."""
    found, shown = steps(table, snapshots), levels(table)
    height = max(1, len(found))
    note = (
        f"{marks.caption(results, snapshots)} Instructions of the parent over instructions of the"
        " step at the same level; helps and hurts: at least"
        f" {100 * THRESHOLD:g} % fewer or more."
    )
    with drawing(
        marks.named("survival", snapshots),
        "Which steps survive optimisation, and whose gain is gone with it?",
        answer_of(found), note, (WIDTH, 1.6 + 0.33 * height),
    ) as (chart, axes):  # fmt: skip
        for y, (_, rows) in enumerate(found):
            for level, row in rows.items():
                _tile(axes, shown.index(level), y, row)
            axes.text(len(shown) + 0.1, y, textwrap.fill(reading(verdicts(rows)), 26),
                      va="center", fontsize=8.5)  # fmt: skip
        marks.rows(axes, _labels([s for s, _ in found]), fontsize=8.5)
        axes.set_xlim(-0.02, len(shown) + 1.9)
        axes.set_ylim(height - 0.5, -0.95)
        for x, level in enumerate(shown):
            axes.text(x + 0.5, -0.6, f"-{level}", ha="center", color=COLOUR[level],
                      fontweight="bold", fontsize=10)  # fmt: skip
        axes.set_xticks([])
        axes.tick_params(length=0)
        axes.grid(False)
        axes.spines[:].set_visible(False)
    return chart


def _labels(snapshots: list[Snapshot]) -> list[str]:
    """Idea and step of each; name and parent where that would leave the tiles no room."""
    parents = [(s.parent or "").rpartition("/")[2] for s in snapshots]
    labels = [f"{s.idea}   {p} to {s.name}" for s, p in zip(snapshots, parents)]
    if max(map(len, labels), default=0) <= LABEL:
        return labels
    return [f"{s.name}, from {p}" for s, p in zip(snapshots, parents)]


def _tile(axes: Axes, x: int, y: int, row: pd.Series) -> None:
    """One verdict with its factor."""
    word = row["verdict"]
    ink = GREY if word == NONE else "black"
    axes.add_patch(Rectangle((x + 0.02, y - 0.45), 0.96, 0.9, color=TINT[word], linewidth=0))
    weight = "bold" if word == HURTS else "normal"
    axes.text(x + 0.5, y, f"{word}\n{times(row['versus_parent'])}", va="center", ha="center",
              color=ink, fontweight=weight, fontsize=8.5, linespacing=1.05)  # fmt: skip


def of_studies(results: Results) -> list[str | Chart]:
    """What stands beside the ladder, study by study: Markdown and charts in reading order.  Every
    study has its verdicts; one that is a ladder of its own has its instructions by level too."""
    parts: list[str | Chart] = []
    for study, table in measured(results).items():
        snapshots = results.rungs(study)
        names = {snapshot.name for snapshot in snapshots}
        parts.append(f"### studies/{study}")
        if any(snapshot.parent in names for snapshot in snapshots):
            parts.append(by_level(results, table, snapshots))
        parts.append(survival(results, table, snapshots))
    return parts or ["Nothing of the studies is measured here."]


def by_hand(results: Results, snapshots: list[Snapshot]) -> pd.DataFrame:
    """Instructions a round trip in and outside mont.S: columns rung, level, assembly, c; one row
    for each measured level of a rung that has assembly.  Empty without lines.csv."""
    rows = []
    for snapshot in (s for s in snapshots if s.has_assembly):
        for level in COLOUR:
            asked = (
                "select sum(instructions) filter (where file = ?), sum(instructions)"
                " from trip_lines where (study, snapshot, level) = (?, ?, ?)"
            )
            cell = (snapshot.study, snapshot.name, level)
            ((ours, every),) = results.query(asked, ASSEMBLY, *cell)
            if every:
                rows.append([snapshot.name, level, ours or 0.0, every - (ours or 0.0)])
    return pd.DataFrame(rows, columns=["rung", "level", "assembly", "c"])


def left_to_the_compiler(results: Results, snapshots: list[Snapshot]) -> Chart:
    """Instructions in mont.S and in C, by level, a panel for each rung that has assembly."""
    table = by_hand(results, snapshots)
    names = list(table["rung"].unique())
    note = (
        f"{marks.caption(results, snapshots)} By file, from lines.csv; each panel has its own"
        " scale."
    )
    with drawing(
        marks.named("by-hand", snapshots), "Is hand-made assembly the same at every level?",
        _same(table), note, (11, 2.9), nrows=1, ncols=max(1, len(names)), squeeze=False,
    ) as (chart, panels):  # fmt: skip
        panels[0][0].set_visible(bool(names))
        for axes, name in zip(panels[0], names):
            here = table[table["rung"] == name]
            at, colours = range(len(here)), [COLOUR[level] for level in here["level"]]
            axes.barh(at, here["assembly"], color=PALE, height=0.66)
            bars = axes.barh(at, here["c"], left=here["assembly"], color=colours, height=0.66)
            words = [f"{whole(s)} in {ASSEMBLY}, {whole(c)} in C"
                     for s, c in zip(here["assembly"], here["c"])]  # fmt: skip
            axes.bar_label(bars, words, padding=4)
            marks.rows(axes, [f"-{level}" for level in here["level"]])
            axes.margins(x=0.4)
            axes.xaxis.set_major_locator(MaxNLocator(4))
            marks.numbers(axes, "x", whole)
            marks.grey_title(axes, f"{name}: instructions of a round trip")
    return chart


def _same(table: pd.DataFrame) -> str:
    """Whether mont.S executes the same at all levels, and what happens to the C around it."""
    if table.empty:
        return "Not available here: no rung with assembly, or no counts by line"
    rungs = table.groupby("rung", sort=False)
    moved = [name for name, rows in rungs if rows["assembly"].nunique() > 1]
    text = f"No: mont.S differs at {', '.join(moved)}" if moved else "Yes, mont.S is"
    gains = [f"x{rows['c'].iloc[0] / rows['c'].iloc[-1]:.2f}" for _, rows in rungs
             if rows["c"].iloc[-1]]  # fmt: skip
    low, high = table["level"].iloc[0], table["level"].iloc[-1]
    said = " and ".join(dict.fromkeys(gains))
    return f"{text}; the C around it gains {said} from -{low} to -{high}"
