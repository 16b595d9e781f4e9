"""Cycles of products and squares in one lane and in two, by LLVM's model of a core.

`python3 -m studies.width-1024.lanes_cycles` runs each function once in Unicorn and
gives the instructions that were executed, in their order, to llvm-mca.  They are those of a whole
call, loops and all, so that the model's queues are as full as they would be.  The model finds every
load in the cache, foresees every branch and takes no two addresses for the same; nobody has held it
against a measurement of such code.  `--record` writes lanes/modelled.csv and README.md's table.
"""

import random
import re
import sys
from collections.abc import Callable, Iterator

import capstone

from harness.unicorn import HOOK_CODE, READ, WRITE
from records.commands import command
from records.faults import first_line, run
from records.tables import Table, fitted, terminal_columns

from . import lanes_page
from .lanes_counts import BUILT, MODULUS, Program, X, Y, Z, nat_modulus, to_limbs
from .pairs import STEPS

BITS = 1024  # of p and q
LIMBS = BITS // 32
# llvm-mca refuses some of these instructions with its model of a Cortex-A9, and has none of an A7, A8 or A15.
CORE = "cortex-a57"
MODEL = [
    "llvm-mca",
    "--mtriple=armv7a-linux-gnueabihf",
    f"--mcpu={CORE}",
    "--iterations=1",
]
CYCLES = re.compile(r"^Total Cycles: +(\d+)$", re.MULTILINE)
# llvm-mca assumes 100 cycles for each of these; foreseen, they take none.
CALL_OR_RETURN = ("bl", "blx", "bx")
BRANCH = re.compile(r"^(b\w*) #0x[0-9a-f]+$")

DECODER = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM)


def executed(program: Program, call: Callable[[], object]) -> list[str]:
    """Return the instructions of a call, in the order in which they were executed."""
    found = []

    def note(_engine: object, address: int, size: int, _data: object) -> None:
        code = program.get(address, size)
        instruction = next(DECODER.disasm(code, address))
        found.append(f"{instruction.mnemonic} {instruction.op_str}")

    hook = program.engine.uc.hook_add(HOOK_CODE, note)
    call()
    program.engine.uc.hook_del(hook)
    return found


def modelled(instructions: list[str]) -> int:
    """Return their cycles by LLVM's model.  Raises Failure and FileNotFoundError."""
    lines = []
    for instruction in instructions:
        name = instruction.partition(" ")[0]
        if name not in CALL_OR_RETURN:
            lines.append(BRANCH.sub(r"\1 #0", instruction))
    report = run(MODEL, input="\n".join(lines))
    found = CYCLES.search(report)
    assert found
    return int(found[1])


def one_lane(program: Program, n: int, x: int, y: int | None) -> None:
    """Make a product or, without y, a square of one number, by `umaal`.  Raises Failure."""
    size = 4 * LIMBS
    modulus = nat_modulus(n, LIMBS)
    program.put(MODULUS, modulus)
    program.put(X, to_limbs(x, LIMBS))
    allowed = [
        (Z, Z + size, READ | WRITE),
        (X, X + size, READ),
        (Y, Y + size, READ),
        (MODULUS, MODULUS + len(modulus), READ),
    ]
    if y is None:
        program.traced_call("mont_sqr", allowed, Z, X, MODULUS)
    else:
        program.put(Y, to_limbs(y, LIMBS))
        program.traced_call("mont_mul", allowed, Z, X, Y, MODULUS)


def calls(program: Program) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """Yield the way, the operation and a call of it with random operands."""
    draw = random.Random(1)
    n = draw.getrandbits(BITS) | 1 << (BITS - 1) | 1
    x = draw.randrange(n)
    y = draw.randrange(n)
    step = next(step for step in STEPS if step.square and BITS in step.sizes)
    pair_n = (n, n)
    pair_x = (x, x)
    pair_y = (y, y)
    yield "one lane", "product", lambda: one_lane(program, n, x, y)
    yield "one lane", "square", lambda: one_lane(program, n, x, None)
    yield (
        "two lanes",
        "product",
        lambda: program.product(step, pair_n, pair_x, pair_y, "none"),
    )
    yield (
        "two lanes",
        "square",
        lambda: program.product(step, pair_n, pair_x, None, "none"),
    )


def rows() -> list[list[str]]:
    """Return the rows of modelled.csv.  Raises Failure and OSError."""
    program = Program(BUILT / "O3" / "private")
    version = first_line("llvm-mca", "--version")
    found = [["lanes", "operation", "instructions", "cycles", "core", "model"]]
    for way, operation, call in calls(program):
        instructions = executed(program, call)
        cycles = modelled(instructions)
        found.append(
            [way, operation, str(len(instructions)), str(cycles), CORE, version]
        )
    return found


def main(record: bool = False) -> None:
    """Model and print.  Raises Failure and OSError."""
    head, *lines = rows()
    print("\n".join(fitted(Table(head, lines), terminal_columns())))
    if record:
        lanes_page.write(lanes_page.MODELLED, [head, *lines])


if __name__ == "__main__":
    sys.exit(command("lanes-cycles", main))
