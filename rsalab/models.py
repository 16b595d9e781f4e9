"""Cycle models: cycles worked out from exact counts, never measured, and how
far they are from what the sources measured.

- arm1176: harness.counts.arm1176, with the simulated mispredictions; from counts.csv alone.
- cortex-a72: executions of every basic block times its cycles in LLVM's model of that core; needs
  llvm-mca and the programs and counter files under build/.

A block is a run of neighbouring instructions that were executed equally often
and of which only the last may branch.  Neighbours that a branch could part,
but that were executed equally often, are one block: that changes nothing in
what is executed.  A block's cycles are those of its steady state, repeated
back to back: the blocks that matter here are the bodies of loops, and a single
pass would pay for filling and draining the pipeline at every branch.  llvm-mca
takes loads and stores as independent and knows neither cache misses nor wrong
predictions.  It is optional (LLVM 14 to 19). Cycles are kept by the text of
the block, under the core and the version of LLVM, so that a block is looked at
once.

Each comparison with a measurement is a Check with its error, modelled /
measured - 1.  Errors differ between compiled C and assembly by hand, so a
model's error is a range for each kind of code.

- ARM1176 against the Pi Zero W at 1 GHz of the OpenSSL source: cycles of a whole RSA operation of
  OpenSSL 3.1.1, as the committed openssl.csv counts it.  Mispredictions are left out: the error is
  that of instructions + 2 x long multiplies.
- Cortex-A72 against the Raspberry Pi 3, whose Cortex-A53 no scheduling model for A32 describes:
  the error is that of one core standing for another.  Cycles an instruction of Dirk 2019 against
  the rungs that resemble his programs in C; cycles a round trip, at 1.4 GHz, and factors of
  Bishop & Austin 2021 against the rungs that data/published/ maps to their rows.
"""

import re
import shutil
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from harness import counts
from harness.cells import Cell, keep, recall
from harness.counts import PENALTY, SIMULATED, arm1176
from records import ladder
from records.faults import Failure, run
from records.files import digest
from records.ladder import LADDER, LEVELS
from records.published import MAP, TABLE_1, read_csv
from records.results import FULL, Results
from records.rows import Row
from records.tables import NONE, aligned, percent, whole
from records.workload import MULTIPLICATION
from rsalab import openssl

MODELS = {"arm1176": "ARM1176", "cortex-a72": "Cortex-A72"}
AGAINST = {"arm1176": "Pi Zero, OpenSSL", "cortex-a72": "Pi 3 (Cortex-A53)"}
CASES = (MULTIPLICATION, FULL)
FILE = "models.csv"
LONG = ("multiplies_long", "multiplies_umaal")
Key = tuple[str, str, str]  # snapshot, level, case
Totals = dict[Key, dict[str, int]]  # metric -> total, `n` -> operations
Block = tuple[int, ...]  # opcodes of A32, in order
Range = tuple[float, float]  # lowest and highest error
Means = dict[tuple[str, str], float]  # (rung, level) -> mean of a round trip of the ladder

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


def key_of(row: Row) -> Key:
    """The cell and case that a row of models.csv is of."""
    return row["snapshot"], row["level"], row["case"]


def counted(results: Results, study: str) -> Totals:
    """What was counted for every cell and each of CASES."""
    totals: Totals = defaultdict(dict)
    for row in results.query("select * from means where study = ?", study):
        if row["case"] in CASES and not row["metric"].startswith("model_"):
            here = totals[row["snapshot"], row["level"], row["case"]]
            here |= {"n": row["n"], row["metric"]: round(row["mean"] * row["n"])}
    return totals


def by_count(results: Results, study: str = LADDER) -> list[Row]:
    """The ARM1176 model of every cell that has its metrics."""
    return [
        row(study, key, "arm1176", arm1176_of(totals), totals["n"])
        for key, totals in counted(results, study).items()
        if totals.keys() >= {"instructions", *LONG}
    ]


