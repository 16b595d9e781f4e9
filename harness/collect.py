"""The main job: measure checked snapshots and write a results folder.

`python3 -m harness.collect [--messages WORD] [--out DIR] FOLDER...` where FOLDER is a snapshot's,
such as iterations/v4.  Called by make, after every program of those folders has passed its check.
One collection at a time in a checkout; killed at any moment, it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import errno
import os
import shutil
import sys
import time
from collections import Counter as Sum
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from harness import clock, counters, kept, merge, perf
from harness.cells import PROVENANCE, Cell, cells_of, checked
from harness.counters import Counter
from records import faults, files, ladder, workload
from records.faults import Failure
from records.files import digest, sweep
from records.machine import is_imported, machine_facts, read_machine, write_machine
from records.platform import Platform, read_flags, read_platform
from records.rows import Row, read_rows, write_rows

try:
    from tqdm import tqdm
except ImportError:  # a machine without Debian's python3-tqdm gets the lines
    tqdm = None

LOCAL = merge.LOCAL

# ---- What a user sees during a long run: how long it takes, a bar on a terminal, else lines ----

SILENCE = 10.0  # seconds after which a line says how far it is
BAR = "{desc:<28} {bar} {percentage:3.0f} %  {elapsed} so far{postfix}"
UNKNOWN = 1e6  # instructions of an operation that was never counted


class Run(NamedTuple):
    """A run that is to be counted, and the processor time in seconds that it will take."""

    cell: Cell
    task: workload.Task
    seconds: float


def estimated(todo: list[tuple[Cell, workload.Task]], counter: Counter) -> list[Run]:
    """The runs, by the committed results, which have the instructions of nearly every cell."""
    known = {}
    for path in sorted(Path("results").glob("qemu-*/counts.csv")):
        for line in path.read_text().splitlines():
            if ",instructions,total," in line:  # a file of 70,000 lines
                study, name, level, case, _, _, value, _, n, _ = line.split(",")
                known[f"{study}/{name}/{level}", case] = int(value) / int(n)
    found = []
    for cell, task in todo:
        usual = known.get((cell.label, workload.TRIP_FULL), UNKNOWN)
        instructions = task.n * known.get((cell.label, task.case), usual)
        found.append(Run(cell, task, counter.seconds(instructions, cell.level)))
    return found


def duration(seconds: float) -> str:
    """`40 s` or `5 min`, no better than an estimate is."""
    return f"{max(10, round(seconds, -1)):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


class Progress:
    """Says how far the runs are."""

    def __init__(self, runs: list[Run], workers: int = kept.WORKERS) -> None:
        self.runs = {run.cell.kept(run.task): run for run in runs}
        self.total, self.done = sum(run.seconds for run in runs), 0.0
        self.estimate = self.total / workers
        self.left = Sum(run.cell.label for run in runs)
        self.started = self.last_line = time.monotonic()
        self.bar = None
        programs = len(self.left)
        some = f"{len(runs)} runs of {programs} program{'s' * (programs > 1)}"
        self.line(f"{some}: about {duration(self.estimate)}")
        if tqdm is not None and sys.stderr.isatty():
            self.bar = tqdm(total=self.total, dynamic_ncols=True, leave=False, bar_format=BAR)

    def line(self, text: str) -> None:
        """A line of progress."""
        print(f"  COUNT   {text}", flush=True)
        self.last_line = time.monotonic()

    def remaining(self) -> float:
        """Seconds that are left: by the estimate at first, then by the pace up to now."""
        elapsed = time.monotonic() - self.started
        if self.done < self.total / 20:
            return max(0.0, self.estimate - elapsed)
        return elapsed * (self.total - self.done) / self.done

    def look(self, ended: list[kept.Task]) -> None:
        """What has ended since the last time, of which each second is told."""
        for run in (self.runs[task.path] for task in ended):
            self.done += run.seconds
            self.left[run.cell.label] -= 1
            if self.bar is not None:
                self.bar.set_description_str(f"{run.cell.label} {run.task.case}", refresh=False)
                self.bar.update(run.seconds)
            elif not self.left[run.cell.label]:
                self.line(summary(run.cell))
        left = f"about {duration(self.remaining())} left"
        if self.bar is not None:
            self.bar.set_postfix_str(left)
        elif any(self.left.values()) and time.monotonic() - self.last_line > SILENCE:
            self.line(f"{100 * self.done / self.total:.0f} % done, {left}")

    def close(self) -> None:
        """Takes the bar away."""
        if self.bar is not None:
            self.bar.close()


def summary(cell: Cell) -> str:
    """`v4 O1  10.467 M instructions a round trip`, for a line of progress."""
    n, symbols = cell.totals(workload.main_case(cell.messages))
    mean = symbols["total"]["instructions"] / n if n else 0
    return f"{cell.name:<10} {mean / 1e6:>9.3f} M instructions a round trip"


# ---- Counting and timing ----


def count(cells: list[Cell], counter: Counter) -> bool:
    """Make every run that is missing.  The counter first proves itself on its self-test.  Returns
    whether there was anything to count.  Raises Failure."""
    todo = {cell.kept(task): (cell, task) for cell in cells for task in cell.tasks}
    missing = [(cell, task) for cell, task in todo.values() if cell.counted(task) is None]
    if not missing:
        return False
    values = counter.selftest()
    print(f"  COUNTER {counter.name}: {values} values of the self-test as expected", flush=True)
    progress = Progress(estimated(missing, counter))
    try:
        kept.on_all_cores([cell.task(task, counter) for cell, task in missing], progress.look)
    finally:
        progress.close()
    return True


def time_rows(cells: list[Cell]) -> dict[str, list[Row]]:
    """File -> rows of what the clock and the hardware's counters say of cells."""
    if perf.note():
        print(f"  NOTE    {perf.note()}", flush=True)
    times = clock.collect(cells)
    counted = [row for cell in cells for row in perf.rows(cell)]
    refused = [row["unit"] for row in counted if row["unit"].startswith("not permitted")]
    if refused:
        print(f"  NOTE    hardware counters: {refused[0]}", flush=True)
    return {"times.csv": times, "perf.csv": counted}


