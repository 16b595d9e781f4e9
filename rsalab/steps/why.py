"""Why a step executes fewer or more instructions: by function and by class of instruction.

`python3 -m rsalab.steps.why NAME` prints, for each level, a table of differences between parent and
child whose cells add up to the whole difference to the unit, and says which of the README's claims
hold.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from records import ladder
from records.columns import aligned
from records.faults import Failure, command_line
from records.ladder import LADDER, Snapshot
from records.verdict import verdict
from rsalab.steps import claims
from rsalab.steps.spent import GROUP_OF, GROUPS, OTHER, Step, compared, step


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


def movers(made: Step, most: int = 3) -> str:
    """One sentence, in instructions a round trip, that names the functions that change most."""
    whole, n = made.child.total - made.parent.total, made.child.n
    if not made.difference:
        return "Nothing changes."
    parts = []
    for name in made.functions()[:most]:
        change = made.of(name)
        share = f" ({change / whole:.0%})" if whole else ""
        parts.append(f"`{name}` {change / n:+,.0f}{share}")
    head = f"{abs(whole) / n:,.0f} instructions {'fewer' if whole < 0 else 'more'} a round trip"
    head = head if whole else "As many instructions a round trip"
    return f"{head}; the largest movers: {', '.join(parts)}."


def text(
    folder: Path,
    child: Snapshot,
    levels: Iterable[str] = ladder.LEVELS,
    root: Path = ladder.ROOT,
) -> str:
    """All that is printed for a step."""
    blocks = []
    for level in levels:
        made = compared(folder, child, level, root)
        parent, here = made.parent.total / made.parent.n, made.child.total / made.child.n
        head = (
            f"-{level}: {parent:,.0f} -> {here:,.0f} instructions a round trip,"
            f" x{made.gain:.2f}, {verdict(here, parent)}"
        )
        note = f"Differences of {made.child.n} round trips (child - parent):"
        blocks.append("\n".join([head, movers(made), "", note, *aligned(rows(made)), ""]))
    return "\n".join(blocks)


def results(asked: str, child: Snapshot, root: Path = ladder.ROOT) -> Path:
    """The results folder to read: the one that is asked for, or else the own results where they
    have the step, or else the committed ones.  Raises Failure."""
    if asked:
        there = sorted(path.parent.name for path in root.glob("results/*/lines.csv"))
        if asked not in there:
            raise Failure(f"M={asked}: no such results; there are: {' '.join(there) or 'none'}")
        return root / "results" / asked
    for path in sorted(root.glob("results/*/lines.csv"), key=lambda path: path.parent.name):
        if step(path.parent, child, ladder.LEVELS[-1], root):  # "local" before "pi" and "qemu"
            return path.parent
    raise Failure(f"{child.name} is measured nowhere; type `make {child.name}`")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="why", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--study", default=LADDER)
    parser.add_argument("--results", default="")
    options = parser.parse_args()
    if not options.name:
        raise Failure("say which step: make why B=v4")
    child = ladder.find(options.name, options.study)
    folder = results(options.results, child)
    print(f"{child.study}/{child.name}: {child.idea} (results/{folder.name})\n")
    print(text(folder, child))
    faults = claims.faults(folder, child)
    if child.claims:
        print(
            "\n".join(faults) if faults else f"All {len(child.claims)} claims of its README hold."
        )


if __name__ == "__main__":
    sys.exit(command_line("why", main))
