"""Machine code, and its execution on symbols: bit vectors, see symbols.py, or
polynomials, see polynomials.py.

Addresses have to be numbers.  Where a condition depends on a symbol, execution
forks: `paths` are all ways through.  What is not understood raises Unproved,
so a proof can only fail for it and never succeed.  Encodings: ARM Architecture
Reference Manual, ARMv7-A, A5.
"""

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import capstone

from harness.elf import read_elf
from records.faults import run
from records.ladder import ROOT
from verification.symbols import Beyond, Bits, Unproved, Value, Words, bits, joined, variable

CC = "arm-linux-gnueabihf-gcc"
ARCH = ("-std=c11", "-marm", "-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard")
LINK = ("-static", "-nostdlib", "-Wl,-Ttext=0x20000,--build-id=none")
SP, LR, PC = 13, 14, 15
PRESERVED = (*range(4, 12), SP, *range(32, 48))  # by a call: r4 to r11, sp, d8 to d15
STEPS, WAYS = 6_000, 64  # at most


DECODER = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM)


@cache
def text(word: int) -> tuple[str, list[str]]:
    """An instruction's name and operands, as capstone writes them; no name for what is none."""
    word = word if word >> 28 == 15 else word & 0x0FFFFFFF | 0xE0000000  # whatever its condition
    for one in DECODER.disasm(word.to_bytes(4, "little"), 0, 1):
        return one.mnemonic, re.findall(r"\[[^]]+\]!?|[^\s,{}]+", one.op_str)
    return "", []


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

    def changed(self, address: int, words: Sequence[int]) -> "Code":
        """The same with other words from an address on."""
        new = {address + 4 * i: word for i, word in enumerate(words)}
        return Code(self.words | new, self.functions)

    def find(self, function: str, wanted: str) -> list[int]:
        """Where in a function an instruction is whose name, or whole text, fits a regular
        expression.  Raises Unproved where none is."""
        fits, every = re.compile(rf"({wanted})( .*)?"), range(*self.functions[function], 4)
        if not (places := [at for at in every if fits.fullmatch(" ".join(self.text(at)))]):
            raise Unproved(f"no {wanted} in {function}")
        return places

    def text(self, address: int) -> list[str]:
        """Name and operands of the instruction there.  Raises Unproved where there is none."""
        name, operands = text(self(address))
        return [name, *operands]


