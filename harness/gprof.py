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

import math
import os
import re
import shutil
import struct
import tempfile
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import operands, target
from harness.cells import Cell, Task, cells_of, on_all_cores
from harness.collect import LOCAL, begin, beside
from harness.elf import read_elf
from records import ladder
from records.faults import Failure, run
from records.files import digest, replace
from records.machine import machine_facts, read_flags, read_platform
from records.results import FULL
from records.rows import Row, read_rows, write_rows

GPROF, FILE = "arm-linux-gnueabihf-gprof", "calls.csv"
MESSAGES = 1
AS_THERE = "width-96"  # compiled without static, as its source is: mk/programs.mk
TOTAL, DRIVER = "<total>", "plain_call"  # callers: all together, and the one of harness/driver
HEADER, HISTOGRAM = 20, 33  # bytes of a gmon.out before its first record, and before the bins
LIMIT = 600  # seconds for one run
Calls = Counter[tuple[str, str]]  # (caller, callee) -> calls


# ---- Calls and gprof's text ----


def gmon(data: bytes, function: Callable[[int], str]) -> tuple[bytes, Calls]:
    """The same gmon.out with every sample of time zero, and its calls;
    `function` names the one that holds an address.  The C library writes
    one histogram, then arcs to the end.  Raises Failure for anything else."""
    start, calls = HEADER + HISTOGRAM, Calls()
    kind, bins = struct.unpack_from("<B8xI", data, HEADER)
    end = start + 2 * bins
    arcs = list(struct.iter_unpack("<B3I", data[end:]))
    if kind != 0 or any(kind != 1 for kind, *_ in arcs):
        raise Failure("gmon.out: not one histogram and arcs")
    for _, back, callee, n in arcs:
        # The caller is known by where the call returns to, which may be just behind its end.
        calls[function((back & ~1) - 2), function(callee & ~1)] += n
    return data[:start] + bytes(2 * bins) + data[end:], calls


def emulated(runner: Sequence[str]) -> bool:
    """Whether times mean nothing here: an emulator runs the program, or the whole computer."""
    return bool(runner) or target.virtual()


