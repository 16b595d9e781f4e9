"""Sums of rows of lines.csv."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

NUMBERS = ("instructions", "taken", "load_accesses", "store_accesses")


def by_line(rows: Iterable[dict[str, Any]]) -> dict[tuple[str, int], Counter[str]]:
    """(file, line) -> numbers, added up over the instructions of the line."""
    table: dict[tuple[str, int], Counter[str]] = {}
    for row in rows:
        numbers = {name: row[name] for name in NUMBERS}
        table.setdefault((row["file"], row["line"]), Counter()).update(numbers)
    return table