def kept(results: Results, made: list[Row], study: str = LADDER) -> list[Row]:
    """Rows of the Cortex-A72 model that the folder keeps, for each cell
    whose row of the ARM1176 model there says what the counts still say,
    `made`: others are of an earlier program."""
    now = {key_of(row): (row["value"], row["n"]) for row in made}
    rows = [dict(row) for row in results.query("select * from models where study = ?", study)]
    same = {
        key_of(row)
        for row in rows
        if model_of(row) == "arm1176" and now.get(key_of(row)) == (row["value"], row["n"])
    }
    return [row for row in rows if model_of(row) == "cortex-a72" and key_of(row) in same]


def modelled(results: Results, study: str = LADDER) -> tuple[list[Row], str]:
    """Rows of models.csv, and why the Cortex-A72 model is missing in them,
    if it is.

    Where the programs are not at hand, the rows that the folder keeps
    serve.
    """
    made = by_count(results, study)
    try:
        return made + by_block(results, study), ""
    except Failure as fault:
        old = kept(results, made, study)
        return made + old, "" if old else str(fault)


# --- blocks ---------------------------------------------------------------------------------------


def by_block(results: Results, study: str) -> list[Row]:
    """The Cortex-A72 model of every cell whose program is still the one
    that was measured.  Raises Failure where there is none, or no llvm-mca."""
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
    of = block_cycles((block for made in executed.values() for block in made), "cortex-a72")
    return [
        row(study, key, "cortex-a72", sum(of[b] * n for b, n in made.items()), totals[key]["n"])
        for key, made in executed.items()
    ]


def run_blocks(cell: Cell, case: str, total: int) -> Counter[Block]:
    """Executions of the blocks of all runs of a case.  Raises Failure
    unless the counter files are there and add up to the instructions that
    the results folder has."""
    made: Counter[Block] = Counter()
    try:
        for task in cell.tasks:
            if task.case == case:
                made += blocks(counts.read_rows(cell.kept(task).with_suffix(".tsv"), cell.program))
    except (OSError, ValueError, StopIteration) as fault:
        raise Failure(f"{cell.label}: {fault}") from None
    if sum(len(block) * n for block, n in made.items()) != total:
        raise Failure(f"{cell.label} {case}: the files in {cell.folder} are of another run")
    return made


def blocks(rows: Iterable[counts.Row]) -> Counter[Block]:
    """Executions of each block of A32 code.  Raises Failure at Thumb code,
    which has none of the opcodes that a block is written in."""
    made: Counter[Block] = Counter()
    block: list[int] = []
    end, before, last = 0, 0, False  # of the row above: where it ends, its executions, a branch
    for row in sorted(rows, key=lambda row: row.address):
        if row.cls == "thumb":
            raise Failure(f"Thumb code at {row.address:#x}: no blocks of it")
        if block and (last or (row.address, row.executions) != (end, before)):
            made[tuple(block)] += before
            block = []
        if row.executions:
            block.append(row.opcode)
        end, before, last = row.address + row.size, row.executions, "b" in row.does
    if block:
        made[tuple(block)] += before
    return made


def tools() -> tuple[str, str]:
    """Paths of llvm-mc and llvm-mca, of one version.  Raises Failure."""
    for version in VERSIONS:
        mc, mca = (shutil.which(name + version) for name in ("llvm-mc", "llvm-mca"))
        if mc and mca:
            return mc, mca
    raise Failure("llvm-mca is not installed (`apt install llvm` has it)")


def text_of(opcode: int, disassembled: str) -> str:
    """An instruction as llvm-mca is to see it: a call is a branch, since it
    assumes 100 cycles for whatever is called, and what is called here has
    blocks of its own."""
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
    said = run(command, input="".join(regions), timeout=LIMIT)
    cycles = re.findall(r"^Total Cycles: *([0-9]+)$", said, re.M)
    if len(cycles) != len(texts):
        raise Failure(f"llvm-mca: {len(cycles)} of {len(texts)} blocks answered for {cpu}")
    return list(map(int, cycles))


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


# --- errors ---------------------------------------------------------------------------------------