# ---- The whole of it ----


class Options(NamedTuple):
    """What a collection is: where it is written, whether with code sizes (which needs binutils), on
    what platform, by which counter and with which messages."""

    out: Path
    sizes: bool
    platform: Platform
    counter: Counter | None
    messages: str


def choose_counter(platform: Platform) -> Counter | None:
    """The counter to use: COUNTER of the environment, or the first that works here.  Raises
    Failure, and OSError where programs cannot even run."""
    if platform.runner and shutil.which(platform.runner[0]) is None:
        raise FileNotFoundError(errno.ENOENT, "not found", platform.runner[0])
    counter, why_not = counters.choose(os.environ.get("COUNTER", ""))
    if counter is None:
        print(f"  {why_not}", flush=True)
    return counter


def choose_messages(asked: str, platform: Platform, counter: Counter | None) -> str:
    """The workload to count: the one that is asked for or, without a word, the small one where
    counting would keep its owner waiting.  Then a line says so."""
    why = ""
    if counter and counter.slow:
        why = "this qemu-arm loads no plugin, so Unicorn counts, which takes some ten times longer"
    elif counter and platform.direct:
        why = "times come first here, and counting must not take longer"
    if asked or not why:
        return asked or "default"
    print(f"  NOTE    {why}:\n          it counts the small workload;", end=" ")
    print("MESSAGES=default on the command line counts the rest", flush=True)
    return "small"


def counters_of(options: Options, counted: bool) -> str:
    """The names of the counters that the folder's counts are of, such as `plugin`: one that has not
    counted adds nothing."""
    try:
        said = str(read_machine(options.out).get("counter", "")).split(" and ")
    except Failure:
        said = []
    before = counters.COUNTERS.keys() & said
    used = {options.counter.name} if options.counter and (counted or not before) else set()
    return " and ".join(sorted(before | used))


def write(options: Options, cells: list[Cell], found: dict[str, list[Row]], counted: bool) -> None:
    """Write the results folder from cells that are checked, beside the rows that are found
    already: nothing before every row is there.  `counted`: whether the counter had to count."""
    made: dict[str, Callable[[Cell], Iterable[Row]]] = {}
    if options.counter:
        made["counts.csv"] = Cell.count_rows
    if options.sizes:
        made["asm.csv"] = Cell.size_rows
    if options.counter and options.sizes:
        made["lines.csv"] = Cell.line_rows
    flags = read_flags()
    rows = {PROVENANCE: [row for cell in cells for row in cell.groups(flags)], **found}
    rows |= {file: [row for cell in cells for row in of(cell)] for file, of in made.items()}
    programs = {cell.label: digest(cell.program) for cell in cells}
    facts = machine_facts(options.platform.name, options.platform.runner, flags, programs)
    if options.platform.direct:
        facts["timing"] = clock.facts()
    facts["messages"] = options.messages
    facts["counter"] = counters_of(options, counted)
    if options.out == LOCAL:  # what is committed is always the whole
        rows, facts = merge.merged(options.out, rows, facts)
    for file, all_of_it in rows.items():
        write_rows(options.out / file, all_of_it)
    write_machine(options.out, facts)


def look_over(out: Path, cells: list[Cell]) -> None:
    """Before anything is measured: the results that are there can be read, or are kept elsewhere,
    and what killed runs left half written is gone.  Raises Failure where the results are another
    board's, and naming file and line where they are committed."""
    if is_imported(out):
        raise Failure(f"{out}: `make import` brought it; rename it to measure into a new one")
    for path in out.glob("*.csv"):
        try:
            read_rows(path)
        except Failure as fault:
            if out != LOCAL or not path.is_file():
                raise
            print(f"  NOTE    {str(fault).partition(';')[0]}", flush=True)
            merge.set_aside(out, shutil.copytree, "a table that is damaged")
            path.unlink()
    for folder in (out, *(cell.folder for cell in cells)):
        sweep(folder)


def collect(folders: list[Path], messages: str, out: Path, sizes: bool) -> None:
    """Everything that the command line asks for: where programs run directly, their times first.
    Raises Failure and OSError."""
    platform = read_platform()
    counter = choose_counter(platform)
    options = Options(out, sizes, platform, counter, choose_messages(messages, platform, counter))
    cells = checked(cells_of(folders, options.messages))
    look_over(out, cells)
    studies = {folder.parent.name for folder in folders}
    if out == LOCAL:  # which holds all that has been measured here
        studies = {ladder.LADDER, *ladder.studies()}
    places = [snapshot.path for study in studies for snapshot in ladder.snapshots(study)]
    levels = ladder.EVERY_LEVEL if out == LOCAL else ladder.LEVELS
    known = [cell for cell in cells_of(places, options.messages, levels) if cell.checked]
    known = [cell for cell in known if cell.sized or not sizes]
    found = time_rows(known) if platform.direct else {}
    counted = count(cells, counter) if counter else False
    write(options, known, found, counted)


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--messages", default="", help="small, default or all")
    parser.add_argument("--out", type=Path, default=LOCAL)
    parser.add_argument(
        "--no-sizes", action="store_true", help="no asm.csv, no lines.csv: needs no binutils"
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with files.alone():
        collect(options.folders, options.messages, options.out, not options.no_sizes)


if __name__ == "__main__":
    sys.exit(faults.command_line("collect", main))
