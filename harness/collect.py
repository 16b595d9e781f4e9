"""The main job: measure checked snapshots and write a results folder.

    python3 -m harness collect [--messages WORD] [--out DIR] FOLDER...     such as iterations/v4
    python3 -m harness host FOLDER...                    times of this machine's own programs

Called by make, after the programs of those folders have passed their check.
One collection at a time in a checkout; killed at any moment, it goes on where
it stopped.
"""

import os
import re
import shutil
from collections import Counter as Sum
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from harness import clock, counters, perf
from harness.cells import WORKERS, Cell, Task, cells_of, checked, on_all_cores
from harness.counters import Counter
from records import files, ladder, machine, workload
from records.faults import Failure, run
from records.rows import CELL, COLUMNS, Row, read_rows, write_rows

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
    """What machine.json says of the rows that may stand beside those of
    `facts`; {} after the folder was set aside, or where nothing says.
    Raises OSError."""
    before = machine.known(folder)
    if all(before.get(key) == facts[key] for key in SAME):
        return before
    if before or (folder / PROVENANCE).exists():
        set_aside(folder, "rows of another compiler, or of none that is known")
    return {}


def merged(
    folder: Path, made: dict[str, list[Row]], facts: dict[str, Any]
) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """File -> the rows that are to be written to it, `made` and what stays;
    and `facts`, what machine.json says of `made`, with the programs of what
    stays.  Raises Failure and OSError."""
    known, now = begin(folder, facts).get("programs", {}), facts["programs"]
    cells = [path for path in folder.glob("*.csv") if {*CELL} <= {*COLUMNS[path.name]}]
    there = {path.name: read_rows(path) for path in cells}
    if any(label(row) not in positions() for table in there.values() for row in table):
        set_aside(folder, "rows of folders that are gone", shutil.copytree)
    same = {name for name, program in known.items() if now.get(name, program) == program}
    rows = {
        file: beside([row for row in there.get(file, []) if label(row) in same], made.get(file, []))
        for file in sorted({*made, *there})
    }
    stay = same & {label(row) for table in rows.values() for row in table}
    return rows, {**facts, "programs": {name: known[name] for name in stay} | now}


def beside(there: Iterable[Row], made: list[Row]) -> list[Row]:
    """The rows of a file: `made`, and of those that are there what stays,
    in ladder order, and in the order of the workload's cases."""
    at, new = positions(), {(label(row), row.get("case")) for row in made}

    def place(row: Row) -> tuple[int, int]:
        case = row.get("case")
        return at[label(row)], (*workload.CASES, case).index(case)

    old = (row for row in there if label(row) in at and (label(row), row.get("case")) not in new)
    return sorted([*old, *made], key=place)


def label(row: Row) -> str:
    """`iterations/v4/O1`."""
    return "/".join(row[column] for column in CELL)


def every_cell(messages: str) -> list[Cell]:
    """Every snapshot of this checkout at every level, in ladder order."""
    folders = (*ladder.ROOT.glob("iterations/*"), *ladder.ROOT.glob("studies/*/*"))
    return cells_of(folders, messages, ladder.EVERY_LEVEL)


@cache
def positions() -> dict[str, int]:
    """Label of every cell -> where it stands in ladder order."""
    return {cell.label: number for number, cell in enumerate(every_cell("default"))}


def set_aside(folder: Path, what: str, how: Callable[[Path, Path], object] = shutil.move) -> None:
    """Keep the folder under another name, and say so, if it holds any rows;
    `how` moves or copies.  Raises OSError."""
    if any(folder.glob("*.csv")):
        facts = machine.known(folder)
        name = f"{facts['platform']}-{facts['date']}" if facts else "unknown"
        name = re.sub("[^A-Za-z0-9.-]+", "", name)
        taken = len(list(EARLIER.glob(f"{name}*")))
        kept = EARLIER / (f"{name}-{taken + 1}" if taken else name)
        EARLIER.mkdir(parents=True, exist_ok=True)
        how(folder, kept)
        print(f"  NOTE    {folder} had {what}; it is kept as {kept}", flush=True)


