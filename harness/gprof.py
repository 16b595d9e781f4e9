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
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from harness import operands, target
from harness.cells import Cell, Task, cells_of, on_all_cores
from harness.collect import LOCAL, begin, beside
from harness.elf import TOOL, read_elf
from records import ladder
from records.faults import Failure, run
from records.files import digest, replace
from records.machine import machine_facts, read_flags, read_platform
from records.rows import Row, empty, fill, read_rows, write_rows

GPROF, FILE = f"{TOOL}gprof", "calls.csv"
MESSAGES = 1
AS_THERE = "width-96"  # compiled without static, as its source is: mk/programs.mk
TOTAL = "<total>"  # caller: all together
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
    "calls": [[caller, callee, calls]...], those of TOTAL last}; without times where a runner
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
    for (_, callee), n in [*total.items()]:
        total[TOTAL, callee] += n
    every = sorted(total.items(), key=lambda item: (item[0][0] == TOTAL, item[0]))
    return {"text": text, "calls": [[*names, n] for names, n in every]}


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
        table += (cell.row(caller=a, callee=b, calls=n) for a, b, n in report["calls"])
    write_rows(place / FILE, beside(read_rows(place / FILE), table) if out == LOCAL else table)
    print(f"  GPROF   {place}: flat profiles, call graphs, {FILE}")
    print(f"  DRAW    {draw(out)}")


# ---- Pictures: calls of a round trip, and what each function itself executes in the measured
# ---- program, exact, where counts.csv has it

NO_DOT = "no pictures of the call graphs: dot is not here; `apt-get install graphviz` brings it"
COST = "Numbers of a round trip. Colour, size, number: exact instructions of the function itself."
INLINED = "Without a number: the measured program has its code in another function."
GRAPH = """digraph "{name}" {{
    nodesep=0.25; ranksep=0.45; labeljust=l; fontsize=10; fontname="Arial,Helvetica,sans-serif";
    node [shape=box, style=filled, penwidth=0, fontname="Arial,Helvetica,sans-serif"];
    edge [fontsize=10, fontname="Arial,Helvetica,sans-serif"]; label="{label}";
{lines}
}}
"""


def graphs(folder: Path) -> Iterator[tuple[Path, str]]:
    """Each gprof/NAME.txt of a results folder, and its call graph in dot's
    language, whose label is the text's beginning; its quotes and
    backslashes become apostrophes.  Raises Failure and OSError."""
    db, drawn = empty(), defaultdict(list)
    for path in (folder / "gprof" / FILE, folder / "counts.csv"):
        fill(db, path)
    lines = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    for name, known, line in db.execute(lines):
        drawn[name].append((known, line))
    for path in sorted(folder.glob("gprof/*.txt")):
        if rows := drawn.get(path.stem):
            head, _, _ = path.read_text(errors="replace").partition("\n\n")
            said = re.sub(r'["\\]', "'", head).splitlines()
            text, counted = [line.partition("  ")[0] for line in said], {known for known, _ in rows}
            text += [COST] * (1 in counted) + [INLINED] * (counted >= {0, 1})
            below = [part for line in ["", *text] for part in textwrap.wrap(line, 80) or [" "]]
            label, body = "\\l".join([*below, ""]), "\n".join(line for _, line in rows)
            yield path, GRAPH.format(name=path.stem, label=label, lines=body)


def draw(folder: Path) -> str:
    """Draw gprof/NAME.svg for each NAME.txt of a results folder; what was
    drawn, or why nothing, in one line.  Pictures that were there before are
    removed.  Raises Failure and OSError."""
    for path in folder.glob("gprof/*.svg"):
        path.unlink()
    if not shutil.which("dot"):
        return NO_DOT
    there = [*graphs(folder)]
    for path, graph in there:
        picture = run(["dot", "-Tsvg"], input=graph, timeout=60)
        scaled = '<svg style="max-width:100%;height:auto" '
        picture = picture[picture.index("<svg") :].replace("<svg ", scaled, 1)
        replace(path.with_suffix(".svg"), picture)
    return f"{len(there)} call graphs are drawn"
