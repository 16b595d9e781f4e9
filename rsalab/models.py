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
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product, starmap
from pathlib import Path
from typing import NamedTuple

from harness import cells, counts
from harness.counts import PENALTY, SIMULATED, arm1176
from records import ladder
from records.faults import Failure, run
from records.files import digest
from records.ladder import LADDER, LEVELS, Snapshot
from records.published import MAP, TABLE_1, read_csv
from records.results import FULL, Results
from records.rows import write_rows
from records.tables import NONE, aligned, percent, whole
from records.workload import MULTIPLICATION, TRIP_SMALL
from rsalab import openssl

MODELS = {"arm1176": "ARM1176", "cortex-a72": "Cortex-A72"}
AGAINST = {"arm1176": "Pi Zero, OpenSSL", "cortex-a72": "Pi 3 (Cortex-A53)"}
CASES = (MULTIPLICATION, FULL)
FILE = "models.csv"
LONG = ("multiplies_long", "multiplies_umaal")
METRIC = "model_cycles_"  # of models.csv, before the model's name
Block = tuple[int, ...]  # opcodes of A32, in order
Range = tuple[float, float]  # lowest and highest error

VERSIONS = ("", *(f"-{n}" for n in range(19, 13, -1)))
TRIPLE = "armv7a-linux-gnueabihf"
KEPT = Path("build/models")
LIMIT = 120  # seconds
FEW, MANY = 50, 150  # iterations of a block; the difference is its steady state


class Cell(NamedTuple):
    """A rung at a level in a case, which the models give cycles for."""

    rung: str
    level: str
    case: str


class Cycles(NamedTuple):
    """What a model gives for a cell: cycles in total over n operations."""

    model: str
    cell: Cell
    total: int
    n: int

    @property
    def each(self) -> float:
        """Cycles of one operation."""
        return self.total / self.n


def arm1176_of(counted: Mapping[str, float], penalty: int = PENALTY) -> float:
    """Cycles of an ARM1176 from metric -> number, which counts made before the simulation lack."""
    long = sum(counted[metric] for metric in LONG)
    return arm1176(counted["instructions"], long, counted.get(SIMULATED, 0), penalty)


def by_count(results: Results) -> list[Cycles]:
    """The ARM1176 model of every cell of the ladder that has its metrics."""
    made = []
    for cell in starmap(Cell, product([s.name for s in results.rungs()], LEVELS, CASES)):
        means, n = results.means(LADDER, *cell), results.trips(cell.case)
        if means.keys() >= {"instructions", *LONG}:
            made.append(Cycles("arm1176", cell, round(arm1176_of(means) * n), n))
    return made


def kept(results: Results, made: list[Cycles]) -> list[Cycles]:
    """What the folder keeps of the Cortex-A72 model, for each cell for which
    it keeps the same of the ARM1176 model as the counts say, `made`: the
    rest is of an earlier program."""
    rows = results.query("select * from models where study = ?", LADDER)
    old = [
        Cycles(
            row["metric"].removeprefix(METRIC),
            Cell(row["snapshot"], row["level"], row["case"]),
            row["value"],
            row["n"],
        )
        for row in rows
    ]
    same = {one.cell for one in set(old) & set(made)}
    return [one for one in old if one.model == "cortex-a72" and one.cell in same]


def modelled(results: Results) -> tuple[list[Cycles], str]:
    """What both models give for the ladder, and why the Cortex-A72 model is
    missing in it, if it is.

    Where the programs are not at hand, what the folder keeps serves.
    """
    made = by_count(results)
    try:
        return made + by_block(results), ""
    except Failure as fault:
        old = kept(results, made)
        return made + old, "" if old else str(fault)


def write(results: Results, made: list[Cycles]) -> None:
    """models.csv, without what has no known error."""
    small = {FULL: TRIP_SMALL} if results.small(LADDER) else {}
    rows = []
    for model, (rung, level, case), total, n in known(made, results):
        names = {"study": LADDER, "snapshot": rung, "level": level, "case": small.get(case, case)}
        what = {"metric": METRIC + model, "symbol": "total", "value": total, "unit": "cycles"}
        rows.append(names | what | {"n": n, "repeat": 0})
    write_rows(results.path(FILE), rows)


