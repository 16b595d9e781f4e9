"""Does what a snapshot does depend on its operands?

`python3 -m harness.trace.constant_time [--out RESULTS] [--clang NAME] FOLDER...` calls both
functions with many secrets under one modulus and compares the traces: which instructions are
executed, in which order, and which addresses they access.  If all secrets have one trace, a core
whose instructions take the same time for all values takes the same time for all secrets.  Two
traces are a leak, and no more secrets are tried then.  The numbers go to traces.csv.  A snapshot
whose README says `constant-time: yes` and that leaks is a fault.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from os import sched_getaffinity
from pathlib import Path
from typing import Any

from harness import merge
from harness.cells import Cell, cells_of, checked
from harness.collect import LOCAL
from harness.kept import keep, recall
from harness.trace import secrets
from harness.trace.traced import HOOKS, Traced
from records import faults, lock
from records.faults import Failure
from records.files import digest
from records.platform import read_flags
from records.rows import Row, read_rows, write_rows
from records.tables import aligned

FILE = "traces.csv"
FUNCTIONS = ("mont_mul", "mod_exp")


def look(program: Path, width: int) -> dict[str, tuple[int, int]]:
    """Function -> (secrets tried, different traces).  Raises Failure."""
    found = {}
    with Traced(program, width) as traced:
        for function in FUNCTIONS:
            hashes: set[int] = set()
            tried = 0
            for call in secrets.calls(function, width):
                hashes.add(traced.trace(call).hash)
                tried += 1
                if len(hashes) > 1:
                    break
            found[function] = tried, len(hashes)
    return found


def of_cell(cell: Cell, program: Path) -> dict[str, tuple[int, int]]:
    """The same, kept beside the program."""
    kept = program.with_name("traces.json")
    key = digest(program, HOOKS, Path(secrets.__file__))
    found: Any = recall(kept, key)
    if found is None:
        found = look(program, cell.snapshot.width)
        print(f"  TRACE   {program.parent}", flush=True)
        keep(kept, key, found)
    return {function: (tried, traces) for function, (tried, traces) in sorted(found.items())}


def programs(cells: list[Cell], clang: str) -> list[tuple[Cell, str, Path]]:
    """(cell, compiler, program): those of the cells, and clang's of those that promise constant
    time."""
    gcc = read_flags().splitlines()[0]
    found = [(cell, gcc, cell.program) for cell in cells]
    if clang:
        promised = [cell for cell in cells if cell.snapshot.constant_time]
        places = [Path("build/clang", *cell.folder.parts[1:], "rsa") for cell in promised]
        found += [(cell, clang, place) for cell, place in zip(promised, places)]
    return found


def rows(found: list[tuple[Cell, str, Path]]) -> Iterator[Row]:
    """The rows of traces.csv.  Raises Failure."""
    workers = len(sched_getaffinity(0))
    with ThreadPoolExecutor(max_workers=workers) as pool:
        answers = pool.map(lambda one: of_cell(one[0], one[2]), found)
        for (cell, compiler, _), answer in zip(found, answers):
            for function, (tried, traces) in answer.items():
                words = {"compiler": compiler, "function": function}
                yield cell.row(**words, secrets=tried, traces=traces)


def table(made: list[Row]) -> list[str]:
    """What a person reads: a line for each snapshot and compiler."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in made:
        place = found.setdefault((f"{row['study']}/{row['snapshot']}", row["compiler"]), {})
        levels = place.setdefault(row["function"], [])
        if row["traces"] > 1:
            levels.append(f"-{row['level']}")
    lines = [
        ["snapshot", "compiler", *(f"{function} depends on operands" for function in FUNCTIONS)]
    ]
    for (name, compiler), of in found.items():
        lines.append([name, compiler, *(" ".join(of[f]) or "no" for f in FUNCTIONS)])
    return aligned(lines, (0, 1, 2, 3))


def broken(cells: list[Cell], made: list[Row]) -> list[str]:
    """Where a snapshot that promises constant time leaks."""
    promised = {(c.snapshot.study, c.snapshot.name) for c in cells if c.snapshot.constant_time}
    return [
        f"{row['study']}/{row['snapshot']} -{row['level']}, {row['compiler']}: {row['function']}"
        for row in made
        if row["traces"] > 1 and (row["study"], row["snapshot"]) in promised
    ]


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--clang", default="", help="what clang calls itself, where it has compiled"
    )
    parser.add_argument("--out", type=Path, default=LOCAL)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with lock.alone():
        cells = checked(cells_of(options.folders, ""))
        made = list(rows(programs(cells, options.clang)))
        path = options.out / FILE
        write_rows(path, merge.beside(read_rows(path), made))
    print("\n".join(table(made)), flush=True)
    for fault in broken(cells, made)[:1]:
        raise Failure(f"{fault} leaks; mend it, or take constant-time: yes out of its README")


if __name__ == "__main__":
    sys.exit(faults.command_line("traces", main))
