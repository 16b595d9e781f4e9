"""The sources' own tables, as data/published/ keeps them."""

import csv
from pathlib import Path

from records.ladder import ROOT

FOLDER = "data/published"
TABLE_1 = "bishop-austin-2021-table-1.csv"
MAP = "bishop-austin-2021-map.csv"
INDEX, CLAIMS, ERRATA = "index.csv", "claims.csv", "errata.csv"
OURS = "ours"  # the source of files that no source printed


def read_csv(name: str, root: Path = ROOT) -> list[dict[str, str]]:
    """The rows of a file in data/published/, every cell as it is written.

    Raises ValueError, one line, when the file is missing or a row is longer or
    shorter than the head.
    """
    path = root / FOLDER / name
    if not path.is_file():
        raise ValueError(f"{FOLDER}/{name}: missing")
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise ValueError(f"{FOLDER}/{name}: row {number} has not as many cells as the head")
    return rows


def about(name: str, root: Path = ROOT) -> dict[str, str]:
    """What index.csv says of a file: source, section, title, unit, platform, compiler, workload.

    Raises ValueError, one line, when it is not there.
    """
    for row in read_csv(INDEX, root):
        if row["file"] == name:
            return row
    raise ValueError(f"{FOLDER}/{INDEX}: no row for {name}")


def of_source(name: str, source: str, root: Path = ROOT) -> list[dict[str, str]]:
    """The rows of index.csv, claims.csv or errata.csv that are about one source."""
    return [row for row in read_csv(name, root) if row["source"] == source]
