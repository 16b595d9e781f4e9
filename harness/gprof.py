"""gprof: which function calls which, and how often, from a build of each snapshot with -pg.

`python3 -m harness.gprof [--out DIR] FOLDER...` runs build/gprof/.../rsa, which is a program
of its own and gives no other number: one round trip with key-full or, in a study that brings keys
of its own, one with each of them, which are added up.  It writes
gprof/<snapshot>-<level>.txt (gprof's flat profile and call graph) and gprof/calls.csv (exact
numbers of calls).

Calls are counted on entry to a function compiled with -pg, so an inlined call is none, and what is
left at -O1 and -O3 is what the compiler left.  A tail call counts as made by the caller's caller.
gprof's times are samples; under emulation they mean nothing and are set to zero before gprof sees
them, which also makes the text the same on every run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from harness import merge, operands, target
from harness.cells import Cell, cells_of
from harness.elf import read_elf
from harness.kept import keep, recall
from records import ladder
from records.command import run
from records.faults import Failure, command_line
from records.files import digest, replace
from records.machine import machine_facts
from records.platform import read_flags, read_platform
from records.rows import Row, read_rows, write_rows

GPROF = "arm-linux-gnueabihf-gprof"
MESSAGES = 1
AS_THERE = "width-96"  # compiled without static, as its source is: gprof.mk
TOTAL = "<total>"
HEADER, HISTOGRAM = 20, 33  # bytes of a gmon.out before its first record, and before the bins
LIMIT = 600  # seconds for one run
Calls = Counter[tuple[str, str]]  # (caller, callee) -> calls


def gmon(data: bytes, function: Callable[[int], str]) -> tuple[bytes, Calls]:
    """The same gmon.out with every sample of time zero, and its calls; `function` names the one
    that holds an address.  The C library writes one histogram, then arcs to the end.  Raises
    Failure for anything else."""
    try:
        kind, bins = struct.unpack_from("<B8xI", data, HEADER)
        start = HEADER + HISTOGRAM
        end = start + 2 * bins
        arcs = list(struct.iter_unpack("<B3I", data[end:]))
    except struct.error as fault:
        raise Failure(f"gmon.out: cut short: {fault}") from None
    if data[:8] != b"gmon\1\0\0\0" or kind != 0 or any(kind != 1 for kind, *_ in arcs):
        raise Failure("gmon.out: not of version 1, or not one histogram and arcs")
    found: Calls = Counter()
    for _, back, callee, calls in arcs:
        # The caller is known by where the call returns to, which may be just behind its end.
        found[function((back & ~1) - 2), function(callee & ~1)] += calls
    return data[:start] + bytes(2 * bins) + data[end:], found


def folder(cell: Cell) -> Path:
    """The folder of the cell's profiled program."""
    return Path("build", "gprof", *cell.folder.parts[1:])


def emulated(runner: Sequence[str]) -> bool:
    """Whether times mean nothing here: an emulator runs the program, or the whole computer."""
    return bool(runner) or target.virtual()


