"""The two kinds of symbol that a register may hold: bit vectors and polynomials.

A bit vector is a name in an SMT-LIB script, which the solver bitwuzla is asked about.  A word is an
int or the name of a (_ BitVec 32), a bit an int or the name of a (_ BitVec 1).

Polynomials have rational coefficients in words and bits that are unknown.  A word's value is the
polynomial's, exactly, not modulo 2^32: what a product or a sum leaves above 32 bits is an unknown
of its own, and the low word is the whole less 2^32 times it.  UMAAL cannot pass 64 bits, because
(2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1; for a sum that the code takes to fit in a word, the bounds
of its terms have to show that it does.

A quotient digit q = t n0inv mod 2^32 makes t + q n_0 divisible by 2^32, because n_0 n0inv = -1.
The multiplication that adds q n_0 to t therefore leaves the low word 0, and its high word is
(t + q n_0) / 2^32: here the coefficients become fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

from verification.code import Unproved

MASK = 0xFFFFFFFF
SECONDS, MEGABYTES = 60, 1000  # for one question
SHIFTS = {"lsl": "bvshl", "lsr": "bvlshr", "asr": "bvashr"}
LOGIC = {"and": "bvand", "orr": "bvor", "eor": "bvxor"}


class Bits:
    """The algebra, and the script that it grows."""

    def __init__(self) -> None:
        self.script: list[str] = []
        self.products: dict[tuple[str, ...], str] = {}
        self.count = 0

    def variable(self, name: str) -> str:
        """An unknown word."""
        self.script.append(f"(declare-const {name} (_ BitVec 32))")
        return name

    def fresh(self) -> str:
        """Another unknown word."""
        self.count += 1
        return self.variable(f"any{self.count}")

    def define(self, expression: str, width: int = 32) -> str:
        """A name for an expression of so many bits."""
        self.count += 1
        name = f"v{self.count}"
        self.script.append(f"(define-fun {name} () (_ BitVec {width}) {expression})")
        return name

    def remainder(self, t: str, n: str) -> str:
        """t mod n, where t < 2 n."""
        return f"(ite (bvult {t} {n}) {t} (bvsub {t} {n}))"

    def require(self, formula: str) -> None:
        """Only models where the formula holds."""
        self.script.append(f"(assert {formula})")

    def assume(self, bit: Any, value: int) -> None:
        """This way is taken only where the bit is so."""
        self.require(f"(= {bit} #b{value})")

    def add(self, a: Any, b: Any, carry: Any) -> tuple[Any, Any, Any]:
        """a + b + carry: sum, carry out, overflow."""
        if (a == 0 or b == 0) and carry == 0:
            return b if a == 0 else a, 0, 0
        if isinstance(a, int) and isinstance(b, int) and isinstance(carry, int):
            value = a + b + carry
            return value & MASK, value >> 32, ((a ^ value) & (b ^ value)) >> 31 & 1
        zero = "(concat #b0 {})".format
        long = f"((_ zero_extend 32) {bit(carry)})"
        total33 = self.define(f"(bvadd {zero(word(a))} {zero(word(b))} {long})", 33)
        total = self.define(f"((_ extract 31 0) {total33})")
        out = self.define(f"((_ extract 32 32) {total33})", 1)
        sign = "((_ extract 31 31) {})".format
        changed = (
            f"(bvand (bvxor {sign(word(a))} {sign(total)}) (bvxor {sign(word(b))} {sign(total)}))"
        )
        return total, out, self.define(changed, 1)

    def sub(self, a: Any, b: Any, carry: Any) -> tuple[Any, Any, Any]:
        """a - b - 1 + carry: difference, 1 if nothing was borrowed, overflow."""
        if b == 0 and carry == 1:
            return a, 1, 0
        return self.add(a, self.logic("eor", b, MASK), carry)

    def logic(self, name: str, a: Any, b: Any) -> Any:
        if isinstance(a, int) and isinstance(b, int):
            return {"and": a & b, "orr": a | b, "eor": a ^ b}[name]
        if name != "and" and 0 in (a, b):
            return b if a == 0 else a
        return self.define(f"({LOGIC[name]} {word(a)} {word(b)})")

    def shift(self, kind: str, a: Any, amount: Any, carry: Any) -> tuple[Any, Any]:
        """The word shifted, and the last bit that left it; `carry` is rrx's, and that of 0."""
        if kind == "rrx":
            if carry is None:
                raise Unproved("rrx of a carry that is not known")
            if isinstance(a, int) and isinstance(carry, int):
                return a >> 1 | carry << 31, a & 1
            value = self.define(f"(concat {bit(carry)} ((_ extract 31 1) {word(a)}))")
            return value, self.define(f"((_ extract 0 0) {word(a)})", 1)
        if isinstance(amount, int):
            amount &= 0xFF  # of a register, the lowest byte
        if kind == "ror" and isinstance(amount, int) and 0 < amount < 32:
            halves = (self.shift("lsr", a, amount, 0)[0], self.shift("lsl", a, 32 - amount, 0)[0])
            return self.logic("orr", *halves), None
        if kind not in SHIFTS:
            raise Unproved(f"{kind} is not understood")
        if not isinstance(amount, int):  # by a register: its lowest byte, and a carry unknown
            amount = self.logic("and", amount, 0xFF)
            return self.define(f"({SHIFTS[kind]} {word(a)} {amount})"), None
        if amount == 0:
            return a, carry
        if isinstance(a, int) and amount < 32:
            signed = a - ((a >> 31) << 32) if kind == "asr" else a
            last = (a << amount) >> 32 if kind == "lsl" else signed >> (amount - 1)
            return (a << amount if kind == "lsl" else signed >> amount) & MASK, last & 1
        value = self.define(f"({SHIFTS[kind]} {word(a)} {word(amount)})")
        last = 32 - amount if kind == "lsl" else amount - 1
        if not 0 <= last < 32:
            return value, None
        return value, self.define(f"((_ extract {last} {last}) {word(a)})", 1)

    def mul(self, a: Any, b: Any) -> Any:
        if isinstance(a, int) and isinstance(b, int):
            return a * b & MASK
        return self.define(f"(bvmul {word(a)} {word(b)})")

    def mlal(self, a: Any, b: Any, low: Any, high: Any) -> tuple[Any, Any]:
        """(high : low) + a b mod 2^64."""
        if all(isinstance(value, int) for value in (a, b, low, high)):
            value = a * b + low + (high << 32)
            return value & MASK, value >> 32 & MASK
        total = f"(bvadd (concat {word(high)} {word(low)}) {self.product(a, b)})"
        return self.halves(self.define(total, 64))

    def mull(self, a: Any, b: Any, low: Any, high: Any) -> tuple[Any, Any]:
        """a b + low + high, low word and high: they cannot carry out of it."""
        if all(isinstance(value, int) for value in (a, b, low, high)):
            return (a * b + low + high) & MASK, a * b + low + high >> 32
        wide = "((_ zero_extend 32) {})".format
        total = f"(bvadd {self.product(a, b)} {wide(word(low))} {wide(word(high))})"
        return self.halves(self.define(total, 64))

    def product(self, a: Any, b: Any) -> str:
        """a b: any number up to (2^32 - 1)^2, but the same for the same words."""
        words = tuple(sorted((word(a), word(b))))
        if words not in self.products:
            self.count += 1
            self.products[words] = name = f"product{self.count}"
            self.script.append(f"(declare-const {name} (_ BitVec 64))")
            self.require(f"(bvule {name} #xfffffffe00000001)")
        return self.products[words]

    def halves(self, total: str) -> tuple[str, str]:
        low = self.define(f"((_ extract 31 0) {total})")
        return low, self.define(f"((_ extract 63 32) {total})")

    def field(self, a: Any, lowest: int, width: int, signed: bool) -> Any:
        if isinstance(a, int):
            value, top = a >> lowest & (1 << width) - 1, 1 << width - 1
            return ((value ^ top) - top) & MASK if signed else value
        how = "sign_extend" if signed else "zero_extend"
        part = f"((_ extract {lowest + width - 1} {lowest}) {word(a)})"
        return self.define(f"((_ {how} {32 - width}) {part})")

    def zero(self, a: Any) -> Any:
        if isinstance(a, int):
            return int(a == 0)
        return self.define(f"(bvcomp {a} {word(0)})", 1)

    def top(self, a: Any) -> Any:
        return a >> 31 if isinstance(a, int) else self.define(f"((_ extract 31 31) {a})", 1)

    def differ(self, a: Any, b: Any) -> Any:
        if isinstance(a, int) and isinstance(b, int):
            return a ^ b
        if a is None or b is None:
            raise Unproved("a flag that is not known")
        return self.define(f"(bvxor {bit(a)} {bit(b)})", 1)

    def follows(self, formula: str) -> bool:
        """Whether the formula follows from what is required."""
        text = "\n".join(["(set-logic QF_BV)", *self.script, f"(assert (not {formula}))"])
        return ask(text + "\n") == "unsat"

    def prove(self, formula: str) -> None:
        """Raises Unproved unless the formula follows from what is required."""
        if not self.follows(formula):
            raise Unproved("there is a counterexample")


