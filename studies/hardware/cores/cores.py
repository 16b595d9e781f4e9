"""The C rungs, unchanged, in clock cycles of two open cores: measured, compared, shown.

`cores.py measure FOLDER` runs the programs that the Makefile has built, checks every result
against Python's own arithmetic, and writes FOLDER/core-NAME/: cycles.csv, events.csv, machine.json.
`cores.py pages` writes README's table and chart from results/core-*.  A run's numbers are exact:
the same program takes the same cycles each time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import operands
from records import ladder, machine, rows
from records.commands import building
from records.faults import Failure, first_line, limit, run
from records.files import digest, replace
from records.results import load, reference

BUILD = Path("build/cores")
HERE = Path("studies/hardware/cores")
CROSS = "riscv64-unknown-elf-"
# A folder of results -> the cores in it, the first one without what the second lacks.
FOLDERS = {
    "core-picorv32": ("picorv32", "picorv32-slow"),
    "core-vexriscv": ("vexriscv", "vexriscv-lite"),
}
CACHED, LONG = ("vexriscv", "vexriscv-lite"), 5_000_000  # cycles: longer runs are in one layout
SHIFTS = (0, 8, 16, 24)  # bytes that the code is moved by, within a line of a cache
SHORT = ("roundtrip", "O0"), ("iterations/v6", "iterations/v7")
SHOWN = {"O0": "mont_mul", "O1": "roundtrip", "O3": "roundtrip"}  # what a factor is of
ARM = {"mont_mul": "mont_mul", "roundtrip": "roundtrip-small"}  # cases of counts.csv
RECORDS = 0x20000  # where loop.c reads them
EVENTS = "alu shift mul div load store passed taken jump unit other miss".split()  # of meter.v
INPUTS = Path("data/inputs/width-128")
PRODUCTS = ("count", "-k", "random", "-n", "100", str(INPUTS / "vectors/mont_mul.txt"))
TRIP = (
    "roundtrip",
    str(INPUTS / "key-full/key.txt"),
    "-n",
    "1",
    str(INPUTS / "key-full/strings.txt"),
)
OPERATIONS = {"mont_mul": (PRODUCTS, 100), "roundtrip": (TRIP, 1)}


@dataclass(frozen=True)
class Job:
    """Programs that differ in their layout alone, on a core."""

    core: str
    path: str  # of the snapshot, below the root
    level: str
    operation: str

    def program(self, shift: int) -> Path:
        """What is run."""
        return BUILD / self.path / self.level / f"{shift}.bin"


@dataclass(frozen=True)
class Run:
    """Totals of the measured calls: what retired, in how many cycles, and both by event."""

    instructions: int
    cycles: int
    events: dict[str, tuple[int, int]]


def image(program: bytes, calls: Sequence[operands.Call], width: int) -> str:
    """The memory as a file of hexadecimal words: the program, and its records behind it."""
    size, data = width // 8, len(calls).to_bytes(4, "little")
    for call in calls:
        head = (call.function == "mod_exp", call.chained)
        data += b"".join(int(word).to_bytes(4, "little") for word in head) + call.modulus(size)
        data += b"".join(number.to_bytes(size, "little") for number in (call.x, call.y))
    memory = program.ljust(RECORDS, b"\0") + data
    words = (memory[at : at + 4] for at in range(0, len(memory), 4))
    return "".join(f"{int.from_bytes(word, 'little'):08x}\n" for word in words)


def simulate(core: str, program: Path, calls: Sequence[operands.Call], width: int = 128) -> Run:
    """Run a program on a core.  Raises Failure where a result is wrong or the program was trapped,
    subprocess.TimeoutExpired."""
    name = "-".join(program.relative_to(BUILD).with_suffix("").parts)
    memory = BUILD / core / f"{name}-{len(calls)}.hex"
    replace(memory, image(program.read_bytes(), calls, width))
    said = run([BUILD / core / "Vbench", f"+image={memory}"], timeout=limit(3600))
    memory.unlink()
    lines = [line.split() for line in said.split("\n") if line]
    words = [int(line[1], 16) for line in lines if line[0] == "word"]
    limbs, per_call = width // 32, range(len(words) * 32 // width)
    found = [sum(words[limbs * i + k] << 32 * k for k in range(limbs)) for i in per_call]
    if fault := "trapped" if ["trap"] in lines else operands.wrong(calls, found):
        raise Failure(f"{program} on {core}: {fault}")
    pairs = [[int(word) for word in line[1:]] for line in lines if line[0] == "call"]
    classes = ([int(word) for word in line[1:]] for line in lines if line[0] == "class")
    events = {EVENTS[number]: (count, cycles) for number, count, cycles in classes if count}
    instructions, cycles = (sum(numbers) for numbers in zip(*pairs))
    return Run(instructions, cycles, events)


def jobs(paths: Sequence[str]) -> Iterator[Job]:
    """What is measured, the longest first: on the slow cores, which are controls, only products; at
    -O0 no round trip that takes minutes."""
    for operation in reversed(OPERATIONS):
        for path in paths:
            for level in ladder.LEVELS:
                if (operation, level) == SHORT[0] and path not in SHORT[1]:
                    continue
                for main, slow in FOLDERS.values():
                    yield Job(main, path, level, operation)
                    if operation == "mont_mul":
                        yield Job(slow, path, level, operation)


def measure(job: Job) -> tuple[list[rows.Row], list[rows.Row]]:
    """The row of cycles.csv, that of the layout that takes least, and its rows of events.csv."""
    command, n = OPERATIONS[job.operation]
    calls = operands.calls(command)
    runs = [simulate(job.core, job.program(SHIFTS[0]), calls)]
    if job.core in CACHED and runs[0].cycles < LONG:
        runs += [simulate(job.core, job.program(shift), calls) for shift in SHIFTS[1:]]
    best = min(runs, key=lambda one: one.cycles)
    path = Path(job.path)
    study = path.parent.name
    cell = {"core": job.core, "study": study, "snapshot": path.name, "level": job.level}
    cell["operation"] = job.operation
    numbers = {"n": n, "instructions": best.instructions, "cycles": best.cycles}
    most = max(one.cycles for one in runs)
    events = [
        {**cell, "event": event, "count": count, "cycles": cycles}
        for event, (count, cycles) in best.events.items()
    ]
    return [{**cell, **numbers, "layouts": len(runs), "most": most}], events


def facts(folder: str, paths: Sequence[str]) -> dict[str, Any]:
    """What goes into machine.json."""
    programs = {
        "/".join((*Path(path).parts[-2:], level)): digest(BUILD / path / level / f"{SHIFTS[0]}.bin")
        for path in paths
        for level in ladder.LEVELS
    }
    compiler = first_line(f"{CROSS}gcc", "--version")
    flags = f"{compiler}\n{os.environ['FLAGS']}\n"
    locked = (HERE / "requirements.lock").read_text().split()
    said = machine.machine_facts(folder, (first_line("verilator", "--version"),), flags, programs)
    cores = " and ".join(FOLDERS[folder])
    sources = " ".join(word for word in locked if "==" in word)
    return {**said, "cpu": f"{cores}, simulated from {sources}", "qemu": "", "messages": "first"}


def measure_all(out: Path) -> None:
    """Measure everything that is built.  Raises Failure and OSError."""
    built = [*BUILD.glob("iterations/*/O1/0.bin"), *BUILD.glob("studies/*/*/O1/0.bin")]
    names = (path.parents[1].relative_to(BUILD).as_posix() for path in built)
    paths = sorted(names, key=ladder.natural_key)
    todo = list(jobs(paths))
    said = {folder: facts(folder, paths) for folder in FOLDERS}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(measure, todo))
    for folder, cores in FOLDERS.items():
        mine = [pair for job, pair in zip(todo, done) if job.core in cores]
        for name, part in (("cycles.csv", 0), ("events.csv", 1)):
            every = sorted((row for pair in mine for row in pair[part]), key=order)
            rows.write_rows(out / folder / name, every)
        machine.write_machine(out / folder, said[folder])


def order(row: rows.Row) -> tuple[object, ...]:
    """Where a row stands in its file."""
    names = (row["core"], row["operation"], row["study"], row["snapshot"], row["level"])
    return (*map(ladder.natural_key, names), EVENTS.index(row.get("event", EVENTS[0])))


def compare(out: Path) -> None:
    """Say how many numbers are as the committed ones."""
    for folder in FOLDERS:
        for name in ("cycles.csv", "events.csv", "units.csv"):
            here, there = (rows.read_rows(path / folder / name) for path in (out, Path("results")))
            print(f"{sum(row in there for row in here)} of {len(here)} rows as in {folder}/{name}")
        by = [machine.known(path / folder).get("compiler") for path in (out, Path("results"))]
        if by[0] != by[1]:
            print(f"{folder}: measured with {by[0]}, the committed results with {by[1]}")


# ---- what is shown


class Ladder:
    """The factors of the ladder's steps, by the reference's instructions and by both cores."""

    def __init__(self, root: Path = ladder.ROOT) -> None:
        """Reads results/."""
        self.arm = load(reference(root), root)
        self.cores = {
            main: load(f"results/{folder}", root, False) for folder, (main, _) in FOLDERS.items()
        }

    def cell(self, core: str, path: str, level: str, what: str = "cycles") -> float | None:
        """What is shown of this level: cycles or instructions on a core, or instructions of the ARM
        (core "arm"); None where it was not measured."""
        study, name = path.split("/")[-2:]
        if core == "arm":
            return self.arm.means(study, name, level, ARM[SHOWN[level]]).get("instructions")
        asked = f"select 1.0 * {what} / n from cycles where core = ? and study = ? and snapshot = ?"
        values = (core, study, name, level, SHOWN[level])
        found = self.cores[core].query(f"{asked} and level = ? and operation = ?", *values)
        return found[0][0] if found else None

    def factors(self, parent: str, child: str, level: str) -> tuple[float, ...]:
        """parent / child: instructions on ARM and RISC-V, cycles of both cores."""
        asked = [
            ("arm", ""),
            ("picorv32", "instructions"),
            *((core, "cycles") for core in self.cores),
        ]
        pairs = ((self.cell(c, parent, level, w), self.cell(c, child, level, w)) for c, w in asked)
        return tuple(above / here if above and here else float("nan") for above, here in pairs)

    def steps(self) -> list[tuple[str, str]]:
        """Paths of parent and child, in ladder order, the masked addition last."""
        rungs = [
            f"{s.study}/{s.name}"
            for s in ladder.snapshots()
            if self.cell("picorv32", f"iterations/{s.name}", "O1")
        ]
        return [*zip(rungs, rungs[1:]), ("iterations/v6", "alone/masked-addition")]


HEAD = ("step", *(f"-{level}, {operation}" for level, operation in SHOWN.items()))


def table(found: Ladder) -> str:
    """The steps' factors as Markdown."""
    lines = []
    for parent, child in found.steps():
        cells = (found.factors(parent, child, level) for level in ladder.LEVELS)
        texts = [" ".join(f"{value:.2f}" for value in cell) for cell in cells]
        lines.append("| ".join([f"| {Path(child).name} ", *(f"{text} " for text in texts)]) + "|")
    rule = "|" + "---|" * len(HEAD)
    return "\n".join(["| " + " | ".join(HEAD) + " |", rule, *lines])


