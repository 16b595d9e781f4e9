"""Machine code, and its execution on symbols: bit vectors, see symbols.py, or
polynomials, see polynomials.py.

Addresses have to be numbers.  Where a condition depends on a symbol, execution
forks: `paths` are all ways through.  What is not understood raises Unproved,
so a proof can only fail for it and never succeed.  Encodings: ARM Architecture
Reference Manual, ARMv7-A, A5.
"""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Self

import capstone

from harness.compiler import decided
from harness.elf import Segment, read_elf
from records.faults import run
from records.ladder import ROOT
from records.settings import USUAL_TOOLCHAIN
from verification.symbols import (
    Beyond,
    Bits,
    Unproved,
    Value,
    Words,
    bits,
    joined,
    variable,
)

OPTIONS = ("-std=c11", "-marm", *USUAL_TOOLCHAIN.architecture.split())
LINK = ("-static", "-nostdlib", "-Wl,-Ttext=0x20000,--build-id=none")
SP = 13
LR = 14
PC = 15
PRESERVED = (*range(4, 12), SP, *range(32, 48))  # by a call: r4 to r11, sp, d8 to d15
STEPS = 12_000  # instructions of a call, at most
WAYS = 64  # through a call, at most

DECODER = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM)


@cache
def text(word: int) -> tuple[str, list[str]]:
    """Return an instruction's name and operands, as capstone writes them; no name for none."""
    if word >> 28 != 15:  # whatever its condition
        word = word & 0x0FFFFFFF | 0xE0000000
    encoded = word.to_bytes(4, "little")
    for instruction in DECODER.disasm(encoded, 0, 1):
        operands = re.findall(r"\[[^]]+\]!?|[^\s,{}]+", instruction.op_str)
        return instruction.mnemonic, operands
    return "", []


# A source that was copied elsewhere finds the header by its relative path, too: from two or three
# folders below the root.
INCLUDE = [
    f"-I{ROOT / name}"
    for name in ("harness", "harness/driver", "data/inputs/width-128")
]


def arm(*words: str | Path) -> None:
    """Compile, assemble or link.  Raises Failure."""
    compiler = USUAL_TOOLCHAIN.command
    run([compiler, *OPTIONS, *decided(compiler), *INCLUDE, *words])


@dataclass(frozen=True)
class Code:
    """`words` by address; `functions`: name -> first address and first beyond; `segments`: what
    the program has in memory, which the words then overwrite."""

    words: dict[int, int]
    functions: dict[str, tuple[int, int]]
    segments: tuple[Segment, ...] = ()

    def __call__(self, address: int) -> int:
        """Return the word at an address.  Raises Unproved where there is none."""
        if address not in self.words:
            raise Unproved(f"a jump to {address:#x}")
        return self.words[address]

    def changed(self, address: int, words: Sequence[int]) -> "Code":
        """Return the code with other words from an address on."""
        new = dict(zip(range(address, address + 4 * len(words), 4), words))
        return replace(self, words=self.words | new)

    def addresses(self, function: str) -> range:
        """Return the addresses of a function's instructions."""
        start, end = self.functions[function]
        return range(start, end, 4)

    def find(self, function: str, wanted: str) -> list[int]:
        """Return where in a function the instructions are whose name, or whole text, fits a
        regular expression.  Raises Unproved where none is."""
        pattern = re.compile(rf"({wanted})( .*)?")
        found = []
        for address in self.addresses(function):
            instruction = " ".join(self.text(address))
            if pattern.fullmatch(instruction):
                found.append(address)
        if not found:
            raise Unproved(f"no {wanted} in {function}")
        return found

    def text(self, address: int) -> list[str]:
        """Return name and operands of the instruction at an address.  Raises Unproved."""
        name, operands = text(self(address))
        return [name, *operands]


