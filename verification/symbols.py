"""Bit vectors, which a register of the proofs holds: terms of the solver
bitwuzla, which rewrites them at once, so that numbers stay numbers."""

from __future__ import annotations

import resource
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from types import FrameType
from typing import Any

import bitwuzla
from bitwuzla import Kind, Option

from records.faults import Failure

MASK = (1 << 32) - 1
# The solver's limits for one question: how often it asks whether it should go on, which is the same
# in every run, and memory.  The hardest question of today takes 304,000 steps, 6 s of a processor.
QUESTION_STEPS = 5_000_000
QUESTION_MEGABYTES = 1000
TERMS = bitwuzla.TermManager()
REWRITER = bitwuzla.Bitwuzla(TERMS)
NO_OPERANDS: Mapping[str, int] = {}
# Of a word or a flag: an int, Bits or a polynomial; None if it is not known.
Value = Any


class Unproved(Failure):
    """A proof that does not go through.  Whether the code is wrong remains open: the proof may not
    understand it, or have met a limit.  `operands` are numbers by their names, for which the
    solver says that the code is wrong: trials.py runs it on them."""

    def __init__(self, why: str, operands: Mapping[str, int] = NO_OPERANDS) -> None:
        super().__init__(why)
        self.operands = operands


class Beyond(Unproved):
    """Code that the proof does not understand."""


# --- bit vectors ----------------------------------------------------------------------------------


def chosen(condition: Any, a: Bits, b: Bits) -> Bits:
    """Return a where the condition, a term that is true or false, holds, else b."""
    term = TERMS.mk_term(Kind.ITE, [condition, a.term, b.term])
    return Bits(REWRITER.simplify_term(term))


def combined(kind: Kind, *operands: Bits, indices: Sequence[int] = ()) -> Bits:
    """Return what an operation of bitwuzla makes of its operands; of a comparison, one bit."""
    terms = [operand.term for operand in operands]
    term = TERMS.mk_term(kind, terms, list(indices))
    if term.sort().is_bool():
        return chosen(term, bits(1, 1), bits(0, 1))
    return Bits(REWRITER.simplify_term(term))


def operator(kind: Kind) -> Callable[[Bits, Value], Bits]:
    """Return an operation with another vector, or a number, of as many bits."""

    def apply(a: Bits, b: Value) -> Bits:
        return combined(kind, a, bits(b, a.width))

    return apply


class Bits:
    """A bit vector.  Numbers are unsigned, bit 0 is the lowest, and == asks for the same term."""

    def __init__(self, term: Any) -> None:
        self.term = term
        self.width = term.sort().bv_size()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bits | int):
            return False
        return bool(bits(other, self.width).term == self.term)

    def __hash__(self) -> int:
        return hash(self.term)

    def __int__(self) -> int:
        """Return its number.  Raises Unproved where it is no number."""
        if not self.term.is_value():
            raise Unproved("a value that is no number")
        return int(self.term.value(10))

    def __getitem__(self, part: slice) -> Bits:
        """Return the bits from `start` up to `stop`, `stop` not included."""
        first = part.start or 0
        stop = self.width if part.stop is None else part.stop
        return combined(Kind.BV_EXTRACT, self, indices=(stop - 1, first))

    def __invert__(self) -> Bits:
        return combined(Kind.BV_NOT, self)

    def signed(self, width: int) -> Bits:
        """Return the vector with so many bits, the new ones like its top one."""
        return combined(Kind.BV_SIGN_EXTEND, self, indices=[width - self.width])

    __add__ = operator(Kind.BV_ADD)
    __sub__ = operator(Kind.BV_SUB)
    __mul__ = operator(Kind.BV_MUL)
    __and__ = operator(Kind.BV_AND)
    __or__ = operator(Kind.BV_OR)
    __xor__ = operator(Kind.BV_XOR)
    __lshift__ = operator(Kind.BV_SHL)
    __rshift__ = operator(Kind.BV_SHR)
    __lt__ = operator(Kind.BV_ULT)
    __le__ = operator(Kind.BV_ULE)
    asr = operator(Kind.BV_ASHR)
    equals = operator(Kind.BV_COMP)


