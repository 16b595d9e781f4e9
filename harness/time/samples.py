"""Time samples of programs that run directly on this machine, taken round by round.

In a round each program runs once, in an order drawn for that round, so that a disturbance meets any
of them alike.

The samples of a message are those of `rsa time`: encrypt and decrypt, each one exponentiation, by
the real-time clock (ns) and by clock() (us) beside it.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from records import workload
from records.faults import Failure

PARTS = 10  # of the default workload; a run takes one
LIMIT = 60  # seconds for one run
WAKE = 0.1  # seconds
REAL, PROCESSOR = "clock_gettime()", "clock()"
CLOCKS = {REAL: ("encrypt", "decrypt"), PROCESSOR: ("encrypt_clock", "decrypt_clock")}


class Board(Protocol):
    """What is asked of harness/time/board.py."""

    def state(self) -> dict:
        """Frequency, throttling and temperature at this moment."""

    def tainted(self, before: dict, after: dict) -> str:
        """Why times taken between two states are not to be trusted, or ``."""


class Silent:
    """A board that cannot be asked anything."""

    def state(self) -> dict:
        return {}

    def tainted(self, before: dict, after: dict) -> str:
        return ""


def board() -> Board:
    """harness/time/board.py or, in its absence, a board that says nothing."""
    try:
        from harness.time import board as found
    except ImportError:
        return Silent()
    return found


def awake(board: Board) -> dict:
    """The board's state now.  A board that tells its frequency works for a moment before it is
    asked: an idle one is slow, and would taint the first program that it runs."""
    if "frequency" in board.state():
        end = time.monotonic() + WAKE
        while time.monotonic() < end:
            pass
    return board.state()


def order(names: Sequence[str], number: int, seed: int) -> list[str]:
    """The names in the order of this round: the same for the same seed, drawn anew for each round,
    whatever the order in which they are given."""
    shuffled = sorted(names)
    random.Random(f"{seed}/{number}").shuffle(shuffled)
    return shuffled


def take_round(
    commands: Mapping[str, Sequence[str]], number: int, seed: int, limit: float
) -> dict[str, dict]:
    """Run every command once.  Name -> its `place` in the order, its `samples`, and `tainted`, why
    they are not to be trusted or ``.  Raises Failure."""
    probe = board()
    before, taken = awake(probe), {}
    for place, name in enumerate(order(list(commands), number, seed)):
        found = run(name, commands[name], limit)
        after = probe.state()
        why = probe.tainted(before, after)
        taken[name] = {"place": place, "samples": found, "tainted": why}
        before = after
    return taken


def arguments(inputs: Path, part: int, most: int | None = None) -> list[str]:
    """The driver's arguments for one part of the default workload of a width's inputs, of each
    kind of message at most `most`.  One message comes before the part, for caches and pages; its
    times are no sample.  Raises Failure where there are no messages."""
    folder = inputs / "key-full"
    files = workload.default(folder)
    if not files:
        raise Failure(f"{folder}: no messages, so nothing can be timed")
    words = ["time", str(folder / "key.txt"), "-n", "1", str(files[0][0])]
    for path, n in files:
        first, end = n * part // PARTS, n * (part + 1) // PARTS
        words += ["-s", str(first), "-n", str(min(end - first, most or n)), str(path)]
    return words


def run(name: str, command: Sequence[str], limit: float = LIMIT) -> list[list]:
    """The samples of one run, [metric, unit, value, index of the message].  Raises Failure, one
    line that begins with `name`, unless the program ends well within `limit` seconds."""
    try:
        ran = subprocess.run(
            command, env={}, capture_output=True, text=True, errors="replace", timeout=limit
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"{name}: not timed: no end after {limit:g} s, so it hangs") from None
    except OSError as fault:
        raise Failure(f"{name}: not timed: {command[0]}: {fault.strerror}") from None
    if ran.returncode:
        said = ran.stderr.strip().splitlines()
        raise Failure(f"{name}: not timed: {said[0] if said else ending(ran.returncode)}")
    try:
        return read_times(ran.stdout)
    except ValueError:
        raise Failure(f"{name}: not timed: what it printed is no table of times") from None


def ending(status: int) -> str:
    """`status 3` or `killed by SIGSEGV`."""
    return f"status {status}" if status > 0 else f"killed by {signal.Signals(-status).name}"


def read_times(said: str) -> list[list]:
    """What `rsa time` prints, as [metric, unit, value, index], without the message that warms up;
    the others count from 0.  Raises ValueError for anything else."""
    header, *lines = said.splitlines() or [""]
    names = header.split()
    if names[:1] != ["index"] or not {"encrypt_ns", "decrypt_ns"} < set(names) or len(lines) < 2:
        raise ValueError("not a table of times")
    samples = []
    for line in lines[1:]:
        numbers = [int(word) for word in line.split()]
        if len(numbers) != len(names):
            raise ValueError("not a table of times")
        for name, value in zip(names[1:], numbers[1:]):
            samples.append([*name.rsplit("_", 1), value, numbers[0] - 1])
    return samples


def trips(samples: Sequence[Sequence], clock: str = REAL) -> list[int]:
    """The time of each round trip, encrypt and decrypt of one message: ns by the real-time clock,
    us by clock()."""
    total: dict[int, int] = {}
    for metric, _, value, index in samples:
        if metric in CLOCKS[clock]:
            total[index] = total.get(index, 0) + value
    return list(total.values())
