"""Results as they were written before every number had one head: `convert` writes them again.

    python3 -m records.earlier results/pi-4 ...

A contributed folder is converted when it is imported, results/local when it is measured into again.
"""

import csv
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

from records.commands import command
from records.faults import Failure
from records.machine import compiler_name, read_machine
from records.rows import (
    CALLS,
    CALLS_FROM,
    COLUMNS,
    EXACT,
    HEADS,
    TIMED,
    Row,
    write_rows,
)
from records.workloads import TRACED, TRIP_FIRST

OF_CELL = "study,snapshot,level,"
OF_LONG = "implementation,level,operation,bits,operands,way,metric,value,unit"
OF_ADDRESS = (
    "file,line,function,offset,class,instructions,taken,load_accesses,store_accesses,n"
)
LONG_STUDIES = {"operations.csv": "width-1024", "openssl.csv": "openssl"}


def counted(row: Row, file: str) -> Row:
    """Return the row of a number: a workload was once called a case."""
    kind = TIMED if HEADS[file] == "samples" else EXACT
    return row | {"workload": row["case"], "kind": kind}


def of_lines(row: Row, _: str) -> Row:
    """Return a row of a file that has another head."""
    return row | {"workload": row["case"]}


def of_calls(row: Row, _: str) -> Row:
    """Return the number of calls from one function, or from all, to another."""
    caller = row["caller"]
    return row | {
        "workload": TRIP_FIRST,
        "metric": CALLS if caller == "<total>" else f"{CALLS_FROM}{caller}",
        "symbol": row["callee"],
        "value": row["calls"],
        "unit": "calls",
        "n": 1,
        "kind": EXACT,
    }


def of_traces(row: Row, _: str) -> Row:
    """Return the number of traces of a function; the compiler may be another than the folder's."""
    return row | {
        "compiler": compiler_name(row["compiler"]),
        "workload": TRACED,
        "metric": "traces",
        "symbol": row["function"],
        "value": row["traces"],
        "unit": "traces",
        "n": row["secrets"],
        "kind": EXACT,
    }


def of_long_numbers(row: Row, file: str) -> Row:
    """Return a number of an operation of long numbers, or of OpenSSL."""
    workload = [row["operation"], row["bits"]]
    if file == "operations.csv":
        workload += [row["operands"], row["way"]]
    return row | {
        "study": LONG_STUDIES[file],
        "snapshot": row["implementation"],
        "workload": "-".join(workload),
        "symbol": "total",
        "n": 1,
        "kind": EXACT,
    }


# The first line of a file -> what makes today's row of one below it.
ROWS: dict[str, Callable[[Row, str], Row]] = {
    f"{OF_CELL}case,metric,symbol,value,unit,n,repeat": counted,
    f"{OF_CELL}case,{OF_ADDRESS}": of_lines,
    f"{OF_CELL}case,n,program,inputs,flags": of_lines,
    f"{OF_CELL}caller,callee,calls": of_calls,
    f"{OF_CELL}compiler,function,secrets,traces": of_traces,
    OF_LONG: of_long_numbers,
}


def earlier_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that begin as files of results once began."""
    for name in COLUMNS:
        for path in folder.glob(f"**/{name}"):
            with path.open(encoding="utf-8", errors="replace") as file:
                head = file.readline().rstrip("\n")
            if head in ROWS:
                yield path


def convert(folder: Path, called: str = "") -> list[Path]:
    """Write such files of a results folder again, and return them; what is as it is today stays.
    `called` is what the folder is called in a fault.  Raises Failure where a line is not whole, or
    machine.json is missing, and OSError."""
    found = list(earlier_files(folder))
    if not found:
        return []
    compiler = compiler_name(read_machine(folder, called)["compiler"])
    tables = {}
    for path in found:
        label = f"{called or folder}/{path.relative_to(folder)}"
        tables[path] = list(rows_of(path, label, compiler))
    for path, table in tables.items():
        write_rows(path, table)
    return found


def rows_of(path: Path, label: str, compiler: str) -> Iterator[Row]:
    """Yield today's rows of an earlier file, of this compiler where a row names none; `label` is what
    it is called in a fault.  Raises Failure."""
    text = path.read_text(encoding="utf-8", errors="replace")
    head, _, _ = text.partition("\n")
    of_today = ROWS[head]
    for number, row in enumerate(csv.DictReader(StringIO(text)), 2):
        if None in row or None in row.values():
            raise Failure(f"{label}:{number}: not a whole row; it is not converted")
        yield of_today({"compiler": compiler, **row}, path.name)


def main(*folders: Path) -> None:
    """Convert folders, and say what was written.  Raises Failure and OSError."""
    for folder in folders:
        for path in convert(folder):
            print(f"  WROTE   {path}")


if __name__ == "__main__":
    sys.exit(command("earlier", main))
