"""A results folder as a database in memory: one table for each file, one view
for each question.

results = load(reference())
results.query("select rung, level, instructions from ladder where study = 'width-64'")

The views are in views.sql.  Nothing but Python's own library is needed, so
that a board prints its tables without pandas; with it, `pandas.read_sql(text,
results.db)` gives the same as a frame.
"""

import os
import sqlite3
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, ROOT, Snapshot, natural_key
from records.machine import FILE, is_imported, read_machine
from records.rows import CELL, SCHEMAS, Row, read_rows
from records.statistics import verdict
from records.workload import TRIP_FULL, TRIP_SMALL

LOCAL = "results/local"
SWITCH = "RSALAB_RESULTS"
FULL, STATIC = TRIP_FULL, "static"  # cases: the main one, and that of asm.csv
EXACT = ("instructions", "loads", "stores", "branches", "multiplies", "neon")
SIZES = ("asm_instructions", "asm_lines", "code_bytes")
COMPARABLE = ("counts", "lines", "models")  # files whose studies are of one case
PLACE = "study place name idea parent parent_study parent_name base_study base_name".split()
VIEWS = Path(__file__).with_name("views.sql")


class Median(list[float]):
    """The aggregate that SQLite lacks, a list of values."""

    step = list.append

    def finalize(self) -> float:
        """The median of all of them."""
        return statistics.median(self)


@dataclass(frozen=True, eq=False)
class Results:
    """A results folder.  Counts and sizes are exact, times are noisy and
    often absent.  `label` is the folder's name as texts may show it."""

    folder: Path
    label: str
    machine: dict[str, Any]
    root: Path = ROOT

    @cached_property
    def db(self) -> sqlite3.Connection:
        """The database.  Raises Failure at the first line that is not a row of its file."""
        there = [path for path in map(self.path, SCHEMAS) if path.is_file()]
        return _database(self.folder, self.label, self.root, digest(*there) if there else "")

    def path(self, file: str) -> Path:
        """Where a file of the folder is, such as `counts.csv`."""
        return self.folder / ("gprof" if file == "calls.csv" else "") / file

    def query(self, text: str, *values: object) -> list[sqlite3.Row]:
        """The rows of a question in SQL, `?` standing for `values`; a cell by its column's name."""
        return self.db.execute(text, values).fetchall()

    def means(self, study: str, snapshot: str, level: str, case: str = FULL) -> dict[str, float]:
        """Metric -> mean per operation, of a cell and a case; {} where it was not counted."""
        asked = 'metric, mean from means where (study, snapshot, level, "case") = (?, ?, ?, ?)'
        return dict(map(tuple, self.query(f"select {asked}", study, snapshot, level, case)))

    def ladder(self, study: str = LADDER, case: str = FULL) -> list[sqlite3.Row]:
        """The study's rows of the view `ladder`, in ladder order.  Raises
        Failure when nothing of the study was counted."""
        asked = 'select * from ladder where study = ? and "case" = ? and instructions is not null'
        rows = self.query(asked, study, case)
        if not rows:
            command = "make all-iterations" if study == LADDER else "make studies"
            raise Failure(f"{self.label} has no counts of {study}; `{command}` measures them")
        return rows

    def trips(self, case: str = FULL, study: str = LADDER) -> int:
        """Operations that a study's means of this case are over; 0 where it was not counted."""
        asked = 'select max(n) as n from counts where "case" = ? and study = ?'
        return self.query(asked, case, study)[0]["n"] or 0

    def small(self, study: str) -> bool:
        """Whether some cell has the small round trips alone, so that they
        stand for all its study's."""
        return bool(self.query("select 1 from small where study = ?", study))

    def studies(self, case: str = FULL) -> list[str]:
        """The studies, the ladder apart, of which this case was counted."""
        return [study for study in ladder.studies(self.root) if self.trips(case, study)]

    def rungs(self, study: str = LADDER) -> list[Snapshot]:
        """The study's snapshots in ladder order, those that were counted."""
        rows = self.query("select distinct snapshot from counts where study = ?", study)
        counted = {row["snapshot"] for row in rows}
        return [s for s in ladder.snapshots(study, self.root) if s.name in counted]

    @property
    def platform(self) -> str:
        """`qemu-gcc12`."""
        return str(self.machine["platform"])

    @property
    def compiler(self) -> str:
        """Name and version, without the distribution's own numbering."""
        words = self.machine["compiler"].split()
        return f"{words[0]} {words[-1]}"


