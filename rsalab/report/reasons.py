"""Why each step gains, and whether it was foreseen, for the READMEs and the report."""

from __future__ import annotations

from pathlib import Path

from records import ladder
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from rsalab import markdown
from rsalab.steps import claims, scoreboard
from rsalab.steps.spent import spent, step
from rsalab.steps.why import movers

SHARES = (
    "In brackets: the share of the whole change. Where one function grows and another shrinks,"
    " shares are negative or above 100%. Numbers are rounded: a difference can be off by one."
)


def why(folder: Path, child: Snapshot, root: Path = ROOT, predicted: bool = False) -> str:
    """A list with a sentence for each level, and what was predicted if that is asked for; "" where
    there is no parent to compare with."""
    lines = []
    for level in LEVELS:
        if made := step(folder, child, level, root):
            score = scoreboard.score(child, level, made.gain)
            note = ", so not scored" * (score.word == scoreboard.DISCLOSED)
            result = f"{score.word}{note}: the result is x{made.gain:.2f}"
            scored = f"the prediction {score.said} was {result}. "
            said = scored if predicted and score.expected else ""
            lines.append(f"- -{level}: {said}{movers(made)}")
    return "\n".join(lines)


def product(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """What one product executes at each level, beside the parent's; "" where it is not counted."""
    found, parent = spent(folder), ladder.parent_of(child, root)
    parts = []
    for level in LEVELS:
        beside = parent is not None and step(folder, child, level, root) is not None
        pair = [parent, child] if parent and beside else [child]
        cells = [found.get((one.study, one.name, level)) for one in pair]
        means = [cell.means.get("mont_mul:instructions") for cell in cells if cell]
        if means and None not in means:
            parts.append(f"-{level}: {' -> '.join(f'{mean:,.0f}' for mean in means)}")
    names = " -> ".join(filter(None, [parent.name if parent else "", child.name]))
    head = f"Instructions of one product alone, a call of `mont_mul` (exact mean; {names})"
    return f"{head}: {'; '.join(parts)}." if parts else ""


def evidence(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """The claims as a list, each with what it compares; "" where there is nothing to compare."""
    made = {level: step(folder, child, level, root) for level in LEVELS}
    there = {level: one for level, one in made.items() if one}
    if not (child.claims and there and child.parent):
        return ""
    parent = child.parent.rpartition("/")[2]
    head = (
        f"The tests evaluate each claim on the counts, in instructions a round trip: own is"
        f" {child.name}, parent is {parent}, saved is parent - own, gain is parent / own."
        " `mont_mul:` stands before numbers of one call of `mont_mul`."
    )
    return "\n".join([head, "", *(f"- {said}" for said in claims.listing(child, there))])


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
