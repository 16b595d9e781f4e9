"""Programs that are built to be examined, with the compiler and the flags of every snapshot."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.elf import read_elf
from harness.prove.decode import Unproved
from records.command import run
from records.ladder import ROOT

CC = "arm-linux-gnueabihf-gcc"
ARCH = ("-std=c11", "-marm", "-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard")
TEXT = 0x20000
LINK = ("-static", "-nostdlib", f"-Wl,-Ttext={TEXT:#x},--build-id=none")


def arm(*words: str | Path) -> None:
    """Compiles, assembles or links.  Raises Failure."""
    run([CC, *ARCH, f"-I{ROOT / 'harness'}", *words])


@dataclass(frozen=True)
class Code:
    """`words` by address; `functions`: name -> first address and first beyond."""

    words: dict[int, int]
    functions: dict[str, tuple[int, int]]

    def __call__(self, address: int) -> int:
        """The word at an address.  Raises Unproved where there is none."""
        if address not in self.words:
            raise Unproved(f"a jump to {address:#x}")
        return self.words[address]

    def changed(self, address: int, words: Sequence[int]) -> Code:
        """The same with other words from an address on."""
        return Code(
            self.words | {address + 4 * i: word for i, word in enumerate(words)}, self.functions
        )

    def of(self, function: str) -> list[int]:
        """The words of a function."""
        start, end = self.functions[function]
        return [self.words[address] for address in range(start, end, 4)]


def code_of(program: Path) -> Code:
    """A static program's code.  Raises Failure."""
    elf = read_elf(program)
    section = elf.sections[".text"]
    data = elf.bytes_at(section.start, len(section) // 4 * 4)
    words = {
        section.start + i: int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)
    }
    return Code(words, {name: (start, end) for start, end, name in elf.functions})


def built(source: Path, *options: str | Path) -> Code:
    """The code of a source alone.  Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        arm(*LINK, "-Wl,-e,0", *options, source, "-lgcc", "-o", program)
        return code_of(program)