def write(out: Path, rows: dict[str, list[Row]], facts: dict[str, Any]) -> None:
    """Write the tables, then machine.json.  Raises OSError."""
    if LOCAL in (out, out.parent):  # what is committed is always the whole
        rows, facts = merged(out, rows, facts)
    for file, table in rows.items():
        write_rows(out / file, table)
    machine.write_machine(out, facts)


# ---- counting: a line says how long it takes, and each program has one; a bar on a terminal, too

FORM = "{bar} {percentage:3.0f} %  {elapsed} so far, about {remaining} left"
BAR = {"bar_format": FORM, "dynamic_ncols": True, "leave": False, "disable": None}
UNKNOWN = 1e6  # instructions of an operation that was never counted
USUAL = re.compile(r"^(\w\S+?),([\w-]+),instructions,total,(\d+),\w+,(\d+),", re.M)


@cache
def usual() -> dict[tuple[str, str], float]:
    """Cell and case -> instructions of an operation, by the committed results."""
    texts = [path.read_text() for path in sorted(Path("results").glob("qemu-*/counts.csv"))]
    totals = [total for text in texts for total in USUAL.findall(text)]
    return {(cell.replace(",", "/"), case): int(sum_) / int(n) for cell, case, sum_, n in totals}


def expected(cell: Cell, run: workload.Task, counter: Counter) -> float:
    """The processor time in seconds that a run will take."""
    return counter.seconds(run.n * usual().get((cell.label, run.case), UNKNOWN), cell.level)


def duration(seconds: float) -> str:
    """`40 s` or `5 min`, no better than an estimate is."""
    return f"{max(10, round(seconds, -1)):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def count(cells: list[Cell], counter: Counter) -> None:
    """Make every run that is missing.  The counter first proves itself on
    its self-test.  Raises Failure."""
    missing = [(cell, run) for cell in cells for run in cell.tasks if cell.counted(run) is None]
    if not missing:
        return
    values = counter.selftest()
    print(f"  COUNTER {counter.name}: {values} values of the self-test as expected", flush=True)
    runs = {cell.kept(run): (cell, expected(cell, run, counter)) for cell, run in missing}
    left, total = Sum(cell.label for cell, _ in missing), sum(spent for _, spent in runs.values())
    programs = f"{len(left)} program{'s' * (len(left) > 1)}"
    wait = duration(total / WORKERS)
    print(f"  COUNT   {len(runs)} runs of {programs}: about {wait}", flush=True)
    bar = tqdm and tqdm(total=total, **BAR)

    def look(task: Task) -> None:
        cell, seconds = runs[task.path]
        left[cell.label] -= 1
        if bar:
            bar.update(seconds)
        if not left[cell.label]:
            n, sums = cell.totals(workload.main_case(cell.messages))
            mean = sums["total", "instructions"] / n if n else 0
            trip = f"{mean / 1e6:>9.3f} M instructions a round trip"
            with tqdm.external_write_mode() if bar else nullcontext():
                print(f"  COUNT   {cell.name:<10} {trip}", flush=True)

    with bar or nullcontext():
        on_all_cores([cell.task(run, counter) for cell, run in missing], look)


# ---- the whole of it


def time_rows(cells: list[Cell]) -> tuple[dict[str, list[Row]], dict[str, Any]]:
    """File -> rows of what the clock and the hardware's counters say of
    cells; and how the times were taken.  Raises Failure."""
    times, timing = clock.collect(cells)
    counted = [row for cell in cells for row in perf.rows(cell)]
    refused = [row["unit"] for row in counted if row["unit"].startswith(perf.REFUSED)]
    if refused:
        print(f"  NOTE    hardware counters: {refused[0]}", flush=True)
    return {"times.csv": times, "perf.csv": counted}, timing