def bits(value: Value, width: int = 32) -> Bits:
    """Return a word, flag or number in so many bits.  Raises Unproved if its bits are unknown."""
    if isinstance(value, int):
        return constant(value, width)
    if not isinstance(value, Bits):
        raise Unproved("a value or a flag that is not known as bits")
    extra = width - value.width
    if extra == 0:
        return value
    return combined(Kind.BV_ZERO_EXTEND, value, indices=[extra])


@lru_cache(10_000)
def constant(value: int, width: int) -> Bits:
    """Return a number, modulo 2^width."""
    sort = TERMS.mk_bv_sort(width)
    return Bits(TERMS.mk_bv_value(sort, value % (1 << width)))


NAMED: dict[str, Bits] = {}  # operands, and what else has a name of its own


@cache
def variable(name: str, width: int = 32) -> Bits:
    """Return the unknown word, or number of so many bits, that has this name."""
    NAMED[name] = unknown(name, width)
    return NAMED[name]


@cache
def unknown(name: str, width: int = 32) -> Bits:
    """Return an unknown whose value no counterexample needs to name."""
    sort = TERMS.mk_bv_sort(width)
    return Bits(TERMS.mk_const(sort, name))


def joined(words: Sequence[Value], width: int = 0) -> Bits:
    """Return the number whose words these are, the lowest first, in so many bits."""
    parts = []
    for word in reversed(words):
        parts.append(word if isinstance(word, Bits) else bits(word))
    number = parts[0]
    if len(parts) > 1:
        number = combined(Kind.BV_CONCAT, *parts)
    return bits(number, width or number.width)


def is_one(flag: Bits) -> Any:
    """Return the term that is true where the flag is 1."""
    return TERMS.mk_term(Kind.EQUAL, [flag.term, bits(1, 1).term])


def either(flag: Bits, a: Bits, b: Value) -> Bits:
    """Return a where the flag is 1, else b."""
    return chosen(is_one(flag), a, bits(b, a.width))


def reduced(t: Bits, n: Bits) -> Bits:
    """Return t mod n, where t < 2 n."""
    return either(t < n, t, t - n)


# --- values of either kind ------------------------------------------------------------------------


def alike(width: int, *values: Value) -> list[Any]:
    """Return the values as polynomials if one of them is, else as vectors of so many bits."""
    for value in values:
        if hasattr(value, "algebra"):
            return [value.algebra.poly(other) for other in values]
    return [bits(value, width) for value in values]


def sum_of(width: int, *values: Value) -> Any:
    """Return the sum of the values, of so many bits where it is a vector."""
    first, *others = alike(width, *values)
    return sum(others, first)


def pair(low: Value, high: Value) -> Any:
    """Return the number low + 2^32 high."""
    low, high = alike(32, low, high)
    if isinstance(low, Bits):
        return joined([low, high])
    return low + high * (1 << 32)


def parted(total: Any) -> tuple[Any, Any]:
    """Return the low word of a number, and what is above it."""
    return total[:32], total[32:]


# --- proofs ---------------------------------------------------------------------------------------


def megabytes_held() -> int:
    """Return the most memory that this process has held: the solver counts it as its own."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # to end


class Limit:
    """What the solver asks after each step whether it should end: at its limit, or where somebody
    has asked for that by a signal.  An exception that is raised in here is lost, so that the signal
    is raised again when the solver has ended."""

    def __init__(self) -> None:
        self.steps = 0
        self.request = 0

    def __call__(self) -> bool:
        self.steps += 1
        return self.is_met or self.request != 0

    @property
    def is_met(self) -> bool:
        """Return whether the solver has taken all its steps."""
        return self.steps > QUESTION_STEPS

    def end(self, number: int, _frame: FrameType | None) -> None:
        """Answer a signal."""
        self.request = number


@contextmanager
def ended_by_signals(limit: Limit) -> Iterator[None]:
    """Let the limit answer requests to end.  A signal reaches the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {number: signal.signal(number, limit.end) for number in REQUESTS}
    try:
        yield
    finally:
        for number, answer in usual.items():
            signal.signal(number, answer)
    if limit.request:
        signal.raise_signal(limit.request)


