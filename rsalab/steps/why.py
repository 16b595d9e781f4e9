"""Why a step executes fewer or more instructions: by function and by kind of instruction.

For each level a table of differences between parent and child whose cells add
up to the whole difference to the unit.
"""

import textwrap
from dataclasses import replace
from pathlib import Path

from records import ladder
from records.faults import Failure
from records.ladder import LEVELS, Snapshot
from records.results import Results
from records.statistics import verdict
from records.tables import aligned
from rsalab.steps import claims, scoreboard
from rsalab.steps.spent import KINDS, Step, compared, results_of, warn

MERGED = (
    "An instruction counts for the innermost function of the snapshot's own files; code that gcc"
    " merged counts for the scope that it kept."
)


def rows(made: Step, n: int = 1) -> list[list[str]]:
    """The table: a head, a row a function, and the sum; columns without a
    change are left out. Divided by `n`, a number of round trips, with the
    decimals that keep the sums exact."""
    cells, decimals = made.difference, len(str(n)) - 1
    kinds = [kind for kind in KINDS if any(kind == one for _, one in cells)]
    table = [[cells.get((name, kind), 0) for kind in kinds] for name in made.changes]
    table.append([sum(row[column] for row in table) for column in range(len(kinds))])
    texts = [
        [f"{value / n:+,.{decimals}f}" if value else "" for value in (*row, sum(row))]
        for row in table
    ]
    names = ["function", *made.changes, "all"]
    return [[name, *line] for name, line in zip(names, [[*kinds, "all"], *texts])]


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
    first, *columns = zip(*table)
    shown, lines = [first], list[str]()
    for column in columns:
        tried = aligned([*zip(*shown, column)])
        if len(shown) > 1 and max(map(len, tried)) > width:
            lines += [*aligned([*zip(*shown)]), ""]
            shown = [first]
        shown.append(column)
    return lines + aligned([*zip(*shown)])


def block(made: Step, child: Snapshot, level: str, width: int, score: str = "") -> str:
    """What is printed for a step at a level: both counts, the prediction
    and what became of it, the largest movers and the table."""
    n, parent, here = made.child.n, made.parent.total, made.child.total
    counts = f"-{level}: {parent / n:,.0f} -> {here / n:,.0f} instructions a round trip"
    lines = [f"{counts}, x{made.gain:.2f}, {verdict(here, parent)}"]
    if score:
        lines.append(f"predicted {score}")
        lines += [f"  {when}" for when in [scoreboard.written(child)] if when]
    lines += [*textwrap.wrap(movers(made), width), ""]
    lines += ["Differences of a round trip (child - parent):", *fitted(rows(made, n), width)]
    return "\n".join(lines)


def beside(
    parent: Snapshot, child: Snapshot, level: str, width: int, root: Path = ladder.ROOT
) -> str:
    """The block of two snapshots at one level, from the results that have
    them; where none do, a line that says so."""
    is_step = ladder.parent_of(child, root) == parent
    if not is_step:
        child = replace(child, parent=f"{parent.study}/{parent.name}")
    try:
        results = results_of("", child, level, root)
    except Failure as fault:
        return f"counts: {fault}"
    warn(results, (parent, child))
    made = compared(results, child, level)
    head = f"Why, by function ({results.label}).  {MERGED}"
    score = scoreboard.score(results, child, level) * is_step
    return "\n".join([textwrap.fill(head, width), "", block(made, child, level, width, score)])


def text(results: Results, child: Snapshot, width: int) -> str:
    """Why a step executes fewer or more instructions, and which of its
    README's claims hold.  Raises Failure."""
    made = {level: compared(results, child, level) for level in LEVELS}
    head = f"{child.study}/{child.name}: {child.idea} ({results.label})"
    parts = ["\n".join([textwrap.fill(head, width), textwrap.fill(MERGED, width)])]
    for level, one in made.items():
        parts.append(block(one, child, level, width, scoreboard.score(results, child, level)))
    listed = claims.listing(child, made)
    faults = dict.fromkeys([*claims.faults(results, child), *claims.untied(child, results.root)])
    lines = textwrap.TextWrapper(width, subsequent_indent="    ", break_on_hyphens=False)
    for told in (["The claims of its README:", *listed] if listed else [], faults):
        parts += ["\n".join(map(lines.fill, told))] * bool(told)
    return "\n\n".join(parts) + f"\nAll {len(child.claims)} hold." * (not faults)
