"""Mutants of machine code, judged in Unicorn: one program in memory, one word of it exchanged."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.elf import Elf, read_elf
from harness.mutants import vectors
from harness.mutants.a32 import Mutation
from harness.prove.compiling import arm
from harness.prove.exchange import independent
from harness.prove.proofs import Proof, accepts, why_not
from records.faults import Failure
from records.ladder import Snapshot

UNICORN: Any = importlib.import_module("unicorn")
REGISTERS: Any = importlib.import_module("unicorn.arm_const")
READ, EXECUTE = 1, 4
JUDGE = Path(__file__).with_name("judge.c")
BASE, RAM, DATA, TRAP = 0x20000, 0x100000, 0x1000000, 0x60000000
RAM_SIZE = 0x40000
FIRST, REST = 500_000, 60_000_000  # microseconds that one vector, and all, may take
HOT = 12  # vectors that found one of the last mutants come first


class Program:
    """The judge with a snapshot, in an emulator of its own.

    `start` and `code` are the address and the words of what mont.S defines.  Raises Failure.
    """

    def __init__(self, snapshot: Snapshot, folder: Path) -> None:
        program, assembled = folder / "judge", folder / "mont.o"
        self.width, width = snapshot.width, f"-DWIDTH={snapshot.width}"
        arm("-O1", width, "-c", snapshot.path / "mont.S", "-o", assembled)
        sources = [JUDGE, snapshot.path / "rsa.c", assembled]
        link = [
            "-static",
            "-nostdlib",
            f"-Wl,-Ttext={BASE:#x},-Tdata={RAM:#x},-e,judge,--build-id=none",
        ]
        arm("-O1", width, *link, *sources, "-lgcc", "-o", program)
        elf = read_elf(program)
        names = [name for _, _, name in read_elf(assembled).functions]
        spans = [span for span in elf.functions if span[2] in names]
        self.start = min(start for start, _, _ in spans)
        end = max(end for _, end, _ in spans)
        text = elf.bytes_at(self.start, end - self.start)
        self.code = [int.from_bytes(text[i : i + 4], "little") for i in range(0, len(text), 4)]
        self.entry = elf.entry("judge")
        self.vectors = vectors.committed(snapshot.width)
        self.size = len(vectors.packed(self.vectors[:1], snapshot.width))
        self.hot: list[int] = []
        self._load(elf, vectors.packed(self.vectors, snapshot.width))

    def _load(self, elf: Elf, data: bytes) -> None:
        self.uc: Any = UNICORN.Uc(UNICORN.UC_ARCH_ARM, UNICORN.UC_MODE_ARM)
        self.uc.ctl_set_cpu_model(REGISTERS.UC_CPU_ARM_CORTEX_A7)
        self.uc.mem_map(0, RAM, READ | EXECUTE)
        self.uc.mem_map(RAM, RAM_SIZE)
        self.uc.mem_map(TRAP, 0x1000)
        self.room = 0
        for segment in elf.segments:
            self.uc.mem_write(segment.start, bytes(segment.data))
        self.ram = bytes(self.uc.mem_read(RAM, RAM_SIZE))
        self._data(data)

    def _data(self, data: bytes) -> None:
        if self.room:
            self.uc.mem_unmap(DATA, self.room)
        self.room = -(-len(data) // 0x1000) * 0x1000
        self.uc.mem_map(DATA, self.room, READ)
        self.uc.mem_write(DATA, data)
        self.count = len(data) // self.size

    def _call(self, first: int, count: int, limit: int) -> int | None:
        """The place of the vector that finds something, None if none does; the first one's where
        the program crashes or does not end."""
        uc = self.uc
        uc.reg_write(REGISTERS.UC_ARM_REG_R0, DATA + first * self.size)
        uc.reg_write(REGISTERS.UC_ARM_REG_R1, count)
        uc.reg_write(REGISTERS.UC_ARM_REG_SP, RAM + RAM_SIZE - 0x1000)
        uc.reg_write(REGISTERS.UC_ARM_REG_LR, TRAP)
        try:
            uc.emu_start(self.entry, TRAP, timeout=limit)
        except UNICORN.UcError:
            return first
        if uc.reg_read(REGISTERS.UC_ARM_REG_PC) != TRAP:
            return first
        found = int(uc.reg_read(REGISTERS.UC_ARM_REG_R0))
        return first + found if found < count else None

    def killer(self, mutation: Mutation) -> int | None:
        """The place of a vector that finds the mutant; None if it survives."""
        address = self.start + 4 * mutation.place
        self._write(address, mutation.words)
        try:
            for place in self.hot:
                if self._call(place, 1, FIRST) is not None:
                    return place
            found = self._call(0, 1, FIRST)
            if found is None:
                found = self._call(0, self.count, REST)
            if found is not None:
                self.hot = [found, *self.hot[: HOT - 1]]
            return found
        finally:
            self._write(address, self.code[mutation.place : mutation.place + len(mutation.words)])
            self.uc.mem_write(RAM, self.ram)

    def _write(self, address: int, words: Sequence[int]) -> None:
        data = b"".join(word.to_bytes(4, "little") for word in words)
        self.uc.mem_write(address, data)
        self.uc.ctl_flush_tb()

    def verdict(self, mutation: Mutation, drawn: Callable[[], Program], proof: Proof | None) -> str:
        """killed, proved, missed (random operands find it, the vectors do not) or open.  `drawn`
        gives one that judges by random vectors."""
        if self.killer(mutation) is not None:
            return "killed"
        if self.addresses(mutation) - self.usual:
            return "killed"  # by the check of every access, tests/harness/test_trace.py
        if proof is not None and not why_not() and self._proved(mutation, proof):
            return "proved"
        return "open" if drawn().killer(mutation) is None else "missed"

    @cached_property
    def usual(self) -> set[int]:
        """The addresses without a mutation."""
        return self.addresses(None)

    def _proved(self, mutation: Mutation, proof: Proof) -> bool:
        """Whether the proof covers what is changed, and goes through with it."""
        first = min(start for start, _ in proof.code.functions.values())
        at = first + 4 * mutation.place
        if len(mutation.words) == 2 and independent(proof.code, at):
            return True
        inside = {at + 4 * i for i in range(len(mutation.words))} <= proof.covered
        return inside and accepts(proof, proof.code.changed(at, mutation.words))

    def addresses(self, mutation: Mutation | None) -> set[int]:
        """Which addresses some vectors of both functions read and write."""
        found: set[int] = set()
        address = self.start + 4 * mutation.place if mutation else self.start
        if mutation:
            self._write(address, mutation.words)

        def access(_uc: Any, _kind: int, at: int, size: int, _value: int, _data: Any) -> None:
            found.update(range(at, at + size))

        hook = self.uc.hook_add(UNICORN.UC_HOOK_MEM_READ | UNICORN.UC_HOOK_MEM_WRITE, access)
        last = self.count - 1
        for place in (0, 1, last - 1, last):
            self._call(place, 1, REST)
        self.uc.hook_del(hook)
        if mutation:
            self._write(address, self.code[mutation.place : mutation.place + len(mutation.words)])
        self.uc.mem_write(RAM, self.ram)
        return found

    def draw(self, seed: str) -> None:
        """Judges by random vectors from here on."""
        self.vectors, self.hot = vectors.drawn(self.width, seed), []
        self._data(vectors.packed(self.vectors, self.width))

    def verify(self) -> None:
        """Raises Failure if the program without a mutation is found wrong."""
        found = self._call(0, self.count, REST)
        if found is not None:
            raise Failure(f"vector {found} finds a fault in the program as it is: make check")
