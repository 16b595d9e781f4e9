"""Time samples of programs that run directly on this machine, taken round by round.

In a round each program runs once, in an order drawn for that round, so that a disturbance meets any
of them alike.

The samples of a message are encrypt and decrypt, two calls of `rsa time`, each one exponentiation,
by the real-time clock (ns) and by clock() (us) beside it.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.time import board_state
from records import command, faults, workload
from records.faults import Failure

PARTS = 10  # of the default workload; a run takes one
LIMIT = 60  # seconds for one run
WAKE = 0.1  # seconds
REAL, PROCESSOR = "clock_gettime()", "clock()"
CLOCKS = {REAL: ("encrypt", "decrypt"), PROCESSOR: ("encrypt_clock", "decrypt_clock")}
Sample = list[Any]  # metric, unit, value, index of the message
Run = dict[str, Any]  # place in the round's order, samples, and tainted: why they are, or ""


def state_awake() -> board_state.State:
    """The board's state now.  A board that tells its frequency works for a moment before it is
    asked: an idle one is slow, and would taint the first program that it runs."""
    if "frequency" in board_state.state():
        end = time.monotonic() + WAKE
        while time.monotonic() < end:
            pass
    return board_state.state()


def order(names: Sequence[str], number: int, seed: int) -> list[str]:
    """The names in the order of this round: the same for the same seed, drawn anew for each round,
    whatever the order in which they are given."""
    shuffled = sorted(names)
    random.Random(f"{seed}/{number}").shuffle(shuffled)
    return shuffled


def take_round(
    commands: Mapping[str, Sequence[str]], number: int, seed: int, limit: float
) -> dict[str, Run]:
    """Run every command once.  Name -> its run.  Raises Failure."""
    before, taken = state_awake(), {}
    for place, name in enumerate(order(list(commands), number, seed)):
        found = run(name, commands[name], limit)
        after = board_state.state()
        why = board_state.tainted(before, after)
        taken[name] = {"place": place, "samples": found, "tainted": why}
        before = after
    return taken


def arguments(inputs: Path, part: int, most: int | None = None) -> list[str]:
    """The command for one part of the default workload of a width's inputs, of each
    kind of message at most `most`.  One message comes before the part, for caches and pages; its
    times are no sample.  Raises Failure where there are no messages."""
    folder = inputs / "key-full"
    files = workload.first(folder, "default")
    if not files:
        raise Failure(f"{folder}: no messages, so nothing can be timed")
    words = ["roundtrip", str(folder / "key.txt"), "-n", "1", str(files[0][0])]
    for path, n in files:
        first, end = n * part // PARTS, n * (part + 1) // PARTS
        words += ["-s", str(first), "-n", str(min(end - first, most or n)), str(path)]
    return words


def run(name: str, words: Sequence[str], limit: float = LIMIT) -> list[Sample]:
    """The samples of one run.  Raises Failure, one line that begins with `name`, unless the program
    ends well within `limit` seconds."""
    try:
        return read_times(command.run(words, env={}, timeout=limit))
    except subprocess.TimeoutExpired:
        raise Failure(f"{name}: not timed: no end after {limit:g} s, so it hangs") from None
    except (ValueError, OSError) as fault:
        raise Failure(f"{name}: not timed: {faults.line(fault)}") from None


def read_times(said: str) -> list[Sample]:
    """What `rsa time` prints for round trips, without the message that warms up; the others count
    from 0.  Raises ValueError for anything else."""
    rows = [line.split() for line in said.splitlines()]
    if len(rows) < 4 or len(rows) % 2 or any(len(row) != 3 for row in rows):
        raise ValueError("what it printed is no table of times")
    made: list[Sample] = []
    for i, (_, ns, us) in enumerate(rows[2:]):
        way = ("encrypt", "decrypt")[i % 2]
        made += [[f"{way}_clock", "us", int(us), i // 2], [way, "ns", int(ns), i // 2]]
    return made


def trips(samples: Sequence[Sample], clock: str = REAL) -> list[int]:
    """The time of each round trip, encrypt and decrypt of one message: ns by the real-time clock,
    us by clock()."""
    total: dict[int, int] = {}
    for metric, _, value, index in samples:
        if metric in CLOCKS[clock]:
            total[index] = total.get(index, 0) + value
    return list(total.values())
