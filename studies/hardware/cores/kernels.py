"""Units for a processor on both cores: kernels in C with and without their instructions, in cycles.

`kernels.py FOLDER` runs the kernels that the Makefile has built, compares every result with Python's,
and adds them to FOLDER/core-NAME/cycles.csv; then it says what of FOLDER is as in results/.  A kernel is a
mont_mul, with power.c a mod_exp, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import operands
from harness.kinds import Stream
from records.commands import command
from records.ladder import ROOT
from records.machine import compiler_name
from records.rows import Row, number, read_rows, write_rows
from records.typed import read_table
from records.workloads import MULTIPLICATION
from studies.hardware.cores.cores import (
    BUILD,
    CORES,
    FILE,
    SHIFTS,
    compare,
    compiler,
    folder_of,
    simulate,
)

KERNELS = read_table(ROOT / "studies/hardware/cores/kernels.csv")
LEVEL = "O3"  # of every kernel
PROBE = "probe-"  # a kernel of 64 equal pairs of instructions (probe.S)
WIDTHS = (32, 64, 96, 128)
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


def best_rows(
    core: str, kernel: str, width: int, operation: str, calls: Sequence[operands.Call]
) -> list[Row]:
    """Return what a kernel takes in the layout that takes least cycles."""
    runs = []
    for shift in SHIFTS:
        program = BUILD / f"units/{width}/{kernel}/{shift}.bin"
        runs.append(simulate(core, program, calls, width))
    best = min(runs, key=lambda run: run.cycles)
    cell = {
        "study": "units",
        "snapshot": kernel,
        "level": LEVEL,
        "compiler": compiler_name(compiler()),
        "workload": f"{operation}-{width}",
        "n": PRODUCTS if operation == MULTIPLICATION else 1,
    }
    return [
        number("instructions", best.instructions, **cell),
        number("cycles", best.cycles, **cell),
    ]


def measured(core: str) -> Iterator[Row]:
    """Yield the rows of a core."""
    for width in WIDTHS:
        for about in KERNELS:
            kernel = about["kernel"]
            if str(width) not in about["bits"].split():
                continue
            calls = nothing() if kernel.startswith(PROBE) else products(width)
            yield from best_rows(core, kernel, width, MULTIPLICATION, calls)
            if width > 32:
                trip = round_trip(width)
                yield from best_rows(core, kernel, width, "roundtrip", trip)


def main(out: Path) -> None:
    """Measure on both cores, beside the rungs.  Raises Failure and OSError."""
    with ThreadPoolExecutor(len(CORES)) as pool:
        every = pool.map(lambda core: list(measured(core)), CORES)
        for core, found in zip(CORES, every):
            path = out / folder_of(core) / FILE
            write_rows(path, [*read_rows(path), *found])
    compare(out)


if __name__ == "__main__":
    sys.exit(command("units", main))