# --- blocks ---------------------------------------------------------------------------------------


def by_block(results: Results) -> list[Cycles]:
    """The Cortex-A72 model of every cell of the ladder whose program is still
    the one that was measured.  Raises Failure where there is none, or no
    llvm-mca."""
    tools()
    executed: dict[Cell, Counter[Block]] = {}
    for snapshot, level in product(results.rungs(), LEVELS):
        program = cells.Cell(snapshot, level, results.machine["messages"])
        measured = results.machine["programs"].get(program.label)
        if program.program.exists() and digest(program.program) == measured:
            for cell in (Cell(snapshot.name, level, case) for case in CASES):
                if means := results.means(LADDER, *cell):
                    total = round(means["instructions"] * results.trips(cell.case))
                    executed[cell] = run_blocks(program, cell.case, total)
    if not executed:
        raise Failure(f"no program under build/ is one of {results.label}; make all-iterations")
    of = block_cycles((block for made in executed.values() for block in made), "cortex-a72")
    totals = {cell: sum(of[b] * n for b, n in made.items()) for cell, made in executed.items()}
    return [
        Cycles("cortex-a72", cell, round(total), results.trips(cell.case))
        for cell, total in totals.items()
    ]


def run_blocks(cell: cells.Cell, case: str, total: int) -> Counter[Block]:
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
    known: dict[str, float] = cells.recall(path, cpu) or {}
    new = sorted(set(text.values()) - known.keys())
    if new:
        runs = zip(new, mca_cycles(new, cpu, FEW, mca), mca_cycles(new, cpu, MANY, mca))
        known |= {body: (many - few) / (MANY - FEW) for body, few, many in runs}
        cells.keep(path, cpu, known)
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


def kind(model: str, snapshot: Snapshot) -> str:
    """The kind of code that a rung is.  OpenSSL's assembly speaks for all
    assembly on an ARM1176; what was measured on a Pi 3 is bit-serial and
    multiplies no words, so code that does, and hence uses n0inv, is a kind
    of its own there."""
    texts = (path.read_text(encoding="utf-8") for path in snapshot.path.glob("*.[chS]"))
    if model == "cortex-a72" and any("n0inv" in text for text in texts):
        return WORD
    return ASSEMBLY if snapshot.has_assembly else C


def arm1176_checks() -> Iterator[Check]:
    """Every RSA operation that the OpenSSL source timed with OpenSSL's own code and we counted."""
    times = openssl.published()
    kinds = {openssl.THEIRS: ASSEMBLY, openssl.C: C}
    for (name, operation, bits), count in openssl.committed().items():
        if name in kinds:
            source = openssl.COLUMNS[name][3]
            pair = times[source, bits, operation] * openssl.CLOCK / 1e6, count.cycles / 1e6
            what = f"{source}, {operation}, {bits} bits"
            yield Check("arm1176", kinds[name], what, "Mcycles", *pair)


def cortex_checks(made: list[Cycles], results: Results) -> Iterator[Check]:
    """Cycles an instruction of Dirk's programs in C; cycles a round trip at
    -O0, and the factor against row 0, of Bishop and Austin's rows."""
    cycles = {one.cell: one.each for one in made if one.model == "cortex-a72"}
    first = cycles.get(Cell("v0", "O0", FULL))
    perf = {row["code being profiled"]: row for row in read_csv(PERF)}
    for name, (rung, level) in PROGRAMS.items():
        ours = cycles.get(Cell(rung, level, FULL))
        if ours and name != BY_HAND:
            theirs = float(perf["cycles"][name]) / float(perf["instructions"][name])
            ours /= results.means(LADDER, rung, level)["instructions"]
            what = f"{rung} -{level} and Dirk 2019, {name}"
            yield Check("cortex-a72", C, what, "per instr.", theirs, ours)
    times = {row["iteration"]: float(row["seconds"]) * PI_3 for row in read_csv(TABLE_1)}
    for row in (row for row in read_csv(MAP) if row["counterpart"] == "rung"):
        rung, time = row["ours"], times[row["iteration"]]
        if ours := cycles.get(Cell(rung, "O0", FULL)):
            of = kind("cortex-a72", ladder.find(rung))
            what = f"{rung} -O0 and Bishop & Austin 2021, row {row['iteration']}"
            yield Check("cortex-a72", of, what, "Mcycles", time / 1e6, ours / 1e6)
            if first and rung != "v0":
                yield Check("cortex-a72", of, what, "x", times["0"] / time, first / ours)


