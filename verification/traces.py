"""Does what a snapshot does depend on its operands?

Both functions are called with many secrets under one modulus, and the traces
compared: which instructions are executed, in which order, and which addresses
they access.  If all secrets have one trace, a core whose instructions take the
same time for all values takes the same time for all secrets.  Two traces are a
leak, and no more secrets are tried then.  The numbers go to traces.csv. A
snapshot whose step.toml says `constant-time = true` and that leaks is a fault.
"""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from harness.cells import Cell, Task, cells_of, checked, on_all_cores
from harness.collect import LOCAL, beside, prepare
from harness.operands import Call, power, product
from harness.unicorn import HOOKS, Traced
from records import files
from records.faults import Failure
from records.files import digest
from records.machine import compiler_name, read_flags
from records.rows import Row, read_rows, write_rows
from records.tables import Table, fitted, terminal_columns
from records.workloads import TRACED

SECRETS = 256


def secrets(width: int) -> Iterator[int]:
    """Yield SECRETS numbers below 2^width: 0, 1, all ones, every single bit,
    numbers of which half of the bits are 1, and random ones.  The same in
    every run."""
    generator = random.Random(width)
    single_bits = [1 << i for i in range(1, width)]
    fixed = [0, 1, (1 << width) - 1, *single_bits]
    yield from fixed
    for i in range(SECRETS - len(fixed)):
        positions = generator.sample(range(width), width // 2)
        half_ones = sum(1 << position for position in positions)
        yield half_ones if i % 2 else generator.getrandbits(width)


def calls(function: str, width: int) -> Iterator[Call]:
    """Yield a call for every secret, under one modulus of the full width.  The
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
    """Return function -> (secrets tried, different traces).  Raises Failure."""
    found = {}
    traced = Traced(program, width, hooks)
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
    """Return the rows of traces.csv, of programs by gcc and, where constant time
    is promised, by clang, too; what was traced is kept beside the program.
    Raises Failure."""
    gcc = read_flags().splitlines()[0]
    traced = []
    tasks = []
    for cell in cells:
        programs = [(gcc, cell.program)]
        if clang and cell.snapshot.constant_time:
            programs.append((clang, Path("build/clang", *cell.folder.parts[1:], "rsa")))
        for compiler, program in programs:
            key = digest(program, HOOKS, Path(__file__))
            trace = partial(look, program, cell.snapshot.width)
            tasks.append(Task(program.with_name("traces.json"), key, trace))
            traced.append((cell, compiler))
    new = []
    for (cell, compiler), answer in zip(traced, on_all_cores(tasks)):
        for function, (tried, traces) in sorted(answer.items()):
            row = cell.number(
                compiler=compiler_name(compiler),
                workload=TRACED,
                metric="traces",
                symbol=function,
                value=traces,
                n=tried,
            )
            new.append(row)
    return new


def summary(rows: list[Row]) -> Table:
    """Return the levels at which each function depends on its operands, by program and compiler."""
    leaking: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in rows:
        program = f"{row['study']}/{row['snapshot']}", row["compiler"]
        levels = leaking.setdefault(program, {function: [] for function in FUNCTIONS})
        if row["value"] > 1:
            levels[row["symbol"]].append(f"-{row['level']}")
    head = ["snapshot", "compiler", *FUNCTIONS]
    lines = []
    for program, levels in leaking.items():
        cells = [" ".join(levels[function]) or "no" for function in FUNCTIONS]
        lines.append([*program, *cells])
    return Table(head, lines)


def leak(cells: list[Cell], traced: list[Row]) -> str:
    """Return where a snapshot that promises constant time leaks first; "" if none does."""
    promised = set()
    for cell in cells:
        if cell.snapshot.constant_time:
            promised.add((cell.snapshot.study, cell.snapshot.name))
    for row in traced:
        snapshot = row["study"], row["snapshot"]
        if row["value"] > 1 and snapshot in promised:
            name = "/".join(snapshot)
            return f"{name} -{row['level']}, {row['compiler']}: {row['symbol']}"
    return ""


def main(*folders: Path, clang: str = "", out: Path = LOCAL) -> int:
    """Trace the snapshots of folders at every level.

    `clang` is its name and version, if it has compiled.  Raises Failure and OSError.
    """
    cells = checked(cells_of(folders, ""))
    traced = rows(cells, clang)
    with files.alone():
        prepare(out)
        write_rows(out / FILE, beside(read_rows(out / FILE), traced))
    table = summary(read_rows(out / FILE))
    print("Levels at which what a call executes or accesses depends on its operands:")
    print("\n".join(fitted(table, terminal_columns())), flush=True)
    leaking = leak(cells, traced)
    if leaking:
        raise Failure(
            f"{leaking} leaks; mend it, or delete constant-time = true in its step.toml"
        )
    return 0
