"""Why a step executes fewer or more instructions: by function and by class of instruction.

`python3 -m rsalab.steps.why NAME` prints, for each level, a table of differences between
parent and child.  Its cells add up to the whole difference to the unit: every instruction executed
belongs to one function (the innermost scope declared in the snapshot's own files; a function of the
compiler's run-time; a routine in assembly) and to one class of the counter's.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from records import ladder
from records.columns import aligned
from records.faults import Failure, command_line
from records.ladder import LADDER, Snapshot
from records.rows import read_rows
from records.verdict import verdict

SUMS = ("total", "snapshot")
# The counter's classes (harness/count/plugin/a32.h) in the columns of a table.
GROUPS = {
    "loads": ("load", "load_multiple", "neon_load"),
    "stores": ("store", "store_multiple", "neon_store"),
    "branches": ("branch", "call", "return"),
    "adds": ("add_sub", "add_sub_carry"),
    "logic": ("logical", "shift", "bitfield", "media"),
    "compares": ("compare",),
    "moves": ("move",),
    "VFP moves": ("neon_move",),  # between core and VFP or NEON registers
    "NEON": ("neon_arith", "vfp"),
    "multiplies": ("mul", "mul_half", "mul_long", "umaal", "divide"),
}
OTHER = "other"
GROUP_OF = {cls: group for group, classes in GROUPS.items() for cls in classes}
Cells = Counter[tuple[str, str]]  # (function, class) -> instructions


@dataclass(frozen=True)
class Spent:
    """What a snapshot executes at a level over `n` round trips of `case`, by function and class."""

    case: str
    n: int
    cells: Cells

    @property
    def total(self) -> int:
        """All instructions."""
        return sum(self.cells.values())

    @property
    def names(self) -> set[str]:
        """What `of` knows here."""
        return {name for cell, count in self.cells.items() if count for name in _names(*cell)}

    def of(self, names: Iterable[str]) -> int:
        """Instructions in any of these: a function, a group of classes, `function/group`, or
        `class:umaal`."""
        wanted = set(names)
        return sum(count for cell, count in self.cells.items() if wanted & _names(*cell))


def _names(function: str, cls: str) -> set[str]:
    """What the instructions of a cell go by."""
    group = GROUP_OF.get(cls, OTHER)
    return {function, group, f"{function}/{group}", f"class:{cls}"}


@cache
def spent(folder: Path) -> dict[tuple[str, str, str], Spent]:
    """(study, snapshot, level) -> what it spent, of a results folder.  Raises Failure where there
    are no counts by line, or where they do not add up to the counts by symbol."""
    found: dict[tuple[str, str, str], Spent] = {}
    for row in read_rows(folder / "lines.csv"):
        key = (row["study"], row["snapshot"], row["level"])
        made = found.setdefault(key, Spent(row["case"], row["n"], Counter()))
        made.cells[row["function"], row["class"]] += row["instructions"]
    if not found:
        raise Failure(f"{folder}: no counts by line (lines.csv); `make all-iterations` makes them")
    own = {
        (row["study"], row["snapshot"], row["level"], row["symbol"])
        for row in read_rows(folder / "asm.csv")
    }
    totals: dict[tuple[str, str, str], int] = {}
    for row in read_rows(folder / "counts.csv"):
        key = (row["study"], row["snapshot"], row["level"])
        if key not in found or row["case"] != found[key].case:
            continue
        if row["metric"] == "instructions" and row["symbol"] == "total":
            totals[key] = row["value"]
        if row["metric"].startswith("class_") and row["symbol"] not in SUMS:
            if (*key, row["symbol"]) not in own:
                cls = row["metric"].removeprefix("class_")
                found[key].cells[row["symbol"], cls] += row["value"]
    for key, made in found.items():
        if made.total != totals.get(key):
            raise Failure(f"{folder}: {'/'.join(key)}: lines.csv and counts.csv are not of one run")
    return found


@dataclass(frozen=True)
class Step:
    """What parent and child spent at a level, over the same number of round trips."""

    parent: Spent
    child: Spent

    @property
    def difference(self) -> Cells:
        """(function, class) -> instructions that the child executes more (below 0: fewer)."""
        change = Counter(self.child.cells)
        change.subtract(self.parent.cells)
        return Counter({key: value for key, value in change.items() if value})

    @property
    def gain(self) -> float:
        """How many times fewer instructions the child executes."""
        return self.parent.total / self.child.total

    def functions(self) -> list[str]:
        """The functions whose count changes, those that change most first."""
        change: Counter[str] = Counter()
        for (function, _), value in self.difference.items():
            change[function] += value
        return sorted(change, key=lambda name: (-abs(change[name]), name))

    def of(self, function: str) -> int:
        """The change of a function."""
        return sum(value for (name, _), value in self.difference.items() if name == function)


def step(folder: Path, child: Snapshot, level: str, root: Path = ladder.ROOT) -> Step:
    """A snapshot beside its parent.  Raises Failure where one of them is not counted, or where they
    were not counted over the same round trips."""
    parent = ladder.parent_of(child, root)
    if parent is None:
        raise Failure(f"{child.study}/{child.name} has no parent: the ladder starts there")
    found = spent(folder)
    sides = []
    for snapshot in (parent, child):
        key = (snapshot.study, snapshot.name, level)
        if key not in found:
            raise Failure(f"{folder}: {'/'.join(key)} is not counted; `make {snapshot.name}`")
        sides.append(found[key])
    one, other = sides
    if (one.case, one.n, parent.width) != (other.case, other.n, child.width):
        raise Failure(f"{child.name} and {parent.name} do not make the same round trips")
    return Step(*sides)


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


def text(folder: Path, child: Snapshot, levels: Iterable[str] = ladder.LEVELS) -> str:
    """All that is printed for a step."""
    blocks = []
    for level in levels:
        made = step(folder, child, level)
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
        return root / "results" / asked
    for path in sorted(root.glob("results/*/lines.csv"), key=lambda path: path.parent.name):
        with suppress(Failure):  # "local" comes before "pi" and "qemu"
            step(path.parent, child, ladder.LEVELS[-1], root)
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


if __name__ == "__main__":
    sys.exit(command_line("why", main))
