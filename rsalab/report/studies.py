"""The studies beside the ladder: a row for each snapshot, with its factors."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from records import ladder
from records.ladder import Snapshot
from records.numbers import NONE, factor
from rsalab import markdown
from rsalab.frames import cells, measured, rungs
from rsalab.report.story import MISSING, Story

ALONE = "alone"
SORTED_BY = "O1"


def alone(tale: Story) -> str:
    """The techniques that were measured alone, those that gain most at SORTED_BY first."""
    table = measured(tale.results, tale.root).get(ALONE)
    if table is None:
        return MISSING
    at = table[table["level"] == SORTED_BY].set_index("rung")["versus_parent"].fillna(0)
    snapshots = rungs(tale.results, ALONE, tale.root)
    return rows_of(tale, sorted(snapshots, key=lambda s: -at.get(s.name, 0)), table)


def others(tale: Story) -> str:
    """Every other study: a table for each; a study that was not measured is named as such."""
    found, parts = measured(tale.results, tale.root), []
    for study in ladder.studies(tale.root):
        if study == ALONE:
            continue
        path = ladder.study_path(study, tale.root)
        parts.append(f"**[studies/{study}]({tale.seen(path)})**")
        snapshots = rungs(tale.results, study, tale.root)
        parts.append(rows_of(tale, snapshots, found[study]) if study in found else MISSING)
    return "\n\n".join(parts) or MISSING


def rows_of(tale: Story, snapshots: Iterable[Snapshot], table: pd.DataFrame) -> str:
    """A row for each snapshot: its folder, its parent, parent/this with its verdict by level."""
    levels, rows = tale.levels, []
    for snapshot in snapshots:
        found = dict(cells(table[table["verdict"] != ""], snapshot.name))
        said = [f"{factor(found[at]['versus_parent'])} {found[at]['verdict']}" if at in found
                else NONE for at in levels]  # fmt: skip
        link = f"[{snapshot.name}]({tale.seen(snapshot.path / 'README.md')})"
        parent = (snapshot.parent or NONE).rpartition("/")[2]
        rows.append([link, snapshot.idea, parent, *said])
    head = ["folder", "idea", "parent", *(f"-{level}" for level in levels)]
    return markdown.table(head, rows, tuple(range(len(head))))
