"""One program, a snapshot at a level, and what is kept of its measurements.

Each run of a program is kept beside it under build/ with a hash of all that it depends on, so
that nothing is measured twice and an interrupted collection goes on where it stopped.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness import assembly, counts, results, workload
from rsalab import ladder

LEVELS = ("O0", "O1", "O3")
PLUGIN = Path("build/count.so")
COUNTER = [PLUGIN, Path("harness/counts.py"), Path("harness/elf.py")]
LIMIT = 3600  # seconds for one run of a program


class Failure(Exception):
    """One line for the user: what went wrong and what to do."""


@dataclass(frozen=True)
class Cell:
    """A snapshot at a level; `messages` says which workload is measured, `default` or `all`."""

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
        """Whether the program on disk has passed its check."""
        stamp = self.folder / "check.ok"
        return stamp.exists() and stamp.stat().st_mtime >= self.program.stat().st_mtime

    def row(self, **columns: object) -> dict:
        """A row of a results file for this cell."""
        place = {"study": self.snapshot.study, "snapshot": self.snapshot.name, "level": self.level}
        return {**place, "repeat": 0, **columns}

    def kept(self, task: workload.Task) -> Path:
        """Where the counts of a run are kept."""
        return self.folder / f"{task.case}.{task.part}.json"

    def key(self, task: workload.Task) -> str:
        """What a run depends on: program, counter and inputs by their hash, and the command."""
        files = [self.program, *COUNTER, *task.inputs]
        return " ".join([results.digest(*files), *task.arguments])

    def counted(self, task: workload.Task) -> dict | None:
        """The counts of an earlier run, symbol -> metric -> total, if they are still true."""
        return recall(self.kept(task), self.key(task))

    def count(self, task: workload.Task) -> None:
        """Run the program under the counter and keep its counts.  Raises counts.Failure."""
        kept, key = self.kept(task), self.key(task)
        raw = kept.with_suffix(".tsv")
        rows = counts.count(self.program, task.arguments, plugin=PLUGIN, out=raw, timeout=LIMIT)
        keep(kept, key, counts.by_symbol(rows, self.program))

    def totals(self, case: str) -> tuple[int, dict[str, Counter]]:
        """Operations, and symbol -> metric -> total, over all runs of a case; (0, {}) unless all
        of them are there."""
        tasks = [task for task in self.tasks if task.case == case]
        total: dict[str, Counter] = {}
        for task in tasks:
            symbols = self.counted(task)
            if symbols is None:
                return 0, {}
            for symbol, metrics in symbols.items():
                total.setdefault(symbol, Counter()).update(metrics)
        return sum(task.n for task in tasks), total

    def count_rows(self) -> Iterator[dict]:
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

    def size_rows(self) -> Iterator[dict]:
        """Rows for asm.csv."""
        for row in assembly.rows(self.folder, self.snapshot.path):
            yield self.row(**row)

    def time(self) -> list[list]:
        """Raw samples of clock() and clock_gettime() of each message of the default workload, run
        directly on this board: [metric, unit, value, index].  Kept.  Raises Failure."""
        folder = self.inputs / "key-full"
        ((_, _, arguments),) = workload.chunks(folder, "default")
        command = [str(self.program), "time", str(folder / "key.txt"), *arguments]
        files = [Path(a) for a in command if a.endswith(".txt")]
        kept, key = self.folder / "times.json", results.digest(self.program, *files)
        samples = recall(kept, key)
        if samples is None:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
            if ran.returncode:
                raise Failure(ran.stderr.strip() or f"{self.name}: status {ran.returncode}")
            samples = read_times(ran.stdout)
            keep(kept, key, samples)
        return samples

    def time_rows(self) -> Iterator[dict]:
        """Rows for times.csv."""
        for metric, unit, value, index in self.time():
            yield self.row(
                case="roundtrip-full",
                metric=metric,
                symbol="total",
                value=value,
                unit=unit,
                n=1,
                repeat=index,
            )


def read_times(said: str) -> list[list]:
    """What `rsa time` prints, as [metric, unit, value, index of the message]."""
    header, *lines = said.splitlines()
    samples = []
    for line in lines:
        fields = dict(zip(header.split(), map(int, line.split())))
        index = fields.pop("index")
        samples += [[*name.rsplit("_", 1), value, index] for name, value in fields.items()]
    return samples


def recall(path: Path, key: str):
    """What is kept in a file, if it was kept under this key; else None."""
    try:
        found = json.loads(path.read_text())
        return found["what"] if found["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(path: Path, key: str, what: object) -> None:
    """Keep something measured, the whole of it or nothing."""
    results.replace(path, json.dumps({"key": key, "what": what}, sort_keys=True) + "\n")
