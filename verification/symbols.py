"""The two kinds of symbol that a register may hold: bit vectors and polynomials.

A bit vector is a term of the solver bitwuzla, which rewrites it at once, so that numbers stay
numbers.

Polynomials, in one of sympy's rings, have rational coefficients in words and flags that are
unknown.  A word's value is the polynomial's, exactly, not modulo 2^32: what a product or a sum
leaves above 32 bits is an unknown of its own, and the low word is the whole less 2^32 times it.
UMAAL cannot pass 64 bits, because (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1; for a sum that the code
takes to fit in a word, the bounds of its terms have to show that it does.

A quotient digit q = t n0inv mod 2^32 makes t + q n_0 divisible by 2^32, because n_0 n0inv = -1.
The multiplication that adds q n_0 to t therefore leaves the low word 0, and its high word is
(t + q n_0) / 2^32: here the coefficients become fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import prod
from typing import Any

import bitwuzla
from bitwuzla import Kind, Option
from sympy import QQ, ring
from sympy.polys.rings import PolyElement

from records.faults import Failure

WORD = 1 << 32
MASK = WORD - 1
SECONDS, MEGABYTES = 60, 1000  # for one question
TERMS = bitwuzla.TermManager()
REWRITER = bitwuzla.Bitwuzla(TERMS)
Value = Any  # of a word or a flag: an int, Bits or a polynomial; None if it is not known


class Unproved(Failure):
    """A proof that does not go through: a fault in the code, or more than the proof understands."""


class Beyond(Unproved):
    """Code that the proof does not understand."""


# --- bit vectors ----------------------------------------------------------------------------------


def made(kind: Kind, *operands: Bits, indices: Sequence[int] = ()) -> Bits:
    """What an operation of bitwuzla's makes of its operands; of a comparison, one bit."""
    term = TERMS.mk_term(kind, [operand.term for operand in operands], list(indices))
    if term.sort().is_bool():
        term = TERMS.mk_term(Kind.ITE, [term, bits(1, 1).term, bits(0, 1).term])
    return Bits(REWRITER.simplify_term(term))


def operator(kind: Kind) -> Callable[[Bits, Value], Bits]:
    """An operation with another vector, or a number, of as many bits."""
    return lambda a, b: made(kind, a, bits(b, a.width))


class Bits:
    """A bit vector.  Numbers are unsigned, bit 0 is the lowest, and == asks for the same term."""

    def __init__(self, term: Any) -> None:
        self.term, self.width = term, term.sort().bv_size()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bits | int) and bits(other, self.width).term == self.term

    def __hash__(self) -> int:
        return hash(self.term)

    def __int__(self) -> int:
        """Raises Unproved where it is no number."""
        if not self.term.is_value():
            raise Unproved("a value that is no number")
        return int(self.term.value(10))

    def __getitem__(self, part: slice) -> Bits:
        """Bits from one place up to another, without that."""
        last = (self.width if part.stop is None else part.stop) - 1
        return made(Kind.BV_EXTRACT, self, indices=(last, part.start or 0))

    def __invert__(self) -> Bits:
        return made(Kind.BV_NOT, self)

    def signed(self, width: int) -> Bits:
        """As many bits, the new ones like the top one."""
        return made(Kind.BV_SIGN_EXTEND, self, indices=[width - self.width])

    __add__, __sub__ = operator(Kind.BV_ADD), operator(Kind.BV_SUB)
    __mul__, __and__ = operator(Kind.BV_MUL), operator(Kind.BV_AND)
    __or__, __xor__ = operator(Kind.BV_OR), operator(Kind.BV_XOR)
    __lshift__, __rshift__ = operator(Kind.BV_SHL), operator(Kind.BV_SHR)
    __lt__, __le__ = operator(Kind.BV_ULT), operator(Kind.BV_ULE)
    asr, equals = operator(Kind.BV_ASHR), operator(Kind.BV_COMP)


def bits(value: Value, width: int = 32) -> Bits:
    """A word, flag or number as so many bits.  Raises Unproved for what is not known, and for a
    polynomial."""
    if isinstance(value, int):
        return constant(value, width)
    if not isinstance(value, Bits):
        raise Unproved("a value or a flag that is not known as bits")
    extra = width - value.width
    return made(Kind.BV_ZERO_EXTEND, value, indices=[extra]) if extra else value