def built(source: Path, *options: str | Path) -> Code:
    """Return the code of a source that is compiled alone.  Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        arm(*LINK, "-Wl,-e,0", *options, source, "-lgcc", "-o", program)
        elf = read_elf(program)
    words = {}
    for address in elf.sections[".text"][::4]:
        encoded = elf.bytes_at(address, 4)
        words[address] = int.from_bytes(encoded, "little")
    functions = {name: (start, end) for start, end, name in elf.functions}
    return Code(words, functions, tuple(elf.segments))


# --- execution ------------------------------------------------------------------------------------

# Addresses of the operands.
Z = 0x1000
X = 0x2000
Y = 0x3000
M = 0x4000
STACK = 0x10000
RETURN = 0x70000000
FRAME = range(STACK - 1024, STACK, 4)
# What z may be.  That x and y may be one place follows, because neither is written before both have
# been read.
ALIASES = {"": (Z, X, Y), "z = x": (X, X, Y), "z = y": (Y, X, Y)}


def operand(name: str, limbs: int) -> list[Bits]:
    """Return the words of x, y or n."""
    return [variable(f"{name}{i}") for i in range(limbs)]


def operand_in(operands: Mapping[str, int], name: str, limbs: int) -> int:
    """Return the number x, y or n whose words are among these, 0 where one is not."""
    number = 0
    for i in range(limbs):
        number += operands.get(f"{name}{i}", 0) << 32 * i
    return number


class State:
    """Registers, from 16 on words of vectors, flags, memory by address, and
    code.  Words outside `writable` are read only; `decided` says which way
    each fork goes, and gets what is decided beyond."""

    def __init__(self, code: Any, algebra: Any, decided: list[int]) -> None:
        self.algebra = algebra
        self.code = code
        self.registers: list[Value] = [None] * 16
        self.carry: Value = None
        self.result: Value = None  # Z and N are its
        # Two numbers and their sum.
        self.added: tuple[Value, Value, Value] | None = None
        self.memory: dict[int, Value] = {}
        self.writable: set[int] = set()
        self.written: set[int] = set()
        self.decided = decided
        self.assumed: dict[Value, int] = {}
        self.word = 0
        # Of pieces of code the first address, the one behind, and what takes their place.
        self.pieces: dict[int, tuple[int, Callable[[int], None]]] = {}

    @classmethod
    def paths(cls, code: Code, algebra: type[Words] = Words) -> Iterator[Self]:
        """Yield a machine for every way through: the caller executes on one
        before it asks for the next."""
        todo: list[list[int]] = [[]]
        while todo:
            decided = todo.pop()
            given = len(decided)
            yield cls(code, algebra(), decided)
            for fork in range(given, len(decided)):
                todo.append([*decided[:fork], 1])
            if len(todo) > WAYS:
                raise Unproved(f"more than {WAYS} ways through")

    def enter(self, limbs: int, alias: str = "") -> None:
        """Set registers and memory as they are when mont_mul(z, x, y, m) is about to be called."""
        self.limbs = limbs
        self.z, x, y = ALIASES[alias]
        self.put_number(y, "y")
        self.put_number(x, "x")
        self.put_number(M, "n")
        self.put_number(M + 4 * limbs, "rr")
        unknown = self.algebra.word
        self.memory[M + 8 * limbs] = unknown("n0inv")
        self.writable.update(self.words_of_z(limbs), FRAME)
        core = [unknown(f"old{i}") for i in range(4, 13)]
        preserved_vectors = [unknown(f"old.s{i}") for i in range(16, 32)]
        vectors = [*[None] * 16, *preserved_vectors, *[None] * 32]
        self.registers = [self.z, x, y, M, *core, STACK, RETURN, None, *vectors]
        self.before = list(self.registers)

    def put_number(self, address: int, name: str) -> None:
        """Put an unknown number into memory."""
        for i in range(self.limbs):
            self.memory[address + 4 * i] = self.algebra.word(f"{name}{i}")

    def words_of_z(self, size: int) -> range:
        """Return the addresses of the words of z, of which it has so many."""
        return range(self.z, self.z + 4 * size, 4)

    def left(self, size: int) -> Bits:
        """Return the number of so many words that is z after the return.  Raises
        Unproved when something else was changed."""
        return joined(self.words_left(self.words_of_z(size)))

    def words_left(self, addresses: Sequence[int]) -> list[Value]:
        """Return what a call has written, which should be the words at these
        addresses.  Raises Unproved when something else was changed."""
        if any(self.registers[i] != self.before[i] for i in PRESERVED):
            raise Unproved("a register that has to be preserved is not")
        if self.written - {*FRAME} != {*addresses}:
            raise Unproved("z is not written, or more than z")
        return [self.memory[address] for address in addresses]

    @property
    def overflow(self) -> Value:
        """Return the flag V: a + b has another sign than both a and b."""
        if self.added is None:
            return None
        a, b, total = map(bits, self.added)
        differs_from_both = (a ^ total) & (b ^ total)
        return differs_from_both[31:]

    @property
    def unclear(self) -> Beyond:
        """Return the fault of an instruction that is not understood."""
        address = self.registers[PC] - 4
        return Beyond(f"{address:#x}: {self.word:08x}: not understood")

    def get(self, register: int) -> Value:
        """Return a register's value."""
        value = self.registers[register]
        if value is None:
            raise Unproved(f"register {register} is read before it is written")
        return value + 4 if register == PC else value

    def set(self, register: int, value: Value) -> None:
        """Write a register; a jump has to be to a number."""
        if register == PC:
            value = int(bits(value))
        self.registers[register] = value

    def load(self, address: Value) -> Value:
        """Return a word from memory."""
        number = int(bits(address))
        if number not in self.memory:
            raise Unproved(f"a load from {number:#x}")
        return self.memory[number]

    def store(self, address: Value, value: Value) -> None:
        """Write a word to memory."""
        number = int(bits(address))
        if number not in self.writable:
            raise Unproved(f"a store to {number:#x}")
        self.memory[number] = value
        self.written.add(number)

    def decide(self, flag: Value) -> bool:
        """Return whether the flag is 1 on this way through."""
        for value in (0, 1):
            if flag == value:
                return bool(value)
        if flag is None:
            raise Unproved("a condition on a flag that is not known")
        if flag not in self.assumed:
            fork = len(self.assumed)
            if fork == len(self.decided):
                self.decided.append(0)
            self.assumed[flag] = self.decided[fork]
            self.algebra.assume(flag, self.assumed[flag])
        return bool(self.assumed[flag])

    def holds(self, condition: int) -> bool:
        """Return whether a condition holds on this way through.

        An odd condition is the opposite of the even one before it.
        """
        eq, cs, mi, vs, hi, ge, gt = range(0, 14, 2)
        if condition & 1:
            return not self.holds(condition ^ 1)
        if condition == hi:  # C and not Z
            return not self.holds(eq) and self.holds(cs)
        if condition == gt:  # N = V and not Z
            return not self.holds(eq) and self.holds(ge)
        if condition == cs:
            return self.decide(self.carry)
        if condition == vs:
            return self.decide(self.overflow)
        result = bits(self.result)
        if condition == eq:
            return self.decide(result.equals(0))
        negative = result[31:]
        if condition == mi:
            return self.decide(negative)
        return not self.decide(negative ^ bits(self.overflow, 1))  # ge

    def step(self, word: int) -> None:
        """Execute one instruction, see instructions.py.  Raises Unproved."""
        raise self.unclear

    def run(self, start: int, *stops: int) -> None:
        """Execute from one address until another is reached."""
        self.registers[PC] = start
        for _ in range(STEPS):
            address = self.registers[PC]
            if address in stops:
                return
            if address in self.pieces:
                end, execute = self.pieces[address]
                execute(address)
                self.registers[PC] = end
            else:
                self.step(self.code(address))
        raise Unproved(f"no end within {STEPS:,} instructions")
