"""Vectors that judge a program in Unicorn: which is the first that finds it wrong?

A program is judge.c with the sources of a snapshot; a mutant has other words in
places.  How long it may run is said in instructions, so that no verdict depends
on what else this machine does.
"""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from harness import operands
from harness.elf import Elf, read_elf
from harness.operands import Call
from harness.unicorn import EXECUTE, HOOK_MEMORY, READ, WRITE, Engine, NoEnd
from records.faults import Failure
from records.ladder import ROOT
from verification.machine import LINK, arm

JUDGE = Path(__file__).parent / "judge.c"
RAM = 0x100000
RAM_SIZE = 0x40000
STACK_TOP = RAM + RAM_SIZE - 0x1000
DATA = 0x1000000
BATCH = 50  # vectors at once
SLOWER = 20  # a mutant may execute so many times as much as the program
FEWEST = 1_000_000  # instructions that every batch may execute
MOST = 1 << 34  # and that none may
Part = tuple[int, int]  # of the vectors: the first, and how many


def to_bytes(*words: int) -> bytes:
    """Return words as they are in memory."""
    return b"".join(word.to_bytes(4, "little") for word in words)


def files(width: int) -> list[Path]:
    """Return the files of vectors for a width, mont_mul first."""
    folder = ROOT / "data" / "inputs" / f"width-{width}" / "vectors"
    return [folder / "mont_mul.txt", folder / "mod_exp.txt"]


@cache
def committed(width: int) -> list[Call]:
    """Return the vectors for a width.  Raises Failure."""
    calls: list[Call] = []
    for file in files(width):
        calls += operands.vectors(file)
    return calls


def packed(call: Call, size: int) -> bytes:
    """Return a call as judge.c's struct vector."""
    is_power = call.function == "mod_exp"
    is_aliased = call.kind == "aliasing"
    packed = to_bytes(is_power, is_aliased)
    packed += call.modulus(size)
    for number in (call.x, call.y, call.z):
        packed += number.to_bytes(size, "little")
    return packed


class Mutant(NamedTuple):
    """A program with other words in places; `words` are by their address."""

    program: Elf
    words: dict[int, int]


def program(*words: str | Path) -> Elf:
    """Return a program of judge.c and a snapshot's sources.  Raises Failure."""
    placed = f"-Wl,-Tdata={RAM:#x},-e,judge"
    # Without the last option the compiler would make a call of memcpy of memcpy itself.
    options = ["-w", "-fno-tree-loop-distribute-patterns"]
    with tempfile.TemporaryDirectory() as folder:
        linked = Path(folder, "judge")
        arm(*LINK, placed, *options, JUDGE, *words, "-lgcc", "-o", linked)
        return read_elf(linked)


class Finding(NamedTuple):
    """The number of a vector that finds a mutant wrong.  `late` says of one that has not ended
    within the instructions that it may execute: then it may be right."""

    vector: int
    late: str = ""


class Court:
    """Vectors in the memory of an emulator, and mutants of a program that they judge."""

    def __init__(self, calls: Sequence[Call], width: int, original: Mutant) -> None:
        self.calls = calls
        self.original = original
        self.loaded: Mutant | None = None
        vectors = [packed(call, width // 8) for call in calls]
        self.vector_size = len(vectors[0])
        # Instructions that a mutant may execute, by part.
        self.limits: dict[Part, int] = {}
        self.engine = Engine()
        self.engine.map(0, RAM, READ | EXECUTE)
        self.engine.map(RAM, RAM_SIZE, READ | WRITE | EXECUTE)
        self.engine.map(DATA, self.vector_size * len(vectors), READ)
        self.engine.uc.mem_write(DATA, b"".join(vectors))

    def load(self, mutant: Mutant) -> None:
        """Put a program into memory."""
        self.engine.uc.mem_write(RAM, bytes(RAM_SIZE))
        for segment in mutant.program.segments:
            self.engine.uc.mem_write(segment.start, segment.data)
        for address, word in mutant.words.items():
            self.engine.uc.mem_write(address, to_bytes(word))
        self.engine.uc.ctl_flush_tb()
        self.entry = mutant.program.entry("judge")
        self.loaded = mutant

    @property
    def parts(self) -> list[Part]:
        """Return the parts of the vectors: first one of mont_mul and one of mod_exp, which find
        most."""
        every = len(self.calls)
        parts = [(0, 1), (every - 1, 1)]
        for first in range(0, every, BATCH):
            parts.append((first, min(BATCH, every - first)))
        return parts

    def passed(self, part: Part, instructions: int) -> int:
        """Return how many vectors in a row find nothing.  Raises Failure for what crashes, and
        NoEnd for what does not end within so many instructions."""
        first, count = part
        data = DATA + first * self.vector_size
        return self.engine.call(
            self.entry, STACK_TOP, data, count, instructions=instructions
        )

    def limit(self, part: Part) -> int:
        """Return how many instructions a mutant may execute: SLOWER times those within which the
        original ends, right or wrong."""
        enough = FEWEST
        while part not in self.limits:
            self.load(self.original)
            try:
                self.passed(part, enough)
            except NoEnd:
                enough *= 2
                if enough < MOST:
                    continue
            except Failure:
                pass
            self.limits[part] = min(MOST, SLOWER * enough)
        return self.limits[part]

    def find(self, mutant: Mutant) -> Finding | None:
        """Return what finds the mutant wrong or late; None if it survives."""
        self.loaded = None
        for part in self.parts:
            limit = self.limit(part)
            if self.loaded is not mutant:
                self.load(mutant)
            first, count = part
            try:
                passed = self.passed(part, limit)
            except NoEnd as late:
                return Finding(first, str(late))
            except Failure:
                passed = self.crashes(mutant, part, limit)
            if passed < count:
                return Finding(first + passed)
        return None

    def crashes(self, mutant: Mutant, part: Part, limit: int) -> int:
        """Return which vector of a part it is that crashes: the first if none does alone."""
        first, count = part
        for i in range(count):
            self.load(mutant)
            try:
                self.passed((first + i, 1), limit)
            except Failure:
                return i
        return 0

    def killer(self, mutant: Mutant) -> int | None:
        """Return the number of a vector that finds the mutant wrong or late; None if it
        survives."""
        finding = self.find(mutant)
        return None if finding is None else finding.vector

    def addresses(self, mutant: Mutant) -> set[int]:
        """Return the addresses that some vectors of both functions read and write."""
        last = len(self.calls) - 1
        parts = [(vector, 1) for vector in (0, 1, last - 1, last)]
        limits = {part: self.limit(part) for part in parts}
        seen: set[int] = set()

        def note(_uc: Any, _access: int, address: int, size: int, *_: Any) -> None:
            seen.update(range(address, address + size))

        hook = self.engine.uc.hook_add(HOOK_MEMORY, note)
        self.load(mutant)
        for part, limit in limits.items():
            with suppress(Failure):
                self.passed(part, limit)
        self.engine.uc.hook_del(hook)
        return seen