@lru_cache(10_000)
def constant(value: int, width: int) -> Bits:
    """A number, modulo 2^width."""
    return Bits(TERMS.mk_bv_value(TERMS.mk_bv_sort(width), value % (1 << width)))


@cache
def variable(name: str, width: int = 32) -> Bits:
    """An unknown word, or number of so many bits."""
    return Bits(TERMS.mk_const(TERMS.mk_bv_sort(width), name))


def joined(words: Sequence[Value], width: int = 0) -> Bits:
    """The number whose words these are, the lowest first, in so many bits."""
    parts = [value if isinstance(value, Bits) else bits(value) for value in reversed(words)]
    whole = made(Kind.BV_CONCAT, *parts) if len(parts) > 1 else parts[0]
    return bits(whole, width or whole.width)


def either(flag: Bits, a: Bits, b: Value) -> Bits:
    """a where the flag is 1, else b."""
    condition = TERMS.mk_term(Kind.EQUAL, [flag.term, bits(1, 1).term])
    term = TERMS.mk_term(Kind.ITE, [condition, a.term, bits(b, a.width).term])
    return Bits(REWRITER.simplify_term(term))


def reduced(t: Bits, n: Bits) -> Bits:
    """t mod n, where t < 2 n."""
    return either(t < n, t, t - n)


@lru_cache(10_000)
def contradict(formulas: tuple[Bits, ...]) -> bool:
    """Whether the formulas, of one bit each, cannot all hold."""
    options = bitwuzla.Options()
    options.set(Option.TIME_LIMIT_PER, SECONDS * 1000)
    options.set(Option.MEMORY_LIMIT, MEGABYTES)
    solver = bitwuzla.Bitwuzla(TERMS, options)
    for formula in formulas:
        solver.assert_formula(TERMS.mk_term(Kind.EQUAL, [formula.term, bits(1, 1).term]))
    return bool(solver.check_sat() == bitwuzla.Result.UNSAT)