def built(source: Path, *options: str | Path) -> Code:
    """The code of a source alone.  Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        arm(*LINK, "-Wl,-e,0", *options, source, "-lgcc", "-o", program)
        elf = read_elf(program)
    addresses = elf.sections[".text"][::4]
    words = (int.from_bytes(elf.bytes_at(at, 4), "little") for at in addresses)
    return Code(dict(zip(addresses, words)), {name: (at, end) for at, end, name in elf.functions})


# --- execution ------------------------------------------------------------------------------------

Z, X, Y, M = 0x1000, 0x2000, 0x3000, 0x4000  # addresses of the operands
STACK, RETURN = 0x10000, 0x70000000
FRAME = range(STACK - 1024, STACK, 4)
# What z may be.  That x and y may be one place follows, because neither is written before both have
# been read.
ALIASES = {"": (Z, X, Y), "z = x": (X, X, Y), "z = y": (Y, X, Y)}


def operand(name: str, limbs: int) -> list[Bits]:
    """The words of x, y or n."""
    return [variable(f"{name}{i}") for i in range(limbs)]


class State:
    """Registers, from 16 on words of vectors, flags, memory by address, and
    code.  Words outside `writable` are read only; `decided` says which way
    each fork goes, and gets what is decided beyond."""

    def __init__(self, code: Any, algebra: Any, decided: list[int]) -> None:
        self.algebra, self.code = algebra, code
        self.registers: list[Value] = [None] * 16
        self.carry: Value = None
        self.result: Value = None  # Z and N are its
        self.added: tuple[Value, Value, Value] | None = None  # two numbers and their sum
        self.memory: dict[int, Value] = {}
        self.writable: set[int] = set()
        self.written: set[int] = set()
        self.decided = decided
        self.known: dict[Value, int] = {}
        self.word = 0
        # Of pieces of code the first address, the one behind, and what takes their place.
        self.pieces: dict[int, tuple[int, Callable[[int], None]]] = {}

    @classmethod
    def paths(cls, code: Code, algebra: type[Words] = Words) -> Iterator[Self]:
        """A machine for every way through: the caller executes on one
        before it asks for the next."""
        todo: list[list[int]] = [[]]
        while todo:
            decided = todo.pop()
            given = len(decided)
            yield cls(code, algebra(), decided)
            todo += [decided[:k] + [1] for k in range(given, len(decided))]
            if len(todo) > WAYS:
                raise Unproved(f"more than {WAYS} ways through")

    def enter(self, limbs: int, alias: str = "") -> None:
        """mont_mul(z, x, y, m) is about to be called."""
        self.limbs, unknown = limbs, self.algebra.word
        self.z, x, y = ALIASES[alias]
        for base, name in ((y, "y"), (x, "x"), (M, "n"), (M + 4 * limbs, "rr")):
            for i in range(limbs):
                self.memory[base + 4 * i] = unknown(f"{name}{i}")
        self.memory[M + 8 * limbs] = unknown("n0inv")
        self.writable.update(range(self.z, self.z + 4 * limbs, 4), FRAME)
        old = [unknown(f"old{i}") for i in range(4, 13)]
        vectors = [unknown(f"old.s{i}") if i in range(16, 32) else None for i in range(64)]
        self.registers = [self.z, x, y, M, *old, STACK, RETURN, None, *vectors]
        self.before = list(self.registers)

    def left(self, size: int) -> Bits:
        """The number of so many words that is z after the return.  Raises
        Unproved when something else was changed."""
        if any(self.registers[i] != self.before[i] for i in PRESERVED):
            raise Unproved("a register that has to be preserved is not")
        where = range(self.z, self.z + 4 * size, 4)
        if self.written - {*FRAME} != {*where}:
            raise Unproved("z is not written, or more than z")
        return joined([self.memory[address] for address in where])

    @property
    def overflow(self) -> Value:
        """The flag V."""
        if self.added is None:
            return None
        a, b, total = map(bits, self.added)
        return ((a ^ total) & (b ^ total))[31:]

    @property
    def unclear(self) -> Beyond:
        """What to raise for an instruction that is not understood."""
        return Beyond(f"{self.registers[PC] - 4:#x}: {self.word:08x}: not understood")

    def get(self, register: int) -> Value:
        """A register's value."""
        value = self.registers[register]
        if value is None:
            raise Unproved(f"register {register} is read before it is written")
        return value + 4 if register == PC else value

    def set(self, register: int, value: Value) -> None:
        """Writes a register; a jump has to be to a number."""
        self.registers[register] = int(bits(value)) if register == PC else value

    def load(self, address: Value) -> Value:
        """A word from memory."""
        value = self.memory.get(int(bits(address)))
        if value is None:
            raise Unproved(f"a load from {int(bits(address)):#x}")
        return value

    def store(self, address: Value, value: Value) -> None:
        """A word to memory."""
        place = int(bits(address))
        if place not in self.writable:
            raise Unproved(f"a store to {place:#x}")
        self.memory[place] = value
        self.written.add(place)

    def decide(self, flag: Value) -> bool:
        """Whether the flag is 1 on this path."""
        for value in (0, 1):
            if flag == value:
                return bool(value)
        if flag is None:
            raise Unproved("a condition on a flag that is not known")
        if flag not in self.known:
            if len(self.known) == len(self.decided):
                self.decided.append(0)
            self.known[flag] = self.decided[len(self.known)]
            self.algebra.assume(flag, self.known[flag])
        return bool(self.known[flag])

    def holds(self, condition: int) -> bool:
        """Whether a condition holds on this path."""
        eq, cs, mi, vs, hi, ge, gt = range(0, 14, 2)
        if condition & 1:
            return not self.holds(condition ^ 1)
        if condition in (hi, gt):
            return not self.holds(eq) and self.holds(cs if condition == hi else ge)
        if condition in (cs, vs):
            return self.decide(self.carry if condition == cs else self.overflow)
        result = bits(self.result)
        if condition == eq:
            return self.decide(result.equals(0))
        differs = bits(self.overflow, 1) if condition == ge else 0
        negative = self.decide(result[31:] ^ differs)
        return negative == (condition == mi)

    def step(self, word: int) -> None:
        """Executes one instruction, see instructions.py.  Raises Unproved."""
        raise self.unclear

    def run(self, start: int, *stops: int) -> None:
        """Executes from one address until another is reached."""
        self.registers[PC] = start
        for _ in range(STEPS):
            at = self.registers[PC]
            if at in stops:
                return
            if at in self.pieces:
                end, over = self.pieces[at]
                over(at)
                self.registers[PC] = end
            else:
                self.step(self.code(at))
        raise Unproved("no end")
