"""A results folder as a database in memory: one table for each file, one view
for each question.

results = load(reference())
results.query("select snapshot, level, instructions from ladder where study = 'width-64'")

The views are in views.sql, here and in other buildings; docs/results.md says
what is in them.  Nothing but Python's own library is needed, so that a board
prints its tables without pandas; with it, `results.frame("ladder")` gives a
data frame.
"""

import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from records import ladder, published, tables
from records.database import Database
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, ROOT, Snapshot, natural_key
from records.machine import FILE, Platform, is_imported, read_machine
from records.profiles import profiles
from records.rows import COLUMNS, NUMBERS, TABLES, fill, read_rows
from records.settings import USUAL_TOOLCHAIN
from records.statistics import verdict
from records.typed import read_table
from records.workloads import TRIP_FULL

if TYPE_CHECKING:
    import pandas

RESULTS = "results"
LOCAL = f"{RESULTS}/local"
SWITCH = "RSALAB_RESULTS"
# A variable of the environment, too: `off` where nobody can choose.
MENUS = "RSALAB_MENUS"
FULL = TRIP_FULL  # the main workload
SIZES = ("asm_instructions", "asm_lines", "code_bytes")
# Of every building; those of this one first, which the others are made from.
OWN_VIEWS = Path(__file__).resolve().with_name("views.sql")
# What is known beside a folder.
FACTS = OWN_VIEWS.with_name("facts.sql")
BUILDINGS = [
    *sorted(ROOT.glob("*/views.sql")),
    *sorted(ROOT.glob("studies/*/views.sql")),
]
OTHER_VIEWS = [path for path in BUILDINGS if path != OWN_VIEWS]
# In a building's SQL: the file, from the root, whose rows a table has.
ROWS_OF = re.compile(r"(?m)^-- Rows: (\S+)\.\ncreate table (\w+)")
# Tables with the rows of several folders, whatever results are shown, and the folders' files.
OF_FOLDERS = {
    "every_core": "core-*/cycles.csv",
    "every_compiler": "compilers/*/counts.csv",
}
# Questions for the classes of instructions that a file has.
CLASSES = {
    "lines": "select distinct class from lines",
    "counts": "select distinct substr(metric, 7) as class from counts where metric glob 'class_*'",
}
WORDS = 4  # of a workload; what follows is part of the last
# What readers write beside numbers that results lack and that the reference has.
NOT_YOURS = "reference, not yours"
# How the reason begins, a command behind it.
NOT_HERE = "not in these results"
# The files that are written together with counts.csv, and so are of the same studies.
WITH_COUNTS = ("asm", "agreement", "times", "perf", "lines", "provenance")