PERF, BY_HAND = "dirk-2019-perf.csv", "optimized asm"
PI_3 = 1.4e9  # Hz
PROGRAMS = {  # Dirk's column -> the rung of width-64 and the level that are like it
    "no-opt C": ("v0", "O0"),
    "optimized C": ("v1", "O0"),
    BY_HAND: ("v2", "O0"),
    "O3 no-opt C": ("v0", "O3"),
    "O3 optimized C": ("v1", "O3"),
}
C, ASSEMBLY, WORD = "compiled C", "assembly", "word-serial code"
NOTE = (
    "Error: modelled / measured - 1, lowest and highest of the same kind of code, compiled C or"
    " assembly.  That of the ARM1176 model is the error without simulated mispredictions, which"
    " nobody counted in OpenSSL."
)


class Check(NamedTuple):
    """One comparison; one in the unit `x` is of factors, and does not count for the error shown."""

    model: str
    kind: str
    what: str
    unit: str
    measured: float
    modelled: float

    @property
    def error(self) -> float:
        """Relative: -0.3 where the model is 30 % too low."""
        return self.modelled / self.measured - 1


def instructions_of(results: Results) -> Means:
    """Instructions of a round trip."""
    rows = results.query('select * from cells where (study, "case") = (?, ?)', LADDER, FULL)
    return {(row["snapshot"], row["level"]): row["instructions"] for row in rows}


def kind(model: str, rung: str, study: str = LADDER) -> str:
    """The kind of code that a rung is.  OpenSSL's assembly speaks for all
    assembly on an ARM1176; what was measured on a Pi 3 is bit-serial and
    multiplies no words, so code that does, and hence uses n0inv, is a kind
    of its own there."""
    snapshot = ladder.find(rung, study)
    texts = (path.read_text(encoding="utf-8") for path in snapshot.path.glob("*.[chS]"))
    if model == "cortex-a72" and any("n0inv" in text for text in texts):
        return WORD
    return ASSEMBLY if snapshot.has_assembly else C


def arm1176_checks() -> list[Check]:
    """Every RSA operation that the OpenSSL source timed with OpenSSL's own code and we counted."""
    checks, times = [], openssl.published()
    kinds = {openssl.THEIRS: ASSEMBLY, openssl.C: C}
    for (name, operation, bits), count in openssl.committed().items():
        if name in kinds:
            source = openssl.COLUMNS[name][3]
            pair = times[source, bits, operation] * openssl.CLOCK / 1e6, count.cycles / 1e6
            what = f"{source}, {operation}, {bits} bits"
            checks.append(Check("arm1176", kinds[name], what, "Mcycles", *pair))
    return checks


def cortex_checks(cycles: Means, instructions: Means) -> list[Check]:
    """Cycles an instruction of Dirk's programs in C; cycles a round trip at
    -O0, and the factor against row 0, of Bishop and Austin's rows."""

    def check(rung: str, what: str, unit: str, *pair: float) -> Check:
        return Check("cortex-a72", kind("cortex-a72", rung), what, unit, *pair)

    checks, first = [], ("v0", "O0")
    perf = {row["code being profiled"]: row for row in read_csv(PERF)}
    for name, cell in PROGRAMS.items():
        if cell in cycles and name != BY_HAND:
            pair = float(perf["cycles"][name]) / float(perf["instructions"][name])
            what = f"{cell[0]} -{cell[1]} and Dirk 2019, {name}"
            ours = cycles[cell] / instructions[cell]
            checks.append(check(cell[0], what, "per instr.", pair, ours))
    times = {row["iteration"]: float(row["seconds"]) * PI_3 for row in read_csv(TABLE_1)}
    for row in read_csv(MAP):
        cell, time = (row["ours"], "O0"), times[row["iteration"]]
        if row["counterpart"] == "rung" and cell in cycles:
            what = f"{cell[0]} -O0 and Bishop & Austin 2021, row {row['iteration']}"
            checks.append(check(cell[0], what, "Mcycles", time / 1e6, cycles[cell] / 1e6))
            if cell != first and first in cycles:
                factors = times["0"] / time, cycles[first] / cycles[cell]
                checks.append(check(cell[0], what, "x", *factors))
    return checks