def run_and_report(
    program: Path, runner: Sequence[str], runs: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """{"text": gprof's flat profile and call graph of all runs together,
    "calls": [[caller, callee, calls]...]}; without times where a runner
    emulates them.  `runs` are the program's arguments. Raises Failure and
    TimeoutExpired."""
    total, function = Calls(), read_elf(program).function
    clean = {"PATH": os.environ["PATH"]}  # without GMON_OUT_PREFIX
    with tempfile.TemporaryDirectory() as place:
        profiles = [Path(place, f"gmon.{i}") for i in range(len(runs))]
        for path, (way, file) in zip(profiles, runs):
            words = [*runner, str(program.resolve()), way, str(Path(file).resolve())]
            run(words, cwd=Path(place), env=clean, timeout=LIMIT)
            data = Path(place, "gmon.out").read_bytes()
            timeless, calls = gmon(data, function)
            total += calls
            path.write_bytes(timeless if emulated(runner) else data)
        printed = run([GPROF, "-b", program, *profiles])
    text = "".join(line.rstrip() + "\n" for line in printed.splitlines())
    return {"text": text, "calls": sorted([*names, n] for names, n in total.items())}


def workload(cell: Cell) -> tuple[str, list[list[str]]]:
    """What is run, in words, and the driver's arguments of each run."""
    inputs = cell.inputs.resolve() / "key-full"
    what = "a round trip with key-full"
    trips: list[list[object]] = [[inputs / "key.txt", "-n", MESSAGES, inputs / "strings.txt"]]
    if keys := sorted((cell.snapshot.path.parent / "keys").glob("key-*")):
        what = f"a round trip with each of {len(keys)} keys, {', '.join(key.name for key in keys)}"
        trips = [[key.resolve() / "key.txt", key.resolve() / "message.txt"] for key in keys]
    width = cell.snapshot.width
    return what, [operands.command(["roundtrip", *words], width) for words in trips]


def task(cell: Cell, runner: Sequence[str]) -> Task:
    """run_and_report of the cell's workload, kept beside the program."""
    program, (_, runs) = Path("build", "gprof", *cell.program.parts[1:]), workload(cell)
    inputs = [Path(word) for words in runs for word in words if word.endswith(".txt")]
    key = digest(program, *inputs, Path(__file__)) + " " + " ".join(runner)
    kept = program.with_name("gprof.json")
    return Task(kept, key, lambda: run_and_report(program, runner, runs))


def names(row: Row) -> list[str]:
    """What a row of results is of: `v0 O1`, or `width-96 v0 O1` in a study."""
    study = [] if row["study"] == ladder.LADDER else [row["study"]]
    return [*study, row["snapshot"], row["level"]]


def main(*folders: Path, out: Path = LOCAL) -> None:
    """Profile and draw who calls whom, into `out`/gprof; beside what is
    there where that is of this machine's own runs.  Raises Failure,
    ValueError and OSError."""
    cells, (platform, runner), flags = cells_of(folders, "default"), read_platform(), read_flags()
    place = out / "gprof"
    if out == LOCAL:
        begin(out, machine_facts(platform, (), flags, {}))
    times = "sampled every 10 ms on this board, in a program slowed down by counting"
    if emulated(runner):
        times = "emulated: every time is set to 0 and means nothing"
    table: list[Row] = []
    for path in place.glob("*.txt") if out != LOCAL else ():
        path.unlink()  # perhaps of a snapshot that is no more
    for cell, report in zip(cells, on_all_cores([task(cell, runner) for cell in cells])):
        options = "-pg and -Dstatic=" if cell.snapshot.study == AS_THERE else "-pg"
        title = names(cell.row())
        head = f"{' '.join(title)}, built with {options}: {workload(cell)[0]}."
        head += f"\nCalls are exact.  Times: {times}.\n{platform}, {flags.splitlines()[0]}.\n\n"
        replace(place / f"{'-'.join(title)}.txt", head + report["text"])
        sums: Counter[str] = Counter()
        for caller, callee, n in report["calls"]:
            sums[callee] += n
            table.append(cell.row(caller=caller, callee=callee, calls=n))
        table += (cell.row(caller=TOTAL, callee=name, calls=n) for name, n in sorted(sums.items()))
    write_rows(place / FILE, beside(read_rows(place / FILE), table) if out == LOCAL else table)
    print(f"  GPROF   {place}: flat profiles, call graphs, {FILE}")
    print(f"  DRAW    {draw(out)}")


# ---- Pictures: calls of a round trip, and what each function itself executes in the measured
# ---- program, exact, where counts.csv has it

NO_DOT = "no pictures of the call graphs: dot is not here; `apt-get install graphviz` brings it"
COST = "Numbers of a round trip. Colour, size, number: exact instructions of the function itself."
INLINED = "Without a number: the measured program has its code in another function."
STYLE = """
    nodesep=0.25; ranksep=0.45; labeljust=l; fontsize=10; fontname="Arial,Helvetica,sans-serif";
    node [shape=box, style=filled, penwidth=0, fontname="Arial,Helvetica,sans-serif"];
    edge [fontsize=10, fontname="Arial,Helvetica,sans-serif"];
"""


def dot(head: str, calls: Sequence[Row], cost: Mapping[str, float]) -> str:
    """A call graph in dot's language, from a program's rows of calls.csv;
    `cost` is instructions a round trip by function, `head` the beginning of
    gprof's text, whose quotes and backslashes become apostrophes."""
    called = {row["callee"]: row["calls"] for row in calls if row["caller"] == TOTAL}
    trips = called.get("mod_exp", 0) / 2 or 1
    plain = re.sub(r'["\\]', "'", head) or "?"
    lines = [line.partition("  ")[0] for line in plain.splitlines()]
    name = lines[0].partition(",")[0]
    if cost:
        lines += [COST, *[INLINED] * bool(called.keys() - cost)]
    below = [part for line in ["", *lines] for part in textwrap.wrap(line, 80) or [" "]]
    graph = [f'digraph "{name}" {{ {STYLE} label="' + "\\l".join([*below, ""]) + '";']
    for function, n in sorted(called.items()):
        share = cost.get(function, 0) / (sum(cost.values()) or 1)
        label = [function, f"{round(n / trips):,}×\\n"]
        if function in cost:
            label.insert(1, f"{cost[function]:,.0f} ({share:.0%})")
        colour = f"{0.13 - 0.07 * share:.3f} {0.15 + 0.65 * share:.3f} 1"  # yellow to orange
        look = f'fontsize={10 + 10 * share:.1f}, fillcolor="{colour}"'
        graph.append(f' "{function}" [label="' + "\\n".join(label) + f'", {look}];')
    arcs = [row for row in calls if row["caller"] not in (TOTAL, DRIVER)]
    most = math.log(1 + max((row["calls"] for row in arcs), default=1))
    for row in arcs:
        thick = max(0.6, 3 * math.log(1 + row["calls"]) / most)
        look = f'label=" {round(row["calls"] / trips):,}× ", penwidth={thick:.2f}'
        graph.append(f' "{row["caller"]}" -> "{row["callee"]}" [{look}];')
    return "\n".join([*graph, "}\n"])


def draw(folder: Path) -> str:
    """Draw gprof/NAME.svg for each NAME.txt of a results folder; what was
    drawn, or why nothing, in one line.  Pictures that were there before are
    removed.  Raises Failure and OSError."""
    place = folder / "gprof"
    for path in place.glob("*.svg"):
        path.unlink(missing_ok=True)
    if not shutil.which("dot"):
        return NO_DOT
    calls: dict[str, list[Row]] = defaultdict(list)
    costs: dict[str, Counter[str]] = defaultdict(Counter)
    for row in read_rows(place / FILE):
        calls["-".join(names(row))].append(row)
    for row in read_rows(folder / "counts.csv"):
        sums = row["symbol"] in ("total", "snapshot")
        if (row["metric"], row["case"]) == ("instructions", FULL) and not sums:
            function = row["symbol"].partition(".")[0]
            costs["-".join(names(row))][function] += row["value"] / row["n"]
    there = [path for path in sorted(place.glob("*.txt")) if path.stem in calls]
    for path in there:
        head, _, _ = path.read_text(errors="replace").partition("\n\n")
        graph = dot(head, calls[path.stem], costs[path.stem])
        picture = run(["dot", "-Tsvg"], input=graph, timeout=60)
        scaled = '<svg style="max-width:100%;height:auto" '
        picture = picture[picture.index("<svg") :].replace("<svg ", scaled, 1)
        replace(path.with_suffix(".svg"), picture)
    return f"{len(there)} call graphs are drawn"
