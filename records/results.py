"""A results folder as a database in memory: one table for each file, one view
for each question.

results = load(reference())
results.query("select snapshot, level, instructions from ladder where study = 'width-64'")

The views are in views.sql.  Nothing but Python's own library is needed, so
that a board prints its tables without pandas; with it, `pandas.read_sql(text,
results.db)` gives the same as a frame.
"""

import os
import sqlite3
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from records import ladder, published, tables
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, ROOT, Snapshot, natural_key
from records.machine import FILE, is_imported, read_machine
from records.rows import COLUMNS, empty, fill, make
from records.settings import USUAL_TOOLCHAIN
from records.statistics import verdict
from records.tables import Table, digits, factor, figures, percent, whole
from records.workload import TRIP_FULL

if TYPE_CHECKING:
    import pandas

LOCAL = "results/local"
SWITCH = "RSALAB_RESULTS"
FULL = TRIP_FULL  # the main case
SIZES = ("asm_instructions", "asm_lines", "code_bytes")
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
        there = filter(Path.is_file, map(self.path, COLUMNS))
        return _database(self.folder, self.label, self.root, digest(*there))

    def path(self, file: str) -> Path:
        """Where a file of the folder is, such as `counts.csv`."""
        return self.folder / ("gprof" if file == "calls.csv" else "") / file

    def query(self, text: str, *values: object) -> list[sqlite3.Row]:
        """The rows of a question in SQL, `?` standing for `values`; a cell by its column's name."""
        return self.db.execute(text, values).fetchall()

    def rows(self, module: str, name: str, **values: object) -> list[sqlite3.Row]:
        """Return the rows of a module's question, `:name` standing for a
        value.  The module says its `__file__`; its questions are in the .sql
        beside it."""
        return self.db.execute(tables.questions(module)[name], values).fetchall()

    def frame(self, name: str, **where: object) -> "pandas.DataFrame":
        """Return a view or a table as a DataFrame; of several rows only those
        whose columns have these values: `frame("ladder", study="width-64")`.
        docs/results.md says what is in each column."""
        import pandas  # here, because boards have none

        wanted = " and ".join(f"{column} = :{column}" for column in where) or "true"
        return pandas.read_sql(f"select * from {name} where {wanted}", self.db, params=where)

    def table(self, module: str, name: str, **values: object) -> Table:
        """The answer to a question of a module, which says its `__file__`."""
        return tables.asked(self.db, tables.questions(module)[name], values)

    def means(self, study: str, snapshot: str, level: str, case: str = FULL) -> dict[str, float]:
        """Metric -> mean per operation, of a cell and a case; {} where it was not counted."""
        asked = "metric, mean from means where (study, snapshot, level, workload) = (?, ?, ?, ?)"
        return dict(map(tuple, self.query(f"select {asked}", study, snapshot, level, case)))

    def ladder(self, study: str = LADDER, case: str = FULL) -> list[sqlite3.Row]:
        """The study's rows of the view `ladder`, in ladder order.  Raises
        Failure when nothing of the study was counted."""
        asked = "select * from ladder where study = ? and workload = ? and instructions is not null"
        rows = self.query(asked, study, case)
        if not rows:
            raise Failure(f"{self.label} has no counts of {study}; {measures(study)} them")
        return rows

    def trips(self, case: str = FULL, study: str = LADDER) -> int:
        """Operations that a study's means of this case are over; 0 where it was not counted."""
        asked = "select max(n) as n from counts where workload = ? and study = ?"
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
    db = empty()
    db.create_aggregate("median", 1, Median)  # type: ignore[arg-type]
    db.create_function("verdict", 2, lambda here, above: here and above and verdict(here, above))
    for form in (whole, factor, digits, figures):
        db.create_function(form.__name__, 1, lambda n, form=form: None if n is None else form(n))
    db.create_function("percent", 2, lambda low, high: None if low is None else percent(low, high))
    published.fill(db, root)
    recorded = sorted(root.glob("results/qemu-*/openssl.csv"))
    for path in [path for path in recorded if not is_imported(path.parent)][:1]:
        fill(db, path, f"{path.relative_to(root)}")
    db.executescript("create table openssl_record as select * from openssl; delete from openssl")
    for path in map(Results(folder, label, {}).path, COLUMNS):
        fill(db, path, f"{label}/{path.relative_to(folder)}")
    columns = "study place snapshot idea code parent_study parent".split()
    every = ladder.every(root)
    make(db, "snapshots", columns, _snapshots(every))
    columns = "study snapshot level low high disclosed".split()
    make(db, "predictions", columns, _predictions(every))
    db.executescript(VIEWS.read_text(encoding="utf-8"))
    return db


def _snapshots(every: list[Snapshot]) -> Iterator[tuple[object, ...]]:
    for place, one in enumerate(every):
        code = "assembly" if one.has_assembly else "compiled C"
        yield one.study, place, one.name, one.idea, code, *one.parent_place


def _predictions(every: list[Snapshot]) -> Iterator[tuple[object, ...]]:
    for child in every:
        for level, range_ in child.predicts.items():
            yield child.study, child.name, level, *range_, level in child.disclosed


def rank(folder: Path) -> tuple[object, ...]:
    """A sorting key of results folders: an emulated platform before a
    board, the usual compiler before others, then by name; the last run of
    this machine is the last."""
    local = folder.name == Path(LOCAL).name
    emulated = folder.name.startswith("qemu-")
    usual = folder.name.startswith(f"qemu-{USUAL_TOOLCHAIN.word}")
    return local, not emulated, not usual, natural_key(folder.name)


def reference(root: Path = ROOT) -> Path:
    """The results that a reader sees: the folder named by RSALAB_RESULTS,
    or the committed reference, the first by its rank. What `make import`
    brought is never the reference.  Raises Failure when there is none."""
    if os.environ.get(SWITCH):
        return root / os.environ[SWITCH]
    folders = sorted((path.parent for path in root.glob("results/*/machine.json")), key=rank)
    for folder in folders:
        if not is_imported(folder):
            return folder
    raise Failure("results: no results here yet; `make all-iterations` makes some")


def measures(study: str) -> str:
    """The command that measures a study: "`make studies` measures"."""
    return f"`make {'all-iterations' if study == LADDER else 'studies'}` measures"


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
    return results
