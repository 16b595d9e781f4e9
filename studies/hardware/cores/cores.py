"""The C rungs, unchanged, in clock cycles of two open cores: measured and compared.

`cores.py FOLDER` runs the programs that the Makefile has built, checks every result against
Python's own arithmetic, and writes FOLDER/core-NAME/: cycles.csv and machine.json.  The numbers
are exact: the same program takes the same cycles each time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from harness import operands
from records import ladder, machine, rows
from records.commands import command
from records.faults import Failure, first_line, limit, run
from records.files import digest, replace
from records.machine import compiler_name
from records.rows import EXACT, number
from records.settings import CORE_TABLE

BUILD = Path("build/cores")
RESULTS = Path("results")
LOCK = Path("studies/hardware/cores/requirements.lock")
FILE = "cycles.csv"
CROSS = "riscv64-unknown-elf-"
# The cores that are simulated, and those of them that are no controls.
SIMULATED = [core for core in CORE_TABLE if core.kind == EXACT]
CORES = [core.core for core in SIMULATED if core.marker]
CACHED = ("vexriscv", "vexriscv-lite")
SHIFTS = (0, 8, 16, 24)  # bytes that the code is moved by, within a line of a cache
ONE_LAYOUT_CYCLES = 5_000_000  # what takes longer is run without being moved
RUN_SECONDS = 3600  # of processor time
TRIPS_AT_O0 = ("iterations/v6", "iterations/v7")  # those of the others take minutes
RECORDS_AT = 0x20000  # where loop.c reads its calls
# The counters of meter.v, in its order.
EVENTS = "alu shift mul div load store passed taken jump unit other miss".split()
INPUTS = "data/inputs/width-128"
# What is measured -> the calls, and how many operations they are.
OPERATIONS = {
    "mont_mul": (
        ["count", "-k", "random", "-n", "100", f"{INPUTS}/vectors/mont_mul.txt"],
        100,
    ),
    "roundtrip": (
        [
            "roundtrip",
            f"{INPUTS}/key-full/key.txt",
            "-n",
            "1",
            f"{INPUTS}/key-full/strings.txt",
        ],
        1,
    ),
}


@dataclass(frozen=True)
class Job:
    """Programs that differ in their layout alone, on a core."""

    core: str
    path: str  # of the snapshot, below the root
    level: str
    operation: str

    def program(self, shift: int) -> Path:
        """Return what is run."""
        return BUILD / self.path / self.level / f"{shift}.bin"


@dataclass(frozen=True)
class Run:
    """Totals of the measured calls: what retired, in how many cycles, and both by event."""

    instructions: int
    cycles: int
    events: dict[str, tuple[int, int]]


# ---- one run


def image(program: bytes, calls: Sequence[operands.Call], width: int) -> str:
    """Return the memory as a file of hexadecimal words: the program, and its calls behind it."""
    size = width // 8
    memory = bytearray(program.ljust(RECORDS_AT, b"\0"))
    memory += len(calls).to_bytes(4, "little")
    for call in calls:
        is_power = call.function == "mod_exp"
        memory += is_power.to_bytes(4, "little")
        memory += call.chained.to_bytes(4, "little")
        memory += call.modulus(size)
        memory += call.x.to_bytes(size, "little")
        memory += call.y.to_bytes(size, "little")
    lines = []
    for at in range(0, len(memory), 4):
        word = int.from_bytes(memory[at : at + 4], "little")
        lines.append(f"{word:08x}\n")
    return "".join(lines)


def numbers_of(words: Sequence[int], limbs: int) -> list[int]:
    """Return the numbers whose limbs these are, the lowest first."""
    found = []
    for at in range(0, len(words), limbs):
        data = b"".join(word.to_bytes(4, "little") for word in words[at : at + limbs])
        found.append(int.from_bytes(data, "little"))
    return found


def simulate(
    core: str, program: Path, calls: Sequence[operands.Call], width: int = 128
) -> Run:
    """Run a program on a core.  Raises Failure where a result is wrong or the program was trapped."""
    name = "-".join(program.relative_to(BUILD).with_suffix("").parts)
    memory = BUILD / core / f"{name}-{len(calls)}.hex"
    replace(memory, image(program.read_bytes(), calls, width))
    printed = run([BUILD / core / "Vbench", f"+image={memory}"], limit(RUN_SECONDS))
    memory.unlink()
    words = []
    instructions = cycles = 0
    events = {}
    for line in filter(None, printed.split("\n")):
        what, *fields = line.split()
        if what == "trap":
            raise Failure(f"{program} on {core}: trapped")
        if what == "word":
            words.append(int(fields[0], 16))
        elif what == "call":
            instructions += int(fields[0])
            cycles += int(fields[1])
        elif what == "class":
            event, count, spent = map(int, fields)
            if count:
                events[EVENTS[event]] = (count, spent)
    fault = operands.wrong(calls, numbers_of(words, width // 32))
    if fault:
        raise Failure(f"{program} on {core}: {fault}")
    return Run(instructions, cycles, events)


# ---- all runs


def jobs(paths: Sequence[str]) -> Iterator[Job]:
    """Yield what is measured, the longest first: on the slow cores, which are controls, only
    products; at -O0 no round trip that takes minutes."""
    for path in paths:
        for level in ladder.LEVELS:
            if level != "O0" or path in TRIPS_AT_O0:
                for core in CORES:
                    yield Job(core, path, level, "roundtrip")
    for path in paths:
        for level in ladder.LEVELS:
            for one in SIMULATED:
                yield Job(one.core, path, level, "mont_mul")


def measure(job: Job) -> list[rows.Row]:
    """Return the rows of cycles.csv: what the layout takes that takes least, and by event."""
    command, n = OPERATIONS[job.operation]
    calls = operands.calls(command)
    runs = [simulate(job.core, job.program(SHIFTS[0]), calls)]
    if job.core in CACHED and runs[0].cycles < ONE_LAYOUT_CYCLES:
        for shift in SHIFTS[1:]:
            runs.append(simulate(job.core, job.program(shift), calls))
    best = min(runs, key=lambda one: one.cycles)
    most = max(runs, key=lambda one: one.cycles)
    path = Path(job.path)
    cell = {
        "study": path.parent.name,
        "snapshot": path.name,
        "level": job.level,
        "compiler": compiler_name(compiler()),
        "workload": job.operation,
        "n": n,
    }
    found = [
        number("instructions", best.instructions, **cell),
        number("cycles", best.cycles, **cell),
        number("cycles_most", most.cycles, unit="cycles", **cell),
        number("layouts", len(runs), **cell),
    ]
    for event, (count, spent) in best.events.items():
        found.append(number("events", count, symbol=event, **cell))
        found.append(number("cycles", spent, symbol=event, **cell))
    return found


@cache
def compiler() -> str:
    """Return what the compiler prints of itself."""
    return first_line(f"{CROSS}gcc", "--version")


def hashes(paths: Sequence[str]) -> dict[str, str]:
    """Return the hash of each program, as machine.json has it."""
    found = {}
    for path in paths:
        study, snapshot = Path(path).parts[-2:]
        for level in ladder.LEVELS:
            program = BUILD / path / level / f"{SHIFTS[0]}.bin"
            found[f"{study}/{snapshot}/{level}"] = digest(program)
    return found


def facts(core: str, paths: Sequence[str]) -> dict[str, Any]:
    """Return what goes into machine.json."""
    flags = f"{compiler()}\n{os.environ['FLAGS']}\n"
    simulator = first_line("verilator", "--version")
    found = machine.machine_facts(folder_of(core), (simulator,), flags, hashes(paths))
    packages = " ".join(word for word in LOCK.read_text().split() if "==" in word)
    found["cpu"] = f"{core}, simulated from {packages}"
    found["qemu"] = ""
    found["messages"] = "first"
    return found


def folder_of(core: str) -> str:
    """Return the folder of a core's results."""
    return f"core-{core}"


