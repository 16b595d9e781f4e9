"""Does what a snapshot does depend on its operands?

Both functions are called with many secrets under one modulus, and the traces
compared: which instructions are executed, in which order, and which addresses
they access.  If all secrets have one trace, a core whose instructions take the
same time for all values takes the same time for all secrets.  Two traces are a
leak, and no more secrets are tried then.  The numbers go to traces.csv. A
snapshot whose README says `constant-time: yes` and that leaks is a fault.
"""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness.cells import Cell, Task, cells_of, checked, on_all_cores
from harness.collect import LOCAL, beside
from harness.operands import Call, power, product
from harness.unicorn import HOOKS, Traced
from records import files
from records.faults import Failure
from records.files import digest
from records.machine import read_flags
from records.rows import Row, empty, fill, read_rows, write_rows
from records.tables import asked, questions

SECRETS = 256


def secrets(width: int) -> Iterator[int]:
    """SECRETS numbers below 2^width: 0, 1, all ones, every single bit,
    numbers of which half of the bits are 1, and random ones.  The same in
    every run."""
    generator = random.Random(width)
    fixed = [0, 1, (1 << width) - 1, *(1 << i for i in range(1, width))]
    yield from fixed
    for i in range(SECRETS - len(fixed)):
        half = sum(1 << bit for bit in generator.sample(range(width), width // 2))
        yield half if i % 2 else generator.getrandbits(width)


def calls(function: str, width: int) -> Iterator[Call]:
    """A call for every secret, under one modulus of the full width.  The
    secret is the exponent, or one factor; the other operand is drawn with
    it."""
    generator = random.Random(f"{function} {width}")
    n = 1 << (width - 1) | generator.getrandbits(width - 1) | 1
    for secret in secrets(width):
        x = generator.choice([0, 1, n - 1, generator.randrange(n), secret % n])
        if function == "mod_exp":
            yield power(n, x, secret)
        else:
            yield product(n, x, secret % n, width)


FILE = "traces.csv"
FUNCTIONS = ("mont_mul", "mod_exp")


def look(program: Path, width: int, hooks: Path = HOOKS) -> dict[str, tuple[int, int]]:
    """Function -> (secrets tried, different traces).  Raises Failure."""
    found, traced = {}, Traced(program, width, hooks)
    for function in FUNCTIONS:
        hashes: list[int] = []
        for call in calls(function, width):
            hashes.append(traced.trace(call).hash)
            if hashes[-1] != hashes[0]:
                break
        found[function] = len(hashes), len(set(hashes))
    print(f"  TRACE   {program.parent}", flush=True)
    return found


def rows(cells: list[Cell], clang: str) -> list[Row]:
    """The rows of traces.csv, of programs by gcc and, where constant time
    is promised, by clang, too; what was traced is kept beside the program.
    Raises Failure."""
    gcc, places, tasks = read_flags().splitlines()[0], [], []
    for cell in cells:
        programs = [(gcc, cell.program)]
        if clang and cell.snapshot.constant_time:
            programs.append((clang, Path("build/clang", *cell.folder.parts[1:], "rsa")))
        for compiler, program in programs:
            key, width = digest(program, HOOKS, Path(__file__)), cell.snapshot.width
            kept = program.with_name("traces.json")
            tasks.append(Task(kept, key, partial(look, program, width)))
            places.append((cell, compiler))
    return [
        cell.row(compiler=compiler, function=function, secrets=tried, traces=traces)
        for (cell, compiler), answer in zip(places, on_all_cores(tasks))
        for function, (tried, traces) in sorted(answer.items())
    ]


def broken(cells: list[Cell], made: list[Row]) -> list[str]:
    """Where a snapshot that promises constant time leaks."""
    promised = {(c.snapshot.study, c.snapshot.name) for c in cells if c.snapshot.constant_time}
    return [
        f"{row['study']}/{row['snapshot']} -{row['level']}, {row['compiler']}: {row['function']}"
        for row in made
        if row["traces"] > 1 and (row["study"], row["snapshot"]) in promised
    ]


def main(*folders: Path, clang: str = "", out: Path = LOCAL) -> int:
    """Traces the snapshots of folders at every level.  `clang` is its name
    and version, if it has compiled.  Raises Failure and OSError."""
    with files.alone():
        cells = checked(cells_of(folders, ""))
        made = rows(cells, clang)
        write_rows(out / FILE, beside(read_rows(out / FILE), made))
    fill(db := empty(), out / FILE)
    print("\n".join(asked(db, questions(__file__)["leaks"], {}).lines), flush=True)
    for fault in broken(cells, made)[:1]:
        raise Failure(f"{fault} leaks; mend it, or take constant-time: yes out of its README")
    return 0