def chart(found: Ladder) -> bytes:
    """Counts by rung, a panel for each level, a line for each count.  Needs .venv."""
    from rsalab.charts import picture

    rungs = [path for path, _ in found.steps()[:-1]]
    rungs.append(found.steps()[-2][1])
    lines = [
        ("ARM instructions", "arm", "", "#5c5c5c", "o"),
        ("RISC-V instructions", "picorv32", "instructions", "#0072b2", "s"),
        ("cycles of VexRiscv", "vexriscv", "cycles", "#00795a", "^"),
        ("cycles of PicoRV32", "picorv32", "cycles", "#d55e00", "D"),
    ]
    question = "Does a step's gain survive in clock cycles?"
    first, last = rungs[0], rungs[-1]
    gains = found.factors(first, last, "O1")
    answer = "v7 against v0 at -O1: " + ", ".join(
        f"{picture.times(gain)} in {name}"
        for gain, name in zip(gains, (lines[0][0], lines[1][0], lines[3][0], lines[2][0]))
    )
    note = (
        "128 bits; a product at -O0, a round trip with exponents of full length at -O1 and -O3."
        " Unchanged sources; RISC-V: rv32im."
    )
    with picture.drawing("cores", question, answer, note, (9, 4), ncols=3) as (
        made,
        panels,
    ):
        for axes, level in zip(panels, ladder.LEVELS):
            for text, core, what, colour, mark in lines:
                values = [found.cell(core, path, level, what) for path in rungs]
                axes.plot(
                    range(len(rungs)), values, label=text, color=colour, marker=mark, markersize=5
                )
            axes.set_yscale("log")
            picture.numbers(axes, "y", picture.brief, few=True)
            picture.names(axes, "x", [Path(path).name for path in rungs])
            picture.title(axes, f"-{level}, {SHOWN[level]}", picture.COLOUR[level])
        panels[-1].legend(frameon=False, fontsize=8)
    return bytes(made.bytes("svg"))


def pages() -> None:
    """Write README's table and the chart.  Raises Failure and OSError."""
    import units

    from rsalab.markdown import between

    found, readme = Ladder(), HERE / "README.md"
    text = between(readme.read_text("utf-8"), "steps", table(found), str(readme))
    text = between(text, "pairs", units.pairs(), str(readme))
    text = between(text, "rates", units.rates(), str(readme))
    replace(readme, between(text, "units", units.table(), str(readme)))
    replace(HERE / "ladder.svg", chart(found))


if __name__ == "__main__":
    sys.exit(building("cores", {"measure": measure_all, "pages": pages}))
