"""Tables as text: rows with columns of equal width, and how numbers are written in them.
`questions` reads the SQL beside a module."""

import re
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from records.ladder import EVERY_LEVEL

NONE = "-"  # where there is no number
# A cell that stands to the right, if all of its column do.
NUMBER = re.compile(r"([-+x=%\d., ]|->|to)*")
Row = Any  # a cell by its column's name: sqlite3.Row, or a dictionary
# The name of a column of the rows, or what makes a text of a row.
Column = str | Callable[[Row], str | None]


@dataclass(frozen=True)
class Table:
    """A table of texts.  A column in which all cells are numbers stands to
    the right, any other to the left."""

    head: list[str]
    rows: list[list[str]]

    @property
    def left(self) -> list[int]:
        """Return the columns that stand to the left."""
        columns = []
        for i, cells in enumerate(zip(*self.rows)):
            if not all(map(NUMBER.fullmatch, cells)):
                columns.append(i)
        return columns

    @property
    def lines(self) -> list[str]:
        """Return the table for a terminal."""
        return aligned([self.head, *self.rows], self.left)

    @property
    def markdown(self) -> str:
        """Return the table for a page; "" without rows."""
        if not self.rows:
            return ""
        left = self.left
        sides = [":--" if i in left else "--:" for i in range(len(self.head))]
        lines = []
        for cells in [self.head, sides, *self.rows]:
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines)


@cache
def questions(module: str) -> dict[str, str]:
    """Return the questions in SQL of a module, those of `x.py` in `x.sql`: each
    below a line `-- its_name`."""
    path = Path(module).with_suffix(".sql")
    text = path.read_text(encoding="utf-8")
    _, *parts = re.split(r"(?m)^-- (\w+)$", text)
    names = parts[0::2]
    return dict(zip(names, parts[1::2]))


def tabulate(rows: Iterable[Row], columns: Mapping[str, Column]) -> Table:
    """Return a table with a row for each of `rows`, and the keys of
    `columns` as its head.

    `tabulate(rows, {"rung": "snapshot", "bytes": lambda row: whole(row["code_bytes"])})`

    What is None is shown as NONE; a column without any text is left out.
    """
    texts = []
    for row in rows:
        texts.append([text_of(row, column) for column in columns.values()])
    return _without_empty_columns(list(columns), texts)


def pivot(
    rows: Iterable[Row],
    by: Mapping[str, Column],
    spread: str,
    cells: Mapping[str, Column],
) -> Table:
    """Return a table in which a column of long rows has become columns.

    Rows that have the same texts of `by` become one row of the table.  Each
    value of the column `spread`, in sorted order, becomes a column for each
    head of `cells`: "gain -O0", "gain -O1", ...; for the head "" only "-O0".

    `pivot(rows, {"rung": "snapshot"}, "level", {"gain": lambda row: factor(row["gain"])})`

    What is None or stands in no row is shown as NONE; a column without any
    text is left out.
    """
    values: set[Any] = set()
    lines: dict[tuple[str | None, ...], dict[tuple[str, Any], str | None]] = {}
    for row in rows:
        value = row[spread]
        values.add(value)
        key = tuple(text_of(row, column) for column in by.values())
        line = lines.setdefault(key, {})
        for head, column in cells.items():
            line[head, value] = text_of(row, column)
    places = [(head, value) for head in cells for value in sorted(values)]
    heads = [f"{head} {named(value)}".strip() for head, value in places]
    texts = [[*key, *map(line.get, places)] for key, line in lines.items()]
    return _without_empty_columns([*by, *heads], texts)


def text_of(row: Row, column: Column) -> str | None:
    """Return what a column shows of a row; None where there is nothing."""
    if callable(column):
        return column(row)
    return None if row[column] is None else str(row[column])


def named(value: object) -> str:
    """Return how a head names a value: a level as the compiler's option, `-O3`."""
    return f"-{value}" if value in EVERY_LEVEL else str(value)


def _without_empty_columns(head: list[str], texts: list[list[str | None]]) -> Table:
    filled = []
    for i in range(len(head)):
        if any(row[i] not in (None, NONE) for row in texts):
            filled.append(i)
    rows = []
    for row in texts:
        cells = [row[i] for i in filled]
        rows.append([NONE if cell is None else cell for cell in cells])
    return Table([head[i] for i in filled], rows)


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """Return the rows as lines; the columns of `left` to the left, the others to
    the right.  All rows have as many cells."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = []
        for i, (cell, width) in enumerate(zip(row, widths)):
            cells.append(cell.ljust(width) if i in left else cell.rjust(width))
        lines.append("  ".join(cells).rstrip())
    return lines


def terminal_columns() -> int:
    """Return the width of the terminal, 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def fitted(table: Table, width: int) -> list[str]:
    """Return the table as lines no wider than `width`, where a column fits: the columns that do
    not stand below, beside the first column again."""
    first, *columns = range(len(table.head))
    blocks = [[first]]
    for column in columns:
        tried = [*blocks[-1], column]
        lines = part_of(table, tried).lines
        if len(tried) > 2 and max(map(len, lines)) > width:
            tried = [first, column]
            blocks.append(tried)
        blocks[-1] = tried
    texts = ["\n".join(part_of(table, block).lines) for block in blocks]
    return "\n\n".join(texts).split("\n")


def part_of(table: Table, columns: Sequence[int]) -> Table:
    """Return some columns of a table."""
    head = [table.head[column] for column in columns]
    rows = []
    for row in table.rows:
        rows.append([row[column] for column in columns])
    return Table(head, rows)


def whole(value: float | None) -> str:
    """Return a number without decimals: `12,350,977`; a dash for None and NaN."""
    return NONE if value is None or value != value else f"{value:,.0f}"


def digits(value: float | None) -> str:
    """Return a number, whole from 1,000 on; below it three digits: `89.6`, `0.561`."""
    if not value or value != value or value >= 1000:
        return whole(value)
    return f"{value:#.3g}".rstrip(".")


def figures(value: float) -> str:
    """Return a number, whole from 10,000 on; below it at most four digits:
    `3,925`, `10.2`."""
    how = ",.0f" if value >= 10_000 else ",.4g"
    return format(value, how)


def factor(value: float | None) -> str:
    """Return a ratio of two numbers of one metric: `x8.60`, `x4,224.87`; a dash for
    None and NaN."""
    return NONE if value is None or value != value else f"x{value:,.2f}"


def percent(low: float, high: float) -> str:
    """Return a range of relative errors: `-17 to +3 %`."""
    ends = [f"{100 * error:+.0f}" for error in (low, high)]
    return " to ".join(dict.fromkeys(ends)) + " %"
