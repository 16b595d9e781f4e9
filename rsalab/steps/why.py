"""Why a step executes fewer or more instructions: by function and by class of instruction.

For each level a table of differences between parent and child whose cells add
up to the whole difference to the unit.
"""

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

WIDTH = 80  # columns, where no terminal says another number
MERGED = (
    "An instruction counts for the innermost function of the snapshot's own files; code that gcc"
    " merged counts for the scope that it kept."
)


def rows(made: Step, n: int = 1) -> list[list[str]]:
    """The table: a head, a row a function, and the sum; columns without a
    change are left out. Divided by `n`, a number of round trips, with the
    decimals that keep the sums exact."""
    by_group: Counter[tuple[str, str]] = Counter()
    for (function, cls), value in made.difference.items():
        by_group[function, GROUP_OF.get(cls, OTHER)] += value
    groups = [g for g in (*GROUPS, OTHER) if any(g == group for _, group in by_group)]
    table = [[by_group[name, group] for group in groups] for name in made.changes]
    table.append([sum(column) for column in zip(*table)] or [0] * len(groups))
    decimals = len(str(n)) - 1

    def signed(value: int) -> str:
        return f"{value / n:+,.{decimals}f}" if value else ""

    lines = [[*map(signed, values), signed(sum(values))] for values in table]
    names = ["function", *made.changes, "all"]
    return [[name, *line] for name, line in zip(names, [[*groups, "all"], *lines])]


def movers(made: Step, most: int = 2) -> str:
    """One sentence, in instructions a round trip, that names the functions that change most."""
    whole, n = made.child.total - made.parent.total, made.child.n
    if not made.difference:
        return "Nothing changes."
    parts = [f"`{name}` {change / n:+,.0f}" for name, change in made.changes.items()]
    head = f"{abs(whole) / n:,.0f} instructions {'fewer' if whole < 0 else 'more'}"
    return f"{head if whole else 'As many instructions'}; most in {', '.join(parts[:most])}."


def fitted(table: list[list[str]], width: int) -> list[str]:
    """The table as lines no wider than `width`, where a column fits: the
    columns that do not stand below, beside the first column again."""
    room = [max(map(len, column)) + 2 for column in zip(*table)]
    blocks: list[list[int]] = [[]]
    for column in range(1, len(room)):
        if blocks[-1] and sum(room[at] for at in (0, *blocks[-1], column)) - 2 > width:
            blocks.append([])
        blocks[-1].append(column)
    parts = [aligned([[row[at] for at in (0, *block)] for row in table]) for block in blocks]
    return [line for part in parts for line in ["", *part]][1:]


def block(made: Step, child: Snapshot, level: str, width: int, root: Path = ladder.ROOT) -> str:
    """What is printed for a step at a level: both counts, the prediction,
    the largest movers and the table."""
    n, parent, here = made.child.n, made.parent.total, made.child.total
    lines = [
        f"-{level}: {parent / n:,.0f} -> {here / n:,.0f} instructions a round trip,"
        f" x{made.gain:.2f}, {verdict(here, parent)}"
    ]
    score = scoreboard.score(child, level, made.gain)
    if score.expected:
        when = scoreboard.written(child, root)
        lines += [f"predicted {score.said}: {score.word}", *[f"  {when}"] * bool(when)]
    note = "Differences of a round trip (child - parent):"
    table = fitted(rows(made, n), width)
    return "\n".join([*lines, *textwrap.wrap(movers(made), width), "", note, *table])


def beside(parent: Snapshot, child: Snapshot, level: str, width: int, root: Path) -> str:
    """The block of two snapshots at one level, from the results that have
    them; where none do, a line that says so."""
    same = ladder.parent_of(child, root) == parent
    predicts = child.predicts if same else {}
    child = replace(child, parent=f"{parent.study}/{parent.name}", predicts=predicts)
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
    width: int = WIDTH,
) -> str:
    """All that is printed for a step.  Raises Failure."""
    blocks = [
        block(compared(folder, child, level, root), child, level, width, root) for level in levels
    ]
    return "\n\n".join(blocks)
