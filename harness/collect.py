"""The main job: measure checked snapshots and write a results folder.

    python3 -m harness collect [--messages WORD] [--out DIR] FOLDER...     such as iterations/v4
    python3 -m harness host FOLDER...                    times of this machine's own programs

Called by make, after the programs of those folders have passed their check.  One collection at a
time in a checkout; killed at any moment, it goes on where it stopped.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import time
from collections import Counter as Sum
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from harness import clock, counters, perf
from harness.cells import WORKERS, Cell, Task, cells_of, checked, on_all_cores
from harness.counters import Counter
from records import files, ladder, workload
from records.faults import Failure
from records.files import digest, sweep
from records.machine import is_imported, machine_facts, read_machine, write_machine
from records.platform import HOST, Platform, read_flags, read_platform
from records.rows import CELL, SCHEMAS, Row, read_rows, write_rows

try:
    from tqdm import tqdm
except ImportError:  # a machine without Debian's python3-tqdm gets the lines
    tqdm = None

# ---- a results folder: results are only ever merged into.  A row stays unless a row of the same
# ---- cell and case is made now, or the cell's program is another.  Rows of another platform,
# ---- compiler or flags cannot stand beside new ones, and rows of a snapshot whose folder is gone
# ---- have no place: then the folder is first kept as it is, as results/earlier/PLATFORM-DATE.

LOCAL, EARLIER = Path("results/local"), Path("results/earlier")
PROVENANCE = "provenance.csv"
SAME = ("platform", "compiler", "flags")


def begin(folder: Path, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What machine.json says of the rows that may stand beside those of `facts`; {} after the
    folder was set aside, or where nothing says.  Raises OSError."""
    try:
        before = read_machine(folder)
    except Failure:
        before = {}
    if all(before.get(key) == facts[key] for key in SAME):
        return before
    if before or (folder / PROVENANCE).exists():
        set_aside(folder, shutil.move, "rows of another compiler, or of none that is known")
    return {}


def merged(
    folder: Path, made: dict[str, list[Row]], facts: dict[str, Any]
) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """File -> the rows that are to be written to it, `made` and what stays; and `facts`, what
    machine.json says of `made`, with the programs of what stays.  Raises OSError."""
    known, now = begin(folder, facts).get("programs", {}), facts["programs"]
    cells = [path for path in folder.glob("*.csv") if set(CELL) <= {*SCHEMAS[path.name].columns}]
    there = {path.name: read_rows(path) for path in cells}
    if any(place(row) is None for table in there.values() for row in table):
        set_aside(folder, shutil.copytree, "rows of folders that are gone")
    same = {name for name, program in known.items() if now.get(name, program) == program}
    rows = {
        file: beside([row for row in there.get(file, []) if label(row) in same], made.get(file, []))
        for file in sorted({*made, *there})
    }
    stay = {label(row) for table in rows.values() for row in table}
    programs = {name: known[name] for name in same & stay} | now
    return rows, {**facts, "programs": programs}


def beside(there: Iterable[Row], made: list[Row]) -> list[Row]:
    """The rows of a file: `made`, and of those that are there what stays, in ladder order."""
    new = {(label(row), row.get("case")) for row in made}
    old = [row for row in there if place(row) and (label(row), row.get("case")) not in new]
    return sorted([*old, *made], key=lambda row: place(row) or ())


def label(row: Row) -> str:
    """`iterations/v4/O1`."""
    return "/".join(row[column] for column in CELL)


def place(row: Row) -> tuple[object, ...] | None:
    """A sorting key: studies by name, snapshots in ladder order, levels, cases; None where there is
    no folder of the row's snapshot here."""
    names, level, case = names_of(row["study"]), row["level"], row.get("case", "")
    if row["snapshot"] not in names:
        return None
    levels, cases = (*ladder.EVERY_LEVEL, level), (*workload.CASES, case)
    return row["study"], names.index(row["snapshot"]), levels.index(level), cases.index(case)


@cache
def names_of(study: str) -> tuple[str, ...]:
    """The snapshots of a study in ladder order; none where there is no such study."""
    there = study in (ladder.LADDER, *ladder.studies())
    return tuple(one.name for one in ladder.snapshots(study)) if there else ()


