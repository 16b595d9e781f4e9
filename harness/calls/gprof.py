"""gprof: who calls whom, how often, from a build of each snapshot with -pg.

`python3 -m harness.calls.gprof [--out DIR] FOLDER...` runs build/gprof/.../rsa, which is a program
of its own and gives no other number: 2 round trips with key-full or, in a study that brings keys of
its own, one round trip with each of them, which are added up.  It writes
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
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.cells import Cell, cells_of, keep, recall
from harness.count.elf import read_elf
from records import ladder
from records.command import run
from records.faults import Failure, command_line
from records.files import digest, replace
from records.platform import read_platform
from records.rows import Row, write_rows

GPROF = "arm-linux-gnueabihf-gprof"
MESSAGES = 2
AS_THERE = "width-96"  # compiled without static, as its source is: gprof.mk
TOTAL = "<total>"
HISTOGRAM, ARC = 0, 1  # records of gmon.out
HEADER, HISTOGRAM_HEAD = 20, 32  # bytes
LIMIT = 600  # seconds for one run


def records(data: bytes) -> Iterator[tuple[int, int, int]]:
    """(kind, first byte, first byte behind) of each record of a gmon.out.  Raises ValueError."""
    if data[:8] != b"gmon\1\0\0\0":
        raise ValueError("not a gmon.out of version 1")
    place = HEADER
    while place < len(data):
        kind, start = data[place], place + 1
        if kind == HISTOGRAM:
            (bins,) = struct.unpack_from("<I", data, start + 8)
            place = start + HISTOGRAM_HEAD + 2 * bins
        elif kind == ARC:
            place = start + 12
        else:
            raise ValueError(f"gmon.out: record of kind {kind} at {place}")
        if place > len(data):
            raise ValueError("gmon.out: cut short")
        yield kind, start, place


def without_times(data: bytes) -> bytes:
    """The same gmon.out with every sample of time zero."""
    changed = bytearray(data)
    for kind, start, end in records(data):
        if kind == HISTOGRAM:
            changed[start + HISTOGRAM_HEAD : end] = bytes(end - start - HISTOGRAM_HEAD)
    return bytes(changed)


def arcs(data: bytes, program: Path) -> Counter[tuple[str, str]]:
    """(caller, callee) -> calls."""
    elf = read_elf(program)
    found: Counter[tuple[str, str]] = Counter()
    for kind, start, _ in records(data):
        if kind == ARC:
            back, callee, calls = struct.unpack_from("<3I", data, start)
            # The caller is known by where the call returns to, which may be just behind its end.
            found[elf.function((back & ~1) - 2), elf.function(callee & ~1)] += calls
    return found


def folder(cell: Cell) -> Path:
    """The folder of the cell's profiled program."""
    return Path("build", "gprof", *cell.folder.parts[1:])


def gmon_out(program: Path, runner: Sequence[str], arguments: Sequence[str]) -> bytes:
    """What a run of the program leaves in gmon.out.  Raises Failure and TimeoutExpired."""
    clean = {name: value for name, value in os.environ.items() if name != "GMON_OUT_PREFIX"}
    with tempfile.TemporaryDirectory() as place:
        words: list[str | Path] = [*runner, program.resolve(), *arguments]
        run(words, cwd=Path(place), env=clean, timeout=LIMIT)
        try:
            return Path(place, "gmon.out").read_bytes()
        except OSError:
            raise Failure(f"{program}: wrote no gmon.out; was it built with -pg?") from None


def report(program: Path, runs: Sequence[bytes]) -> str:
    """gprof's flat profile and call graph of all runs together.  Raises Failure and OSError."""
    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place, f"gmon.{i}") for i in range(len(runs))]
        for path, data in zip(paths, runs):
            path.write_bytes(data)
        said = run([GPROF, "-b", program, *paths])
    return "".join(line.rstrip() + "\n" for line in said.splitlines())


def workload(cell: Cell) -> tuple[str, list[list[str]]]:
    """What is run, in words, and the driver's arguments of each run."""
    keys = sorted((cell.snapshot.path.parent / "keys").glob("key-*"))
    if keys:
        what = f"a round trip with each of {len(keys)} keys, {', '.join(key.name for key in keys)}"
        files = [(key.resolve() / "key.txt", key.resolve() / "message.txt") for key in keys]
        return what, [["roundtrip", str(key), str(message)] for key, message in files]
    inputs = cell.inputs.resolve() / "key-full"
    arguments = ["-n", str(MESSAGES), str(inputs / "strings.txt")]
    return (
        f"{MESSAGES} round trips with key-full",
        [["roundtrip", str(inputs / "key.txt"), *arguments]],
    )


def profile(cell: Cell, runner: Sequence[str]) -> dict[str, Any]:
    """{"text": gprof's report, "calls": [[caller, callee, calls]...]}, kept beside the program.
    Raises Failure."""
    program, (_, arguments) = folder(cell) / "rsa", workload(cell)
    files = [Path(word) for words in arguments for word in words if word.endswith(".txt")]
    kept = program.with_name("gprof.json")
    key = digest(program, *files, Path(__file__)) + " " + " ".join(runner)
    found: dict[str, Any] | None = recall(kept, key)
    if found is None:
        runs = [gmon_out(program, runner, words) for words in arguments]
        if runner:
            runs = [without_times(data) for data in runs]
        counted = sum((arcs(data, program) for data in runs), Counter[tuple[str, str]]())
        calls = sorted([*names, n] for names, n in counted.items())
        found = {"text": report(program, runs), "calls": calls}
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
        if runner
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
    totals: Counter[str] = Counter()
    for _, callee, n in calls:
        totals[callee] += n
    sums = [(TOTAL, callee, totals[callee]) for callee in sorted(totals)]
    for caller, callee, n in [*calls, *sums]:
        yield cell.row(caller=caller, callee=callee, calls=n)


def write(out: Path, cells: Sequence[Cell], platform: str, runner: Sequence[str]) -> None:
    """Write DIR/gprof for these cells, and for no others.  Raises Failure, ValueError, OSError."""
    where = f"{platform}, {Path('build/flags').read_text().splitlines()[0]}"
    table: list[Row] = []
    written = set()
    for cell in cells:
        found = profile(cell, runner)
        path = out / "gprof" / f"{title(cell).replace(' ', '-')}.txt"
        replace(path, text(cell, found["text"], runner, where))
        written.add(path)
        table += rows(cell, found["calls"])
    write_rows(out / "gprof" / "calls.csv", table)
    for path in set((out / "gprof").glob("*.txt")) - written:
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