@dataclass(frozen=True, eq=False)
class Results:
    """A results folder.  Counts and sizes are exact, times are noisy and
    often absent.  `label` is the folder's name as texts may show it;
    `lender` are the results that give what these lack."""

    folder: Path
    label: str
    machine: dict[str, Any]
    root: Path = ROOT
    lender: "Results | None" = None

    def __repr__(self) -> str:
        """Return what a cell of a notebook shows of these results."""
        return (
            f"{self.label}: {self.compiler}; .names() has the frames, .frame(NAME) one"
        )

    @cached_property
    def db(self) -> "Content":
        """Return the database.  A question raises Failure at the first line that is
        not a row of a file that it reads."""
        stamps = [self.stamp]
        lender = None
        if self.lender:
            lender = self.lender.folder
            stamps.append(self.lender.stamp)
        return _content(self.folder, self.label, self.root, lender, *stamps)

    @property
    def stamp(self) -> str:
        """Return a hash of all files of rows."""
        return digest(*self.files)

    @property
    def files(self) -> list[Path]:
        """Return the files of rows that the folder has."""
        paths = map(self.path, COLUMNS)
        return [path for path in paths if path.is_file()]

    def path(self, file: str) -> Path:
        """Return where a file of the folder is, such as `counts.csv`."""
        if file == "calls.csv":
            return self.folder / "gprof" / file
        return self.folder / file

    def check(self) -> None:
        """Read every file.  Raises Failure at the first line that is not a row, and for a text
        of gprof that cannot be shown."""
        tables = {Path(file).stem for file in COLUMNS}
        self.db.fill(tables)
        profiles(self.folder, self.label)

    def query(self, text: str, *values: object) -> list[sqlite3.Row]:
        """Return the rows of a question in SQL, `?` standing for `values`; a
        cell by its column's name.  Raises Failure where SQLite does not understand
        it, and where it would change what is loaded."""
        rows, _ = self.db.ask(text, values)
        return rows

    def rows(self, module: str, name: str, **values: object) -> list[sqlite3.Row]:
        """Return the rows of a module's question, `:name` standing for a
        value.  The module says its `__file__`; its questions are in the .sql
        beside it."""
        question = tables.questions(module)[name]
        return self.db.execute(question, values).fetchall()

    def frame(self, name: str, **where: object) -> "pandas.DataFrame":
        """Return a view or a table as a data frame; of several rows only those
        whose columns have these values: `frame("ladder", study="width-64")`.
        A column of printed numbers is one of numbers.  docs/results.md says
        what is in each column.  Raises Failure where there is no such view or
        column."""
        names = self.names()
        if name not in names:
            raise Failure(f"no view or table '{name}'; there are: {' '.join(names)}")
        columns = self.columns(name)
        for column in where:
            if column not in columns:
                raise Failure(
                    f"{name} has no column '{column}'; it has: {' '.join(columns)}"
                )
        conditions = [f"{column} = ?" for column in where]
        wanted = " and ".join(conditions) or "true"
        question = f"select * from {name} where {wanted}"
        found = self.frame_of(question, *where.values())
        for column in found:
            found[column] = as_numbers(found[column])
        return found

    def frame_of(self, question: str, *values: object) -> "pandas.DataFrame":
        """Return the answer to a question in SQL as a data frame, `?` standing
        for `values`.  Raises Failure as `query` does."""
        import pandas  # here, because boards have none

        rows, columns = self.db.ask(question, values)
        return pandas.DataFrame.from_records(rows, columns=columns, coerce_float=True)

    def names(self) -> list[str]:
        """Return the names of all tables and views."""
        question = "select name from sqlite_schema where type in ('table', 'view') order by name"
        return [name for (name,) in self.query(question)]

    def columns(self, name: str) -> list[str]:
        """Return the names of a table's or a view's columns."""
        question = "select name from pragma_table_info(?)"
        return [column for (column,) in self.query(question, name)]

    def is_borrowed(self, name: str, study: str = "") -> bool:
        """Return whether what a view or a table has of a study is the
        lender's, wholly or in part; without a study, whether of any.  Such
        numbers are shown as NOT_YOURS."""
        question = f"select * from {name}"
        self.db.execute(f"{question} limit 1")
        lent: set[str] = set()
        for table in self.db.read_by(question):
            lent |= self.db.borrowed.get(table, set())
        if study:
            return study in lent or "" in lent
        return bool(lent)

    @property
    def borrowed(self) -> set[tuple[str, str]]:
        """Return table and study of all that is the lender's; the study is "" where a
        table has none.  Reads every file."""
        self.check()
        found = set()
        for table, lent in self.db.borrowed.items():
            for study in lent:
                found.add((table, study))
        return found

    def means(
        self, study: str, snapshot: str, level: str, workload: str = FULL
    ) -> dict[str, float]:
        """Return the mean per operation of each metric, of a cell and a workload; {} where it was not
        counted."""
        question = """select metric, mean from means
            where (study, snapshot, level, workload) = (?, ?, ?, ?)"""
        rows = self.query(question, study, snapshot, level, workload)
        return {row["metric"]: row["mean"] for row in rows}

    def ladder(self, study: str = LADDER, workload: str = FULL) -> list[sqlite3.Row]:
        """Return the study's rows of the view `ladder`, in ladder order.  Raises
        Failure when nothing of the study was counted."""
        question = "select * from ladder where study = ? and workload = ? and instructions is not null"
        rows = self.query(question, study, workload)
        if not rows:
            raise Failure(
                f"{self.label} has no counts of {study}; {measures(study)} them"
            )
        return rows

    def trips(self, workload: str = FULL, study: str = LADDER) -> int:
        """Return the operations that a study's means of this workload are over; 0 where it was not
        counted."""
        question = "select max(n) as n from counts where workload = ? and study = ?"
        (row,) = self.query(question, workload, study)
        return row["n"] or 0

    def small(self, study: str) -> bool:
        """Return whether some cell has the small round trips alone, so that they
        stand for all its study's."""
        return bool(self.query("select 1 from small where study = ?", study))

    def studies(self, workload: str = FULL) -> list[str]:
        """Return the studies, the ladder apart, of which this workload was counted."""
        return [
            study for study in ladder.studies(self.root) if self.trips(workload, study)
        ]

    def rungs(self, study: str = LADDER) -> list[Snapshot]:
        """Return the study's snapshots in ladder order, those that were counted."""
        rows = self.query("select distinct snapshot from counts where study = ?", study)
        counted = {row["snapshot"] for row in rows}
        snapshots = ladder.snapshots(study, self.root)
        return [snapshot for snapshot in snapshots if snapshot.name in counted]

    @property
    def platform(self) -> str:
        """Return `qemu-gcc12`."""
        return str(self.machine["platform"])

    @property
    def is_armv6(self) -> bool:
        """Return whether the programs are for ARMv6."""
        return Platform(self.platform, ()).is_armv6

    @property
    def compiler(self) -> str:
        """Return name and version, without the distribution's own numbering."""
        words = self.machine["compiler"].split()
        name = "clang" if "clang" in words else words[0]  # Debian clang version 14.0.6
        return f"{name} {words[-1]}"


