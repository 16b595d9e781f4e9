"""The reader of tables that are written by hand, and what a value of them may be.

A table is a CSV file.  columns.csv has a line for each of its columns, in their order: the file,
which may be a pattern; the name of the column; whether it is part of the key, so that no two rows
agree in all such columns (`yes`, `no`); and what a cell holds, one of KINDS or a text that stands
for itself, or several of them: `number | nothing`, `yes | no`.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from io import StringIO
from itertools import count, zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from records.faults import Failure, system_line

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
COLUMNS = HERE / "columns.csv"
SHOWN = 80  # characters of what was found, in a fault
Row = dict[str, str]  # the cells of a line, by the names in the head
Value = TypeVar("Value")


# --- what a value may be --------------------------------------------------------------------------


class Kind(NamedTuple):
    """What a value may be, in words, and what says whether a value is that."""

    expected: str
    fits: Callable[[Any], bool]


def like(expected: str, pattern: str) -> Kind:
    """Return the kind of texts of a form, all of whose characters can be printed."""

    def fits(value: Any) -> bool:
        is_text = isinstance(value, str) and value.isprintable()
        return is_text and re.fullmatch(pattern, value) is not None

    return Kind(expected, fits)


def either(*kinds: Kind) -> Kind:
    """Return the kind of values that are of one of these."""
    expected = " or ".join(kind.expected for kind in kinds)
    return Kind(expected, lambda value: any(kind.fits(value) for kind in kinds))


def shown(value: object) -> str:
    """Return how a fault shows a value: its beginning, with what cannot be printed escaped."""
    return repr(str(value)[:SHOWN])


def check(place: str, value: object, kind: Kind) -> None:
    """Raise Failure, which names the place, unless a value is of this kind."""
    if not kind.fits(value):
        raise Failure(f"{place}: expected {kind.expected}; found {shown(value)}")


# No number has more digits than results have.
DIGITS = "[0-9]{1,15}"
WORD = r"[\w.+=:/-]{1,100}"
SIZE = "(?:64|96|128|1024|2048|4096)"  # bits
KINDS = {
    "nothing": like("nothing", ""),
    "text": like("a text of at most 300 characters", r"\S|\S.{,298}\S"),
    "word": like("a word of letters, digits and . _ + - = : /", WORD),
    "words": like("words of letters, digits and . _ + - = : /", f"{WORD}( {WORD})*"),
    "option": like("an option such as -O1", f"-{WORD}"),
    "options": like("options such as -O1", f"-{WORD}( -{WORD})*"),
    "prefix": like("a word that ends with -", f"{WORD}-"),
    "rung name": like("a rung such as v0", "v[0-9]{1,3}[a-z]{,9}"),
    "level": like("a level of compilers, such as O1", "O(?:[0-3gsz]|fast)"),
    "whole number": like("a whole number of at most 15 digits", DIGITS),
    "sizes": like(
        "some of 64 96 128 1024 2048 4096 with a space between them",
        f"{SIZE}( {SIZE})*",
    ),
    "number": like(
        "a number such as 12.5, of at most 15 digits on each side",
        rf"-?{DIGITS}(\.{DIGITS})?",
    ),
    "factor": like(
        "a factor above 0, such as 1.5", rf"(?=.*[1-9])[0-9]{{1,4}}(\.{DIGITS})?"
    ),
    "fraction": like("a fraction such as 1/32", f"{DIGITS}/{DIGITS}"),
    "hash": like("a SHA-256 of 64 hexadecimal digits", "[0-9a-f]{64}"),
    "colour": like("a colour such as #0072b2", "#(?:[0-9a-f]{6}|[0-9a-f]{8})"),
    "marker": like("a marker of matplotlib, such as o", "[os^v<>DdPXphH*]"),
    "hatch": like("a hatch of matplotlib, such as ////", r"[/\\|+x.oO*-]+"),
    "path": like("a path of SVG that begins with M", "M[MmLlHhVvAaCcSsQqTtZz0-9 ,.-]+"),
}


def kind_of(holds: str) -> Kind:
    """Return the kind that a cell of columns.csv names."""
    kinds = []
    for name in holds.split(" | "):
        kinds.append(KINDS.get(name) or like(name, re.escape(name)))
    return either(*kinds)


# --- tables ---------------------------------------------------------------------------------------


class Column(NamedTuple):
    """A column of a table."""

    name: str
    is_key: bool
    kind: Kind


# The columns of columns.csv itself.
OF_COLUMNS = (
    Column("file", True, KINDS["text"]),
    Column("column", True, KINDS["text"]),
    Column("key", False, kind_of("yes | no")),
    Column("holds", False, KINDS["text"]),
)


@cache
def every_column() -> dict[str, list[Column]]:
    """Return the columns of each file that columns.csv describes, by its name or pattern.  Raises
    Failure."""
    described: dict[str, list[Column]] = {}
    for row in rows_of(COLUMNS, COLUMNS.relative_to(ROOT).as_posix(), OF_COLUMNS):
        column = Column(row["column"], row["key"] == "yes", kind_of(row["holds"]))
        described.setdefault(row["file"], []).append(column)
    return described


def columns_of(file: str) -> list[Column]:
    """Return the columns of a table, by its path from the root.  Raises Failure."""
    for pattern, columns in every_column().items():
        if fnmatchcase(file, pattern):
            return columns
    raise Failure(
        f"{file}: records/columns.csv has no line about it; it needs one for each column"
    )


def read_table(path: Path, described_as: str = "") -> list[Row]:
    """Return the rows of a table, every cell as it is written.

    `described_as` is the table's path from the root, where columns.csv has another one than that of
    the file.  Raises Failure, which names the file, the line, the column and what is allowed there.
    """
    label = described_as or path.name
    if path.resolve().is_relative_to(ROOT):
        label = path.resolve().relative_to(ROOT).as_posix()
    columns = columns_of(described_as or label)
    return list(rows_of(path, label, columns))


def rows_of(path: Path, label: str, columns: Sequence[Column]) -> Iterator[Row]:
    """Yield the rows of a table with these columns.  Raises Failure."""
    head = [column.name for column in columns]
    text = text_of(path, label)
    if "\r" in text:  # which the shell reads as a part of the last cell
        number = 1 + text.count("\n", 0, text.index("\r"))
        raise Failure(f"{label}:{number}: save the file without carriage returns")
    lines = csv.reader(StringIO(text), strict=True)
    line_of_key: dict[tuple[str, ...], int] = {}
    number = 0
    for number, cells in numbered(lines, label):
        if number == 1:
            check_head(cells, head, label)
            continue
        place = f"{label}:{number}"
        check_cells(cells, columns, place)
        row = dict(zip(head, cells))
        key = tuple(row[column.name] for column in columns if column.is_key)
        before = line_of_key.setdefault(key, number)
        if key and before != number:
            raise Failure(f"{place}: {', '.join(key)}: line {before} has it already")
        yield row
    if number == 0:
        check_head([], head, label)
    if number == 1:
        raise Failure(f"{label}:2: expected at least one line below the head")


def text_of(path: Path, label: str) -> str:
    """Return the text of a file.  Raises Failure where it cannot be read, or is not UTF-8."""
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise Failure(
            system_line(OSError(fault.errno, fault.strerror, label))
        ) from None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as fault:
        number = 1 + data.count(b"\n", 0, fault.start)
        byte = data[fault.start]
        raise Failure(
            f"{label}:{number}: the byte {byte:#x} is not UTF-8; save the file as UTF-8"
        ) from None
    if text.startswith("\ufeff"):
        raise Failure(f"{label}:1: save the file without a byte order mark")
    return text


def numbered(lines: Iterator[list[str]], label: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each line and its cells.  A cell has no line end, so that each row is one
    line.  Raises Failure."""
    for number in count(1):
        try:
            cells = next(lines)
        except StopIteration:
            return
        except csv.Error as fault:
            raise Failure(f"{label}:{number}: no line of a CSV file: {fault}") from None
        yield number, cells


def check_head(cells: Sequence[str], head: Sequence[str], label: str) -> None:
    """Raise Failure unless the first line has the names of the columns."""
    for cell, name in zip_longest(cells, head, fillvalue=""):
        if cell != name:
            wanted = ",".join(head)
            raise Failure(
                f"{label}:1: expected the columns {wanted}; found {shown(cell)} for {name!r}"
            )


def check_cells(cells: Sequence[str], columns: Sequence[Column], place: str) -> None:
    """Raise Failure unless a line has a cell for each column, which holds what it may."""
    if len(cells) != len(columns):
        names = ",".join(column.name for column in columns)
        raise Failure(
            f"{place}: expected {len(columns)} cells, {names}; found {len(cells)}"
        )
    for column, cell in zip(columns, cells):
        check(f"{place}: {column.name}", cell, column.kind)


class Keyed(dict[str, Value]):
    """What rows of a table say, by their key.  To ask for a key that no row has is a Failure."""

    def __init__(self, label: str, values: Mapping[str, Value]) -> None:
        super().__init__(values)
        self.label = label

    def __missing__(self, key: str) -> Value:
        raise Failure(f"{self.label}: expected a line of '{key}'; there is none")
