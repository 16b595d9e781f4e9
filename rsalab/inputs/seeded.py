"""Random numbers and primes from a seed, the same on every Python.

The standard library promises to keep `random.random()` as it is, but not `randrange` or `choice`; a
stream of SHA-256 digests is fixed by its definition.
"""

import hashlib
from collections.abc import Callable, Sequence
from math import gcd
from typing import TypeVar

T = TypeVar("T")

# Rabin-Miller with these bases is a proof of primality below 3.3e24, hence for 64 bits and more.
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


def until(draw: Callable[[], T], right: Callable[[T], bool]) -> T:
    """The first thing drawn that is right."""
    while True:
        if right(thing := draw()):
            return thing


class Stream:
    """The numbers drawn from SHA-256(name || 0), SHA-256(name || 1), ..."""

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
    if number < 2 or any(number % base == 0 for base in _BASES):
        return number in _BASES
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in _BASES:
        power = pow(base, odd, number)
        if power not in (1, number - 1) and all(
            pow(power, 2**i, number) != number - 1 for i in range(1, twos)
        ):
            return False
    return True
