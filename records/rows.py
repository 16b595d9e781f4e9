"""The rows of a results folder's files: tables.sql says what is in each, and SQLite refuses
what is not."""

import re
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from records.faults import Failure
from records.files import replace
from records.machine import SQLITE

TABLES = Path(__file__).with_name("tables.sql").read_text(encoding="utf-8")
CELL = ("study", "snapshot", "level")  # whose number it is
SPARSE = "lines.csv"  # where a 0 is left empty
# No more than a terminal, a browser or a spreadsheet takes for text.
PLAIN = re.compile(r"(?:[\w .,:/()+~-]|<total>)*\n", re.ASCII)
REMOVE = (
    "remove the file and type `make all-iterations`, which writes it again from build/, or copy it"
    " again from where it was measured"
)
Row = dict[str, Any]


def empty() -> sqlite3.Connection:
    """A database in memory with every table, none of which has a row.
    Raises Failure where SQLite is too old."""
    if sqlite3.sqlite_version_info < SQLITE:
        needed = ".".join(map(str, SQLITE))
        raise Failure(f"this Python has SQLite {sqlite3.sqlite_version}; results need {needed}")
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.executescript(TABLES)
    return db


def make(
    db: sqlite3.Connection, name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Put rows into a new table of these columns."""
    db.execute(f'create table "{name}" ({", ".join(columns)})')
    db.executemany(f'insert into "{name}" values ({", ".join("?" * len(columns))})', rows)


HEADS = """select kept.name || '.csv', group_concat(part.name)
    from sqlite_schema as kept, pragma_table_info(kept.name) as part
    where kept.type = 'table' group by kept.rowid"""
COLUMNS = {  # of each file, as its first line has them
    file: tuple(head.replace("workload", "case").split(","))
    for file, head in empty().execute(HEADS)
}


def fill(db: sqlite3.Connection, path: Path, label: str = "") -> None:
    """Put the rows of a results file into its table; a file that is not
    there has none.  `label` is what the file is called in a fault.  Raises
    Failure naming the file and the first line that is not a row, OSError."""
    if not path.exists():
        return
    number, head = 1, ",".join(COLUMNS[path.name])
    kinds = db.execute("select type from pragma_table_info(?)", [path.stem])
    marks = ", ".join("nullif(?, '')" if kind == "INTEGER" else "?" for (kind,) in kinds)
    insert = f"insert into {path.stem} values ({marks})"
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            if file.readline() != f"{head}\n":
                raise Failure(f"the first line must be {head}")
            for line in file:
                number += 1
                if not PLAIN.fullmatch(line) or line.count(",") != head.count(","):
                    raise Failure("not a whole row")
                db.execute(insert, line[:-1].split(","))
    except (Failure, sqlite3.Error) as fault:
        why = "this row stands twice" if "UNIQUE" in str(fault) else fault
        raise Failure(f"{label or path}:{number}: {why}; {REMOVE}") from None


def read_rows(path: Path) -> list[Row]:
    """The rows of a results file, numbers as integers; [] when there is no
    file.  Raises what `fill` does."""
    db = empty()
    fill(db, path)
    return [dict(zip(COLUMNS[path.name], row)) for row in db.execute(f"select * from {path.stem}")]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows (missing columns are empty), or remove the file when there
    is none.  Raises OSError."""
    columns, absent = COLUMNS[path.name], (None, 0) if path.name == SPARSE else (None,)
    lines = [",".join(columns)]
    for row in rows:
        cells = (row.get(column, "") for column in columns)
        lines.append(",".join("" if cell in absent else str(cell) for cell in cells))
    if len(lines) > 1:
        replace(path, "\n".join(lines) + "\n")
    else:
        path.unlink(missing_ok=True)