def set_aside(
    folder: Path, how: Callable[[Path, Path], object], what: str, earlier: Path | None = None
) -> None:
    """Keep the folder under another name, and say so, if it holds any rows; `how` moves or copies.
    Raises OSError."""
    if not any(folder.glob("*.csv")):
        return
    try:
        facts = read_machine(folder)
        name = re.sub("[^A-Za-z0-9.-]+", "", f"{facts['platform']}-{facts['date']}")
    except Failure:
        name = "unknown"
    earlier = earlier or EARLIER
    taken = len(list(earlier.glob(f"{name}*")))
    kept = earlier / (f"{name}-{taken + 1}" if taken else name)
    earlier.mkdir(parents=True, exist_ok=True)
    how(folder, kept)
    print(f"  NOTE    {folder} had {what}; it is kept as {kept}", flush=True)


def write(out: Path, rows: dict[str, list[Row]], facts: dict[str, Any]) -> None:
    """Write the tables, then machine.json.  Raises OSError."""
    if LOCAL in (out, out.parent):  # what is committed is always the whole
        rows, facts = merged(out, rows, facts)
    for file, table in rows.items():
        write_rows(out / file, table)
    write_machine(out, facts)


# ---- what a user sees during a long run: how long it takes, a bar on a terminal, else lines

SILENCE = 10.0  # seconds after which a line says how far it is
BAR = "{desc:<28} {bar} {percentage:3.0f} %  {elapsed} so far, about {remaining} left"
UNKNOWN = 1e6  # instructions of an operation that was never counted


@cache
def usual() -> dict[tuple[str, str], float]:
    """Cell and case -> instructions of an operation, by the committed results."""
    found = {}
    for path in sorted(Path("results").glob("qemu-*/counts.csv")):
        for line in path.read_text().splitlines():
            if ",instructions,total," in line:  # of a file of 70,000 lines
                *cell, case, _, _, value, _, n, _ = line.split(",")
                found["/".join(cell), case] = int(value) / int(n)
    return found


def expected(cell: Cell, run: workload.Task, counter: Counter) -> float:
    """The processor time in seconds that a run will take."""
    one = usual().get((cell.label, workload.TRIP_FULL), UNKNOWN)
    return counter.seconds(run.n * usual().get((cell.label, run.case), one), cell.level)


def duration(seconds: float) -> str:
    """`40 s` or `5 min`, no better than an estimate is."""
    return f"{max(10, round(seconds, -1)):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


class Progress:
    """Says how far the runs are: `runs` maps where each is kept to its cell and to its seconds."""

    def __init__(self, runs: Mapping[Path, tuple[Cell, float]]) -> None:
        self.runs, self.done = runs, 0.0
        self.total = sum(seconds for _, seconds in runs.values())
        self.left = Sum(cell.label for cell, _ in runs.values())
        self.started = time.monotonic()
        programs = f"{len(self.left)} program{'s' * (len(self.left) > 1)}"
        self.say(f"{len(runs)} runs of {programs}: about {duration(self.total / WORKERS)}")
        self.bar = None
        if tqdm is not None and sys.stderr.isatty():
            self.bar = tqdm(total=self.total, dynamic_ncols=True, leave=False, bar_format=BAR)

    def say(self, text: str) -> None:
        """A line."""
        print(f"  COUNT   {text}", flush=True)
        self.said = time.monotonic()

    def look(self, task: Task) -> None:
        """A run has ended."""
        cell, seconds = self.runs[task.path]
        self.done += seconds
        self.left[cell.label] -= 1
        if self.bar is not None:
            self.bar.set_description_str(cell.label, refresh=False)
            self.bar.update(seconds)
        elif not self.left[cell.label]:
            self.say(summary(cell))
        elif time.monotonic() - self.said > SILENCE:
            left = (time.monotonic() - self.started) * (self.total / self.done - 1)
            self.say(f"{100 * self.done / self.total:.0f} % done, about {duration(left)} left")

    def close(self) -> None:
        """Takes the bar away."""
        if self.bar is not None:
            self.bar.close()


def summary(cell: Cell) -> str:
    """`v4 O1  10.467 M instructions a round trip`."""
    n, symbols = cell.totals(workload.main_case(cell.messages))
    mean = symbols["total"]["instructions"] / n if n else 0
    return f"{cell.name:<10} {mean / 1e6:>9.3f} M instructions a round trip"


# ---- counting and timing


