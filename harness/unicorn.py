"""Functions of a program, called in Unicorn: the emulator as a Python package.

Memory is made as Linux would make it, but neither the C library's start nor
main runs: operands are put into memory, a function is called, results are read
from there.  What else is done at each instruction or access is said by
call-backs (verification/trace.c).  plugin/unicorn.c does the same to count.

The package is this Python's or .venv's.
"""

import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from harness.counters import MISSING, VENV
from harness.elf import Elf, Segment
from harness.operands import Call
from records.faults import Failure

# Of unicorn.h and arm.h, the same since version 2.0.
ARCH_ARM, CPU_CORTEX_A7 = 1, 14
HOOK_CODE, HOOK_MEMORY = 1 << 2, 1 << 10 | 1 << 11
FPEXC, LR, PC, SP, R0 = 4, 10, 11, 12, 66
PAGE = 4096  # bytes
READ, WRITE, EXECUTE = 1, 2, 4
TRAP = 0x60000000  # where a call returns to
STACK, FRAME = 0x70000000, 1 << 16  # operands at the beginning, frames from the middle down
TOP = STACK + FRAME // 2  # the stack pointer on entry
HWCAP = 0x1FB8D7  # what Linux says of a Cortex-A7: the C library chooses its memcpy by it


@cache
def package() -> Any:
    """The Python package `unicorn`.  Raises Failure."""
    if find_spec("unicorn") is None:
        sys.path += map(str, VENV.glob("lib/python3*/site-packages"))
    try:
        return import_module("unicorn")
    except ImportError:
        raise Failure(MISSING) from None


class Engine:
    """An ARM Cortex-A7 with NEON switched on and no memory but TRAP; `uc` is
    the package's Uc."""

    def __init__(self) -> None:
        self.uc = package().Uc(ARCH_ARM, 0)
        self.uc.ctl_set_cpu_model(CPU_CORTEX_A7)
        self.uc.reg_write(FPEXC, 1 << 30)
        self.map(TRAP, PAGE, READ | EXECUTE)

    def map(self, start: int, size: int, rights: int = READ | WRITE) -> None:
        """Memory of `size` bytes, and what is missing to whole pages, filled with zeros."""
        low, high = start // PAGE * PAGE, -(-(start + size) // PAGE) * PAGE
        self.uc.mem_map(low, high - low, rights)

    def load(self, segments: Iterable[Segment]) -> None:
        """A program's segments into memory, each with its own rights."""
        for start, size, data, rights in segments:
            self.map(start, size, rights)
            self.uc.mem_write(start, data)

    def call(self, function: int, stack: int, *arguments: int, microseconds: int = 0) -> int:
        """Call a function with up to four words, for so long; its result in
        r0.  Bit 0 of its address says Thumb.  Raises Failure."""
        for register, value in enumerate(arguments, R0):
            self.uc.reg_write(register, value)
        self.uc.reg_write(SP, stack)
        self.uc.reg_write(LR, TRAP)
        why = "no end"
        try:
            self.uc.emu_start(function, TRAP, microseconds)
        except package().UcError as fault:
            why = str(fault)
        if (at := self.uc.reg_read(PC)) != TRAP:
            raise Failure(f"stopped at {at:#x}: {why}")
        return int(self.uc.reg_read(R0))


def load(elf: Elf) -> Engine:
    """An engine with a program and a stack in memory, its memcpy chosen.  Raises Failure."""
    engine = Engine()
    engine.load(elf.segments)
    engine.map(STACK, FRAME)
    for place, function in elf.late_bindings:
        engine.uc.mem_write(place, engine.call(function, TOP, HWCAP).to_bytes(4, "little"))
    return engine


def perform(engine: Engine, function: int, call: Call, size: int) -> int:
    """One call, with operands of `size` bytes at STACK: z, x, y, modulus.
    Returns z.  Raises Failure."""
    z, x, y, m = (STACK + i * size for i in range(4))
    engine.uc.mem_write(x, call.x.to_bytes(size, "little") + call.y.to_bytes(size, "little"))
    engine.uc.mem_write(m, call.modulus(size))
    engine.call(function, TOP, z, x, y, m)
    return int.from_bytes(engine.uc.mem_read(z, size), "little")
