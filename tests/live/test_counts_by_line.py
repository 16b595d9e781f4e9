"""The counts beside the lines of the live page are those of lines.csv: the page's own texts, by its own
assembler, in its own interpreter, on the round trips that lines.csv is counted on.

The sum of lines.csv is over 100 messages, encrypted and decrypted; the page shows the mean of
vectors instead.  Both are sums over the same array `executed`, word by word: what is compared here
is that array.
"""

import ctypes
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from live_assembler import Assembler
from live_machine import CODE, PC, RETURN_TO, RETURNED, Interpreter, compiled
from needs import needs

from harness import operands
from harness.operands import Call
from records import ladder
from records.ladder import LEVELS, ROOT, Snapshot
from records.results import load, reference
from records.workloads import KEYS, TRIP_FULL, trips
from rsalab.live import page

pytestmark = needs("arm-linux-gnueabihf-gcc", "gcc")
REST, STACK = 0x40000, 0x80000  # as in rsalab/live/machine.js
Z, X, Y, MODULUS = 0x63000, 0x60000, 0x61000, 0x62000
LR, SP = 14, 13
BILLION = 1_000_000_000
QUICK = 0.02 * BILLION  # instructions of a cell that every test run can afford
Lines = Counter[tuple[str, int]]  # (file, line) -> instructions


def recorded(rung: str, level: str) -> Lines:
    """Return the instructions of each line of a cell."""
    found: Lines = Counter()
    query = """
        select file, line, sum(instructions) from lines
        where study = 'iterations' and snapshot = ? and level = ? group by file, line"""
    for file, line, instructions in load(reference()).db.execute(query, (rung, level)):
        found[file, line] = instructions
    return found


class Loaded:
    """The program of a cell in the interpreter."""

    def __init__(self, assembler: Assembler, folder: Path, rung: Snapshot, level: str):
        self.machine = Interpreter(compiled(folder, level="-O2"))
        self.words: dict[int, tuple[str, int]] = {}  # address -> file and line
        cell = page.cell(rung, level)
        text = self.part(assembler, cell["text"], CODE, {})
        rest = self.part(assembler, cell["rest"], REST, text)
        self.entry = (rest or text)["mod_exp"]

    def part(
        self, assembler: Assembler, text: str, origin: int, known: dict[str, int]
    ) -> dict[str, int]:
        """Assemble a part, put it into memory and return its symbols."""
        made: dict[str, Any] = assembler.assemble(text, known, origin)
        assert made["errors"] == []
        code: bytes = made["code"]
        self.machine.memory[origin : origin + len(code)] = code
        for word, line in enumerate(made["lines"]):
            of_c = made["cLines"][word].rpartition(":")
            by_hand = ("mont.S", line)
            place = (of_c[0], int(of_c[2])) if int(of_c[2]) else by_hand
            self.words[origin + 4 * word] = place
        symbols: dict[str, int] = made["symbols"]
        return symbols

    def call(self, call: Call) -> int:
        """Return the result of a power."""
        core, memory = self.machine.core, self.machine.memory
        size = 16
        memory[X : X + size] = call.x.to_bytes(size, "little")
        memory[Y : Y + size] = call.y.to_bytes(size, "little")
        modulus = call.modulus(size)
        memory[MODULUS : MODULUS + len(modulus)] = modulus
        core[:4] = [Z, X, Y, MODULUS]
        core[SP], core[LR], core[PC] = STACK, RETURN_TO, self.entry
        assert self.machine.library.run(ctypes.c_uint32(0xFFFFFFFF)) == RETURNED
        return int.from_bytes(bytes(memory[Z : Z + size]), "little")

    def counted(self, calls: Iterable[Call]) -> Lines:
        """Return the instructions of each line, after results that are right."""
        found: Lines = Counter()
        executed = self.machine.executed
        for call in calls:
            assert self.call(call) == call.z
            for address, place in self.words.items():
                found[place] += executed[address // 4]
                executed[address // 4] = 0
        return +found


def cells() -> list[Any]:
    """Return every cell; those of many instructions are for `make test-long`."""
    found = []
    for rung in ladder.snapshots():
        for level in LEVELS:
            total = sum(recorded(rung.name, level).values())
            marks = [] if total < QUICK else [pytest.mark.long]
            name = f"{rung.name}-{level}"
            found.append(pytest.param(rung, level, marks=marks, id=name))
    return found


@pytest.mark.parametrize(("rung", "level"), cells())
def test_counts_are_those_of_lines_csv(
    assembler: Assembler, tmp_path: Path, rung: Snapshot, level: str
) -> None:
    built = (ROOT / "build/flags").read_text(encoding="utf-8").splitlines()[0]
    if built != load(reference()).machine["compiler"]:
        pytest.skip("another compiler than the reference's")
    folder = ROOT / "data/inputs/width-128" / KEYS[TRIP_FULL]
    task = trips(TRIP_FULL, folder, "default")
    program = Loaded(assembler, tmp_path, rung, level)
    assert program.counted(operands.calls(task.arguments)) == recorded(rung.name, level)


def test_no_instruction_is_of_a_header_of_the_compiler() -> None:
    """Code of arm_neon.h has the line of the snapshot that asks for it."""
    for level in LEVELS:
        text = page.cell(ladder.find("v3"), level)["text"]
        names = dict(re.findall(r'\t\.file (\d+) "(.*)"', text))
        used = re.findall(r"\t\.loc (\d+) .*\n(?=\t[a-z])", text)
        assert used and not [file for file in used if names[file].startswith("/")]
