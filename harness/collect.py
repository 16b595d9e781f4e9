"""Measure checked snapshots and write a results folder.

`python3 -m harness.collect [--messages all] [--out DIR] FOLDER...` where FOLDER is a snapshot's,
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
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path

from harness import progress
from harness.cells import Cell, cells_of
from harness.count import backend, lines
from harness.exchange import provenance
from harness.time import hardware_counters, rounds
from records import faults, ladder, lock, workload
from records.faults import Failure
from records.files import digest, sweep
from records.machine import machine_facts, write_machine
from records.platform import read_platform
from records.rows import read_rows, write_rows

LOCAL = Path("results/local")


def count(cells: list[Cell], counter: backend.Backend) -> None:
    """Make every run that is missing, as many at a time as there are processors.  The counter first
    proves itself on its self-test.  At the first fault nothing new begins and what runs is ended.
    Raises Failure."""
    todo = [(cell, task) for cell in cells for task in cell.tasks if cell.counted(task) is None]
    if not todo:
        return
    said = counter.selftest("build/selftest", "harness/count/plugin/selftest.txt")
    print(f"  COUNTER {counter.name}: {said} values of the self-test as expected", flush=True)
    by_name = {cell.name: cell for cell in cells}
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        futures = {pool.submit(cell.count, task, counter): (cell, task) for cell, task in todo}
        try:
            waiting = [cell.name for cell, _ in todo]
            progress.follow(ended(futures), waiting, lambda name: summary(by_name[name]))
        except BaseException:
            for future in futures:
                future.cancel()
            while any(future.running() for future in futures):
                faults.end_children()
                time.sleep(0.02)
            raise


def ended(futures: dict[Future, tuple[Cell, workload.Task]]) -> Iterator[tuple[str, str]]:
    """(cell, case) of each run as it ends.  Raises what the run raised."""
    for future in as_completed(futures):
        future.result()
        cell, task = futures[future]
        yield cell.name, task.case


def summary(cell: Cell) -> str:
    """`v4 O1  10.467 M instructions a round trip`, for a line of progress."""
    n, symbols = cell.totals("roundtrip-full")
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


def write(
    out: Path,
    studies: list[str],
    messages: str,
    counter: backend.Backend | None,
    sized: bool = True,
) -> None:
    """Write the results folder from every cell of the studies that is checked and measured: nothing
    before every row is there."""
    name, runner = read_platform()
    folders = [snapshot.path for study in studies for snapshot in ladder.snapshots(study)]
    levels = ladder.EVERY_LEVEL if out == LOCAL else ladder.LEVELS
    cells = [cell for cell in cells_of(folders, messages, levels) if cell.checked]
    cells = [cell for cell in cells if cell.sized or not sized]
    files = {"asm.csv": Cell.size_rows} if sized else {}
    if counter:
        files["counts.csv"] = Cell.count_rows
    if not runner:
        files["perf.csv"] = hardware_counters.rows
        if hardware_counters.note():
            print(f"  NOTE    {hardware_counters.note()}", flush=True)
    by_line = [row for cell in cells for row in lines.rows(cell)] if counter and sized else []
    made = {file: [row for cell in cells for row in rows(cell)] for file, rows in files.items()}
    if not runner:
        made["times.csv"] = rounds.collect(cells, progress=rounds.said)
    programs = {cell.label: digest(cell.program) for cell in cells}
    flags = Path("build/flags").read_text()
    facts = machine_facts(name, runner, flags, programs)
    if not runner:
        facts["timing"] = rounds.facts()
    for file, rows in made.items():
        write_rows(out / file, rows)
    if counter and sized:
        write_rows(out / "lines.csv", by_line)
    write_rows(out / provenance.FILE, provenance.groups(cells, flags))
    by = counter.name if counter else ""
    write_machine(out, dict(facts, messages=messages, counter=by))


def pick() -> backend.Backend | None:
    """The counter to use: COUNTER of the environment, or the first that works here.  Raises
    ValueError, and OSError where programs cannot even run."""
    runner = read_platform().runner
    if runner and shutil.which(runner[0]) is None:
        raise FileNotFoundError(errno.ENOENT, "not found", runner[0])
    counter, why_not = backend.pick(os.environ.get("COUNTER", ""))
    if counter is None:
        print(f"  {why_not}", flush=True)
    return counter


def look_over(out: Path, cells: list[Cell]) -> None:
    """Before anything is measured: the results that are there can be read, and what killed runs
    left half written is gone.  Raises ValueError naming file and line."""
    for path in out.glob("*.csv"):
        read_rows(path)
    for folder in (out, *(cell.folder for cell in cells)):
        sweep(folder)


def collect(options: argparse.Namespace) -> None:
    """Everything that the command line asks for.  Raises what faults.EXPECTED names."""
    cells = checked(cells_of(options.folders, options.messages))
    look_over(options.out, cells)
    counter = pick()
    if counter:
        count(cells, counter)
    studies = sorted({folder.parent.name for folder in options.folders})
    if options.out == LOCAL:  # which holds all that has been measured here
        studies = [ladder.LADDER, *ladder.studies()]
    write(options.out, studies, options.messages, counter, not options.no_sizes)


def main() -> int:
    """Command line; 0, 2 with one line on stderr, or 128 and the signal that ended it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", default="default")
    parser.add_argument("--out", type=Path, default=LOCAL)
    parser.add_argument(
        "--no-sizes", action="store_true", help="no asm.csv, no lines.csv: needs no binutils"
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    faults.obey_signals()
    try:
        with lock.alone():
            collect(options)
    except faults.EXPECTED as fault:
        print(f"collect: {faults.line(fault)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as signalled:
        print(f"\ncollect: interrupted; {faults.AGAIN}", file=sys.stderr)
        return 128 + signalled.args[0]
    return 0


if __name__ == "__main__":
    sys.exit(main())
