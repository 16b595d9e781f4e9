"""Cycle models: cycles worked out from exact counts, never measured, as rows of models.csv.

- arm1176: harness.counts.arm1176, with the simulated mispredictions; from counts.csv alone.
- cortex-a72: executions of every basic block times its cycles in LLVM's model of that core
  (rsalab.models.mca); needs llvm-mca and the programs and counter files under build/.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.cells import Cell
from harness.counts import PENALTY, SIMULATED, arm1176
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, LEVELS
from records.machine import read_machine
from records.rows import Row, read_rows
from records.summary import with_simulated
from records.workload import MULTIPLICATION, TRIP_FULL
from rsalab.models import blocks, mca

MODELS = {"arm1176": "ARM1176", "cortex-a72": "Cortex-A72"}
CASES = (MULTIPLICATION, TRIP_FULL)
FILE = "models.csv"
LONG = ("multiplies_long", "multiplies_umaal")
Key = tuple[str, str, str]  # snapshot, level, case
Totals = dict[Key, dict[str, int]]  # metric -> total, `n` -> operations


def arm1176_of(counted: Mapping[str, float], penalty: int = PENALTY) -> float:
    """Cycles of an ARM1176 from metric -> number, which counts made before the simulation lack."""
    long = sum(counted[metric] for metric in LONG)
    return arm1176(counted["instructions"], long, counted.get(SIMULATED, 0), penalty)


def row(study: str, key: Key, model: str, cycles: float, n: int) -> Row:
    """A row of models.csv; cycles in total over n operations."""
    snapshot, level, case = key
    names = {"study": study, "snapshot": snapshot, "level": level, "case": case}
    what = {"metric": f"model_cycles_{model}", "symbol": "total", "value": round(cycles)}
    return {**names, **what, "unit": "cycles", "n": n, "repeat": 0}


def model_of(row: Row) -> str:
    """The model that a row of models.csv is of."""
    return str(row["metric"]).removeprefix("model_cycles_")


def totals(rows: Iterable[Row], study: str) -> Totals:
    """What was counted for every cell and each of CASES, from rows of counts.csv."""
    found: Totals = {}
    for counted in with_simulated(rows):
        if (counted["study"], counted["symbol"]) == (study, "total") and counted["case"] in CASES:
            key = counted["snapshot"], counted["level"], counted["case"]
            found.setdefault(key, {"n": counted["n"]})[counted["metric"]] = counted["value"]
    return found


def by_count(rows: Iterable[Row], study: str) -> list[Row]:
    """The ARM1176 model of every cell in rows of counts.csv that has its metrics."""
    return [
        row(study, key, "arm1176", arm1176_of(t), t["n"])
        for key, t in totals(rows, study).items()
        if t.keys() >= {"instructions", *LONG}
    ]


def run_blocks(cell: Cell, case: str, total: int) -> Counter[blocks.Block]:
    """Executions of the blocks of all runs of a case.  Raises Failure unless the counter files
    are there and add up to the instructions that the results folder has."""
    found: Counter[blocks.Block] = Counter()
    try:
        for task in cell.tasks:
            if task.case == case:
                found += blocks.of_run(cell.kept(task).with_suffix(".tsv"), cell.program)
    except (OSError, ValueError, StopIteration) as fault:
        raise Failure(f"{cell.label}: {fault}") from None
    if sum(len(block) * n for block, n in found.items()) != total:
        raise Failure(f"{cell.label} {case}: the files in {cell.folder} are of another run")
    return found


def by_block(folder: Path, rows: list[Row], study: str) -> list[Row]:
    """The Cortex-A72 model of every cell whose program is still the one that was measured.  Raises
    Failure where there is none, or no llvm-mca."""
    mca.tools()
    machine = read_machine(folder)
    counted = totals(rows, study)
    executed: dict[Key, Counter[blocks.Block]] = {}
    for snapshot in ladder.snapshots(study):
        for cell in (Cell(snapshot, level, machine["messages"]) for level in LEVELS):
            measured = machine["programs"].get(cell.label)
            if not measured or not cell.program.exists() or digest(cell.program) != measured:
                continue
            for key in ((snapshot.name, cell.level, case) for case in CASES):
                if key in counted:
                    executed[key] = run_blocks(cell, key[2], counted[key]["instructions"])
    if not executed:
        raise Failure(f"no program under build/ is one of {folder}; make all-iterations")
    cycles = mca.cycles((block for found in executed.values() for block in found), "cortex-a72")
    return [
        row(
            study, key, "cortex-a72", sum(cycles[b] * times for b, times in found.items()),
            counted[key]["n"],
        )
        for key, found in executed.items()
    ]  # fmt: skip


def kept(folder: Path, made: list[Row], study: str) -> list[Row]:
    """Rows of the Cortex-A72 model that the folder keeps, for each cell whose row of the ARM1176
    model there says what the counts still say, `made`: others are of an earlier program."""

    def place(row: Row) -> Key:
        return row["snapshot"], row["level"], row["case"]

    now = {place(row): (row["value"], row["n"]) for row in made}
    rows = [row for row in read_rows(folder / FILE) if row["study"] == study]
    same = {
        place(row)
        for row in rows
        if model_of(row) == "arm1176" and now.get(place(row)) == (row["value"], row["n"])
    }
    return [row for row in rows if model_of(row) == "cortex-a72" and place(row) in same]


def modelled(folder: Path, study: str = LADDER) -> tuple[list[Row], str]:
    """Rows of models.csv, and why the Cortex-A72 model is missing in them, if it is.

    Where the programs are not at hand, the rows that the folder keeps serve.
    """
    rows = read_rows(folder / "counts.csv")
    made = by_count(rows, study)
    try:
        return made + by_block(folder, rows, study), ""
    except Failure as fault:
        old = kept(folder, made, study)
        return made + old, "" if old else str(fault)
