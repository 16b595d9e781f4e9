"""Writes the five keys that take the place of Lee's, with a message each.

    python3 -m rsalab.inputs.lee_keys [--out DIR]

Lee 2021 §5 says of its test keys that three have 95 bits, one 48 and one 96, and prints none.
What its call graph counts fixes sums over them, and these keys have the same sums: exponents of
665 bits together, 304 of them set, and 90,551 rounds if a product had as many as its modulus has
bits.  The study's README.md derives the three numbers.
"""

import sys
from math import gcd
from pathlib import Path
from typing import NamedTuple

from harness.operands import Key
from records.ladder import ROOT
from rsalab.inputs.__main__ import F4, key_lines, main, write_lines
from rsalab.inputs.seeded import Stream

KEYS = ROOT / "studies" / "width-96" / "keys"
MAKER = "python3 -m rsalab.inputs.lee_keys"


class Shape(NamedTuple):
    """Bits of p and q, of n, of e and of d, and how many bits of e and d are set together."""

    primes: tuple[int, int]
    n: int
    e: int
    d: int
    ones: int


SHAPES = {
    "95a": Shape((47, 48), 95, 71, 95, 76),
    "95b": Shape((47, 48), 95, 71, 95, 76),
    "95c": Shape((47, 48), 95, 72, 95, 76),
    "48": Shape((24, 24), 48, 17, 48, 25),
    "96": Shape((48, 48), 96, 5, 96, 51),
}
FIXED = {17: F4, 5: 17}  # exponents so short are Fermat's primes


def make_key(name: str, shape: Shape) -> Key:
    """The first key of this shape in the stream of its name."""
    s = Stream(f"width-96 lee {name}")
    while True:
        p, q = (s.prime(width) for width in shape.primes)
        phi = (p - 1) * (q - 1)
        e = FIXED.get(shape.e) or s.odd(shape.e)
        if p == q or (p * q).bit_length() != shape.n or gcd(e, phi) != 1:
            continue
        d = pow(e, -1, phi)
        if d.bit_length() == shape.d and e.bit_count() + d.bit_count() == shape.ones:
            return Key(p * q, e, d)


def write(out: Path) -> None:
    """Write the keys, each with its message.  Raises OSError."""
    for name, shape in SHAPES.items():
        key = make_key(name, shape)
        message = Stream(f"width-96 lee {name} message").below(key.n)
        pair = f"{message:x} {pow(message, key.e, key.n):x}"
        write_lines(out / f"key-{name}" / "key.txt", key_lines(key), MAKER)
        write_lines(out / f"key-{name}" / "message.txt", [pair], MAKER)


if __name__ == "__main__":
    sys.exit(main(write, KEYS))
