"""The sources' own tables, as data/published/ keeps them."""

import re
from pathlib import Path
from sqlite3 import Connection

from records.faults import Failure
from records.ladder import ROOT
from records.rows import make
from records.settings import CLASS_TABLE
from records.typed import Keyed, Row, read_table

FOLDER = "data/published"
INDEX = "index.csv"
INDEX_TABLE = "sources_index"  # since SQL has another meaning for `index`
OURS = "ours"  # the source of files that no source printed


def read_csv(name: str, root: Path = ROOT) -> list[Row]:
    """Return the rows of a file in data/published/, by the names in its
    head, every cell as it is written.  Raises Failure for one that is not as records/columns.csv
    says, or has another number of rows than index.csv says."""
    file = f"{FOLDER}/{name}"
    rows = read_table(root / file, file)
    wanted = "" if name == INDEX else about(name, root)["rows"]
    if wanted not in ("", str(len(rows))):
        raise Failure(
            f"{file}: expected {wanted} lines below the head, as {INDEX} says; found {len(rows)}"
        )
    return rows


def about(name: str, root: Path = ROOT) -> Row:
    """Return what index.csv says of a file: source, section, title, unit,
    platform, compiler, workload, rows.  Raises Failure."""
    by_file = {row["file"]: row for row in read_csv(INDEX, root)}
    return Keyed(f"{FOLDER}/{INDEX}", by_file)[name]


def plain(name: str) -> str:
    """Return the name that needs no quotes in SQL: "no-opt C" is `no_opt_c`."""
    return re.sub(r"\W", "_", name).lower()


def fill(db: Connection, root: Path = ROOT) -> None:
    """Put every file into a table of its name, such as `dirk_2019_perf`, and
    every cell of it into the table `printed`; a cell is the text that is
    printed there, an empty one NULL.  The classes of instructions are in `kinds`.  A copy for a
    board has no such folder.  Raises Failure."""
    make(db, "printed", ["source_table", "line", "head", "cell"], [])
    add(db, "kinds", CLASS_TABLE)
    if not (root / FOLDER).is_dir():
        return
    index = read_csv(INDEX, root)
    add(db, INDEX_TABLE, index)
    for row in index:
        name = row["file"]
        add(db, plain(Path(name).stem), read_csv(name, root))


def add(db: Connection, name: str, lines: list[Row]) -> None:
    """Put the rows of a table, at least one, into a table of this name and into `printed`."""
    rows = []
    printed = []
    for number, line in enumerate(lines, 1):
        row = [cell or None for cell in line.values()]
        rows.append(row)
        for column, cell in zip(line, row):
            printed.append((name, number, column, cell))
    columns = [f"{plain(column)} text" for column in lines[0]]
    make(db, name, columns, rows)
    db.executemany("insert into printed values (?, ?, ?, ?)", printed)