def run_and_report(
    program: Path, runner: Sequence[str], runs: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """{"text": gprof's flat profile and call graph of all runs together, "calls": [[caller, callee,
    calls]...]}; without times where a runner emulates them.  `runs` are the program's arguments.
    Raises Failure and TimeoutExpired."""
    clean = {name: value for name, value in os.environ.items() if name != "GMON_OUT_PREFIX"}
    total: Calls = Counter()
    with tempfile.TemporaryDirectory() as place:
        kept = [Path(place, f"gmon.{i}") for i in range(len(runs))]
        for path, arguments in zip(kept, runs):
            way, file = arguments
            words: list[str | Path] = [*runner, program.resolve(), way, Path(file).resolve()]
            run(words, cwd=Path(place), env=clean, timeout=LIMIT)
            written = Path(place, "gmon.out")
            if not written.exists():
                raise Failure(f"{program}: wrote no gmon.out; was it built with -pg?")
            timeless, calls = gmon(written.read_bytes(), read_elf(program).function)
            total += calls
            written.rename(path)
            if emulated(runner):
                path.write_bytes(timeless)
        said = run([GPROF, "-b", program, *kept])
    text = "".join(line.rstrip() + "\n" for line in said.splitlines())
    return {"text": text, "calls": sorted([*names, n] for names, n in total.items())}


def workload(cell: Cell) -> tuple[str, list[list[str]]]:
    """What is run, in words, and the driver's arguments of each run."""
    keys = sorted((cell.snapshot.path.parent / "keys").glob("key-*"))
    if keys:
        what = f"a round trip with each of {len(keys)} keys, {', '.join(key.name for key in keys)}"
        files = [(key.resolve() / "key.txt", key.resolve() / "message.txt") for key in keys]
        words = [["roundtrip", key, message] for key, message in files]
        return what, [operands.command(run, cell.snapshot.width) for run in words]
    inputs = cell.inputs.resolve() / "key-full"
    run = "roundtrip", inputs / "key.txt", "-n", MESSAGES, inputs / "strings.txt"
    return "a round trip with key-full", [operands.command(run, cell.snapshot.width)]


def profile(cell: Cell, runner: Sequence[str]) -> dict[str, Any]:
    """run_and_report of the cell's workload, kept beside the program.  Raises Failure."""
    program, (_, runs) = folder(cell) / "rsa", workload(cell)
    files = [Path(word) for words in runs for word in words if word.endswith(".txt")]
    kept = program.with_name("gprof.json")
    key = digest(program, *files, Path(__file__)) + " " + " ".join(runner)
    found: dict[str, Any] | None = recall(kept, key)
    if found is None:
        found = run_and_report(program, runner, runs)
        keep(kept, key, found)
    return found


def title(cell: Cell) -> str:
    """`v0 O1`, or `width-96 v0 O1` in a study."""
    study = cell.snapshot.study
    return cell.name if study == ladder.LADDER else f"{study} {cell.name}"


def text(cell: Cell, said: str, runner: Sequence[str], where: str) -> str:
    """The file of a cell; `where` is platform and compiler."""
    times = (
        "emulated: every time is set to 0 and means nothing"
        if emulated(runner)
        else "sampled every 10 ms on this board, in a program slowed down by counting"
    )
    options = "-pg and -Dstatic=" if cell.snapshot.study == AS_THERE else "-pg"
    return (
        f"{title(cell)}, built with {options}: {workload(cell)[0]}.\n"
        f"Calls are exact.  Times: {times}.\n"
        f"{where}.\n\n{said}"
    )


def rows(cell: Cell, calls: Sequence[tuple[str, str, int]]) -> Iterator[Row]:
    """Rows for calls.csv: each caller, then the total of each function."""
    sums: Counter[str] = Counter()
    for _, callee, n in calls:
        sums[callee] += n
    totals = [(TOTAL, name, n) for name, n in sorted(sums.items())]
    for caller, callee, n in [*calls, *totals]:
        yield cell.row(caller=caller, callee=callee, calls=n)


def write(out: Path, cells: Sequence[Cell], platform: str, runner: Sequence[str]) -> None:
    """Write DIR/gprof for these cells; beside what is there where that is of this machine's own
    runs, else for no others.  Raises Failure, ValueError, OSError."""
    flags = read_flags()
    where = f"{platform}, {flags.splitlines()[0]}"
    if out == merge.LOCAL and merge.programs(out, machine_facts(platform, (), flags, {})) is None:
        merge.set_aside(out, shutil.move)
    table: list[Row] = []
    written = set()
    for cell in cells:
        found = profile(cell, runner)
        path = out / "gprof" / f"{title(cell).replace(' ', '-')}.txt"
        replace(path, text(cell, found["text"], runner, where))
        written.add(path)
        table += rows(cell, found["calls"])
    if out == merge.LOCAL:
        table = merge.beside(read_rows(out / "gprof" / "calls.csv"), table)
    write_rows(out / "gprof" / "calls.csv", table)
    for path in set((out / "gprof").glob("*.txt")) - written if out != merge.LOCAL else ():
        path.unlink(missing_ok=True)  # of a snapshot that is no more


def main() -> None:
    """Command line.  Raises Failure, ValueError and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("results/local"))
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    write(options.out, cells_of(options.folders, "default"), *read_platform())
    print(f"  GPROF   {options.out}/gprof: flat profiles, call graphs, calls.csv")


if __name__ == "__main__":
    sys.exit(command_line("gprof", main))
