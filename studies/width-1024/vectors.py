"""Keys and lines for the driver of long numbers, with results by Python's own integers.

A key file has a line `NAME HEX` for each of n, e, d, p and q; a public key's
has n and e alone.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from harness.kinds import MONT_MUL, Stream, edges
from harness.operands import Key
from records.faults import Failure
from records.files import read
from records.ladder import ROOT
from records.workload import SIZES

LIMB = 32
ONES = (1 << LIMB) - 1
MOST = 64  # limbs
KEYS = ROOT / "data/inputs/rsa-keys"
METHODS = ("binary", "fixed", "sliding")
DEEPEST = 4  # levels of Karatsuba's method
LARGEST_WINDOW = 6
EACH = 2  # operands of every kind at a size and level


# The result of an operation on numbers below r, a power of 2; that of a sum has one limb more, for
# the carry or the sign.  The mask is of one limb, and x y < n r.
RESULTS: dict[str, Callable[..., int]] = {
    "multiply": lambda r, x, y: x * y,
    "square": lambda r, x: x * x,
    "add": lambda r, x, y: x + y,
    "subtract": lambda r, x, y: (x - y) % (r << LIMB),
    "subtract_masked": lambda r, x, y, mask: (x - (y & (r - 1) // ONES * mask)) % (r << LIMB),
    "mont_mul": lambda r, n, x, y: x * y * pow(r, -1, n) % n,
    "mont_sqr": lambda r, n, x: x * x * pow(r, -1, n) % n,
    "mod_exp": lambda r, n, x, e: pow(x, e, n),
    "private": lambda r, n, p, q, dp, dq, qinv, e, x: pow(x, pow(e, -1, (p - 1) * (q - 1)), n),
}


@dataclass(frozen=True)
class Setting:
    """How an operation is computed: what stands between its name and its numbers."""

    limbs: int
    levels: int = 0
    squares: bool = True
    method: str = "sliding"
    window: int = 0  # the best by the program's cost model

    def line(self, operation: str, *numbers: int) -> str:
        """The driver's line, with its result."""
        result = RESULTS[operation](1 << LIMB * self.limbs, *numbers)
        return self.asked(operation, *numbers, result)

    def asked(self, operation: str, *numbers: int) -> str:
        """The driver's line for these numbers."""
        words = self.limbs, self.levels, int(self.squares), METHODS.index(self.method), self.window
        return " ".join([operation, *map(str, words), *(f"{number:x}" for number in numbers)])


def levels(limbs: int) -> list[int]:
    """How many levels of Karatsuba's method a size has room for: a half is a limb at least."""
    return [level for level in range(DEEPEST + 1) if limbs % (1 << level) == 0]


