"""Measure checked snapshots and write a results folder.

`python3 -m harness.collect [--messages WORD] [--out DIR] FOLDER...` where FOLDER is a snapshot's,
such as iterations/v4.  Called by make, after every program of those folders has passed its check.
One collection at a time in a checkout (lock.py); killed at any moment, it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import errno
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from harness import clock, merge, perf, progress, provenance
from harness.cells import Cell, cells_of
from harness.count import counters, selftest
from harness.count.counters import Counter
from records import faults, ladder, lock, workload
from records.faults import Failure
from records.files import digest, sweep
from records.machine import is_imported, machine_facts, read_machine, write_machine
from records.platform import Platform, read_flags, read_platform
from records.rows import Row, read_rows, write_rows

LOCAL = merge.LOCAL
UNKNOWN = 1e6  # instructions of an operation that was never counted


class Options(NamedTuple):
    """What a collection is: where it is written, whether with code sizes (which needs binutils), on
    what platform, by which counter and with which messages."""

    out: Path
    sizes: bool
    platform: Platform
    counter: Counter | None
    messages: str


def count(cells: list[Cell], counter: Counter) -> bool:
    """Make every run that is missing, as many at a time as there are processors.  The counter first
    proves itself on its self-test.  At the first fault nothing new begins and what runs is ended.
    Returns whether there was anything to count.  Raises Failure."""
    todo = {
        (cell.label, task.case, task.part): (cell, task)
        for cell in cells
        for task in cell.tasks
        if cell.counted(task) is None
    }
    if not todo:
        return False
    said = counter.selftest(selftest.PROGRAM, selftest.TABLE)
    print(f"  COUNTER {counter.name}: {said} values of the self-test as expected", flush=True)
    workers, by_label = len(os.sched_getaffinity(0)), {cell.label: cell for cell in cells}
    following = progress.Progress(expected(todo, counter), workers)
    following.announce()

    with ThreadPoolExecutor(max_workers=workers) as pool:

        def run(name: progress.Run) -> progress.Run:
            cell, task = todo[name]
            cell.count(task, counter)
            return name

        futures = [pool.submit(run, name) for name in todo]
        try:
            following.follow(futures, lambda label: summary(by_label[label]))
        except BaseException:
            for future in futures:
                future.cancel()
            while any(future.running() for future in futures):
                faults.end_children()
                time.sleep(0.02)
            raise
    return True


def expected(
    todo: dict[progress.Run, tuple[Cell, workload.Task]], counter: Counter
) -> dict[progress.Run, float]:
    """The processor time in seconds that each run will take: by the committed results, which have
    the instructions of nearly every cell."""
    known = {}
    for path in sorted(Path("results").glob("qemu-*/counts.csv")):
        for line in path.read_text().splitlines():
            if ",instructions,total," in line:  # a file of 70,000 lines
                study, name, level, case, _, _, value, _, n, _ = line.split(",")
                known[f"{study}/{name}/{level}", case] = int(value) / int(n)
    seconds = {}
    for run, (cell, task) in todo.items():
        usual = known.get((cell.label, workload.TRIP_FULL), UNKNOWN)
        instructions = task.n * known.get((cell.label, task.case), usual)
        seconds[run] = counter.start + instructions / counter.speed(cell.level)
    return seconds


def summary(cell: Cell) -> str:
    """`v4 O1  10.467 M instructions a round trip`, for a line of progress."""
    n, symbols = cell.totals(workload.main_case(cell.messages))
    mean = symbols["total"]["instructions"] / n if n else 0
    return f"{cell.name:<10} {mean / 1e6:>9.3f} M instructions a round trip"


def checked(cells: list[Cell]) -> list[Cell]:
    """The same cells.  Raises Failure when one of them has not passed its check."""
    for cell in cells:
        if not cell.checked:
            raise Failure(
                f"{cell.label}: not checked, so it is not measured;"
                f" `make {cell.folder}/check.ok` checks it"
            )
    return cells


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
    rows = {file: [row for cell in cells for row in of(cell)] for file, of in made.items()}
    flags = read_flags()
    programs = {cell.label: digest(cell.program) for cell in cells}
    facts = machine_facts(options.platform.name, options.platform.runner, flags, programs)
    if options.platform.direct:
        facts["timing"] = clock.facts()
    rows = {provenance.FILE: list(provenance.groups(cells, flags)), **found, **rows}
    facts["messages"] = options.messages
    facts["counter"] = counters_of(options, counted)
    if options.out == LOCAL:  # what is committed is always the whole
        rows, facts = merge.merged(options.out, rows, facts)
    for file, all_of_it in rows.items():
        write_rows(options.out / file, all_of_it)
    write_machine(options.out, facts)


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


def look_over(out: Path, cells: list[Cell]) -> None:
    """Before anything is measured: the results that are there can be read, and what killed runs
    left half written is gone.  Raises Failure naming file and line, and where the results are
    another board's."""
    if is_imported(out):
        raise Failure(f"{out}: `make import` brought it; rename it to measure into a new one")
    for path in out.glob("*.csv"):
        read_rows(path)
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
    with lock.alone():
        collect(options.folders, options.messages, options.out, not options.no_sizes)


if __name__ == "__main__":
    sys.exit(faults.command_line("collect", main))
