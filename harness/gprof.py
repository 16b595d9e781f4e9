"""gprof: which function calls which, and how often, from a build of each snapshot with -pg.

`python3 -m harness gprof [--out DIR] FOLDER...` runs build/gprof/.../rsa, which is a program
of its own and gives no other number: one round trip with key-full or, in a study that brings keys
of its own, one with each of them, which are added up.  It writes gprof/<snapshot>-<level>.txt
(gprof's flat profile and call graph), gprof/calls.csv (exact numbers of calls) and, where graphviz
is installed, a picture of each call graph.

Calls are counted on entry to a function compiled with -pg, so an inlined call
is none, and what is left at -O1 and -O3 is what the compiler left.  A tail
call counts as made by the caller's caller. gprof's times are samples; under
emulation they mean nothing and are set to zero before gprof sees them, which
also makes the text the same on every run.
"""

import os
import re
import shutil
import struct
import tempfile
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import operands, target
from harness.cells import Cell, Task, cells_of, on_all_cores
from harness.collect import LOCAL, beside, prepare
from harness.elf import TOOL, read_elf
from records import ladder
from records.faults import Failure, limit, run
from records.files import alone, digest, replace
from records.machine import read_flags, read_platform
from records.profiles import profiles
from records.rows import (
    CALLS,
    CALLS_FROM,
    Row,
    empty,
    fill,
    read_rows,
    write_rows,
)
from records.workloads import TRIP_FIRST

GPROF = f"{TOOL}gprof"
FILE = "calls.csv"
MESSAGES = 1
# In the front matter of a study: it is compiled without static, as its source is.
NOT_STATIC = "gprof: not static"
TOTAL = "<total>"  # caller: all together
HEADER = 20  # bytes of a gmon.out before its first record
HISTOGRAM = 33  # bytes of a histogram before its bins
RUN_SECONDS = 600  # of processor time that a run may take
DRAW_SECONDS = 60  # and a drawing
Calls = Counter[tuple[str, str]]  # (caller, callee) -> calls


# ---- Calls and gprof's text ----


def gmon(data: bytes, function: Callable[[int], str]) -> tuple[bytes, Calls]:
    """Return the same gmon.out with every sample of time zero, and its calls;
    `function` names the one that holds an address.  The C library writes
    one histogram, then arcs to the end.  Raises Failure for anything else."""
    kind_of_first, bins = struct.unpack_from("<B8xI", data, HEADER)
    start = HEADER + HISTOGRAM
    end = start + 2 * bins
    arcs = list(struct.iter_unpack("<B3I", data[end:]))
    kinds = {kind for kind, *_ in arcs}
    if kind_of_first != 0 or not kinds <= {1}:
        raise Failure("gmon.out: not one histogram and arcs")
    calls = Calls()
    for _, back, entry, n in arcs:  # bit 0 says Thumb
        # The caller is known by where the call returns to, which may be just behind its end.
        caller = function((back & ~1) - 2)
        callee = function(entry & ~1)
        calls[caller, callee] += n
    return data[:start] + bytes(2 * bins) + data[end:], calls


def emulated(runner: Sequence[str]) -> bool:
    """Return whether times mean nothing: an emulator runs the program, or the whole computer."""
    return bool(runner) or target.virtual()


