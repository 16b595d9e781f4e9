"""The tables of report, notebooks and front page, as Markdown."""

from __future__ import annotations

import pandas as pd

from records.ladder import Snapshot
from records.tables import NONE, factor, whole
from rsalab.frames import cell, cells, grid, levels
from rsalab.markdown import table


def instructions(row: pd.Series | None) -> float | None:
    """Those of a row of the ladder table, None without one."""
    return None if row is None else float(row["instructions"])


def over(parent: pd.Series | None, child: pd.Series | None) -> float | None:
    """How many times fewer instructions one row of the ladder table has than another."""
    if parent is None or child is None:
        return None
    return float(parent["instructions"] / child["instructions"])


def verdict_line(ladder: pd.DataFrame, rung: str) -> str:
    """`O0 helps, O1 no difference, O3 hurts`; empty for a rung without a measured parent."""
    said = [f"{at} {row['verdict']}" for at, row in cells(ladder, rung) if row["verdict"]]
    return ", ".join(said)


def overview(ladder: pd.DataFrame, snapshots: list[Snapshot], link: str = "") -> str:
    """A row for each rung: instructions a round trip and factor against the first rung, by level.
    `link` is the folder that the rungs' folders are in, as seen from the text."""
    counts = grid(ladder, snapshots, "instructions")
    ratios = grid(ladder, snapshots, "versus_base")
    rows = []
    for s in snapshots:
        name = f"[{s.name}]({link}{s.name}/README.md)" if link else s.name
        numbers = [*map(whole, counts.loc[s.name]), *map(factor, ratios.loc[s.name])]
        rows.append([name, s.idea, *numbers])
    head = ["rung", "idea", *(f"-{level}" for level in counts)]
    return table(head + [f"{snapshots[0].name}/this -{level}" for level in counts], rows, (0, 1))


def factors(ratios: pd.DataFrame, what: str) -> str:
    """Factors by rung and level; `what` says of what."""
    rows = [[str(rung), *map(factor, row)] for rung, row in ratios.iterrows()]
    return table([what, *(f"-{level}" for level in ratios)], rows)


def verdicts(ladder: pd.DataFrame, snapshots: list[Snapshot]) -> str:
    """The word for each step at each level, with its factor against the parent."""
    said = ladder.assign(said=ladder["verdict"] + " " + ladder["versus_parent"].map(factor))
    wide = grid(said, snapshots, "said").fillna(NONE)
    rows = []
    for snapshot in snapshots:
        if verdict_line(ladder, snapshot.name):
            step = f"{(snapshot.parent or '').rpartition('/')[2]} to {snapshot.name}"
            rows.append([step, snapshot.idea, *wide.loc[snapshot.name]])
    head = ["step", "idea", *(f"-{level}" for level in wide)]
    return table(head, rows, tuple(range(len(head))))


def step(ladder: pd.DataFrame, snapshot: Snapshot, first: str = "") -> str:
    """One rung at each level beside its parent, with its factors against `first`, if it is named,
    and against the parent."""
    parent = (snapshot.parent or "").rpartition("/")[2]
    against = parent if parent != first else ""  # else it is the same column twice
    head = ["level"] + [parent] * bool(parent) + [f"{snapshot.name} (this)"]
    head += [f"{name}/this" for name in (first, against) if name] + ["verdict"] * bool(parent)
    rows = []
    for level, row in cells(ladder, snapshot.name):
        before = row["instructions"] * row["versus_parent"]
        text = [f"-{level}"] + [whole(before)] * bool(parent) + [whole(row["instructions"])]
        text += [factor(row["versus_base"])] * bool(first)
        text += [factor(row["versus_parent"])] * bool(against)
        text += [row["verdict"] or NONE] * bool(parent)
        rows.append(text)
    return table(head, rows, (0, *(i for i, name in enumerate(head) if name == "verdict")))


def operations(ladder: pd.DataFrame, snapshots: list[Snapshot]) -> str:
    """Instructions of one case by rung and level."""
    wide = grid(ladder, snapshots, "instructions")
    rows = [[str(rung), *map(whole, row)] for rung, row in wide.iterrows()]
    return table(["rung", *(f"-{level}" for level in wide)], rows)


def table_1(theirs: pd.DataFrame) -> str:
    """Table 1 of Bishop & Austin 2021 as published, with the factor that its times give."""
    rows = [
        [str(row.iteration), row.description, row.seconds, row.percent_increase or NONE,
         whole(row.asm_lines), factor(row.factor)]
        for row in theirs.itertuples()
    ]  # fmt: skip
    head = ["iteration", "description", "time, s", "% increase", "lines of assembly", "0/this"]
    return table(head, rows, (0, 1))


def side_by_side(ladder: pd.DataFrame, theirs: pd.DataFrame) -> str:
    """Their steps in time beside ours in instructions: two metrics, in columns of their own."""
    rows = []
    for row in theirs.itertuples():
        ours = f"{row.against} to {row.ours}" if row.against else row.ours or row.counterpart
        pairs = [
            (cell(ladder, row.against, at), cell(ladder, row.ours, at)) for at in levels(ladder)
        ]
        factors = [factor(over(*pair)) for pair in pairs]
        rows.append([str(row.iteration), factor(row.step), ours, *factors])
    head = ["iteration", "their step, time", "our step"]
    head += [f"instructions -{level}" for level in levels(ladder)]
    return table(head, rows, (0, 2))


def reasons(theirs: pd.DataFrame) -> str:
    """Which rung corresponds to each of their rows, and why: a list."""
    said = []
    for row in theirs.itertuples():
        what = f"rung {row.ours}" if row.ours else row.counterpart
        said.append(f"- **Row {row.iteration}: {what}.** {row.reason}")
    return "\n".join(said)
