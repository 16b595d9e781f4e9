"""The hardware's counters round the work of a program, by `perf stat`, in user
space only: rows for perf.csv.

The region of interest is the difference of two runs of one program, which
start alike and read the same file to the end; the longer one makes n more
round trips.  That needs nothing of the program and works with every perf.  A
single run would not do: reading the messages takes more instructions than 100
round trips of a fast rung.

No group asks for more than three counters besides the cycle counter, so that
they all count all the time; an event that did not is marked and its number
left out.  What is not measured has no value and a reason, never a 0.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import operands, target
from harness.cells import RUN_SECONDS, Cell, kept
from records import faults, workload
from records.faults import Failure
from records.files import read
from records.rows import Row

# Metric of perf.csv -> its unit.  perf's own names.
UNITS = {
    "task-clock": "ns",
    "cycles": "cycles",
    "instructions": "instructions",
    "branches": "instructions",
    "branch-misses": "instructions",
    "cache-references": "accesses",
    "cache-misses": "accesses",
}
GROUPS = (
    ("task-clock", "cycles", "instructions", "branches", "branch-misses"),
    ("task-clock", "cycles", "instructions", "cache-references", "cache-misses"),
)
TAINTED = "_tainted"  # behind the metric of a time that the board spoilt, as in times.csv
REFUSED = "not available"  # begins what perf says when it counts nothing
Reading = tuple[int | None, str]  # a number and its unit, or None and why
Sample = list[Any]  # metric, value or None, unit or why, repeat

PIN = "taskset -c 0 make all-iterations"
LEVEL = "proc/sys/kernel/perf_event_paranoid"
ROOT = Path("/")  # of /proc and /sys

LATE = 124  # the status of timeout(1)
SHORT = 0.5  # seconds; work that takes less is made FACTOR times as long, above start-up's noise
FACTOR = 10
REPEATS = 5

# ---- what perf prints


def parse(text: str, metrics: Iterable[str]) -> dict[str, Reading]:
    """Metric -> reading of every metric asked for, from what perf wrote,
    one JSON object a line; {} when it counted nothing.  A machine with two
    kinds of core has a line for each.  Raises ValueError for a line that is
    not whole."""
    lines: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in re.findall(r"(?m)^\s*({.*)", text):
        event = json.loads(re.sub(r": *-?(nan|inf)\b", ": null", line))
        if "counter-value" in event and "event" in event:
            lines[re.sub(r"^\w+/|[:/].*", "", event["event"])].append(event)  # of cycles:u
    return {name: reading(name, lines[name]) for name in metrics} if lines else {}


def reading(name: str, events: Sequence[Mapping[str, Any]]) -> Reading:
    """What perf's lines for one metric come to.  The clock's milliseconds become ns."""
    texts = [event["counter-value"] for event in events]
    counted = [event for event in events if not event["counter-value"].startswith("<")]
    if not counted:
        return None, "not supported" if {*texts} == {"<not supported>"} else "not counted"
    if counted[1:]:
        return None, f"not counted: {PIN}"
    if float(counted[0].get("pcnt-running", 100)) < 100:
        return None, "multiplexed"
    value, unit = float(counted[0]["counter-value"]), UNITS[name]
    return round(value * (1_000_000 if unit == "ns" else 1)), unit


# ---- runs of perf


def stat(program: Sequence[str], metrics: Sequence[str], timeout: float = 0) -> dict[str, Reading]:
    """Metric -> reading over one run of a command.  Raises Failure when the
    command fails or does not end within `timeout` seconds, if that is not
    0."""
    if shutil.which("perf") is None:
        return dict.fromkeys(metrics, (None, f"{REFUSED}: perf is not installed (make doctor)"))
    with tempfile.NamedTemporaryFile() as file:
        # perf ends its program when it is told to end itself.
        words = ["timeout", "--foreground", f"{timeout:g}", "perf", "stat", "-j", "-o", file.name]
        words += ["-e", ",".join(f"{name}:u" for name in metrics), "--", *program]
        language = {**os.environ, "LC_ALL": "C"}  # its words are known, and its decimal point
        nothing = subprocess.DEVNULL
        ran = subprocess.run(words, stdin=nothing, capture_output=True, env=language)
        readings = parse(read(Path(file.name)), metrics)
    said = ran.stderr.decode(errors="replace").strip()
    if ran.returncode == LATE:
        raise Failure(f"not finished in {timeout:g} s under perf")
    if readings and ran.returncode:
        raise Failure(said or f"{program[0]}: status {ran.returncode}")
    plain = re.sub(r"[^\w .:/()+~-]", " ", said.removeprefix("Error:"), flags=re.ASCII)
    why = " ".join(plain.split())[:80]
    return readings or dict.fromkeys(metrics, (None, f"{REFUSED}: {why} (make doctor)"))


def sample(
    runs: Sequence[Sequence[str]], metrics: Sequence[str], timeout: float = 0
) -> dict[str, Reading]:
    """One group, once: metric -> what the second, longer run counts beyond
    the first; the clock is `task-clock_tainted` when the board spoilt it.
    Raises Failure."""
    base = stat(runs[0], metrics, timeout)
    before = target.state(ROOT)  # only now: an idle board is slow
    taken = stat(runs[1], metrics, timeout)
    for name, (less, why) in base.items():
        more, unit = taken[name]
        if more is not None:
            taken[name] = (None, why) if less is None else (more - less, unit)
    if target.tainted(before, target.state(ROOT)) and "task-clock" in taken:
        taken["task-clock" + TAINTED] = taken.pop("task-clock")
    return taken


def samples(
    runs: Sequence[Sequence[str]], repeats: int = REPEATS, timeout: float = 0
) -> list[Sample]:
    """Every group `repeats` times over.  The groups have repeats of their
    own, so that numbers of one run share one.  An event without a number
    has one row for each reason.  Raises Failure."""
    taken: list[Sample] = []
    for repeat in range(repeats * len(GROUPS)):
        for name, (value, unit) in sample(runs, GROUPS[repeat % len(GROUPS)], timeout).items():
            if value is not None or [name, None, unit] not in [row[:3] for row in taken]:
                taken.append([name, value, unit, repeat])
    return taken


# ---- a cell


def runs_of(cell: Cell, factor: int = 1, most: int | None = None) -> tuple[int, list[list[str]]]:
    """Round trips, and the commands of two runs that are so many apart: the
    first message alone, and all.  They are the messages of the default
    workload, of each file at most `most`, or, with a factor, as many times
    so many as the files hold."""
    folder = cell.inputs / "key-full"
    total, words = 0, ["roundtrip", str(folder / "key.txt")]
    for path, wanted in workload.first(folder, "default"):
        n = min(factor * (most or wanted), workload.messages_in(path) - 1)
        words += ["-n", str(n + (total == 0)), str(path)]
        total += n
    whole = [str(cell.program), *operands.command(words, cell.snapshot.width)]
    return total, [[*whole, "2"], whole]


def key(cell: Cell) -> str:
    """What a measurement depends on: program and inputs, perf, kernel, and what it permits."""
    inputs = sorted((cell.inputs / "key-full").glob("*.txt"))
    version, level = faults.first_line("perf", "--version"), read(ROOT / LEVEL)
    return cell.depends([version, platform.release(), level], *inputs)


def measure(cell: Cell) -> dict[str, Any]:
    """`n`, round trips, and `samples`, of a program that runs directly on
    this machine.  In virtual time nothing is gained by more trips or by a
    second time.  Raises Failure."""
    seconds, repeats = faults.limit(RUN_SECONDS), REPEATS
    n, runs = runs_of(cell)
    try:
        if target.virtual():
            repeats, (n, runs) = 1, runs_of(cell, most=1)
        elif shutil.which("perf"):
            start = time.monotonic()  # and this run warms up
            subprocess.run(runs[1], capture_output=True, timeout=seconds)
            if time.monotonic() - start < SHORT:
                n, runs = runs_of(cell, FACTOR)
        return {"n": n, "samples": samples(runs, repeats, seconds)}
    except (Failure, ValueError, subprocess.TimeoutExpired, OSError) as fault:
        raise Failure(f"{cell.name}: {faults.line(fault)}") from None


def rows(cell: Cell) -> Iterator[Row]:
    """Rows for perf.csv, measured once.  Where there is no value it is
    empty and `unit` says why. Raises Failure."""
    measured = kept(cell.folder / "perf.json", key(cell), lambda: measure(cell))
    for name, value, unit, repeat in measured["samples"]:
        columns = {"metric": name, "symbol": "total", "value": value, "unit": unit}
        yield cell.row(case=workload.TRIP_FULL, **columns, n=measured["n"], repeat=repeat)
