"""What counting costs: `python3 -m harness.count.bench` after `make v0`.

Processor time of the round trips of the small workload, in qemu-arm alone and under the plugin, in
turn; medians.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from harness import operands
from harness.count import qemu
from records import workload
from records.command import run
from records.faults import command_line

RUNS = 11


def time_of(command: list[str]) -> float:
    """Processor seconds, the system's included."""
    before = getrusage(RUSAGE_CHILDREN)
    run(command, env={})
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    tasks = workload.tasks(Path("data/inputs/width-128"), "small")
    task = next(task for task in tasks if task.case == workload.TRIP_SMALL)
    words = operands.command(task.arguments, 128)
    for level in ("O0", "O3"):
        program = Path(f"build/iterations/v0/{level}/rsa")
        with tempfile.TemporaryDirectory() as folder:
            counted = qemu.command(program, words, Path(folder, "counts"))
            at = counted.index("-plugin")
            commands = counted[:at] + counted[at + 2 :], counted
            seconds = [[time_of(command) for command in commands] for _ in range(RUNS)]
        plain, under = (statistics.median(times) for times in zip(*seconds))
        print(f"v0 -{level}: {plain:.2f} s alone, {under:.2f} s counted, x {under / plain:.2f}")


if __name__ == "__main__":
    sys.exit(command_line("bench", main))
