"""What a machine holds: registers, flags, memory, and which way it goes at a condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.prove.bits import Bits
from harness.prove.decode import PC, Unproved
from harness.prove.polynomials import Polynomials

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
