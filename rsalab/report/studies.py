"""What stands beside the ladder: a section for each study."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from records import ladder
from records.ladder import ROOT, Snapshot
from records.numbers import factor, whole
from rsalab import markdown
from rsalab.frames import Results, cells, measured, rungs
from rsalab.report import tables
from rsalab.report.story import MISSING

SHORT = "roundtrip-65537"


def section(results: Results, root: Path = ROOT) -> str:
    """Each study: every step's word and factor at each level, then what it was, what was expected
    and what came of it; a study that was not measured is said to be one."""
    found, short = measured(results, root), measured(results, root, SHORT)
    parts = []
    for study in ladder.studies(root):
        parts.append(f"### studies/{study}")
        if study not in found:
            parts.append(MISSING)
            continue
        parts += about(study, root)
        table, snapshots = found[study], rungs(results, study, root)
        if snapshots[0].parent is None:
            parts.append(tables.overview(table, snapshots))
            n = whole(results.trips(study=study))
            parts.append(f"Instructions a round trip (exact mean of {n}).")
        if (table["verdict"] != "").any():
            parts.append(tables.verdicts(table, snapshots))
        for snapshot in snapshots:
            parts += tale_of(snapshot, table, short.get(study), root)
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
) -> list[str]:
    """The paragraphs of one snapshot: its README.md's words, its words and factors by level, and
    those with a short exponent where they say something else."""
    part, came = markdown.parts(snapshot, root), markdown.VERDICT
    name = snapshot.path.relative_to(root).as_posix()
    said = f"{words(table, snapshot)}."
    if snapshot.parent is None:
        said = "the others are compared with it."
    elif short is not None and words(short, snapshot, False) != words(table, snapshot, False):
        said += f" With e = 65537: {words(short, snapshot)}."
    return [
        f"#### {snapshot.idea}",
        f"**Change.** (`{name}`) {part['Change']}",
        f"**Predicted.** {part['Why']}",
        f"**Measured.** {said[0].upper()}{said[1:]}",
        *([f"**{came}.** {part[came]}"] if part.get(came) else []),
    ]


def words(table: pd.DataFrame, snapshot: Snapshot, factors: bool = True) -> str:
    """`helps at -O0 (x1.24), -O1 (x1.05); no difference at -O3 (x1.00)`, against the parent."""
    said: dict[str, list[str]] = {}
    for level, row in cells(table[table["verdict"] != ""], snapshot.name):
        ratio = f" ({factor(row['versus_parent'])})" if factors else ""
        said.setdefault(row["verdict"], []).append(f"-{level}{ratio}")
    parts = [f"{word} at {', '.join(where)}" for word, where in said.items()]
    return "; ".join(parts) or "the rung that it was made from is not measured in these results"