def asked(formulas: Sequence[Bits], **options: bool) -> tuple[Any, bool]:
    """Return the solver, and whether the formulas, of one bit each, can all hold.

    `options` are the solver's.  Raises Unproved where it meets a limit.
    """
    settings = bitwuzla.Options()
    settings.set(Option.MEMORY_LIMIT, megabytes_held() + QUESTION_MEGABYTES)
    for name, value in options.items():
        settings.set(Option[name], value)
    limit = Limit()
    solver = bitwuzla.Bitwuzla(TERMS, settings)
    solver.configure_terminator(limit)
    for formula in formulas:
        solver.assert_formula(is_one(formula))
    with ended_by_signals(limit):
        answer = solver.check_sat()
    if answer == bitwuzla.Result.UNKNOWN:
        memory = f"{QUESTION_MEGABYTES:,} MB"
        met = f"{QUESTION_STEPS:,} steps" if limit.is_met else memory
        raise Unproved(f"the solver has met its limit of {met}")
    return solver, answer == bitwuzla.Result.SAT


@lru_cache(10_000)
def contradict(formulas: tuple[Bits, ...]) -> bool:
    """Return whether the formulas, of one bit each, cannot all hold.  Raises Unproved where the
    solver meets a limit."""
    _, can_hold = asked(formulas)
    return not can_hold


def model(formulas: Sequence[Bits], watched: Mapping[str, Bits]) -> dict[str, int]:
    """Return numbers for which the formulas hold: those of all that has a name, and of what is
    watched.  Raises Unproved."""
    solver, _ = asked(formulas, PRODUCE_MODELS=True)
    values = {}
    for name, bit_vector in {**NAMED, **watched}.items():
        values[name] = int(solver.get_value(bit_vector.term).value(10))
    return values


class Words:
    """The algebra of bit vectors, and what is required of them."""

    def __init__(self) -> None:
        self.required: list[Bits] = []
        self.products: dict[frozenset[Bits], Bits] = {}
        self.count = 0

    def word(self, name: str) -> Value:
        """Return the unknown with this name."""
        return variable(name)

    def fresh(self, width: int = 32) -> Value:
        """Return an unknown that nothing has used yet."""
        self.count += 1
        return unknown(f"any{self.count}.{width}", width)

    def require(self, formula: Bits) -> None:
        """Take the formula as true from now on."""
        self.required.append(formula)

    def assume(self, flag: Value, value: int) -> None:
        """Take this way through only where the flag has the value."""
        self.require(flag.equals(value))

    def follows(self, formula: Bits) -> bool:
        """Return whether the formula follows from what is required.  Raises Unproved where the
        solver meets a limit."""
        return contradict((*self.required, ~formula))

    def prove(self, formula: Bits, **watched: Bits) -> None:
        """Raise Unproved unless the formula follows from what is required.  Its operands have the
        numbers `watched`, too."""
        if not self.follows(formula):
            operands = model((*self.required, ~formula), watched)
            raise Unproved("a formula of the proof does not hold", operands)

    def add(self, a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
        """Return the sum a + b + carry mod 2^32, and the carry out of it."""
        return parted(sum_of(33, a, b, carry))

    def sub(self, a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
        """Return the difference a - b - 1 + carry, and 1 if nothing was borrowed.

        It is the sum a + (2^32 - 1 - b) + carry.
        """
        if (b, carry) == (0, 1):
            return a, 1
        (word,) = alike(32, b)
        return self.add(a, ~word, carry)

    def mul(self, a: Value, b: Value) -> Value:
        """Return a b mod 2^32."""
        a, b = alike(32, a, b)
        product = a * b
        return product[:32]

    def mull(self, a: Value, b: Value, low: Value, high: Value) -> tuple[Value, Value]:
        """Return the low and the high word of a b + low + high, which is below 2^64."""
        total = sum_of(64, self.product(a, b), low, high)
        return parted(total)

    def mlal(self, a: Value, b: Value, low: Value, high: Value) -> tuple[Value, Value]:
        """Return the low and the high word of a b + low + 2^32 high, modulo 2^64."""
        total = sum_of(64, self.product(a, b), pair(low, high))
        return parted(total[:64])

    def product(self, a: Value, b: Value) -> Value:
        """Return a b: any number up to (2^32 - 1)^2, but the same for the same words."""
        factors = frozenset((bits(a), bits(b)))
        if all(factor.term.is_value() for factor in factors):
            return bits(a, 64) * bits(b, 64)
        if factors not in self.products:
            product = self.fresh(64)
            self.require(product <= MASK * MASK)
            self.products[factors] = product
        return self.products[factors]
