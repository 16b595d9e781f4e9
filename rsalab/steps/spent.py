"""What a snapshot executes, by function and by kind of instruction, and what
a step changes.

Every instruction executed belongs to one function (the innermost scope
declared in the snapshot's own files; a function of the compiler's run-time; a
routine in assembly) and to one class of the counter's (harness/plugin/a32.h),
whose kind records/kinds.csv has.
"""

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from sqlite3 import Connection

from harness.cells import Cell
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LEVELS, Snapshot
from records.machine import is_imported
from records.results import FULL, LOCAL, Results, load, rank
from records.settings import KINDS
from rsalab.models import for_armv6
from rsalab.steps import places

# Before a name of a claim: it is about the snapshot's program for ARMv6.
OF_ARMV6 = "armv6:"


@dataclass(frozen=True)
class Spent:
    """What a snapshot executes at a level over `n` round trips: instructions
    by function and kind, and the number, over as many round trips, that each
    name of a claim stands for (rsalab/steps/claims.py).  Of a place it is that
    of its lines: `folder` has the sources, `begins` where their functions began
    when they were counted."""

    n: int
    cells: Counter[tuple[str, str]] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    folder: Path = Path()
    begins: places.Begins = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Return all instructions."""
        return sum(self.cells.values())

    def of(self, *names: str) -> float:
        """Return what these names stand for together, a round trip; without a name all
        instructions."""
        if not names:
            return self.total / self.n
        return (
            sum(self.names[key] for name in names for key in self.keys(name)) / self.n
        )

    def keys(self, name: str) -> list[str]:
        """Return the keys of `names` that a name stands for.  Raises Failure for a place that
        the sources do not have."""
        if not places.is_place(name):
            return [name]
        place, _, kind = name.rpartition("/")
        if kind not in KINDS:
            return places.keys(self.folder, name, self.begins)
        lines = places.keys(self.folder, place, self.begins)
        return [f"{line}/{kind}" for line in lines]


def spent(results: Results, study: str, name: str, level: str) -> Spent:
    """Return what a cell spent; nothing where it was not counted by line.  Raises
    Failure for counts by line that do not add up to the counts by symbol."""
    made = _spent(results.db, results.label, study, name, level)
    folder = ladder.study_path(study, results.root) / name
    begins = _begins(results.db, study, name)
    return replace(made, folder=folder, begins=begins)


@cache
def _begins(db: Connection, *snapshot: str) -> places.Begins:
    """Return the first line of each function that was counted without optimisation, where a
    function's first instruction is of the line on which its code begins."""
    rows = db.execute(
        """select file, function, min(line) as line from spent
           where (study, snapshot, level) = (?, ?, ?) and file is not null
           group by file, function""",
        (*snapshot, LEVELS[0]),
    )
    return {(row["file"], row["function"]): int(row["line"]) for row in rows}


@cache
def _spent(db: Connection, label: str, *cell: str) -> Spent:
    where = "where study = ? and snapshot = ? and level = ?"
    rows = db.execute(f"select * from spent {where}", cell).fetchall()
    made = Spent(rows[0]["n"] if rows else 1)
    for row in rows:
        count = row["instructions"]
        kind = row["kind"]
        made.cells[row["function"], kind] += count
        made.names[kind] += count
        made.names[f"class:{row['class']}"] += count
        executed_in = [row["function"]]
        if row["file"]:
            executed_in.append(f"{row['file']}:{row['line']}")
        for name in executed_in:
            made.names[name] += count
            made.names[f"{name}/{kind}"] += count
    named = db.execute(f"select * from named {where}", cell) if rows else ()
    for row in named:
        made.names[f"{row['subject']}:{row['item']}"] = row["value"] * made.n
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
        """Return how many times fewer instructions the child executes."""
        return self.parent.total / self.child.total

    @property
    def difference(self) -> dict[tuple[str, str], int]:
        """Return by function and kind how many instructions the child executes more (below 0:
        fewer)."""
        before = self.parent.cells
        after = self.child.cells
        found = {}
        for cell in after | before:
            change = after[cell] - before[cell]
            if change:
                found[cell] = change
        return found

    @property
    def changes(self) -> dict[str, int]:
        """Return by function the change of its count, those that change most first."""
        found = Counter[str]()
        for (function, _), change in self.difference.items():
            found[function] += change
        by_name = sorted(found)
        by_size = sorted(
            by_name, key=lambda function: abs(found[function]), reverse=True
        )
        return {function: found[function] for function in by_size}


