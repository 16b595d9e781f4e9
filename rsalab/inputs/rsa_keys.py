"""Writes the RSA test keys of studies/width-1024: `python3 -m rsalab.inputs.rsa_keys [--out DIR]`.

The seed is public, so nothing may ever be protected with them.
"""

import sys
from math import gcd
from pathlib import Path

from harness.operands import Key
from rsalab.inputs.__main__ import DEFAULT_OUT, F4, key_lines, main, write_lines
from rsalab.inputs.seeded import Stream

KEYS = DEFAULT_OUT / "rsa-keys"
SIZES = (512, 1024, 2048)  # bits of n
MAKER = "python3 -m rsalab.inputs.rsa_keys"


def make_key(bits: int, name: str = "test key") -> Key:
    """The first key of this size in the stream of its name, e = 65537.  `bits` is a multiple of 64.
    The primes are found by Rabin and Miller's test."""
    s = Stream(f"rsa {name} {bits}")
    while True:
        p, q = s.prime(bits // 2), s.prime(bits // 2)
        phi = (p - 1) * (q - 1)
        if p != q and gcd(F4, phi) == 1:
            return Key(p * q, F4, pow(F4, -1, phi), max(p, q), min(p, q))


def write(out: Path) -> None:
    """Write the keys.  Raises OSError."""
    for bits in SIZES:
        lines = ["# TEST KEY of a public seed", *key_lines(make_key(bits))]
        write_lines(out / f"{bits}.txt", lines, MAKER)


if __name__ == "__main__":
    sys.exit(main(write, KEYS))
