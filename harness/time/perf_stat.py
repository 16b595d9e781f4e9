"""Hardware counters round the work of a program, by `perf stat`, in user space only.

The region of interest is the difference of two runs of one program, which start alike and read the
same files to the end; the longer one makes n more round trips.  That needs nothing of the program
and works with every perf.  A single run would not do: reading the messages takes more instructions
than 100 round trips of a fast rung.

No group asks for more than three counters besides the cycle counter, so that they all count all
the time; an event that did not is marked and its number left out.  What is not measured is a
`Reading` without a value that says why, never a 0.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.time import board_state
from records.faults import Failure
from records.files import read

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
ALIASES = {"cpu-cycles": "cycles", "branch-instructions": "branches"}
GROUPS = (
    ("task-clock", "cycles", "instructions", "branches", "branch-misses"),
    ("task-clock", "cycles", "instructions", "cache-references", "cache-misses"),
)
# Why there is no value: the first words of `unit` in such a row.
TAINTED = "_tainted"  # behind the metric of a time that the board spoilt, as in times.csv
Sample = list[Any]  # metric, value or None, unit or why, repeat
FOR_GOOD = ("not supported", "not permitted", "not available")  # another run says the same

INSTALL = "sudo apt-get install linux-perf"
PERMIT = "sudo sysctl kernel.perf_event_paranoid=2"
CONTAINER = "run the container with --security-opt seccomp=unconfined"
PIN = "taskset -c 0 make all-iterations"
WATCHDOG = "sudo sysctl kernel.nmi_watchdog=0"
REFUSED = "[Pp]ermission|Access to performance|EACCES|EPERM|not permitted"
TOO_OLD = "unknown (switch|option) `?-*j"
NO_SYSCALL = "Function not implemented|ENOSYS"
ROOT = Path("/")  # of /proc and /sys


class Reading(NamedTuple):
    """A number in its metric's unit; or None, and why: one of records.rows.ABSENT."""

    value: int | None
    why: str = ""

    def less(self, other: Reading) -> Reading:
        """The difference, or why there is none."""
        if self.value is None or other.value is None:
            return self if self.value is None else other
        return Reading(self.value - other.value)


def because(status: str, command: str = "") -> Reading:
    """A reading without a value; no comma, because results files are not quoted."""
    return Reading(None, f"{status}: {command}".replace(",", ";") if command else status)


def metric(event: str) -> str:
    """`cycles` of what perf prints: `cycles:u`, `cpu_core/cycles/u`, `cpu-cycles`."""
    name = event.split("/")[1] if event.count("/") >= 2 else event
    name = name.split(":")[0]
    return ALIASES.get(name, name)


def counts(text: str) -> list[tuple[str, str, float]]:
    """(metric, value as printed, percent of the time counted) of each count in what perf wrote, one
    JSON object a line.  Raises Failure for a line that is cut short."""
    found = []
    for line in filter(lambda line: line.startswith("{"), map(str.strip, text.splitlines())):
        try:
            said = json.loads(re.sub(r": *-?(nan|inf)\b", ": null", line))
        except ValueError:
            raise Failure(f"perf: not a whole line of JSON: {line[:60]}") from None
        if "counter-value" in said and "event" in said:
            percent = float(said.get("pcnt-running", 100))
            found.append((metric(said["event"]), said["counter-value"], percent))
    return found


def number(name: str, text: str) -> int:
    """A count, or the clock's milliseconds as ns.  Raises Failure."""
    try:
        return round(float(text) * 1_000_000) if UNITS[name] == "ns" else int(text.split(".")[0])
    except ValueError:
        raise Failure(f"perf: {name}: '{text[:30]}' is no number") from None


def reading(name: str, found: Sequence[tuple[str, float]]) -> Reading:
    """What the lines for one metric, (value, percent), come to: more than one where the machine has
    two kinds of core."""
    counted = [(text, percent) for text, percent in found if not text.startswith("<")]
    if len(counted) > 1:
        return because("not counted", PIN)
    if not counted:
        unsupported = found and all(text == "<not supported>" for text, _ in found)
        return because("not supported" if unsupported else "not counted")
    text, percent = counted[0]
    if percent < 100:
        watched = read(ROOT / "proc/sys/kernel/nmi_watchdog") == "1"
        return because("multiplexed", WATCHDOG if watched else "")
    return Reading(number(name, text))


