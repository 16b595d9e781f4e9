"""Why a step executes fewer or more instructions: by function and by kind of instruction.

For each level a table of differences between parent and child whose cells add
up to the whole difference to the unit.
"""

import os
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from records import ladder
from records.faults import Failure
from records.ladder import LEVELS, Snapshot
from records.results import Results
from records.settings import KINDS
from records.statistics import verdict
from records.tables import Table, factor, fitted
from rsalab import cycles, markdown
from rsalab.compilers import name_of
from rsalab.steps import claims, figures, scoreboard
from rsalab.steps.shares import shares
from rsalab.steps.spent import Step, compared, results_of, warn

# A variable of make: with the claims, and the commits of a prediction.
CLAIMS = "CLAIMS"
MOST_ROWS = 10  # of a table by level
MERGED = (
    "An instruction counts for the innermost function of the snapshot's own files; code that gcc"
    " merged counts for the scope that it kept."
)


def rows(made: Step, n: int = 1) -> list[list[str]]:
    """Return the table: a head, a row a function, and the sum; columns without
    a change are left out.  Divided by `n`, a number of round trips, with the
    decimals that keep sums exact, but whole from 1,000 on."""
    cells = made.difference
    sums = Counter[str]()
    for (_, kind), change in cells.items():
        sums[kind] += change
    kinds = [kind for kind in KINDS if kind in sums]
    table = [["function", *kinds, "all"]]
    for name, change in made.changes.items():
        values = [cells.get((name, kind), 0) for kind in kinds]
        values.append(change)
        table.append([name, *numbers(values, n)])
    values = [sums[kind] for kind in kinds]
    all_of_it = sum(values)
    values.append(all_of_it)
    table.append(["all", *numbers(values, n)])
    return table


def numbers(values: list[int], n: int) -> list[str]:
    """Return changes by `n` round trips as those of a round trip."""
    texts = []
    for value in values:
        texts.append(number(value, n))
    return texts


def number(value: int, n: int) -> str:
    """Return a change by `n` round trips as one of a round trip; "" for none."""
    if value == 0:
        return ""
    decimals = len(str(n)) - 1
    is_large = abs(value) >= 1000 * n
    is_whole = value % n == 0
    if is_large or is_whole:
        decimals = 0
    return f"{value / n:+,.{decimals}f}"


def answer_first(table: list[list[str]]) -> Table:
    """Return the table with its last column, the sum, beside the first."""
    moved = []
    for name, *parts, answer in table:
        moved.append([name, answer, *parts])
    return Table(moved[0], moved[1:])


def movers(made: Step) -> str:
    """Return one sentence, in instructions a round trip, that names the
    two functions that change most."""
    if not made.difference:
        return "Nothing changes."
    n = made.child.n
    change = made.child.total - made.parent.total
    head = "As many instructions"
    if change:
        word = "fewer" if change < 0 else "more"
        head = f"{abs(change) / n:,.0f} instructions {word}"
    parts = []
    for name, of_one in made.changes.items():
        parts.append(f"`{name}` {of_one / n:+,.0f}")
    return f"{head}; most in {', '.join(parts[:2])}."


def block(made: Step, child: Snapshot, level: str, width: int, score: str = "") -> str:
    """Return what is printed for a step at a level: both counts, the
    prediction and what became of it, the largest movers and the table."""
    n = made.child.n
    before = made.parent.total
    after = made.child.total
    counts = (
        f"-{level}: {before / n:,.0f} -> {after / n:,.0f} instructions a round trip"
    )
    word = verdict(after, before)
    lines = [f"{counts}, x{made.gain:.2f}, {word}"]
    if score:
        disclosed = (
            ", its result was known before" if score.endswith("disclosed") else ""
        )
        lines.append(f"predicted {score}{disclosed}")
        commits = scoreboard.written(child)
        if commits and os.environ.get(CLAIMS):
            lines.append(f"  {commits}")
    lines += [*textwrap.wrap(movers(made), width), ""]
    lines.append("Differences of a round trip (child - parent):")
    table = answer_first(rows(made, n))
    lines += fitted(table, width)
    return "\n".join(lines)


def beside(
    parent: Snapshot, child: Snapshot, level: str, width: int, root: Path = ladder.ROOT
) -> str:
    """Return the block of two snapshots at one level, from the results that have
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
    score = scoreboard.score(results, child, level) if is_step else ""
    title = textwrap.fill(head, width)
    reasons = block(made, child, level, width, score)
    return f"{title}\n\n{reasons}"


def summary(
    results: Results, child: Snapshot, steps: dict[str, Step], width: int
) -> list[str]:
    """Return a line for each level: the gain in instructions and, where the core ran both, in the
    Cortex-M4's cycles, which are a model, of programs by a compiler of their own."""
    compiler = name_of(results.root / cycles.MODEL_FOLDER)
    core = f"M4 cycles (model, {compiler})"
    head = ["level", "instructions", "gain", core, "gain"]
    lines = []
    for level, made in steps.items():
        n = made.child.n
        counts = f"{made.parent.total / n:,.0f} -> {made.child.total / n:,.0f}"
        modelled = cycles.of_step(child, level, results.root)
        ends = ["-", "-"]
        if modelled:
            before, after = modelled
            modelled_cycles = f"{cycles.rounded(before)} -> {cycles.rounded(after)}"
            ends = [modelled_cycles, cycles.rounded_factor(before / after)]
        lines.append([f"-{level}", counts, factor(made.gain), *ends])
    return fitted(Table(head, lines), width)


