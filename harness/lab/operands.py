"""Operands for the exercises: the committed vectors, and others that are drawn for each run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import gcd
from pathlib import Path

from harness.count.unicorn.calls import Call
from harness.mutants.vectors import committed, number
from records.files import replace

Vector = tuple[str, Call]  # the name of its kind, and the call
POWERS = 20  # of the committed vectors of mod_exp, which are slow: one or two of each kind
TRIPS = 2  # round trips that are counted, each of them two exponentiations


def product(n: int, x: int, y: int, width: int) -> Call:
    """A call of mont_mul."""
    return Call("mont_mul", n, x, y, x * y * pow(1 << width, -1, n) % n)


def power(n: int, x: int, e: int) -> Call:
    """A call of mod_exp."""
    return Call("mod_exp", n, x, e, pow(x, e, n))


def drawn(width: int, source: random.Random) -> list[Vector]:
    """Vectors of the kinds that find mistakes, anew for each run: products, then powers."""
    r = 1 << width
    made = [(kind, product(n, x, y, width)) for kind, n, x, y in _products(width, source)]
    exponents = {"0": 0, "1": 1, f"2^{width - 1}": r >> 1, "largest": r - 1}
    for name, e in [*exponents.items(), ("drawn", source.getrandbits(width))]:
        for n in (r - 1, _odd(width, source), _odd(source.randint(3, width), source)):
            made.append((f"exp-{name}", power(n, number(source, width, n), e)))
    return made


def _odd(bits: int, source: random.Random) -> int:
    return source.getrandbits(bits) | 1 << (bits - 1) | 1


def _products(width: int, source: random.Random) -> Iterator[tuple[str, int, int, int]]:
    """(kind, n, x, y); the kinds are those of data/inputs/README.md."""
    r = 1 << width
    for _ in range(40):
        n = _odd(width, source)
        yield "random", n, source.randrange(n), source.randrange(n)
        yield "n-1", n, n - 1, n - 1 - source.randrange(3)
        yield "zero", n, 0, source.randrange(n)
        yield "one", n, 1, source.randrange(n)
        n = r - 1 - 2 * source.randrange(100)
        yield "largest", n, n - 1 - source.randrange(3), n - 1 - source.randrange(3)
        n = _odd(source.choice((width, width, width - 1, source.randint(2, width))), source)
        yield "aliasing", n, number(source, width, n), number(source, width, n)
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
        p, q = (_odd(bits, source) | 1 for bits in (width // 2, source.randint(3, width // 2)))
        yield "zero", p * q, p * source.randrange(1, q), q * source.randrange(1, p)
    for bits in range(2, width + 1):
        for kind, n in (
            ("all-ones", (1 << bits) - 1),
            ("2^k+1", (1 << bits - 1) + 1),
            ("every-width", _odd(bits, source)),
        ):
            yield kind, n, n - 1, n - 1
            yield kind, n, number(source, width, n), number(source, width, n)


def _near(n: int, width: int, source: random.Random) -> int:
    """A number below n with a limb of ones, through which a borrow has to ripple."""
    at = source.randrange(32, width, 32) if width > 32 else 0
    return (source.getrandbits(width) | 0xFFFFFFFF << at) % n


def _unit(n: int, source: random.Random) -> int:
    while gcd(y := source.randrange(1, n), n) != 1:
        pass
    return y


def known(width: int) -> list[Vector]:
    """The committed vectors, of mod_exp only a few; none where the width has none."""
    try:
        found = committed(width)
    except FileNotFoundError:
        return []
    products = [vector for vector in found if vector[1].function == "mont_mul"]
    powers = [vector for vector in found if vector[1].function == "mod_exp"]
    return products + powers[:POWERS]


def to_count(width: int, source: random.Random) -> list[Vector]:
    """Exponentiations with exponents of full length, as in the round trips of the tables."""
    made = []
    for _ in range(2 * TRIPS):
        n, e = _odd(width, source), source.getrandbits(width) | 1 << (width - 1)
        made.append(("counted", power(n, source.randrange(n), e)))
    return made


def write(path: Path, vectors: list[Vector]) -> None:
    """A file of vectors as the driver reads them (data/inputs/README.md)."""
    lines = [
        f"{call.function} {kind} {call.n:x} {call.x:x} {call.y:x} {call.z:x}\n"
        for kind, call in vectors
    ]
    replace(path, "".join(lines))


def ask(path: Path, vectors: list[Vector], width: int) -> None:
    """The same as questions for answer.c, without their answers."""
    lines = []
    for _, call in vectors:
        size = width // 8
        numbers = call.modulus(size) + b"".join(
            v.to_bytes(size, "little") for v in (call.x, call.y)
        )
        limbs = (numbers[i : i + 4][::-1].hex() for i in range(0, len(numbers), 4))
        lines.append(f"{call.function} {' '.join(limbs)}\n")
    replace(path, "".join(lines))


def answers(path: Path) -> list[int]:
    """What answer.c has written: as many numbers as it came to."""
    text = path.read_text(encoding="ascii") if path.exists() else ""
    found = []
    for line in text.splitlines():
        limbs = [int(limb, 16) for limb in line.split()]
        found.append(sum(limb << 32 * i for i, limb in enumerate(limbs)))
    return found
