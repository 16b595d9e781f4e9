"""Exact counts without qemu-arm: Unicorn executes the snapshot's functions, one call at a time.

The second way to the rows of counts.py, for a qemu-user that loads no plugin, and a check on the
first.  Memory is made as Linux would make it.  Neither the driver nor the C library's start runs:
arguments are put into memory, and z is read from there.  All that a call executes counts, run-time
included.

A memory instruction that is always executed makes the same number of accesses each time, which a
single trial of it tells (tally.Trials); a conditional one makes as many whenever its
condition holds.  Code outside the snapshot may be Thumb, of which neither is known beforehand;
where any is executed, all is executed once more, with every single access watched.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from ctypes import byref
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from harness.count.counts import Row, sections
from harness.count.elf import Elf, read_elf
from harness.count.unicorn.engine import HOOK_CODE, HOOK_MEMORY, TRAP, Engine
from harness.count.unicorn.tally import HOOKS, SNAPSHOT, Hooks, Place, Tally, Trials
from harness.operands import Call
from records.faults import Failure

HWCAP = 0x1FB8D7  # what Linux says of a Cortex-A7: the C library chooses its memcpy by it
STACK, FRAME = 0x70000000, 1 << 16  # operands at the beginning, frames from the middle down
TOP = STACK + FRAME // 2  # the stack pointer on entry


def load(elf: Elf) -> Engine:
    """An engine with a program and a stack in memory, its memcpy chosen."""
    engine = Engine()
    engine.load(elf.segments)
    engine.map(STACK, FRAME)
    for place, function in elf.late_bindings:
        engine.write(place, engine.call(function, TOP, HWCAP).to_bytes(4, "little"))
    return engine


def perform(engine: Engine, function: int, call: Call, size: int) -> int:
    """One call, with operands of `size` bytes at STACK: z, x, y, modulus.  Returns z."""
    z, x, y, m = (STACK + i * size for i in range(4))
    engine.write(x, call.x.to_bytes(size, "little"))
    engine.write(y, call.y.to_bytes(size, "little"))
    engine.write(m, call.modulus(size))
    engine.call(function, TOP, z, x, y, m)
    return int.from_bytes(engine.read(z, size), "little")


class Program:
    """A program in an engine, with the tally of what it executes.  Close it after use."""

    def __init__(self, path: Path, hooks: Hooks, width: int, watch: bool) -> None:
        self.path, self.hooks, self.limbs, self.watch = path, hooks, width // 32, watch
        self.elf, found = read_elf(path), sections(path)
        self.snapshot, self.harness = found["snapshot_text"], found["harness_text"]
        self.calls: list[int] = []  # the snapshot's instructions in each
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

    def execute(self, call: Call) -> None:
        """One call; z joins the results."""
        before = self.tally.spent
        if call.chained:
            call = replace(call, x=self.results[-1])
        z = perform(self.engine, self.elf.entry(call.function), call, 4 * self.limbs)
        self.results.append(z)
        self.hooks.c.executed(None, TRAP, 4, byref(self.tally))  # where the last branch went
        self.calls.append(self.tally.spent - before)

    @property
    def leaves_snapshot(self) -> bool:
        """Whether code outside the snapshot was executed."""
        return any(address not in self.snapshot for address in self.executed())

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
    program: Path,
    todo: Iterable[Call],
    *,
    width: int = 128,
    hooks: Path = HOOKS,
    watch: bool = False,
) -> Counted:
    """What the snapshot of this width in bits executes in these calls.

    ``watch`` has every memory access watched from the start, ten times slower.  Raises Failure for
    a fault of the program.
    """
    todo, loaded = list(todo), Hooks(hooks)
    with Program(program, loaded, width, watch) as running:
        for call in todo:
            running.execute(call)
        if watch or not running.leaves_snapshot:
            with Trials(loaded) as trials:
                return Counted(running.rows(trials), running.calls, running.results)
    return count_calls(program, todo, width=width, hooks=hooks, watch=True)
