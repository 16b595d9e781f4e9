"""The ladder in cycles of a Cortex-M4, by the model: results/core-cortex-m4/cycles.csv.

`measure.py FOLDER` calls the functions of every program that the Makefile has
built, compares each result with Python's own arithmetic, and writes
FOLDER/core-cortex-m4/.  The cases are those of counts.csv, so that a step can be
read in A32 instructions and in cycles side by side.  Instructions are exact,
cycles are a model's; `error` is the range that validate.py found against silicon.
"""

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from harness import operands
from harness.cells import Task, on_all_cores
from records import ladder, machine, rows, workload
from records.commands import command
from records.faults import Failure, first_line
from records.files import digest
from studies.hardware.cores.cortex_m4.core import BLOCKS, RAM, Core, Spent
from studies.hardware.cores.cortex_m4.published import CORE
from studies.hardware.cores.cortex_m4.timing import REFILL_CYCLES
from studies.hardware.cores.cortex_m4.validate import Compared, validate

MODEL = Path(__file__).parent
PROGRAMS = Path("build/cores/m4")
FOLDER = "core-cortex-m4"
WIDTH = 128
INPUTS = Path(f"data/inputs/width-{WIDTH}")
SIZE = WIDTH // 8  # bytes of a number
Z, X, Y, MODULUS = (RAM + 0x100 * i for i in range(4))


def perform(core: Core, call: operands.Call) -> None:
    """Make one call.  Raises Failure unless it returns the right answer."""
    x = call.x.to_bytes(SIZE, "little")
    y = call.y.to_bytes(SIZE, "little")
    core.uc.mem_write(X, x)
    core.uc.mem_write(Y, y)
    core.uc.mem_write(MODULUS, call.modulus(SIZE))
    core.call(call.function, (Z, X, Y, MODULUS))
    answer = core.uc.mem_read(Z, SIZE)
    z = int.from_bytes(answer, "little")
    if z != call.z:
        raise Failure(f"{call.place}: {call.function}: expected {call.z:x}, got {z:x}")


def spent(program: Path, task: workload.Task) -> Spent:
    """Return what the calls of a case take.  Raises Failure."""
    core = Core(program)
    for call in operands.calls(task.arguments):
        perform(core, call)
    return core.spent()


def job(program: Path, task: workload.Task) -> Task:
    """Return the measurement of a program and a case, which is kept beside the program."""
    model = MODEL.glob("*.py")
    inputs = workload.inputs_of(task.arguments)
    stamp = digest(program, BLOCKS, *model, *inputs)
    kept = program.with_name(f"{program.stem}-{task.case}.json")
    return Task(kept, stamp, partial(spent, program, task))


def row_of(program: Path, task: workload.Task, found: Spent, error: str) -> rows.Row:
    """Return the row of a program and a case."""
    snapshot = program.parent
    level = program.stem
    return {
        "core": CORE,
        "study": snapshot.parent.name,
        "snapshot": snapshot.name,
        "level": level,
        "operation": task.case,
        "n": task.n,
        "instructions": found.instructions,
        "cycles": found.cycles,
        "layouts": 1,
        "most": found.cycles,
        "kind": "model",
        "error": error,
    }


def error_range(compared: list[Compared]) -> str:
    """Return the smallest and the largest error against silicon, in per cent: `-4..+4`."""
    errors = [one.error(REFILL_CYCLES) for one in compared]
    return f"{min(errors):+.0f}..{max(errors):+.0f}"


def facts(programs: list[Path]) -> dict[str, Any]:
    """Return what goes into machine.json."""
    compiler = first_line(os.environ["CC"], "--version")
    flags = f"{compiler}\n{os.environ['FLAGS']}\n"
    hashes = {}
    for program in programs:
        study, snapshot = program.parts[-3:-1]
        hashes[f"{study}/{snapshot}/{program.stem}"] = digest(program)
    found = machine.machine_facts(FOLDER, ("model",), flags, hashes)
    found["cpu"] = (
        "Cortex-M4, a model by its manual (ARM DDI 0439), without wait states"
    )
    return {**found, "qemu": "", "messages": "small"}


def order(row: rows.Row) -> tuple[object, ...]:
    """Return where a row stands in its file."""
    columns = ("operation", "study", "snapshot", "level")
    return tuple(ladder.natural_key(row[column]) for column in columns)


def main(out: Path) -> None:
    """Measure everything that is built.  Raises Failure and OSError."""
    compared = validate()
    error = error_range(compared)
    built = PROGRAMS.glob("*/*/*.elf")
    programs = sorted(built, key=lambda path: ladder.natural_key(str(path)))
    cells = []
    for task in workload.tasks(INPUTS, "small"):
        for program in programs:
            cells.append((program, task))
    jobs = [job(program, task) for program, task in cells]
    with tqdm(total=len(jobs), unit="case", leave=False, disable=None) as bar:
        answers = on_all_cores(jobs, lambda _: bar.update())
    found = []
    for (program, task), answer in zip(cells, answers):
        found.append(row_of(program, task, Spent(*answer), error))
    folder = out / FOLDER
    rows.write_rows(folder / "cycles.csv", sorted(found, key=order))
    rows.write_rows(folder / "validation.csv", [one.row() for one in compared])
    machine.write_machine(folder, facts(programs))
    committed = rows.read_rows(Path("results") / FOLDER / "cycles.csv")
    same = sum(row in committed for row in found)
    print(f"{same} of {len(found)} rows as in {FOLDER}/cycles.csv")


if __name__ == "__main__":
    sys.exit(command("cores-m4", main))