def checks(rows: list[Row], instructions: Means) -> list[Check]:
    """All comparisons that rows of models.csv allow."""
    cycles = {
        (row["snapshot"], row["level"]): row["value"] / row["n"]
        for row in rows
        if (row["study"], row["case"], model_of(row)) == (LADDER, FULL, "cortex-a72")
    }
    return [*arm1176_checks(), *cortex_checks(cycles, instructions)]


def ranges(made: list[Check]) -> dict[tuple[str, str], Range]:
    """(model, kind) -> lowest and highest error of its cycles."""
    by_kind: dict[tuple[str, str], list[float]] = defaultdict(list)
    for check in made:
        if check.unit != "x":
            by_kind[check.model, check.kind].append(check.error)
    return {key: (min(values), max(values)) for key, values in by_kind.items()}


def known(rows: list[Row], instructions: Means) -> list[tuple[Row, Range]]:
    """The rows of models.csv whose error is known, each with its lowest and
    highest error; a model whose error is unknown is not shown."""
    errors = ranges(checks(rows, instructions))
    kinds = [(model_of(row), kind(model_of(row), row["snapshot"], row["study"])) for row in rows]
    return [(row, errors[key]) for row, key in zip(rows, kinds) if key in errors]


def known_in(results: Results) -> list[tuple[Row, Range]]:
    """The same of the ladder in a results folder.  The Cortex-A72 model is
    read from models.csv: the same on every machine."""
    made = by_count(results)
    return known(made + kept(results, made), instructions_of(results))


# --- what `make models` prints --------------------------------------------------------------------


def of_rungs(model: str, shown: list[tuple[Row, Range]]) -> list[str]:
    """A row for each rung and level: cycles a call of mont_mul and a round trip, and the error."""
    cell = {key_of(row): (row, error) for row, error in shown if model_of(row) == model}
    table = [["rung", "level", "mont_mul", "round trip", "error"]]
    places = dict.fromkeys((rung, level) for rung, level, _ in cell)
    for rung, level in sorted(places, key=lambda place: LEVELS.index(place[1])):
        had = [cell.get((rung, level, case)) for case in CASES]
        numbers = [whole(one[0]["value"] / one[0]["n"]) if one else NONE for one in had]
        errors = [percent(*one[1]) for one in had if one]
        table.append([rung, f"-{level}", *numbers, errors[0]])
    return aligned(table, (0, 1))


def validation(made: list[Check]) -> list[str]:
    """A row for each comparison with a measurement."""
    table = [["compared with", "quantity", "measured", "model", "error"]]
    for check in made:
        form = whole if check.measured >= 1000 else "{:.3g}".format
        numbers = [form(check.measured), form(check.modelled), f"{100 * check.error:+.1f} %"]
        table.append([check.what, check.unit, *numbers])
    return aligned(table, range(2))


def text(results: Results, rows: list[Row], why: str, width: int = 80) -> str:
    """What each model says of every rung, with its error beside it, and how
    it compares with what the sources measured; `why` says why the
    Cortex-A72 model is missing."""
    instructions = instructions_of(results)
    shown, every = known(rows, instructions), checks(rows, instructions)
    where = f"{results.label}: {results.platform}, {results.machine['compiler']}"
    parts = [f"Cycle models (model, not measured) of {where}"]
    had = [row for row, _ in shown]
    for model, name in MODELS.items():
        if model in map(model_of, had):
            parts += [f"{name} model, cycles:", "\n".join(of_rungs(model, shown))]
    parts.append(NOTE)
    for model, kind in dict.fromkeys((check.model, check.kind) for check in every):
        compared = [check for check in every if (check.model, check.kind) == (model, kind)]
        parts += [f"{MODELS[model]} model, {kind}:", "\n".join(validation(compared))]
    for model, board in AGAINST.items():
        hidden = [row["snapshot"] for row in rows if model_of(row) == model and row not in had]
        if hidden:
            name = f"the {MODELS[model]} model of {', '.join(dict.fromkeys(hidden))}"
            parts.append(f"Not shown: {name}: no source measured its like on a {board}.")
    if why:
        parts.append(f"Cortex-A72 model: not available here: {why}")
    lines = textwrap.TextWrapper(width, break_on_hyphens=False)
    return "\n\n".join(part if "\n" in part else lines.fill(part) for part in parts)
