"""The main job: measure checked snapshots and write a results folder.

    python3 -m harness collect [--messages WORD] [--out DIR] FOLDER...     such as iterations/v4
    python3 -m harness host FOLDER...                    times of this machine's own programs

Called by make, after the programs of those folders have passed their check.
Several may count at the same time in a checkout: one at a time measures times, and one at a time
writes.  Killed at any moment, a collection goes on where it stopped.
"""

import os
import re
import shutil
from collections import Counter as Tally
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from harness import clock, counters, perf
from harness.cells import (
    CHANGED,
    WORKERS,
    Cell,
    Task,
    cells_of,
    checked,
    on_all_cores,
)
from harness.counters import Counter
from records import files, ladder, machine, workloads
from records.earlier import convert
from records.faults import Failure, run
from records.rows import CELL, OF_CELLS, Row, read_rows, write_rows

try:
    from tqdm import tqdm
except ImportError:  # a machine without Debian's python3-tqdm gets the lines
    tqdm = None

# ---- a results folder: results are only ever merged into.  A row stays unless a row of the same
# ---- cell and workload is made now, or the cell's program is another.  Rows of another platform,
# ---- compiler or flags cannot stand beside new ones, and rows of a snapshot whose folder is gone
# ---- have no place: then the folder is first kept as it is, as results/earlier/PLATFORM-DATE.

LOCAL = Path("results/local")
EARLIER = Path("results/earlier")
PROVENANCE = "provenance.csv"
SAME = ("platform", "compiler", "flags", "recorded", "tools")
Tables = dict[str, list[Row]]  # file -> its rows
Facts = dict[str, Any]  # of machine.json


def begin(folder: Path, facts: Mapping[str, Any]) -> Facts:
    """Return what machine.json says of the rows that may stand beside those
    of `facts`; {} after the folder was set aside, or where nothing says.
    Raises OSError."""
    before = machine.facts_of(folder)
    if before:
        convert(folder)
    if all(before.get(key) == facts.get(key) for key in SAME):
        return before
    if before or (folder / PROVENANCE).exists():
        here = facts.get("platform", "another compiler")
        before_it = before.get("platform") or "a compiler that is not known"
        if here == before_it:
            before_it += " by another version of its tools"
        set_aside(folder, f"rows of {before_it}, and these are {here}'s")
    return {}


def prepare(folder: Path) -> None:
    """Let a folder take rows that are made now: what another compiler has made is set aside first, and a
    folder without a machine.json gets one.  Raises OSError."""
    platform = machine.read_platform()
    flags = machine.read_flags()
    facts = machine.machine_facts(platform.name, platform.runner, flags, {})
    if folder == LOCAL:
        begin(folder, facts)
    if not (folder / machine.FILE).exists():
        machine.write_machine(folder, facts)


def merged(folder: Path, made: Tables, facts: Facts) -> tuple[Tables, Facts]:
    """Return the rows that are to be written to each file, `made` and what
    stays; and `facts`, what machine.json says of `made`, with the programs
    of what stays.  Raises Failure and OSError."""
    now = facts["programs"]
    before = begin(folder, facts).get("programs", {})
    same = {
        name for name, program in before.items() if now.get(name, program) == program
    }
    old = {}
    for path in folder.glob("*.csv"):
        if path.name in OF_CELLS:  # no file of the user's own
            old[path.name] = read_rows(path)
    labels = {label(row) for table in old.values() for row in table}
    if not labels <= positions().keys():
        set_aside(folder, "rows of folders that are gone", shutil.copytree)
    rows = {}
    for file in sorted({*made, *old}):
        stay = [row for row in old.get(file, []) if label(row) in same]
        rows[file] = beside(stay, made.get(file, []))
    labels = {label(row) for table in rows.values() for row in table}
    stayed = {name: before[name] for name in same & labels}
    return rows, {**facts, "programs": stayed | now}


def beside(old: list[Row], made: list[Row]) -> list[Row]:
    """Return the rows of a file: `made`, and what stays of the old ones, in
    ladder order, and in the order of the workloads."""
    new = {(label(row), row.get("workload")) for row in made}

    def stays(row: Row) -> bool:
        name = label(row)
        return name in positions() and (name, row.get("workload")) not in new

    def order(row: Row) -> tuple[int, int]:
        workload = row.get("workload")
        known = [*workloads.WORKLOADS, workload]
        return positions()[label(row)], known.index(workload)

    return sorted([*filter(stays, old), *made], key=order)


def label(row: Row) -> str:
    """Return the cell of a row, such as `iterations/v4/O1`."""
    return "/".join(row[column] for column in CELL)


def every_cell(messages: str) -> list[Cell]:
    """Return every snapshot of this checkout at every level, in ladder order."""
    folders = (*ladder.ROOT.glob("iterations/*"), *ladder.ROOT.glob("studies/*/*"))
    return cells_of(folders, messages, ladder.EVERY_LEVEL)


@cache
def positions() -> dict[str, int]:
    """Return where the cell of each label stands in ladder order."""
    return {cell.label: number for number, cell in enumerate(every_cell("default"))}


