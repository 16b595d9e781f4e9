"""Cycle models: cycles worked out from exact counts, never measured.

`python3 -m rsalab.models.models [--keep] RESULTS` prints what each model says of every rung, with
its error beside it; --keep writes it to RESULTS/models.csv too.

- arm1176: instructions + 2 for each long multiply (umull, umlal, smull, smlal, umaal), which
  occupies that single-issue core for three cycles; from counts.csv alone.
- cortex-a72: executions of every basic block times its cycles in LLVM's model of that core
  (rsalab.models.mca); needs llvm-mca and the programs and counter files under build/.

rsalab.models.model_errors compares both with what the sources measured.  A model whose error is
unknown is not shown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cells import Cell
from records import ladder
from records.faults import Failure
from records.files import digest
from records.machine import read_machine
from records.rows import read_rows, write_rows
from rsalab.models import blocks, mca
from rsalab.steps.table import LEVELS, means

if TYPE_CHECKING:
    import pandas as pd

    from rsalab.frames import Results

MODELS = {"arm1176": "ARM1176", "cortex-a72": "Cortex-A72"}
CASES = ("mont_mul", "roundtrip-full")
FILE = "models.csv"
LONG = ("multiplies_long", "multiplies_umaal")
Key = tuple[str, str, str]  # snapshot, level, case


def arm1176(instructions: float, long_multiplies: float) -> float:
    """Cycles of an ARM1176: `model`."""
    return instructions + 2 * long_multiplies


def row(study: str, key: Key, model: str, cycles: float, n: int) -> dict:
    """A row of models.csv; cycles in total over n operations."""
    snapshot, level, case = key
    names = {"study": study, "snapshot": snapshot, "level": level, "case": case}
    what = {"metric": f"model_cycles_{model}", "symbol": "total", "value": round(cycles)}
    return {**names, **what, "unit": "cycles", "n": n, "repeat": 0}


def model_of(row: dict) -> str:
    """The model that a row of models.csv is of."""
    return row["metric"].removeprefix("model_cycles_")


def by_count(rows: list[dict], study: str) -> list[dict]:
    """The ARM1176 model of every cell in rows of counts.csv."""
    found: dict[Key, dict[str, int]] = {}
    for counted in rows:
        if (counted["study"], counted["symbol"]) == (study, "total") and counted["case"] in CASES:
            key = counted["snapshot"], counted["level"], counted["case"]
            found.setdefault(key, {"n": counted["n"]})[counted["metric"]] = counted["value"]
    return [
        row(
            study, key, "arm1176", arm1176(had["instructions"], sum(had[m] for m in LONG)), had["n"]
        )
        for key, had in found.items()
    ]


def run_blocks(cell: Cell, case: str, total: int) -> blocks.Counter[blocks.Block]:
    """Executions of the blocks of all runs of a case.  Raises Failure unless the counter files
    are there and add up to the instructions that the results folder has."""
    found: blocks.Counter[blocks.Block] = blocks.Counter()
    try:
        for task in cell.tasks:
            if task.case == case:
                found += blocks.of_run(cell.kept(task).with_suffix(".tsv"), cell.program)
    except (OSError, ValueError, StopIteration, Failure) as fault:
        raise Failure(f"{cell.label}: {fault}") from None
    if sum(len(block) * n for block, n in found.items()) != total:
        raise Failure(f"{cell.label} {case}: the files in {cell.folder} are of another run")
    return found


def by_block(folder: Path, rows: list[dict], study: str) -> list[dict]:
    """The Cortex-A72 model of every cell whose program is still the one that was measured.  Raises
    Failure where there is none, or no llvm-mca."""
    mca.tools()
    machine = read_machine(folder)
    executed: dict[Key, tuple[int, blocks.Counter[blocks.Block]]] = {}
    for snapshot in ladder.snapshots(study):
        for cell in (Cell(snapshot, level, machine["messages"]) for level in LEVELS):
            measured = machine["programs"].get(cell.label)
            if not measured or not cell.program.exists() or digest(cell.program) != measured:
                continue
            for case in CASES:
                total = totals(rows, study, snapshot.name, cell.level, case)
                if total:
                    found = run_blocks(cell, case, total[0])
                    executed[snapshot.name, cell.level, case] = total[1], found
    if not executed:
        raise Failure(f"no program under build/ is one of {folder}; make all-iterations")
    cycles = mca.cycles((block for _, found in executed.values() for block in found), "cortex-a72")
    return [
        row(study, key, "cortex-a72", sum(cycles[b] * times for b, times in found.items()), n)
        for key, (n, found) in executed.items()
    ]


def totals(
    rows: list[dict], study: str, snapshot: str, level: str, case: str
) -> tuple[int, int] | None:
    """(instructions, operations) of a cell's case, or None."""
    wanted = (study, snapshot, level, case, "instructions", "total")
    names = ("study", "snapshot", "level", "case", "metric", "symbol")
    for counted in rows:
        if tuple(counted[name] for name in names) == wanted:
            return counted["value"], counted["n"]
    return None


def kept(folder: Path, made: list[dict], study: str) -> list[dict]:
    """Rows of the Cortex-A72 model that the folder keeps, for each cell whose row of the ARM1176
    model there says what the counts still say, `made`: others are of an earlier program."""
    names = ("study", "snapshot", "level", "case")
    now = {tuple(row[name] for name in names): (row["value"], row["n"]) for row in made}
    rows = [row for row in read_rows(folder / FILE) if row["study"] == study]
    then = {
        tuple(row[name] for name in names): (row["value"], row["n"])
        for row in rows
        if model_of(row) == "arm1176"
    }
    same = {cell for cell, value in then.items() if now.get(cell) == value}
    return [
        row
        for row in rows
        if model_of(row) == "cortex-a72" and tuple(row[name] for name in names) in same
    ]


def modelled(folder: Path, study: str = ladder.LADDER) -> tuple[list[dict], str]:
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


def per_operation(rows: list[dict], model: str, case: str, study: str = ladder.LADDER) -> dict:
    """(rung, level) -> mean cycles of an operation, from rows of models.csv: `model`."""
    return means(rows, study, case, f"model_cycles_{model}")


def frame(results: Results, study: str = ladder.LADDER) -> pd.DataFrame:
    """What each model says: rung, level, case, model, cycles (mean of an operation), error_low and
    error_high (relative errors where measurements are known; a model without is left out) and
    against (what it was compared with).

    The Cortex-A72 model is read from the folder's models.csv: the same on every machine.
    """
    import pandas as pd

    from rsalab.models import model_errors

    made = by_count(results.counts.to_dict("records"), study)
    rows = made + kept(results.folder, made, study)
    instructions = means(results.counts.to_dict("records"), study)
    found = model_errors.shown(rows, instructions, study)
    columns = ["rung", "level", "case", "model", "cycles", "error_low", "error_high", "against"]
    return pd.DataFrame(found, columns=columns)


def main() -> int:
    """Command line; 0, or 2 with one line on stderr."""
    from rsalab.models import model_errors, model_table

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("folder", type=Path, metavar="RESULTS")
    options = parser.parse_args()
    try:
        if not (options.folder / "counts.csv").is_file():
            raise ValueError(f"{options.folder}: no counts here; `make all-iterations` makes some")
        rows, why = modelled(options.folder)
        if options.keep:
            instructions = means(read_rows(options.folder / "counts.csv"), ladder.LADDER)
            known = [row for row, _ in model_errors.known(rows, instructions)]
            write_rows(options.folder / FILE, known)
        print(model_table.text(options.folder, rows, why))
    except (ValueError, KeyError, OSError) as fault:
        print(f"models: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
