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
    """The unknown with a name."""
    if (found := next(FREE, None)) is None:
        raise Unproved("too many unknowns")
    return found


class Poly:
    """A number from 0 to `most`."""

    def __init__(self, value: Any, most: float, algebra: Polynomials) -> None:
        self.value, self.most, self.algebra = value, most, algebra

    def __eq__(self, other: object) -> bool:
        return bool(self.value == getattr(other, "value", other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __add__(self, other: Poly | int) -> Poly:
        b = self.algebra.poly(other)
        return self.algebra.known(self.value + b.value, self.most + b.most)

    def __mul__(self, other: Poly | int) -> Poly:
        b = self.algebra.poly(other)
        return self.algebra.known(self.value * b.value, self.most * b.most)

    def __invert__(self) -> Poly:
        return Poly(MASK - self.value, MASK, self.algebra)

    def __rshift__(self, by: Value) -> Poly:
        return self[int(by) :]

    def __and__(self, mask: Value) -> Poly:
        """The lowest bits."""
        if int(mask) & int(mask) + 1:
            raise Unproved("a mask of other bits than the lowest")
        return self[: int(mask).bit_length()]

    def unclear(self, *_: Value) -> Poly:
        """What polynomials do not say.  Raises Beyond."""
        raise Beyond("an operation on what is known as a polynomial")

    __sub__ = __or__ = __xor__ = __lshift__ = __lt__ = asr = equals = unclear

    def __getitem__(self, part: slice) -> Poly:
        """Bits from one place up to another, without that."""
        start = part.start or 0
        above = self.algebra.split(self, start)[1] if start else self
        return above if part.stop is None else self.algebra.split(above, part.stop - start)[0]


def plain(value: Value) -> Any:
    """A value as one of the ring.  Raises Unproved for one that is not known."""
    value = getattr(value, "value", value)
    return value if isinstance(value, PolyElement) else RING(int(bits(value, 64)))


def number(words: Iterable[Value], width: int = 32) -> Any:
    """The polynomial of the number whose words, or limbs of so many bits,
    these are, the lowest first."""
    return sum((plain(word) * (1 << width * i) for i, word in enumerate(words)), RING(0))


def parted(value: Any, size: int) -> tuple[Any, Any]:
    """A sum of two polynomials, of which the second has all terms that `size` divides."""
    terms = {powers: k for powers, k in value.terms() if (k / size).denominator == 1}
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
        """A word or number."""
        if isinstance(value, Poly):
            return value
        there = int(bits(value, 64))
        return Poly(RING(there), there, self)

    def known(self, value: Any, most: float) -> Poly:
        """A number, and its largest value, or a smaller one that is known of it."""
        return Poly(value, min(most, self.most.get(value, inf)), self)

    def word(self, name: str, width: int = 32) -> Poly:
        """The unknown of so many bits that has this name."""
        self.most[symbol(name)] = most = (1 << width) - 1
        return Poly(symbol(name), most, self)

    def fresh(self, width: int = 32) -> Any:
        """Another unknown."""
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
        """The lowest bits of a number, and what is above them."""
        value, size, most = total.value, 1 << at, int(total.most) >> at
        if not most:
            return total, Poly(RING(0), 0, self)
        t = value.diff(symbol("n0inv")) if at == WORD_BITS else 0
        if t and value == t * symbol("n0inv"):
            digit = self.fresh()
            self.digits[digit.value] = t + digit.value * symbol("n0")
            return digit, Poly((value - digit.value) / size, most, self)
        for zero in self.digits.values() if at <= self.unit else ():
            rest, _ = parted(value - zero, size)
            if not rest or self.most.get(rest, size) < size:
                return Poly(rest, size - 1, self), Poly((value - rest) / size, most, self)
        base, multiple = parted(value, size)
        if (base, at) not in self.highs:
            above = self.fresh(most.bit_length()).value
            self.highs[base, at] = above - multiple / size
        high = self.highs[base, at] + multiple / size
        low = value - high * size
        self.most |= {value: total.most, low: size - 1, high: most}
        if value in self.digits:
            self.digits[low] = self.digits.pop(value)
        return Poly(low, size - 1, self), Poly(high, most, self)
