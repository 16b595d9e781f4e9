"""Hardware counters of a cell: rows for perf.csv, from programs that run directly here.

What is kept of a cell is measured again when its program, perf, the kernel or what it permits is
another.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import operands
from harness.cells import Cell, limit
from harness.kept import keep, recall
from harness.time import board_state, perf_stat
from records import workload
from records.command import first_line
from records.faults import Failure
from records.files import digest, read
from records.rows import Row

CASE = workload.TRIP_FULL
SHORT = 0.5  # seconds; work that takes less is made FACTOR times as long, above start-up's noise
FACTOR = 10


def commands(cell: Cell, factor: int, most: int | None = None) -> tuple[int, list[str]]:
    """Round trips, and the command of one more: the messages of the default workload, of each file
    at most `most`, or, with a factor, as many times so many as the files hold."""
    folder = cell.inputs / "key-full"
    total, words = 0, ["roundtrip", str(folder / "key.txt")]
    for path, wanted in workload.first(folder, "default"):
        n = min(factor * (most or wanted), workload.messages_in(path) - 1)
        words += ["-n", str(n + (total == 0)), str(path)]
        total += n
    return total, words


def programs(cell: Cell, words: list[str]) -> list[list[str]]:
    """The two runs that are so many round trips apart: the first one alone, and all.  Both read the
    same file."""
    whole = [str(cell.program), *operands.command(words, cell.snapshot.width)]
    return [[*whole, "2"], whole]


def key(cell: Cell) -> str:
    """What a measurement depends on: program and inputs, perf, kernel, and what it permits."""
    _, words = commands(cell, 1)
    files = [cell.program, *(Path(word) for word in words if word.endswith(".txt"))]
    version = first_line("perf", "--version") if shutil.which("perf") else "no perf"
    level = read(Path("/proc/sys/kernel/perf_event_paranoid"))
    return " ".join([digest(*files), version, platform.release(), level])


def measure(cell: Cell, repeats: int = 5) -> dict[str, Any]:
    """`n`, round trips, and `samples` of perf_stat, of a program that runs directly on this
    machine.  Kept.  Raises Failure."""
    kept, told, seconds = cell.folder / "perf.json", key(cell), limit()
    found: dict[str, Any] | None = recall(kept, told)
    if found is not None:
        return found
    exact = board_state.virtual()  # then nothing is gained by more, or by a second time
    n, words = commands(cell, 1, 1 if exact else None)
    try:
        if shutil.which("perf") and not exact:
            start = time.monotonic()
            subprocess.run(
                programs(cell, words)[1], capture_output=True, timeout=seconds
            )  # and warms up
            if time.monotonic() - start < SHORT:
                n, words = commands(cell, FACTOR)
        samples = perf_stat.samples(programs(cell, words), 1 if exact else repeats, seconds)
    except (Failure, subprocess.TimeoutExpired, OSError) as fault:
        raise Failure(f"{cell.name}: {fault}") from None
    if key(cell) != told:
        raise Failure(f"{cell.name}: changed while it was measured; type the command again")
    found = {"n": n, "samples": samples}
    keep(kept, told, found)
    return found


def rows(cell: Cell) -> Iterator[Row]:
    """Rows for perf.csv.  Where there is no value it is empty and `unit` says why."""
    measured = measure(cell)
    for metric, value, unit, repeat in measured["samples"]:
        columns = {"metric": metric, "symbol": "total", "value": "" if value is None else value}
        yield cell.row(case=CASE, **columns, unit=unit, n=measured["n"], repeat=repeat)


def note() -> str:
    """One line for the user when there is no perf; else empty."""
    install = f"no perf here, recorded as such; type: {perf_stat.INSTALL}"
    return "" if shutil.which("perf") else install
