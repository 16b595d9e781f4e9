"""The tables of a results folder: long and tidy CSV, one observation a row, never quoted.

Exact numbers (counts.csv, asm.csv, lines.csv, operations.csv) and noisy ones
(times.csv, perf.csv) are never in one file.  `value` is the integer total over
n operations; means are derived by the reader.
"""

import re
from collections.abc import Iterable
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
    " traces calls cycles layouts most count".split()
)


class Schema:
    """The columns of a table, which of them are whole numbers, whether a 0
    is left empty, and whether a number may be below 0, and a value absent:
    what perf estimates."""

    def __init__(
        self, head: str, numbers: str, sparse: bool = False, estimated: bool = False
    ) -> None:
        self.head, self.sparse, self.estimated = head, sparse, estimated  # the file's first line
        self.columns, self.numbers = tuple(head.split(",")), tuple(numbers.split(","))

    def row(self, line: str) -> Row:
        """A line's cells by column, numbers as integers.  Raises Failure."""
        if MARKUP.search(line):
            raise Failure(f"markup is no result: {line[:60]!a}")
        row: Row = dict(zip(self.columns, line.split(",")))
        plain = line.isascii() and line.isprintable() and len(line) <= LONGEST
        if line.count(",") != len(self.columns) - 1 or not plain:
            raise Failure("not a whole row")
        if not INSIDE.fullmatch(row.get("file", "")):
            raise Failure(f"file is {row['file']!r}, not a file of the snapshot")
        for column in self.numbers:
            text = row[column]
            if text.removeprefix("-" * self.estimated).isdigit() and len(text) <= 18:
                row[column] = int(text)
            elif not text and self.sparse:
                row[column] = 0
            elif self.estimated and column == "value" and f"{text}{row['unit']}".startswith(ABSENT):
                row[column] = None
            else:
                raise Failure(f"not a whole row: {column} is '{text}'")
        if row.get("n", 1) < 1:  # means divide by it
            raise Failure(f"not a whole row: n is {row['n']}")
        return row

    def key(self, row: Row) -> tuple[object, ...]:
        """What no two rows of a file have in common."""
        return tuple([row[column] for column in self.columns if column not in MEASURES])


OBSERVED = "study,snapshot,level,case,metric,symbol,value,unit,n,repeat", "value,n,repeat"
OBSERVATION = Schema(*OBSERVED)
ACCESSES = "instructions,taken,load_accesses,store_accesses,n"
PLACED = "study,snapshot,level,case,file,line,function,offset,class"
LINE = Schema(f"{PLACED},{ACCESSES}", f"line,{ACCESSES}", sparse=True)
# Products, powers and private operations of studies/width-1024, and OpenSSL's RSA operations: `way`
# is how it is computed.
OPERATED = "implementation,level,operation,bits,operands,way,metric,value,unit", "bits,value"
# Totals of n operations on an open core (studies/hardware/cores): in the layout of the program that
# takes least cycles, `most` in the one that takes most; and these cycles by what they went into.
SIMULATED = "core,study,snapshot,level,operation"
RETIRED = "n,instructions,cycles"
# The files of a results folder; calls.csv is in its gprof/.
SCHEMAS = {
    **dict.fromkeys(("asm.csv", "counts.csv", "times.csv", "models.csv"), OBSERVATION),
    "agreement.csv": OBSERVATION,
    "perf.csv": Schema(*OBSERVED, estimated=True),
    "lines.csv": LINE,
    "provenance.csv": Schema("study,snapshot,level,case,n,program,inputs,flags", "n"),
    "traces.csv": Schema("study,snapshot,level,compiler,function,secrets,traces", "secrets,traces"),
    **dict.fromkeys(("operations.csv", "openssl.csv"), Schema(*OPERATED)),
    "calls.csv": Schema("study,snapshot,level,caller,callee,calls", "calls"),
    "cycles.csv": Schema(f"{SIMULATED},{RETIRED},layouts,most", f"{RETIRED},layouts,most"),
    "events.csv": Schema(f"{SIMULATED},event,count,cycles", "count,cycles"),
    "units.csv": Schema(f"core,unit,kernel,width,operation,{RETIRED}", f"width,{RETIRED}"),
}


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows (missing columns are empty), or remove the file when there
    is none.  Raises OSError."""
    form = SCHEMAS[path.name]
    empty = (None, 0) if form.sparse else (None,)
    lines = [form.head]
    for row in rows:
        cells = (row.get(column, "") for column in form.columns)
        lines.append(",".join("" if cell in empty else str(cell) for cell in cells))
    if len(lines) > 1:
        replace(path, "\n".join(lines) + "\n")
    else:
        path.unlink(missing_ok=True)


def read_rows(path: Path) -> list[Row]:
    """The rows of a results file, numbers as integers; [] when there is no
    file.  Raises Failure naming the file and the first line that is not a
    row, OSError."""
    if not path.exists():
        return []
    form, seen, rows = SCHEMAS[path.name], dict[object, int](), list[Row]()
    head, *lines = path.read_text("utf-8", "replace").split("\n")
    number = 1
    try:
        if head.rstrip("\r") != form.head:
            raise Failure(f"the first line must be {form.head}")
        for number, line in enumerate(lines[:-1], start=2):
            row = form.row(line.rstrip("\r"))
            first = seen.setdefault(form.key(row), number)
            if first != number:
                raise Failure(f"the same row as line {first}")
            rows.append(row)
        if lines[-1:] != [""]:  # no line end: even a whole-looking number may be cut short
            number = len(lines) + 1
            raise Failure("not a whole row")
    except Failure as fault:
        raise Failure(f"{path}:{number}: {fault}; {REMOVE}") from None
    return rows