class Words:
    """The algebra of bit vectors, and what is required of them."""

    def __init__(self) -> None:
        self.required: list[Bits] = []
        self.products: dict[frozenset[Bits], Bits] = {}
        self.count = 0

    def fresh(self, width: int = 32) -> Bits:
        """Another unknown."""
        self.count += 1
        return variable(f"any{self.count}.{width}", width)

    def require(self, formula: Bits) -> None:
        """From now on the formula holds."""
        self.required.append(formula)

    def assume(self, flag: Value, value: int) -> None:
        """This way is taken only where the flag is so."""
        self.require(flag.equals(value))

    def follows(self, formula: Bits) -> bool:
        """Whether the formula follows from what is required."""
        return contradict((*self.required, ~formula))

    def prove(self, formula: Bits) -> None:
        """Raises Unproved unless the formula follows from what is required."""
        if not self.follows(formula):
            raise Unproved("there is a counterexample")

    def add(self, a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
        """a + b + carry: sum, carry out."""
        total = bits(a, 33) + bits(b, 33) + bits(carry, 33)
        return total[:32], total[32:]

    def sub(self, a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
        """a - b - 1 + carry: difference, 1 if nothing was borrowed."""
        if (b, carry) == (0, 1):
            return a, 1
        return self.add(a, ~bits(b), carry)

    def mul(self, a: Value, b: Value) -> Value:
        """a b mod 2^32."""
        return bits(a) * b

    def mull(self, a: Value, b: Value, low: Value, high: Value) -> tuple[Value, Value]:
        """a b + low + high, low word and high: they cannot carry out of it."""
        total = self.product(a, b) + bits(low, 64) + bits(high, 64)
        return total[:32], total[32:]

    def mlal(self, a: Value, b: Value, low: Value, high: Value) -> tuple[Value, Value]:
        """(high : low) + a b mod 2^64, low word and high."""
        total = self.product(a, b) + joined([low, high])
        return total[:32], total[32:]

    def product(self, a: Value, b: Value) -> Bits:
        """a b: any number up to (2^32 - 1)^2, but the same for the same words."""
        factors = frozenset((bits(a), bits(b)))
        if all(factor.term.is_value() for factor in factors):
            return bits(a, 64) * bits(b, 64)
        if factors not in self.products:
            self.products[factors] = self.fresh(64)
            self.require(self.products[factors] <= MASK * MASK)
        return self.products[factors]


# --- polynomials ----------------------------------------------------------------------------------

RING, *UNKNOWNS = ring([f"u{i}" for i in range(160)], QQ)
FREE = iter(UNKNOWNS)


@cache
def unknown(name: str) -> Any:
    """A word or flag of which nothing is known."""
    if (symbol := next(FREE, None)) is None:
        raise Unproved("too many unknowns")
    return symbol


def poly(value: Value) -> Any:
    """A word or number as a polynomial.  Raises Unproved for one that is not known."""
    return value if isinstance(value, PolyElement) else RING(int(bits(value, 64)))


def number(words: Sequence[Value]) -> Any:
    """The number whose words these are, the lowest first."""
    return sum((poly(word) * WORD**i for i, word in enumerate(words)), RING(0))


class Polynomials(Words):
    """The algebra; of numbers, it computes as Words does.  `flags` have values up to 1, other
    unknowns up to 2^32 - 1; `sums` are the flags that a sum carries out, each with the words below
    it as a number, and their R; `digits` are the quotient digits, each with its t; `values` are the
    flags that this path assumes.  n0, which is odd, and n0inv are known by name."""

    def __init__(self) -> None:
        super().__init__()
        self.flags: set[Any] = set()
        self.sums: dict[Any, tuple[Any, int]] = {}
        self.digits: dict[Any, Any] = {}
        self.values: list[tuple[Any, int]] = []

    def new(self) -> Any:
        """Another unknown."""
        self.count += 1
        return unknown(f"new{self.count}")

    def flag(self) -> Any:
        """Another unknown that is 0 or 1."""
        self.flags.add(flag := self.new())
        return flag

    def bound(self, *values: Value) -> Any:
        """The largest value of a sum of words, or of a number that has no negative term."""
        if len(values) > 1:
            return sum(map(self.bound, values))
        terms = poly(*values).terms()
        if any(k < 0 for _, k in terms):
            return MASK
        most = (
            k * prod(1 if UNKNOWNS[i] in self.flags else MASK**e for i, e in enumerate(powers) if e)
            for powers, k in terms
        )
        return sum(most)

    def assume(self, flag: Value, value: int) -> None:
        self.values.append((flag, value))

    def add(self, a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
        if not any(isinstance(value, PolyElement) for value in (a, b, carry)):
            return super().add(a, b, carry)
        total = poly(a) + poly(b) + poly(carry)
        if self.bound(a, b, carry) < WORD:
            return total, 0
        below, r = self.sums.get(carry, (RING(0), 1))
        whole = below + total * r
        if r > 1 and min(whole.coeffs()) > 0 and self.bound(whole) < r * WORD:
            return total, 0
        out = self.flag()
        self.sums[out] = whole - out * (r * WORD), r * WORD
        return total - out * WORD, out

    def sub(self, a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
        if (b, carry) == (0, 1) or not any(isinstance(v, PolyElement) for v in (a, b, carry)):
            return super().sub(a, b, carry)
        borrows = self.bound(a, carry) < 1 + (b == unknown("n0"))
        kept = 0 if borrows else self.flag()  # 1: nothing was borrowed
        return poly(a) - poly(b) + poly(carry) - 1 + (1 - poly(kept)) * WORD, kept

    def mul(self, a: Value, b: Value) -> Value:
        inverse = unknown("n0inv")
        if inverse not in (a, b):
            raise Unproved("a product of which only the low word is kept")
        digit = self.new()
        self.digits[digit] = poly(b if a == inverse else a)
        return digit

    def mull(self, a: Value, b: Value, low: Value, high: Value) -> tuple[Value, Value]:
        total = poly(a) * poly(b) + poly(low) + poly(high)
        for q, n0 in ((a, b), (b, a)):
            if q in self.digits and n0 == unknown("n0"):
                for t, rest in ((low, high), (high, low)):
                    if poly(t) == self.digits[q]:
                        return rest, (total - poly(rest)) / WORD
        if self.bound(a) * self.bound(b) + self.bound(low, high) < WORD:
            return total, 0
        return self.split(total)

    def split(self, total: Any) -> tuple[Any, Any]:
        """Low word and high of a number of 64 bits."""
        above = self.new()
        return total - above * WORD, above

    def mlal(self, a: Value, b: Value, low: Value, high: Value) -> tuple[Value, Value]:
        if not poly(high):  # a b + low has 64 bits
            return self.mull(a, b, low, 0)
        above = number([low, high]) - self.new() * (WORD * WORD)
        return self.split(poly(a) * poly(b) + above)