def checks(made: list[Cycles], results: Results) -> list[Check]:
    """All comparisons with a measurement that the models allow."""
    return [*arm1176_checks(), *cortex_checks(made, results)]


def ranges(made: Iterable[Check]) -> dict[tuple[str, str], Range]:
    """(model, kind) -> lowest and highest error of its cycles."""
    errors: dict[tuple[str, str], list[float]] = {}
    for check in made:
        if check.unit != "x":
            errors.setdefault((check.model, check.kind), []).append(check.error)
    return {key: (min(found), max(found)) for key, found in errors.items()}


def known(made: list[Cycles], results: Results) -> dict[Cycles, Range]:
    """What has a known error, with the lowest and the highest of its kind of
    code; a model whose error is unknown is not shown."""
    errors, rungs = ranges(checks(made, results)), {s.name: s for s in results.rungs()}
    of = {one: errors.get((one.model, kind(one.model, rungs[one.cell.rung]))) for one in made}
    return {one: found for one, found in of.items() if found}


def known_in(results: Results) -> dict[Cycles, Range]:
    """The same of the ladder in a results folder.  The Cortex-A72 model is
    read from models.csv: the same on every machine."""
    made = by_count(results)
    return known(made + kept(results, made), results)


# --- what `make models` prints --------------------------------------------------------------------


def of_rungs(model: str, shown: dict[Cycles, Range]) -> list[list[str]]:
    """A row for each rung and level: cycles a call of mont_mul and a round trip, and the error."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for one, error in shown.items():
        if one.model == model:
            row = rows.setdefault(one.cell[:2], {"error": percent(*error)})
            row[one.cell.case] = whole(one.each)
    table = [["rung", "level", "mont_mul", "round trip", "error"]]
    for rung, level in sorted(rows, key=lambda place: LEVELS.index(place[1])):
        texts = (rows[rung, level].get(column, NONE) for column in (*CASES, "error"))
        table.append([rung, f"-{level}", *texts])
    return table


def validation(made: list[Check]) -> list[list[str]]:
    """A row for each comparison with a measurement."""
    table = [["compared with", "quantity", "measured", "model", "error"]]
    for check in made:
        form = whole if check.measured >= 1000 else "{:.3g}".format
        numbers = [form(check.measured), form(check.modelled), f"{100 * check.error:+.1f} %"]
        table.append([check.what, check.unit, *numbers])
    return table


def text(results: Results, made: list[Cycles], why: str, width: int = 80) -> str:
    """What each model says of every rung, with its error beside it, and how
    it compares with what the sources measured; `why` says why the
    Cortex-A72 model is missing."""
    shown, every = known(made, results), checks(made, results)
    where = f"{results.label}: {results.platform}, {results.machine['compiler']}"
    parts = [f"Cycle models (model, not measured) of {where}"]
    for model, name in MODELS.items():
        table = of_rungs(model, shown)
        if len(table) > 1:
            parts += [f"{name} model, cycles:", "\n".join(aligned(table, (0, 1)))]
    parts.append(NOTE)
    for model, kind in dict.fromkeys((check.model, check.kind) for check in every):
        table = validation([check for check in every if (check.model, check.kind) == (model, kind)])
        parts += [f"{MODELS[model]} model, {kind}:", "\n".join(aligned(table, (0, 1)))]
    for model, board in AGAINST.items():
        hidden = [one.cell.rung for one in made if one.model == model and one not in shown]
        if hidden:
            name = f"the {MODELS[model]} model of {', '.join(dict.fromkeys(hidden))}"
            parts.append(f"Not shown: {name}: no source measured its like on a {board}.")
    if why:
        parts.append(f"Cortex-A72 model: not available here: {why}")
    lines = textwrap.TextWrapper(width, break_on_hyphens=False)
    return "\n\n".join(part if "\n" in part else lines.fill(part) for part in parts)
