"""Tables as text: questions in SQL whose answers are tables, columns of equal
width, and how numbers are written in them."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from records.ladder import EVERY_LEVEL

NONE = "-"  # where there is no number
NUMBER = re.compile(r"([-+x=%\d., ]|->|to)*")  # a cell that stands to the right, if all do
SPREAD = "*"  # the column whose values become columns
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
        """The columns that stand to the left."""
        columns = enumerate(zip(*self.rows))
        return [i for i, cells in columns if not all(map(NUMBER.fullmatch, cells))]

    @property
    def lines(self) -> list[str]:
        """For a terminal."""
        return aligned([self.head, *self.rows], self.left)

    @property
    def markdown(self) -> str:
        """For a page; "" without rows.  The rows of one column without a
        name are lines of text."""
        if self.head == [""]:
            return "\n".join(cell for row in self.rows for cell in row)
        sides = [":--" if i in self.left else "--:" for i in range(len(self.head))]
        lines = ("| " + " | ".join(cells) + " |" for cells in [self.head, sides, *self.rows])
        return "\n".join(lines) if self.head and self.rows else ""


@cache
def questions(module: str) -> dict[str, str]:
    """The questions in SQL of a module, those of `x.py` in `x.sql`: each
    below a line `-- its_name`."""
    text = Path(module).with_suffix(".sql").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^-- (\w+)$", text)
    return dict(zip(parts[1::2], parts[2::2]))


def asked(db: Connection, question: str, values: dict[str, object]) -> Table:
    """The answer to a question, `:name` standing for a value.  Its columns
    are the table's, `{name}` in a name standing for a value, too; what is
    NULL becomes NONE, and a column that is NULL throughout is left out.
    Where there is a column `*`, of levels or names, those before it say what
    a row is of, and each one behind it, say `gain`, becomes `gain -O0`,
    `gain -O1` and so on."""
    found = db.execute(question, values)
    head = [column[0].format_map(values) for column in found.description]
    rows = [list(row) for row in found]
    if SPREAD in head:
        at = head.index(SPREAD)
        every = sorted({row[at] for row in rows})
        places = [(what, value) for what in range(at + 1, len(head)) for value in every]
        wide: dict[tuple[object, ...], dict[tuple[int, object], object]] = {}
        for row in rows:
            cells = wide.setdefault(tuple(row[:at]), {})
            cells.update({(what, row[at]): row[what] for what in range(at + 1, len(head))})
        names = {value: f"-{value}" if value in EVERY_LEVEL else str(value) for value in every}
        head = head[:at] + [f"{head[what]} {names[value]}".strip() for what, value in places]
        rows = [[*key, *map(cells.get, places)] for key, cells in wide.items()]
    known = [i for i, _ in enumerate(head) if any(row[i] is not None for row in rows)]
    texts = [[NONE if row[i] is None else str(row[i]) for i in known] for row in rows]
    return Table([head[i] for i in known], texts)


def tabulate(rows: Iterable[Row], columns: Mapping[str, Column]) -> Table:
    """Return a table with a row for each of `rows`, and the keys of
    `columns` as its head.

    `tabulate(rows, {"rung": "snapshot", "bytes": lambda row: whole(row["code_bytes"])})`

    What is None is shown as NONE; a column without any text is left out.
    """
    texts = [[text_of(row, column) for column in columns.values()] for row in rows]
    return _without_empty_columns(list(columns), texts)


def pivot(
    rows: Iterable[Row], by: Mapping[str, Column], spread: str, cells: Mapping[str, Column]
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
    filled = [i for i, _ in enumerate(head) if any(row[i] not in (None, NONE) for row in texts)]
    rows = [[NONE if row[i] is None else str(row[i]) for i in filled] for row in texts]
    return Table([head[i] for i in filled], rows)


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """The rows as lines; the columns of `left` to the left, the others to
    the right.  All rows have as many cells."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    sides = [str.ljust if i in left else str.rjust for i in range(len(widths))]
    return [
        "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths)).rstrip()
        for row in rows
    ]


def whole(value: float | None) -> str:
    """A number without decimals: `12,350,977`; a dash for None and NaN."""
    return NONE if value is None or value != value else f"{value:,.0f}"


def digits(value: float | None) -> str:
    """Whole from 1,000 on; below it three digits: `89.6`, `0.561`."""
    if not value or value != value or value >= 1000:
        return whole(value)
    return f"{value:#.3g}".rstrip(".")


def figures(value: float) -> str:
    """Whole from 10,000 on; below it at most four digits: `3,925`, `10.2`."""
    return f"{value:{',.0f' if value >= 1e4 else ',.4g'}}"


def factor(value: float | None) -> str:
    """A ratio of two numbers of one metric: `x8.60`; a dash for None and NaN."""
    return NONE if value is None or value != value else f"x{value:.2f}"


def percent(low: float, high: float) -> str:
    """A range of relative errors: `-17 to +3 %`."""
    ends = [f"{100 * error:+.0f}" for error in (low, high)]
    return " to ".join(dict.fromkeys(ends)) + " %"
