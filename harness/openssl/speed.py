"""What an RSA operation of OpenSSL executes, with each of the builds.

`python3 -m harness.openssl.speed [--out RESULTS]` counts the operations of `openssl speed rsa`
under qemu-arm: openssl.csv has the instructions and the long multiplies of each.  `neon` is the
build with OpenSSL's own assembly on a core with NEON, `assembly` the same on one without.  Printed
are the cycles that the model gives for an ARM1176, as seconds at 1 GHz, in the layout of `openssl
speed`, and beside them what was published of a Pi Zero W.  On an ARM board, `openssl speed` itself
says the times first.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from harness import counters
from harness.counts import arm1176
from harness.kept import keep, recall
from harness.openssl.build import BUILDS, FLAGS, PREFIX, is_built
from harness.openssl.source import BUILD, OURS, SOURCE
from records import lock
from records.command import run
from records.faults import Failure, command_line
from records.files import digest
from records.ladder import ROOT
from records.platform import read_platform
from records.published import read_csv
from records.rows import Row, word_fault, write_rows

FILE = "openssl.csv"
PLUGIN = Path("build/operation.so")
PUBLISHED = "openssl-arm-runs.csv"
SIZES = (512, 1024, 2048, 3072, 4096, 7680, 15360)
OPERATIONS = ("sign", "verify")
Place = tuple[str, int, str]  # published name, bits, operation
CLOCK = 1_000_000_000  # Hz, a Pi Zero's
# Row's name -> build, what the driver is told of NEON, title, name in the published table.
COLUMNS = {
    "ours": ("ours", "1", "bn_mul_mont.S", "new assembly"),
    "assembly": ("assembly", "1", "OpenSSL's own assembly", "OpenSSL assembly"),
    "neon": ("assembly", "0", "OpenSSL's own assembly, with NEON", ""),
    "c": ("c", "1", "OpenSSL's own C", "OpenSSL C"),
}


class Count(NamedTuple):
    """Of one operation."""

    instructions: int
    multiplies_long: int
    multiplies_umaal: int

    @property
    def cycles(self) -> float:
        """By the model of an ARM1176."""
        return arm1176(self.instructions, self.multiplies_long + self.multiplies_umaal)

    @property
    def seconds(self) -> float:
        """The same on a Pi Zero."""
        return self.cycles / CLOCK


def link(name: str) -> Path:
    """The program of a build.  Raises Failure."""
    if not is_built(name):
        raise Failure(f"{BUILD / name}: not built whole; type make openssl")
    program = BUILD / name / "speed"
    include = [f"-I{folder}" for folder in (BUILD / name / "include", SOURCE / "include")]
    include += [f"-I{SOURCE / 'apps'}", *([] if name == "c" else ["-DINTEGER_PATH"])]
    files = [OURS / "speed.c", BUILD / name / "libcrypto.a"]
    run([f"{PREFIX}gcc", *FLAGS, "-w", *include, *files, "-o", program])
    return program


def operation(program: Path, *words: str) -> Count:
    """Count one operation, or recall it.  Raises Failure."""
    kept = BUILD / "counts" / f"{program.parent.name}-{'-'.join(words)}.json"
    key = digest(program, PLUGIN)
    found = recall(kept, key)
    if found is None:
        option = counters.plugin_option(PLUGIN, program)
        said = run_counted([*counters.QEMU, "-plugin", option, str(program), *words])
        found = [int(word) for word in said.split()]
        print(f"  COUNT   {kept.stem}: {found[0]:,} instructions", flush=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        keep(kept, key, found)
    return Count(*found)


def run_counted(words: list[str]) -> str:
    """The plugin's line: the last on stderr, which `run` does not keep, hence the shell."""
    return run(["sh", "-c", 'exec "$@" 2>&1 >/dev/null', "sh", *words]).splitlines()[-1]


def measured(sizes: tuple[int, ...]) -> dict[tuple[str, str, int], Count]:
    """(row's name, operation, bits) -> count.  Raises Failure."""
    programs = {name: link(name) for name in BUILDS}
    todo = [(name, what, bits) for bits in sizes for what in OPERATIONS for name in COLUMNS]

    def one(place: tuple[str, str, int]) -> Count:
        build, integer_only = COLUMNS[place[0]][:2]
        return operation(programs[build], place[1], str(place[2]), integer_only)

    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        return dict(zip(todo, pool.map(one, todo)))


