"""Secrets to try: the same in every run, chosen so that a leak shows."""

from __future__ import annotations

import random
from collections.abc import Iterator

from harness.operands import Call, power, product

SECRETS = 256


def secrets(width: int) -> Iterator[int]:
    """SECRETS numbers below 2^width: 0, 1, all ones, every single bit, numbers of which half of the
    bits are 1, and random ones.  The same in every run."""
    generator = random.Random(width)
    fixed = [0, 1, (1 << width) - 1, *(1 << i for i in range(1, width))]
    yield from fixed
    for i in range(SECRETS - len(fixed)):
        half = sum(1 << bit for bit in generator.sample(range(width), width // 2))
        yield half if i % 2 else generator.getrandbits(width)


def calls(function: str, width: int) -> Iterator[Call]:
    """A call for every secret, under one modulus of the full width.  The secret is the exponent, or
    one factor; the other operand is drawn with it."""
    generator = random.Random(f"{function} {width}")
    n = 1 << (width - 1) | generator.getrandbits(width - 1) | 1
    for secret in secrets(width):
        x = generator.choice([0, 1, n - 1, generator.randrange(n), secret % n])
        if function == "mod_exp":
            yield power(n, x, secret)
        else:
            yield product(n, x, secret % n, width)
