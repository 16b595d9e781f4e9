"""Units for a processor on both cores: kernels in C with and without their instructions, in cycles.

`units.py FOLDER` runs the kernels that the Makefile has built, compares every result with Python's,
and writes FOLDER/core-NAME/units.csv; then it says what of FOLDER is as in results/.  A kernel is a
mont_mul, with power.c a mod_exp, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cores import BUILD, CORES, FOLDERS, SHIFTS, compare, simulate

from harness import operands
from harness.kinds import Stream
from records.commands import command
from records.rows import Row, write_rows

# Kernel -> the unit that it calls; the first of each group has none.
ONE = {"one": "", "one-words": "", "one-step": "mmm_1", "one-loop": "mmm_1"}
LONG = {
    "serial": "",
    "serial-carry": "carry",
    "words": "",
    "words-mac": "multiply_add",
    "engine": "engine",
}
# Pairs of instructions, 64 of them (probe.S).
PAIRS = [
    "add, its use",
    "load, add",
    "load, its use",
    "mul, add",
    "mul, its use",
    "store, load of it",
    "add, branch not taken",
    "add, branch taken",
    "unit, add",
    "unit, its use",
]
PROBES = {f"probe-{number}": "" for number in range(len(PAIRS))}
WIDTHS = {
    32: ONE | PROBES,
    64: LONG,
    96: LONG,
    128: LONG,
}
PRODUCTS = 20


def products(width: int) -> list[operands.Call]:
    """Return products whose moduli have the full width; at 32 bits out of the domain, as MMM_1
    goes."""
    draw = Stream(f"units {width}")
    calls = []
    for _ in range(PRODUCTS):
        n = draw.odd(width)
        x = draw.below(n)
        y = 1 if width == 32 else draw.below(n)
        calls.append(operands.product(n, x, y, width))
    return calls


def nothing() -> list[operands.Call]:
    """Return products that are 0, as the probes say."""
    return [operands.product(3, 0, 0, 32)] * PRODUCTS


def round_trip(width: int) -> list[operands.Call]:
    """Return the calls of one message with the full key of this width."""
    folder = Path(f"data/inputs/width-{width}/key-full")
    messages = folder / "strings.txt"
    if not messages.is_file():
        messages = folder / "integers.txt"
    return operands.calls(
        ["roundtrip", str(folder / "key.txt"), "-n", "1", str(messages)]
    )


def best_row(
    core: str, kernel: str, width: int, operation: str, calls: Sequence[operands.Call]
) -> Row:
    """Return what a kernel takes in the layout that takes least cycles, but for n."""
    runs = []
    for shift in SHIFTS:
        program = BUILD / f"units/{width}/{kernel}/{shift}.bin"
        runs.append(simulate(core, program, calls, width))
    best = min(runs, key=lambda run: run.cycles)
    return {
        "core": core,
        "unit": WIDTHS[width][kernel],
        "kernel": kernel,
        "width": width,
        "operation": operation,
        "instructions": best.instructions,
        "cycles": best.cycles,
    }


def measured(core: str) -> Iterator[Row]:
    """Yield the rows of a core."""
    for width, kernels in WIDTHS.items():
        for kernel in kernels:
            calls = nothing() if kernel in PROBES else products(width)
            yield {**best_row(core, kernel, width, "mont_mul", calls), "n": PRODUCTS}
            if width > 32:
                trip = round_trip(width)
                yield {**best_row(core, kernel, width, "roundtrip", trip), "n": 1}


def main(out: Path) -> None:
    """Measure on both cores.  Raises Failure and OSError."""
    with ThreadPoolExecutor(len(CORES)) as pool:
        every = pool.map(lambda core: list(measured(core)), CORES)
        for folder, found in zip(FOLDERS, every):
            write_rows(out / folder / "units.csv", found)
    compare(out)


if __name__ == "__main__":
    sys.exit(command("units", main))