class Content(Database):
    """The content of a results folder, and what it lacks of the lender's.

    `borrowed` says for each file that was read from which studies the
    lender's rows are; "" is the study of a file without studies.
    """

    def __init__(
        self, folder: Path, label: str, root: Path, lender: Path | None
    ) -> None:
        super().__init__()
        self.root = root
        self.lender = load(lender, root, counted=False) if lender else None
        self.borrowed: dict[str, set[str]] = {}
        self.executescript(TABLES)
        self.define(NUMBERS)
        own = Results(folder, label, {})
        for file in COLUMNS:
            path = own.path(file)
            called = f"{label}/{path.relative_to(folder)}"
            self.fillers[path.stem] = partial(self._read, path, called)
        self._define_facts()
        self._define_functions()
        for path in (OWN_VIEWS, *OTHER_VIEWS):
            text = path.read_text(encoding="utf-8")
            self.define(text)
            for file, table in ROWS_OF.findall(text):
                self.fillers[table] = partial(self._add_rows_of_study, table, file)
        for table, files in OF_FOLDERS.items():
            self.fillers[table] = partial(self._add_rows_of_folders, table, files)

    def _read(self, path: Path, label: str) -> None:
        fill(self, path, label)
        self._check_classes(path.stem, label)
        if self.lender:
            self._borrow(path.stem, self.lender)

    def _check_classes(self, table: str, label: str) -> None:
        """Raise Failure for a class of instructions that kinds.csv has not, whose instructions no
        kind would count."""
        if table not in CLASSES:
            return
        question = f"select class from ({CLASSES[table]}) where class not in (select class from kinds)"
        for (name,) in self.execute(question):
            raise Failure(
                f"{label}: the class {name!r} has no line in records/kinds.csv, which says of what kind it is"
            )

    def _borrow(self, table: str, lender: Results) -> None:
        columns = COLUMNS[f"{table}.csv"]
        study = "study" if "study" in columns else "''"
        studies = f"select distinct {study} from {table}"
        of_lender = {name for (name,) in lender.query(studies)}
        own = {name for (name,) in self.execute(studies)}
        lent = of_lender - own
        if table in WITH_COUNTS:
            self.fill({"counts"})
            lent &= self.borrowed["counts"]
        self.borrowed[table] = lent
        marks = ", ".join("?" * len(columns))
        insert = f"insert into {table} values ({marks})"
        for name in sorted(lent):
            rows = lender.query(f"select * from {table} where {study} = ?", name)
            self.executemany(insert, rows)

    def _define_facts(self) -> None:
        published.fill(self, self.root)
        self.executescript(FACTS.read_text(encoding="utf-8"))
        self.fillers["snapshots"] = self._add_snapshots
        self.fillers["predictions"] = self._add_predictions
        self.fillers["openssl_record"] = self._add_openssl_record

    def _add_snapshots(self) -> None:
        for place, one in enumerate(ladder.every(self.root)):
            code = "assembly" if one.has_assembly else "compiled C"
            row = (
                one.study, place, one.name, one.idea, code, *one.parent_key, one.width,
                one.constant_time,
            )  # fmt: skip
            self.execute(
                "insert into snapshots values (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
            )

    def _add_predictions(self) -> None:
        for one in ladder.every(self.root):
            for level, (low, high) in one.predicts.items():
                disclosed = level in one.disclosed
                cause = one.causes.get(level, "")
                row = one.study, one.name, level, low, high, disclosed, one.kind, cause
                self.execute(
                    "insert into predictions values (?, ?, ?, ?, ?, ?, ?, ?)", row
                )

    def _add_openssl_record(self) -> None:
        for path in sorted(self.root.glob("results/qemu-*/openssl.csv")):
            if not is_imported(path.parent):
                self._insert("openssl_record", path)
                break  # the first one is the record

    def _add_rows_of_folders(self, table: str, files: str) -> None:
        for path in sorted(self.root.glob(f"{RESULTS}/{files}")):
            self._insert(table, path, path.parent.name)

    def _insert(self, table: str, path: Path, *first: str) -> None:
        """Put the rows of a file into a table whose `first` columns are these."""
        columns = [*first, *COLUMNS[path.name]]
        marks = ", ".join("?" * len(columns))
        rows = [(*first, *row.values()) for row in read_rows(path)]
        self.executemany(f"insert into {table} values ({marks})", rows)

    def _add_rows_of_study(self, table: str, file: str) -> None:
        if not (self.root / file).exists():
            return
        rows = read_table(self.root / file, file)
        columns = ", ".join(rows[0])
        marks = ", ".join(["nullif(?, '')"] * len(rows[0]))
        insert = f"insert into {table} ({columns}) values ({marks})"
        self.executemany(insert, [tuple(row.values()) for row in rows])

    def _define_functions(self) -> None:
        def by_instructions(child: float | None, parent: float | None) -> str | None:
            if child and parent:
                return verdict(child, parent)
            return None

        def word(text: str, number: int) -> str:
            parts = text.split("-", WORDS - 1)
            return parts[number - 1] if number <= len(parts) else ""

        self.create_function("verdict", 2, by_instructions)
        self.create_function("word", 2, word, deterministic=True)


