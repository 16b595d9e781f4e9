"""Why each step gains, and whether it was foreseen, for the READMEs and the report."""

from __future__ import annotations

from pathlib import Path

from records.faults import Failure
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from rsalab import markdown
from rsalab.steps import scoreboard
from rsalab.steps.spent import step
from rsalab.steps.why import movers


def why(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """A list with a sentence for each level; "" where there is no parent to compare with."""
    if child.parent is None:
        return ""
    try:
        found = [movers(step(folder, child, level, root)) for level in LEVELS]
    except Failure:  # a parent of another width, or not in these results
        return ""
    return "\n".join(f"- -{level}: {said}" for level, said in zip(LEVELS, found))


def predictions(folder: Path, study: str = LADDER, root: Path = ROOT) -> str:
    """The scoreboard: a row for each step; for each level what was expected, and what it gained."""
    found = scoreboard.scores(folder, study, root)
    if not found:
        return "No step was measured together with its parent."
    rows = []
    for child in dict.fromkeys(score.child for score in found):
        mine = [score for score in found if score.child == child]
        cells = [f"{s.said}; x{s.gain:.2f}: {s.word}" if s.expected else "-" for s in mine]
        rows.append([f"{child.parent} to {child.name}", child.idea, *cells])
    head = ["step", "idea", *(f"-{level}" for level in LEVELS)]
    return f"{markdown.table(head, rows, (0, 1, 2, 3, 4))}\n\n{scoreboard.summary(found)}."
