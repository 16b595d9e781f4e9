"""Whether the known workload costs a snapshot what any other operands would.

Everybody can read the answers of the workload, so a program could look them up instead of working
them out.  So a few calls are counted with operands that are drawn anew, whose answers nobody has
worked out before.  They may not cost more than MOST times as much as a call of the workload on
average, nor more than MOST_OF_ONE times as much as any single call.
"""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Iterator
from typing import NamedTuple

from harness.count.unicorn.calls import Call
from records.faults import Failure

# Honest work stays below 1.1 and 1.3; where a loop skips zero bits, single calls differ more.
MOST, MOST_OF_ONE = 1.25, 2
LENGTHS = {"mont_mul": 0, "mod_exp of a short exponent": 17, "mod_exp": 4096}  # bits, at most
CALLS = 2  # of each kind


class Drawn(NamedTuple):
    """What was counted: the seed, and the instructions of a call of each kind, on average."""

    seed: int
    costs: dict[str, int]


def kind(call: Call) -> str:
    """What calls a call may be compared with: of its function, the exponent as long."""
    bits = call.y.bit_length() if call.function == "mod_exp" else 0
    return next(name for name, most in LENGTHS.items() if bits <= most)


def seed() -> int:
    """A new one, or SEED of the environment.  Raises Failure."""
    text = os.environ.get("SEED") or str(secrets.randbelow(1 << 32))
    if not text.isascii() or not text.isdigit():
        raise Failure(f"SEED={text}: say a whole number, such as SEED=1")
    return int(text)


def vectors(width: int, drawn_with: int) -> Iterator[str]:
    """The lines of a file for the driver: moduli of the full width, and no answers."""
    source = random.Random(drawn_with)
    for function, length in (("mont_mul", 0), ("mod_exp", 17), ("mod_exp", width)):
        for _ in range(CALLS):
            n = 1 << (width - 1) | source.getrandbits(width - 1) | 1
            x, y = source.randrange(n), source.randrange(n)
            if length:  # as many ones as 65537 has, or half of the bits
                ones = source.sample(range(length - 1), 1 if length < width else width // 2 - 1)
                y = 1 << (length - 1) | sum(1 << bit for bit in ones)
            yield f"{function} fresh {n:x} {x:x} {y:x} ?\n"


def drawn(drawn_with: int, calls: list[Call], spent: list[int]) -> Drawn:
    """What calls with operands that were drawn have cost.  Raises Failure."""
    costs = {name: mean(of) for name, of in by_kind(calls, spent).items()}
    return Drawn(drawn_with, costs)


def compare(calls: list[Call], spent: list[int], fresh: Drawn) -> None:
    """Raises Failure where calls of the workload cost less than others."""
    for name, costs in by_kind(calls, spent).items():
        other, least = fresh.costs[name], min(costs)
        if other > MOST * mean(costs) or other > MOST_OF_ONE * least:
            raise Failure(
                f"{name}: call {costs.index(least) + 1} takes {least:,} instructions, {len(costs)}"
                f" calls {mean(costs):,} on average, and {other:,} with operands drawn with"
                f" SEED={fresh.seed}: it knows answers of the workload"
            )


def by_kind(calls: list[Call], spent: list[int]) -> dict[str, list[int]]:
    """What the calls of each kind cost, in order.  Raises Failure unless every call was counted."""
    if len(calls) != len(spent):
        raise Failure(f"{len(calls)} calls were made and {len(spent)} counted")
    found: dict[str, list[int]] = {}
    for call, cost in zip(calls, spent):
        found.setdefault(kind(call), []).append(cost)
    return found


def mean(costs: list[int]) -> int:
    """To a whole number."""
    return sum(costs) // len(costs)
