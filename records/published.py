"""The sources' own tables, as data/published/ keeps them."""

import csv
import re
from pathlib import Path
from sqlite3 import Connection

from records.ladder import ROOT
from records.rows import make

FOLDER = "data/published"
INDEX = "index.csv"
INDEX_TABLE = "sources_index"  # since SQL has another meaning for `index`
# The kind of each class of instructions (harness/plugin/a32.h), and what is usual of the class.
KINDS = Path(__file__).with_name("kinds.csv")
OURS = "ours"  # the source of files that no source printed
Cells = dict[str, str]


def read_csv(name: str, root: Path = ROOT) -> list[Cells]:
    """Return the rows of a file in data/published/, by the names in its
    head, every cell as it is written.  Raises OSError."""
    with (root / FOLDER / name).open(newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def about(name: str) -> Cells:
    """Return what index.csv says of a file: source, section, title, unit,
    platform, compiler, workload."""
    rows = read_csv(INDEX)
    return next(row for row in rows if row["file"] == name)


def plain(name: str) -> str:
    """Return the name that needs no quotes in SQL: "no-opt C" is `no_opt_c`."""
    return re.sub(r"\W", "_", name).lower()


def fill(db: Connection, root: Path = ROOT) -> None:
    """Put every file into a table of its name, such as `dirk_2019_perf`, and
    every cell of it into the table `printed`; a cell is the text that is
    printed there, an empty one NULL.  KINDS are in `kinds`.  Raises OSError."""
    make(db, "printed", ["source_table", "line", "head", "cell"], [])
    files = sorted((root / FOLDER).glob("*.csv"))
    for path in (KINDS, *files):
        name = INDEX_TABLE if path.name == INDEX else plain(path.stem)
        with path.open(newline="", encoding="utf-8") as text:
            head, *lines = csv.reader(text)
        rows = []
        printed = []
        for number, line in enumerate(lines, 1):
            row = [cell or None for cell in line]
            rows.append(row)
            for column, cell in zip(head, row):
                printed.append((name, number, column, cell))
        columns = [f"{plain(column)} text" for column in head]
        make(db, name, columns, rows)
        db.executemany("insert into printed values (?, ?, ?, ?)", printed)
