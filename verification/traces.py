"""Does what a snapshot does depend on its operands?

Both functions are called with many secrets under one modulus, and the traces compared: which
instructions are executed, in which order, and which addresses they access.  If all secrets have one
trace, a core whose instructions take the same time for all values takes the same time for all
secrets.  Two traces are a leak, and no more secrets are tried then.  The numbers go to traces.csv.
A snapshot whose README says `constant-time: yes` and that leaks is a fault.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from ctypes import c_uint32, c_uint64, c_void_p
from functools import partial
from pathlib import Path

from harness.cells import Cell, Task, cells_of, checked, on_all_cores
from harness.collect import beside
from harness.elf import read_elf
from harness.operands import Call, power, product
from harness.unicorn import HOOK_CODE, HOOK_MEMORY, STACK, TOP, TRAP, library, load, perform
from records import files
from records.faults import Failure
from records.files import digest
from records.platform import read_flags
from records.rows import Row, read_rows, write_rows
from records.tables import aligned

SECRETS = 256


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
    for secret in secrets(width):
        x = generator.choice([0, 1, n - 1, generator.randrange(n), secret % n])
        if function == "mod_exp":
            yield power(n, x, secret)
        else:
            yield product(n, x, secret % n, width)


HOOKS = Path("build/trace.so")
DEPTH = 1 << 14  # bytes of stack that a call may use
READ, WRITE = 1, 2


class Range(ctypes.Structure):
    """As in trace.c."""

    _fields_ = [(name, c_uint32) for name in ("start", "end", "may")]


class State(ctypes.Structure):
    """`struct trace` of trace.c: of one call, the hash of its trace, how long that is, and its
    accesses outside the operands and the frame with the first of them."""

    _fields_ = [
        *((name, c_uint64) for name in ("hash", "instructions", "accesses", "astray")),
        *((name, c_uint32) for name in ("astray_at", "astray_to", "frame", "top")),
        *((name, c_uint32) for name in ("here", "sp", "lowest", "misaligned")),
        ("allowed", Range * 8),
        ("reg_read", c_void_p),
    ]


class Traced:
    """A program whose snapshot's functions are called one at a time.  Close it after use."""

    def __init__(self, program: Path, width: int, hooks: Path = HOOKS) -> None:
        try:
            self.c = ctypes.CDLL(str(hooks.resolve()))
        except OSError as fault:
            raise Failure(f"no traces: {fault}; make {hooks}") from None
        self.c.trace_executed.argtypes = (c_void_p, c_uint64, c_uint32, c_void_p)
        self.size, self.elf, self.state = width // 8, read_elf(program), State()
        self.engine = load(self.elf)
        self.engine.hook(HOOK_CODE, self.c.trace_executed, self.state)
        self.engine.hook(HOOK_MEMORY, self.c.trace_accessed, self.state)

    def __enter__(self) -> Traced:
        return self

    def __exit__(self, *fault: object) -> None:
        self.engine.__exit__(*fault)

    def allowed(self) -> list[tuple[int, int, int]]:
        """What a call may access beside its frame: z to write; x, y, the modulus and the program's
        own constants to read."""
        z, x, modulus = STACK, STACK + self.size, STACK + 3 * self.size
        constants = [(s.start, s.start + s.size, READ) for s in self.elf.segments]
        return [(z, x, READ | WRITE), (x, modulus + 2 * self.size + 4, READ), *constants]

    def trace(self, call: Call) -> State:
        """Trace one call.  Raises Failure unless it returns the right answer."""
        state = self.state
        ctypes.memset(ctypes.byref(state), 0, ctypes.sizeof(state))
        state.frame, state.top = TOP - DEPTH, TOP
        state.sp = state.lowest = TOP
        state.reg_read = ctypes.cast(library().uc_reg_read, c_void_p)
        for place, part in zip(state.allowed, self.allowed()):
            place.start, place.end, place.may = part
        z = perform(self.engine, self.elf.entry(call.function), call, self.size)
        self.c.trace_executed(self.engine.handle, TRAP, 4, ctypes.byref(state))  # the return
        if z != call.z:
            raise Failure(f"{call.function}: expected {call.z:x}, got {z:x}")
        if state.misaligned:
            place = f"{self.elf.function(state.misaligned)}, {state.misaligned:#x}"
            raise Failure(f"{place}: sp is not a multiple of 8 at this call")
        return State.from_buffer_copy(state)


FILE = "traces.csv"
FUNCTIONS = ("mont_mul", "mod_exp")


def look(program: Path, width: int, hooks: Path = HOOKS) -> dict[str, tuple[int, int]]:
    """Function -> (secrets tried, different traces).  Raises Failure."""
    found = {}
    with Traced(program, width, hooks) as traced:
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
    """The rows of traces.csv, of programs by gcc and, where constant time is promised, by clang,
    too; what was traced is kept beside the program.  Raises Failure."""
    gcc = read_flags().splitlines()[0]
    programs = [(cell, gcc, cell.program) for cell in cells]
    for cell in cells if clang else ():
        if cell.snapshot.constant_time:
            programs.append((cell, clang, Path("build/clang", *cell.folder.parts[1:], "rsa")))
    tasks = []
    for cell, _, program in programs:
        key, compute = (
            digest(program, HOOKS, Path(__file__)),
            partial(look, program, cell.snapshot.width),
        )
        tasks.append(Task(program.with_name("traces.json"), key, compute))
    return [
        cell.row(compiler=compiler, function=function, secrets=tried, traces=traces)
        for (cell, compiler, _), answer in zip(programs, on_all_cores(tasks))
        for function, (tried, traces) in sorted(answer.items())
    ]


def table(made: list[Row]) -> list[str]:
    """What a person reads: a line for each snapshot and compiler."""
    leaks: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in made:
        place = f"{row['study']}/{row['snapshot']}", row["compiler"]
        levels = leaks.setdefault(place, {function: [] for function in FUNCTIONS})
        levels[row["function"]] += [f"-{row['level']}"] * (row["traces"] > 1)
    lines = [["snapshot", "compiler", *(f"{name} depends on operands" for name in FUNCTIONS)]]
    for place, of in leaks.items():
        lines.append([*place, *(" ".join(levels) or "no" for levels in of.values())])
    return aligned(lines, (0, 1, 2, 3))


def broken(cells: list[Cell], made: list[Row]) -> list[str]:
    """Where a snapshot that promises constant time leaks."""
    promised = {(c.snapshot.study, c.snapshot.name) for c in cells if c.snapshot.constant_time}
    return [
        f"{row['study']}/{row['snapshot']} -{row['level']}, {row['compiler']}: {row['function']}"
        for row in made
        if row["traces"] > 1 and (row["study"], row["snapshot"]) in promised
    ]


def main(folders: list[Path], clang: str, out: Path) -> int:
    """Traces the snapshots of folders at every level.  `clang` is its name and version, if it has
    compiled.  Raises Failure and OSError."""
    with files.alone():
        cells = checked(cells_of(folders, ""))
        made = rows(cells, clang)
        write_rows(out / FILE, beside(read_rows(out / FILE), made))
    print("\n".join(table(made)), flush=True)
    for fault in broken(cells, made)[:1]:
        raise Failure(f"{fault} leaks; mend it, or take constant-time: yes out of its README")
    return 0
