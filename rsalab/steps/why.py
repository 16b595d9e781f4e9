"""Why a step executes fewer or more instructions: by function and by class of instruction.

For each level a table of differences between parent and child whose cells add up to the whole
difference to the unit.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from records import ladder
from records.faults import Failure
from records.ladder import Snapshot
from records.statistics import verdict
from records.tables import aligned
from rsalab.steps import scoreboard
from rsalab.steps.spent import GROUP_OF, GROUPS, OTHER, Step, compared, results

MERGED = (
    "An instruction counts for the innermost function of the snapshot's own files; code that gcc"
    " merged counts for the scope that it kept."
)


def rows(made: Step) -> list[list[str]]:
    """The table: a head, a row a function, and the sum; columns without a change are left out."""
    change = made.difference
    by_group: Counter[tuple[str, str]] = Counter()
    for (function, cls), value in change.items():
        by_group[function, GROUP_OF.get(cls, OTHER)] += value
    groups = [g for g in (*GROUPS, OTHER) if any(g == group for _, group in by_group)]
    table = [["function", *groups, "all"]]
    for function in made.functions():
        cells = [by_group[function, group] for group in groups]
        table.append([function, *map(signed, cells), signed(made.of(function))])
    sums = [sum(v for (_, group), v in by_group.items() if group == g) for g in groups]
    table.append(["all", *map(signed, sums), signed(sum(change.values()))])
    return table


def signed(value: int) -> str:
    """`+1,234`, `-1,234`, and nothing for 0."""
    return f"{value:+,}" if value else ""


def movers(made: Step, most: int = 2) -> str:
    """One sentence, in instructions a round trip, that names the functions that change most."""
    whole, n = made.child.total - made.parent.total, made.child.n
    if not made.difference:
        return "Nothing changes."
    parts = []
    for name in made.functions()[:most]:
        parts.append(f"`{name}` {made.of(name) / n:+,.0f}")
    head = f"{abs(whole) / n:,.0f} instructions {'fewer' if whole < 0 else 'more'}"
    head = head if whole else "As many instructions"
    return f"{head}; most in {', '.join(parts)}."


def fitted(table: list[list[str]], width: int) -> list[str]:
    """The table as lines no wider than `width`, where a column fits: the columns that do not stand
    below, beside the first column again."""
    room = [max(map(len, column)) + 2 for column in zip(*table)]
    blocks: list[list[int]] = [[]]
    for column in range(1, len(room)):
        if blocks[-1] and sum(room[at] for at in (0, *blocks[-1], column)) - 2 > width:
            blocks.append([])
        blocks[-1].append(column)
    parts = [aligned([[row[at] for at in (0, *block)] for row in table]) for block in blocks]
    return [line for part in parts for line in ["", *part]][1:]


def block(made: Step, child: Snapshot, level: str, width: int, root: Path = ladder.ROOT) -> str:
    """What is printed for a step at a level: both counts, the prediction, the largest movers and
    the table."""
    parent, here = made.parent.total / made.parent.n, made.child.total / made.child.n
    lines = [
        f"-{level}: {parent:,.0f} -> {here:,.0f} instructions a round trip,"
        f" x{made.gain:.2f}, {verdict(here, parent)}"
    ]
    score = scoreboard.score(child, level, made.gain)
    if score.expected:
        when = scoreboard.first_commit(child, root)
        written = f" (written in {when})" * bool(when)
        lines.append(f"predicted {score.said}: {score.word}{written}")
    note = f"Differences of {made.child.n} round trips (child - parent):"
    return "\n".join(
        [*lines, *textwrap.wrap(movers(made), width), "", note, *fitted(rows(made), width)]
    )


def beside(parent: Snapshot, child: Snapshot, level: str, width: int, root: Path) -> str:
    """The block of two snapshots at one level, from the results that have them; where none do, a
    line that says so."""
    name = f"{parent.study}/{parent.name}"
    same = ladder.parent_of(child, root) == parent
    child = replace(child, parent=name, predicts=child.predicts if same else {})
    try:
        folder = results("", child, level, root)
        made = compared(folder, child, level, root)
    except Failure as fault:
        return f"counts: {fault}"
    head = f"Why, by function (results/{folder.name}).  {MERGED}"
    return "\n".join([*textwrap.wrap(head, width), "", block(made, child, level, width, root)])


def text(
    folder: Path,
    child: Snapshot,
    levels: Iterable[str] = ladder.LEVELS,
    root: Path = ladder.ROOT,
    width: int = 160,
) -> str:
    """All that is printed for a step.  Raises Failure."""
    blocks = [
        block(compared(folder, child, level, root), child, level, width, root) for level in levels
    ]
    return "\n\n".join(blocks)
