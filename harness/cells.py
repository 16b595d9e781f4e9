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
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cached_property
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from harness import counts, elf, executed, operands
from harness.check import passed
from harness.counters import PLACES, Counter, emulator, results_of
from harness.counts import Sums
from harness.executed import Instruction
from records import faults, files, ladder, workloads
from records.faults import Failure, end_children
from records.files import digest, replace
from records.machine import read_compiler, read_platform
from records.rows import Row, number

# ---- what is kept, and tasks on all cores

WORKERS = len(os.sched_getaffinity(0))


class Task(NamedTuple):
    """Something to compute: `key` changes with all that the answer depends
    on, which is kept in the file `path`.  `compute` runs in a thread: it
    starts programs, or waits for them."""

    path: Path
    key: str
    compute: Callable[[], Any]


def on_all_cores(
    tasks: Sequence[Task], look: Callable[[Task], None] = lambda ended: None
) -> list[Any]:
    """Return the answers of tasks, in their order: recalled where they are
    kept, else computed, as many at a time as there are processors, and kept.
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
    """Return what is kept in a file under this key; else compute and keep it."""
    answer = recall(path, key)
    if answer is None:
        answer = compute()
        keep(path, key, answer)
    return answer


def recall(path: Path, key: str) -> Any:
    """Return what is kept in a file, a table (.tsv) as its text, if it was
    kept under this key; else, or if the file is not whole, None."""
    try:
        first, _, text = path.read_text().partition("\n")
    except (OSError, ValueError):
        return None
    if first != seal(key, text):
        return None
    return text if path.suffix == TABLE else json.loads(text)


def keep(path: Path, key: str, answer: Any) -> None:
    """Keep an answer, the whole of it or nothing."""
    text = answer if path.suffix == TABLE else json.dumps(answer, sort_keys=True)
    replace(path, f"{seal(key, text)}\n{text}")


TABLE = ".tsv"


def seal(key: str, text: str) -> str:
    """Return the first line of what is kept, which no other key and no other text has."""
    return sha256(f"{key}\n{text}".encode()).hexdigest()


def made_of(path: Path, parts: Iterable[Path]) -> bool:
    """Return whether a file and its parts are there, and none of these is younger."""
    if not path.exists():
        return False
    made = path.stat().st_mtime
    return all(part.exists() and part.stat().st_mtime <= made for part in parts)


# ---- a cell

# How what a counter writes is read.  What is worked out of it later is not kept.
READING = [Path(executed.__file__), Path(elf.__file__)]
COUNTER = [*PLACES.values(), *READING]
BUILD = Path("build")
RUN_SECONDS = 7200  # of processor time that one run of a program may take
CHANGED = (
    "its program, its inputs or the counter changed while it was counted; "
    "the same command builds and counts it again"
)


class Cell:
    """A snapshot at a level; `messages` says which workload is counted
    (records/workloads.py), and `build` is build/host for this machine's own
    programs.

    `source` is the folder of its sources, from the root of the repository;
    `folder` its own under build/; `program` the driver linked with the
    snapshot; `inputs` the folder of keys, messages and vectors for its
    width; `columns` what each of its rows begins with in every table; `name` is like `v4 O1`,
    `label` like `iterations/v4/O1`."""

    def __init__(
        self, snapshot: ladder.Snapshot, level: str, messages: str, build: Path = BUILD
    ) -> None:
        study = snapshot.study
        above = study if study == ladder.LADDER else f"studies/{study}"
        self.snapshot = snapshot
        self.level = level
        self.messages = messages
        self.build = build
        self.source = Path(above, snapshot.name)
        self.folder = build / self.source / level
        self.program = self.folder / "rsa"
        self.inputs = Path(f"data/inputs/width-{snapshot.width}")
        self.columns = {"study": study, "snapshot": snapshot.name, "level": level}
        self.name = f"{snapshot.name} {level}"
        self.label = "/".join(self.columns.values())

    @cached_property
    def compiler(self) -> str:
        """Return name and version of the compiler that built the program, by build/flags."""
        return read_compiler(self.build / "flags")

    @property
    def checked(self) -> bool:
        """Return whether the program on disk is made of the sources on disk, by
        the compiler of build/flags, and has passed its check."""
        flags = self.build / "flags"  # younger where another compiler is asked for
        if flags.exists() and not made_of(self.program, [flags]):
            return False
        return self.made_of_sources() and passed(self.program)

    def made_of_sources(self, root: Path = Path()) -> bool:
        """Return whether the program is made of the sources below `root`, the repository's."""
        sources = [root / path for path in self.snapshot.path.glob("*.[chS]")]
        return made_of(root / self.program, sources)

    # ---- its runs

    @property
    def runs(self) -> list[workloads.Run]:
        """Return every run that is counted."""
        return workloads.runs(self.inputs, self.messages)

    def by_workload(self) -> dict[str, list[workloads.Run]]:
        """Return the runs of each workload."""
        found = itertools.groupby(self.runs, lambda run: run.workload)
        return {workload: list(runs) for workload, runs in found}

    def kept(self, run: workloads.Run) -> Path:
        """Return where the instructions of a run are kept."""
        return self.folder / f"{run.workload}.{run.part}{TABLE}"

    def depends(self, words: Iterable[str], *files: Path) -> str:
        """Return what a number depends on: the program, `files` and the inputs
        among the words by their hash, and the words."""
        command = [*words]
        hashed = digest(self.program, *files, *workloads.inputs_of(command))
        return " ".join([hashed, *command])

    def key(self, run: workloads.Run) -> str:
        """Return what a run depends on.  That is not which of the two
        counters it was, because they agree to the unit."""
        return self.depends(run.arguments, *filter(Path.exists, COUNTER))

    def counted(self, run: workloads.Run) -> str | None:
        """Return the instructions of an earlier run, a line for each, if
        they are still true; else None."""
        text: str | None = recall(self.kept(run), self.key(run))
        return text

    def task(self, run: workloads.Run, counter: Counter) -> Task:
        """Return what counts a run.  It raises Failure, which names the command, and OSError."""
        key = self.key(run)

        def compute() -> str:
            with files.scratch(self.folder, "count") as folder:
                found = self._count(run, counter, folder / "counts")
            if self.key(run) != key:
                raise Failure(f"{self.label}: {CHANGED}")
            return found

        return Task(self.kept(run), key, compute)

    def _count(self, run: workloads.Run, counter: Counter, out: Path) -> str:
        """Return the instructions of a run, a line for each; `out` takes what the counter writes."""
        width = self.snapshot.width
        seconds = faults.limit(RUN_SECONDS)
        calls, file = operands.prepared(run.arguments, width)
        words = ["call", str(file)]
        predict = run.workload in workloads.PREDICTED
        core = read_platform(self.build / "platform").core
        try:
            found = counter.count(
                self.program,
                words,
                width,
                out=out,
                seconds=seconds,
                predict=predict,
                core=core,
            )
            printed = results_of(out).read_text()
            if wrong := operands.wrong(calls, operands.results(printed)):
                raise Failure(f"{self.program}: not counted: {wrong}")
        except Failure as fault:
            if os.strerror(errno.ENOSPC) in str(fault):
                raise Failure(f"{fault}; {faults.FREE}") from None
            alone = shlex.join(map(str, [*emulator(core), self.program, *words]))
            raise Failure(f"{fault}; see it alone: {alone}") from None
        return executed.as_lines(found)

    def executed(self, workload: str) -> tuple[int, list[Instruction]]:
        """Return the operations of all runs of a workload, and the instructions
        of each; (0, []) unless all of them are kept."""
        operations = 0
        instructions: list[Instruction] = []
        for run in self.by_workload().get(workload, []):
            text = self.counted(run)
            if text is None:
                return 0, []
            operations += run.n
            instructions += executed.parse(text.splitlines())
        return operations, instructions

    def totals(self, workload: str) -> tuple[int, Sums]:
        """Return the operations and the sums of a workload; (0, {}) unless all its runs are kept."""
        n, instructions = self.executed(workload)
        return n, counts.sums(instructions)

    # ---- its rows

    def row(self, **columns: object) -> Row:
        """Return a row of a results file for this cell."""
        return {**self.columns, **columns}

    def number(self, metric: str, value: int | None, **columns: object) -> Row:
        """Return the row of a number of this cell (records/rows.py).  Raises OSError where nothing
        says which compiler built it."""
        maker = {"compiler": self.compiler}
        return number(metric, value, **self.columns, **maker, **columns)

    def count_rows(self) -> Iterator[Row]:
        """Yield rows for counts.csv.  A zero is a row only of `total`: for a
        single symbol, no row is a zero."""
        for workload in self.by_workload():
            n, sums = self.totals(workload)
            predicted = workload in workloads.PREDICTED
            for symbol, metric in sorted(sums, key=itemgetter(1, 0)):
                value = sums[symbol, metric]
                if metric == counts.SIMULATED and not predicted:
                    continue
                if value == 0 and symbol != counts.TOTAL:
                    continue
                yield self.number(
                    workload=workload,
                    metric=metric,
                    symbol=symbol,
                    value=value,
                    unit=counts.unit(metric),
                    n=n,
                )

    def line_rows(self) -> Iterator[Row]:
        """Yield rows for lines.csv, of the workload of the table: one for each
        instruction of the snapshot that was executed; none unless all of
        its runs are kept."""
        workload = workloads.main_workload(self.messages)
        n, instructions = self.executed(workload)
        inside = counts.by_address(instructions)
        for one, (file, line, function) in zip(inside, self._lines(inside)):
            yield self.row(
                workload=workload,
                file=file,
                line=line,
                function=function or one.symbol,
                offset=one.offset,
                instructions=one.executions,
                taken=one.taken,
                load_accesses=one.load_accesses,
                store_accesses=one.store_accesses,
                n=n,
                **{"class": one.cls},
            )

    def _lines(self, instructions: Sequence[Instruction]) -> list[tuple[str, int, str]]:
        """Return the line of each instruction, which is kept, too."""
        addresses = [one.address for one in instructions]
        if not addresses:
            return []

        def ask() -> list[elf.Line]:
            found = elf.lines(self.program, addresses, self.source)
            return [found[address] for address in addresses]

        key = self.depends(map(str, addresses), *READING)
        lines: list[tuple[str, int, str]] = kept(self.folder / "lines.json", key, ask)
        return lines

    def size_rows(self) -> Iterator[Row]:
        """Yield rows for asm.csv."""
        for row in counts.size_rows(self.folder, self.snapshot.path):
            yield self.number(**row)

    def groups(self, flags: str) -> Iterator[Row]:
        """Yield rows for provenance.csv, one a workload: number of operations;
        program, inputs and flags by their hash.  `flags` is the text of
        build/flags.  Raises OSError when a file is missing."""
        how = f"{flags.strip()}\n-{self.level} -DWIDTH={self.snapshot.width}\n"
        of_flags = sha256(how.encode()).hexdigest()
        for workload, runs in self.by_workload().items():
            commands = "\n".join(" ".join(run.arguments) for run in runs)
            files: list[Path] = []
            for run in runs:
                files += workloads.inputs_of(run.arguments)
            inputs = f"{commands}\n{digest(*files)}\n"
            yield self.row(
                workload=workload,
                n=sum(run.n for run in runs),
                inputs=sha256(inputs.encode()).hexdigest(),
                program=digest(self.program),
                flags=of_flags,
            )


def cells_of(
    folders: Iterable[Path],
    messages: str,
    levels: Iterable[str] = (),
    build: Path = BUILD,
) -> list[Cell]:
    """Return the cells of snapshot folders at the levels of this run, or at
    `levels`, in ladder order.  Raises Failure."""
    wanted = {(folder.parent.name, folder.name) for folder in folders}
    levels = levels or ladder.levels()
    cells = []
    for study in sorted({study for study, _ in wanted}):
        for snapshot in ladder.snapshots(study):
            if (study, snapshot.name) in wanted:
                cells += [Cell(snapshot, level, messages, build) for level in levels]
    return cells


def checked(cells: list[Cell]) -> list[Cell]:
    """Return the same cells.  Raises Failure when one of them has not passed its check."""
    for cell in cells:
        if not cell.checked:
            hint = f"`make {cell.folder}/check.ok` checks it"
            raise Failure(f"{cell.label}: not checked, so it is not measured; {hint}")
    return cells
