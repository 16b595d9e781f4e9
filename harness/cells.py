"""One program, a snapshot at a level, and what is kept of its measurements.

Each run of a program is kept beside it under build/ with a hash of all that it depends on, so
that nothing is measured twice and an interrupted collection goes on where it stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness import operands
from harness.count import assembly, counters, counts, lines
from harness.count.qemu import PLUGIN, QEMU
from harness.count.unicorn.tally import HOOKS
from harness.kept import keep, made_of, recall, stamp
from records import command, faults, ladder, workload
from records.faults import Failure
from records.files import digest, neighbour, settle
from records.rows import Row

LEVELS = ladder.LEVELS
HERE = ladder.ROOT / "harness/count"
READING = [HERE / "counts.py", HERE / "elf.py"]
COUNTER = [PLUGIN, HOOKS, *READING]
LIMIT = 7200  # seconds for one run of a program; docs/measuring.md says which is the slowest


@dataclass(frozen=True)
class Cell:
    """A snapshot at a level; `messages` says which workload is counted (records/workload.py)."""

    snapshot: ladder.Snapshot
    level: str
    messages: str

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
        return f"{self.snapshot.name} {self.level}"

    @property
    def label(self) -> str:
        """`iterations/v4/O1`."""
        return f"{self.snapshot.study}/{self.snapshot.name}/{self.level}"

    @property
    def inputs(self) -> Path:
        """The folder of keys, messages and vectors for the snapshot's width."""
        return Path(f"data/inputs/width-{self.snapshot.width}")

    @property
    def tasks(self) -> list[workload.Task]:
        """Every run that is counted."""
        return workload.tasks(self.inputs, self.messages)

    @property
    def checked(self) -> bool:
        """Whether the program on disk is made of the sources on disk and has passed its check."""
        passed = self.folder / "check.ok"
        return self.made_of_sources() and made_of(passed, [self.program])

    def made_of_sources(self, root: Path = Path()) -> bool:
        """Whether the program is made of the sources that are there.  `root` is the
        repository's."""
        place = ladder.study_path(self.snapshot.study, root / "build/stamp") / self.snapshot.name
        stamps = [stamp(path, place) for path in self.snapshot.path.glob("*.[chS]")]
        return made_of(root / self.program, stamps)

    @property
    def sized(self) -> bool:
        """Whether there is what its size is read from."""
        return (self.folder / "rsa.s").exists()

    def row(self, **columns: object) -> Row:
        """A row of a results file for this cell."""
        place = {"study": self.snapshot.study, "snapshot": self.snapshot.name, "level": self.level}
        return {**place, "repeat": 0, **columns}

    def kept(self, task: workload.Task) -> Path:
        """Where the counts of a run are kept."""
        return self.folder / f"{task.case}.{task.part}.json"

    def key(self, task: workload.Task) -> str:
        """What a run depends on: program, counters and inputs by their hash, and the command.  Not
        which of the two counters it was, because they agree to the unit."""
        files = [self.program, *(path for path in COUNTER if path.exists()), *task.inputs]
        return " ".join([digest(*files), *task.arguments])

    def raw(self, task: workload.Task) -> Path:
        """Where the counter's own file of a run is kept."""
        return self.kept(task).with_suffix(".tsv")

    def counted(self, task: workload.Task) -> counts.Table | None:
        """The counts of an earlier run, if they are still true."""
        found: counts.Table | None = recall(self.kept(task), self.key(task))
        return found

    def count(self, task: workload.Task, counter: counters.Counter) -> None:
        """Run the program under the counter and keep its counts.  Raises Failure, which names the
        command, and OSError."""
        key, predict, seconds = self.key(task), task.case in workload.PREDICTED, limit()
        todo, calls = operands.prepared(task.arguments, self.snapshot.width)
        raw, words = neighbour(self.raw(task)), ["call", str(calls)]
        run = self.program, words, self.snapshot.width, raw, seconds, predict
        try:
            found = counts.by_symbol(counter.count(*run), self.program)
            if wrong := operands.wrong(todo, operands.results(counts.results_of(raw).read_text())):
                raise Failure(f"{self.program}: not counted: {wrong}")
            if self.key(task) != key:
                raise Failure(f"{self.name}: changed while it was measured; type the command again")
            settle(raw, self.raw(task))
        except Failure as fault:
            typed: list[object] = [*QEMU, self.program, *words]
            raise Failure(faults.of_run(str(fault), typed, seconds)) from None
        finally:
            for path in (raw, counts.results_of(raw)):
                path.unlink(missing_ok=True)
        if not predict:
            for metrics in found.values():
                del metrics[counts.SIMULATED]
        keep(self.kept(task), key, found)

    def totals(self, case: str) -> tuple[int, counts.Table]:
        """Operations and counts over all runs of a case; (0, {}) unless all of them are there."""
        tasks = [task for task in self.tasks if task.case == case]
        total: counts.Table = {}
        for task in tasks:
            symbols = self.counted(task)
            if symbols is None:
                return 0, {}
            for symbol, metrics in symbols.items():
                total.setdefault(symbol, Counter()).update(metrics)
        return sum(task.n for task in tasks), total

    def count_rows(self) -> Iterator[Row]:
        """Rows for counts.csv.  A zero is a row only of `total`: for a single symbol, no row is a
        zero."""
        for case in dict.fromkeys(task.case for task in self.tasks):
            n, symbols = self.totals(case)
            for metric in sorted({metric for metrics in symbols.values() for metric in metrics}):
                for symbol in sorted(symbols):
                    value = symbols[symbol].get(metric, 0)
                    if value or symbol == "total":
                        row = {"case": case, "metric": metric, "symbol": symbol, "value": value}
                        yield self.row(**row, unit=counts.unit(metric), n=n)

    def line_rows(self) -> Iterator[Row]:
        """Rows for lines.csv, of the case of the table; none unless all of its runs are there.
        Raises Failure where the counter's files do not fit the sums that are kept."""
        case = workload.main_case(self.messages)
        n, symbols = self.totals(case)
        raw = [self.raw(task) for task in self.tasks if task.case == case and n]
        there = filter(Path.exists, raw)
        kept, key = self.folder / "lines.json", digest(self.program, *there, HERE / "lines.py")
        found: list[Row] | None = recall(kept, key)
        if found is None:
            found = list(lines.rows(self.program, Path(*self.folder.parts[1:-1]), raw))
            keep(kept, key, found)
        yield from (self.row(case=case, **row, n=n) for row in found)
        summed = sum(row["instructions"] for row in found)
        if n and summed != symbols["snapshot"]["instructions"]:
            said = f"raw counts of {case} are not those of its sums"
            raise Failure(f"{self.name}: {said}; remove build/ and measure again")

    def size_rows(self) -> Iterator[Row]:
        """Rows for asm.csv."""
        for row in assembly.rows(self.folder, self.snapshot.path):
            yield self.row(**row)


def cells_of(
    folders: list[Path], messages: str, levels: tuple[str, ...] | None = None
) -> list[Cell]:
    """The cells of snapshot folders at the levels of this run, or at `levels`, in ladder order.
    Raises Failure."""
    wanted = {(folder.parent.name, folder.name) for folder in folders}
    return [
        Cell(snapshot, level, messages)
        for study in sorted({study for study, _ in wanted})
        for snapshot in ladder.snapshots(study)
        if (study, snapshot.name) in wanted
        for level in levels or ladder.levels()
    ]


def limit() -> int:
    """Seconds that one run of a program may take: LIMIT of the environment (`make v0 LIMIT=7200`).
    Raises Failure."""
    return command.limit(LIMIT)
