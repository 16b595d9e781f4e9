"""Polynomials, which a register of the proofs holds where products are to be shown.

They are those of one of sympy's rings, with rational coefficients, in words
and flags that are unknown. A value is the polynomial's, exactly, not modulo
2^32, and has a largest value. What is above the lowest bits of it is an unknown
of its own, and these bits are the whole less that; where the largest value
shows that nothing is above, they are the whole.

A quotient digit q = t n0inv mod 2^32 makes t + q n_0 divisible by 2^32, because
n_0 n0inv = -1 (by 2^28 where n_0 has 28 bits).  The sum that adds q n_0 to t
therefore has low bits of 0, and the rest is (t + q n_0) / 2^32: here the
coefficients become fractions.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import inf
from typing import Any

from sympy import QQ, ring
from sympy.polys.rings import PolyElement

from verification.symbols import MASK, Beyond, Unproved, Value, Words, alike, bits

WORD_BITS = 32
RING, *UNKNOWNS = ring([f"u{i}" for i in range(500)], QQ)
FREE = iter(UNKNOWNS)


@cache
def symbol(name: str) -> Any:
    """Return the unknown with a name."""
    unknown = next(FREE, None)
    if unknown is None:
        raise Unproved("too many unknowns")
    return unknown


class Poly:
    """A number from 0 to `most`."""

    def __init__(self, value: Any, most: float, algebra: Polynomials) -> None:
        self.value = value
        self.most = most
        self.algebra = algebra

    def __eq__(self, other: object) -> bool:
        return bool(self.value == getattr(other, "value", other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __add__(self, other: Poly | int) -> Poly:
        b = self.algebra.poly(other)
        return self.algebra.bounded(self.value + b.value, self.most + b.most)

    def __mul__(self, other: Poly | int) -> Poly:
        b = self.algebra.poly(other)
        return self.algebra.bounded(self.value * b.value, self.most * b.most)

    def __invert__(self) -> Poly:
        return Poly(MASK - self.value, MASK, self.algebra)

    def __rshift__(self, by: Value) -> Poly:
        return self[int(by) :]

    def __and__(self, mask: Value) -> Poly:
        """Return the lowest bits; a mask of these is 2^k - 1."""
        number = int(mask)
        if number & number + 1:
            raise Unproved("a mask of other bits than the lowest")
        return self[: number.bit_length()]

    def unclear(self, *_: Value) -> Poly:
        """Raise Beyond for an operation that polynomials do not have."""
        raise Beyond("an operation on what is known as a polynomial")

    __sub__ = __or__ = __xor__ = __lshift__ = __lt__ = asr = equals = unclear

    def __getitem__(self, part: slice) -> Poly:
        """Return the bits from `start` up to `stop`, `stop` not included."""
        start = part.start or 0
        number = self
        if start:
            _, number = self.algebra.split(number, start)
        if part.stop is not None:
            number, _ = self.algebra.split(number, part.stop - start)
        return number


def plain(value: Value) -> Any:
    """Return a value as one of the ring.  Raises Unproved for one that is not known."""
    value = getattr(value, "value", value)
    if isinstance(value, PolyElement):
        return value
    return RING(int(bits(value, 64)))


def number(words: Iterable[Value], width: int = 32) -> Any:
    """Return the polynomial of the number whose words, or limbs of so many bits,
    these are, the lowest first."""
    total = RING(0)
    for i, word in enumerate(words):
        total += plain(word) * (1 << width * i)
    return total


def parted(value: Any, size: int) -> tuple[Any, Any]:
    """Return two polynomials whose sum is the value: in the second `size` divides every term."""
    terms = {}
    for powers, coefficient in value.terms():
        if (coefficient / size).denominator == 1:
            terms[powers] = coefficient
    multiple = RING.from_dict(terms) if terms else RING(0)
    return value - multiple, multiple


class Polynomials(Words):
    """What is known of the unknowns of a call.  `most`: of an unknown, and of what words have
    been; `digits` are the quotient digits q, each with its t + q n_0, which 2^unit divides;
    `values` are the flags that this path assumes.  n0 and n0inv are known by name."""

    def __init__(self, unit: int = 32) -> None:
        super().__init__()
        self.unit = unit
        self.most: dict[Any, float] = {}
        self.highs: dict[tuple[Any, int], Any] = {}
        self.digits: dict[Any, Any] = {}
        self.values: list[tuple[Any, int]] = []

    def poly(self, value: Value) -> Poly:
        """Return a word or number as a polynomial."""
        if isinstance(value, Poly):
            return value
        number = int(bits(value, 64))
        return Poly(RING(number), number, self)

    def bounded(self, value: Any, most: float) -> Poly:
        """Return a number with its largest value, or a smaller one that is known of it."""
        known_most = self.most.get(value, inf)
        return Poly(value, min(most, known_most), self)

    def word(self, name: str, width: int = 32) -> Poly:
        """Return the unknown of so many bits that has this name."""
        most = (1 << width) - 1
        self.most[symbol(name)] = most
        return Poly(symbol(name), most, self)

    def fresh(self, width: int = 32) -> Any:
        """Return an unknown that nothing has used yet."""
        self.count += 1
        return self.word(f"new{self.count}", width)

    def assume(self, flag: Value, value: int) -> None:
        if not plain(flag).is_generator:
            raise Unproved("a condition on more than a flag")
        self.values.append((plain(flag), value))

    def product(self, a: Value, b: Value) -> Value:
        x, y = alike(32, a, b)
        return x * y if isinstance(x, Poly) else super().product(x, y)

    def split(self, total: Poly, at: int) -> tuple[Poly, Poly]:
        """Return the lowest bits of a number, and what is above them: low + 2^at high."""
        size = 1 << at
        most = int(total.most) >> at
        if not most:
            return total, Poly(RING(0), 0, self)
        low = self.digit(total.value, at)
        if low is None:
            low = self.after_digit(total.value, at)
        if low is None:
            return self.parts(total, at)
        return low, Poly((total.value - low.value) / size, most, self)

    def digit(self, value: Any, at: int) -> Poly | None:
        """Return a new quotient digit q, where the value is t n0inv.  Its t + q n_0 is kept."""
        if at != WORD_BITS:
            return None
        n0inv = symbol("n0inv")
        t = value.diff(n0inv)
        if not t or value != t * n0inv:
            return None
        q: Poly = self.fresh()
        self.digits[q.value] = t + q.value * symbol("n0")
        return q

    def after_digit(self, value: Any, at: int) -> Poly | None:
        """Return the low bits of a sum that has added q n_0 to t: those of value - (t + q n_0).

        They are known if they are 0, or an unknown that has no more than these bits.
        """
        if at > self.unit:
            return None
        size = 1 << at
        for multiple in self.digits.values():
            low, _ = parted(value - multiple, size)
            if not low or self.most.get(low, size) < size:
                return Poly(low, size - 1, self)
        return None

    def parts(self, total: Poly, at: int) -> tuple[Poly, Poly]:
        """Return low and high of any other number: high is an unknown of its own, the same for
        numbers that differ by a multiple of 2^at alone, and low is total - 2^at high."""
        size = 1 << at
        most = int(total.most) >> at
        base, multiple = parted(total.value, size)
        if (base, at) not in self.highs:
            unknown = self.fresh(most.bit_length()).value
            self.highs[base, at] = unknown - multiple / size
        high = self.highs[base, at] + multiple / size
        low = total.value - high * size
        self.most[total.value] = total.most
        self.most[low] = size - 1
        self.most[high] = most
        if total.value in self.digits:
            self.digits[low] = self.digits.pop(total.value)
        return Poly(low, size - 1, self), Poly(high, most, self)