def estimate(
    results: Results, child: Snapshot, steps: dict[str, Step], width: int
) -> list[str]:
    """Return where the parent spends its instructions, and the estimate that the README makes from
    this, with the numbers of these results."""
    parent, _ = child.page_names
    sentence = (
        f"Of {parent}'s instructions each function itself has this share. A step that makes it"
        " free gains at most the factor behind it:"
    )
    table = shares(results, child)
    parts = []
    if table.rows:
        _, *columns = table.head
        named = Table([f"in {parent}", *columns], table.rows)
        lines = fitted(named, width)
        parts.append("\n".join([textwrap.fill(sentence, width), *lines]))
    paragraphs = markdown.parts(child, results.root, comments=True)
    if markdown.ESTIMATE in paragraphs:
        words = figures.refilled(paragraphs[markdown.ESTIMATE], steps)
        one_line = " ".join(f"{markdown.ESTIMATE}. {words}".split())
        parts.append(textwrap.fill(one_line, width, break_on_hyphens=False))
    return parts


def by_level(steps: dict[str, Step], kind: str, column: int) -> Table:
    """Return the table of what changes at each level, by function (column 0) or kind of instruction
    (column 1), in instructions a round trip: the largest changes, the others and the sum."""
    changes: dict[str, Counter[str]] = {}
    for level, made in steps.items():
        for names, change in made.difference.items():
            of_name = changes.setdefault(names[column], Counter())
            of_name[level] += change
    by_size = sorted(changes, key=lambda name: -max(map(abs, changes[name].values())))
    rows_of = {name: changes[name] for name in by_size[:MOST_ROWS]}
    others = by_size[MOST_ROWS:]
    if others:
        rows_of[f"{len(others)} others"] = added(changes[name] for name in others)
    rows_of["all"] = added(changes.values())
    lines = []
    for name, of_name in rows_of.items():
        cells = []
        for level, made in steps.items():
            cells.append(number(of_name[level], made.child.n))
        lines.append([name, *cells])
    return Table([kind, *(f"-{level}" for level in steps)], lines)


def added(parts: Iterable[Counter[str]]) -> Counter[str]:
    """Return the sums of several changes, by level."""
    sums = Counter[str]()
    for part in parts:
        for level, change in part.items():
            sums[level] += change
    return sums


def predictions(results: Results, child: Snapshot) -> list[str]:
    """Return a line for each level: what was predicted and what became of it."""
    lines = []
    for level in LEVELS:
        score = scoreboard.score(results, child, level)
        if score:
            lines.append(f"-{level}  predicted {score}")
    return lines


def text(results: Results, child: Snapshot, width: int) -> str:
    """Return why a step executes fewer or more instructions, and whether its README's claims hold;
    where the reader asks for claims, each level by function and kind, too.  Raises Failure."""
    steps = {level: compared(results, child, level) for level in LEVELS}
    head = f"{child.study}/{child.name}: {child.idea} ({results.label})"
    parts = [
        textwrap.fill(head, width),
        "\n".join(summary(results, child, steps, width)),
    ]
    whole = os.environ.get(CLAIMS)
    if whole:
        parts.append(textwrap.fill(MERGED, width))
        parts += estimate(results, child, steps, width)
        for level, step in steps.items():
            score = scoreboard.score(results, child, level)
            parts.append(block(step, child, level, width, score))
    else:
        parts.append("\n".join(predictions(results, child)))
        for kind, column in (("function", 0), ("instruction", 1)):
            parts.append("\n".join(fitted(by_level(steps, kind, column), width)))
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent="    ", break_on_hyphens=False
    )
    listed = claims.listing(results, child, steps)
    if listed and whole:
        lines = ["The claims of its README:", *listed]
        filled = [wrapper.fill(line) for line in lines]
        parts.append("\n".join(filled))
    if whole:
        lines = ["What came of it, with the numbers of these results:"]
        for sentence in figures.told_here(results, child, steps):
            lines.append(textwrap.fill(sentence, width, break_on_hyphens=False))
        parts.append("\n".join(lines))
    faults = list(claims.faults(results, child))
    faults += claims.untied(child, results.root)
    if faults and whole:
        each_once = dict.fromkeys(faults)
        lines = [wrapper.fill(fault) for fault in each_once]
        parts.append("\n".join(lines))
    else:
        held = standing(results, child, steps)
        parts.append(textwrap.fill(held, width, break_on_hyphens=False))
    return "\n\n".join(part for part in parts if part)


def standing(results: Results, child: Snapshot, steps: Mapping[str, Step]) -> str:
    """Return in a sentence whether the claims of a README hold in these results, and in another
    one which of them cannot be tested."""
    false = claims.untied(child, results.root)
    uncounted = []
    for level, step in steps.items():
        false_there, uncounted_there = claims.missed(results, child, level, step)
        false += false_there
        uncounted += uncounted_there
    said = f"All claims of its README that are about {results.compiler} hold;"
    if false:
        said = "Not all claims of its README hold here;"
    elif uncounted:
        numbers = " ".join(dict.fromkeys(uncounted))
        said = (
            f"Not counted here, so not tested: claims {numbers}. All others that are"
            f" about {results.compiler} hold;"
        )
    return f"{said} {CLAIMS}=1 lists them, and all details."