def parse(text: str, metrics: Iterable[str]) -> dict[str, Reading]:
    """Metric -> reading of every metric asked for, from what perf wrote.  Raises Failure."""
    found = counts(text)
    return {name: reading(name, [row[1:] for row in found if row[0] == name]) for name in metrics}


def refusal(said: str) -> Reading:
    """Why perf counted nothing, from what it said."""
    if re.search(REFUSED, said):
        level = read(ROOT / "proc/sys/kernel/perf_event_paranoid")
        return because("not permitted", CONTAINER if level in ("-1", "0", "1", "2") else PERMIT)
    if re.search(NO_SYSCALL, said):
        return because("not supported")
    if re.search(TOO_OLD, said):
        return because("not available", "this perf is too old: it has no option -j")
    lines = said.replace("Error:", "").split("\n")
    first = next((line.strip() for line in lines if line.strip()), "perf says nothing")
    return because("not available", first[:80])


def execute(command: list[str], timeout: float | None) -> tuple[int, str]:
    """Status and stderr of a run of perf.  Both are a group of processes and end together: a perf
    that is ended leaves its program running.  Raises Failure after `timeout` seconds."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C"},  # its words are known, and its decimal point
        start_new_session=True,
    ) as process:
        try:
            said = process.communicate(timeout=timeout)[1]
        except BaseException as fault:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(fault, subprocess.TimeoutExpired):
                raise Failure(f"not finished in {timeout:g} s under perf") from None
            raise
    return process.returncode, said.decode(errors="replace")


def stat(
    command: Sequence[str], metrics: Sequence[str], timeout: float | None = None
) -> dict[str, Reading]:
    """Metric -> reading over one run of a command.  Raises Failure when the command fails or does
    not end within `timeout` seconds."""
    perf = shutil.which("perf")
    if perf is None:
        return dict.fromkeys(metrics, because("not available", INSTALL))
    events = ",".join(f"{name}:u" for name in metrics)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "stat")
        run = [perf, "stat", "-j", "-o", str(file), "-e", events, "--", *command]
        status, said = execute(run, timeout)
        text = file.read_text() if file.exists() else ""
    if not counts(text):
        return dict.fromkeys(metrics, refusal(said))
    if status:
        raise Failure(said.strip() or f"{command[0]}: status {status}")
    return parse(text, metrics)


def sample(
    runs: Sequence[Sequence[str]], metrics: Sequence[str], timeout: float | None = None
) -> dict[str, Reading]:
    """One group, once: metric -> what the second, longer run counts beyond the first; the clock is
    `task-clock_tainted` when the board spoilt it.  Raises Failure."""
    shorter, longer = runs
    base = stat(shorter, metrics, timeout)
    if all(one.value is None for one in base.values()):
        return base
    before = board_state.state(ROOT)  # only now: an idle board is slow
    whole = stat(longer, metrics, timeout)
    spoilt = board_state.tainted(before, board_state.state(ROOT))
    made = {name: whole[name].less(base[name]) for name in metrics}
    if spoilt and "task-clock" in made:
        made["task-clock" + TAINTED] = made.pop("task-clock")
    return made


def samples(
    runs: Sequence[Sequence[str]], repeats: int = 5, timeout: float | None = None
) -> list[Sample]:
    """Every group `repeats` times over.  The groups have repeats of their own, so that numbers of
    one run share one.  An event that will never be counted has one row.  Raises Failure."""
    made: list[Sample] = []
    gone: set[str] = set()
    for repeat in range(repeats * len(GROUPS)):
        asked = [name for name in GROUPS[repeat % len(GROUPS)] if name not in gone]
        if not set(asked) - {"task-clock"}:
            continue
        for name, one in sample(runs, asked, timeout).items():
            unit = one.why if one.value is None else UNITS[name.removesuffix(TAINTED)]
            made.append([name, one.value, unit, repeat])
            if one.why.startswith(FOR_GOOD):
                gone.add(name)
    return made
