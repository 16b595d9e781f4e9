"""Units for a processor on both cores: kernels in C with and without their instructions, in cycles.

`units.py FOLDER` runs the kernels that the Makefile has built, compares every result with Python's,
and writes FOLDER/core-NAME/units.csv; then it says what of FOLDER is as in results/.  A kernel is a
mont_mul, with power.c a mod_exp, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from cores import BUILD, FOLDERS, SHIFTS, compare, simulate

from harness import operands
from harness.kinds import Stream
from records.commands import command
from records.ladder import ROOT
from records.rows import Row, read_rows, write_rows

# Kernel -> the unit that it calls; the first of each group has none.
ONE = {"one": "", "one-words": "", "one-step": "mmm_1", "one-loop": "mmm_1"}
LONG = {"serial": "", "serial-carry": "carry", "words": "", "words-mac": "multiply_add"}
LONG["engine"] = "engine"
# Pairs of instructions, 64 of them (probe.S).
PAIRS = [
    *("add, its use", "load, add", "load, its use", "mul, add", "mul, its use"),
    *(
        "store, load of it",
        "add, branch not taken",
        "add, branch taken",
        "unit, add",
        "unit, its use",
    ),
]
PROBES = {f"probe-{number}": "" for number in range(len(PAIRS))}
WIDTHS = {32: ONE | PROBES, 64: LONG, 96: LONG, 128: LONG}
PRODUCTS = 20
CORES = [main for main, _ in FOLDERS.values()]


def products(width: int) -> list[operands.Call]:
    """Moduli of the full width; at 32 bits out of the domain, as MMM_1 goes."""
    draw, calls = Stream(f"units {width}"), []
    for _ in range(PRODUCTS):
        n = draw.odd(width)
        calls.append(operands.product(n, draw.below(n), 1 if width == 32 else draw.below(n), width))
    return calls


def nothing() -> list[operands.Call]:
    """Products that are 0, as the probes say."""
    return [operands.product(3, 0, 0, 32)] * PRODUCTS


def round_trip(width: int) -> list[operands.Call]:
    """One message with the full key of this width."""
    folder = Path(f"data/inputs/width-{width}/key-full")
    messages = next(
        folder / name for name in ("strings.txt", "integers.txt") if (folder / name).is_file()
    )
    return operands.calls(["roundtrip", str(folder / "key.txt"), "-n", "1", str(messages)])


def measured(core: str) -> Iterator[Row]:
    """The rows of a core: of the layout that takes least cycles."""
    for width, kernels in WIDTHS.items():
        for kernel, unit in kernels.items():
            drawn = nothing() if kernel in PROBES else products(width)
            todo = {"mont_mul": (drawn, PRODUCTS)}
            if width > 32:
                todo["roundtrip"] = round_trip(width), 1
            for operation, (calls, n) in todo.items():
                programs = (BUILD / f"units/{width}/{kernel}/{shift}.bin" for shift in SHIFTS)
                runs = [simulate(core, program, calls, width) for program in programs]
                best = min(runs, key=lambda run: run.cycles)
                yield {
                    "core": core, "unit": unit, "kernel": kernel, "width": width,
                    "operation": operation, "n": n,
                    "instructions": best.instructions, "cycles": best.cycles,
                }  # fmt: skip


def read(root: Path) -> dict[tuple[str, int, str], float]:
    """Cycles of a product by kernel, width and core."""
    return {
        (row["kernel"], row["width"], row["core"]): row["cycles"] / row["n"]
        for folder in FOLDERS
        for row in read_rows(root / "results" / folder / "units.csv")
        if row["operation"] == "mont_mul"
    }


def pairs(root: Path = ROOT) -> str:
    """Clocks of each pair, as Markdown: a row a core."""
    cycles, lines = read(root), ["| | " + " | ".join(PAIRS) + " |", "|---|" + "--:|" * len(PAIRS)]
    for core in CORES:  # the call and its return are less than 64 clocks
        each = (f"{cycles[kernel, 32, core] // 64:.0f}" for kernel in PROBES)
        lines.append(f"| {core} | " + " | ".join(each) + " |")
    return "\n".join(lines)


def table(root: Path = ROOT) -> str:
    """Cycles of a product, PicoRV32 / VexRiscv, as Markdown: a row a kernel, a column a width."""
    cycles = read(root)
    lines = ["| kernel | unit | " + " | ".join(map(str, WIDTHS)) + " |", "|---|---|" + "--:|" * 4]
    for kernel, unit in {**ONE, **LONG}.items():
        each = [[cycles.get((kernel, width, core)) for core in CORES] for width in WIDTHS]
        cells = (" / ".join(f"{n:,.0f}" for n in pair if n) for pair in each)
        lines.append(f"| {kernel} | {unit} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def rates(root: Path = ROOT) -> str:
    """MHz of PicoRV32 on an ECP5, alone and with a unit: the median of the seeds and the range."""
    found: dict[str, list[float]] = {}
    for line in (root / "results/hardware/rates.csv").read_text().split()[1:]:
        found.setdefault(line.split(",")[0], []).append(float(line.split(",")[2]))
    texts = (f"{median(f):.1f} ({min(f):.1f} to {max(f):.1f}; {len(f)})" for f in found.values())
    lines = map("| {} | {} |".format, found, texts)
    return "\n".join(["| unit | MHz (range; seeds) |", "|---|--:|", *lines])


def main(place: Path) -> None:
    """Measure on both cores.  Raises Failure and OSError."""
    with ThreadPoolExecutor(len(CORES)) as pool:
        for folder, found in zip(FOLDERS, pool.map(lambda core: [*measured(core)], CORES)):
            write_rows(place / folder / "units.csv", found)
    compare(place)


if __name__ == "__main__":
    sys.exit(command("units", main))
