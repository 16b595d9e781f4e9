"""The second counter: Unicorn executes the snapshot's functions, one call at a time.

For a qemu-user that loads no plugin, and a check on the first counter, whose rows are the same to
the unit.  All that a call executes counts, run-time included.  The call-backs are plugin/hooks.c.

A memory instruction that is always executed makes the same number of accesses each time, which a
single trial of it tells (Trials); a conditional one makes as many whenever its condition holds.
Code outside the snapshot may be Thumb, of which neither is known beforehand; where any is executed,
all is executed once more, with every single access watched, ten times slower.

`python3 -m harness.unicorn_counter WIDTH HOOKS OUT PROGRAM call CALLS [COUNT]` counts one run, in a
process of its own, which can be ended at any moment: OUT gets the counts, and the results are
printed as the driver prints them.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from ctypes import POINTER, byref, c_char_p, c_int, c_uint8, c_uint32, c_uint64, c_void_p
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from harness.counts import Row, text
from harness.elf import read_elf, sections
from harness.operands import Call, read
from harness.unicorn import (
    EXECUTE,
    HOOK_CODE,
    HOOK_MEMORY,
    LR,
    R0,
    READ,
    SP,
    TOP,
    TRAP,
    WRITE,
    Engine,
    library,
    load,
    perform,
)
from records.faults import Failure, command_line

HOOKS = Path("build/unicorn.so")

# ---- The Python side of hooks.c: what it counts in, and the decoder ----

RUN_TIME, SNAPSHOT, HARNESS = range(3)  # enum part of plugin/predict.h
SCRATCH, CODE = 0x8000, 0x40000  # where every register points during a trial; the instruction
YIELD, NOP = 0xE320F001, 0xE320F000  # Unicorn stops at the one; they are of one class


class Place(ctypes.Structure):
    """As in hooks.c."""

    _fields_ = [
        *((n, c_uint64) for n in ("executions", "jumped", "held", "loads", "stores")),
        ("mispredicted", c_uint64),
        *((n, c_uint32) for n in ("branch", "part", "size", "ask")),
    ]


class Predictor(ctypes.Structure):
    """As in predict.h."""

    _fields_ = [
        ("btac", c_uint32 * (2 * 128)),
        ("returns", c_uint32 * 3),
        ("top", c_uint32),
        ("depth", c_uint32),
    ]


class Tally(ctypes.Structure):
    """As in hooks.c."""

    _fields_ = [
        ("start", c_uint32),
        ("length", c_uint32),
        ("places", POINTER(Place)),
        ("current", POINTER(Place)),
        ("next", c_uint32),
        ("nowhere", Place),
        ("reg_read", c_void_p),
        ("predictor", Predictor),
        ("spent", c_uint64),
    ]

    def __init__(self, addresses: range) -> None:
        self.rooms = (Place * (len(addresses) // 2 + 1))()
        super().__init__(addresses.start, len(addresses), self.rooms)
        self.nowhere.part = HARNESS
        self.current = ctypes.pointer(self.nowhere)
        self.reg_read = ctypes.cast(library().uc_reg_read, c_void_p)


class Rule(ctypes.Structure):
    """As in a32.h."""

    _fields_ = [("mask", c_uint32), ("value", c_uint32), ("cls", c_uint8), ("does", c_uint8)]


class Hooks:
    """The library of the call-backs and the decoder.  Raises Failure where it is missing."""

    def __init__(self, path: Path = HOOKS) -> None:
        try:
            self.c = ctypes.CDLL(str(path.resolve()))
        except OSError as fault:
            raise Failure(f"no counts: {fault}") from None
        self.c.a32_decode.argtypes, self.c.a32_decode.restype = (c_uint32,), POINTER(Rule)
        self.c.a32_class_name.argtypes, self.c.a32_class_name.restype = (c_int,), c_char_p
        self.c.executed.argtypes = (c_void_p, c_uint64, c_uint32, c_void_p)

    def decode(self, opcode: int) -> tuple[str, str]:
        """(class, what it does), both as in a Row."""
        rule = self.c.a32_decode(opcode).contents
        does = "".join(letter for bit, letter in enumerate("lsb") if rule.does >> bit & 1)
        return self.c.a32_class_name(rule.cls).decode(), does


class Trials:
    """Accesses of single instructions, each tried once among zeros."""

    def __init__(self, hooks: Hooks) -> None:
        self.known: dict[int, tuple[int, int]] = {}
        self.tally = Tally(range(0))
        self.engine = Engine()
        self.engine.map(0, 1 << 24, READ | WRITE | EXECUTE)
        self.engine.hook(HOOK_MEMORY, hooks.c.accessed, self.tally)

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *fault: object) -> None:
        self.engine.__exit__(*fault)

    def accesses(self, opcode: int) -> tuple[int, int]:
        """(loads, stores) of an A32 instruction whose condition holds.  Raises Failure."""
        if opcode >> 28 < 14:
            opcode = opcode & 0x0FFFFFFF | 14 << 28
        if opcode not in self.known:
            place = CODE + 8 * len(self.known)  # where no other was translated
            self.engine.write(place, opcode.to_bytes(4, "little"))
            for register in (*range(R0, R0 + 13), SP, LR):
                self.engine.set(register, SCRATCH)
            seen = self.tally.nowhere
            seen.loads = seen.stores = 0
            self.engine.start(place, count=1)
            self.known[opcode] = seen.loads, seen.stores
        return self.known[opcode]


# ---- A program that is counted ----


class Program:
    """A program in an engine, with the tally of what it executes.  Close it after use."""

    def __init__(self, path: Path, hooks: Hooks, width: int, watch: bool) -> None:
        self.hooks, self.size, self.watch = hooks, width // 8, watch
        self.elf, found = read_elf(path), sections(path)
        self.snapshot, self.harness = found["snapshot_text"], found["harness_text"]
        self.spent: list[int] = []  # the snapshot's instructions in each call
        self.results: list[int] = []
        self.tally = Tally(self.elf.code)
        self.engine = load(self.elf)
        self.engine.hook(HOOK_CODE, hooks.c.executed, self.tally)
        if watch:
            self.engine.hook(HOOK_MEMORY, hooks.c.accessed, self.tally)
        self._prepare()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *fault: object) -> None:
        self.engine.__exit__(*fault)

    def _prepare(self) -> None:
        """Say what the snapshot is, and what its branches are.  Unless all accesses are
        watched, have the condition looked at of each conditional instruction that uses memory."""
        for address in range(self.snapshot.start, self.snapshot.stop - 3, 4):
            opcode, place = self.opcode(address, 4), self.place(address)
            _, does = self.hooks.decode(opcode)
            place.part = SNAPSHOT
            if "b" in does:
                place.branch = opcode
            if not self.watch and opcode >> 28 < 14 and ("l" in does or "s" in does):
                place.ask = 1 + (opcode >> 28)

    def opcode(self, address: int, size: int) -> int:
        """The instruction there, a little-endian number."""
        return int.from_bytes(self.elf.bytes_at(address, size), "little")

    def place(self, address: int) -> Place:
        """The counters of an address."""
        place: Place = self.tally.rooms[(address - self.tally.start) // 2]
        return place

    def returned(self) -> None:
        """Says where the last branch went."""
        self.hooks.c.executed(None, TRAP, 4, byref(self.tally))

    def execute(self, call: Call) -> None:
        """One call; z joins the results."""
        before = self.tally.spent
        if call.chained:
            call = replace(call, x=self.results[-1])
        z = perform(self.engine, self.elf.entry(call.function), call, self.size)
        self.results.append(z)
        self.returned()
        self.spent.append(self.tally.spent - before)

    def executed(self) -> list[int]:
        """The addresses that were executed, in order."""
        words = memoryview(self.tally.rooms).cast("B").cast("Q")
        step = ctypes.sizeof(Place) // 8
        found = (i // step for i in range(0, len(words), step) if words[i])
        return [self.tally.start + 2 * i for i in found]

    def rows(self, trials: Trials) -> list[Row]:
        """What was executed, as the counter in qemu-arm would say it.  Raises Failure."""
        self._count_what_fails()
        if any(address in self.harness for address in self.executed()):
            raise Failure("the snapshot runs code of the harness")
        return [self._row(address, trials) for address in self.executed()]

    def _count_what_fails(self) -> None:
        """Unicorn calls back for a Thumb instruction that an IT made conditional only if it holds;
        each of the one to four is executed as often as the IT itself."""
        for address in self.executed():
            it, n = self.opcode(address, 2), self.place(address).executions
            if self.elf.is_thumb(address) and it >> 8 == 0xBF and it & 15:
                address += 2
                for _ in range(4 - ((it & -it).bit_length() - 1)):
                    place = self.place(address)
                    place.size = 4 if self.opcode(address, 2) >> 11 > 28 else 2
                    place.executions = n
                    address += place.size

    def _row(self, address: int, trials: Trials) -> Row:
        place = self.place(address)
        opcode, n = self.opcode(address, place.size), place.executions
        if self.elf.is_thumb(address):
            return Row(address, place.size, opcode, "thumb", "", n, 0, place.loads, place.stores)
        cls, does = self.hooks.decode(opcode)
        taken = n if opcode >> 28 >= 14 else place.jumped
        loads, stores = place.loads, place.stores
        if not self.watch and ("l" in does or "s" in does):
            held = place.held if place.ask else n
            loads, stores = (held * each for each in trials.accesses(opcode))
        if does == "s":
            loads = 0  # strex is emulated by compare and swap
        taken = taken if "b" in does else 0
        return Row(address, 4, opcode, cls, does, n, taken, loads, stores, place.mispredicted)


class Counted(NamedTuple):
    """Of some calls: the rows of what was executed, and of each call the snapshot's instructions
    and z."""

    rows: list[Row]
    spent: list[int]
    results: list[int]


def count_calls(
    program: Path, todo: Iterable[Call], width: int, hooks: Path, watch: bool = False
) -> Counted:
    """What the snapshot of this width in bits executes in these calls; `watch` has every memory
    access watched from the start.  Raises Failure for a fault of the program."""
    todo, loaded = list(todo), Hooks(hooks)
    with Program(program, loaded, width, watch) as running:
        for call in todo:
            running.execute(call)
        if watch or all(address in running.snapshot for address in running.executed()):
            with Trials(loaded) as trials:
                return Counted(running.rows(trials), running.spent, running.results)
    return count_calls(program, todo, width, hooks, watch=True)


def selftest_rows(program: Path, hooks: Path) -> list[Row]:
    """What each function of the self-test program executes, called once, with every access watched.
    Raises Failure, also where a single trial of an instruction says something else."""
    loaded = Hooks(hooks)
    with Program(program, loaded, 32, watch=True) as running, Trials(loaded) as trials:
        for address in range(running.snapshot.start, running.snapshot.stop, 4):
            if running.opcode(address, 4) == YIELD:
                running.engine.write(address, NOP.to_bytes(4, "little"))
        names = {running.elf.function(address) for address in running.snapshot[::4]}
        for entry in sorted(running.elf.entry(name) for name in names - {"?"}):
            running.engine.call(entry, TOP)
            running.returned()
        rows = running.rows(trials)
        for row in rows:
            if row.cls != "thumb" and row.opcode >> 28 >= 14 and set("ls") & set(row.does):
                loads, stores = trials.accesses(row.opcode)
                found = row.executions * loads * (row.does != "s"), row.executions * stores
                if found != (row.load_accesses, row.store_accesses):
                    raise Failure(f"{row.opcode:#x} makes other accesses when tried alone")
    return rows


def main() -> None:
    """Counts what the arguments say.  Raises Failure and OSError."""
    width, hooks, out, program, _, calls, *count = sys.argv[1:]
    todo = read(Path(calls))[: int(count[0]) if count else None]
    found = count_calls(Path(program), todo, int(width), Path(hooks))
    Path(out).write_text(text(found.rows, found.spent), encoding="ascii")
    print("".join(f"{z:x}\n" for z in found.results), end="")


if __name__ == "__main__":
    sys.exit(command_line("unicorn", main))