def as_numbers(column: "pandas.Series[Any]") -> "pandas.Series[Any]":
    """Return a column whose texts are all numbers, as sources print them, as
    numbers; any other column as it is."""
    import pandas

    texts = column.dropna()
    if texts.empty or (texts == "").any():
        return column
    try:
        return pandas.to_numeric(column)
    except ValueError:
        return column


@cache
def _content(
    folder: Path, label: str, root: Path, lender: Path | None, *_stamps: str
) -> Content:
    return Content(folder, label, root, lender)


def rank(folder: Path) -> tuple[object, ...]:
    """Return a sorting key of results folders: an emulated platform before a
    board, the usual compiler before others, then by name; the last run of
    this machine is the last."""
    local = folder.name == Path(LOCAL).name
    emulated = folder.name.startswith("qemu-")
    usual = folder.name.startswith(f"qemu-{USUAL_TOOLCHAIN.word}")
    return local, not emulated, not usual, natural_key(folder.name)


def reference(root: Path = ROOT) -> Path:
    """Return the results that a reader sees: the folder named by RSALAB_RESULTS,
    or the committed reference, the first by its rank. What `make import`
    brought is never the reference.  Raises Failure when there is none."""
    if os.environ.get(SWITCH):
        return named(os.environ[SWITCH], root)
    for folder in _folders(root):
        return folder
    raise Failure("results: no results here yet; `make all-iterations` makes some")


