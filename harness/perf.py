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
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import operands, target
from harness.cells import RUN_SECONDS, Cell, kept
from records import faults, workloads
from records.faults import Failure, Late
from records.files import read
from records.rows import TIMED, Row

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
# Behind the metric of a time that the board spoilt, as in times.csv.
TAINTED = "_tainted"
REFUSED = "not available"  # begins what perf says when it counts nothing
Reading = tuple[int | None, str]  # a number and its unit, or None and why
Sample = list[Any]  # metric, value or None, unit or why, repeat

PIN = "taskset -c 0 make all-iterations"
LEVEL = "proc/sys/kernel/perf_event_paranoid"
ROOT = Path("/")  # of /proc and /sys

# What perf says of a program that has used up its time.
ENDED_LATE = "CPU time limit exceeded"
# Work that takes less is made FACTOR times as long, above start-up's noise.
SHORT_SECONDS = 0.5  # of processor time
FACTOR = 10
REPEATS = 5
WORDS = 80  # letters of what perf says when it counts nothing

# ---- what perf prints


def parse(text: str, metrics: Iterable[str]) -> dict[str, Reading]:
    """Return the reading of every metric asked for, from what perf wrote, one
    JSON object a line; {} when it counted nothing.  A machine with two
    kinds of core has a line for each.  Raises ValueError for a line that is
    not whole."""
    events: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in re.findall(r"(?m)^\s*({.*)", text):
        event = json.loads(re.sub(r": *-?(nan|inf)\b", ": null", line))
        if "counter-value" in event and "event" in event:
            name = re.sub(r"^\w+/|[:/].*", "", event["event"])  # of cycles:u
            events[name].append(event)
    if not events:
        return {}
    return {name: reading(name, events[name]) for name in metrics}


def reading(name: str, events: Sequence[Mapping[str, Any]]) -> Reading:
    """Return what perf's lines for one metric come to.  The clock's milliseconds become ns."""
    texts = {event["counter-value"] for event in events}
    counted = [event for event in events if not event["counter-value"].startswith("<")]
    if not counted:
        return None, "not supported" if texts == {"<not supported>"} else "not counted"
    if len(counted) > 1:
        return None, f"not counted: {PIN}"
    (event,) = counted
    if float(event.get("pcnt-running", 100)) < 100:
        return None, "multiplexed"
    value = float(event["counter-value"])
    unit = UNITS[name]
    if unit == "ns":
        value *= 1_000_000
    return round(value), unit


# ---- runs of perf


def stat(
    program: Sequence[str], metrics: Sequence[str], seconds: int = 0
) -> dict[str, Reading]:
    """Return the reading of each metric over one run of a command.  Raises
    Failure when the command fails; Late when it does not end within so many
    seconds of processor time, if that is not 0."""
    if shutil.which("perf") is None:
        return refused(metrics, "perf is not installed")
    with tempfile.NamedTemporaryFile() as file:
        words = ["perf", "stat", "-j", "-o", file.name]
        words += ["-e", ",".join(f"{name}:u" for name in metrics), "--", *program]
        # In this language its words are known, and its decimal point.
        english = {**os.environ, "LC_ALL": "C"}
        ran = faults.ended(words, seconds, env=english, text=True, errors="replace")
        readings = parse(read(Path(file.name)), metrics)
    message = ran.stderr.strip()
    if faults.is_late(ran.returncode) or ENDED_LATE in message:
        raise Late(faults.late(seconds))
    if not readings:
        plain = re.sub(
            r"[^\w .:/()+~-]", " ", message.removeprefix("Error:"), flags=re.ASCII
        )
        return refused(metrics, " ".join(plain.split())[:WORDS])
    if ran.returncode:
        raise Failure(message or f"{program[0]}: status {ran.returncode}")
    return readings


def refused(metrics: Sequence[str], why: str) -> dict[str, Reading]:
    """Return that nothing was counted, and why."""
    return dict.fromkeys(metrics, (None, f"{REFUSED}: {why} (make doctor)"))


