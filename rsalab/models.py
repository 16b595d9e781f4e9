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
SECONDS = 120  # that a tool may take
# bl and blx, with a condition or without, but not blt, bls, ble, blo.
CALL = re.compile(r"^bl(?=x?([a-z]{2})?\s)")
FEW, MANY = 50, 150  # iterations of a block; the difference is its steady state
NOTE = (
    "Error: modelled / measured - 1, lowest and highest of the same kind of code, compiled C or"
    " assembly.  That of the ARM1176 model is the error without simulated mispredictions, which"
    " nobody counted in OpenSSL."
)


def update(results: Results) -> str:
    """Put the Cortex-A72's cycles of the programs under build/ in the place of those that the
    folder keeps.  Return "", or why there are none: where they cannot be worked out, what the
    folder keeps serves."""
    try:
        made = by_block(results)
    except Failure as fault:
        kept = results.query("select 1 from means where metric = ?", BY_BLOCK)
        return "" if kept else str(fault)
    results.db.execute("delete from means where metric = ?", [BY_BLOCK])
    results.db.executemany("insert into means values (?, ?, ?, ?, ?, ?, ?)", made)
    return ""


def write(results: Results) -> None:
    """Write models.csv, without what has no known error."""
    rows = results.rows(__file__, "kept")
    write_rows(results.path("models.csv"), map(dict, rows))


# --- blocks ---------------------------------------------------------------------------------------


def by_block(results: Results) -> list[tuple[object, ...]]:
    """Return the Cortex-A72 model of every cell of the ladder whose program is still the one that
    was measured, as rows of `means`.  Raises Failure where there is none, or no llvm-mca."""
    if not all(map(shutil.which, TOOLS)):
        raise Failure("llvm-mca is not installed (`apt install llvm` has it)")
    executed = executed_blocks(results)
    if not executed:
        raise Failure(
            f"no program under build/ is one of {results.label}; make all-iterations"
        )
    every_block: set[Block] = set()
    for executions in executed.values():
        every_block.update(executions)
    cycles = block_cycles(every_block)
    rows: list[tuple[object, ...]] = []
    for (*cell, n), executions in executed.items():
        total = sum(cycles[block] * times for block, times in executions.items())
        rows.append((LADDER, *cell, BY_BLOCK, round(total) / n, n))
    return rows


def executed_blocks(
    results: Results,
) -> dict[tuple[str, str, str, int], Counter[Block]]:
    """Return the executions of blocks by rung, level, case and number of round trips, of the
    programs that are still those that were measured.  Raises Failure."""
    rungs = {rung.name: rung for rung in results.rungs()}
    executed = {}
    for name, level, case, n, instructions in results.rows(__file__, "executed"):
        cell = cells.Cell(rungs[name], level, results.machine["messages"])
        measured = results.machine["programs"].get(cell.label)
        if cell.program.exists() and digest(cell.program) == measured:
            executed[name, level, case, n] = run_blocks(cell, case, instructions)
    return executed


def run_blocks(cell: cells.Cell, case: str, total: int) -> Counter[Block]:
    """Return the executions of the blocks of all runs of a case.  Raises Failure unless the
    counter files are there and add up to the instructions that the results folder has."""
    made: Counter[Block] = Counter()
    for task in cell.cases().get(case, []):
        table = cell.counted(task)
        if table is None:
            raise Failure(
                f"{cell.label} {case}: not counted here; `make all-iterations` counts it"
            )
        made += blocks(counts.parse(table.splitlines()))
    instructions = sum(len(block) * times for block, times in made.items())
    if instructions != total:
        raise Failure(
            f"{cell.label} {case}: the files in {cell.folder} are of another run"
        )
    return made


def blocks(rows: Iterable[counts.Instruction]) -> Counter[Block]:
    """Return the executions of each block of A32 code.  Raises Failure at Thumb code, which has
    none of the opcodes that a block is written in."""
    every = sorted(rows, key=lambda row: row.address)
    for row in every:
        if row.cls == "thumb":
            raise Failure(f"Thumb code at {row.address:#x}: no blocks of it")
    starts = [0]
    for place, (above, row) in enumerate(pairwise(every), 1):
        branches = "b" in above.does
        apart = row.address != above.address + above.size
        if branches or apart or row.executions != above.executions:
            starts.append(place)
    executions = Counter[Block]()
    for start, end in pairwise([*starts, len(every)]):
        block = tuple(row.opcode for row in every[start:end])
        executions[block] += every[start].executions
    return +executions  # without the blocks that were never executed


