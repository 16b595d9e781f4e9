"""Operands of mont_mul and mod_exp by named kind; data/inputs/README.md says
what each finds.

A kind is a function that yields triples: (n, x, y) for mont_mul, (n, x, e) for
mod_exp. The expected result is Python's own arithmetic. R is 2^width; a limb
has 32 bits.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import gcd
from typing import TypeVar

from harness.operands import Call, power, product

T = TypeVar("T")
Triple = tuple[int, int, int]

# Rabin-Miller with these bases is a proof of primality below 3.3e24, hence for 64 bits and more.
BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


# ---- random numbers and primes from a seed, the same on every Python


def until(draw: Callable[[], T], right: Callable[[T], bool]) -> T:
    """The first thing drawn that is right."""
    while not right(thing := draw()):
        pass
    return thing


class Stream:
    """The numbers drawn from SHA-256(name || 0), SHA-256(name || 1), ...:
    the standard library does not promise to keep its own generators'
    methods as they are."""

    def __init__(self, name: str) -> None:
        """Every name is a stream of its own, so that one can grow without moving another."""
        self._name = name.encode("ascii")
        self._counter = 0

    def bits(self, count: int) -> int:
        """A number below 2^count: the leading bits of as many digests as that takes."""
        digests = b""
        while 8 * len(digests) < count:
            digests += hashlib.sha256(self._name + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
        return int.from_bytes(digests, "big") >> (8 * len(digests) - count)

    def between(self, low: int, high: int) -> int:
        """A number with low <= number < high, without bias. Needs low < high."""
        size = high - low
        return low + until(lambda: self.bits(size.bit_length()), lambda number: number < size)

    def below(self, high: int) -> int:
        """A number with 0 <= number < high."""
        return self.between(0, high)

    def choice(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(len(options))]

    def odd(self, width: int) -> int:
        """An odd number of exactly `width` bits. Needs width >= 2."""
        return self.bits(width) | 1 << (width - 1) | 1

    def unit(self, n: int) -> int:
        """A number in [1, n) that has an inverse modulo n. Needs n >= 2."""
        return until(lambda: self.between(1, n), lambda number: gcd(number, n) == 1)

    def prime(self, width: int) -> int:
        """A prime of exactly `width` bits whose two highest bits are set.

        The product of two of them has exactly 2 * width bits. Needs width >= 4.
        """
        return until(lambda: self.odd(width) | 1 << (width - 2), is_prime)


def is_prime(number: int) -> bool:
    """Whether the number is prime; a proof below 2^81."""
    if number < 2 or any(number % base == 0 for base in BASES):
        return number in BASES
    twos = (number - 1 & 1 - number).bit_length() - 1
    for base in BASES:
        powers = (pow(base, number - 1 >> i, number) for i in range(twos, 0, -1))
        if next(powers) not in (1, number - 1) and number - 1 not in powers:
            return False
    return True


Kind = Callable[[Stream, int], Iterator[Triple]]


# ---- numbers that a mistake stumbles over

EDGES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)


def assorted(s: Stream, width: int, i: int) -> int:
    """The i-th of a round of moduli of every shape that a representation may stumble over."""
    i, top = i % 8, width - 32
    if i in (1, 2):
        return (0xFFFFFFFF << top if i == 1 else 1 << (width - 1)) | s.bits(top) | 1
    sizes = {3: width - 1, 5: top + 1, 6: top}
    return s.odd(s.between(2, width + 1) if i == 7 else sizes.get(i, width))


def shapes(s: Stream, width: int, count: int) -> Iterator[int]:
    """The first so many of them."""
    return (assorted(s, width, i) for i in range(count))


def edges(s: Stream, width: int, right: Callable[[int], bool] = lambda number: True) -> int:
    """The first number drawn that is right, of those whose limbs are all edges."""
    return until(lambda: sum(s.choice(EDGES) << at for at in range(0, width, 32)), right)


def of_edges(s: Stream, width: int) -> tuple[int, int]:
    """An odd number n of at least 3, and one below it, whose limbs are all edges."""
    n = edges(s, width, lambda n: n % 2 == 1 and n >= 3)
    return n, edges(s, width, n.__gt__)


def giving(s: Stream, width: int, n: int, z: int, y: int = 0) -> Triple:
    """Operands of n with the product z = x y R^-1 mod n; y is a random unit unless given as one."""
    y = y or s.unit(n)
    return n, (z << width) * pow(y, -1, n) % n, y


def near_top(s: Stream, n: int, low: int, above: bool) -> int:
    """A z < n that brings the accumulator to where only the limbs below bit
    `low` tell it from n.

    Either z itself shares all bits from `low` up with n, or (above) z + n
    does.
    """
    part = n % 2**low
    return s.below(2**low - part) % n if above else n - 1 - s.below(part)


# ---- mont_mul


def mont_zero(s: Stream, width: int) -> Iterator[Triple]:
    """Operands of 0, and products of zero divisors, whose accumulator ends at n and not at 0."""
    for n in shapes(s, width, 16):
        yield from ((n, 0, s.below(n)), (n, s.below(n), 0), (n, 0, 0))
    for _ in range(80):  # n = p q has `width` bits or one less
        size = s.between(2, width - 1)
        p, q = s.odd(size), s.odd(width - size)
        yield p * q, p * s.between(1, q), q * s.between(1, p)


def mont_one(s: Stream, width: int) -> Iterator[Triple]:
    """Products that are 1, R mod n or an operand: into the Montgomery domain and out of it."""
    for n in shapes(s, width, 24):
        r, x = 2**width % n, s.below(n)
        yield from ((n, 1, 1), (n, 1, r * r % n), (n, r, 1), (n, x, r), giving(s, width, n, 1))


def mont_largest(s: Stream, width: int) -> Iterator[Triple]:
    """The largest moduli and operands: t + y + n passes 2^width in every round."""
    for n in range(2**width - 1, 2**width - 21, -2):
        yield from ((n, n - 1, n - 1), (n, n - 2, n - 1), (n, n - 2, n - 2), (n, n // 2, n - 1))
        yield from ((n, n - 1, s.below(n)), (n, s.below(n), n - 1))


def mont_n_minus_1(s: Stream, width: int) -> Iterator[Triple]:
    """Operands of n - 1, the largest of every modulus."""
    for n in shapes(s, width, 32):
        yield from ((n, n - 1, n - 1), (n, n - 1, 1), (n, n - 1, 2**width % n))
        yield from ((n, n - 1, s.below(n)), (n, s.below(n), n - 1))


def mont_just_below(s: Stream, width: int) -> Iterator[Triple]:
    """Results n - 1 - k for small k, found by dividing them by y."""
    for i in range(400):
        n = assorted(s, width, i)
        k = (i // 8) % 16 if i < 256 else s.bits(s.choice((8, 16, 24, 31)))
        yield giving(s, width, n, n - 1 - k % n)


def mont_same_top(s: Stream, width: int) -> Iterator[Triple]:
    """Accumulators and operands that share the top limb, two or three with n."""
    for low in range(32, width, 32):
        for i in range(40):
            n = s.odd(width) if i % 2 else assorted(s, width, 1 + i // 2 % 3)
            yield giving(s, width, n, near_top(s, n, low, above=False))
            yield giving(s, width, n, near_top(s, n, low, above=True))
            yield n, near_top(s, n, low, above=False), near_top(s, n, low, above=False)
            yield n, near_top(s, n, low, above=False), s.below(n)


def mont_equal_limb(s: Stream, width: int) -> Iterator[Triple]:
    """Accumulators with a middle limb equal to that of n, through which a
    borrow must ripple.

    That limb of the result is all ones, and those below carry into it when
    n is added.  Two limbs have none in the middle, hence width 64 no such
    vector.
    """
    for at in range(32, width - 32, 32):
        for i in range(40):
            n = assorted(s, width, i % 3)
            z = 0xFFFFFFFF << at | 2**at - 1 - s.below(n % 2**at)
            yield giving(s, width, n, z % n)


def threes(s: Stream, width: int, moduli: Iterable[int]) -> Iterator[Triple]:
    """Of each modulus the largest operands, a result just below n and a random product."""
    for n in moduli:
        yield n, n - 1, n - 1
        yield giving(s, width, n, n - 1 - s.below(min(n, 4)))
        yield n, s.below(n), s.below(n)


def mont_one_limb(s: Stream, width: int) -> Iterator[Triple]:
    """All operands of n = 3, 5 and 7, and larger moduli below 2^32."""
    yield from ((n, x, y) for n in (3, 5, 7) for x in range(n) for y in range(n))
    edges = (0xFFFFFFFF, 0xFFFFFFFD, 0x80000001, 0x80000003, 0x7FFFFFFF, 0x10001, 0xFFFF)
    for n in edges + tuple(s.odd(s.between(4, 33)) for _ in range(28)):
        yield from (*threes(s, width, [n]), giving(s, width, n, s.below(3)))


def mont_every_width(s: Stream, width: int) -> Iterator[Triple]:
    """Moduli of every number of bits."""
    for w in range(2, width + 1):
        yield from (*threes(s, width, [s.odd(w)]), giving(s, width, s.odd(w), s.below(3)))


def mont_aliasing(s: Stream, width: int) -> Iterator[Triple]:
    """Operands for calls with z = x, z = y and, when equal, x = y."""
    for n in shapes(s, width, 48):
        x = s.below(n)
        yield from ((n, x, x), (n, s.below(n), s.below(n)), giving(s, width, n, n - 1))


def mont_edge_limbs(s: Stream, width: int) -> Iterator[Triple]:
    """Moduli, operands and results whose limbs are all edges: carries and borrows that ripple."""
    for i in range(540):
        n, x = of_edges(s, width)
        yield (n, x, edges(s, width, n.__gt__)) if i < 400 else giving(s, width, n, x)


MONT_MUL: dict[str, Kind] = {
    # By themselves random operands find only coarse mistakes.
    "random": lambda s, w: ((n := s.odd(w), s.below(n), s.below(n)) for _ in range(1000)),
    "zero": mont_zero,
    "one": mont_one,
    "largest": mont_largest,
    "n-1": mont_n_minus_1,
    "just-below-n": mont_just_below,
    "same-top-limb": mont_same_top,
    "equal-limb": mont_equal_limb,
    "all-ones": lambda s, width: threes(s, width, (2**w - 1 for w in range(2, width + 1))),
    "2^k+1": lambda s, width: threes(s, width, (2**k + 1 for k in range(1, width))),
    "one-limb": mont_one_limb,
    "every-width": mont_every_width,
    "aliasing": mont_aliasing,
    "edge-limbs": mont_edge_limbs,
}


# ---- mod_exp: few, for the slowest snapshots need some 25 million instructions for one of them


def two_primes(s: Stream, width: int, i: int) -> tuple[int, int]:
    """Different primes p, q whose product has exactly `width` bits, 64 or
    more, and starts with ones if i is odd."""
    p, q, half = 0, 0, width // 2
    while p == q:
        p, q = s.prime(half), s.prime(half)
        if i % 2:
            starts = (2**half - 1 - s.bits(width // 8) for _ in (p, q))
            p, q = (next(filter(is_prime, range(at, 1, -1))) for at in starts)
    return p, q


def root(s: Stream, width: int, p: int, q: int, z: int, montgomery: bool) -> Triple:
    """The modulus n = p q, an x and a random e with x^e = z mod n or,
    `montgomery`, with the Montgomery form z. Needs gcd(z, n) = 1.

    e is a unit modulo (p - 1)(q - 1), and its inverse takes z to x.
    """
    n, phi = p * q, (p - 1) * (q - 1)
    e = s.unit(phi)
    return n, pow(z * pow(1 << width * montgomery, -1, n), pow(e, -1, phi), n), e


def full(s: Stream, widths: Iterable[int]) -> Iterator[Triple]:
    """Modulus and exponent of these widths."""
    for width in widths:
        yield (n := s.odd(width)), s.below(n), 1 << (width - 1) | s.bits(width)


def powers(s: Stream, width: int, moduli: Iterable[int]) -> Iterator[Triple]:
    """A random operand and a random exponent for each modulus."""
    for n in moduli:
        yield n, s.below(n), s.bits(width)


def exp_zero(s: Stream, width: int) -> Iterator[Triple]:
    """x = 0, with 0^0 = 1, and operands of which a power is a multiple of n."""
    n, third = s.odd(width), width // 3
    yield from ((n, 0, 0), (n, 0, 1), (n, 0, s.bits(width)), (9, 3, s.bits(width)))
    for _ in range(2):
        p, q = s.odd(third), s.odd(third)
        yield p * p * q, p * q * s.between(1, p), 2 + s.bits(third)


def exp_one(s: Stream, width: int) -> Iterator[Triple]:
    """x = 1, x = R^-1, whose Montgomery form is 1, and an exponent that takes every unit to 1."""
    for i in range(2):
        n = assorted(s, width, i)
        yield n, 1, s.bits(width)
        yield n, pow(2**width, -1, n), s.bits(width)
        p, q = two_primes(s, width, i)
        yield p * q, s.unit(p * q), (p - 1) * (q - 1)


def exp_just_below(s: Stream, width: int) -> Iterator[Triple]:
    """Results n - 1 - k and results with the Montgomery form n - 1 - k, found by taking roots."""
    for i in range(12):
        p, q = two_primes(s, width - i // 4 * 4, i)
        yield root(s, width, p, q, p * q - 1 - i // 4, montgomery=i // 2 % 2 == 0)


def exp_same_top(s: Stream, width: int) -> Iterator[Triple]:
    """Results whose Montgomery form brings the accumulator next to n, as for mont_mul."""
    for i in range(12):
        p, q = two_primes(s, width, i)
        low, above = width - 32 * (1 + i // 4 % (width // 32 - 1)), i // 2 % 2 == 1
        z = 0
        while gcd(z, p * q) != 1:
            z = near_top(s, p * q, low, above)
        yield root(s, width, p, q, z, montgomery=True)


def exp_fixed(s: Stream, width: int, e: int) -> Iterator[Triple]:
    """One exponent for three random operands of assorted moduli, n - 1, 0, and n = 3."""
    for i in range(3):
        n = assorted(s, width, i + 1)
        yield n, s.below(n), e
    yield from ((n, n - 1, e), (n, 0, e), (3, 2, e))


def exp_into_domain(s: Stream, width: int) -> Iterator[Triple]:
    """x whose way into the Montgomery domain, x R^2 R^-1, brings the
    accumulator past R, and in every third vector only past n.  A product
    for which a program has code of its own does that in one of 16 random
    vectors, and there is one such product in a power."""
    r = 1 << width
    for i in range(12):
        n, x, t = 1, 0, 0
        while t < n or (t < r) != (i % 3 == 0):
            n = s.odd(width)
            x, rr = s.below(n), r * r % n
            t = (x * rr + -x * rr * pow(n, -1, r) % r * n) >> width
        yield n, x, s.bits(width)


def mod_exp_kinds(width: int) -> dict[str, Kind]:
    """Every kind of mod_exp vector; the names of two exponents depend on the width."""
    half, over = width // 2, width - 33
    widths = (2, 3, 8, 31, 32, 33, half, over, width - 1, width)  # around the ends of limbs
    ks = (1, 2, 15, 16, 31, 32, 33, half, over, width - 32, width - 2, width - 1)
    small = (3, 3, 5, 7, 0x10001, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFB, 0xFFFFFFFF)
    most = 2**width - 1
    return {
        "random": lambda s, w: full(s, [w] * 30),
        "zero": exp_zero,
        "one": exp_one,
        "largest": lambda s, w: ((n, n - k, most) for n in (most, most - 2) for k in (1, 2)),
        # An odd and an even power of n - 1: n - 1 and 1.
        "n-1": lambda s, w: (
            (n, n - 1, e - k)
            for i in range(3)
            for n, e in [(assorted(s, w, i), s.bits(w) | 1)]
            for k in (0, 1)
        ),
        "just-below-n": exp_just_below,
        "same-top-limb": exp_same_top,
        "all-ones": lambda s, w: powers(s, w, (2**k - 1 for k in widths)),
        "2^k+1": lambda s, w: powers(s, w, (2**k + 1 for k in ks)),
        "one-limb": lambda s, w: (
            (n, n - 1 - s.below(min(n, 3)), s.bits(w)) for n in (*small, s.odd(32))
        ),
        "every-width": lambda s, w: full(s, (*range(2, w, 9), w)),
        "aliasing": lambda s, w: powers(s, w, (assorted(s, w, i) for i in range(8))),
        "edge-limbs": lambda s, w: ((*of_edges(s, w), edges(s, w)) for _ in range(14)),
        "exp-0": lambda s, w: exp_fixed(s, w, 0),
        "exp-1": lambda s, w: exp_fixed(s, w, 1),
        f"exp-2^{width - 1}": lambda s, w: exp_fixed(s, w, 2 ** (w - 1)),
        "exp-largest": lambda s, w: exp_fixed(s, w, most),
        "into-domain": exp_into_domain,
    }


def calls(operation: str, width: int, seed: str = "", most: int = 1_000_000) -> Iterator[Call]:
    """The calls of mont_mul or mod_exp with numbers below 2^width (64 bits
    or more), kind after kind: those of data/inputs or, of another `seed`,
    others; of each kind no more than `most`."""
    mont = operation == "mont_mul"
    for kind, triples in (MONT_MUL if mont else mod_exp_kinds(width)).items():
        every = list(triples(Stream(f"{seed}width-{width} {operation} {kind}"), width))
        for i in range(0, len(every), -(-len(every) // most) or 1):
            three, where = every[i], (kind, f"drawn with seed {seed}: {operation} {kind} {i}")
            yield product(*three, width, *where) if mont else power(*three, *where)
