"""The two counters, the plugin of qemu-arm and Unicorn, and the choice between them.

Both give the same rows to the unit (tests/harness/test_unicorn.py), so which one it was is a note
in machine.json and never a column of a table.  `python3 -m harness.count.counters` prints the name
of the one that works here; `... [--width BITS] PROGRAM ARGUMENTS` prints counts by symbol of one
run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.count import counts, elf, qemu
from harness.count.qemu import PLUGIN
from harness.count.unicorn import engine
from harness.count.unicorn import selftest as unicorn_selftest
from harness.count.unicorn.tally import HOOKS
from records.faults import Failure, command_line
from records.ladder import ROOT


@dataclass(frozen=True)
class Counter:
    """A counter.  `count` takes a program, the driver's arguments, the width in bits, the file to
    write, a limit in seconds and whether to simulate mispredictions; what the program prints goes
    to a file beside the one it writes (counts.results_of); `selftest` takes the self-test
    program and its table, and returns the number of values compared.  Both raise Failure.  `speed`
    is what it executes at a level on a computer of today, in instructions a second, and `start`
    what a run takes beside, in seconds."""

    name: str
    why_unsupported: Callable[[], str]
    count: Callable[[Path, Sequence[str], int, Path, float | None, bool], list[counts.Row]]
    selftest: Callable[[Path, Path], int]
    speed: Callable[[str], float]
    start: float

    @property
    def slow(self) -> bool:
        """Whether the default workload takes so long that nobody gets it without asking."""
        return self.name == "unicorn"


def count_with_plugin(
    program: Path,
    args: Sequence[str],
    width: int,
    out: Path,
    timeout: float | None,
    predict: bool = False,
) -> list[counts.Row]:
    """Counts with the plugin, for which every program brings its own width."""
    return qemu.count(program, args, out=out, timeout=timeout, predict=predict)


def count_with_unicorn(
    program: Path,
    args: Sequence[str],
    width: int,
    out: Path,
    timeout: float | None,
    predict: bool = True,
    hooks: Path = HOOKS,
) -> list[counts.Row]:
    """Counts with Unicorn, which always simulates mispredictions, in a process of its own."""
    words = [sys.executable, "-m", "harness.count.unicorn", str(width), str(hooks), str(out)]
    environment = {"PYTHONPATH": str(ROOT)}
    return counts.counted([*words, str(program), *args], program, out, environment, timeout)


def check_plugin(program: Path, table: Path) -> int:
    """The plugin's self-test."""
    with tempfile.TemporaryDirectory() as folder:
        return qemu.check(program, table, out=Path(folder, "counts"))


def _missing(path: Path) -> str:
    return "" if path.exists() else f"{path} is not built"


COUNTERS = {
    "plugin": Counter(
        "plugin",
        lambda: qemu.why_unsupported() or _missing(PLUGIN) or elf.why_unsupported(),
        count_with_plugin,
        check_plugin,
        lambda level: 2e9,
        0.1,
    ),
    "unicorn": Counter(
        "unicorn",
        lambda: engine.why_unsupported() or _missing(HOOKS) or elf.why_unsupported(),
        count_with_unicorn,
        unicorn_selftest.check,
        lambda level: 5.5e7 if level == "O0" else 2e8,  # every store is slow in Unicorn
        0.4,
    ),
}


def choose(wanted: str = "") -> tuple[Counter | None, str]:
    """The counter of this name or, without a name, the first that works here; and, where none does,
    one line that says why; none by the name of `none`.  Raises Failure where the one that was asked
    for does not work."""
    if wanted == "none":
        return None, "no counts: COUNTER=none"
    if wanted not in ("", *COUNTERS):
        raise Failure(f"COUNTER={wanted}: say {', '.join(COUNTERS)} or none")
    reasons = []
    for name, counter in COUNTERS.items():
        if wanted in ("", name):
            reason = counter.why_unsupported()
            if not reason:
                return counter, ""
            reasons.append(reason)
    if wanted:
        raise Failure(f"COUNTER={wanted}: {reasons[0]}")
    return None, "no counts: " + "; ".join(reasons)


def show(program: Path, args: Sequence[str], width: int, counter: Counter) -> None:
    """Prints the counts of one run, a line for each symbol and metric."""
    with tempfile.TemporaryDirectory() as folder:
        rows = counter.count(program, args, width, Path(folder, "counts"), None, True)
    for symbol, metrics in counts.by_symbol(rows, program).items():
        for metric, value in metrics.items():
            print(f"{symbol}\t{metric}\t{value}")


def main() -> None:
    """The command line.  Raises Failure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("program", nargs="?", type=Path)
    parser.add_argument("args", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    counter, why_not = choose(os.environ.get("COUNTER", ""))
    if counter is None:
        raise Failure(why_not)
    if options.program:
        show(options.program, options.args, options.width, counter)
    else:
        print(counter.name)


if __name__ == "__main__":
    sys.exit(command_line("counters", main))
