"""What is counted of studies/width-1024: each operation with its name in operations.csv."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from harness.long.keys import KEYS, read_key
from harness.long.vectors import (
    LARGEST_WINDOW,
    LIMB,
    METHODS,
    SIZES,
    Setting,
    levels,
    mod_exp,
    mont_mul,
    mont_sqr,
)
from records.ladder import EVERY_LEVEL
from records.rows import Row, word_fault

FILE = "operations.csv"
PRODUCT, SQUARE, POWER, PRIVATE = "product", "square", "power", "private"
RANDOM = "random"
PATTERNS = ("0x55..55", "0xff..ff", "0x80..01")
# The three ways of Markovic, Unkasevic and Djordjevic's Table 4, and one in constant time: levels
# of Karatsuba's method, whether squares are computed as such, and the kind of windows.
WAYS = {
    "product": (0, False, "sliding"),
    "square": (0, True, "sliding"),
    "karatsuba": (1, True, "sliding"),
    "constant-time": (0, True, "fixed"),
}

COLUMNS: dict[str, tuple[str, ...]] = {
    "implementation": ("assembly", "plain"),
    "level": EVERY_LEVEL,
    "operation": (PRODUCT, SQUARE, POWER, PRIVATE),
    "bits": tuple(map(str, SIZES)),
    "operands": (RANDOM, *PATTERNS),
    "unit": ("instructions", "mispredictions"),
}


class Operation(NamedTuple):
    """An operation of operations.csv, and the driver's line that makes it once."""

    operation: str
    bits: int
    operands: str
    way: str
    line: str


def patterns(bits: int) -> dict[str, int]:
    """The operands of the source's Tables 1, 2 and 3."""
    ones = (1 << bits) - 1
    return dict(zip(PATTERNS, (ones // 3, ones, 1 << (bits - 1) | 1)))


def products(bits: int) -> Iterator[Operation]:
    """Montgomery products and squares of one size: the patterns modulo 2^bits - 1, and random
    operands."""
    rng = random.Random(bits)
    ones = (1 << bits) - 1
    n = rng.getrandbits(bits) | 1 << (bits - 1) | 1
    operands = {name: (ones, x, x) for name, x in patterns(bits).items()}
    operands[RANDOM] = n, rng.randrange(n), rng.randrange(n)
    for level in levels(bits // LIMB):
        at = Setting(bits // LIMB, level)
        for name, (modulus, x, y) in operands.items():
            yield Operation(PRODUCT, bits, name, f"levels-{level}", mont_mul(at, modulus, x, y))
            yield Operation(SQUARE, bits, name, f"levels-{level}", mont_sqr(at, modulus, x))


def powers(bits: int) -> Iterator[Operation]:
    """Powers with an exponent of full width, by every method and window."""
    rng = random.Random(bits)
    n = rng.getrandbits(bits) | 1 << (bits - 1) | 1
    x, e = rng.randrange(n), rng.getrandbits(bits) | 1 << (bits - 1)
    for method in METHODS:
        for window in range(1, LARGEST_WINDOW + 1) if method != "binary" else (1,):
            at = Setting(bits // LIMB, method=method, window=window)
            yield Operation(POWER, bits, RANDOM, f"{method}-{window}", mod_exp(at, n, x, e))


def private(bits: int) -> Iterator[Operation]:
    """The private operation with the test key of a size, plain and by the Chinese remainder
    theorem, in all WAYS."""
    key = read_key(KEYS / f"{bits}.txt")
    x = random.Random(bits).randrange(key.n)
    z = f"{pow(x, key.d, key.n):x}"
    for name, (level, squares, method) in WAYS.items():
        at = Setting(key.limbs, level, squares, method)
        yield Operation(PRIVATE, bits, RANDOM, f"standard-{name}", mod_exp(at, key.n, x, key.d))
        yield Operation(PRIVATE, bits, RANDOM, f"crt-{name}", f"{key.private(at, x)} {z}")


def operations() -> list[Operation]:
    """Everything that is counted."""
    found = [one for bits in SIZES for one in products(bits)]
    for bits in SIZES[3:]:
        found += [*powers(bits), *private(bits)]
    return found


def row_fault(row: Row) -> str:
    """What is wrong with a row of operations.csv; empty if nothing."""
    return word_fault(row, COLUMNS)
