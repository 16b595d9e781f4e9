"""The ladder in cycles of a Cortex-M4, by the model: results/core-cortex-m4/cycles.csv.

`measure.py FOLDER` calls the functions of every program that the Makefile has
built, compares each result with Python's own arithmetic, and writes
FOLDER/core-cortex-m4/.  The workloads are those of counts.csv, so that a step can be
read in A32 instructions and in cycles side by side.  Instructions are exact,
cycles are a model's; the rows of study `published` are the model of code that was measured on silicon.
"""

import os
import sys
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from harness import operands, unicorn
from harness.cells import Task, on_all_cores
from records import ladder, machine, rows, workloads
from records.commands import command
from records.faults import Failure, first_line
from records.files import digest
from studies.hardware.cores.cortex_m4.core import BLOCKS, RAM, Core, Spent
from studies.hardware.cores.cortex_m4.published import STUDY
from studies.hardware.cores.cortex_m4.timing import REFILL_CYCLES
from studies.hardware.cores.cortex_m4.validate import Compared, validate

MODEL = Path(__file__).parent
PROGRAMS = Path("build/cores/m4")
FOLDER = "core-cortex-m4"
MESSAGES = "small"
Z, X, Y, MODULUS = (RAM + 0x100 * i for i in range(4))


class Cell(NamedTuple):
    """A program, the rung that it is of, and the workload that it runs."""

    program: Path
    rung: ladder.Snapshot
    run: workloads.Run


def perform(core: Core, call: operands.Call, size: int) -> None:
    """Make one call with numbers of `size` bytes.  Raises Failure unless it
    returns the right answer."""
    x = call.x.to_bytes(size, "little")
    y = call.y.to_bytes(size, "little")
    core.uc.mem_write(X, x)
    core.uc.mem_write(Y, y)
    core.uc.mem_write(MODULUS, call.modulus(size))
    core.call(call.function, (Z, X, Y, MODULUS))
    answer = core.uc.mem_read(Z, size)
    z = int.from_bytes(answer, "little")
    if z != call.z:
        raise Failure(
            f"{call.source_line}: {call.function}: expected {call.z:x}, got {z:x}"
        )


def spent(cell: Cell) -> Spent:
    """Return what the calls of a workload take.  Raises Failure."""
    core = Core(cell.program)
    for call in operands.calls(cell.run.arguments):
        perform(core, call, cell.rung.width // 8)
    return core.spent()


def job(cell: Cell) -> Task:
    """Return the measurement of a cell, which is kept beside its program."""
    program, _, run = cell
    model = [*MODEL.glob("*.py"), *MODEL.glob("*.json"), Path(unicorn.__file__)]
    inputs = workloads.inputs_of(run.arguments)
    stamp = digest(program, BLOCKS, *model, *inputs)
    kept = program.with_name(f"{program.stem}-{run.workload}.json")
    return Task(kept, stamp, partial(spent, cell))


def rows_of(cell: Cell, found: Spent) -> list[rows.Row]:
    """Return the rows of a cell: its instructions are exact, its cycles a model's."""
    columns = {
        "study": cell.rung.study,
        "snapshot": cell.rung.name,
        "level": cell.program.stem,
        "compiler": machine.compiler_name(compiler()),
        "workload": cell.run.workload,
        "n": cell.run.n,
    }
    return [
        rows.number("instructions", found.instructions, **columns),
        rows.number("cycles", found.cycles, **columns, kind=rows.MODEL),
    ]


def validation_row(one: Compared) -> rows.Row:
    """Return the row of published code."""
    return rows.number(
        "cycles",
        one.modelled[REFILL_CYCLES],
        study=STUDY,
        snapshot=one.published.function,
        level="O2",
        compiler=machine.compiler_name(compiler()),
        workload=STUDY,
        kind=rows.MODEL,
    )


@cache
def compiler() -> str:
    """Return what the compiler prints of itself."""
    return first_line(os.environ["CC"], "--version")


def facts(programs: list[Path]) -> dict[str, Any]:
    """Return what goes into machine.json."""
    flags = f"{compiler()}\n{os.environ['FLAGS']}\n"
    hashes = {}
    for program in programs:
        study, snapshot = program.parts[-3:-1]
        hashes[f"{study}/{snapshot}/{program.stem}"] = digest(program)
    found = machine.machine_facts(FOLDER, ("model",), flags, hashes)
    found["cpu"] = (
        "Cortex-M4, a model by its manual (ARM DDI 0439), without wait states"
    )
    return {**found, "qemu": "", "messages": MESSAGES}


def order(row: rows.Row) -> tuple[object, ...]:
    """Return where a row stands in its file: the ladder first, then the studies."""
    columns = ("study", "workload", "snapshot", "level")
    names = [ladder.natural_key(row[column]) for column in columns]
    return (row["study"] != ladder.LADDER, *names)


def cells() -> list[Cell]:
    """Return every workload of every program that is built.  Raises Failure."""
    built = [
        *PROGRAMS.glob("iterations/*/*.elf"),
        *PROGRAMS.glob("studies/*/*/*.elf"),
    ]
    found = []
    for program in sorted(built):
        study, name = program.parts[-3:-1]
        rung = ladder.find(name, study)
        inputs = Path(f"data/inputs/width-{rung.width}")
        for run in workloads.runs(inputs, MESSAGES):
            found.append(Cell(program, rung, run))
    return found


def main(out: Path) -> None:
    """Measure everything that is built.  Raises Failure and OSError."""
    compared = validate()
    todo = cells()
    jobs = [job(cell) for cell in todo]
    with tqdm(total=len(jobs), unit="workload", leave=False, disable=None) as bar:
        answers = on_all_cores(jobs, lambda _: bar.update())
    found = []
    for cell, answer in zip(todo, answers):
        found += rows_of(cell, Spent(*answer))
    programs = sorted({cell.program for cell in todo})
    committed = rows.read_rows(Path("results") / FOLDER / "cycles.csv")
    folder = out / FOLDER
    found = [*sorted(found, key=order), *map(validation_row, compared)]
    rows.write_rows(folder / "cycles.csv", found)
    machine.write_machine(folder, facts(programs))
    same = sum(row in committed for row in found)
    print(f"{same} of {len(found)} rows as in {FOLDER}/cycles.csv")


if __name__ == "__main__":
    sys.exit(command("cores-m4", main))
