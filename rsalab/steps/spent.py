"""What a snapshot executes, by function and by kind of instruction, and what
a step changes.

Every instruction executed belongs to one function (the innermost scope
declared in the snapshot's own files; a function of the compiler's run-time; a
routine in assembly) and to one class of the counter's (harness/plugin/a32.h),
whose kind records/kinds.csv has.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from sqlite3 import Connection

from harness.cells import Cell
from records import ladder, published
from records.faults import Failure
from records.files import digest
from records.ladder import LEVELS, Snapshot
from records.machine import is_imported
from records.results import FULL, LOCAL, Results, load, rank

# The kinds of instructions, in the order in which tables have them.
KINDS = tuple(dict.fromkeys(row["kind"] for row in csv.DictReader(published.KINDS.open())))


@dataclass(frozen=True)
class Spent:
    """What a snapshot executes at a level over `n` round trips: instructions
    by function and kind, and the number, over as many round trips, that each
    name of a claim stands for (rsalab/steps/claims.py)."""

    n: int
    cells: Counter[tuple[str, str]] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """All instructions."""
        return sum(self.cells.values())

    def of(self, *names: str) -> float:
        """What these names stand for together, a round trip; without a name all instructions."""
        return (sum(self.names[name] for name in names) if names else self.total) / self.n


def spent(results: Results, study: str, name: str, level: str) -> Spent:
    """What a cell spent; nothing where it was not counted by line.  Raises
    Failure for counts by line that do not add up to the counts by symbol."""
    return _spent(results.db, results.label, study, name, level)


@cache
def _spent(db: Connection, label: str, *cell: str) -> Spent:
    where = "where study = ? and snapshot = ? and level = ?"
    rows = db.execute(f"select * from spent {where}", cell).fetchall()
    made = Spent(rows[0]["n"] if rows else 1)
    for _, _, _, function, place, cls, count, _, kind in rows:
        made.cells[function, kind] += count
        for name in (
            function,
            kind,
            place,
            f"{function}/{kind}",
            f"{place}/{kind}",
            f"class:{cls}",
        ):
            made.names[name] += count
    for *_, name, value in db.execute(f"select * from named {where}", cell) if rows else ():
        made.names[name] = value * made.n
    if made.total != round(made.names[f"{FULL}:instructions"]):
        raise Failure(
            f"{label}: {'/'.join(cell)}: lines.csv and counts.csv are not of one run;"
            " `make all-iterations` measures again"
        )
    return made


@dataclass(frozen=True)
class Step:
    """What parent and child spent at a level, over the same number of round trips."""

    parent: Spent
    child: Spent

    @property
    def gain(self) -> float:
        """How many times fewer instructions the child executes."""
        return self.parent.total / self.child.total

    @property
    def difference(self) -> dict[tuple[str, str], int]:
        """(function, kind) -> instructions that the child executes more (below 0: fewer)."""
        before, after = self.parent.cells, self.child.cells
        return {at: after[at] - before[at] for at in after | before if after[at] != before[at]}

    @property
    def changes(self) -> dict[str, int]:
        """Function -> change of its count, those that change most first."""
        change = Counter[str]()
        for (function, _), value in self.difference.items():
            change[function] += value
        return dict(sorted(change.items(), key=lambda one: (-abs(one[1]), one[0])))


def step(results: Results, child: Snapshot, level: str) -> Step | None:
    """A snapshot beside its parent; None where it has none, where one of them is
    not counted, or where they do not make the same round trips.  Raises
    Failure for damaged results."""
    parent = ladder.parent_of(child, results.root)
    if parent is None or parent.width != child.width:
        return None
    one, other = (spent(results, side.study, side.name, level) for side in (parent, child))
    if not one.total or not other.total or one.n != other.n:
        return None
    names = Counter(other.names)
    for study, _, short in (name.rpartition("/") for name in child.beside):
        side = spent(results, study, short, level)
        names.update({f"{short}:{name}": other.n * side.of(name) for name in side.names})
    return Step(one, replace(other, names=names))


def compared(results: Results, child: Snapshot, level: str) -> Step:
    """A snapshot beside its parent.  Raises Failure where they cannot be compared."""
    if made := step(results, child, level):
        return made
    missing = f"{child.study}/{child.name} -{level} has no counts beside its parent's"
    raise Failure(f"{results.label}: {missing}; `{target(child)}`")


def results_of(
    asked: str, child: Snapshot, level: str = ladder.LEVELS[-1], root: Path = ladder.ROOT
) -> Results:
    """The results to read: those that are asked for, or else the own where
    they have the step, or else the committed ones.  Raises Failure."""
    if asked:
        return load(f"results/{asked}", root)
    committed = sorted((file.parent for file in root.glob("results/*/lines.csv")), key=rank)
    own = root / LOCAL
    for path in sorted(committed, key=lambda folder: folder != own):
        if not is_imported(path) and step(found := load(path, root), child, level):
            return found
    raise Failure(f"{child.name} -{level} is not counted beside its parent; type `{target(child)}`")


def warn(results: Results, snapshots: Iterable[Snapshot]) -> None:
    """A line for each snapshot whose sources, or whose program, are others
    than those that these results of this machine are of."""
    known = results.machine["programs"] if results.label == LOCAL else {}
    for snapshot in snapshots:
        cells = [Cell(snapshot, level, "", results.root / "build") for level in LEVELS]
        counted = [cell for cell in cells if cell.label in known and cell.program.exists()]
        if any(digest(c.program) != known[c.label] or not c.made_of_sources() for c in counted):
            again = f"`{target(snapshot)}` counts it anew"
            print(
                f"  NOTE    {snapshot.name} has changed since it was counted; {again}",
                file=sys.stderr,
            )


def target(child: Snapshot) -> str:
    """What makes a snapshot's counts."""
    return f"make {child.name if child.study == ladder.LADDER else 'studies'}"