def count(cells: list[Cell], counter: Counter) -> None:
    """Make every run that is missing.  The counter first proves itself on its self-test.  Raises
    Failure."""
    missing = [(c, run) for c in cells for run in c.tasks if c.counted(run) is None]
    if not missing:
        return
    values = counter.selftest()
    print(f"  COUNTER {counter.name}: {values} values of the self-test as expected", flush=True)
    progress = Progress({c.kept(run): (c, expected(c, run, counter)) for c, run in missing})
    try:
        on_all_cores([cell.task(run, counter) for cell, run in missing], progress.look)
    finally:
        progress.close()


def time_rows(cells: list[Cell]) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """File -> rows of what the clock and the hardware's counters say of cells; and how the times
    were taken.  Raises Failure."""
    times, timing = clock.collect(cells)
    counted = [row for cell in cells for row in perf.rows(cell)]
    refused = [row["unit"] for row in counted if row["unit"].startswith(perf.REFUSALS)]
    if refused:
        print(f"  NOTE    hardware counters: {refused[0]}", flush=True)
    return {"times.csv": times, "perf.csv": counted}, timing


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


def everything(messages: str) -> list[Cell]:
    """All that is built and checked here."""
    studies = [ladder.LADDER, *ladder.studies()]
    folders = [snapshot.path for study in studies for snapshot in ladder.snapshots(study)]
    return [cell for cell in cells_of(folders, messages, ladder.EVERY_LEVEL) if cell.checked]


@files.alone()
def collect(folders: list[Path], messages: str, out: Path, sizes: bool) -> None:
    """Measure checked snapshots.  Where programs run directly, their times come first; nothing is
    written before every row is there.  Raises Failure and OSError."""
    platform, flags = read_platform(), read_flags()
    counter = choose_counter(platform)
    messages = choose_messages(messages, platform, counter)
    asked = checked(cells_of(folders, messages))
    if is_imported(out):
        raise Failure(f"{out}: `make import` brought it; rename it to measure into a new one")
    cells = everything(messages) if out == LOCAL else asked  # it holds all that was measured here
    for folder in (out, *(cell.folder for cell in asked)):
        sweep(folder)
    found, timing = time_rows(cells) if platform.direct else ({}, {})
    tables = {PROVENANCE: [row for cell in cells for row in cell.groups(flags)], **found}
    if counter:
        count(asked, counter)
        tables["counts.csv"] = [row for cell in cells for row in cell.count_rows()]
    if sizes:
        tables["asm.csv"] = [row for cell in cells for row in cell.size_rows()]
    if counter and sizes:
        tables["lines.csv"] = [row for cell in cells for row in cell.line_rows()]
    facts = facts_of(platform, flags, cells) | {"messages": messages}
    facts["counter"] = counter.name if counter else ""
    write(out, tables, facts | ({"timing": timing} if timing else {}))


def facts_of(platform: Platform, flags: str, cells: Collection[Cell]) -> dict[str, Any]:
    """What machine.json says of the cells' rows."""
    programs = {cell.label: digest(cell.program) for cell in cells}
    return machine_facts(platform.name, platform.runner, flags, programs)


@files.alone()
def host(folders: list[Path]) -> None:
    """Time the C rungs that this machine's own compiler builds.  That is not those in ARM assembly,
    and NEON only through SIMDe.  The results have a folder of their own: these numbers are of
    another machine, with another compiler, than any count.  Raises Failure and OSError."""
    build = Path("build/host")
    asked = cells_of(folders, "default")
    here = [Cell(cell.snapshot, cell.level, cell.messages, build) for cell in asked]
    cells = [cell for cell in here if cell.checked]
    for snapshot in dict.fromkeys(cell.snapshot for cell in here if cell not in cells):
        why = clock.why_not(snapshot)
        print(f"  HOST    {snapshot.name}: not available here: {why}", flush=True)
    if not cells:
        raise Failure("no program is built and checked; `make host` does both")
    times, timing = clock.collect(cells)
    flags = (build / "flags").read_text()
    simde = " ".join("".join(flags.splitlines()[2:]).split())
    facts = facts_of(read_platform(HOST), flags, cells) | {"timing": timing}
    facts |= {"qemu": "", "arm_neon.h": simde, "messages": "default"}
    write(LOCAL / "host", {"times.csv": times}, facts)
