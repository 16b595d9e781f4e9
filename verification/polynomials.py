"""Words as polynomials with rational coefficients in words and bits that are unknown.

A word's value is the polynomial's, exactly, not modulo 2^32: what a product or a sum leaves above
32 bits is an unknown of its own, and the low word is the whole less 2^32 times it.  UMAAL cannot
pass 64 bits, because (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1; for a sum that the code takes to fit
in a word, the bounds of its terms have to show that it does.

A quotient digit q = t n0inv mod 2^32 makes t + q n_0 divisible by 2^32, because n_0 n0inv = -1.
The multiplication that adds q n_0 to t therefore leaves the low word 0, and its high word is
(t + q n_0) / 2^32: here the coefficients become fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from typing import Any

from verification.code import Unproved

WORD = 1 << 32


class Polynomial:
    """A sum of terms: products of unknowns, in alphabetical order, with their coefficients."""

    def __init__(self, terms: Mapping[tuple[str, ...], Fraction | int]) -> None:
        self.terms = {names: Fraction(k) for names, k in terms.items() if k}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for names, k in other.terms.items():
            terms[names] = terms.get(names, Fraction(0)) + k
        return Polynomial(terms)

    def __mul__(self, other: Polynomial | int | Fraction) -> Polynomial:
        if not isinstance(other, Polynomial):
            return Polynomial({names: k * other for names, k in self.terms.items()})
        product: dict[tuple[str, ...], Fraction] = {}
        for a, k in self.terms.items():
            for b, m in other.terms.items():
                names = tuple(sorted(a + b))
                product[names] = product.get(names, Fraction(0)) + k * m
        return Polynomial(product)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other * -1

    def __repr__(self) -> str:
        return " + ".join(f"{k} {' '.join(names)}" for names, k in self.terms.items()) or "0"

    def with_values(self, values: Mapping[str, int]) -> Polynomial:
        """The polynomial with numbers in place of some unknowns."""
        found = Polynomial({})
        for names, k in self.terms.items():
            for name in names:
                k *= values.get(name, 1)
            kept = tuple(name for name in names if name not in values)
            found = found + Polynomial({kept: k})
        return found

    def divisible_by(self, number: int) -> bool:
        """Whether every coefficient is, so that the value is for all values of the unknowns."""
        return all((k / number).denominator == 1 for k in self.terms.values())


def unknown(name: str) -> Polynomial:
    """A word or bit of which nothing is known."""
    return Polynomial({(name,): 1})


def number(words: list[Any]) -> Polynomial:
    """The number whose words these are, the lowest first."""
    total = Polynomial({})
    for i, word in enumerate(words):
        total = total + poly(word) * (1 << 32 * i)
    return total


def poly(word: Any) -> Polynomial:
    """A word as a polynomial.  Raises Unproved for one that is not known."""
    if isinstance(word, Polynomial):
        return word
    if isinstance(word, int):
        return Polynomial({(): word})
    raise Unproved("a value that is not known")


class Polynomials:
    """The algebra.  `most` are bounds of unknowns, where they are below 2^32 - 1; `sums` are the
    bits that a sum carries out, each with the words below it as a number, and their R; `digits` are
    the quotient digits, each with its t; `values` are the bits that this path assumes.  n0, which
    is odd, and n0inv are known by name."""

    def __init__(self) -> None:
        self.count = 0
        self.most: dict[str, int] = {}
        self.sums: dict[Any, tuple[Polynomial, int]] = {}
        self.digits: dict[Polynomial, Polynomial] = {}
        self.values: dict[str, int] = {}

    def _fresh(self, kind: str) -> Polynomial:
        self.count += 1
        name = f"{kind}{self.count}"
        if kind == "bit":
            self.most[name] = 1
        return unknown(name)

    def bound(self, a: Any) -> Any:
        """The largest value of a word, or of a number that has no negative term."""
        terms = poly(a).terms
        if any(k < 0 for k in terms.values()):
            return WORD - 1
        return sum(
            k * prod(self.most.get(n, WORD - 1) for n in names) for names, k in terms.items()
        )

    def assume(self, bit: Polynomial, value: int) -> None:
        ((name,),) = bit.terms
        self.values[name] = value

    def add(self, a: Any, b: Any, carry: Any) -> tuple[Any, Any, Any]:
        if isinstance(a, int) and isinstance(b, int) and isinstance(carry, int):
            return (a + b + carry) % WORD, (a + b + carry) // WORD, None
        total = poly(a) + poly(b) + poly(carry)
        if self.bound(a) + self.bound(b) + self.bound(carry) < WORD:
            return total, 0, None
        below, r = self.sums.get(carry, (poly(0), 1))
        whole = below + total * r
        if r > 1 and min(whole.terms.values()) > 0 and self.bound(whole) < r * WORD:
            return total, 0, None
        out = self._fresh("bit")
        self.sums[out] = whole - out * (r * WORD), r * WORD
        return total - out * WORD, out, None

    def sub(self, a: Any, b: Any, carry: Any) -> tuple[Any, Any, Any]:
        if isinstance(a, int) and isinstance(b, int) and isinstance(carry, int):
            return (a - b - 1 + carry) % WORD, int(a >= b + 1 - carry), None
        if isinstance(b, int) and b == 0 and carry == 1:
            return a, 1, None
        least = 1 if b == unknown("n0") else 0
        borrows = self.bound(a) + self.bound(carry) < 1 + least
        kept = poly(0) if borrows else self._fresh("bit")  # 1: nothing was borrowed
        total = poly(a) - poly(b) + poly(carry) + poly(-1)
        return total + (poly(1) - kept) * WORD, 0 if borrows else kept, None

    def logic(self, name: str, a: Any, b: Any) -> Any:
        if isinstance(a, int) and isinstance(b, int):
            return {"and": a & b, "orr": a | b, "eor": a ^ b}[name]
        raise Unproved("a logical operation on a polynomial")

    def shift(self, kind: str, a: Any, amount: Any, carry: Any) -> tuple[Any, Any]:
        raise Unproved("a polynomial is shifted")

    def mul(self, a: Any, b: Any) -> Any:
        inverse = unknown("n0inv")
        if inverse not in (a, b):
            raise Unproved("a product of which only the low word is kept")
        digit = self._fresh("q")
        self.digits[digit] = poly(b if a == inverse else a)
        return digit

    def mull(self, a: Any, b: Any, low: Any, high: Any) -> tuple[Any, Any]:
        for q, n0 in ((a, b), (b, a)):
            if q in self.digits and n0 == unknown("n0"):
                for t, rest in ((low, high), (high, low)):
                    if poly(t) == self.digits[q]:
                        return rest, (poly(t) + poly(q) * poly(n0)) * Fraction(1, WORD)
        if self.bound(a) * self.bound(b) + self.bound(low) + self.bound(high) < WORD:
            return poly(a) * poly(b) + poly(low) + poly(high), 0
        return self._split(poly(a) * poly(b) + poly(low) + poly(high))

    def _split(self, total: Polynomial) -> tuple[Polynomial, Polynomial]:
        above = self._fresh("high")
        return total - above * WORD, above

    def mlal(self, a: Any, b: Any, low: Any, high: Any) -> tuple[Any, Any]:
        if not poly(high).terms:  # a b + low has 64 bits
            return self.mull(a, b, low, 0)
        lost = self._fresh("lost")
        return self._split(poly(a) * poly(b) + poly(low) + poly(high) * WORD - lost * (WORD * WORD))

    def field(self, a: Any, lowest: int, width: int, signed: bool) -> Any:
        raise Unproved("bits of a polynomial")

    def zero(self, a: Any) -> Any:
        raise Unproved("a polynomial compared")

    def top(self, a: Any) -> Any:
        raise Unproved("a polynomial compared")

    def differ(self, a: Any, b: Any) -> Any:
        raise Unproved("a polynomial compared")
