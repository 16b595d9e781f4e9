"""What a machine holds, and what a call of mont_mul begins with and has to leave as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verification.bits import Bits
from verification.code import LR, PC, SP, Unproved
from verification.polynomials import Polynomials

# What words and bits are.  A method raises Unproved for what the algebra cannot express; None is a
# value that is not known.
Algebra = Bits | Polynomials
Word = Any  # an int, or a symbol of the algebra
Bit = Any  # 0, 1, or a symbol of the algebra


class State:
    """Registers, flags, memory by address, and code.  `words` outside `writable` are read only.
    `vectors` are NEON's registers by words, where the proof is also about these."""

    def __init__(self, algebra: Algebra, code: Callable[[int], int], decided: list[int]) -> None:
        self.algebra, self.code = algebra, code
        self.registers: list[Word] = [None] * 16
        self.vectors: list[Word] = []
        self.carry: Bit = None
        self.overflow: Bit = None
        self.result: Word = None
        self.memory: dict[int, Word] = {}
        self.writable: set[int] = set()
        self.written: set[int] = set()
        self.decided, self.asked = decided, 0
        self.known: dict[Any, int] = {}

    def get(self, register: int) -> Word:
        """A register's value."""
        value = self.registers[register]
        if value is None:
            raise Unproved(f"register {register} is read before it is written")
        return value + 4 if register == PC else value

    def load(self, address: Word) -> Word:
        """A word from memory."""
        if not isinstance(address, int) or self.memory.get(address) is None:
            raise Unproved(f"a load from {address}")
        return self.memory[address]

    def store(self, address: Word, value: Word) -> None:
        """A word to memory."""
        if not isinstance(address, int) or address not in self.writable:
            raise Unproved(f"a store to {address}")
        self.memory[address] = value
        self.written.add(address)

    def decide(self, bit: Bit) -> bool:
        """Whether the bit is 1 on this path."""
        if isinstance(bit, int):
            return bool(bit)
        if bit is None:
            raise Unproved("a condition on a flag that is not known")
        if bit not in self.known:
            if self.asked == len(self.decided):
                self.decided.append(0)
            self.known[bit] = self.decided[self.asked]
            self.asked += 1
            self.algebra.assume(bit, self.known[bit])
        return bool(self.known[bit])


Z, X, Y, M = 0x1000, 0x2000, 0x3000, 0x4000  # addresses of the operands
STACK, FRAME, RETURN = 0x10000, 1024, 0x70000000
# What z may be.  That x and y may be one place follows, because neither is written before both have
# been read.
ALIASES = {"": (Z, X, Y), "z = x": (X, X, Y), "z = y": (Y, X, Y)}


def enter(machine: State, limbs: int, unknown: Callable[[str], Any], alias: str = "") -> None:
    """mont_mul(z, x, y, m) is about to be called; `unknown` gives a word with a name."""
    z, x, y = ALIASES[alias]
    for base, name in ((y, "y"), (x, "x"), (M, "n"), (M + 4 * limbs, "rr")):
        for i in range(limbs):
            machine.memory[base + 4 * i] = unknown(f"{name}{i}")
    machine.memory[M + 8 * limbs] = unknown("n0inv")
    machine.writable.update(range(z, z + 4 * limbs, 4), range(STACK - FRAME, STACK, 4))
    machine.registers[:4] = [z, x, y, M]
    for register in range(4, 13):
        machine.registers[register] = unknown(f"old{register}")
    machine.registers[SP], machine.registers[LR] = STACK, RETURN


def left(machine: State, limbs: int, alias: str = "") -> list[Any]:
    """The words of z after the return.  Raises Unproved when something else was changed."""
    z = ALIASES[alias][0]
    stack = range(STACK - FRAME, STACK, 4)
    kept = [machine.registers[register] for register in range(4, 12)]
    if kept != [f"old{register}" for register in range(4, 12)]:
        raise Unproved("a register that has to be preserved is not")
    if machine.registers[SP] != STACK or machine.registers[PC] != RETURN:
        raise Unproved("the stack pointer is not what it was")
    where = set(range(z, z + 4 * limbs, 4))
    if where - machine.written or machine.written - where - set(stack):
        raise Unproved("z is not written, or more than z")
    return [machine.memory[address] for address in sorted(where)]