def choose_counter(platform: machine.Platform) -> Counter | None:
    """The counter to use; None, after a line that says why, where there is
    none and none was asked for by name.  Raises Failure, and OSError where
    programs cannot even run."""
    if platform.runner:
        run([platform.runner[0], "--version"])
    try:
        return counters.chosen()
    except Failure as why_not:
        if os.environ.get("COUNTER") in counters.COUNTERS:
            raise
        print(f"  {why_not}", flush=True)
        return None


def choose_messages(asked: str, platform: machine.Platform, counter: Counter | None) -> str:
    """The workload to count: the one that is asked for or, without a word,
    the small one where counting would keep its owner waiting.  Then a line
    says so."""
    if asked or not counter or not (counter.slow or platform.direct):
        return asked or "default"
    why = "times come first here, and counting must not take longer"
    if counter.slow:
        why = "this qemu-arm loads no plugin, so Unicorn counts, which takes some ten times longer"
    print(f"  NOTE    {why}:\n          it counts the small workload;", end=" ")
    print("MESSAGES=default on the command line counts the rest", flush=True)
    return "small"


@files.alone()
def collect(*folders: Path, messages: str = "", out: Path = LOCAL) -> None:
    """Measure checked snapshots.  Where programs run directly, their times
    come first; nothing is written before every row is there.  Raises
    Failure and OSError."""
    platform, flags = machine.read_platform(), machine.read_flags()
    counter = choose_counter(platform)
    messages = choose_messages(messages, platform, counter)
    asked = checked(cells_of(folders, messages))
    if machine.is_imported(out):
        raise Failure(f"{out}: `make import` brought it; rename it to measure into a new one")
    cells = asked
    if out == LOCAL:  # it holds all that was measured here
        cells = [cell for cell in every_cell(messages) if cell.checked]
    for folder in (out, *(cell.folder for cell in asked)):
        files.sweep(folder)
    found, timing = time_rows(cells) if platform.direct else ({}, {})
    tables = {PROVENANCE: [row for cell in cells for row in cell.groups(flags)], **found}
    if counter:
        count(asked, counter)
        tables["counts.csv"] = [row for cell in cells for row in cell.count_rows()]
    built = all((cell.folder / "snapshot.o").exists() for cell in cells)  # not where a farm sent it
    if built:
        tables["asm.csv"] = [row for cell in cells for row in cell.size_rows()]
    if counter and built:
        tables["lines.csv"] = [row for cell in cells for row in cell.line_rows()]
    facts = facts_of(platform, flags, cells) | {"messages": messages}
    facts["counter"] = counter.name if counter else ""
    write(out, tables, facts | ({"timing": timing} if timing else {}))


def facts_of(platform: machine.Platform, flags: str, cells: Collection[Cell]) -> dict[str, Any]:
    """What machine.json says of the cells' rows."""
    programs = {cell.label: files.digest(cell.program) for cell in cells}
    return machine.machine_facts(platform.name, platform.runner, flags, programs)


@files.alone()
def host(*folders: Path) -> None:
    """Time the C rungs that this machine's own compiler builds.  That is
    not those in ARM assembly, and NEON only through SIMDe.  The results
    have a folder of their own: these numbers are of another machine, with
    another compiler, than any count.  Raises Failure and OSError."""
    build = Path("build/host")
    here = cells_of(folders, "default", build=build)
    cells = [cell for cell in here if cell.checked]
    for name in dict.fromkeys(cell.snapshot.name for cell in here if cell not in cells):
        print(f"  HOST    {name}: not available here: {clock.NOT_HERE}", flush=True)
    if not cells:
        raise Failure("no program is built and checked; `make host` does both")
    times, timing = clock.collect(cells)
    flags = (build / "flags").read_text()
    simde = " ".join("".join(flags.splitlines()[2:]).split())
    facts = facts_of(machine.read_platform(machine.HOST), flags, cells) | {"timing": timing}
    facts |= {"qemu": "", "arm_neon.h": simde, "messages": "default"}
    write(LOCAL / "host", {"times.csv": times}, facts)
