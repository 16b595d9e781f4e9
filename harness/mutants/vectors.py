"""The committed vectors, and random ones, as the judge reads them."""

from __future__ import annotations

import random
from itertools import zip_longest
from pathlib import Path

from harness.count.unicorn.calls import Call
from records.ladder import ROOT

RANDOM = {64: (20_000, 4_000), 96: (20_000, 2_000), 128: (20_000, 400)}  # mont_mul, mod_exp


def files(width: int) -> list[Path]:
    """The files of vectors for a width."""
    folder = ROOT / "data" / "inputs" / f"width-{width}" / "vectors"
    return [folder / "mont_mul.txt", folder / "mod_exp.txt"]


def committed(width: int) -> list[tuple[str, Call]]:
    """(kind, call) of every vector: mont_mul first, and of each function one of every kind in
    turn, because a kind that finds a mutant mostly does so with any of its vectors."""
    found = []
    for path in files(width):
        kinds: dict[str, list[tuple[str, Call]]] = {}
        for line in path.read_text(encoding="ascii").splitlines():
            if line and not line.startswith("#"):
                function, kind, *numbers = line.split(" ")
                call = Call(function, *(int(number, 16) for number in numbers))
                kinds.setdefault(kind, []).append((kind, call))
        found += [v for turn in zip_longest(*kinds.values()) for v in turn if v is not None]
    return found


def drawn(width: int, seed: str) -> list[tuple[str, Call]]:
    """Random calls: numbers of any length, near their bound, or made of runs of equal bits."""
    source, r = random.Random(f"{width} {seed}"), 1 << width
    made = []
    for function, count in zip(("mont_mul", "mod_exp"), RANDOM[width]):
        for _ in range(count):
            n = max(3, number(source, width, r) | 1)
            x = number(source, width, n)
            y = number(source, width, n if function == "mont_mul" else r)
            z = x * y * pow(r, -1, n) % n if function == "mont_mul" else pow(x, y, n)
            made.append(("drawn", Call(function, n, x, y, z)))
    return made


def number(source: random.Random, width: int, below: int) -> int:
    """A number below a bound, of one of four kinds."""
    kind = source.randrange(4)
    if kind == 0:
        return source.randrange(below)
    if kind == 1:
        return source.getrandbits(source.randint(1, width)) % below
    if kind == 2:
        return below - 1 - source.getrandbits(source.randint(0, width // 3)) % below
    value = 0
    for _ in range(source.randint(1, 6)):
        length = source.randint(1, width // 2)
        value = value << length | (source.getrandbits(1) * ((1 << length) - 1))
    return value % below


def packed(vectors: list[tuple[str, Call]], width: int) -> bytes:
    """The vectors as an array of judge.c's struct vector."""
    size = width // 8

    def one(kind: str, call: Call) -> bytes:
        power, aliasing = call.function == "mod_exp", kind == "aliasing"
        head = power.to_bytes(4, "little") + aliasing.to_bytes(4, "little")
        numbers = (v.to_bytes(size, "little") for v in (call.x, call.y, call.z))
        return b"".join([head, call.modulus(size), *numbers])

    return b"".join(one(*vector) for vector in vectors)
