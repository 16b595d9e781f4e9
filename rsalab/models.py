"""Cycle models: cycles worked out from exact counts, never measured, and how
far they are from what the sources measured.

The views `modelled`, `comparisons` and `errors` (records/views.sql) have all of
it but the cycles of a Cortex-A72.  These are the executions of every basic
block times its cycles in LLVM's model of that core, which needs llvm-mca (LLVM
14 to 19) and the programs and counter files under build/.

A block is a run of neighbouring instructions that were executed equally often
and of which only the last may branch.  Neighbours that a branch could part,
but that were executed equally often, are one block: that changes nothing in
what is executed.  A block's cycles are those of its steady state, repeated
back to back: the blocks that matter here are the bodies of loops, and a single
pass would pay for filling and draining the pipeline at every branch.  llvm-mca
takes loads and stores as independent and knows neither cache misses nor wrong
predictions.
"""

import re
import shutil
import textwrap
from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from sqlite3 import Row

from harness import cells, counts
from records.faults import Failure, run
from records.files import digest
from records.ladder import LADDER
from records.results import Results
from records.rows import write_rows
from records.tables import Column, Table, digits, percent, pivot, tabulate, whole

MODELS = {"arm1176": "ARM1176", "cortex-a72": "Cortex-A72"}
AGAINST = {"arm1176": "Pi Zero, OpenSSL", "cortex-a72": "Pi 3 (Cortex-A53)"}
BY_BLOCK = "model_cycles_cortex-a72"  # the metric
Block = tuple[int, ...]  # opcodes of A32, in order

TOOLS = ("llvm-mc", "llvm-mca")
TRIPLE = "armv7a-linux-gnueabihf"
LIMIT = 120  # seconds
FEW, MANY = 50, 150  # iterations of a block; the difference is its steady state
NOTE = (
    "Error: modelled / measured - 1, lowest and highest of the same kind of code, compiled C or"
    " assembly.  That of the ARM1176 model is the error without simulated mispredictions, which"
    " nobody counted in OpenSSL."
)


def update(results: Results) -> str:
    """Put the Cortex-A72's cycles of the programs under build/ in the place
    of those that the folder keeps.  Where that cannot be, what it keeps
    serves; says why, where it keeps nothing."""
    try:
        made = by_block(results)
    except Failure as fault:
        kept = results.query("select 1 from means where metric = ?", BY_BLOCK)
        return "" if kept else str(fault)
    results.db.execute("delete from means where metric = ?", [BY_BLOCK])
    results.db.executemany("insert into means values (?, ?, ?, ?, ?, ?, ?)", made)
    return ""


def write(results: Results) -> None:
    """models.csv, without what has no known error."""
    rows = results.rows(__file__, "kept")
    write_rows(results.path("models.csv"), map(dict, rows))


# --- blocks ---------------------------------------------------------------------------------------


def by_block(results: Results) -> list[tuple[object, ...]]:
    """The Cortex-A72 model of every cell of the ladder whose program is still
    the one that was measured, as rows of `means`.  Raises Failure where
    there is none, or no llvm-mca."""
    if not all(map(shutil.which, TOOLS)):
        raise Failure("llvm-mca is not installed (`apt install llvm` has it)")
    rungs, executed = {rung.name: rung for rung in results.rungs()}, {}
    for name, level, case, n, instructions in results.rows(__file__, "executed"):
        cell = cells.Cell(rungs[name], level, results.machine["messages"])
        measured = results.machine["programs"].get(cell.label)
        if cell.program.exists() and digest(cell.program) == measured:
            executed[name, level, case, n] = run_blocks(cell, case, instructions)
    if not executed:
        raise Failure(f"no program under build/ is one of {results.label}; make all-iterations")
    cycles = block_cycles(block for made in executed.values() for block in made)
    totals = {cell: sum(cycles[block] * times for block, times in made.items())
              for cell, made in executed.items()}  # fmt: skip
    return [(LADDER, *cell, BY_BLOCK, round(total) / n, n) for (*cell, n), total in totals.items()]


