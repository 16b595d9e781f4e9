"""What stands beside the ladder: a table for each study, a README.md for each of its folders."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from records import ladder
from records.ladder import ROOT, Snapshot
from rsalab.frames import Results, cell, ladder_table, rungs
from rsalab.report import markdown, tables
from rsalab.steps.table import whole

SHORT = "roundtrip-65537"
MISSING = "*Not measured in these results.*"


def measured(
    results: Results, root: Path = ROOT, case: str = "roundtrip-full"
) -> dict[str, pd.DataFrame]:
    """Study -> its table, as frames.ladder_table; studies without a count are left out."""
    counts = results.counts
    counted = set(counts.loc[counts["case"] == case, "study"])
    return {
        study: ladder_table(results, study, case, root)
        for study in ladder.studies(root)
        if study in counted and rungs(results, study, root)
    }


def section(results: Results, root: Path = ROOT) -> str:
    """Each study: every step's word and factor at each level, then what it was, what was expected
    and what came of it; a study that was not measured is said to be one."""
    tables_of, short = measured(results, root), measured(results, root, SHORT)
    parts = []
    for study in ladder.studies(root):
        parts.append(f"### studies/{study}")
        if study not in tables_of:
            parts.append(MISSING)
            continue
        parts += about(study, root)
        snapshots = rungs(results, study, root)
        if snapshots[0].parent is None:
            parts.append(tables.overview(tables_of[study], snapshots))
            n = whole(results.trips(study=study))
            parts.append(f"Instructions a round trip (exact mean of {n}).")
        if (tables_of[study]["verdict"] != "").any():
            parts.append(tables.verdicts(tables_of[study], snapshots))
        for snapshot in snapshots:
            parts.append(tale_of(snapshot, tables_of[study], short.get(study), root))
    return "\n\n".join(parts) or MISSING


def about(study: str, root: Path = ROOT) -> list[str]:
    """What the study's own README.md says, its headings two deeper; [] where there is none."""
    path = ladder.study_path(study, root) / "README.md"
    if not path.is_file():
        return []
    text = re.sub(r"\A---\n.*?\n---\n+", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"\A# .*\n+", "", text)
    return [re.sub(r"^##", "####", text, flags=re.MULTILINE).strip()]


def tale_of(
    snapshot: Snapshot, table: pd.DataFrame, short: pd.DataFrame | None, root: Path = ROOT
) -> str:
    """One snapshot in a paragraph: its README.md's words, its words and factors by level, and those
    with a short exponent where they say something else."""
    part, came = markdown.parts(snapshot, root), markdown.VERDICT
    name = snapshot.path.relative_to(root).as_posix()
    said = f"{words(table, snapshot)}."
    if snapshot.parent is None:
        said = "the others are compared with it."
    elif short is not None and words(short, snapshot, False) != words(table, snapshot, False):
        said += f" With e = 65537: {words(short, snapshot)}."
    return "\n\n".join(
        [
            f"#### {snapshot.idea}",
            f"**Change.** (`{name}`) {part['Change']}",
            f"**Predicted.** {part['Why']}",
            f"**Measured.** {said[0].upper()}{said[1:]}",
            *([f"**{came}.** {part[came]}"] if part.get(came) else []),
        ]
    )


def words(table: pd.DataFrame, snapshot: Snapshot, factors: bool = True) -> str:
    """`helps at -O0 (x1.24), -O1 (x1.05); no difference at -O3 (x1.00)`, against the parent."""
    said: dict[str, list[str]] = {}
    for level in tables.levels(table):
        row = cell(table, snapshot.name, level)
        if row is not None and row["verdict"]:
            factor = f" ({tables.ratio(row['versus_parent'])})" if factors else ""
            said.setdefault(row["verdict"], []).append(f"-{level}{factor}")
    parts = [f"{word} at {', '.join(where)}" for word, where in said.items()]
    return "; ".join(parts) or "the rung that it was made from is not measured in these results"


def readmes(
    results: Results, under: Callable[[Results, str], str], root: Path = ROOT
) -> dict[Path, bytes]:
    """Each folder's README.md with its verdict and its measured paragraph, which begins with what
    `under` says of the results and the study.  Raises ValueError."""
    files = {}
    for study, table in measured(results, root).items():
        for snapshot in rungs(results, study, root):
            path = snapshot.path / "README.md"
            name = path.relative_to(root).as_posix()
            text = markdown.with_verdict(
                markdown.read(path, root), tables.verdict_line(table, snapshot.name), name
            )
            block = f"{under(results, study)}\n\n{against_parent(table, snapshot)}\n"
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
    if snapshot.parent is None:
        return markdown.table(["level", "instructions"], [row[:2] for row in rows], (0,))
    parent = snapshot.parent.rpartition("/")[2]
    return markdown.table(["level", "instructions", f"{parent}/this", "verdict"], rows, (0, 3))