def set_aside(
    folder: Path, what: str, how: Callable[[Path, Path], object] = shutil.move
) -> None:
    """Keep the folder under another name, and say so, if it holds any rows;
    `how` moves or copies.  Raises OSError."""
    if not any(folder.glob("*.csv")):
        return
    name = "unknown"
    if facts := machine.facts_of(folder):
        name = f"{facts['platform']}-{facts['date']}"
    name = re.sub("[^A-Za-z0-9.-]+", "", name)
    taken = len(list(EARLIER.glob(f"{name}*")))
    if taken:
        name = f"{name}-{taken + 1}"
    EARLIER.mkdir(parents=True, exist_ok=True)
    how(folder, EARLIER / name)
    kept = EARLIER / name
    print(
        f"  NOTE    {folder} had {what}; it is kept as {kept}: M={kept} reads it",
        flush=True,
    )


def write(out: Path, rows: Tables, facts: Facts) -> None:
    """Write the tables, then machine.json.  Raises OSError."""
    if LOCAL in (out, out.parent):  # what is committed is always the whole
        rows, facts = merged(out, rows, facts)
    for file, table in rows.items():
        write_rows(out / file, table)
    machine.write_machine(out, facts)


# ---- counting: a line says how long it takes, and each program has one; a bar on a terminal, too

BAR = "{bar} {percentage:3.0f} %  {elapsed} so far, about {remaining} left"
UNKNOWN = 1e6  # instructions of an operation that was never counted
USUAL = re.compile(
    r"^([\w-]+,[\w-]+,\w+),[^,]+,([\w-]+),instructions,total,(\d+),\w+,(\d+),", re.M
)


@cache
def usual() -> dict[tuple[str, str], float]:
    """Return instructions of an operation, of cell and workload, by the committed results."""
    means = {}
    for path in sorted(Path("results").glob("qemu-*/counts.csv")):
        for cell, workload, value, n in USUAL.findall(path.read_text()):
            means[cell.replace(",", "/"), workload] = int(value) / int(n)
    return means


def expected(cell: Cell, run: workloads.Run, counter: Counter) -> float:
    """Return the processor time in seconds that a run will take."""
    instructions = usual().get((cell.label, run.workload), UNKNOWN)
    return counter.seconds(run.n * instructions, cell.level)


def duration(seconds: float) -> str:
    """Return `40 s` or `5 min`, no better than an estimate is."""
    if seconds < 100:
        return f"{max(10, round(seconds, -1)):.0f} s"
    return f"{seconds / 60:.0f} min"


class Missing(NamedTuple):
    """A run that is not counted yet."""

    cell: Cell
    task: Task
    seconds: float  # that it will take, about


def missing_runs(cells: list[Cell], counter: Counter) -> list[Missing]:
    """Return the runs of cells that are not counted."""
    found = []
    for cell in cells:
        for todo in cell.runs:
            if cell.counted(todo) is None:
                seconds = expected(cell, todo, counter)
                found.append(Missing(cell, cell.task(todo, counter), seconds))
    return found


def count(cells: list[Cell], counter: Counter) -> None:
    """Make every run that is missing.  The counter first proves itself on
    its self-test.  Raises Failure."""
    missing = missing_runs(cells, counter)
    if not missing:
        return
    values = counter.selftest()
    print(
        f"  COUNTER {counter.name}: {values} values of the self-test as expected",
        flush=True,
    )
    make_runs(missing)
    changed = missing_runs(cells, counter)
    if changed:
        raise Failure(f"{changed[0].cell.label}: {CHANGED}")


def make_runs(missing: list[Missing]) -> None:
    """Make these runs.  A line says how long they take, and one of each program what it counts."""
    by_path = {one.task.path: one for one in missing}
    left = Tally(one.cell.label for one in missing)
    total = sum(one.seconds for one in missing)
    programs = f"{len(left)} programs" if len(left) > 1 else "1 program"
    wait = duration(total / WORKERS)
    print(f"  COUNT   {len(missing)} runs of {programs}: about {wait}", flush=True)
    bar = tqdm and tqdm(
        total=total, bar_format=BAR, dynamic_ncols=True, leave=False, disable=None
    )

    def look(task: Task) -> None:
        ended = by_path[task.path]
        cell = ended.cell
        left[cell.label] -= 1
        if bar:
            bar.update(ended.seconds)
        if left[cell.label] == 0:
            with tqdm.external_write_mode() if bar else nullcontext():
                print(f"  COUNT   {cell.name:<10} {round_trip(cell)}", flush=True)

    with bar or nullcontext():
        on_all_cores([one.task for one in missing], look)


def round_trip(cell: Cell) -> str:
    """Return what a round trip takes, in words."""
    n, sums = cell.totals(workloads.main_workload(cell.messages))
    if n == 0:
        return CHANGED
    mean = sums["total", "instructions"] / n
    return f"{mean / 1e6:>9.3f} M instructions a round trip"


# ---- the whole of it