def run_blocks(cell: cells.Cell, case: str, total: int) -> Counter[Block]:
    """Executions of the blocks of all runs of a case.  Raises Failure
    unless the counter files are there and add up to the instructions that
    the results folder has."""
    made: Counter[Block] = Counter()
    for task in cell.cases().get(case, []):
        table = cell.counted(task)
        if table is None:
            raise Failure(f"{cell.label} {case}: not counted here; `make all-iterations` counts it")
        made += blocks(counts.parse(table.splitlines()))
    if sum(len(block) * n for block, n in made.items()) != total:
        raise Failure(f"{cell.label} {case}: the files in {cell.folder} are of another run")
    return made


def blocks(rows: Iterable[counts.Instruction]) -> Counter[Block]:
    """Executions of each block of A32 code.  Raises Failure at Thumb code,
    which has none of the opcodes that a block is written in."""
    every, made = sorted(rows, key=lambda row: row.address), Counter[Block]()
    for row in every:
        if row.cls == "thumb":
            raise Failure(f"Thumb code at {row.address:#x}: no blocks of it")
    starts = [
        place
        for place, (above, row) in enumerate(pairwise(every), 1)
        if "b" in above.does or row.executions != above.executions
        or row.address != above.address + above.size
    ]  # fmt: skip
    for start, end in pairwise([0, *starts, len(every)]):
        made[tuple(row.opcode for row in every[start:end])] += every[start].executions
    return +made  # what was executed


def disassemble(opcodes: Iterable[int]) -> dict[int, str]:
    """The text of each A32 opcode as llvm-mca is to see it: a call is a
    branch, since it assumes 100 cycles for whatever is called, and what is
    called here has blocks of its own.  Raises Failure for an opcode that
    LLVM does not know."""
    wanted = sorted(set(opcodes))
    lines = [" ".join(f"{byte:#04x}" for byte in op.to_bytes(4, "little")) for op in wanted]
    command = ["llvm-mc", "-disassemble", f"-triple={TRIPLE}", "-mattr=+neon,+vfp4"]
    said = run(command, input="\n".join(lines) + "\n", timeout=LIMIT)
    texts = re.findall(r"(?m)^\s+(?!\.text)(\S.*)", said)
    if len(texts) != len(wanted):
        raise Failure(f"llvm-mc: knows {len(texts)} of {len(wanted)} instructions")
    # bl and blx, with a condition or without, but not blt, bls, ble, blo.
    texts = [re.sub(r"^bl(?=x?([a-z]{2})?\s)", "b", text) for text in texts]
    return dict(zip(wanted, texts))


def mca_cycles(texts: list[str], iterations: int) -> list[int]:
    """Cycles of each text, repeated so many times.  Raises Failure."""
    regions = (f"@ LLVM-MCA-BEGIN\n{text}\n@ LLVM-MCA-END\n" for text in texts)
    command = ["llvm-mca", f"-mtriple={TRIPLE}", "-mcpu=cortex-a72", f"-iterations={iterations}"]
    command += ["-instruction-info=0", "-resource-pressure=0"]
    said = run(command, input="".join(regions), timeout=LIMIT)
    cycles = re.findall(r"^Total Cycles: *([0-9]+)$", said, re.M)
    if len(cycles) != len(texts):
        raise Failure(f"llvm-mca: {len(cycles)} of {len(texts)} blocks answered")
    return list(map(int, cycles))


def block_cycles(blocks: Iterable[Block]) -> dict[Block, float]:
    """Cycles of one execution of each block.  Raises Failure."""
    wanted = sorted(set(blocks))
    text = disassemble(opcode for block in wanted for opcode in block)
    texts = ["\n".join(text[opcode] for opcode in block) for block in wanted]
    runs = zip(wanted, mca_cycles(texts, FEW), mca_cycles(texts, MANY))
    return {block: (many - few) / (MANY - FEW) for block, few, many in runs}


