"""A Cortex-M4 that executes functions of a program, and the cycles that the model gives them.

Unicorn executes; blocks.c counts how often each basic block is entered and how
often a jump leaves it; timing.py says what a block takes.
"""

import ctypes
from collections.abc import Iterable
from ctypes import byref, c_uint32, c_uint64
from pathlib import Path
from typing import NamedTuple

from harness.elf import read_elf
from harness.unicorn import EXECUTE, READ, Engine
from records.faults import Failure
from studies.hardware.cores.cortex_m4.timing import REFILL_CYCLES, block_cycles, decoded

BLOCKS = Path("build/cores/blocks.so")
SLOTS = 4096  # as blocks.c has it
THUMB_M_CLASS = 1 << 4 | 1 << 5
CPU_CORTEX_M4 = 11
CODE = 0x0  # where programs are
CODE_SIZE = 0x400000
RAM = 0x20000000
RAM_SIZE = 0x100000
STACK_TOP = RAM + RAM_SIZE - 0x1000


class Block(ctypes.Structure):
    """`struct block` of blocks.c."""

    _fields_ = [
        ("address", c_uint32),
        ("size", c_uint32),
        ("executions", c_uint64),
        ("jumps", c_uint64),
    ]


class Blocks(ctypes.Structure):
    """`struct blocks` of blocks.c."""

    _fields_ = [("slot", Block * (SLOTS + 1)), ("last", c_uint32), ("lost", c_uint32)]


class Spent(NamedTuple):
    """What calls took: exact instructions, and cycles by the model."""

    instructions: int
    cycles: int


class Core:
    """A Cortex-M4 with a program in memory.  Raises Failure."""

    def __init__(self, program: Path) -> None:
        self.c = ctypes.CDLL(str(BLOCKS.resolve()))
        self.elf = read_elf(program)
        self.engine = Engine(THUMB_M_CLASS, CPU_CORTEX_M4)
        self.engine.map(CODE, CODE_SIZE, READ | EXECUTE)
        self.engine.map(RAM, RAM_SIZE)
        self.uc = self.engine.uc
        for segment in self.elf.segments:
            self.uc.mem_write(segment.start, segment.data)
        self.blocks = Blocks()
        if self.c.blocks_attach(self.uc._uch, byref(self.blocks)):
            raise Failure("Unicorn cannot call back")
        self.block_costs: dict[tuple[int, int], tuple[int, int]] = {}
        self.forget()

    def forget(self) -> None:
        """Forget what was counted."""
        self.c.blocks_forget(byref(self.blocks))

    def call(
        self, function: str, arguments: Iterable[int] = (), stacked: bytes = b""
    ) -> int:
        """Call a function with words in r0, r1, ... and more on the stack; return r0.

        Raises Failure where the call does not come back.
        """
        self.uc.mem_write(STACK_TOP, stacked)
        entry = self.elf.entry(function) | 1
        try:
            result = self.engine.call(entry, STACK_TOP, *arguments)
        except Failure as fault:
            raise Failure(f"{function}: {fault}") from None
        self.c.blocks_returned(byref(self.blocks))
        return result

    def spent(self, refill: int = REFILL_CYCLES) -> Spent:
        """Return what was executed since forget().  Raises Failure."""
        if self.blocks.lost:
            raise Failure(f"more than {SLOTS} basic blocks")
        instructions = cycles = 0
        for block in self.blocks.slot:
            if block.size:
                count, each = self.block(block.address, block.size)
                instructions += count * block.executions
                cycles += each * block.executions + refill * block.jumps
        return Spent(instructions, cycles)

    def block(self, address: int, size: int) -> tuple[int, int]:
        """Return the instructions and the cycles of a basic block.  Raises Failure."""
        key = address, size
        if key not in self.block_costs:
            code = bytes(self.uc.mem_read(address, size))
            instructions = decoded(code, address)
            self.block_costs[key] = len(instructions), block_cycles(instructions)
        return self.block_costs[key]
