"""The cycles of the Cortex-M4 once more, by another program: every instruction that is executed, one
after the other, gets the cycles that ARM DDI 0439, table 3-1, states.  objdump says what it is."""

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hangs import HANGS
from needs import needs, require
from representatives import mostly_long

from harness import operands
from harness.unicorn import HOOK_CODE
from records import ladder, workloads
from records.faults import run
from records.ladder import ROOT
from records.rows import read_rows
from studies.hardware.cores import pages

M4 = ROOT / pages.HERE / "cortex_m4"
REFILL_CYCLES = 2
NO_RESULT = ("cmp", "cmn", "tst", "teq", "it", "b", "cb", "str", "stm", "push", "nop")
CELLS = [
    "iterations/v7/O1",
    "iterations/v7/O3",
    "iterations/v8/O0",
    "iterations/v8/O1",
    "iterations/v8/O3",
    "studies/limit/bounded/O1",
    "studies/limit/window/O1",
    "studies/limit/width-64/O1",
    "studies/limit/width-96/O1",
]


class Written(NamedTuple):
    """An instruction as objdump writes it."""

    name: str
    operands: str
    bytes: int

    @property
    def address(self) -> set[str]:
        """The registers that the address of a load or store depends on; of push and pop none: the
        manual does not say whether they wait for the stack pointer."""
        if self.operands.startswith("sp!"):
            return set()
        if self.name.startswith(("ldm", "stm")):
            return set(registers(self.operands)[:1])
        memory = re.search(r"\[(.*?)\]", self.operands)
        return set(registers(memory[1])) if memory else set()

    @property
    def results(self) -> set[str]:
        """The registers that it computes or loads."""
        if self.name.startswith(NO_RESULT):
            return set()
        most = 2 if self.name.startswith(("umull", "umlal", "umaal")) else 1
        return set(registers(self.operands)[:most])

    @property
    def is_load(self) -> bool:
        """Whether it loads one register and leaves its base alone."""
        writes_back = "!" in self.operands or "], " in self.operands
        return self.name.startswith("ldr") and "ldrd" != self.name and not writes_back

    @property
    def is_access(self) -> bool:
        """Whether it loads or stores."""
        return self.name.startswith(("ldr", "str", "ldm", "stm", "push", "pop"))

    def cycles(self, before: "Written | None") -> int:
        """Return its cycles behind another instruction, without a refill."""
        waits = before is not None and bool(before.results & self.address)
        if self.name.startswith(("ldm", "stm", "push", "pop")):
            cycles = 1 + self.operands.partition("{")[2].count(",") + 1
        elif self.name.startswith(("ldrd", "strd")):
            cycles = 1 + 2
        elif self.name.startswith("ldr"):
            follows = before is not None and before.is_load and not waits
            cycles = 1 if follows and self.is_load else 2
        else:
            cycles = 1
        if waits and before is not None and not before.is_access:
            cycles += 1
        return cycles


def registers(text: str) -> list[str]:
    return re.findall(r"\b(?:r\d+|sl|fp|ip|sp|lr|pc)\b", text)


@cache
def listing(program: Path) -> dict[int, Written]:
    """Return the instructions of a program by address."""
    text = run(["arm-linux-gnueabihf-objdump", "-d", program])
    found = {}
    for line in re.findall(r"^ +([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)\t?(.*)", text, re.M):
        address, code, name, rest = line
        size = len(code.replace(" ", "")) // 2
        without_comment = re.sub(r"\s*[@;].*", "", rest)
        found[int(address, 16)] = Written(name, without_comment, size)
    return found


def with_skipped(code: dict[int, Written], executed: list[int]) -> list[int]:
    """Return the addresses and those of conditional instructions that were skipped: the model, too,
    counts them in full."""
    conditional = set()
    for address, instruction in code.items():
        if instruction.name.startswith("it"):
            following = [other for other in code if other > address]
            conditional |= set(following[: len(instruction.name) - 1])
    found = []
    for address, then in zip(executed, [*executed[1:], -1]):
        found.append(address)
        skipped = address + code[address].bytes
        while skipped != then and skipped in conditional:
            found.append(skipped)
            skipped += code[skipped].bytes
    return found


def counted(program: Path, executed: list[int]) -> int:
    """Return the cycles of a call that executes these addresses."""
    code = listing(program)
    addresses = with_skipped(code, executed)
    total = 0
    before = None
    for address, following in zip(addresses, [*addresses[1:], -1]):
        instruction = code[address]
        total += instruction.cycles(before)
        before = instruction
        if following != address + instruction.bytes:
            total += REFILL_CYCLES
    return total


@needs("python:capstone", "python:unicorn", "arm-linux-gnueabihf-gcc")
@pytest.mark.parametrize("cell", mostly_long(CELLS, ["iterations/v8/O1"]))
def test_each_instruction_takes_what_the_manual_says(cell: str) -> None:
    """All products of the workload, each instruction of them."""
    from studies.hardware.cores.cortex_m4 import core, measure

    if "v7" in cell:  # another compiler makes other code of C
        require("compiler of the reference")
    program = Path(f"build/cores/m4/{cell}.elf")
    targets = [ROOT / program, ROOT / core.BLOCKS]
    names = [f"../../../../{path.relative_to(ROOT)}" for path in targets]
    run(["make", "-C", M4, *names], timeout=HANGS)
    study, name, level = cell.removeprefix("studies/").split("/")
    rung = ladder.find(name, study)
    task = workloads.runs(Path(f"data/inputs/width-{rung.width}"), "small")[0]
    machine = core.Core(program)
    executed: list[int] = []

    def look(_engine: Any, address: int, _size: int, _data: Any) -> None:
        executed.append(address)

    machine.uc.hook_add(HOOK_CODE, look)
    total = 0
    for call in operands.calls(task.arguments):
        measure.perform(machine, call, rung.width // 8)
        total += counted(program, executed)
        executed.clear()
    (row,) = [
        row
        for row in read_rows(ROOT / "results/core-cortex-m4/cycles.csv")
        if (row["study"], row["snapshot"], row["level"]) == (study, name, level)
        and (row["workload"], row["metric"]) == (task.workload, "cycles")
    ]
    assert total == row["value"]
