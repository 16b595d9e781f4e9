"""Bit vectors, which a register of the proofs holds: terms of the solver
bitwuzla, which rewrites them at once, so that numbers stay numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

import bitwuzla
from bitwuzla import Kind, Option

from records.faults import Failure

MASK = (1 << 32) - 1
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
    """A word, flag or number in so many bits.  Raises Unproved for what is not known as bits."""
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


# --- values of either kind ------------------------------------------------------------------------


def alike(width: int, *values: Value) -> list[Any]:
    """The values as polynomials where one of them is, else as vectors of so many bits."""
    algebra = next((value.algebra for value in values if hasattr(value, "algebra")), None)
    return [algebra.poly(value) if algebra else bits(value, width) for value in values]


def sum_of(width: int, *values: Value) -> Any:
    """Their sum, of so many bits where it is a vector."""
    first, *others = alike(width, *values)
    return sum(others, first)


def pair(low: Value, high: Value) -> Any:
    """The number of two words."""
    low, high = alike(32, low, high)
    return joined([low, high]) if isinstance(low, Bits) else low + high * (1 << 32)


def parted(total: Any) -> tuple[Any, Any]:
    """The low word of a number, and what is above it."""
    return total[:32], total[32:]


# --- proofs ---------------------------------------------------------------------------------------


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

    def word(self, name: str) -> Value:
        """The unknown with this name."""
        return variable(name)

    def fresh(self, width: int = 32) -> Value:
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
        return parted(sum_of(33, a, b, carry))

    def sub(self, a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
        """a - b - 1 + carry: difference, 1 if nothing was borrowed."""
        if (b, carry) == (0, 1):
            return a, 1
        return self.add(a, ~alike(32, b)[0], carry)

    def mul(self, a: Value, b: Value) -> Value:
        """a b mod 2^32."""
        a, b = alike(32, a, b)
        return (a * b)[:32]

    def mull(self, a: Value, b: Value, low: Value, high: Value) -> tuple[Value, Value]:
        """a b + low + high, low word and high: they cannot carry out of it."""
        return parted(sum_of(64, self.product(a, b), low, high))

    def mlal(self, a: Value, b: Value, low: Value, high: Value) -> tuple[Value, Value]:
        """(high : low) + a b mod 2^64, low word and high."""
        return parted(sum_of(64, self.product(a, b), pair(low, high))[:64])

    def product(self, a: Value, b: Value) -> Value:
        """a b: any number up to (2^32 - 1)^2, but the same for the same words."""
        factors = frozenset((bits(a), bits(b)))
        if all(factor.term.is_value() for factor in factors):
            return bits(a, 64) * bits(b, 64)
        if factors not in self.products:
            self.products[factors] = self.fresh(64)
            self.require(self.products[factors] <= MASK * MASK)
        return self.products[factors]
