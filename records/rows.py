"""The tables of a results folder: long and tidy CSV, one observation a row, never quoted.

Exact numbers (counts.csv, asm.csv, lines.csv, operations.csv) and noisy ones (times.csv, perf.csv)
are never in one file.  `value` is the integer total over n operations; means are derived by the
reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from records.faults import Failure
from records.files import replace

REMOVE = "remove the file and type the same command again: build/ keeps what was measured"
# What could not be measured has no value, and a unit that begins with why.
ABSENT = ("not supported", "not permitted", "not counted", "not available", "multiplexed")
LONGEST = 1000  # characters of a line
# What a browser or a terminal would take for more than text, and what a spreadsheet would compute.
MARKUP = re.compile(r"[\"'`|\\&]|<(?!total>)|(?<!<total)>")
INSIDE = re.compile(r"(?:\w[\w.+-]*(?:/\w[\w.+-]*)*)?")  # a file below a folder, or none
Row = dict[str, Any]


CELL = ("study", "snapshot", "level")  # whose number it is
MEASURES = set(
    "value unit n instructions taken load_accesses store_accesses program inputs flags secrets"
    " traces calls".split()
)


class Schema:
    """The columns of a table, which of them are whole numbers, whether a 0 is left empty, and
    whether a number may be below 0, and a value absent: what perf estimates."""

    def __init__(
        self, head: str, numbers: str, sparse: bool = False, estimated: bool = False
    ) -> None:
        self.head, self.sparse, self.estimated = head, sparse, estimated  # the file's first line
        self.columns, self.numbers = tuple(head.split(",")), tuple(numbers.split(","))

    def key(self, row: Row) -> tuple[object, ...]:
        """What no two rows of a file have in common."""
        return tuple([row[column] for column in self.columns if column not in MEASURES])


OBSERVED = "study,snapshot,level,case,metric,symbol,value,unit,n,repeat", "value,n,repeat"
OBSERVATION = Schema(*OBSERVED)
ACCESSES = "instructions,taken,load_accesses,store_accesses,n"
LINE = Schema(
    f"study,snapshot,level,case,file,line,function,offset,class,{ACCESSES}",
    f"line,{ACCESSES}",
    sparse=True,
)
TRACE = Schema("study,snapshot,level,compiler,function,secrets,traces", "secrets,traces")
CALL = Schema("study,snapshot,level,caller,callee,calls", "calls")
# Products, powers and private operations of studies/width-1024, and OpenSSL's RSA operations: `way`
# is how it is computed.
OPERATION = Schema(
    "implementation,level,operation,bits,operands,way,metric,value,unit", "bits,value"
)
# The files of a results folder; calls.csv is in its gprof/.
SCHEMAS = {
    **dict.fromkeys(("asm.csv", "counts.csv", "times.csv", "models.csv"), OBSERVATION),
    "agreement.csv": OBSERVATION,
    "perf.csv": Schema(*OBSERVED, estimated=True),
    "lines.csv": LINE,
    "provenance.csv": Schema("study,snapshot,level,case,n,program,inputs,flags", "n"),
    "traces.csv": TRACE,
    **dict.fromkeys(("operations.csv", "openssl.csv"), OPERATION),
    "calls.csv": CALL,
}


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows (missing columns are empty), or remove the file when there is none.  Raises
    OSError."""
    form = SCHEMAS[path.name]
    lines = [form.head]
    for row in rows:
        cells = (row.get(column, "") for column in form.columns)
        empty = (None, 0) if form.sparse else (None,)
        lines.append(",".join("" if cell in empty else str(cell) for cell in cells))
    if len(lines) > 1:
        replace(path, "\n".join(lines) + "\n")
    else:
        path.unlink(missing_ok=True)


def read_rows(path: Path) -> list[Row]:
    """The rows of a results file, numbers as integers; [] when there is no file.  Raises Failure
    naming the file and the line that is not a row."""
    if not path.exists():
        return []
    if not path.is_file():
        raise Failure(f"{path}: not a file; {REMOVE}")
    rows = []
    for number, row in scan(path.read_text("utf-8", "replace"), SCHEMAS[path.name]):
        if isinstance(row, str):
            raise Failure(f"{path}:{number}: {row}; {REMOVE}")
        rows.append(row)
    return rows


def scan(text: str, form: Schema) -> Iterator[tuple[int, Row | str]]:
    """(line number, row) of every whole row, and (line number, fault) of every other line."""
    lines = text.split("\n")
    if lines[0].rstrip("\r") != form.head:
        yield 1, f"the first line must be {form.head}"
        return
    seen: dict[object, int] = {}
    for number, line in enumerate(lines[1:-1], start=2):
        line = line.rstrip("\r")
        if MARKUP.search(line):
            yield number, f"markup is no result: {line[:60]!a}"
            continue
        row = _row(line, form)
        first = number if isinstance(row, str) else seen.setdefault(form.key(row), number)
        yield number, row if first == number else f"the same row as line {first}"
    if lines[-1]:  # no line end: even a whole-looking number may be cut short
        yield len(lines), "not a whole row"


def _row(line: str, form: Schema) -> Row | str:
    cells = line.split(",")
    plain = line.isascii() and line.isprintable() and len(line) <= LONGEST
    if len(cells) != len(form.columns) or not plain:
        return "not a whole row"
    row: Row = dict(zip(form.columns, cells))
    if "file" in row and not INSIDE.fullmatch(row["file"]):
        return f"file is {row['file']!r}, not a file of the snapshot"
    for column in form.numbers:
        text = row[column]
        digits = text[1:] if form.estimated and text[:1] == "-" else text
        if digits.isdigit() and len(digits) <= 18:  # the line is ASCII
            row[column] = int(text)
        elif not text and form.sparse:
            row[column] = 0
        elif form.estimated and not text and row["unit"].startswith(ABSENT) and column == "value":
            row[column] = None
        else:
            return f"not a whole row: {column} is '{text}'"
    if row.get("n", 1) < 1:  # means divide by it
        return f"not a whole row: n is {row['n']}"
    return row
