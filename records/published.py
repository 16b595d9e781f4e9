"""The sources' own tables, as data/published/ keeps them."""

import csv
from pathlib import Path

from records.faults import Failure
from records.ladder import ROOT

FOLDER = "data/published"
TABLE_1 = "bishop-austin-2021-table-1.csv"
MAP = "bishop-austin-2021-map.csv"
INDEX, CLAIMS, ERRATA = "index.csv", "claims.csv", "errata.csv"
OURS = "ours"  # the source of files that no source printed
Cells = dict[str, str]


def read_csv(name: str, root: Path = ROOT) -> list[Cells]:
    """The rows of a file in data/published/, by the names in its head,
    every cell as it is written. Raises Failure when the file is missing or
    no such table."""
    file = f"{FOLDER}/{name}"
    try:
        with (root / file).open(newline="", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        raise Failure(f"{file}: cannot be read: {fault}") from None
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise Failure(f"{file}: row {number} has not as many cells as the head")
    return rows


def about(name: str, root: Path = ROOT) -> Cells:
    """What index.csv says of a file: source, section, title, unit,
    platform, compiler, workload. Raises Failure when it is not there."""
    for row in read_csv(INDEX, root):
        if row["file"] == name:
            return row
    raise Failure(f"{FOLDER}/{INDEX}: no row for {name}")


def of_source(name: str, source: str, root: Path = ROOT) -> list[Cells]:
    """The rows of index.csv, claims.csv or errata.csv that are about one source."""
    return [row for row in read_csv(name, root) if row["source"] == source]
