"""What stands beside the ladder: a table for each study, a README.md for each of its folders."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from rsalab import ladder, markdown, tables
from rsalab.frames import Results, cell, ladder_table, rungs
from rsalab.ladder import ROOT, Snapshot
from rsalab.table import whole


def measured(results: Results, root: Path = ROOT) -> dict[str, pd.DataFrame]:
    """Study -> its table, as frames.ladder_table; studies without a count are left out."""
    names = [study for study in ladder.studies(root) if rungs(results, study, root)]
    return {study: ladder_table(results, study, root=root) for study in names}


def section(results: Results, root: Path = ROOT) -> str:
    """A table for each study: every step's word and factor at each level; empty without any."""
    parts = []
    for study, table in measured(results, root).items():
        verdicts = tables.verdicts(table, rungs(results, study, root))
        parts.append(f"### studies/{study}\n\n{verdicts}")
    return "\n\n".join(parts)


def readmes(results: Results, under: str, root: Path = ROOT) -> dict[Path, bytes]:
    """Each folder's README.md with its verdict and its measured paragraph.  Raises ValueError."""
    files = {}
    for study, table in measured(results, root).items():
        for snapshot in rungs(results, study, root):
            path = snapshot.path / "README.md"
            name = path.relative_to(root).as_posix()
            text = markdown.with_verdict(
                markdown.read(path, root), tables.verdict_line(table, snapshot.name), name
            )
            block = f"{under}\n\n{against_parent(table, snapshot)}\n"
            files[path] = markdown.between(text, "measured", block, name).encode()
    return files


def against_parent(table: pd.DataFrame, snapshot: Snapshot) -> str:
    """One snapshot at each level against its parent."""
    rows = []
    for level in tables.levels(table):
        row = cell(table, snapshot.name, level)
        if row is not None:
            said = row["verdict"] or tables.NONE
            factor = tables.ratio(row["versus_parent"])
            rows.append([f"-{level}", whole(row["instructions"]), factor, said])
    parent = (snapshot.parent or "").rpartition("/")[2]
    return markdown.table(["level", "instructions", f"{parent}/this", "verdict"], rows, (0, 3))