def sample(
    runs: Sequence[Sequence[str]], metrics: Sequence[str], seconds: int = 0
) -> dict[str, Reading]:
    """Return, for one group, once, what the second, longer run counts beyond
    the first; the clock is `task-clock_tainted` when the board spoilt it.
    Raises Failure."""
    shorter, longer = runs
    base = stat(shorter, metrics, seconds)
    before = target.state(ROOT)  # only now: an idle board is slow
    taken = stat(longer, metrics, seconds)
    for name, (less, why) in base.items():
        more, unit = taken[name]
        if more is not None and less is not None:
            taken[name] = more - less, unit
        elif more is not None:
            taken[name] = None, why
    if target.tainted(before, target.state(ROOT)) and "task-clock" in taken:
        taken["task-clock" + TAINTED] = taken.pop("task-clock")
    return taken


def samples(
    runs: Sequence[Sequence[str]], repeats: int = REPEATS, seconds: int = 0
) -> list[Sample]:
    """Return every group `repeats` times over.  The groups have repeats of
    their own, so that numbers of one run share one.  An event without a
    number has one row for each reason.  Raises Failure."""
    taken: list[Sample] = []
    reasons = set()
    for repeat in range(repeats * len(GROUPS)):
        group = GROUPS[repeat % len(GROUPS)]
        for name, (value, unit) in sample(runs, group, seconds).items():
            if value is None:
                if (name, unit) in reasons:
                    continue
                reasons.add((name, unit))
            taken.append([name, value, unit, repeat])
    return taken


# ---- a cell


def runs_of(
    cell: Cell, factor: int = 1, most: int | None = None
) -> tuple[int, list[list[str]]]:
    """Return round trips, and the commands of two runs that are so many
    apart: the first message alone, and all.  They are the messages of the
    default workload, of each file at most `most`, or, with a factor, as
    many times so many as the files hold."""
    folder = cell.inputs / "key-full"
    words = ["roundtrip", str(folder / "key.txt")]
    total = 0
    first = 1
    for path, wanted in workloads.first(folder, "default"):
        n = min(factor * (most or wanted), workloads.messages_in(path) - 1)
        words += ["-n", str(first + n), str(path)]
        first = 0
        total += n
    whole = [str(cell.program), *operands.command(words, cell.snapshot.width)]
    two_calls = [*whole, "2"]
    return total, [two_calls, whole]


def key(cell: Cell) -> str:
    """Return what a measurement depends on: program and inputs, perf, kernel, and what that
    permits."""
    inputs = sorted((cell.inputs / "key-full").glob("*.txt"))
    version = faults.first_line("perf", "--version")
    permitted = read(ROOT / LEVEL)
    return cell.depends([version, platform.release(), permitted], *inputs)


def measure(cell: Cell) -> dict[str, Any]:
    """Return `n`, round trips, and `samples`, of a program that runs directly
    on this machine.  In virtual time nothing is gained by more trips or by
    a second time.  Raises Failure."""
    seconds = faults.limit(RUN_SECONDS)
    repeats = REPEATS
    n, runs = runs_of(cell)
    try:
        if target.virtual():
            repeats = 1
            n, runs = runs_of(cell, most=1)
        elif shutil.which("perf"):
            before = faults.seconds_of_children()
            faults.ended(runs[1], seconds)  # it warms up, too
            if faults.seconds_of_children() - before < SHORT_SECONDS:
                n, runs = runs_of(cell, FACTOR)
        return {"n": n, "samples": samples(runs, repeats, seconds)}
    except (Failure, ValueError, OSError) as fault:
        raise Failure(f"{cell.name}: {faults.line(fault)}") from None


def rows(cell: Cell) -> Iterator[Row]:
    """Yield rows for perf.csv, measured once.  Where there is no value it is
    empty and `unit` says why.  Raises Failure."""
    measured = kept(cell.folder / "perf.json", key(cell), lambda: measure(cell))
    for metric, value, unit, repeat in measured["samples"]:
        yield cell.number(
            workload=workloads.TRIP_FULL,
            kind=TIMED,
            metric=metric,
            symbol="total",
            value=value,
            unit=unit,
            n=measured["n"],
            repeat=repeat,
        )