def rows(found: dict[tuple[str, str, int], Count]) -> Iterator[Row]:
    """The rows of openssl.csv."""
    for (name, what, bits), count in found.items():
        place = {"implementation": name, "level": "O3", "operation": what, "bits": bits}
        for metric, value in count._asdict().items():
            number = {"metric": metric, "value": value, "unit": "instructions"}
            yield place | {"operands": "openssl-speed", "way": "rsa"} | number


def row_fault(row: Row) -> str:
    """What is wrong with a row of openssl.csv; empty if nothing."""
    allowed = {
        "implementation": COLUMNS,
        "level": ("O3",),
        "operation": OPERATIONS,
        "bits": SIZES,
        "operands": ("openssl-speed",),
        "way": ("rsa",),
        "metric": Count._fields,
        "unit": ("instructions",),
    }
    return word_fault(row, allowed)


def published(root: Path = ROOT) -> dict[Place, float]:
    """Seconds of an operation: elapsed time over operations.  The source's summary has the same
    numbers, but not 15360 bits.  Raises Failure."""
    operations = {"private": "sign", "public": "verify"}
    found = {}
    for row in read_csv(PUBLISHED, root):
        place = row["implementation"], int(row["bits"]), operations[row["operation"]]
        found[place] = float(row["elapsed_s"]) / int(row["number"])
    return found


def table(found: dict[tuple[str, str, int], Count], sizes: tuple[int, ...]) -> Iterator[str]:
    """In the layout of `openssl speed`."""
    there = published()
    yield "Times of an ARM1176 at 1 GHz by model: instructions + 2 x long multiplies."
    yield "Published: times of a Pi Zero W, which is one, at 1 GHz."
    for name, (_, _, title, source) in COLUMNS.items():
        yield ""
        yield title + (f" (published: {source})" if source else "")
        head = "sign    verify    sign/s verify/s   instructions: sign       verify"
        yield " " * 18 + head + (" published: sign          verify" if source else "")
        for bits in sizes:
            pair = [found[name, what, bits] for what in OPERATIONS]
            theirs = [there[source, bits, what] for what in OPERATIONS] if source else []
            beside = " ".join(f"{seconds:>14.6f}s" for seconds in theirs)
            numbers = f"{pair[0].instructions:>20,} {pair[1].instructions:>12,}"
            yield f"rsa {bits:>5} bits {modelled(name, pair)} {numbers} {beside}".rstrip()


def modelled(name: str, pair: list[Count]) -> str:
    """The four numbers of a line of `openssl speed`.  An ARM1176 has no NEON."""
    if name == "neon":
        return f"{'-':>9} {'-':>9} {'-':>8} {'-':>8}"
    times = [count.seconds for count in pair]
    return " ".join([*(f"{t:.6f}s" for t in times), *(f"{1 / t:8.1f}" for t in times)])


def timed() -> None:
    """Have OpenSSL measure itself, build after build, where programs run directly."""
    for build, integer_only, title, _ in COLUMNS.values():
        print(f"\n{title}", flush=True)
        cap = {"OPENSSL_armcap": "0"} if integer_only == "1" else {}
        command = [str(BUILD / build / "apps/openssl"), "speed", "-seconds", "10"]
        command += [f"rsa{bits}" for bits in SIZES]
        subprocess.run(command, env=os.environ | cap, check=True)


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/local"))
    parser.add_argument("--largest", type=int, default=SIZES[-1], metavar="BITS")
    options = parser.parse_args()
    if read_platform().direct:
        timed()
    sizes = tuple(bits for bits in SIZES if bits <= options.largest)
    with lock.alone(BUILD / "lock"):
        found = measured(sizes)
        write_rows(options.out / FILE, rows(found))
    print("\n".join(table(found, sizes)))


if __name__ == "__main__":
    sys.exit(command_line("openssl-speed", main))