def disassemble(opcodes: Iterable[int]) -> dict[int, str]:
    """Return the text of each A32 opcode as llvm-mca is to see it: a call is a branch, since it
    assumes 100 cycles for whatever is called, and what is called here has blocks of its own.
    Raises Failure for an opcode that LLVM does not know."""
    wanted = sorted(set(opcodes))
    lines = []
    for opcode in wanted:
        code = opcode.to_bytes(4, "little")
        lines.append(" ".join(f"{byte:#04x}" for byte in code))
    command = ["llvm-mc", "-disassemble", f"-triple={TRIPLE}", "-mattr=+neon,+vfp4"]
    printed = run(command, input="\n".join(lines) + "\n", timeout=SECONDS)
    texts = re.findall(r"(?m)^\s+(?!\.text)(\S.*)", printed)
    if len(texts) != len(wanted):
        raise Failure(f"llvm-mc: knows {len(texts)} of {len(wanted)} instructions")
    by_opcode = {}
    for opcode, text in zip(wanted, texts):
        by_opcode[opcode] = CALL.sub("b", text)
    return by_opcode


def mca_cycles(texts: list[str], iterations: int) -> list[int]:
    """Return the cycles of each text, repeated so many times.  Raises Failure."""
    code = ""
    for text in texts:
        code += f"@ LLVM-MCA-BEGIN\n{text}\n@ LLVM-MCA-END\n"
    command = [
        "llvm-mca",
        f"-mtriple={TRIPLE}",
        "-mcpu=cortex-a72",
        f"-iterations={iterations}",
    ]
    command += ["-instruction-info=0", "-resource-pressure=0"]
    printed = run(command, input=code, timeout=SECONDS)
    cycles = re.findall(r"^Total Cycles: *([0-9]+)$", printed, re.M)
    if len(cycles) != len(texts):
        raise Failure(f"llvm-mca: {len(cycles)} of {len(texts)} blocks answered")
    return list(map(int, cycles))


def block_cycles(blocks: Iterable[Block]) -> dict[Block, float]:
    """Return the cycles of one execution of each block.  Raises Failure."""
    wanted = sorted(set(blocks))
    opcodes: set[int] = set()
    for block in wanted:
        opcodes.update(block)
    instructions = disassemble(opcodes)
    texts = []
    for block in wanted:
        texts.append("\n".join(instructions[opcode] for opcode in block))
    after_few = mca_cycles(texts, FEW)
    after_many = mca_cycles(texts, MANY)
    cycles = {}
    for block, few, many in zip(wanted, after_few, after_many):
        cycles[block] = (many - few) / (MANY - FEW)
    return cycles


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


def option(row: Row) -> str:
    """Return the level as the option of the compiler."""
    return f"-{row['level']}"


def rungs(results: Results, model: str) -> Table:
    """Return a row for each level and rung."""
    rows = modelled(results, model)
    rows.sort(key=lambda row: (row["level"], row["place"]))
    columns: Columns = {
        "rung": "snapshot",
        "level": option,
        **CYCLES,
        "error": error_of,
    }
    return tabulate(rows, columns)


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
        "error": percent_off,
    }
    rows = results.query(asked, model, code)
    return tabulate(sorted(rows, key=measured_program), columns)


def percent_off(row: Row) -> str:
    """Return how far the model is from what a source measured."""
    error = row["modelled"] / row["measured"] - 1
    return f"{100 * error:+.1f} %"


def measured_program(row: Row) -> str:
    """Return which of our programs is compared with which of a source's."""
    if row["operation"]:
        return f"{row['program']}, {row['operation']}"
    theirs = row["program"]
    if row["source"].startswith("Bishop"):
        theirs = f"row {theirs}"
    ours = f"{row['snapshot']} -{row['level']}"
    return f"{ours} and {row['source']}, {theirs}"


def hidden(results: Results, model: str) -> list[str]:
    """Return the rungs of which the model's error is not known."""
    names = []
    for row in results.rows(__file__, "modelled", model=model):
        if row["low"] is None and row["snapshot"] not in names:
            names.append(row["snapshot"])
    return names


def text(results: Results, why: str, width: int = 80) -> str:
    """Return what each model says of every rung, with its error beside it, and how it compares
    with what the sources measured; `why` says why the Cortex-A72 model is missing."""
    lines = textwrap.TextWrapper(width, break_on_hyphens=False)
    where = f"{results.label}: {results.platform}, {results.machine['compiler']}"
    parts = [lines.fill(f"Cycle models (model, not measured) of {where}")]
    for model, name in MODELS.items():
        table = rungs(results, model)
        if table.rows:
            parts.append(f"{name} model, cycles:")
            parts.append("\n".join(table.lines))
    parts.append(lines.fill(NOTE))
    for model, code in results.query("select distinct model, code from comparisons"):
        table = compared(results, model, code)
        parts.append(f"{MODELS[model]} model, {code}:")
        parts.append("\n".join(table.lines))
    for model, name in MODELS.items():
        names = hidden(results, model)
        if names:
            not_shown = f"Not shown: the {name} model of {', '.join(names)}"
            like = f"nothing like it is both here and measured by a source on a {AGAINST[model]}"
            parts.append(lines.fill(f"{not_shown}: {like}."))
    if why:
        parts.append(lines.fill(f"Cortex-A72 model: not available here: {why}"))
    return "\n\n".join(parts)