def word(value: Any) -> str:
    """A word as SMT-LIB writes it.  Raises Unproved for one that is not known."""
    if value is None:
        raise Unproved("a value that is not known")
    return f"#x{value & MASK:08x}" if isinstance(value, int) else str(value)


def bit(value: Any) -> str:
    """A bit as SMT-LIB writes it.  Raises Unproved for one that is not known."""
    if value is None:
        raise Unproved("a flag that is not known")
    return f"#b{value}" if isinstance(value, int) else str(value)


def vector(words: list[Any], width: int) -> str:
    """The number whose words these are, the lowest first, in `width` bits."""
    joined = " ".join(word(value) for value in reversed(words))
    joined = f"(concat {joined})" if len(words) > 1 else joined
    return f"((_ zero_extend {width - 32 * len(words)}) {joined})"


@cache
def ask(script: str) -> str:
    """sat, unsat or unknown."""
    import bitwuzla

    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, SECONDS * 1000)
    options.set(bitwuzla.Option.MEMORY_LIMIT, MEGABYTES)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(script, True, False)
    return str(parser.bitwuzla().check_sat()).lower().removeprefix("result.")


# --- polynomials ----------------------------------------------------------------------------------

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

    def with_values(self, values: Mapping[str, int]) -> Polynomial:
        """The polynomial with numbers in place of some unknowns."""
        found = Polynomial({})
        for names, k in self.terms.items():
            k *= prod(values.get(name, 1) for name in names)
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
    return sum((poly(word) * (1 << 32 * i) for i, word in enumerate(words)), poly(0))


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
