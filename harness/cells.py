"""A cell is a snapshot at a level: one program, its runs, and what is kept of them.

Whatever is computed is kept under build/ with a hash of all that it depends
on, so that nothing is measured twice and an interrupted collection goes on
where it stopped.
"""

import errno
import itertools
import json
import os
import shlex
import time
from collections import Counter as Sum
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from harness import counts, elf, operands
from harness.counters import PLACES, QEMU, Counter, results_of
from records import faults, ladder, workload
from records.faults import Failure, end_children
from records.files import digest, replace
from records.rows import Row

# ---- what is kept, and tasks on all cores

WORKERS = len(os.sched_getaffinity(0))


class Task(NamedTuple):
    """Something to compute: `key` changes with all that the answer depends
    on, which is kept in the file `path` as JSON.  `compute` runs in a
    thread: it starts programs, or waits for them."""

    path: Path
    key: str
    compute: Callable[[], Any]


def on_all_cores(
    tasks: Sequence[Task], look: Callable[[Task], None] = lambda ended: None
) -> list[Any]:
    """The answers of tasks, in their order: recalled where they are kept,
    else computed, as many at a time as there are processors, and kept.
    `look` hears of each that has ended.  Raises what a task raises: then
    nothing new begins, and the programs at work are killed."""
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        futures = {pool.submit(kept, *task): task for task in tasks}
        try:
            for future in as_completed(futures):
                future.result()
                look(futures[future])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while any(future.running() for future in futures):
                end_children()
                time.sleep(0.02)
            raise
    return [future.result() for future in futures]


def kept(path: Path, key: str, compute: Callable[[], Any]) -> Any:
    """What is kept in a file under this key; else it is computed and kept."""
    what = recall(path, key)
    if what is None:
        what = compute()
        keep(path, key, what)
    return what


def recall(path: Path, key: str) -> Any:
    """What is kept in a file, if it was kept under this key; else, or if it is not whole, None."""
    try:
        kept = json.loads(path.read_text())
        return kept["what"] if kept["key"] == key else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def keep(path: Path, key: str, what: object) -> None:
    """Keep something, the whole of it or nothing."""
    replace(path, json.dumps({"key": key, "what": what}, sort_keys=True) + "\n")


def made_of(path: Path, parts: Iterable[Path]) -> bool:
    """Whether a file and its parts are there, and none of these is younger."""
    made = path.stat().st_mtime if path.exists() else 0
    return bool(made) and all(p.exists() and p.stat().st_mtime <= made for p in parts)


# ---- a cell

READING = [Path(counts.__file__), Path(elf.__file__)]
COUNTER = [*PLACES.values(), *READING]
BUILD = Path("build")
LIMIT = 7200  # seconds for one run of a program


