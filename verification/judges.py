"""Judges of mutants by the check vectors: machine code in Unicorn, C on this machine itself."""

from __future__ import annotations

import importlib
import re
import subprocess
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

from harness import operands
from harness.elf import Elf, read_elf
from harness.operands import Call
from records.command import run
from records.faults import Failure
from records.ladder import ROOT, Snapshot
from verification import a32, c
from verification.code import LINK, arm, independent
from verification.prove import Proof, accepts, of_numbers, why_not

RANDOM = {64: (20_000, 4_000), 96: (20_000, 2_000), 128: (20_000, 400)}  # mont_mul, mod_exp


def files(width: int) -> list[Path]:
    """The files of vectors for a width."""
    folder = ROOT / "data" / "inputs" / f"width-{width}" / "vectors"
    return [folder / "mont_mul.txt", folder / "mod_exp.txt"]


def committed(width: int) -> list[Call]:
    """Every vector: mont_mul first, and of each function one of every kind in turn, because a kind
    that finds a mutant mostly does so with any of its vectors."""
    found = []
    for path in files(width):
        kinds: dict[str, list[Call]] = {}
        for call in operands.vectors(path):
            kinds.setdefault(call.kind, []).append(call)
        found += [v for turn in zip_longest(*kinds.values()) for v in turn if v is not None]
    return found


def drawn(width: int, seed: str) -> list[Call]:
    """Random calls."""
    return operands.drawn(width, seed, RANDOM[width])


def packed(calls: list[Call], width: int) -> bytes:
    """Calls as an array of judge.c's struct vector."""
    size = width // 8

    def one(call: Call) -> bytes:
        power, aliasing = call.function == "mod_exp", call.kind == "aliasing"
        head = power.to_bytes(4, "little") + aliasing.to_bytes(4, "little")
        numbers = (v.to_bytes(size, "little") for v in (call.x, call.y, call.z))
        return b"".join([head, call.modulus(size), *numbers])

    return b"".join(map(one, calls))


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
        self.vectors = committed(snapshot.width)
        self.size = len(packed(self.vectors[:1], snapshot.width))
        self.hot: list[int] = []
        self._load(elf, packed(self.vectors, snapshot.width))

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

    def killer(self, mutation: a32.Mutation) -> int | None:
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

    def verdict(
        self, mutation: a32.Mutation, drawn: Callable[[], Program], proof: Proof | None
    ) -> str:
        """killed, proved, missed (random operands find it, the vectors do not) or open.  `drawn`
        gives one that judges by random vectors."""
        if self.killer(mutation) is not None:
            return "killed"
        if self.addresses(mutation) - self.usual:
            return "killed"  # by the check of every access, tests/verification/test_trace.py
        if proof is not None and not why_not() and self._proved(mutation, proof):
            return "proved"
        return "open" if drawn().killer(mutation) is None else "missed"

    @cached_property
    def usual(self) -> set[int]:
        """The addresses without a mutation."""
        return self.addresses(None)

    def _proved(self, mutation: a32.Mutation, proof: Proof) -> bool:
        """Whether the proof covers what is changed, and goes through with it."""
        first = min(start for start, _ in proof.code.functions.values())
        at = first + 4 * mutation.place
        if len(mutation.words) == 2 and independent(proof.code, at):
            return True
        inside = {at + 4 * i for i in range(len(mutation.words))} <= proof.covered
        return inside and accepts(proof, proof.code.changed(at, mutation.words))

    def addresses(self, mutation: a32.Mutation | None) -> set[int]:
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
        self.vectors, self.hot = drawn(self.width, seed), []
        self._data(packed(self.vectors, self.width))

    def verify(self) -> None:
        """Raises Failure if the program without a mutation is found wrong."""
        found = self._call(0, self.count, REST)
        if found is not None:
            raise Failure(f"vector {found} finds a fault in the program as it is: make check")


