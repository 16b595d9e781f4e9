"""Measure checked snapshots and write a results folder.

`python3 -m harness.collect [--messages all] [--out DIR] FOLDER...` where FOLDER is a snapshot's,
such as iterations/v4.  Called by make, after every program of those folders has passed its check.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from harness import counts, progress, results
from harness.cells import LEVELS, PLUGIN, Cell, Failure
from rsalab import ladder


def target() -> tuple[str, list[str]]:
    """(platform, runner command) as make found them."""
    lines = Path("build/platform").read_text().splitlines()
    facts = dict(line.split("=", 1) for line in lines)
    return facts["platform"], shlex.split(shlex.split(facts["runner"])[0])


def cells_of(folders: list[Path], messages: str) -> list[Cell]:
    """The cells of snapshot folders, in ladder order.  Raises ladder.LadderError."""
    wanted = {(folder.parent.name, folder.name) for folder in folders}
    return [
        Cell(snapshot, level, messages)
        for study in sorted({study for study, _ in wanted})
        for snapshot in ladder.snapshots(study)
        if (study, snapshot.name) in wanted
        for level in LEVELS
    ]


def count(cells: list[Cell]) -> None:
    """Make every run that is missing, as many at a time as there are processors.  The counter first
    proves itself on its self-test.  Raises counts.Failure."""
    todo = [(cell, task) for cell in cells for task in cell.tasks if cell.counted(task) is None]
    if not todo:
        return
    said = counts.selftest("build/selftest", "harness/counter/selftest.txt", plugin=PLUGIN)
    print(f"  COUNTER {said} values of the self-test as expected", flush=True)

    def runs(pool: ThreadPoolExecutor) -> Iterator[tuple[str, str]]:
        futures = {pool.submit(cell.count, task): (cell, task) for cell, task in todo}
        try:
            for future in as_completed(futures):
                future.result()
                cell, task = futures[future]
                yield cell.name, task.case
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    by_name = {cell.name: cell for cell in cells}
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        waiting = [cell.name for cell, _ in todo]
        progress.follow(runs(pool), waiting, lambda name: summary(by_name[name]))


def summary(cell: Cell) -> str:
    """`v4 O1  10.467 M instructions a round trip`, for a line of progress."""
    n, symbols = cell.totals("roundtrip-full")
    mean = symbols["total"]["instructions"] / n if n else 0
    return f"{cell.name:<10} {mean / 1e6:>9.3f} M instructions a round trip"


def write(out: Path, study: str, messages: str, counted: bool) -> None:
    """Write the results folder from every cell of the study that is checked and measured."""
    name, runner = target()
    folders = [snapshot.path for snapshot in ladder.snapshots(study)]
    cells = [cell for cell in cells_of(folders, messages) if cell.checked]
    files = {"asm.csv": Cell.size_rows}
    if counted:
        files["counts.csv"] = Cell.count_rows
    if not runner:
        files["times.csv"] = Cell.time_rows
    for file, rows in files.items():
        results.write_rows(out / file, [row for cell in cells for row in rows(cell)])
    programs = {cell.label: results.digest(cell.program) for cell in cells}
    facts = results.machine(name, runner, Path("build/flags").read_text(), programs)
    results.write_machine(out / "machine.json", dict(facts, messages=messages))


def main() -> int:
    """Command line; 0, or 2 with one line on stderr."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", default="default")
    parser.add_argument("--out", type=Path, default=Path("results/local"))
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    try:
        counted = counts.supported()
        if counted:
            count(cells_of(options.folders, options.messages))
        for study in sorted({folder.parent.name for folder in options.folders}):
            write(options.out, study, options.messages, counted)
    except (Failure, ValueError, OSError, counts.Failure) as fault:
        print(f"collect: {fault}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "\ncollect: interrupted; what was measured is kept: the same command goes on from here",
            file=sys.stderr,
        )
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
