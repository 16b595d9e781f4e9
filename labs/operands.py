"""Operands for the exercises: the committed vectors, and others that are drawn for each run."""

from __future__ import annotations

import random
from collections.abc import Iterator

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
    r, below = 1 << width, source.randrange
    for _ in range(40):
        n, top, low = odd(width, source), r - 1 - 2 * below(100), below(32, width, 32)
        m = odd(source.choice((width, width, width - 1, source.randint(2, width))), source)
        p, q = (odd(bits, source) | 1 for bits in (width // 2, source.randint(3, width // 2)))
        y = pow(2, below(r), m)  # an odd modulus has its inverse
        to = r * pow(y, -1, m)  # (z to) y R^-1 = z (mod m)
        ones = source.getrandbits(width) | 0xFFFFFFFF << low  # a borrow ripples through that limb
        yield from (
            ("random", n, below(n), below(n)),
            ("n-1", n, n - 1, n - 1 - below(3)),
            ("zero", n, 0, below(n)),
            ("zero", p * q, p * below(1, q), q * below(1, p)),
            ("one", n, 1, below(n)),
            ("largest", top, top - 1 - below(3), top - 1 - below(3)),
            ("aliasing", m, spread(source, width, m), spread(source, width, m)),
            ("just-below-n", m, (m - 1 - below(16) % m) * to % m, y),
            ("equal-limb", m, ones % m * to % m, y),
            ("same-top-limb", m, m - 1 - below(1 << low) % m, m - 1 - below(1 << low) % m),
        )
    for bits in range(2, width + 1):
        moduli = {"all-ones": (1 << bits) - 1, "2^k+1": (1 << bits - 1) + 1}
        for kind, n in (moduli | {"every-width": odd(bits, source)}).items():
            yield kind, n, n - 1, n - 1
            yield kind, n, spread(source, width, n), spread(source, width, n)


def known(width: int) -> list[Call]:
    """The committed vectors, of mod_exp only a few; none where the width has none."""
    folder = ROOT / f"data/inputs/width-{width}/vectors"
    found = [call for path in sorted(folder.glob("*.txt")) for call in operands.vectors(path)]
    powers = [call for call in found if call.function == "mod_exp"]
    step = max(1, len(powers) // POWERS)
    return [call for call in found if call.function == "mont_mul"] + powers[::step]