# --- tables, and what `make models` prints --------------------------------------------------------


def error_of(row: Row) -> str:
    """Return the range of a model's error."""
    return percent(row["low"], row["high"])


def number(column: str, row: Row) -> str:
    """Return cycles as a cell shows them."""
    return whole(row[column])


Columns = dict[str, Column]
CYCLES: Columns = {
    "mont_mul": partial(number, "mont_mul"),
    "round trip": partial(number, "round_trip"),
}


def modelled(results: Results, model: str) -> list[Row]:
    """Return the cycles of each rung and level of which the model's error is known."""
    rows = results.rows(__file__, "modelled", model=model)
    return [row for row in rows if row["low"] is not None]


def rungs(results: Results, model: str) -> Table:
    """Return a row for each level and rung."""
    rows = sorted(modelled(results, model), key=lambda row: (row["level"], row["place"]))
    columns: Columns = {"rung": "snapshot", "level": lambda row: f"-{row['level']}"}
    return tabulate(rows, {**columns, **CYCLES, "error": error_of})


def by_level(results: Results, model: str) -> Table:
    """Return a row for each rung, with columns by level."""
    by: Columns = {"rung": "snapshot", "error": error_of}
    return pivot(modelled(results, model), by, "level", CYCLES)


def compared(results: Results, model: str, code: str) -> Table:
    """Return what sources measured beside the model, for a kind of code."""
    asked = "select * from comparisons where (model, code) = (?, ?) order by bits, unit"
    columns: Columns = {
        "compared with": measured_program,
        "bits": "bits",
        "quantity": "unit",
        "measured": lambda row: digits(row["measured"]),
        "model": lambda row: digits(row["modelled"]),
        "error": lambda row: f"{100 * (row['modelled'] / row['measured'] - 1):+.1f} %",
    }
    return tabulate(sorted(results.query(asked, model, code), key=measured_program), columns)


def measured_program(row: Row) -> str:
    """Return which of our programs is compared with which of a source's."""
    if row["operation"]:
        return f"{row['program']}, {row['operation']}"
    row_of = "row " if row["source"].startswith("Bishop") else ""
    return f"{row['snapshot']} -{row['level']} and {row['source']}, {row_of}{row['program']}"


def hidden(results: Results, model: str) -> list[str]:
    """Return the rungs of which the model's error is not known."""
    rows = results.rows(__file__, "modelled", model=model)
    return list(dict.fromkeys(row["snapshot"] for row in rows if row["low"] is None))


def text(results: Results, why: str, width: int = 80) -> str:
    """Return what each model says of every rung, with its error beside it, and how it compares
    with what the sources measured; `why` says why the Cortex-A72 model is missing."""
    lines = textwrap.TextWrapper(width, break_on_hyphens=False)
    where = f"{results.label}: {results.platform}, {results.machine['compiler']}"
    parts = [lines.fill(f"Cycle models (model, not measured) of {where}")]
    for model, name in MODELS.items():
        table = rungs(results, model)
        if table.rows:
            parts += [f"{name} model, cycles:", "\n".join(table.lines)]
    parts.append(lines.fill(NOTE))
    for model, code in results.query("select distinct model, code from comparisons"):
        table = compared(results, model, code)
        parts += [f"{MODELS[model]} model, {code}:", "\n".join(table.lines)]
    for model, name in MODELS.items():
        if names := hidden(results, model):
            not_shown = f"Not shown: the {name} model of {', '.join(names)}"
            like = f"nothing like it is both here and measured by a source on a {AGAINST[model]}"
            parts.append(lines.fill(f"{not_shown}: {like}."))
    if why:
        parts.append(lines.fill(f"Cortex-A72 model: not available here: {why}"))
    return "\n\n".join(parts)
