"""Operands for the exercises: the committed vectors, and others that are drawn for each run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import gcd

from harness import operands
from harness.operands import Call, power, product, spread
from records.ladder import ROOT

POWERS = 20  # of the committed vectors of mod_exp, which are slow: one or two of each kind


def drawn(width: int, source: random.Random) -> list[Call]:
    """Vectors of the kinds that find mistakes, anew for each run: products, then powers."""
    r = 1 << width
    made = [product(n, x, y, width, kind) for kind, n, x, y in _products(width, source)]
    exponents = {"0": 0, "1": 1, f"2^{width - 1}": r >> 1, "largest": r - 1}
    for name, e in [*exponents.items(), ("drawn", source.getrandbits(width))]:
        for n in (r - 1, odd(width, source), odd(source.randint(3, width), source)):
            made.append(power(n, spread(source, width, n), e, f"exp-{name}"))
    return made


def odd(bits: int, source: random.Random) -> int:
    """An odd number of exactly so many bits."""
    return source.getrandbits(bits) | 1 << (bits - 1) | 1


def _products(width: int, source: random.Random) -> Iterator[tuple[str, int, int, int]]:
    """(kind, n, x, y); the kinds are those of data/inputs/README.md."""
    r = 1 << width
    for _ in range(40):
        n = odd(width, source)
        yield "random", n, source.randrange(n), source.randrange(n)
        yield "n-1", n, n - 1, n - 1 - source.randrange(3)
        yield "zero", n, 0, source.randrange(n)
        yield "one", n, 1, source.randrange(n)
        n = r - 1 - 2 * source.randrange(100)
        yield "largest", n, n - 1 - source.randrange(3), n - 1 - source.randrange(3)
        n = odd(source.choice((width, width, width - 1, source.randint(2, width))), source)
        yield "aliasing", n, spread(source, width, n), spread(source, width, n)
        for kind, z in (
            ("just-below-n", n - 1 - source.randrange(16) % n),
            ("equal-limb", _near(n, width, source)),
        ):
            y = _unit(n, source)
            yield kind, n, z * r * pow(y, -1, n) % n, y
        low = source.randrange(32, width, 32)
        yield (
            "same-top-limb",
            n,
            n - 1 - source.getrandbits(low) % n,
            n - 1 - source.getrandbits(low) % n,
        )
        p, q = (odd(bits, source) | 1 for bits in (width // 2, source.randint(3, width // 2)))
        yield "zero", p * q, p * source.randrange(1, q), q * source.randrange(1, p)
    for bits in range(2, width + 1):
        for kind, n in (
            ("all-ones", (1 << bits) - 1),
            ("2^k+1", (1 << bits - 1) + 1),
            ("every-width", odd(bits, source)),
        ):
            yield kind, n, n - 1, n - 1
            yield kind, n, spread(source, width, n), spread(source, width, n)


def _near(n: int, width: int, source: random.Random) -> int:
    """A number below n with a limb of ones, through which a borrow has to ripple."""
    at = source.randrange(32, width, 32) if width > 32 else 0
    return (source.getrandbits(width) | 0xFFFFFFFF << at) % n


def _unit(n: int, source: random.Random) -> int:
    while gcd(y := source.randrange(1, n), n) != 1:
        pass
    return y


def known(width: int) -> list[Call]:
    """The committed vectors, of mod_exp only a few; none where the width has none."""
    folder = ROOT / f"data/inputs/width-{width}/vectors"
    found = [call for path in sorted(folder.glob("*.txt")) for call in operands.vectors(path)]
    powers = [call for call in found if call.function == "mod_exp"]
    step = max(1, len(powers) // POWERS)
    return [call for call in found if call.function == "mont_mul"] + powers[::step]
