"""What a snapshot executes, by function and by class of instruction, and what
a step changes.

Every instruction executed belongs to one function (the innermost scope
declared in the snapshot's own files; a function of the compiler's run-time; a
routine in assembly) and to one class of the counter's (harness/plugin/a32.h).
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from sqlite3 import Connection

from records import ladder
from records.faults import Failure
from records.ladder import Snapshot
from records.machine import is_imported
from records.results import FULL, Results

MOVES = "VFP moves"  # a group of their own in every table and chart
# Group -> its classes, each with its usual mnemonics: the columns of tables and parts of charts.
GROUPS = {
    "loads": {"load": "ldr", "load_multiple": "ldm, pop", "neon_load": "NEON load"},
    "stores": {"store": "str", "store_multiple": "stm, push", "neon_store": "NEON store"},
    "branches": {"branch": "b", "call": "bl", "return": "bx lr, pop {pc}"},
    "adds": {"add_sub": "add, sub", "add_sub_carry": "adc, sbc"},
    "logic": {
        "logical": "and, orr, eor",
        "shift": "lsl, lsr, rrx",
        "bitfield": "ubfx, uxtb",
        "media": "uadd8, sel",
    },
    "compares": {"compare": "cmp, tst"},
    "moves": {"move": "mov"},
    MOVES: {"neon_move": "VFP move"},  # between core and VFP or NEON registers
    "NEON": {"neon_arith": "NEON arithmetic", "vfp": "VFP"},
    "multiplies": {
        "mul": "mul, mla",
        "mul_half": "smlabb",
        "mul_long": "umull, umlal",
        "umaal": "umaal",
        "divide": "udiv",
    },
}
OTHER = "other"
GROUP_OF = {cls: group for group, classes in GROUPS.items() for cls in classes}
PLACE = re.compile(r"[\w.]+:\d")  # of a line: rsa.c:16
Cells = Counter[tuple[str, str]]  # (function, class) -> instructions


@dataclass(frozen=True)
class Spent:
    """What a snapshot executes at a level over `n` round trips, by function
    and class, and by place (`rsa.c:16`) and class.  `means` has every
    metric of every case, an operation, by `case:metric`, and how often a
    round trip calls each function of the source, by `calls:function`.
    """

    n: int
    cells: Cells
    means: dict[str, float] = field(default_factory=dict)
    places: Cells = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """All instructions."""
        return sum(self.cells.values())

    @property
    def names(self) -> set[str]:
        """What `of` knows here."""
        cells = (*self.cells.items(), *self.places.items())
        return {name for cell, count in cells if count for name in _names(*cell)}

    def of(self, names: Iterable[str]) -> int:
        """Instructions in any of these: a function, a group of classes,
        `function/group`, or `class:umaal`; or in any of these places:
        `rsa.c:16`, `rsa.c:16/loads`."""
        wanted = set(names)
        cells = self.places if any(PLACE.match(name) for name in wanted) else self.cells
        return sum(count for cell, count in cells.items() if wanted & _names(*cell))


def _names(function: str, cls: str) -> set[str]:
    """What the instructions of a cell go by."""
    group = GROUP_OF.get(cls, OTHER)
    return {function, group, f"{function}/{group}", f"class:{cls}"}


def spent(folder: Path) -> dict[tuple[str, str, str], Spent]:
    """(study, snapshot, level) -> what it spent, of a results folder; {}
    where nothing was counted by line.  Raises Failure for counts by line
    that do not add up to the counts by symbol."""
    results = Results(folder, f"results/{folder.name}", {})
    if not results.path("lines.csv").is_file():
        return {}
    for name in ("asm.csv", "counts.csv"):
        if not results.path(name).is_file():
            raise Failure(f"{results.label}/{name}: missing; `make all-iterations` writes it")
    return _spent(results.db, results.label)


@cache
def _spent(db: Connection, label: str) -> dict[tuple[str, str, str], Spent]:
    made: dict[tuple[str, str, str], Spent] = {}
    for *key, function, place, cls, count, n in db.execute("select * from spent"):
        cell = made.setdefault(tuple(key), Spent(n, Counter()))
        cell.cells[function, cls] += count
        cell.places[place, cls] += count
    for *key, case, metric, mean, _ in db.execute("select * from means where \"case\" <> 'static'"):
        if tuple(key) in made:
            made[tuple(key)].means[f"{case}:{metric}"] = mean
    for *name, function, calls, _ in db.execute("select * from entered"):
        for (*own, _), cell in made.items():
            if own == name:
                cell.means[f"calls:{function}"] = calls
    for key, cell in made.items():
        counted = round(cell.n * cell.means.get(f"{FULL}:instructions", 0))
        if not cell.total or cell.total != counted:
            raise Failure(
                f"{label}: {'/'.join(key)}: lines.csv and counts.csv are not of one run;"
                " `make all-iterations` measures again"
            )
    return made


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

    @property
    def changes(self) -> dict[str, int]:
        """Function -> change of its count, those that change most first."""
        change: Counter[str] = Counter()
        for (function, _), value in self.difference.items():
            change[function] += value
        order = sorted(change, key=lambda name: (-abs(change[name]), name))
        return {name: change[name] for name in order}


def step(folder: Path, child: Snapshot, level: str, root: Path = ladder.ROOT) -> Step | None:
    """A snapshot beside its parent; None where it has none, where one of
    them is not counted, or where they do not make the same round trips.
    Raises Failure for damaged results."""
    parent = ladder.parent_of(child, root)
    if parent is None:
        return None
    counted = spent(folder)
    one, other = (counted.get((side.study, side.name, level)) for side in (parent, child))
    if one is None or other is None:
        return None
    for name in child.beside:
        study, _, short = name.rpartition("/")
        if side := counted.get((study, short, level)):
            other.means.update({f"{short}:{metric}": x for metric, x in side.means.items()})
    return Step(one, other) if (one.n, parent.width) == (other.n, child.width) else None


def compared(folder: Path, child: Snapshot, level: str, root: Path = ladder.ROOT) -> Step:
    """A snapshot beside its parent.  Raises Failure where they cannot be compared."""
    made = step(folder, child, level, root)
    if made is not None:
        return made
    name = f"{child.study}/{child.name}"
    if child.parent is None:
        raise Failure(f"{name} has no parent: the ladder starts there")
    missing = f"{name} -{level} has no counts beside its parent's; `{target(child)}`"
    raise Failure(f"results/{folder.name}: {missing}")


def results(
    asked: str, child: Snapshot, level: str = ladder.LEVELS[-1], root: Path = ladder.ROOT
) -> Path:
    """The results folder to read: the one that is asked for, or else the
    own results where they have the step, or else the committed ones.
    Raises Failure."""
    if asked:
        there = sorted(path.parent.name for path in root.glob("results/*/lines.csv"))
        if asked not in there:
            raise Failure(f"M={asked}: no such results; there are: {' '.join(there) or 'none'}")
        return root / "results" / asked
    for path in sorted(root.glob("results/*/lines.csv"), key=lambda path: path.parent.name):
        # "local" comes before "pi" and "qemu"
        if not is_imported(path.parent) and step(path.parent, child, level, root):
            return path.parent
    raise Failure(f"{child.name} -{level} is not counted beside its parent; type `{target(child)}`")


def target(child: Snapshot) -> str:
    """What makes a snapshot's counts."""
    return f"make {child.name if child.study == ladder.LADDER else 'studies'}"