class Cell:
    """A snapshot at a level; `messages` says which workload is counted
    (records/workload.py), and `build` is build/host for this machine's own
    programs.

    `source` is the folder of its sources, from the root of the repository;
    `folder` its own under build/; `program` the driver linked with the
    snapshot; `inputs` the folder of keys, messages and vectors for its
    width; `place` its columns in every table; `name` is like `v4 O1`,
    `label` like `iterations/v4/O1`."""

    def __init__(
        self, snapshot: ladder.Snapshot, level: str, messages: str, build: Path = BUILD
    ) -> None:
        study = snapshot.study
        self.snapshot, self.level, self.messages, self.build = snapshot, level, messages, build
        self.source = Path(study if study == ladder.LADDER else f"studies/{study}", snapshot.name)
        self.folder = build / self.source / level
        self.program = self.folder / "rsa"
        self.inputs = Path(f"data/inputs/width-{snapshot.width}")
        self.place = {"study": study, "snapshot": snapshot.name, "level": level}
        self.name, self.label = f"{snapshot.name} {level}", "/".join(self.place.values())

    @property
    def checked(self) -> bool:
        """Whether the program on disk is made of the sources on disk and has passed its check."""
        return self.made_of_sources() and made_of(self.folder / "check.ok", [self.program])

    def made_of_sources(self, root: Path = Path()) -> bool:
        """Whether the program is made of the sources below `root`, the repository's."""
        sources = [root / path for path in self.snapshot.path.glob("*.[chS]")]
        return made_of(root / self.program, sources)

    # ---- its runs

    @property
    def tasks(self) -> list[workload.Task]:
        """Every run that is counted."""
        return workload.tasks(self.inputs, self.messages)

    def cases(self) -> dict[str, list[workload.Task]]:
        """Case -> its runs."""
        by_case = itertools.groupby(self.tasks, lambda run: run.case)
        return {case: list(runs) for case, runs in by_case}

    def kept(self, run: workload.Task) -> Path:
        """Where the counts of a run are kept; beside it, as .tsv, the counter's own file."""
        return self.folder / f"{run.case}.{run.part}.json"

    def depends(self, words: Iterable[str], *files: Path) -> str:
        """What a number depends on: the program, `files` and the inputs
        among the words by their hash, and the words."""
        said = [*words]
        return " ".join([digest(self.program, *files, *workload.inputs_of(said)), *said])

    def key(self, run: workload.Task) -> str:
        """What a run depends on.  Not which of the two counters it was,
        because they agree to the unit."""
        return self.depends(run.arguments, *filter(Path.exists, COUNTER))

    def counted(self, run: workload.Task) -> Any:
        """The counts of an earlier run, a counts.Table, if they are still true; else None."""
        return recall(self.kept(run), self.key(run))

    def task(self, run: workload.Task, counter: Counter) -> Task:
        """Counts a run.  Raises Failure, which names the command, and OSError."""
        return Task(self.kept(run), self.key(run), lambda: self._count(run, counter))

    def _count(self, run: workload.Task, counter: Counter) -> counts.Table:
        predict, seconds = run.case in workload.PREDICTED, faults.limit(LIMIT)
        width = self.snapshot.width
        todo, calls = operands.prepared(run.arguments, width)
        self.kept(run).unlink(missing_ok=True)  # of another program, whose .tsv it was
        out, words = self.kept(run).with_suffix(".tsv"), ["call", str(calls)]
        try:
            rows = counter.count(
                self.program, words, width, out=out, timeout=seconds, predict=predict
            )
            printed = results_of(out).read_text()
            if wrong := operands.wrong(todo, operands.results(printed)):
                raise Failure(f"{self.program}: not counted: {wrong}")
        except Failure as fault:
            if os.strerror(errno.ENOSPC) in str(fault):
                raise Failure(f"{fault}; {faults.FREE}") from None
            late = f"; LIMIT={4 * seconds} allows more" if "not finished" in str(fault) else ""
            alone = shlex.join(map(str, [*QEMU, self.program, *words]))
            raise Failure(f"{fault}{late}; see it alone: {alone}") from None
        table = counts.by_symbol(rows, self.program)
        for metrics in () if predict else table.values():
            del metrics[counts.SIMULATED]
        return table

    def totals(self, case: str) -> tuple[int, counts.Table]:
        """Operations and counts over all runs of a case; (0, {}) unless all of them are there."""
        runs = self.cases().get(case, [])
        tables, total = [self.counted(run) for run in runs], counts.Table()
        if None in tables:
            return 0, {}
        for symbol, metrics in (item for table in tables for item in table.items()):
            total.setdefault(symbol, Sum()).update(metrics)
        return sum(run.n for run in runs), total

    # ---- its rows

    def row(self, **columns: object) -> Row:
        """A row of a results file for this cell."""
        return {**self.place, "repeat": 0, **columns}

    def count_rows(self) -> Iterator[Row]:
        """Rows for counts.csv.  A zero is a row only of `total`: for a
        single symbol, no row is a zero."""
        for case in self.cases():
            n, symbols = self.totals(case)
            names = sorted({name for metrics in symbols.values() for name in metrics})
            for metric, symbol in itertools.product(names, sorted(symbols)):
                value = symbols[symbol].get(metric, 0)
                if value or symbol == "total":
                    row = {"case": case, "metric": metric, "symbol": symbol, "value": value}
                    yield self.row(**row, unit=counts.unit(metric), n=n)

    def line_rows(self) -> Iterator[Row]:
        """Rows for lines.csv, of the case of the table; none unless all of
        its runs are there. Raises Failure where a counter's file is not
        whole."""
        case = workload.main_case(self.messages)
        n, _ = self.totals(case)
        raw = [self.kept(run).with_suffix(".tsv") for run in self.cases()[case] if n]
        key = self.depends([], *filter(Path.exists, raw), *READING)
        place = self.folder / "lines.json"
        made = kept(place, key, lambda: counts.line_rows(self.program, self.source, raw))
        yield from (self.row(case=case, **row, n=n) for row in made)

    def size_rows(self) -> Iterator[Row]:
        """Rows for asm.csv."""
        for row in counts.size_rows(self.folder, self.snapshot.path):
            yield self.row(**row)

    def groups(self, flags: str) -> Iterator[Row]:
        """Rows for provenance.csv, one a case: number of operations;
        program, inputs and flags by their hash.  `flags` is the text of
        build/flags.  Raises OSError when a file is missing."""
        how = f"{flags.strip()}\n-{self.level} -DWIDTH={self.snapshot.width}\n"
        hashes = {"program": digest(self.program), "flags": sha256(how.encode()).hexdigest()}
        for case, runs in self.cases().items():
            commands = "\n".join(" ".join(run.arguments) for run in runs)
            files = digest(*(path for run in runs for path in workload.inputs_of(run.arguments)))
            inputs = sha256(f"{commands}\n{files}\n".encode()).hexdigest()
            yield self.row(case=case, n=sum(run.n for run in runs), inputs=inputs, **hashes)


def cells_of(
    folders: Iterable[Path], messages: str, levels: Iterable[str] = (), build: Path = BUILD
) -> list[Cell]:
    """The cells of snapshot folders at the levels of this run, or at
    `levels`, in ladder order. Raises Failure."""
    wanted = {(folder.parent.name, folder.name) for folder in folders}
    return [
        Cell(snapshot, level, messages, build)
        for study in sorted({study for study, _ in wanted})
        for snapshot in ladder.snapshots(study)
        if (study, snapshot.name) in wanted
        for level in levels or ladder.levels()
    ]


def checked(cells: list[Cell]) -> list[Cell]:
    """The same cells.  Raises Failure when one of them has not passed its check."""
    for cell in cells:
        if not cell.checked:
            hint = f"`make {cell.folder}/check.ok` checks it"
            raise Failure(f"{cell.label}: not checked, so it is not measured; {hint}")
    return cells