def named(limbs: int, s: Stream) -> Iterator[str]:
    """Every operation on EACH operands of every named kind at a size of two limbs or more."""
    at, bits = Setting(limbs), LIMB * limbs
    ones = (1 << bits) - 1
    for level in levels(limbs):
        deep = replace(at, levels=level)
        for kind in MONT_MUL.values():
            for n, x, y in islice(kind(s, bits), EACH):
                yield deep.line("mont_mul", n, x, y)
                yield deep.line("mont_sqr", n, x)
        # The middle product's carry runs through all limbs above it.
        carries = 1 << LIMB * (limbs - 1) | (1 << bits // 2) - 1
        both = edges(s, bits), edges(s, bits)
        for x, y in ((ones, ones), both, (ones, 0), (ones, carries)):
            yield deep.line("multiply", x, y)
            yield deep.line("square", x)
        yield deep.line("mont_mul", ones, ones, ones)  # x y < n R, though x = n


def powers(limbs: int, s: Stream) -> Iterator[str]:
    """Exponents at the edges, by every method."""
    bits = LIMB * limbs
    n = s.odd(bits)
    for method in METHODS:
        for e in (0, 1, 2, 65537, s.bits(bits)):
            at = Setting(limbs, s.choice(levels(limbs)), bool(s.bits(1)), method)
            at = replace(at, window=s.below(LARGEST_WINDOW + 1))
            yield at.line("mod_exp", n, n - 1, e)
    at = Setting(limbs, method="fixed", window=LARGEST_WINDOW)
    count = bits // LARGEST_WINDOW  # the longest window reads each number of its table
    for first in range(0, 1 << LARGEST_WINDOW, count):
        digits = range(first, min(first + count, 1 << LARGEST_WINDOW))
        e = sum(digit << LARGEST_WINDOW * i for i, digit in enumerate(digits))
        yield at.line("mod_exp", n, s.below(n), e)
    for method in METHODS if limbs <= 16 else ("sliding",):
        for e in (1 << (bits - 1), (1 << bits) - 1):
            yield Setting(limbs, method=method).line("mod_exp", n, s.below(n), e)


def drawn(cases: int, s: Stream) -> Iterator[str]:
    """Products and squares of random lengths, moduli of any width from 2 bits on."""
    for _ in range(cases):
        limbs = s.between(1, MOST + 1)
        at, bits = Setting(limbs, s.choice(levels(limbs))), LIMB * limbs
        n = s.choice((edges(s, bits), s.bits(s.between(2, bits + 1)))) | 3
        x, y = s.below(n), s.below(n)
        yield s.choice((at.line("mont_mul", n, x, y), at.line("mont_sqr", n, x)))
        yield s.choice((at.line("multiply", edges(s, bits), x), at.line("square", edges(s, bits))))


def vectors(cases: int, seed: int, sizes: Iterable[int] = SIZES) -> Iterator[str]:
    """The check vectors; `sizes` in bits are those of the named kinds."""
    s = Stream(f"{seed} long numbers")
    for bits in sizes:
        yield from named(bits // LIMB, s)
        yield from powers(bits // LIMB, s)
    for limbs in range(1, MOST + 1):
        at, bits = Setting(limbs), LIMB * limbs
        n = edges(s, bits) | 3
        yield at.line("mont_mul", n, n - 1, s.below(n))
        yield at.line("mont_sqr", n, n - 1)
        for mask in (0, ONES, s.bits(LIMB)):
            x, y = edges(s, bits), edges(s, bits)
            yield from (at.line("add", x, y), at.line("subtract", x, y))
            yield at.line("subtract_masked", x, y, mask)
    yield from drawn(cases, s)


# ---- the keys, and lines of the private operation


def read_key(path: Path, public: bool = False) -> Key:
    """The key of a file, or its public half.  Raises Failure with one line
    where it is no key that can be used here."""
    numbers = dict(re.findall(r"^([nedpq]) ([0-9a-fA-F]{1,512})$", read(path), re.M))
    wanted = "ne" if public else "nedpq"
    if missing := [name for name in wanted if name not in numbers]:
        raise Failure(f"{path}: no key: no line `{missing[0]} HEX`")
    key = Key(**{name: int(numbers[name], 16) for name in wanted})
    if key.p < key.q:
        key = key._replace(p=key.q, q=key.p)
    bits, unit, most = key.n.bit_length(), 2 * LIMB, LIMB * MOST
    if bits % unit or not 0 < bits <= most:
        raise Failure(f"{path}: no key: n has {bits} bits, not a multiple of {unit} up to {most}")
    if not public and not (key.p * key.q == key.n and 1 < key.q < key.p):
        raise Failure(f"{path}: no key: n is not p q, two primes")
    if not public and any(key.e * key.d % (prime - 1) != 1 for prime in (key.p, key.q)):
        raise Failure(f"{path}: no key: e d is not 1 modulo p - 1 and q - 1")
    return key


def of_key(key: Key, levels: int = 0, squares: bool = True, method: str = "sliding") -> Setting:
    """A setting for numbers as long as n."""
    return Setting(-(-key.n.bit_length() // LIMB), levels, squares, method)


def private(key: Key, x: int) -> tuple[int, ...]:
    """The numbers of the private operation on x, by the Chinese remainder theorem."""
    n, e, d, p, q = key
    return n, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p), e, x


def private_lines(key: Key, s: Stream) -> Iterator[str]:
    """Private operations with a key: edges and a random message."""
    for x in (0, 1, key.n - 1, key.p, key.q, s.below(key.n)):
        yield of_key(key, method=s.choice(METHODS[1:])).line("private", *private(key, x))