def order(row: rows.Row) -> tuple[object, ...]:
    """Return where a row stands in its file: rows of a program stay as they were made."""
    columns = ("workload", "study", "snapshot", "level")
    return tuple(ladder.natural_key(row[column]) for column in columns)


def compare(out: Path) -> None:
    """Say how many numbers are as the committed ones."""
    for core in SIMULATED:
        folder = folder_of(core.core)
        found = rows.read_rows(out / folder / FILE)
        committed = rows.read_rows(RESULTS / folder / FILE)
        same = sum(row in committed for row in found)
        print(f"{same} of {len(found)} rows as in {folder}/{FILE}")
        compiler = machine.facts_of(out / folder).get("compiler")
        of_committed = machine.facts_of(RESULTS / folder).get("compiler")
        if compiler != of_committed:
            results = f"the committed results with {of_committed}"
            print(f"{folder}: measured with {compiler}, {results}")


def main(out: Path) -> None:
    """Measure everything that is built.  Raises Failure and OSError."""
    built = [*BUILD.glob("iterations/*/O1/0.bin"), *BUILD.glob("studies/*/*/O1/0.bin")]
    names = [path.parents[1].relative_to(BUILD).as_posix() for path in built]
    paths = sorted(names, key=ladder.natural_key)
    facts_of = {core.core: facts(core.core, paths) for core in SIMULATED}
    todo = list(jobs(paths))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        measured = list(pool.map(measure, todo))
    by_core: dict[str, list[rows.Row]] = {core: [] for core in facts_of}
    for job, found in zip(todo, measured):
        by_core[job.core] += found
    for core, made in by_core.items():
        folder = out / folder_of(core)
        rows.write_rows(folder / FILE, sorted(made, key=order))
        machine.write_machine(folder, facts_of[core])


if __name__ == "__main__":
    sys.exit(command("cores", main))
