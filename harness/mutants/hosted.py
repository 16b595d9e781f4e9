"""Mutants of C, judged on this machine itself: the judge and the mutant as one program."""

from __future__ import annotations

import re
import subprocess
from functools import cached_property
from pathlib import Path

from harness.elf import read_elf
from harness.mutants import vectors
from harness.mutants.c import Mutation
from harness.mutants.emulated import JUDGE
from harness.prove.compiling import LINK, arm
from harness.prove.proofs import accepts, of_numbers, why_not
from records.command import run
from records.faults import Failure
from records.ladder import ROOT, Snapshot

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
        self.committed.write_bytes(vectors.packed(vectors.committed(width), width))
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
        path.write_bytes(vectors.packed(vectors.drawn(width, self.seed), width))
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

    def verdict(self, name: str, mutation: Mutation) -> str:
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

    def _equivalent(self, name: str, text: str, mutation: Mutation) -> bool:
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
