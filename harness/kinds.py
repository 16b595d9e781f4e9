"""Operands of mont_mul and mod_exp by named kind; data/inputs/README.md says
what each finds.

A kind is a function that yields triples: (n, x, y) for mont_mul, (n, x, e) for
mod_exp. The expected result is Python's own arithmetic. R is 2^width; a limb
has 32 bits. Everything is drawn in the order in which it stands here: another
order is other vectors.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import gcd
from typing import TypeVar

from harness.operands import Call, power, product

T = TypeVar("T")
Triple = tuple[int, int, int]
Triples = Iterator[Triple]

# Rabin-Miller with these bases is a proof of primality below 3.3e24, hence for 64 bits and more.
BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
ONES = 0xFFFFFFFF  # a limb


# ---- random numbers and primes from a seed, the same on every Python


def until(draw: Callable[[], T], right: Callable[[T], bool]) -> T:
    """Return the first thing drawn that is right."""
    thing = draw()
    while not right(thing):
        thing = draw()
    return thing


class Stream:
    """The numbers drawn from SHA-256(name || 0), SHA-256(name || 1), ...:
    the standard library does not promise to keep its own generators'
    methods as they are."""

    def __init__(self, name: str) -> None:
        """Make a source of numbers: every name is a stream of its own, so that
        one can grow without moving another."""
        self._name = name.encode("ascii")
        self._counter = 0

    def bits(self, count: int) -> int:
        """Return a number below 2^count: the leading bits of as many digests as that takes."""
        digests = b""
        while 8 * len(digests) < count:
            counter = self._counter.to_bytes(8, "big")
            digests += hashlib.sha256(self._name + counter).digest()
            self._counter += 1
        return int.from_bytes(digests, "big") >> (8 * len(digests) - count)

    def between(self, low: int, high: int) -> int:
        """Return a number with low <= number < high, without bias. Needs low < high."""
        size = high - low
        return low + until(lambda: self.bits(size.bit_length()), size.__gt__)

    def below(self, high: int) -> int:
        """Return a number with 0 <= number < high."""
        return self.between(0, high)

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.below(len(options))]

    def odd(self, width: int) -> int:
        """Return an odd number of exactly `width` bits. Needs width >= 2."""
        return self.bits(width) | 1 << (width - 1) | 1

    def unit(self, n: int) -> int:
        """Return a number in [1, n) that has an inverse modulo n. Needs n >= 2."""
        return until(lambda: self.between(1, n), lambda number: gcd(number, n) == 1)

    def prime(self, width: int) -> int:
        """Return a prime of exactly `width` bits whose two highest bits are set.

        The product of two of them has exactly 2 * width bits. Needs width >= 4.
        """
        return until(lambda: self.odd(width) | 1 << (width - 2), is_prime)


def is_prime(number: int) -> bool:
    """Return whether the number is prime; a proof below 2^81."""
    if number < 2 or any(number % base == 0 for base in BASES):
        return number in BASES
    return all(may_be_prime(number, base) for base in BASES)


def may_be_prime(number: int, base: int) -> bool:
    """Return whether an odd number passes Rabin-Miller's test with this base.

    With number - 1 = odd 2^twos, base^odd is 1, or one of base^odd and its
    squares, twos numbers in all, is -1.
    """
    odd = number - 1
    twos = 0
    while odd % 2 == 0:
        odd //= 2
        twos += 1
    power = pow(base, odd, number)
    if power == 1:
        return True
    for _ in range(twos):
        if power == number - 1:
            return True
        power = power * power % number
    return False


Kind = Callable[[Stream, int], Triples]


# ---- numbers that a mistake stumbles over

EDGES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, ONES)


def assorted(s: Stream, width: int, i: int) -> int:
    """Return the i-th of moduli of every shape that a representation may stumble over."""
    top = width - 32  # the lowest bit of the top limb
    shape = i % 8
    if shape == 1:  # the top limb is all ones
        return ONES << top | s.bits(top) | 1
    if shape == 2:  # the top limb is 2^31
        return 1 << (width - 1) | s.bits(top) | 1
    if shape == 3:  # one bit less than the full width
        return s.odd(width - 1)
    if shape == 5:  # the top limb is 1
        return s.odd(top + 1)
    if shape == 6:  # the top limb is 0
        return s.odd(top)
    if shape == 7:
        return s.odd(s.between(2, width + 1))
    return s.odd(width)


def edges(s: Stream, width: int) -> int:
    """Return a number whose limbs are all edges."""
    return sum(s.choice(EDGES) << at for at in range(0, width, 32))


def edges_below(s: Stream, width: int, n: int) -> int:
    """Return such a number below n."""
    return until(lambda: edges(s, width), n.__gt__)


def edge_modulus(s: Stream, width: int) -> int:
    """Return such a number that is odd and at least 3."""
    return until(lambda: edges(s, width), lambda n: n % 2 == 1 and n >= 3)


def giving(s: Stream, width: int, n: int, z: int) -> Triple:
    """Return operands of n with the product z = x y R^-1 mod n: y is a
    random unit, and x = z R y^-1."""
    y = s.unit(n)
    x = (z << width) * pow(y, -1, n) % n
    return n, x, y


def below_in_low_limbs(s: Stream, n: int, low: int) -> int:
    """Return a z < n that shares all bits from `low` up with n."""
    return n - 1 - s.below(n % 2**low)


def above_in_low_limbs(s: Stream, n: int, low: int) -> int:
    """Return a z < n for which z + n shares all bits from `low` up with n:
    only the limbs below that bit tell the accumulator z + n from n."""
    return s.below(2**low - n % 2**low) % n


# ---- mont_mul


def mont_random(s: Stream, width: int) -> Triples:
    """Yield random operands of full moduli, which by themselves find only coarse mistakes."""
    for _ in range(1000):
        n = s.odd(width)
        yield n, s.below(n), s.below(n)


def mont_zero(s: Stream, width: int) -> Triples:
    """Yield operands of 0, and products of zero divisors, whose accumulator ends at n, not at 0."""
    for i in range(16):
        n = assorted(s, width, i)
        yield n, 0, s.below(n)
        yield n, s.below(n), 0
        yield n, 0, 0
    for _ in range(80):
        size = s.between(2, width - 1)
        p = s.odd(size)
        q = s.odd(width - size)
        n = p * q  # of `width` bits or one less
        yield n, p * s.between(1, q), q * s.between(1, p)


def mont_one(s: Stream, width: int) -> Triples:
    """Yield products that are 1, R mod n or an operand: into the Montgomery domain and out."""
    for i in range(24):
        n = assorted(s, width, i)
        r = 2**width % n
        x = s.below(n)
        yield n, 1, 1
        yield n, 1, r * r % n
        yield n, r, 1
        yield n, x, r
        yield giving(s, width, n, 1)


def mont_largest(s: Stream, width: int) -> Triples:
    """Yield the largest moduli and operands: t + y + n passes 2^width in every round."""
    for n in range(2**width - 1, 2**width - 21, -2):
        largest = n - 1
        second = n - 2
        yield n, largest, largest
        yield n, second, largest
        yield n, second, second
        yield n, n // 2, largest
        yield n, largest, s.below(n)
        yield n, s.below(n), largest


def mont_n_minus_1(s: Stream, width: int) -> Triples:
    """Yield operands of n - 1, the largest of every modulus."""
    for i in range(32):
        n = assorted(s, width, i)
        largest = n - 1
        yield n, largest, largest
        yield n, largest, 1
        yield n, largest, 2**width % n
        yield n, largest, s.below(n)
        yield n, s.below(n), largest


def mont_just_below(s: Stream, width: int) -> Triples:
    """Yield results n - 1 - k for small k, found by dividing them by y."""
    for i in range(400):
        n = assorted(s, width, i)
        k = i // 8 % 16
        if i >= 256:
            k = s.bits(s.choice((8, 16, 24, 31)))
        yield giving(s, width, n, n - 1 - k % n)


def mont_same_top(s: Stream, width: int) -> Triples:
    """Yield accumulators and operands that share the top limb, two or three with n."""
    for low in range(32, width, 32):
        for i in range(40):
            if i % 2:
                n = s.odd(width)
            else:
                n = assorted(s, width, 1 + i // 2 % 3)
            z = below_in_low_limbs(s, n, low)
            yield giving(s, width, n, z)
            z = above_in_low_limbs(s, n, low)
            yield giving(s, width, n, z)
            x = below_in_low_limbs(s, n, low)
            y = below_in_low_limbs(s, n, low)
            yield n, x, y
            x = below_in_low_limbs(s, n, low)
            yield n, x, s.below(n)


def mont_equal_limb(s: Stream, width: int) -> Triples:
    """Yield accumulators with a middle limb equal to that of n, through which
    a borrow must ripple.

    That limb of the result is all ones, and those below carry into it when
    n is added.  Two limbs have none in the middle, hence width 64 no such
    vector.
    """
    for at in range(32, width - 32, 32):
        for i in range(40):
            n = assorted(s, width, i % 3)
            below = s.below(n % 2**at)
            z = ONES << at | 2**at - 1 - below
            yield giving(s, width, n, z % n)


def three_of(s: Stream, width: int, n: int) -> Triples:
    """Yield the largest operands of n, a result just below n and a random product."""
    largest = n - 1
    yield n, largest, largest
    k = s.below(min(n, 4))
    yield giving(s, width, n, largest - k)
    x = s.below(n)
    y = s.below(n)
    yield n, x, y


def mont_all_ones(s: Stream, width: int) -> Triples:
    """Yield operands of every modulus 2^w - 1, whose limbs are all ones."""
    for w in range(2, width + 1):
        yield from three_of(s, width, 2**w - 1)


def mont_power_plus_1(s: Stream, width: int) -> Triples:
    """Yield operands of every modulus 2^k + 1, which is nearly all zeros."""
    for k in range(1, width):
        yield from three_of(s, width, 2**k + 1)


def mont_one_limb(s: Stream, width: int) -> Triples:
    """Yield all operands of n = 3, 5 and 7, and larger moduli below 2^32."""
    for n in (3, 5, 7):
        for x in range(n):
            for y in range(n):
                yield n, x, y
    moduli = [ONES, 0xFFFFFFFD, 0x80000001, 0x80000003, 0x7FFFFFFF, 0x10001, 0xFFFF]
    moduli += [s.odd(s.between(4, 33)) for _ in range(28)]
    for n in moduli:
        yield from three_of(s, width, n)
        yield giving(s, width, n, s.below(3))


def mont_every_width(s: Stream, width: int) -> Triples:
    """Yield operands of moduli of every number of bits."""
    for w in range(2, width + 1):
        yield from three_of(s, width, s.odd(w))
        yield giving(s, width, s.odd(w), s.below(3))


def mont_aliasing(s: Stream, width: int) -> Triples:
    """Yield operands for calls with z = x, z = y and, when equal, x = y."""
    for i in range(48):
        n = assorted(s, width, i)
        x = s.below(n)
        yield n, x, x
        yield n, s.below(n), s.below(n)
        yield giving(s, width, n, n - 1)


def mont_edge_limbs(s: Stream, width: int) -> Triples:
    """Yield moduli, operands and results whose limbs are all edges: carries
    and borrows that ripple."""
    for i in range(540):
        n = edge_modulus(s, width)
        x = edges_below(s, width, n)
        if i < 400:
            yield n, x, edges_below(s, width, n)
        else:
            yield giving(s, width, n, x)


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


# ---- mod_exp: few, for the slowest snapshots need some 25 million instructions for one of them


def two_primes(s: Stream, width: int, i: int) -> tuple[int, int]:
    """Return different primes p, q whose product has exactly `width` bits, 64
    or more, and starts with ones if i is odd."""
    p = q = 0
    while p == q:
        p = s.prime(width // 2)
        q = s.prime(width // 2)
        if i % 2:
            p = prime_of_ones(s, width)
            q = prime_of_ones(s, width)
    return p, q


def prime_of_ones(s: Stream, width: int) -> int:
    """Return a prime of width / 2 bits of which some three quarters, the highest, are ones."""
    ones = (1 << width // 2) - 1
    number = ones - s.bits(width // 8)
    while not is_prime(number):
        number -= 1
    return number


def root(s: Stream, p: int, q: int, z: int) -> Triple:
    """Return the modulus n = p q, an x and a random e with x^e = z mod n. Needs gcd(z, n) = 1.

    e is a unit modulo (p - 1)(q - 1), and its inverse takes z to x.
    """
    n = p * q
    order = (p - 1) * (q - 1)
    e = s.unit(order)
    return n, pow(z, pow(e, -1, order), n), e


def root_of_form(s: Stream, width: int, p: int, q: int, form: int) -> Triple:
    """Return the same for the z that has this Montgomery form, z R mod n."""
    n = p * q
    return root(s, p, q, form * pow(2**width, -1, n) % n)


def full(s: Stream, width: int) -> Triple:
    """Return a modulus and an exponent of exactly this width, and any x."""
    n = s.odd(width)
    x = s.below(n)
    return n, x, s.bits(width) | 1 << (width - 1)


def power_of(s: Stream, width: int, n: int) -> Triple:
    """Return a random operand and a random exponent of this modulus."""
    return n, s.below(n), s.bits(width)


def exp_random(s: Stream, width: int) -> Triples:
    """Yield moduli and exponents of the full width."""
    for _ in range(30):
        yield full(s, width)


def exp_zero(s: Stream, width: int) -> Triples:
    """Yield x = 0, with 0^0 = 1, and operands of which a power is a multiple of n."""
    n = s.odd(width)
    third = width // 3
    yield n, 0, 0
    yield n, 0, 1
    yield n, 0, s.bits(width)
    yield 9, 3, s.bits(width)
    for _ in range(2):
        p = s.odd(third)
        q = s.odd(third)
        yield p * p * q, p * q * s.between(1, p), 2 + s.bits(third)


def exp_one(s: Stream, width: int) -> Triples:
    """Yield x = 1, x = R^-1, whose Montgomery form is 1, and an exponent that
    takes every unit to 1."""
    for i in range(2):
        n = assorted(s, width, i)
        yield n, 1, s.bits(width)
        inverse_of_r = pow(2**width, -1, n)
        yield n, inverse_of_r, s.bits(width)
        p, q = two_primes(s, width, i)
        n = p * q
        order = (p - 1) * (q - 1)
        yield n, s.unit(n), order


def exp_largest(_: Stream, width: int) -> Triples:
    """Yield the largest operands and exponent of the two largest moduli."""
    most = 2**width - 1
    for n in (most, most - 2):
        yield n, n - 1, most
        yield n, n - 2, most


def exp_n_minus_1(s: Stream, width: int) -> Triples:
    """Yield an odd and an even power of n - 1: n - 1 and 1."""
    for i in range(3):
        n = assorted(s, width, i)
        e = s.bits(width) | 1
        yield n, n - 1, e
        yield n, n - 1, e - 1


def exp_just_below(s: Stream, width: int) -> Triples:
    """Yield results n - 1 - k and results with the Montgomery form n - 1 - k, found by roots."""
    for i in range(12):
        k = i // 4
        p, q = two_primes(s, width - 4 * k, i)
        z = p * q - 1 - k
        if i // 2 % 2:
            yield root(s, p, q, z)
        else:
            yield root_of_form(s, width, p, q, z)


def exp_same_top(s: Stream, width: int) -> Triples:
    """Yield results whose Montgomery form brings the accumulator next to n, as for mont_mul."""
    lower_limbs = width // 32 - 1
    for i in range(12):
        p, q = two_primes(s, width, i)
        n = p * q
        low = width - 32 * (1 + i // 4 % lower_limbs)
        near = above_in_low_limbs if i // 2 % 2 else below_in_low_limbs
        form = 0
        while gcd(form, n) != 1:
            form = near(s, n, low)
        yield root_of_form(s, width, p, q, form)


def exp_all_ones(s: Stream, width: int) -> Triples:
    """Yield powers of moduli 2^k - 1, k around the ends of limbs."""
    ends = [2, 3, 8, 31, 32, 33]
    ends += [width // 2, width - 33]
    ends += [width - 1, width]
    for k in ends:
        yield power_of(s, width, 2**k - 1)


def exp_power_plus_1(s: Stream, width: int) -> Triples:
    """Yield powers of moduli 2^k + 1, k around the ends of limbs."""
    ends = [1, 2, 15, 16, 31, 32, 33]
    ends += [width // 2, width - 33, width - 32]
    ends += [width - 2, width - 1]
    for k in ends:
        yield power_of(s, width, 2**k + 1)


def exp_one_limb(s: Stream, width: int) -> Triples:
    """Yield the largest operands of moduli below 2^32."""
    moduli = (3, 3, 5, 7, 0x10001, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFB, ONES)
    for n in (*moduli, s.odd(32)):
        k = s.below(min(n, 3))
        x = n - 1 - k
        yield n, x, s.bits(width)


def exp_every_width(s: Stream, width: int) -> Triples:
    """Yield moduli and exponents of every ninth number of bits."""
    for w in (*range(2, width, 9), width):
        yield full(s, w)


def exp_aliasing(s: Stream, width: int) -> Triples:
    """Yield operands for calls with z = x."""
    for i in range(8):
        yield power_of(s, width, assorted(s, width, i))


def exp_edge_limbs(s: Stream, width: int) -> Triples:
    """Yield moduli, operands and exponents whose limbs are all edges."""
    for _ in range(14):
        n = edge_modulus(s, width)
        yield n, edges_below(s, width, n), edges(s, width)


def exp_fixed(s: Stream, width: int, e: int) -> Triples:
    """Yield powers with one exponent: of a random operand for each of three moduli, for the last
    also of n - 1 and of 0, and of 2 for n = 3."""
    for i in (1, 2, 3):
        n = assorted(s, width, i)
        yield n, s.below(n), e
    yield n, n - 1, e
    yield n, 0, e
    yield 3, 2, e


def exp_into_domain(s: Stream, width: int) -> Triples:
    """Yield x whose way into the Montgomery domain, x R^2 R^-1, brings the
    accumulator past R, and in every third vector only past n.  A product
    for which a program has code of its own does that in one of 16 random
    vectors, and there is one such product in a power."""
    r = 2**width
    for i in range(12):
        past_r = i % 3 != 0
        while True:
            n = s.odd(width)
            x = s.below(n)
            t = accumulator(x, r * r % n, n, r)
            if t >= n and (t >= r) == past_r:
                break
        yield n, x, s.bits(width)


def accumulator(x: int, y: int, n: int, r: int) -> int:
    """Return t = (x y + q n) / R before the final subtraction, q = -x y n^-1 mod R."""
    q = -x * y * pow(n, -1, r) % r
    return (x * y + q * n) // r


def mod_exp_kinds(width: int) -> dict[str, Kind]:
    """Return every kind of mod_exp vector; the name of one exponent depends on the width."""
    return {
        "random": exp_random,
        "zero": exp_zero,
        "one": exp_one,
        "largest": exp_largest,
        "n-1": exp_n_minus_1,
        "just-below-n": exp_just_below,
        "same-top-limb": exp_same_top,
        "all-ones": exp_all_ones,
        "2^k+1": exp_power_plus_1,
        "one-limb": exp_one_limb,
        "every-width": exp_every_width,
        "aliasing": exp_aliasing,
        "edge-limbs": exp_edge_limbs,
        "exp-0": partial(exp_fixed, e=0),
        "exp-1": partial(exp_fixed, e=1),
        f"exp-2^{width - 1}": partial(exp_fixed, e=2 ** (width - 1)),
        "exp-largest": partial(exp_fixed, e=2**width - 1),
        "into-domain": exp_into_domain,
    }


def calls(
    operation: str, width: int, seed: str = "", most: int = 1_000_000
) -> Iterator[Call]:
    """Yield the calls of mont_mul or mod_exp with numbers below 2^width (64
    bits or more), kind after kind: those of data/inputs or, of another
    `seed`, others; of each kind no more than `most`."""
    multiplies = operation == "mont_mul"
    kinds = MONT_MUL if multiplies else mod_exp_kinds(width)
    for kind, draw in kinds.items():
        triples = list(draw(Stream(f"{seed}width-{width} {operation} {kind}"), width))
        step = max(1, -(-len(triples) // most))
        for i in range(0, len(triples), step):
            where = f"drawn with seed {seed}: {operation} {kind} {i}"
            if multiplies:
                yield product(*triples[i], width, kind, where)
            else:
                yield power(*triples[i], kind, where)
