"""The sources' own tables, as data/published/ keeps them."""

import csv
import re
from pathlib import Path
from sqlite3 import Connection

from records.ladder import ROOT
from records.rows import make

FOLDER = "data/published"
INDEX = "index.csv"
# The kind of each class of instructions (harness/plugin/a32.h), and what is usual of the class.
KINDS = Path(__file__).with_name("kinds.csv")
OURS = "ours"  # the source of files that no source printed
Cells = dict[str, str]


def read_csv(name: str, root: Path = ROOT) -> list[Cells]:
    """The rows of a file in data/published/, by the names in its head,
    every cell as it is written.  Raises OSError."""
    with (root / FOLDER / name).open(newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


def about(name: str, root: Path = ROOT) -> Cells:
    """What index.csv says of a file: source, section, title, unit, platform,
    compiler, workload."""
    return next(row for row in read_csv(INDEX, root) if row["file"] == name)


def fill(db: Connection, root: Path = ROOT) -> None:
    """Put every file into a table of its name, such as `dirk_2019_perf` (of
    index.csv: `sources_index`); every cell is the text that is printed
    there, an empty one NULL; and KINDS into `kinds`.  Raises OSError."""
    for path in (KINDS, *(root / FOLDER).glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as text:
            head, *rows = csv.reader(text)
        name = "sources_index" if path.name == INDEX else plain(path.stem)
        columns = [f"{plain(column)} text" for column in head]
        make(db, name, columns, ([cell or None for cell in row] for row in rows))


def plain(name: str) -> str:
    """Return the name that needs no quotes in SQL: "no-opt C" is `no_opt_c`."""
    return re.sub(r"\W", "_", name).lower()
