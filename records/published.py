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


class Cells(dict[str, str]):
    """A row by the names in the head, which knows its file."""

    def __init__(self, file: str, row: dict[str, str]) -> None:
        super().__init__(row)
        self.file = file

    def __missing__(self, column: str) -> str:
        raise Failure(f"{self.file}: no column '{column}'")


def read_csv(name: str, root: Path = ROOT) -> list[Cells]:
    """The rows of a file in data/published/, every cell as it is written.

    Raises Failure when the file is missing or no such table; so does a row that is asked for a
    column which is not there.
    """
    file = f"{FOLDER}/{name}"
    try:
        with (root / file).open(newline="", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
    except FileNotFoundError:
        raise Failure(f"{file}: missing") from None
    except (UnicodeDecodeError, csv.Error) as fault:
        raise Failure(f"{file}: no table in UTF-8: {fault}") from None
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise Failure(f"{file}: row {number} has not as many cells as the head")
    return [Cells(file, row) for row in rows]


def about(name: str, root: Path = ROOT) -> Cells:
    """What index.csv says of a file: source, section, title, unit, platform, compiler, workload.

    Raises Failure when it is not there.
    """
    row = next((row for row in read_csv(INDEX, root) if row["file"] == name), None)
    if row is None:
        raise Failure(f"{FOLDER}/{INDEX}: no row for {name}")
    return row


def of_source(name: str, source: str, root: Path = ROOT) -> list[Cells]:
    """The rows of index.csv, claims.csv or errata.csv that are about one source."""
    return [row for row in read_csv(name, root) if row["source"] == source]
