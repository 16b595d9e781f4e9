"""One program, a snapshot at a level: its check, its counts, its rows.

Each run of a program is kept beside it under build/ with a hash of all that it depends on, so that
nothing is measured twice and an interrupted collection goes on where it stopped.
"""

from __future__ import annotations

import hashlib
from collections import Counter as Sum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from harness import counts, elf, operands
from harness.counters import PLUGIN, QEMU, Counter, results_of
from harness.kept import Task, keep, made_of, recall
from harness.unicorn import HOOKS
from records import command, faults, ladder, workload
from records.faults import Failure
from records.files import digest, neighbour, settle
from records.rows import Row

LEVELS = ladder.LEVELS
READING = [Path(counts.__file__), Path(elf.__file__)]
COUNTER = [PLUGIN, HOOKS, *READING]
LIMIT = 7200  # seconds for one run of a program


@dataclass(frozen=True)
class Cell:
    """A snapshot at a level; `messages` says which workload is counted (records/workload.py)."""

    snapshot: ladder.Snapshot
    level: str
    messages: str

    # ---- Where it is ----

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
    def checked(self) -> bool:
        """Whether the program on disk is made of the sources on disk and has passed its check."""
        passed = self.folder / "check.ok"
        return self.made_of_sources() and made_of(passed, [self.program])

    def made_of_sources(self, root: Path = Path()) -> bool:
        """Whether the program is made of the sources that are there.  `root` is the
        repository's."""
        sources = [root / path for path in self.snapshot.path.glob("*.[chS]")]
        return made_of(root / self.program, sources)

    @property
    def sized(self) -> bool:
        """Whether there is what its size is read from."""
        return (self.folder / "rsa.s").exists()

    # ---- Its runs ----

    @property
    def tasks(self) -> list[workload.Task]:
        """Every run that is counted."""
        return workload.tasks(self.inputs, self.messages)

    def kept(self, run: workload.Task) -> Path:
        """Where the counts of a run are kept."""
        return self.folder / f"{run.case}.{run.part}.json"

    def raw(self, run: workload.Task) -> Path:
        """Where the counter's own file of a run is kept."""
        return self.kept(run).with_suffix(".tsv")

    def key(self, run: workload.Task) -> str:
        """What a run depends on: program, counters and inputs by their hash, and the command.  Not
        which of the two counters it was, because they agree to the unit."""
        files = [self.program, *(path for path in COUNTER if path.exists()), *run.inputs]
        return " ".join([digest(*files), *run.arguments])

    def counted(self, run: workload.Task) -> counts.Table | None:
        """The counts of an earlier run, if they are still true."""
        found: counts.Table | None = recall(self.kept(run), self.key(run))
        return found

    def task(self, run: workload.Task, counter: Counter) -> Task:
        """Counts a run.  Raises Failure, which names the command, and OSError."""
        key = self.key(run)
        return Task(self.kept(run), key, lambda: self._count(run, counter, key))

    def _count(self, run: workload.Task, counter: Counter, key: str) -> counts.Table:
        predict, seconds = run.case in workload.PREDICTED, limit()
        todo, calls = operands.prepared(run.arguments, self.snapshot.width)
        raw, words, width = neighbour(self.raw(run)), ["call", str(calls)], self.snapshot.width
        try:
            rows = counter.count(
                self.program, words, width, out=raw, timeout=seconds, predict=predict
            )
            if wrong := operands.wrong(todo, operands.results(results_of(raw).read_text())):
                raise Failure(f"{self.program}: not counted: {wrong}")
            if self.key(run) != key:
                raise Failure(f"{self.name}: changed while it was measured; type the command again")
            settle(raw, self.raw(run))
        except Failure as fault:
            typed: list[object] = [*QEMU, self.program, *words]
            raise Failure(faults.of_run(str(fault), typed, seconds)) from None
        finally:
            for path in (raw, results_of(raw)):
                path.unlink(missing_ok=True)
        found = counts.by_symbol(rows, self.program)
        for metrics in () if predict else found.values():
            del metrics[counts.SIMULATED]
        return found

    def totals(self, case: str) -> tuple[int, counts.Table]:
        """Operations and counts over all runs of a case; (0, {}) unless all of them are there."""
        runs = [run for run in self.tasks if run.case == case]
        total: counts.Table = {}
        for run in runs:
            symbols = self.counted(run)
            if symbols is None:
                return 0, {}
            for symbol, metrics in symbols.items():
                total.setdefault(symbol, Sum()).update(metrics)
        return sum(run.n for run in runs), total

    # ---- Its rows ----

    def row(self, **columns: object) -> Row:
        """A row of a results file for this cell."""
        place = {"study": self.snapshot.study, "snapshot": self.snapshot.name, "level": self.level}
        return {**place, "repeat": 0, **columns}

    def count_rows(self) -> Iterator[Row]:
        """Rows for counts.csv.  A zero is a row only of `total`: for a single symbol, no row is a
        zero."""
        for case in dict.fromkeys(run.case for run in self.tasks):
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
        raw = [self.raw(run) for run in self.tasks if run.case == case and n]
        there = filter(Path.exists, raw)
        kept, key = self.folder / "lines.json", digest(self.program, *there, *READING)
        found: list[Row] | None = recall(kept, key)
        if found is None:
            place = Path(*self.folder.parts[1:-1])
            found = list(counts.line_rows(self.program, place, raw))
            keep(kept, key, found)
        yield from (self.row(case=case, **row, n=n) for row in found)
        summed = sum(row["instructions"] for row in found)
        if n and summed != symbols["snapshot"]["instructions"]:
            said = f"raw counts of {case} are not those of its sums"
            raise Failure(f"{self.name}: {said}; remove build/ and measure again")

    def size_rows(self) -> Iterator[Row]:
        """Rows for asm.csv."""
        for row in counts.size_rows(self.folder, self.snapshot.path):
            yield self.row(**row)

    def groups(self, flags: str) -> Iterator[Row]:
        """Rows for provenance.csv, one a case: number of operations; program, inputs and flags by
        their hash.  `flags` is the text of build/flags.  Raises OSError when a file is missing."""
        program = digest(self.program)
        how = flags_hash(flags, self.level, self.snapshot.width)
        for case in dict.fromkeys(run.case for run in self.tasks):
            runs = [run for run in self.tasks if run.case == case]
            commands = "\n".join(" ".join(run.arguments) for run in runs)
            files = digest(*(path for run in runs for path in run.inputs))
            inputs = hashlib.sha256(f"{commands}\n{files}\n".encode()).hexdigest()
            n = sum(run.n for run in runs)
            yield self.row(case=case, n=n, program=program, inputs=inputs, flags=how)


PROVENANCE = "provenance.csv"


def flags_hash(flags: str, level: str, width: int) -> str:
    """SHA-256 of how a snapshot is compiled: compiler and flags as build/flags has them, the level
    and the width in bits."""
    return hashlib.sha256(f"{flags.strip()}\n-{level} -DWIDTH={width}\n".encode()).hexdigest()


def cells_of(
    folders: Iterable[Path], messages: str, levels: tuple[str, ...] | None = None
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


def checked(cells: list[Cell]) -> list[Cell]:
    """The same cells.  Raises Failure when one of them has not passed its check."""
    for cell in cells:
        if not cell.checked:
            said = f"{cell.label}: not checked, so it is not measured"
            raise Failure(f"{said}; `make {cell.folder}/check.ok` checks it")
    return cells


def limit() -> int:
    """Seconds that one run of a program may take: LIMIT of the environment (`make v0 LIMIT=7200`).
    Raises Failure."""
    return command.limit(LIMIT)