def time_rows(cells: list[Cell]) -> tuple[Tables, Facts]:
    """Return what the clock and the hardware's counters say of cells; and
    how the times were taken.  Raises Failure."""
    times, timing = clock.collect(cells)
    counted: list[Row] = []
    for cell in cells:
        counted += perf.rows(cell)
    refused = [row["unit"] for row in counted if row["unit"].startswith(perf.REFUSED)]
    if refused:
        print(f"  NOTE    hardware counters: {refused[0]}", flush=True)
    return {"times.csv": times, "perf.csv": counted}, timing


def choose_counter(platform: machine.Platform) -> Counter | None:
    """Return the counter to use; None, after a line that says why, where
    there is none and none was asked for by name.  Raises Failure, and
    OSError where programs cannot even run."""
    if platform.runner:
        run([platform.runner[0], "--version"])
    try:
        return counters.chosen()
    except Failure as why_not:
        if os.environ.get("COUNTER") in counters.COUNTERS:
            raise
        print(f"  {why_not}", flush=True)
        return None


def choose_messages(
    messages: str, platform: machine.Platform, counter: Counter | None
) -> str:
    """Return the workload to count: the one that is asked for or, without a
    word, the small one where counting would keep its owner waiting.  Then a
    line says so."""
    if messages:
        return messages
    if counter and counter.slow:
        why = "this qemu-arm loads no plugin, so Unicorn counts, which takes some ten times longer"
    elif counter and platform.direct:
        why = "times come first here, and counting must not take longer"
    else:
        return "default"
    print(f"  NOTE    {why}:\n          it counts the small workload;", end=" ")
    print("MESSAGES=default on the command line counts the rest", flush=True)
    return "small"


def collect(*folders: Path, messages: str = "", out: Path = LOCAL) -> None:
    """Measure checked snapshots.  Where programs run directly, their times
    come first; nothing is written before every row is there.  Raises
    Failure and OSError."""
    platform = machine.read_platform()
    flags = machine.read_flags()
    counter = choose_counter(platform)
    messages = choose_messages(messages, platform, counter)
    wanted = checked(cells_of(folders, messages))
    if machine.is_imported(out):
        raise Failure(
            f"{out}: `make import` brought it; rename it to measure into a new one"
        )
    cells = wanted
    if out == LOCAL:  # it holds all that was measured here
        cells = [cell for cell in every_cell(messages) if cell.checked]
    for folder in (out, *(cell.folder for cell in wanted)):
        files.sweep(folder)
    tables: Tables = {}
    timing: Facts = {}
    with files.alone(files.TIMES) if platform.direct else nullcontext():
        if platform.direct:
            tables, timing = time_rows(cells)
        if counter:
            count(wanted, counter)
    with files.alone():
        if machine.read_flags() != flags:
            raise Failure(f"build/flags: {CHANGED}")
        tables |= counted(cells, counter, flags)
        facts = facts_of(platform, flags, cells)
        facts["messages"] = messages
        facts["counter"] = counter.name if counter else ""
        if timing:
            facts["timing"] = timing
        write(out, tables, facts)


def counted(cells: list[Cell], counter: Counter | None, flags: str) -> Tables:
    """Return what does not depend on time: counts, sizes of the code, and what decides both."""
    makers: dict[str, Callable[[Cell], Iterable[Row]]] = {
        PROVENANCE: partial(Cell.groups, flags=flags)
    }
    if counter:
        makers["counts.csv"] = Cell.count_rows
    # A farm does not send the objects.
    if all((cell.folder / "snapshot.o").exists() for cell in cells):
        makers["asm.csv"] = Cell.size_rows
        if counter:
            makers["lines.csv"] = Cell.line_rows
    return {
        file: [row for cell in cells for row in rows_of(cell)]
        for file, rows_of in makers.items()
    }


def facts_of(platform: machine.Platform, flags: str, cells: Collection[Cell]) -> Facts:
    """Return what machine.json says of the cells' rows."""
    programs = {cell.label: files.digest(cell.program) for cell in cells}
    return machine.machine_facts(platform.name, platform.runner, flags, programs)


def host(*folders: Path) -> None:
    """Time the C rungs that this machine's own compiler builds.  That is
    not those in ARM assembly, and NEON only through SIMDe.  The results
    have a folder of their own: these numbers are of another machine, with
    another compiler, than any count.  Raises Failure and OSError."""
    build = Path("build/host")
    wanted = cells_of(folders, "default", build=build)
    cells = [cell for cell in wanted if cell.checked]
    unavailable = dict.fromkeys(cell.snapshot for cell in wanted if cell not in cells)
    for snapshot in unavailable:
        reason = clock.not_here(snapshot)
        print(f"  HOST    {snapshot.name}: not timed: {reason}", flush=True)
    if not cells:
        raise Failure("no program is built and checked; `make host` does both")
    with files.alone(files.TIMES):
        times, timing = clock.collect(cells)
    flags = (build / "flags").read_text()
    facts = facts_of(machine.read_platform(machine.HOST), flags, cells)
    facts["timing"] = timing
    facts["qemu"] = ""
    facts["arm_neon.h"] = " ".join("".join(flags.splitlines()[4:]).split())  # SIMDe's
    facts["messages"] = "default"
    with files.alone():
        write(LOCAL / "host", {"times.csv": times}, facts)
