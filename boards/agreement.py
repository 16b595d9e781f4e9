"""Three counters on the same programs: an ARM kernel's own, our plugin, and Unicorn.

`python3 -m boards.agreement` has a board's kernel count the instructions in user space of N
calls of mont_mul: those of a run with 2N calls less those of a run with N.  The same calls are then
counted by the plugin and by Unicorn, where they work, from the board's own programs.  What the
kernel counts beyond them is the driver's part of a call: reading its operands and printing its
result.  It is the same for every cell to within SLACK, for the C library's text functions take
other ways at other addresses.  agreement.csv has all three; its column `symbol` names the counter.

With a folder behind it, such as build/sent, the kernel counts programs that another machine has
built and sent: FOLDER/iterations/v4/O1/rsa, with the files flags and platform.  The results are in
FOLDER/results.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import counters, counts, operands, perf
from records import ladder, machine
from records.command import first_line
from records.faults import Failure, command_line
from records.files import digest
from records.platform import read_flags, read_platform
from records.rows import CELL, Row, read_rows, write_rows

FILE, KERNEL = "agreement.csv", "kernel"
LOCAL = Path("results/local")
CALLS, METRIC, WIDTH = 400, "instructions", 128
SLACK = 1  # instructions a call
PROGRAMS = f"{ladder.LADDER}/*/*/rsa"


def runs() -> list[list[str]]:
    """The driver's arguments for N calls, and for 2N."""
    vectors = f"data/inputs/width-{WIDTH}/vectors/mont_mul.txt"
    words = operands.command(["count", "-k", "random", "-n", 2 * CALLS, vectors], WIDTH)
    return [[*words, str(CALLS)], words]


def kernel_rows(folder: Path, programs: Path) -> Iterator[Row]:
    """What the kernel counts for each rung that has results.  Raises Failure."""
    hashes = machine.read_machine(folder)["programs"]
    for label in filter(lambda label: label.startswith(f"{ladder.LADDER}/"), hashes):
        program = programs / label / "rsa"
        if digest(program) != hashes[label]:
            raise Failure(f"{program}: not the program that was measured")
        pair = [[str(program), *words] for words in runs()]
        found = perf.sample(pair, [METRIC])[METRIC]
        if isinstance(found, str):
            raise Failure(f"the kernel does not count instructions: {found}")
        cell = dict(zip(CELL, label.split("/")))
        common = {"case": "mont_mul", "metric": METRIC, "unit": METRIC, "n": CALLS, "repeat": 0}
        yield {**cell, **common, "symbol": KERNEL, "value": found}


def ours(name: str, program: Path) -> int:
    """The same by one of our counters.  Raises Failure."""
    counter, why_not = counters.choose(name)
    if counter is None:
        raise Failure(why_not)
    totals = []
    for words in runs():
        with tempfile.TemporaryDirectory() as folder:
            rows = counter.count(program, words, WIDTH, out=Path(folder, "counts"))
        totals.append(counts.by_symbol(rows, program)["total"][METRIC])
    return totals[1] - totals[0]


def add_ours(folder: Path, programs: Path) -> None:
    """Count what the kernel has counted, and say which counter cannot; a program is
    programs/STUDY/SNAPSHOT/LEVEL/rsa.  Raises Failure and OSError."""
    kernel = [row for row in read_rows(folder / FILE) if row["symbol"] == KERNEL]
    paths = [programs.joinpath(*(row[name] for name in CELL), "rsa") for row in kernel]
    rows = list(kernel)
    for name in counters.COUNTERS:
        try:
            values = [ours(name, path) for path in paths]
        except Failure as fault:
            print(f"  NOTE    not compared with {name}: {fault}", flush=True)
            continue
        rows += [{**row, "symbol": name, "value": value} for row, value in zip(kernel, values)]
    write_rows(folder / FILE, sorted(rows, key=lambda row: [row[name] for name in CELL]))


def cells(rows: list[Row]) -> dict[str, dict[str, int]]:
    """Cell (`v4 O1`) -> counter -> instructions of the N calls, where all three have counted."""
    made: dict[str, dict[str, int]] = {}
    for row in rows:
        cell = made.setdefault(f"{row['snapshot']} {row['level']}", {})
        cell[row["symbol"]] = row["value"]
    return {name: cell for name, cell in made.items() if len(cell) > len(counters.COUNTERS)}


def summary(folder: Path) -> str:
    """What was tried on a board, when and with what, and whether the counters agree.  Raises
    Failure where they do not, or one is missing."""
    facts, found = machine.read_machine(folder), cells(read_rows(folder / FILE))
    if not found:
        raise Failure(f"{folder}: the board's results, whose counts could not be compared")
    apart = [name for name, cell in found.items() if cell["plugin"] != cell["unicorn"]]
    shares = sorted({(cell[KERNEL] - cell["plugin"]) / CALLS for cell in found.values()})
    if apart or shares[-1] - shares[0] > SLACK:
        raise Failure(f"{folder}: the counters disagree: {' '.join(apart)} {shares}")
    said = [f"{key}: {facts[key]}" for key in ("date", "git_revision", "os", "kernel", "compiler")]
    emulator = first_line("qemu-system-aarch64", "--version")
    share = f"{' or '.join(f'{one:.2f}' for one in shares)} instructions of the driver a call"
    said += [f"emulator: {emulator}", f"agree: {len(found)} cells, {share}"]
    return "\n".join(said) + "\n"


def described(sent: Path) -> Path:
    """The results folder of programs that were sent: what they are, by whose compiler, and on what
    machine they run now.  Raises Failure and OSError."""
    programs = {str(path.parent.relative_to(sent)): digest(path) for path in sent.glob(PROGRAMS)}
    compiler = read_platform(sent / "platform").name.rpartition("-")[2]  # gcc12
    facts = machine.machine_facts(f"board-{compiler}", (), read_flags(sent / "flags"), programs)
    machine.write_machine(sent / "results", {**facts, "messages": "small"})
    return sent / "results"


def main() -> None:
    """The board's half.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sent", nargs="?", type=Path)
    sent = parser.parse_args().sent
    folder = described(sent) if sent else LOCAL
    write_rows(folder / FILE, list(kernel_rows(folder, sent or Path("build"))))
    print(f"  KERNEL  {len(read_rows(folder / FILE))} cells counted by the kernel", flush=True)


if __name__ == "__main__":
    sys.exit(command_line("agreement", main))
