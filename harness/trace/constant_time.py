"""Does what a snapshot does depend on its operands?

`python3 -m harness.trace.constant_time [--out RESULTS] [--clang FOLDER=PROGRAM]... FOLDER...`
calls both functions with many secrets under one modulus and compares the traces: which instructions
are executed, in which order, and which addresses they access.  One trace for all secrets is evidence
that a core whose instructions take the same time for all values takes the same time; two traces are a
leak, and no more secrets are tried then.  The numbers go to traces.csv.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from os import sched_getaffinity
from pathlib import Path
from typing import Any

from harness.cells import Cell, cells_of, keep, recall
from harness.collect import LOCAL, checked
from harness.count.unicorn.calls import Call
from harness.trace.traced import HOOKS, Traced
from records import faults, lock
from records.columns import aligned
from records.files import digest
from records.machine import machine_facts
from records.rows import Row, read_rows, write_rows

FILE = "traces.csv"
SECRETS = 256
FUNCTIONS = ("mont_mul", "mod_exp")


def secrets(width: int) -> Iterator[int]:
    """SECRETS numbers below 2^width: 0, 1, all ones, every single bit, numbers of which half of the
    bits are 1, and random ones.  The same in every run."""
    generator = random.Random(width)
    fixed = [0, 1, (1 << width) - 1, *(1 << i for i in range(1, width))]
    yield from fixed
    for i in range(SECRETS - len(fixed)):
        half = sum(1 << bit for bit in generator.sample(range(width), width // 2))
        yield half if i % 2 else generator.getrandbits(width)


def calls(function: str, width: int) -> Iterator[Call]:
    """A call for every secret, under one modulus of the full width.  The secret is the exponent, or
    one factor; the other operand is drawn with it."""
    generator = random.Random(f"{function} {width}")
    n = 1 << (width - 1) | generator.getrandbits(width - 1) | 1
    inverse = pow(1 << width, -1, n)
    for secret in secrets(width):
        x = generator.choice([0, 1, n - 1, generator.randrange(n), secret % n])
        if function == "mod_exp":
            yield Call(function, n, x, secret, pow(x, secret, n))
        else:
            yield Call(function, n, x, secret % n, x * secret * inverse % n)


def look(program: Path, width: int) -> dict[str, tuple[int, int]]:
    """Function -> (secrets tried, different traces).  Raises Failure."""
    found = {}
    with Traced(program, width) as traced:
        for function in FUNCTIONS:
            hashes: set[int] = set()
            for tried, call in enumerate(calls(function, width), start=1):
                hashes.add(traced.trace(call).hash)
                if len(hashes) > 1:
                    break
            found[function] = tried, len(hashes)
    return found


def of_cell(cell: Cell, program: Path) -> dict[str, tuple[int, int]]:
    """The same, kept beside the program."""
    kept = program.with_name("traces.json")
    key = digest(program, HOOKS, Path(__file__))
    found: Any = recall(kept, key)
    if found is None:
        found = look(program, cell.snapshot.width)
        print(f"  TRACE   {program.parent}", flush=True)
        keep(kept, key, found)
    return {function: (tried, traces) for function, (tried, traces) in found.items()}


def programs(cells: list[Cell], clang: str) -> list[tuple[Cell, str, Path]]:
    """(cell, compiler, program): those of the cells, and clang's of those that promise constant
    time."""
    gcc = machine_facts("", (), Path("build/flags").read_text(), {})["compiler"]
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
    """What a person reads: a line for each program and function."""
    lines = [["snapshot", "level", "compiler", "function", "secrets", "traces", ""]]
    for row in made:
        place = [f"{row['study']}/{row['snapshot']}", f"-{row['level']}", row["compiler"]]
        verdict = "depends on operands" if row["traces"] > 1 else "the same for all"
        lines.append([*place, row["function"], str(row["secrets"]), str(row["traces"]), verdict])
    return aligned(lines, (0, 1, 2, 3, 6))


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
        looked_at = {(row["study"], row["snapshot"], row["level"]) for row in made}
        others = [
            row
            for row in read_rows(path)
            if (row["study"], row["snapshot"], row["level"]) not in looked_at
        ]
        write_rows(path, [*others, *made])
    print("\n".join(table(made)))


if __name__ == "__main__":
    sys.exit(faults.command_line("traces", main))