SECONDS = 120  # for all vectors; the judge itself gives each vector half a second of its own time
HOST = ("gcc", "-std=c11", "-O1", "-w", f"-I{ROOT / 'harness'}")
HEAD = re.compile(r"^static .*?\b(\w+)\(", re.M)
NEON = f"-I{ROOT / 'harness/host'}"


class Sources:
    """A snapshot's C, the judge compiled and the vectors packed, in a folder of its own.  Raises
    Failure."""

    def __init__(self, snapshot: Snapshot, folder: Path, seed: str) -> None:
        self.snapshot, self.folder = snapshot, folder
        self.width = [f"-DWIDTH={snapshot.width}", *["-DPRODUCT"] * snapshot.has_assembly]
        self.texts = {name: (snapshot.path / name).read_text() for name in ("nat.h", "rsa.c")}
        self.seed, self.committed = seed, folder / "committed"
        width = snapshot.width
        self.committed.write_bytes(packed(committed(width), width))
        run([*HOST, *self.width, "-c", JUDGE, "-o", folder / "judge.o"])
        self.write("nat.h", self.texts["nat.h"])
        self.write("rsa.c", self.texts["rsa.c"])
        if not self.compiled() or self.found(self.committed):
            raise Failure(f"{snapshot.path}: fails as it is: make check")

    @cached_property
    def original(self) -> list[list[bytes]]:
        """What the ARM compiler makes of the sources as they are; asked for while they are."""
        return [self.machine_code(level) for level in ("-O3", "-O1")]

    @cached_property
    def drawn(self) -> Path:
        """Random vectors."""
        path, width = self.folder / "drawn", self.snapshot.width
        path.write_bytes(packed(drawn(width, self.seed), width))
        return path

    def write(self, name: str, text: str) -> None:
        """A source."""
        (self.folder / name).write_text(text)

    def compiled(self) -> bool:
        """Whether the sources compile."""
        words = [*HOST, NEON, *self.width, "rsa.c", "judge.o", "-o", "mutant"]
        return subprocess.run(words, cwd=self.folder, capture_output=True).returncode == 0

    def found(self, data: Path) -> bool:
        """Whether a vector finds a fault."""
        try:
            ran = subprocess.run(
                [self.folder / "mutant", data], capture_output=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return True
        return ran.returncode != 0

    def machine_code(self, level: str) -> list[bytes]:
        """What the ARM compiler makes of the sources: code and constants.  Raises Failure."""
        program = self.folder / "arm"
        options = [*self.width, level, "-w", "-fno-tree-loop-distribute-patterns"]  # no memmove
        arm(*LINK, "-Wl,-e,0", *options, JUDGE, self.folder / "rsa.c", "-lgcc", "-o", program)
        return [bytes(segment.data) for segment in read_elf(program).segments]

    def verdict(self, name: str, mutation: c.Mutation) -> str:
        """killed, invalid, proved, missed (random operands find it, the vectors do not) or open."""
        text = mutation.of(self.texts[name])
        self.write(name, text)
        try:
            if not self.compiled():
                return "invalid"
            if self.found(self.committed):
                return "killed"
            if self._equivalent(name, text, mutation):
                return "proved"
            self.write(name, text)
            return "missed" if self.found(self.drawn) else "open"
        finally:
            self.write(name, self.texts[name])

    def _equivalent(self, name: str, text: str, mutation: c.Mutation) -> bool:
        """Whether the ARM compiler makes the same of it, or the function in nat.h is proved."""
        try:
            mutant = [self.machine_code(level) for level in ("-O3", "-O1")]
            (self.folder / name).write_text(self.texts[name])
            if any(map(list.__eq__, mutant, self.original)):
                return True
            if name != "nat.h" or why_not():
                return False
            function = HEAD.findall(text[: mutation.start])[-1]
            proofs = [
                proof
                for proof in of_numbers(self.snapshot, text)
                if proof.name.split()[-1] in (function, f"{function}_in_x", f"{function}_in_y")
            ]
            return bool(proofs) and all(accepts(proof, proof.code) for proof in proofs)
        except Failure:
            return False
