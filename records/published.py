"""The sources' own tables, as data/published/ keeps them."""

import csv
from pathlib import Path

from records.ladder import ROOT

FOLDER = "data/published"
TABLE_1 = "bishop-austin-2021-table-1.csv"
MAP = "bishop-austin-2021-map.csv"
INDEX, CLAIMS, ERRATA = "index.csv", "claims.csv", "errata.csv"
LESSONS = "lessons.csv"
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


def of_source(name: str, source: str, root: Path = ROOT) -> list[Cells]:
    """The rows of index.csv, claims.csv or errata.csv that are about one source."""
    return [row for row in read_csv(name, root) if row["source"] == source]
