"""Machine code, and its execution on symbols: bit vectors, see symbols.py, or
polynomials, see polynomials.py.

Addresses have to be numbers.  Where a condition depends on a symbol, execution
forks: `paths` are all ways through.  What is not understood raises Unproved,
so a proof can only fail for it and never succeed.  Encodings: ARM Architecture
Reference Manual, ARMv7-A, A5.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from harness.elf import read_elf
from records.faults import run
from records.ladder import ROOT
from verification.mutations import target
from verification.symbols import MASK, Beyond, Bits, Unproved, Value, Words, bits, joined, variable

CC = "arm-linux-gnueabihf-gcc"
ARCH = ("-std=c11", "-marm", "-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard")
LINK = ("-static", "-nostdlib", "-Wl,-Ttext=0x20000,--build-id=none")
SP, LR, PC = 13, 14, 15
PRESERVED = (*range(4, 12), SP, *range(32, 48))  # by a call: r4 to r11, sp, d8 to d15
STEPS, WAYS = 6_000, 64  # at most


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

    def find(self, function: str, mask: int, value: int) -> list[int]:
        """Where in a function the words are whose bits under a mask are
        these.  Raises Unproved where none is."""
        every = range(*self.functions[function], 4)
        if not (places := [at for at in every if self.words[at] & mask == value]):
            raise Unproved(f"no instruction {value:08x} in {function}")
        return places


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


class Machine:
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
        self.decided, self.asked = decided, 0
        self.known: dict[Value, int] = {}
        self.word = 0

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
            if self.asked == len(self.decided):
                self.decided.append(0)
            self.known[flag] = self.decided[self.asked]
            self.asked += 1
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

    def run(self, start: int, *stops: int) -> None:
        """Executes from one address until another is reached, at least one instruction."""
        self.registers[PC] = start
        for _ in range(STEPS):
            self.step(self.code(self.registers[PC]))
            if self.registers[PC] in stops:
                return
        raise Unproved("no end")

    def across(
        self, start: int, pieces: dict[int, int], over: Callable[[int], None], stop: int
    ) -> None:
        """Executes up to `stop`, with `over` in place of pieces of code,
        start -> end; it may not be called more than 500 times."""
        self.registers[PC] = start
        for _ in range(500):
            at = self.registers[PC]
            if at == stop:
                return
            if at in pieces:
                over(at)
                self.registers[PC] = pieces[at]
            else:
                self.run(at, *pieces, stop)
        raise Unproved("no end")

    def step(self, w: int) -> None:
        """Executes one instruction, which is this word."""
        at, condition, kind, self.word = self.registers[PC], w >> 28, w >> 25 & 7, w
        self.registers[PC] = at + 4
        if condition < 14 and not self.holds(condition):
            return None
        if condition == 15 or kind > 5:
            return self.neon(w)
        if kind == 5:
            if w >> 24 & 1:
                self.set(LR, at + 4)
            return self.set(PC, target(at, w))
        if kind == 4:
            return self._block(w)
        if kind in (2, 3):
            return self._field(w) if kind == 3 and w >> 4 & 1 else self._transfer(w)
        if kind == 0 and w & 0x90 == 0x90:
            return self._pair(w) if w >> 5 & 3 else self._multiply(w)
        return self._plain(w) if w >> 23 & 3 == 2 and not w >> 20 & 1 else self._compute(w)

    def neon(self, w: int) -> None:
        """An instruction of NEON.  Raises Unproved."""
        raise self.unclear

    def _plain(self, w: int) -> None:
        """Where a comparison that sets no flags would be: bx, movw, movt, nop."""
        number = w >> 4 & 0xF000 | w & 0xFFF
        if w & 0x0FFFFFF0 == 0x012FFF10:
            self.set(PC, self.get(w & 15))
        elif w & 0x0FF00000 == 0x03000000:
            self.set(w >> 12 & 15, number)
        elif w & 0x0FF00000 == 0x03400000:
            low = bits(self.get(w >> 12 & 15))[:16]
            self.set(w >> 12 & 15, joined([low], 32) | number << 16)
        elif w & 0x0FFFFFFF != 0x0320F000:
            raise self.unclear

    def _second(self, w: int) -> tuple[Value, Value]:
        """The second operand, and the carry that its shift leaves."""
        if w >> 25 & 1:
            turn = w >> 7 & 30
            number = (w & 255) * ((1 << 32) + 1) >> turn & MASK
            return number, number >> 31 if turn else self.carry
        value, kind, amount = self.get(w & 15), w >> 5 & 3, w >> 7 & 31
        if not w >> 4 & 1:
            if amount or not kind:
                return self._shifted(value, kind, amount)
            if kind < 3:
                return self._shifted(value, kind, 32)
            value = bits(value)  # rrx
            return joined([value[1:], bits(self.carry, 1)]), value[:1]
        by = bits(bits(self.get(w >> 8 & 15))[:8], 32)
        if by.term.is_value():
            return self._shifted(value, kind, int(by))
        if kind == 3:
            raise self.unclear
        value = bits(value)
        return (value << by, value >> by, value.asr(by))[kind], None

    def _shifted(self, value: Value, kind: int, amount: int) -> tuple[Value, Value]:
        """A value after lsl, lsr, asr or ror, and the last bit that left it."""
        if not amount:
            return value, self.carry
        if kind == 3 and amount > 31:
            raise self.unclear
        value, last = bits(value), amount - 1 if kind else 32 - amount
        turned = value >> amount | value << 32 - amount
        new = (value << amount, value >> amount, value.asr(amount), turned)[kind]
        return new, value[last : last + 1] if 0 <= last < 32 else None

    def _compute(self, w: int) -> None:
        """Data processing."""
        operation, sets, n, d = w >> 21 & 15, w >> 20 & 1, w >> 16 & 15, w >> 12 & 15
        moves, compares = operation in (13, 15), 8 <= operation < 12
        if (moves and n) or (compares and d) or (sets and d == PC):
            raise self.unclear
        y, carry = self._second(w)
        x = None if moves else self.get(n)
        added = self.added
        if operation in (2, 3, 4, 5, 6, 7, 10, 11):
            if operation in (3, 7):
                x, y = y, x
            adds = operation in (4, 5, 11)
            before = self.carry if operation in (5, 6, 7) else int(not adds)
            value, carry = (self.algebra.add if adds else self.algebra.sub)(x, y, before)
            added = (x, y, value) if adds else (value, y, x)
        elif operation == 13:
            value = y
        elif operation == 15:
            value = ~bits(y)
        else:
            y = ~bits(y) if operation == 14 else bits(y)
            value = bits(x) | y if operation == 12 else bits(x) ^ y if operation & 7 == 1 else y & x
        if sets:
            self.result, self.carry, self.added = value, carry, added
        if not compares:
            self.set(d, value)

    def _multiply(self, w: int) -> None:
        form, high, low = w >> 21 & 15, w >> 16 & 15, w >> 12 & 15
        x, y = self.get(w & 15), self.get(w >> 8 & 15)
        if w >> 20 & 1:  # muls and its like; the flags are not looked at
            self.result = None
        if form < 2 and not (form == 0 and low):
            value = self.algebra.mul(x, y)
            added = self.algebra.add(value, self.get(low), 0)[0] if form else value
            return self.set(high, added)
        if form not in (2, 4, 5) or (form == 2 and w >> 20 & 1) or high == low:
            raise self.unclear
        old = (0, 0) if form == 4 else (self.get(low), self.get(high))
        made = (self.algebra.mlal if form == 5 else self.algebra.mull)(x, y, *old)
        self.registers[low], self.registers[high] = made
        return None

    def _place(self, w: int, offset: Value, *moved: int) -> Bits:
        """The address of a load or store of some registers; its base is written back."""
        n, before = w >> 16 & 15, w >> 24 & 1
        base = bits(self.get(n))
        there = base + offset if w >> 23 & 1 else base - offset
        if not before or w >> 21 & 1:
            if n in (*moved, PC) or not before and w >> 21 & 1:
                raise self.unclear
            self.set(n, there)
        return there if before else base

    def _words(self, registers: Sequence[int], address: Value, loads: int) -> None:
        """Words from or to memory, one after the other."""
        for i, register in enumerate(registers):
            if loads:
                self.set(register, self.load(address + 4 * i))
            else:
                self.store(address + 4 * i, self.get(register))

    def _transfer(self, w: int) -> None:
        """ldr, str and ldrb."""
        register, byte, loads = w >> 12 & 15, w >> 22 & 1, w >> 20 & 1
        if (w >> 25 & 1 and w >> 5 & 3) or (byte and not loads):
            raise self.unclear
        offset = bits(self.get(w & 15)) << (w >> 7 & 31) if w >> 25 & 1 else w & 0xFFF
        address = int(self._place(w, offset, register))
        if byte:
            self.set(register, bits(self.load(address & ~3)) >> 8 * (address & 3) & 255)
        else:
            self._words([register], address, loads)

    def _pair(self, w: int) -> None:
        """ldrd and strd."""
        d = w >> 12 & 15
        if w & 0x00500040 != 0x00400040 or d & 1 or d == LR:
            raise self.unclear
        address = self._place(w, w >> 4 & 0xF0 | w & 15, d, d + 1)
        self._words((d, d + 1), address, not w >> 5 & 1)

    def _block(self, w: int) -> None:
        """ldm, stm, push and pop."""
        n, listed = w >> 16 & 15, [k for k in range(16) if w >> k & 1]
        base, up, back = int(bits(self.get(n))), w >> 23 & 1, w >> 21 & 1
        if w >> 22 & 1 or not listed or n == PC or (back and n in listed):
            raise self.unclear
        end = base + 4 * len(listed) * (1 if up else -1)
        if back:
            self.set(n, end)
        self._words(listed, min(base, end) + 4 * (w >> 24 & 1 == up), w >> 20 & 1)

    def _field(self, w: int) -> None:
        """ubfx, sbfx and uxtb."""
        value, lowest, width = bits(self.get(w & 15)), w >> 7 & 31, (w >> 16 & 31) + 1
        if w & 0x0FFF0FF0 == 0x06EF0070:
            lowest, width = 0, 8
        elif w & 0x0FA00070 != 0x07A00050 or lowest + width > 32:
            raise self.unclear
        part = value[lowest : lowest + width]
        self.set(w >> 12 & 15, bits(part, 32) if w >> 22 & 1 else part.signed(32))