def _folders(root: Path) -> Iterator[Path]:
    folders = [path.parent for path in root.glob(f"results/*/{FILE}")]
    for folder in sorted(folders, key=rank):
        if not is_imported(folder):
            yield folder


def lender_of(folder: Path, root: Path = ROOT) -> Path | None:
    """Return the committed reference, from which a folder takes what it
    lacks; None where there is none, or the folder is the reference itself."""
    local = (root / LOCAL).resolve()
    for other in _folders(root):
        if other.resolve() == local:
            continue
        return None if other.resolve() == folder.resolve() else other
    return None


def measures(study: str) -> str:
    """Return the command that measures a study: "`make studies` measures"."""
    target = "all-iterations" if study == LADDER else "studies"
    return f"`make {target}` measures"


def label(folder: Path, root: Path = ROOT) -> str:
    """Return a folder's name relative to the repository; outside it the last part of the name."""
    folder = folder.resolve()
    root = root.resolve()
    if root in folder.parents:
        return folder.relative_to(root).as_posix()
    return folder.name


def named(folder: str | Path, root: Path = ROOT) -> Path:
    """Return the results folder of a name, such as `qemu-gcc12`, or of a path, such as
    `results/qemu-gcc12`; a relative one is looked for in results/, then in the repository.  Raises
    Failure, which says which folders there are, where it has no machine.json."""
    in_results = root / RESULTS / folder
    in_repository = root / folder
    for found in (in_results, in_repository):
        if (found / FILE).is_file():
            return found
    if in_repository.is_relative_to(root / RESULTS) or in_repository.is_dir():
        in_results = in_repository
    lacks = f"no {FILE} in it" if in_results.is_dir() else "no such folder"
    others = sorted(path.parent.name for path in root.glob(f"{RESULTS}/*/{FILE}"))
    then = "there are none yet; `make all-iterations` measures"
    if others:
        then = f"there are: {' '.join(others)}"
    raise Failure(f"{label(in_results, root)}: {lacks}; {then}")


def load(
    folder: str | Path, root: Path = ROOT, counted: bool = True, reference: bool = False
) -> Results:
    """Return the results folder of a name or a path, see `named`.

    With `reference`, studies and files that it lacks are taken from the
    committed reference; `is_borrowed` tells which.  Raises Failure when the
    folder is missing, or not whole, or, where they have to be `counted`,
    has no instruction counts of its own."""
    folder = named(folder, root)
    name = label(folder, root)
    results = Results(folder, name, read_machine(folder, name), root)
    for table, what in (("counts", "instruction counts"), ("asm", "sizes")):
        if counted and not results.query(f"select 1 from {table} limit 1"):
            raise Failure(f"{name}: no {what} here ({table}.csv is missing)")
    lender = lender_of(folder, root) if reference else None
    if not lender:
        return results
    return replace(results, lender=load(lender, root, counted=False))