def run_and_report(
    program: Path, runner: Sequence[str], runs: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Return `text`, gprof's flat profile and call graph of all runs together,
    and `calls`, lists of caller, callee and calls, those of TOTAL last;
    without times where a runner emulates them.  `runs` are the program's
    arguments.  Raises Failure."""
    calls = Calls()
    function = read_elf(program).function
    clean = {"PATH": os.environ["PATH"]}  # without GMON_OUT_PREFIX
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        profiles: list[Path] = []
        for way, file in runs:
            words = [*runner, str(program.resolve()), way, str(Path(file).resolve())]
            run(words, limit(RUN_SECONDS), cwd=folder, env=clean)
            data = (folder / "gmon.out").read_bytes()
            timeless, of_run = gmon(data, function)
            calls += of_run
            profile = folder / f"gmon.{len(profiles)}"
            profile.write_bytes(timeless if emulated(runner) else data)
            profiles.append(profile)
        printed = run([GPROF, "-b", program, *profiles])
    totals = Calls()
    for (_, callee), n in calls.items():
        totals[TOTAL, callee] += n
    return {
        "text": "".join(f"{line.rstrip()}\n" for line in printed.splitlines()),
        "calls": [
            [*names, n]
            for names, n in (*sorted(calls.items()), *sorted(totals.items()))
        ],
    }


def workload(cell: Cell) -> tuple[str, list[list[str]]]:
    """Return what is run, in words, and the driver's arguments of each run."""
    keys = sorted((cell.snapshot.path.parent / "keys").glob("key-*"))
    trips: list[list[object]] = []
    for key in keys:
        trips.append([key.resolve() / "key.txt", key.resolve() / "message.txt"])
    if keys:
        names_of_keys = ", ".join(key.name for key in keys)
        what = f"a round trip with each of {len(keys)} keys, {names_of_keys}"
    else:
        what = "a round trip with key-full"
        inputs = cell.inputs.resolve() / "key-full"
        trips.append([inputs / "key.txt", "-n", MESSAGES, inputs / "strings.txt"])
    width = cell.snapshot.width
    return what, [operands.command(["roundtrip", *words], width) for words in trips]


def task(cell: Cell, runner: Sequence[str]) -> Task:
    """Return run_and_report of the cell's workload, kept beside the program."""
    program = Path("build", "gprof", *cell.program.parts[1:])
    _, runs = workload(cell)
    inputs = []
    for words in runs:
        inputs += [Path(word) for word in words if word.endswith(".txt")]
    hashed = digest(program, *inputs, Path(__file__))
    return Task(
        program.with_name("gprof.json"),
        f"{hashed} {' '.join(runner)}",
        lambda: run_and_report(program, runner, runs),
    )


def names(row: Mapping[str, Any]) -> list[str]:
    """Return what a row of results is of: `v0 O1`, or `width-96 v0 O1` in a study."""
    rung = [row["snapshot"], row["level"]]
    return rung if row["study"] == ladder.LADDER else [row["study"], *rung]


def options(cell: Cell) -> str:
    """Return the options that mk/programs.mk adds for gprof, in words."""
    about = cell.snapshot.path.parent / "README.md"
    if NOT_STATIC in about.read_text(encoding="utf-8").splitlines():
        return "-pg and -Dstatic="
    return "-pg"


def head_of(cell: Cell, platform: str, runner: Sequence[str], flags: str) -> str:
    """Return what stands above a cell's profile: what ran, and how."""
    times = "sampled every 10 ms on this board, in a program slowed down by counting"
    if emulated(runner):
        times = "emulated: every time is set to 0 and means nothing"
    what, _ = workload(cell)
    return (
        f"{' '.join(names(cell.row()))}, built with {options(cell)}: {what}.\n"
        f"Calls are exact.  Times: {times}.\n"
        f"{platform}, {flags.splitlines()[0]}.\n\n"
    )


def main(*folders: Path, out: Path = LOCAL) -> None:
    """Profile and draw who calls whom, into `out`/gprof; beside what is
    there where that is of this machine's own runs.  Raises Failure,
    ValueError and OSError."""
    cells = cells_of(folders, "default")
    platform, runner = read_platform()
    flags = read_flags()
    reports = on_all_cores([task(cell, runner) for cell in cells])
    folder = out / "gprof"
    with alone():
        prepare(out)
        if out != LOCAL:
            for path in folder.glob("*.txt"):
                path.unlink()  # perhaps of a snapshot that is no more
        table: list[Row] = []
        for cell, report in zip(cells, reports):
            title = "-".join(names(cell.row()))
            head = head_of(cell, platform, runner, flags)
            replace(folder / f"{title}.txt", head + report["text"])
            for caller, callee, n in report["calls"]:
                row = cell.number(
                    workload=TRIP_FIRST,
                    metric=CALLS if caller == TOTAL else f"{CALLS_FROM}{caller}",
                    symbol=callee,
                    value=n,
                    unit="calls",
                )
                table.append(row)
        if out == LOCAL:
            table = beside(read_rows(folder / FILE), table)
        write_rows(folder / FILE, table)
    print(f"  GPROF   {folder}: flat profiles, call graphs, {FILE}")
    print(f"  DRAW    {draw(out)}")


# ---- Pictures: calls of a round trip, which is two calls of mod_exp, and what each function itself
# ---- executes in the measured program, exact, where counts.csv has it

NO_DOT = "no pictures of the call graphs: dot is not here; `apt-get install graphviz` brings it"
COST = "Numbers of a round trip. Colour, size, number: exact instructions of the function itself."
INLINED = "Without a number: the measured program has its code in another function."
COLUMNS = 80  # of the words in a picture
GRAPH = """digraph "{name}" {{
    nodesep=0.25; ranksep=0.45; labeljust=l; fontsize=10; fontname="Arial,Helvetica,sans-serif";
    node [shape=box, style=filled, penwidth=0, fontname="Arial,Helvetica,sans-serif"];
    edge [fontsize=10, fontname="Arial,Helvetica,sans-serif"]; label="{label}";
{lines}
}}
"""
OWN = """
select study, snapshot, level, symbol, 1.0 * value / n as instructions from counts
where metric = 'instructions' and workload = 'roundtrip-full'
  and symbol not in ('total', 'snapshot')
"""
Own = Counter[str]  # function -> instructions of a round trip, by itself


def graphs(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each gprof/NAME.txt of a results folder, and its call graph in
    dot's language.  Raises Failure and OSError."""
    db = empty()
    fill(db, folder / "gprof" / FILE)
    fill(db, folder / "counts.csv")
    calls: defaultdict[str, Calls] = defaultdict(Calls)
    for row in db.execute("select * from calls"):
        caller = TOTAL
        if row["metric"] != CALLS:
            caller = row["metric"].removeprefix(CALLS_FROM)
        calls["-".join(names(row))][caller, row["symbol"]] = row["value"]
    own: defaultdict[str, Own] = defaultdict(Own)
    for row in db.execute(OWN):
        function, _, _ = row["symbol"].partition(".")
        own["-".join(names(row))][function] += row["instructions"]
    for path in profiles(folder, str(folder)):
        if path.stem in calls:
            yield path, graph(path, calls[path.stem], own[path.stem])


def graph(path: Path, calls: Calls, own: Own) -> str:
    """Return a call graph in dot's language.  Its label is the beginning of
    the text `path`; quotes and backslashes become apostrophes."""
    trips = calls.get((TOTAL, "mod_exp"), 2) / 2
    callees = sorted(callee for caller, callee in calls if caller == TOTAL)
    lines = [node(name, calls[TOTAL, name] / trips, own) for name in callees]
    for (caller, callee), n in calls.items():
        if caller not in (TOTAL, "plain_call"):
            width = max(0.6, 0.5 * len(str(n)))  # by how many digits the number has
            label = f" {rounded(n / trips):,}× "
            lines.append(
                f' "{caller}" -> "{callee}" [label="{label}", penwidth={width:.1f}];'
            )
    text, _, _ = path.read_text(errors="replace").partition("\n\n")
    text = re.sub(r'["\\]', "'", text)
    notes = [line.partition("  ")[0] for line in text.splitlines()]
    counted = [name for name in callees if name in own]
    if counted:
        notes.append(COST)
    if 0 < len(counted) < len(callees):
        notes.append(INLINED)
    label = " \\l"
    for line in notes:
        label += "".join(f"{part}\\l" for part in textwrap.wrap(line, COLUMNS) or [" "])
    return GRAPH.format(name=path.stem, label=label, lines="\n".join(lines))


def node(name: str, calls: float, own: Own) -> str:
    """Return the line of a function: its calls and, if the measured program
    has it, what it executes itself; colour and size say its share."""
    share = 0.0
    executed = ""
    if name in own:
        share = own[name] / own.total()
        executed = f"{rounded(own[name]):,} ({share:.0%})\\n"
    label = f"{name}\\n{executed}{rounded(calls):,}×\\n"
    size = 10 + 10 * share
    hue = 0.13 - 0.07 * share
    saturation = 0.15 + 0.65 * share
    colour = f"{hue:.3f} {saturation:.3f} 1"
    return f' "{name}" [label="{label}", fontsize={size:.1f}, fillcolor="{colour}"];'


def rounded(number: float) -> int:
    """Return the nearest whole number, of two the larger."""
    return int(number + 0.5)


def draw(folder: Path) -> str:
    """Draw gprof/NAME.svg for each NAME.txt of a results folder.  Return what
    was drawn, or why nothing, in one line.  Pictures that were there before
    are removed.  Raises Failure and OSError."""
    for path in folder.glob("gprof/*.svg"):
        path.unlink()
    if not shutil.which("dot"):
        return NO_DOT
    drawn = 0
    for path, text in graphs(folder):
        picture = run(["dot", "-Tsvg"], limit(DRAW_SECONDS), input=text)
        scaled = '<svg style="max-width:100%;height:auto" '
        picture = picture[picture.index("<svg") :].replace("<svg ", scaled, 1)
        replace(path.with_suffix(".svg"), picture)
        drawn += 1
    return f"{drawn} call graphs are drawn"
