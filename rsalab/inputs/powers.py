"""Check vectors for mod_exp by named kind: triples (n, x, e) as in rsalab.inputs.vectors.

They are few, because the slowest snapshots need some 25 million instructions for one of them.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from math import gcd

from rsalab.inputs.seeded import Stream, is_prime
from rsalab.inputs.vectors import (
    Kind,
    Triple,
    Vector,
    assorted,
    edge_modulus,
    edges_below,
    from_edges,
    near_top,
)


def two_primes(s: Stream, width: int, i: int) -> Triple:
    """Different primes p, q and n = p q of exactly `width` bits; n starts with ones if i is odd.

    Needs a width of at least 64.
    """
    half = width // 2
    while True:
        p, q = s.prime(half), s.prime(half)
        if i % 2:
            p, q = (prime_from(2**half - 1 - s.bits(half // 4)) for _ in "pq")
        if p != q:
            return p, q, p * q


def prime_from(start: int) -> int:
    """The largest prime up to `start`."""
    return next(number for number in range(start, 1, -1) if is_prime(number))


def root(s: Stream, p: int, q: int, z: int) -> Triple:
    """The modulus n = p q, an x and a random e with x^e = z mod n. Needs gcd(z, n) = 1.

    e is a unit modulo (p - 1)(q - 1), and its inverse takes z to x.
    """
    phi = (p - 1) * (q - 1)
    e = s.unit(phi)
    return p * q, pow(z, pow(e, -1, phi), p * q), e


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
        p, q, n = two_primes(s, width, i)
        yield n, s.unit(n), (p - 1) * (q - 1)


def exp_just_below(s: Stream, width: int) -> Iterator[Triple]:
    """Results n - 1 - k and results with the Montgomery form n - 1 - k, found by taking roots."""
    for i in range(12):
        p, q, n = two_primes(s, width - i // 4 * 4, i)
        z = n - 1 - i // 4
        yield root(s, p, q, z if i // 2 % 2 else out_of_domain(z, n, width))


def exp_same_top(s: Stream, width: int) -> Iterator[Triple]:
    """Results whose Montgomery form brings the accumulator next to n, as for mont_mul."""
    for i in range(12):
        p, q, n = two_primes(s, width, i)
        low = width - 32 * (1 + i // 4 % (width // 32 - 1))
        while True:
            z = near_top(s, n, low, above=i // 2 % 2 == 1)
            if gcd(z, n) == 1:
                break
        yield root(s, p, q, out_of_domain(z, n, width))


def out_of_domain(z: int, n: int, width: int) -> int:
    """z R^-1 mod n: the number whose Montgomery form is z."""
    return z * pow(1 << width, -1, n) % n


def exp_fixed(s: Stream, width: int, e: int) -> Iterator[Triple]:
    """One exponent for three random operands of assorted moduli, n - 1, 0, and n = 3."""
    for i in range(3):
        n = assorted(s, width, i + 1)
        yield n, s.below(n), e
    yield from ((n, n - 1, e), (n, 0, e), (3, 2, e))


def exp_into_domain(s: Stream, width: int) -> Iterator[Triple]:
    """x whose way into the Montgomery domain, x R^2 R^-1, brings the accumulator past R, and in
    every third vector only past n.  A product for which a program has code of its own does that in
    one of 16 random vectors, and there is one such product in a power."""
    for i in range(12):
        low, r = i % 3 == 0, 1 << width
        while True:
            n = s.odd(width)
            x = s.below(n)
            rr = r * r % n
            t = (x * rr + -x * rr * pow(n, -1, r) % r * n) >> width
            if t >= n and (t < r) == low:
                break
        yield n, x, s.bits(width)


def mod_exp_kinds(width: int) -> dict[str, Kind]:
    """Every kind of mod_exp vector; the names of two exponents depend on the width."""
    half, over = width // 2, width - 33
    widths = (2, 3, 8, 31, 32, 33, half, over, width - 1, width)  # around the ends of limbs
    ks = (1, 2, 15, 16, 31, 32, 33, half, over, width - 32, width - 2, width - 1)
    small = (3, 3, 5, 7, 0x10001, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFB, 0xFFFFFFFF)
    most = 2**width - 1
    return {
        "random": lambda s, w: (
            (n := s.odd(w), s.below(n), 1 << (w - 1) | s.bits(w)) for _ in range(30)
        ),
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
            (n, n - 1 - s.below(min(n, 3)), s.bits(w)) for n in chain(small, [s.odd(32)])
        ),
        # Modulus and exponent of the same width.
        "every-width": lambda s, w: (
            (n := s.odd(bits), s.below(n), 1 << (bits - 1) | s.bits(bits))
            for bits in (*range(2, w, 9), w)
        ),
        "aliasing": lambda s, w: powers(s, w, (assorted(s, w, i) for i in range(8))),
        "edge-limbs": lambda s, w: (
            (n := edge_modulus(s, w), edges_below(s, w, n), from_edges(s, w)) for _ in range(14)
        ),
        "exp-0": lambda s, w: exp_fixed(s, w, 0),
        "exp-1": lambda s, w: exp_fixed(s, w, 1),
        f"exp-2^{width - 1}": lambda s, w: exp_fixed(s, w, 2 ** (w - 1)),
        "exp-largest": lambda s, w: exp_fixed(s, w, most),
        "into-domain": exp_into_domain,
    }


def mod_exp_vectors(width: int) -> list[Vector]:
    """Every mod_exp vector whose numbers are below 2^width, kind after kind."""
    return [
        Vector("mod_exp", kind, n, x, e, pow(x, e, n))
        for kind, triples in mod_exp_kinds(width).items()
        for n, x, e in triples(Stream(f"width-{width} mod_exp {kind}"), width)
    ]
