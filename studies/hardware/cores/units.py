"""Units for a processor on both cores: kernels in C with and without their instructions, in cycles.

`units.py FOLDER` runs the kernels that the Makefile has built, compares every result with Python's,
and writes FOLDER/core-NAME/units.csv.  A kernel is a mont_mul, with power.c a mod_exp, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cores import BUILD, FOLDERS, SHIFTS, simulate

from harness import operands
from harness.kinds import Stream
from records.faults import Failure, command_line
from records.ladder import ROOT
from records.rows import Row, read_rows, write_rows

# Kernel -> the unit that it calls; the first of each group has none.
ONE = {"one": "", "one-words": "", "one-step": "mmm_1", "one-loop": "mmm_1"}
LONG = {"serial": "", "serial-carry": "carry", "words": "", "words-mac": "multiply_add"}
LONG["engine"] = "engine"
WIDTHS = {32: ONE, 64: LONG, 96: LONG, 128: LONG}
PRODUCTS = 20


def products(width: int) -> list[operands.Call]:
    """Moduli of the full width; at 32 bits out of the domain, as MMM_1 goes."""
    draw, calls = Stream(f"units {width}"), []
    for _ in range(PRODUCTS):
        n = draw.odd(width)
        calls.append(operands.product(n, draw.below(n), 1 if width == 32 else draw.below(n), width))
    return calls


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
        todo = {"mont_mul": (products(width), PRODUCTS)}
        if width > 32:
            todo["roundtrip"] = round_trip(width), 1
        for kernel, unit in kernels.items():
            for operation, (calls, n) in todo.items():
                programs = (BUILD / f"units/{width}/{kernel}/{shift}.bin" for shift in SHIFTS)
                runs = [simulate(core, program, calls, width) for program in programs]
                best = min(runs, key=lambda run: run.cycles)
                yield {
                    "core": core, "unit": unit, "kernel": kernel, "width": width,
                    "operation": operation, "n": n,
                    "instructions": best.instructions, "cycles": best.cycles,
                }  # fmt: skip


def table(root: Path = ROOT) -> str:
    """Cycles of a product, PicoRV32 / VexRiscv, as Markdown: a row a kernel, a column a width."""
    cycles = {
        (row["kernel"], row["width"], row["core"]): round(row["cycles"] / row["n"])
        for folder in FOLDERS
        for row in read_rows(root / "results" / folder / "units.csv")
        if row["operation"] == "mont_mul"
    }
    cores = [main for main, _ in FOLDERS.values()]
    lines = ["| kernel | unit | " + " | ".join(map(str, WIDTHS)) + " |", "|---|---|" + "--:|" * 4]
    for kernel, unit in {**ONE, **LONG}.items():
        each = [[cycles.get((kernel, width, core)) for core in cores] for width in WIDTHS]
        cells = (" / ".join(f"{n:,}" for n in pair if n) for pair in each)
        lines.append(f"| {kernel} | {unit} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure on both cores.  Raises Failure and OSError."""
    if len(sys.argv) != 2:
        raise Failure("usage: units.py FOLDER")
    cores = [main for main, _ in FOLDERS.values()]
    with ThreadPoolExecutor(len(cores)) as pool:
        for folder, found in zip(FOLDERS, pool.map(lambda core: [*measured(core)], cores)):
            write_rows(Path(sys.argv[1]) / folder / "units.csv", found)


if __name__ == "__main__":
    sys.exit(command_line("units", main))