@cache
def _database(folder: Path, label: str, root: Path, _content: str) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.create_aggregate("median", 1, Median)  # type: ignore[arg-type]
    db.create_function("verdict", 2, lambda here, above: here and above and verdict(here, above))
    db.execute("create table small (study)")
    for file, form in SCHEMAS.items():
        name, path = Path(file).stem, Results(folder, label, {}).path(file)
        try:
            rows = read_rows(path)
        except (OSError, ValueError) as fault:
            raise Failure(str(fault).splitlines()[0].replace(str(folder), label)) from None
        if name in COMPARABLE:
            few, rows = of_one_case(rows)
            db.executemany("insert into small values (?)", [(study,) for study in few])
        _fill(db, name, form.columns, rows)
    studies = db.execute("select study from counts union select study from asm").fetchall()
    _fill(db, "snapshots", PLACE, _places([row["study"] for row in studies], root))
    db.executescript(VIEWS.read_text(encoding="utf-8"))
    return db


def _fill(db: sqlite3.Connection, name: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    names = ", ".join(f'"{column}"' for column in columns)
    db.execute(f"create table {name} ({names})")
    marks = ", ".join("?" * len(columns))
    db.executemany(f"insert into {name} values ({marks})", (tuple(row.values()) for row in rows))


def of_one_case(rows: Sequence[Row]) -> tuple[set[str], list[Row]]:
    """Rows in which the cells of a study can be compared: where some cell
    has the small round trips alone, the small ones of all its study stand
    for the full ones, and `n` says how many they are. These studies are the
    first of the pair."""
    small, full = (
        {tuple(row[part] for part in CELL) for row in rows if row["case"] == case}
        for case in (TRIP_SMALL, FULL)
    )
    few = {study for study, *_ in small - full}
    return few, [
        row | {"case": FULL} if row["study"] in few and row["case"] == TRIP_SMALL else row
        for row in rows
        if row["study"] not in few or row["case"] != FULL
    ]


def _places(studies: Sequence[str], root: Path) -> Iterator[Row]:
    """A row for each snapshot of these studies: its place, its parent, and
    where the line of its parents begins."""
    for study in studies:
        here = ladder.study_path(study, root).is_dir()
        for place, snapshot in enumerate(ladder.snapshots(study, root) if here else ()):
            parent = ladder.parent_of(snapshot, root)
            base = parent or snapshot
            while above := ladder.parent_of(base, root):
                base = above
            pair = (parent.study, parent.name) if parent else (None, None)
            own = (study, place, snapshot.name, snapshot.idea, snapshot.parent or "")
            yield dict(zip(PLACE, (*own, *pair, base.study, base.name)))


def reference(root: Path = ROOT) -> Path:
    """The results that a reader sees: the folder named by RSALAB_RESULTS,
    or the committed reference (an emulated platform first, then by name),
    or else the last run of this machine. What `make import` brought is
    never the reference.  Raises Failure when there is none."""
    if os.environ.get(SWITCH):
        return root / os.environ[SWITCH]

    def rank(path: Path) -> tuple[object, ...]:
        local, emulated = path.name == Path(LOCAL).name, path.name.startswith("qemu")
        return local, not emulated, natural_key(path.name)

    folders = sorted((path.parent for path in root.glob("results/*/machine.json")), key=rank)
    for folder in folders:
        if not is_imported(folder):
            return folder
    raise Failure("results: no results here yet; `make all-iterations` makes some")


def label(folder: Path, root: Path = ROOT) -> str:
    """A folder's name relative to the repository; outside it the last part of the name."""
    folder, root = folder.resolve(), root.resolve()
    return folder.relative_to(root).as_posix() if root in folder.parents else folder.name


def load(folder: str | Path, root: Path = ROOT, counted: bool = True) -> Results:
    """A results folder; a relative name is relative to the repository.
    Raises Failure when it is missing, not whole, or, where they have to be
    `counted`, has no instruction counts."""
    folder = root / folder
    name = label(folder, root)
    if not (folder / FILE).is_file():
        lacks = "no results in it" if folder.is_dir() else "no such folder"
        there = sorted(path.parent.name for path in folder.parent.glob(f"*/{FILE}"))
        then = f"there are: {' '.join(there)} (M=... says which)" if there else "none are here yet"
        raise Failure(f"{name}: {lacks}; {then}; `make all-iterations` measures")
    results = Results(folder, name, read_machine(folder, name), root)
    if not counted:
        return results
    for table, what in (("counts", "instruction counts"), ("asm", "sizes")):
        if not results.query(f"select 1 from {table} limit 1"):
            raise Failure(f"{name}: no {what} here ({table}.csv is missing)")
    if results.query("select 1 from means where metric = 'instructions' and mean = 0"):
        raise Failure(f"{name}/counts.csv: a total of no instructions; measure again")
    return results
