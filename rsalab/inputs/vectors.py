"""Check vectors for mont_mul and mod_exp by named kind; data/inputs/README.md says what each finds.

A kind is a function that yields triples: (n, x, y) for mont_mul, (n, x, e) for mod_exp. The
expected result is Python's own arithmetic. R is 2^width; a limb has 32 bits.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rsalab.inputs.seeded import Stream

Triple = tuple[int, int, int]
Kind = Callable[[Stream, int], Iterator[Triple]]

EDGES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)


class Vector(NamedTuple):
    """One line of a vector file: z = x y R^-1 mod n, or z = x^y mod n."""

    operation: str
    kind: str
    n: int
    x: int
    y: int
    z: int

    def __str__(self) -> str:
        """The line."""
        numbers = " ".join(f"{number:x}" for number in self[2:])
        return f"{self.operation} {self.kind} {numbers}"


def assorted(s: Stream, width: int, i: int) -> int:
    """The i-th of a round of moduli of every shape that a representation may stumble over."""
    top = width - 32
    shapes = (
        lambda: s.odd(width),
        lambda: 0xFFFFFFFF << top | s.bits(top) | 1,
        lambda: 1 << (width - 1) | s.bits(top) | 1,
        lambda: s.odd(width - 1),
        lambda: s.odd(width),
        lambda: s.odd(top + 1),
        lambda: s.odd(top),
        lambda: s.odd(s.between(2, width + 1)),
    )
    return shapes[i % len(shapes)]()


def from_edges(s: Stream, width: int) -> int:
    """A number whose limbs are all edges."""
    return sum(s.choice(EDGES) << at for at in range(0, width, 32))


def edge_modulus(s: Stream, width: int) -> int:
    """An odd number of at least 3 whose limbs are all edges."""
    while True:
        n = from_edges(s, width)
        if n % 2 == 1 and n >= 3:
            return n


def edges_below(s: Stream, width: int, n: int) -> int:
    """A number below n whose limbs are all edges."""
    while True:
        x = from_edges(s, width)
        if x < n:
            return x


def giving(s: Stream, width: int, n: int, z: int, y: int = 0) -> Triple:
    """Operands of n with the product z = x y R^-1 mod n; y is a random unit unless given as one."""
    y = y or s.unit(n)
    return n, (z << width) * pow(y, -1, n) % n, y


def product(s: Stream, width: int) -> tuple[int, int, int]:
    """Odd p, q >= 3 and their product, which has `width` bits or one less."""
    size = s.between(2, width - 1)
    p, q = s.odd(size), s.odd(width - size)
    return p, q, p * q


def near_top(s: Stream, n: int, low: int, above: bool) -> int:
    """A z < n that brings the accumulator to where only the limbs below bit `low` tell it from n.

    Either z itself shares all bits from `low` up with n, or (above) z + n does.
    """
    part = n % 2**low
    return s.below(2**low - part) % n if above else n - 1 - s.below(part)


def mont_random(s: Stream, width: int) -> Iterator[Triple]:
    """Full-width moduli and random operands, which by themselves find only coarse mistakes."""
    for _ in range(1000):
        n = s.odd(width)
        yield n, s.below(n), s.below(n)


def mont_zero(s: Stream, width: int) -> Iterator[Triple]:
    """Operands of 0, and products of zero divisors, whose accumulator ends at n and not at 0."""
    for i in range(16):
        n = assorted(s, width, i)
        yield n, 0, s.below(n)
        yield n, s.below(n), 0
        yield n, 0, 0
    for _ in range(80):
        p, q, n = product(s, width)
        yield n, p * s.between(1, q), q * s.between(1, p)


def mont_one(s: Stream, width: int) -> Iterator[Triple]:
    """Products that are 1, R mod n or an operand: into the Montgomery domain and out of it."""
    for i in range(24):
        n = assorted(s, width, i)
        r, x = 2**width % n, s.below(n)
        yield from ((n, 1, 1), (n, 1, r * r % n), (n, r, 1), (n, x, r), giving(s, width, n, 1))


def mont_largest(s: Stream, width: int) -> Iterator[Triple]:
    """The largest moduli and operands: t + y + n passes 2^width in every round."""
    for n in range(2**width - 1, 2**width - 21, -2):
        yield from ((n, n - 1, n - 1), (n, n - 2, n - 1), (n, n - 2, n - 2), (n, n // 2, n - 1))
        yield from ((n, n - 1, s.below(n)), (n, s.below(n), n - 1))


def mont_n_minus_1(s: Stream, width: int) -> Iterator[Triple]:
    """Operands of n - 1, the largest of every modulus."""
    for i in range(32):
        n = assorted(s, width, i)
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
    """Accumulators with a middle limb equal to that of n, through which a borrow must ripple.

    That limb of the result is all ones, and those below carry into it when n is added.  Two limbs
    have none in the middle, hence width 64 no such vector.
    """
    for at in range(32, width - 32, 32):
        for i in range(40):
            n = assorted(s, width, i % 3)
            part = n % 2**at
            z = 0xFFFFFFFF << at | 2**at - 1 - s.below(part)
            yield giving(s, width, n, z % n)


def mont_all_ones(s: Stream, width: int) -> Iterator[Triple]:
    """n = 2^w - 1 for every w, whose negated inverse is 1."""
    for w in range(2, width + 1):
        yield from three(s, width, 2**w - 1)


def mont_power_plus_1(s: Stream, width: int) -> Iterator[Triple]:
    """n = 2^k + 1 for every k: a modulus that is almost all zeros."""
    for k in range(1, width):
        yield from three(s, width, 2**k + 1)


def three(s: Stream, width: int, n: int) -> Iterator[Triple]:
    """The largest operands, a result just below n and a random product."""
    yield n, n - 1, n - 1
    yield giving(s, width, n, n - 1 - s.below(min(n, 4)))
    yield n, s.below(n), s.below(n)


def mont_one_limb(s: Stream, width: int) -> Iterator[Triple]:
    """All operands of n = 3, 5 and 7, and larger moduli below 2^32."""
    for n in (3, 5, 7):
        yield from ((n, x, y) for x in range(n) for y in range(n))
    edges = (0xFFFFFFFF, 0xFFFFFFFD, 0x80000001, 0x80000003, 0x7FFFFFFF, 0x10001, 0xFFFF)
    for n in edges + tuple(s.odd(s.between(4, 33)) for _ in range(28)):
        yield from three(s, width, n)
        yield giving(s, width, n, s.below(3))


def mont_every_width(s: Stream, width: int) -> Iterator[Triple]:
    """Moduli of every number of bits."""
    for w in range(2, width + 1):
        n = s.odd(w)
        yield from three(s, width, n)
        yield giving(s, width, s.odd(w), s.below(3))


def mont_aliasing(s: Stream, width: int) -> Iterator[Triple]:
    """Operands for calls with z = x, z = y and, when equal, x = y."""
    for i in range(48):
        n = assorted(s, width, i)
        x = s.below(n)
        yield from ((n, x, x), (n, s.below(n), s.below(n)), giving(s, width, n, n - 1))


def mont_edge_limbs(s: Stream, width: int) -> Iterator[Triple]:
    """Moduli, operands and results whose limbs are all edges: carries and borrows that ripple."""
    for _ in range(400):
        n = edge_modulus(s, width)
        yield n, edges_below(s, width, n), edges_below(s, width, n)
    for _ in range(140):
        n = edge_modulus(s, width)
        yield giving(s, width, n, edges_below(s, width, n))


MONT_MUL: dict[str, Kind] = {
    "random": mont_random,
    "zero": mont_zero,
    "one": mont_one,
    "largest": mont_largest,
    "n-1": mont_n_minus_1,
    "just-below-n": mont_just_below,
    "same-top-limb": mont_same_top,
    "equal-limb": mont_equal_limb,
    "all-ones": mont_all_ones,
    "2^k+1": mont_power_plus_1,
    "one-limb": mont_one_limb,
    "every-width": mont_every_width,
    "aliasing": mont_aliasing,
    "edge-limbs": mont_edge_limbs,
}


def mont_mul_vectors(width: int) -> list[Vector]:
    """Every mont_mul vector for R = 2^width, kind after kind."""
    return [
        Vector("mont_mul", kind, n, x, y, x * y * pow(2**width, -1, n) % n)
        for kind, triples in MONT_MUL.items()
        for n, x, y in triples(Stream(f"width-{width} mont_mul {kind}"), width)
    ]
