"""The committed vectors, and random ones, as the judge reads them."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

from harness import operands
from harness.operands import Call
from records.ladder import ROOT

RANDOM = {64: (20_000, 4_000), 96: (20_000, 2_000), 128: (20_000, 400)}  # mont_mul, mod_exp


def files(width: int) -> list[Path]:
    """The files of vectors for a width."""
    folder = ROOT / "data" / "inputs" / f"width-{width}" / "vectors"
    return [folder / "mont_mul.txt", folder / "mod_exp.txt"]


def committed(width: int) -> list[Call]:
    """Every vector: mont_mul first, and of each function one of every kind in turn, because a kind
    that finds a mutant mostly does so with any of its vectors."""
    found = []
    for path in files(width):
        kinds: dict[str, list[Call]] = {}
        for call in operands.vectors(path):
            kinds.setdefault(call.kind, []).append(call)
        found += [v for turn in zip_longest(*kinds.values()) for v in turn if v is not None]
    return found


def drawn(width: int, seed: str) -> list[Call]:
    """Random calls."""
    return operands.drawn(width, seed, RANDOM[width])


def packed(calls: list[Call], width: int) -> bytes:
    """Calls as an array of judge.c's struct vector."""
    size = width // 8

    def one(call: Call) -> bytes:
        power, aliasing = call.function == "mod_exp", call.kind == "aliasing"
        head = power.to_bytes(4, "little") + aliasing.to_bytes(4, "little")
        numbers = (v.to_bytes(size, "little") for v in (call.x, call.y, call.z))
        return b"".join([head, call.modulus(size), *numbers])

    return b"".join(map(one, calls))
