"""Measure checked snapshots and write results/local/.

`python3 -m harness.collect [--messages all] [--out DIR] FOLDER...` where FOLDER is a snapshot's, such as
iterations/v4.  Called by make, after every program of those folders has passed its check.  Each run of a
program is kept under build/ with a hash of all that it depends on, so that nothing is measured twice
and an interrupted collection goes on where it stopped.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

from harness import assembly, counts, progress, results, workload
from rsalab import ladder

LEVELS = ("O0", "O1", "O3")
PLUGIN = Path("build/count.so")
LIMIT = 3600  # seconds for one run of a program


class Failure(Exception):
    """One line for the user: what went wrong and what to do."""


@dataclass(frozen=True)
class Cell:
    """One program: a snapshot at a level."""

    snapshot: ladder.Snapshot
    level: str

    @property
    def folder(self) -> Path:
        """Its folder under build/."""
        study = self.snapshot.study
        place = [study] if study == "iterations" else ["studies", study]
        return Path("build", *place, self.snapshot.name, self.level)

    @property
    def program(self) -> Path:
        """The driver linked with the snapshot."""
        return self.folder / "rsa"

    @property
    def name(self) -> str:
        """`v4 O1`."""
        return "{} {}".format(self.snapshot.name, self.level)

    @property
    def row(self) -> dict:
        """The columns that say which cell a row is of."""
        return {"study": self.snapshot.study, "snapshot": self.snapshot.name, "level": self.level,
                "repeat": 0}


def target() -> Tuple[str, List[str]]:
    """(platform, runner command) as make found them."""
    lines = Path("build/platform").read_text().splitlines()
    facts = dict(line.split("=", 1) for line in lines)
    return facts["platform"], shlex.split(shlex.split(facts["runner"] or "''")[0])


def inputs(cell: Cell) -> Path:
    """The folder of keys, messages and vectors for the snapshot's width."""
    return Path("data/inputs/width-{}".format(cell.snapshot.width))


def key(cell: Cell, task: workload.Task) -> str:
    """Hash of all that a run depends on: program, counter, inputs and command."""
    files = [cell.program, PLUGIN, Path("harness/counts.py"), Path("harness/elf.py"), *task.inputs]
    return results.digest(*files) + " " + " ".join(task.arguments)


def kept(cell: Cell, task: workload.Task) -> Path:
    """Where the counts of a run are kept."""
    return cell.folder / "{}.{}.json".format(task.case, task.part)


def recall(cell: Cell, task: workload.Task) -> Optional[dict]:
    """The counts of an earlier run, if nothing that they depend on has changed."""
    try:
        found = json.loads(kept(cell, task).read_text())
    except (OSError, ValueError):
        return None
    return found["symbols"] if found.get("key") == key(cell, task) else None


def measure(cell: Cell, task: workload.Task) -> None:
    """Run a program under the counter and keep its counts per symbol.  Raises counts.Failure."""
    raw = kept(cell, task).with_suffix(".tsv")
    rows = counts.count(cell.program, task.arguments, plugin=PLUGIN, out=raw, timeout=LIMIT)
    symbols = counts.by_symbol(rows, cell.program)
    text = json.dumps({"key": key(cell, task), "symbols": symbols}, sort_keys=True)
    results.replace(kept(cell, task), text + "\n")


def count_rows(cell: Cell, tasks: List[workload.Task]) -> Iterator[dict]:
    """Rows for counts.csv: the runs of each case added up.  None of a case whose runs are not all
    there."""
    for case in dict.fromkeys(task.case for task in tasks):
        parts = [(task.n, recall(cell, task)) for task in tasks if task.case == case]
        if any(symbols is None for _, symbols in parts):
            continue
        total: Dict[Tuple[str, str], int] = {}
        for _, symbols in parts:
            for symbol, metrics in symbols.items():
                for metric, value in metrics.items():
                    total[symbol, metric] = total.get((symbol, metric), 0) + value
        for (symbol, metric), value in sorted(total.items()):
            yield dict(cell.row, case=case, metric=metric, symbol=symbol, value=value,
                       unit=counts.unit(metric), n=sum(n for n, _ in parts))


