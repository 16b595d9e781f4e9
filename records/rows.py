"""The rows of a results folder's files: files.csv says which head each has, tables.sql what stands
below it, and SQLite refuses what does not."""

import re
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from records.faults import Failure
from records.files import replace
from records.machine import SQLITE
from records.typed import Keyed, read_table

HERE = Path(__file__).resolve().parent
FILE_TABLE = read_table(HERE / "files.csv")
# The head of each file.
HEADS = Keyed("records/files.csv", {row["file"]: row["head"] for row in FILE_TABLE})
# The files that views and programs name.
NAMED = """counts asm agreement traces operations openssl calls cycles times perf lines
    provenance""".split()
for name in NAMED:
    HEADS[f"{name}.csv"]  # raises Failure
# The files whose rows are of cells: of a snapshot at a level.
OF_CELLS = [row["file"] for row in FILE_TABLE if row["cells"] == "yes"]
CELL = ("study", "snapshot", "level")  # whose number it is
SPARSE = "lines.csv"  # where a 0 is left empty
EXACT = "exact"  # the same on every rerun with the same compiler
MODEL = "model"  # worked out from what is exact
TIMED = "timed"  # never the same twice
TOTAL = "total"  # the symbol of all that an operation executes
CALLS = "calls"  # of a function, from all that call it
CALLS_FROM = f"{CALLS}_from_"  # before the one function that calls
# No more than a terminal, a browser or a spreadsheet takes for text, and no address.
PLAIN = re.compile(r"(?:[\w .,:/()+~?\n-]++|<total>)*+", re.ASCII)
ADDRESSES = ("//", "www.")
CONVERT = "`python3 -m records.earlier FOLDER` converts a folder of before"
REMOVE = (
    "remove the file and type `make all-iterations`, which writes it again from build/, or copy it"
    " again from where it was measured"
)
Row = dict[str, Any]  # a row of a file, by the names in the file's first line


def number(metric: str, value: int | None, **columns: object) -> Row:
    """Return the row of a number of results: exact, the total of one operation, and its unit what is
    counted, as far as the columns do not say something else."""
    usual = {"symbol": TOTAL, "unit": metric, "n": 1, "kind": EXACT}
    return {**usual, "metric": metric, "value": value, **columns}


def definitions() -> str:
    """Return the SQL that defines a table for each file."""
    text = (HERE / "tables.sql").read_text(encoding="utf-8")
    by_head = {}
    for definition in re.findall(r"(?ms)^create table .*?;$", text):
        by_head[definition.split()[2]] = definition
    tables = []
    for file, head in HEADS.items():
        name = file.removesuffix(".csv")
        tables.append(by_head[head].replace(f"table {head}", f"table {name}", 1))
    return "\n".join(tables)


TABLES = definitions()


def empty() -> sqlite3.Connection:
    """Return a database in memory with every table, none of which has a row.
    Raises Failure where SQLite is too old."""
    if sqlite3.sqlite_version_info < SQLITE:
        needed = ".".join(map(str, SQLITE))
        raise Failure(
            f"this Python has SQLite {sqlite3.sqlite_version}; results need {needed}"
        )
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.executescript(TABLES)
    return db


def make(
    db: sqlite3.Connection,
    name: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
) -> None:
    """Put rows into a new table of these columns."""
    definition = ", ".join(columns)
    marks = ", ".join("?" * len(columns))
    db.execute(f"create table {name} ({definition})")
    db.executemany(f"insert into {name} values ({marks})", rows)


FIRST_LINES = """select kept.name || '.csv', group_concat(part.name)
    from sqlite_schema as kept, pragma_table_info(kept.name) as part
    where kept.type = 'table' group by kept.rowid"""
# The columns of each file.
COLUMNS = {file: tuple(line.split(",")) for file, line in empty().execute(FIRST_LINES)}


def every_number() -> str:
    """Return the SQL that defines the view of all exact numbers, with the file of each."""
    parts = []
    for file, head in HEADS.items():
        if head == "numbers":
            name = file.removesuffix(".csv")
            parts.append(f"select '{file}' as file, * from {name}")
    return f"create view numbers as {' union all '.join(parts)};"


NUMBERS = every_number()


def plain_beginning(text: str) -> str:
    """Return a text up to the first character, or address, that stands in no file."""
    found = PLAIN.match(text)
    plain = found[0] if found else ""
    for address in ADDRESSES:
        plain, _, _ = plain.partition(address)
    return plain


def fill(db: sqlite3.Connection, path: Path, label: str = "") -> None:
    """Put the rows of a results file into its table; a file that does not
    exist has none.  `label` is what the file is called in a fault.  Raises
    Failure naming the file and the first line that is not a row, OSError."""
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    plain = plain_beginning(text)
    head, *lines = plain.split("\n")
    expected = ",".join(COLUMNS[path.name])
    if head != expected or not lines:
        raise Failure(
            f"{label or path}:1: the first line must be {expected}; {CONVERT}, or {REMOVE}"
        )
    kinds = db.execute("select type from pragma_table_info(?)", [path.stem])
    marks = ", ".join(
        "nullif(?, '')" if kind == "INTEGER" else "?" for (kind,) in kinds
    )
    # Nothing stands behind the last line end.
    rows = (line.split(",") for line in lines[:-1])
    before = db.total_changes
    why = ""
    try:
        db.executemany(f"insert into {path.stem} values ({marks})", rows)
        if lines[-1] or plain != text:
            why = "not a whole row"
    except sqlite3.ProgrammingError:  # too few cells, or too many
        why = "not a whole row"
    except sqlite3.Error as fault:
        why = "this row stands twice" if "UNIQUE" in str(fault) else str(fault)
    if why:
        number = 2 + db.total_changes - before
        raise Failure(f"{label or path}:{number}: {why}; {REMOVE}")


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a results file, numbers as integers; [] when there
    is no file.  Raises what `fill` does."""
    db = empty()
    fill(db, path)
    columns = COLUMNS[path.name]
    rows = db.execute(f"select * from {path.stem}")
    return [dict(zip(columns, row)) for row in rows]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows (missing columns are empty), or remove the file when there
    is none.  Raises OSError, and ValueError for a text that no file may have."""
    columns = COLUMNS[path.name]
    absent = (None, 0) if path.name == SPARSE else (None,)
    lines = [",".join(columns)]
    for row in rows:
        cells = (row.get(column, "") for column in columns)
        texts = ["" if cell in absent else str(cell) for cell in cells]
        line = ",".join(texts)
        if (
            line.count(",") >= len(columns)
            or "\n" in line
            or plain_beginning(line) != line
        ):
            raise ValueError(f"{path}: cannot be read again: {texts}")
        lines.append(line)
    if len(lines) > 1:
        replace(path, "\n".join(lines) + "\n")
    else:
        path.unlink(missing_ok=True)