def step(results: Results, child: Snapshot, level: str) -> Step | None:
    """Return a snapshot beside its parent; None where it has none, where one of them is
    not counted, or where they do not make the same round trips.  Raises
    Failure for damaged results."""
    parent = ladder.parent_of(child, results.root)
    if parent is None or parent.width != child.width:
        return None
    before = spent(results, parent.study, parent.name, level)
    after = spent(results, child.study, child.name, level)
    if not before.total or not after.total or before.n != after.n:
        return None
    if any(OF_ARMV6 in claim for claim in child.claims):
        before = with_armv6(results, parent, level, before)
        after = with_armv6(results, child, level, after)
    names = Counter(after.names)
    for label in child.beside:
        study, _, beside = label.rpartition("/")
        third = spent(results, study, beside, level)
        names.update(
            {f"{beside}:{name}": after.n * third.of(name) for name in third.names}
        )
    return Step(before, replace(after, names=names))


def with_armv6(results: Results, snapshot: Snapshot, level: str, made: Spent) -> Spent:
    """Return what a snapshot spent, and under names of their own what its program for ARMv6 spends."""
    record = for_armv6(results)
    if record is None:
        return made
    there = spent(record, snapshot.study, snapshot.name, level)
    names = Counter(made.names)
    names.update({f"{OF_ARMV6}{name}": made.n * there.of(name) for name in there.names})
    return replace(made, names=names)


def compared(results: Results, child: Snapshot, level: str) -> Step:
    """Return a snapshot beside its parent.  Raises Failure where they cannot be compared."""
    found = step(results, child, level)
    if found:
        return found
    missing = f"{child.study}/{child.name} -{level} has no counts beside its parent's"
    raise Failure(f"{results.label}: {missing}; `{target(child)}`")


def results_of(
    asked: str,
    child: Snapshot,
    level: str = ladder.LEVELS[-1],
    root: Path = ladder.ROOT,
) -> Results:
    """Return the results to read: those that are asked for, or else the own where
    they have the step, or else the committed ones.  Raises Failure."""
    if asked:
        return load(asked, root)
    own = root / LOCAL
    folders = sorted(
        [file.parent for file in root.glob("results/*/lines.csv")], key=rank
    )
    if own in folders:
        folders.remove(own)
        folders.insert(0, own)
    for folder in folders:
        if is_imported(folder):
            continue
        results = load(folder, root)
        if step(results, child, level):
            return results
    raise Failure(
        f"{child.name} -{level} is not counted beside its parent; type `{target(child)}`"
    )


def warn(results: Results, snapshots: Iterable[Snapshot]) -> None:
    """Print a line for each snapshot whose sources, or whose program, are others
    than those that these results of this machine are of."""
    if results.label != LOCAL:
        return
    for snapshot in snapshots:
        cells = [Cell(snapshot, level, "", results.root / "build") for level in LEVELS]
        if any(has_changed(results, cell) for cell in cells):
            note = f"{snapshot.name} has changed since it was counted"
            print(
                f"  NOTE    {note}; `{target(snapshot)}` counts it anew",
                file=sys.stderr,
            )


def has_changed(results: Results, cell: Cell) -> bool:
    """Return whether the program of a cell, or a source of it, is another than was counted."""
    counted = results.machine["programs"].get(cell.label)
    if counted is None or not cell.program.exists():
        return False
    return digest(cell.program) != counted or not cell.made_of_sources()


def target(child: Snapshot) -> str:
    """Return what makes a snapshot's counts."""
    return f"make {child.name if child.study == ladder.LADDER else 'studies'}"