def take(cells: List[Cell], tasks: Dict[Cell, List[workload.Task]]) -> None:
    """Make every run that is missing, as many at a time as there are processors.  Raises Failure."""
    todo = [(cell, task) for cell in cells for task in tasks[cell]
            if recall(cell, task) is None]
    if not todo:
        return
    said = counts.selftest("build/selftest", "harness/counter/selftest.txt", plugin=PLUGIN)
    print("  COUNTER {} values of the self-test as expected".format(said), flush=True)

    def ended(pool: ThreadPoolExecutor) -> Iterator[Tuple[str, str]]:
        futures = {pool.submit(measure, cell, task): (cell, task) for cell, task in todo}
        try:
            for future in as_completed(futures):
                future.result()
                yield futures[future][0].name, futures[future][1].case
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    def done(name: str) -> str:
        cell = next(cell for cell in cells if cell.name == name)
        return "{:<10} {}".format(name, summary(cell, tasks[cell]))

    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        progress.follow(ended(pool), [cell.name for cell, _ in todo], done)


def summary(cell: Cell, tasks: List[workload.Task]) -> str:
    """`31.204 M instructions a round trip`, for a line of progress."""
    parts = [(task.n, recall(cell, task)) for task in tasks if task.case == "roundtrip-full"]
    if any(symbols is None for _, symbols in parts):
        return "counted"
    total = sum(symbols["total"]["instructions"] for _, symbols in parts)
    return "{:>9.3f} M instructions a round trip".format(total / sum(n for n, _ in parts) / 1e6)


def time_rows(cell: Cell, messages: str) -> Iterator[dict]:
    """Rows for times.csv: clock() and clock_gettime() of each message of the default workload, run
    directly on this board.  Raises Failure."""
    folder = inputs(cell) / "key-full"
    for n, arguments in workload.chunks(folder, messages):
        said = subprocess.run([str(cell.program), "time", str(folder / "key.txt"), *arguments],
                              capture_output=True, text=True, timeout=LIMIT)
        if said.returncode:
            raise Failure(said.stderr.strip() or "{}: status {}".format(cell.name, said.returncode))
        header, *samples = said.stdout.splitlines()
        names = header.lstrip("# ").split()
        for sample in samples:
            fields = dict(zip(names, map(int, sample.split())))
            repeat = fields.pop("index")
            for name, value in fields.items():
                metric, unit = name.rsplit("_", 1)
                yield dict(cell.row, case="roundtrip-full", metric=metric, symbol="total", value=value,
                           unit=unit, n=1, repeat=repeat)


def checked(cell: Cell) -> bool:
    """True if the program on disk has passed its check."""
    stamp = cell.folder / "check.ok"
    return stamp.exists() and stamp.stat().st_mtime >= cell.program.stat().st_mtime


def write(out: Path, study: str, messages: str, direct: bool, counted: bool) -> None:
    """Write the results folder from every cell of the study that is checked and measured."""
    cells = [Cell(s, level) for s in ladder.snapshots(study) for level in LEVELS]
    cells = [cell for cell in cells if checked(cell)]
    rows: List[dict] = []
    for cell in cells if counted else []:
        rows += count_rows(cell, workload.tasks(inputs(cell), messages))
    results.write_rows(out / "counts.csv", rows)
    results.write_rows(out / "asm.csv", [
        dict(cell.row, **row) for cell in cells for row in assembly.rows(cell.folder, cell.snapshot.path)])
    if direct:
        results.write_rows(out / "times.csv", [row for cell in cells for row in time_rows(cell, messages)])
    programs = {"/".join((cell.snapshot.study, cell.snapshot.name, cell.level)):
                results.digest(cell.program) for cell in cells}
    name, runner = target()
    facts = results.machine(name, runner, Path("build/flags").read_text(), programs)
    results.write_machine(out / "machine.json", dict(facts, messages=messages))


def main() -> int:
    """Command line; 0, or 2 with one line on stderr."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", default="default")
    parser.add_argument("--out", type=Path, default=Path("results/local"))
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    studies = {folder.parent.name for folder in options.folders}
    try:
        snapshots = [s for study in studies for s in ladder.snapshots(study)
                     if (s.study, s.name) in {(f.parent.name, f.name) for f in options.folders}]
        cells = [Cell(s, level) for s in snapshots for level in LEVELS]
        tasks = {cell: workload.tasks(inputs(cell), options.messages) for cell in cells}
        counted = counts.supported()
        if counted:
            take(cells, tasks)
        for study in studies:
            write(options.out, study, options.messages, not target()[1], counted)
    except (Failure, ValueError, OSError, counts.Failure) as fault:
        print("collect: {}".format(fault), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ncollect: interrupted; what was measured is kept, and the same command goes on from"
              " here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
