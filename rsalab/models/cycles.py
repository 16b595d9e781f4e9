"""Cycle models: cycles worked out from exact counts, never measured, as rows of models.csv.

- arm1176: harness.counts.arm1176, with the simulated mispredictions; from counts.csv alone.
- cortex-a72: executions of every basic block times its cycles in LLVM's model of that core; needs
  llvm-mca and the programs and counter files under build/.

A block is a run of neighbouring instructions that were executed equally often and of which only
the last may branch.  Neighbours that a branch could part, but that were executed equally often,
are one block: that changes nothing in what is executed.  A block's cycles are those of its steady
state, repeated back to back: the blocks that matter here are the bodies of loops, and a single pass
would pay for filling and draining the pipeline at every branch.  llvm-mca takes loads and stores as
independent and knows neither cache misses nor wrong predictions.  It is optional (LLVM 14 to 19).
Cycles are kept by the text of the block, under the core and the version of LLVM, so that a block is
looked at once.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness import counts
from harness.cells import Cell, keep, recall
from harness.counts import PENALTY, SIMULATED, arm1176
from records import ladder
from records.command import run
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, LEVELS
from records.results import Results
from records.rows import Row
from records.workload import MULTIPLICATION, TRIP_FULL

MODELS = {"arm1176": "ARM1176", "cortex-a72": "Cortex-A72"}
CASES = (MULTIPLICATION, TRIP_FULL)
FILE = "models.csv"
LONG = ("multiplies_long", "multiplies_umaal")
Key = tuple[str, str, str]  # snapshot, level, case
Totals = dict[Key, dict[str, int]]  # metric -> total, `n` -> operations
Block = tuple[int, ...]  # opcodes of A32, in order

VERSIONS = ("", *(f"-{n}" for n in range(19, 13, -1)))
TRIPLE = "armv7a-linux-gnueabihf"
KEPT = Path("build/models")
LIMIT = 120  # seconds
FEW, MANY = 50, 150  # iterations of a block; the difference is its steady state


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


def counted(results: Results, study: str) -> Totals:
    """What was counted for every cell and each of CASES."""
    found: Totals = defaultdict(dict)
    for row in results.query("select * from means where study = ?", study):
        if row["case"] in CASES and not row["metric"].startswith("model_"):
            totals = found[row["snapshot"], row["level"], row["case"]]
            totals |= {"n": row["n"], row["metric"]: round(row["mean"] * row["n"])}
    return found


def by_count(results: Results, study: str) -> list[Row]:
    """The ARM1176 model of every cell that has its metrics."""
    return [
        row(study, key, "arm1176", arm1176_of(totals), totals["n"])
        for key, totals in counted(results, study).items()
        if totals.keys() >= {"instructions", *LONG}
    ]


def run_blocks(cell: Cell, case: str, total: int) -> Counter[Block]:
    """Executions of the blocks of all runs of a case.  Raises Failure unless the counter files
    are there and add up to the instructions that the results folder has."""
    found: Counter[Block] = Counter()
    try:
        for task in cell.tasks:
            if task.case == case:
                found += blocks(counts.read_rows(cell.kept(task).with_suffix(".tsv"), cell.program))
    except (OSError, ValueError, StopIteration) as fault:
        raise Failure(f"{cell.label}: {fault}") from None
    if sum(len(block) * n for block, n in found.items()) != total:
        raise Failure(f"{cell.label} {case}: the files in {cell.folder} are of another run")
    return found


def by_block(results: Results, study: str) -> list[Row]:
    """The Cortex-A72 model of every cell whose program is still the one that was measured.  Raises
    Failure where there is none, or no llvm-mca."""
    tools()
    machine, totals = results.machine, counted(results, study)
    executed: dict[Key, Counter[Block]] = {}
    for snapshot in ladder.snapshots(study):
        for cell in (Cell(snapshot, level, machine["messages"]) for level in LEVELS):
            measured = machine["programs"].get(cell.label)
            if not measured or not cell.program.exists() or digest(cell.program) != measured:
                continue
            for key in ((snapshot.name, cell.level, case) for case in CASES):
                if key in totals:
                    executed[key] = run_blocks(cell, key[2], totals[key]["instructions"])
    if not executed:
        raise Failure(f"no program under build/ is one of {results.label}; make all-iterations")
    of = block_cycles((block for found in executed.values() for block in found), "cortex-a72")
    return [
        row(study, key, "cortex-a72", sum(of[b] * n for b, n in found.items()), totals[key]["n"])
        for key, found in executed.items()
    ]


def kept(results: Results, made: list[Row], study: str) -> list[Row]:
    """Rows of the Cortex-A72 model that the folder keeps, for each cell whose row of the ARM1176
    model there says what the counts still say, `made`: others are of an earlier program."""

    def place(row: Row) -> Key:
        return row["snapshot"], row["level"], row["case"]

    now = {place(row): (row["value"], row["n"]) for row in made}
    rows = [dict(row) for row in results.query("select * from models where study = ?", study)]
    same = {
        place(row)
        for row in rows
        if model_of(row) == "arm1176" and now.get(place(row)) == (row["value"], row["n"])
    }
    return [row for row in rows if model_of(row) == "cortex-a72" and place(row) in same]


def modelled(results: Results, study: str = LADDER) -> tuple[list[Row], str]:
    """Rows of models.csv, and why the Cortex-A72 model is missing in them, if it is.

    Where the programs are not at hand, the rows that the folder keeps serve.
    """
    made = by_count(results, study)
    try:
        return made + by_block(results, study), ""
    except Failure as fault:
        old = kept(results, made, study)
        return made + old, "" if old else str(fault)


def blocks(rows: Iterable[counts.Row]) -> Counter[Block]:
    """Executions of each block of A32 code.  Raises Failure at Thumb code, which has none of
    the opcodes that a block is written in."""
    found: Counter[Block] = Counter()
    block: list[int] = []
    previous = None
    for row in sorted(rows, key=lambda row: row.address):
        if row.cls == "thumb":
            raise Failure(f"Thumb code at {row.address:#x}: no blocks of it")
        if previous and not _same_block(previous, row):
            found[tuple(block)] += previous.executions
            block = []
        if row.executions:
            block.append(row.opcode)
        previous = row if row.executions else None
    if previous:
        found[tuple(block)] += previous.executions
    return found


def _same_block(row: counts.Row, following: counts.Row) -> bool:
    """Whether control passes from one instruction to the other every time."""
    return (
        following.address == row.address + row.size
        and following.executions == row.executions
        and "b" not in row.does
    )


def tools() -> tuple[str, str]:
    """Paths of llvm-mc and llvm-mca, of one version.  Raises Failure."""
    for version in VERSIONS:
        found = [shutil.which(name + version) for name in ("llvm-mc", "llvm-mca")]
        if all(found):
            return str(found[0]), str(found[1])
    raise Failure("llvm-mca is not installed (`apt install llvm` has it)")


def text_of(opcode: int, disassembled: str) -> str:
    """An instruction as llvm-mca is to see it: a call is a branch, since it assumes 100 cycles for
    whatever is called, and what is called here has blocks of its own."""
    if opcode & 0x0F000000 == 0x0B000000 or opcode & 0x0FFFFFF0 == 0x012FFF30:  # bl, blx register
        return re.sub(r"^bl", "b", disassembled)
    return disassembled


def disassemble(opcodes: Iterable[int], mc: str) -> dict[int, str]:
    """The assembly text of each A32 opcode.  Raises Failure for one that LLVM does not know."""
    wanted = sorted(set(opcodes))
    lines = [" ".join(f"{byte:#04x}" for byte in op.to_bytes(4, "little")) for op in wanted]
    command = [mc, "-disassemble", f"-triple={TRIPLE}", "-mattr=+neon,+vfp4"]
    said = run(command, input="\n".join(lines) + "\n", timeout=LIMIT).splitlines()
    texts = [line.strip() for line in said if line.strip() and line.strip() != ".text"]
    if len(texts) != len(wanted):
        raise Failure(f"llvm-mc: knows {len(texts)} of {len(wanted)} instructions")
    return {opcode: text_of(opcode, text) for opcode, text in zip(wanted, texts)}


def mca_cycles(texts: list[str], cpu: str, iterations: int, mca: str) -> list[int]:
    """Cycles of each text, repeated so many times.  Raises Failure."""
    regions = (f"@ LLVM-MCA-BEGIN\n{text}\n@ LLVM-MCA-END\n" for text in texts)
    quiet = ["-instruction-info=0", "-resource-pressure=0"]
    command = [mca, f"-mtriple={TRIPLE}", f"-mcpu={cpu}", f"-iterations={iterations}", *quiet]
    found = re.findall(
        r"^Total Cycles: *([0-9]+)$", run(command, input="".join(regions), timeout=LIMIT), re.M
    )
    if len(found) != len(texts):
        raise Failure(f"llvm-mca: {len(found)} of {len(texts)} blocks answered for {cpu}")
    return [int(cycles) for cycles in found]


def block_cycles(blocks: Iterable[Block], cpu: str, kept: Path = KEPT) -> dict[Block, float]:
    """Cycles of one execution of each block on a core of LLVM's.  Raises Failure."""
    mc, mca = tools()
    version = re.search(r"version ([0-9.]+)", run([mca, "--version"]))
    path = kept / f"{cpu}-llvm-{version.group(1) if version else 'unknown'}.json"
    wanted = list(dict.fromkeys(blocks))
    texts = disassemble((opcode for block in wanted for opcode in block), mc)
    text = {block: "\n".join(texts[opcode] for opcode in block) for block in wanted}
    known: dict[str, float] = recall(path, cpu) or {}
    new = sorted(set(text.values()) - known.keys())
    if new:
        runs = zip(new, mca_cycles(new, cpu, FEW, mca), mca_cycles(new, cpu, MANY, mca))
        known |= {body: (many - few) / (MANY - FEW) for body, few, many in runs}
        keep(path, cpu, known)
    return {block: known[text[block]] for block in wanted}
