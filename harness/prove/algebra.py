"""What the words and bits of a machine are: see bits.py and polynomials.py."""

from __future__ import annotations

from typing import Any, Protocol

Word = Any  # an int, or a symbol of the algebra
Bit = Any  # 0, 1, or a symbol of the algebra


class Algebra(Protocol):
    """What words and bits are.  Every method raises Unproved for what it cannot express."""

    def add(self, a: Word, b: Word, carry: Bit) -> tuple[Word, Bit, Bit]:
        """a + b + carry: sum, carry out, overflow."""

    def sub(self, a: Word, b: Word, carry: Bit) -> tuple[Word, Bit, Bit]:
        """a - b - 1 + carry: difference, 1 if nothing was borrowed, overflow."""

    def logic(self, name: str, a: Word, b: Word) -> Word:
        """and, orr or eor."""

    def shift(self, kind: str, a: Word, amount: Word, carry: Bit) -> tuple[Word, Bit]:
        """The word shifted, and the last bit that left it; `carry` is rrx's, and that of 0."""

    def mul(self, a: Word, b: Word) -> Word:
        """a b mod 2^32."""

    def mull(self, a: Word, b: Word, low: Word, high: Word) -> tuple[Word, Word]:
        """a b + low + high: low and high word, with no carry out of them."""

    def mlal(self, a: Word, b: Word, low: Word, high: Word) -> tuple[Word, Word]:
        """(high : low) + a b mod 2^64."""

    def field(self, a: Word, lowest: int, width: int, signed: bool) -> Word:
        """Some bits of a word."""

    def zero(self, a: Word) -> Bit:
        """Whether a word is 0."""

    def top(self, a: Word) -> Bit:
        """Bit 31."""

    def differ(self, a: Bit, b: Bit) -> Bit:
        """a exclusive or b."""

    def assume(self, bit: Bit, value: int) -> None:
        """This path is taken only where the bit is so."""
