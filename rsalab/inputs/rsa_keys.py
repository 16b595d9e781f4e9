"""Random numbers, primes and RSA keys from a seed, the same on every Python.

`python3 -m rsalab.inputs.rsa_keys [--out ROOT]` writes keys of two studies: data/inputs/rsa-keys
for studies/width-1024, and in studies/width-96/keys the five that take the place of Lee's, with a
message each.  Every seed is public, so nothing may ever be protected with them.

Lee 2021 §5 says of its test keys that three have 95 bits, one 48 and one 96, and prints none.
What its call graph counts fixes sums over them, and these keys have the same sums: exponents of
665 bits together, 304 of them set, and 90,551 rounds if a product had as many as its modulus has
bits.  The study's README.md derives the three numbers.
"""

import argparse
import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from math import gcd
from pathlib import Path
from typing import TypeVar

from harness.operands import Key
from records.faults import command_line
from records.files import replace
from records.ladder import ROOT

T = TypeVar("T")
F4 = 65537
SIZES = (512, 1024, 2048)  # bits of the modulus of studies/width-1024
# Lee's: bits of p, q, n, e and d, and how many bits of e and d are set together.
SHAPES = {
    "95a": (47, 48, 95, 71, 95, 76),
    "95b": (47, 48, 95, 71, 95, 76),
    "95c": (47, 48, 95, 72, 95, 76),
    "48": (24, 24, 48, 17, 48, 25),
    "96": (48, 48, 96, 5, 96, 51),
}
FIXED = {17: F4, 5: 17}  # exponents so short are Fermat's primes

# Rabin-Miller with these bases is a proof of primality below 3.3e24, hence for 64 bits and more.
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


def until(draw: Callable[[], T], right: Callable[[T], bool]) -> T:
    """The first thing drawn that is right."""
    while not right(thing := draw()):
        pass
    return thing


class Stream:
    """The numbers drawn from SHA-256(name || 0), SHA-256(name || 1), ...: the standard library does
    not promise to keep its own generators' methods as they are."""

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

    def key(
        self, p_bits: int, q_bits: int, exponent: Callable[[], int], fits: Callable[[Key], bool]
    ) -> Key:
        """The first RSA key with primes of these sizes and such an exponent that fits; q < p."""
        while True:
            p, q, e = self.prime(p_bits), self.prime(q_bits), exponent()
            phi = (p - 1) * (q - 1)
            if p != q and gcd(e, phi) == 1:
                key = Key(p * q, e, pow(e, -1, phi), max(p, q), min(p, q))
                if fits(key):
                    return key


def is_prime(number: int) -> bool:
    """Whether the number is prime; a proof below 2^81."""
    if number < 2 or any(number % base == 0 for base in _BASES):
        return number in _BASES
    twos = (number - 1 & 1 - number).bit_length() - 1
    for base in _BASES:
        powers = (pow(base, number - 1 >> i, number) for i in range(twos, 0, -1))
        if next(powers) not in (1, number - 1) and number - 1 not in powers:
            return False
    return True


def make_key(bits: int, name: str = "test key") -> Key:
    """The first key of this size in the stream of its name, e = 65537. `bits` is a multiple of
    64."""
    return Stream(f"rsa {name} {bits}").key(bits // 2, bits // 2, lambda: F4, lambda _: True)


def lee_key(name: str) -> Key:
    """The first key of its shape in the stream of its name."""
    p, q, n, e, d, ones = SHAPES[name]
    s = Stream(f"width-96 lee {name}")

    def fits(key: Key) -> bool:
        sizes = key.n.bit_length(), key.d.bit_length()
        return sizes == (n, d) and key.e.bit_count() + key.d.bit_count() == ones

    return s.key(p, q, lambda: FIXED.get(e) or s.odd(e), fits)


def write_lines(path: Path, lines: Iterable[object], maker: str = "rsalab.inputs.rsa_keys") -> None:
    """Writes the lines after a comment that says where they come from.  Raises OSError."""
    replace(path, "".join(f"{line}\n" for line in (f"# generated by python3 -m {maker}", *lines)))


def key_lines(key: Key, fields: int = 3) -> list[str]:
    """What a key's file says: its first numbers."""
    return [f"{name} {number:x}" for name, number in [*key._asdict().items()][:fields]]


def write(root: Path) -> None:
    """Writes the keys of both studies.  Raises OSError."""
    for bits in SIZES:
        lines = ["# TEST KEY of a public seed", *key_lines(make_key(bits), 5)]
        write_lines(root / f"data/inputs/rsa-keys/{bits}.txt", lines)
    for name in SHAPES:
        key, folder = lee_key(name), root / f"studies/width-96/keys/key-{name}"
        message = Stream(f"width-96 lee {name} message").below(key.n)
        write_lines(folder / "key.txt", key_lines(key))
        write_lines(folder / "message.txt", [f"{message:x} {pow(message, key.e, key.n):x}"])


def main(write: Callable[[Path], None]) -> int:
    """The command line of all that writes inputs: [--out ROOT]."""
    parser = argparse.ArgumentParser(description="Writes inputs, the same bytes on every run.")
    parser.add_argument("--out", type=Path, default=ROOT, help="default: the repository's root")
    out = parser.parse_args().out
    return command_line("inputs", lambda: write(out))


if __name__ == "__main__":
    sys.exit(main(write))
