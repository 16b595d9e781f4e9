"""Functions of a program called, and traced, in Unicorn: the emulator as a
Python package.

Memory is made as Linux would make it, but neither the C library's start nor
main runs: operands are put into memory, a function is called, results are read
from there.  What else is done at each instruction or access is said by
call-backs (trace.c).  plugin/unicorn.c does the same to count.

The package is this Python's or .venv's.
"""

import ctypes
import sys
from collections.abc import Iterable, Mapping
from ctypes import byref, c_char_p, c_uint32, c_uint64
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.counters import MISSING, VENV
from harness.elf import SECTION, Elf, Segment, functions, read_elf, snapshot_of
from harness.operands import Call
from records.faults import Failure

# Of unicorn.h and arm.h, the same since version 2.0.
ARCH_ARM = 1
CPU_CORTEX_A7 = 14
HOOK_CODE = 1 << 2
HOOK_MEMORY = 1 << 10 | 1 << 11
FPEXC = 4
LR = 10
PC = 11
SP = 12
R0 = 66
D8 = 22
PAGE = 4096  # bytes
READ = 1
WRITE = 2
EXECUTE = 4
TRAP = 0x60000000  # where a call returns to
STACK = 0x70000000  # operands at the beginning, frames from the middle down
FRAME = 1 << 16  # bytes of both
TOP = STACK + FRAME // 2  # the stack pointer on entry
# What a call finds in the registers that it has to preserve: r4 to r11, d8 to d15.
PRESERVED = {R0 + i: 0x1010101 * i for i in range(4, 12)}
PRESERVED |= {D8 + i: 0x0123456789ABCDEF * (i + 1) % (1 << 64) for i in range(8)}
# What Linux says of a Cortex-A7: the C library chooses its memcpy by it.
HWCAP = 0x1FB8D7


@cache
def package() -> Any:
    """Return the Python package `unicorn`.  Raises Failure."""
    if find_spec("unicorn") is None:
        sys.path += map(str, VENV.glob("lib/python3*/site-packages"))
    try:
        return import_module("unicorn")
    except ImportError:
        raise Failure(MISSING) from None


class NoEnd(Failure):
    """A call that has executed all the instructions that it may: whether it is right is open."""


class Engine:
    """An ARM processor, a Cortex-A7 with NEON switched on where no other is named, and no memory
    but TRAP; `uc` is the package's Uc."""

    def __init__(self, mode: int = 0, cpu: int = CPU_CORTEX_A7) -> None:
        self.uc = package().Uc(ARCH_ARM, mode)
        self.uc.ctl_set_cpu_model(cpu)
        if cpu == CPU_CORTEX_A7:
            self.uc.reg_write(FPEXC, 1 << 30)
        self.map(TRAP, PAGE, READ | EXECUTE)

    def map(self, start: int, size: int, rights: int = READ | WRITE) -> None:
        """Map memory of `size` bytes, and what is missing to whole pages, filled
        with zeros."""
        low = start - start % PAGE
        end = start + size
        high = end + -end % PAGE
        self.uc.mem_map(low, high - low, rights)

    def load(self, segments: Iterable[Segment]) -> None:
        """Load a program's segments into memory, each with its own rights."""
        for start, size, data, rights in segments:
            self.map(start, size, rights)
            self.uc.mem_write(start, data)

    def call(
        self, function: int, stack: int, *arguments: int, instructions: int = 0
    ) -> int:
        """Call a function with words in r0, r1, ...; its result in r0.  Bit 0 of its address says
        Thumb.  Where it may execute only so many instructions, raises NoEnd; and Failure."""
        for register, value in enumerate(arguments, R0):
            self.uc.reg_write(register, value)
        self.uc.reg_write(SP, stack)
        self.uc.reg_write(LR, TRAP | function & 1)
        why = ""
        try:
            self.uc.emu_start(function, TRAP, count=instructions)
        except package().UcError as fault:
            why = str(fault)
        if (at := self.uc.reg_read(PC)) != TRAP:
            if instructions and not why:
                raise NoEnd(f"no end after {instructions:,} instructions")
            raise Failure(f"stopped at {at:#x}: {why or 'no end'}")
        if self.uc.reg_read(SP) != stack:
            raise Failure("it returns with another sp")
        return int(self.uc.reg_read(R0))

    def set_registers(self, values: Mapping[int, int] = PRESERVED) -> None:
        """Give registers their values: those that a call has to preserve, if nothing is said."""
        for register, value in values.items():
            self.uc.reg_write(register, value)

    def check_preserved(self, values: Mapping[int, int] = PRESERVED) -> None:
        """Raise Failure unless the registers have these values."""
        for register, value in values.items():
            if self.uc.reg_read(register) != value:
                raise Failure("a register that has to be preserved is not")


def load(elf: Elf) -> Engine:
    """Return an engine with a program and a stack in memory, its memcpy chosen.
    Raises Failure."""
    engine = Engine()
    engine.load(elf.segments)
    engine.map(STACK, FRAME)
    for slot, function in elf.late_bindings:
        engine.uc.mem_write(
            slot, engine.call(function, TOP, HWCAP).to_bytes(4, "little")
        )
    return engine


def perform(engine: Engine, function: int, call: Call, size: int) -> int:
    """Make one call, with operands of `size` bytes at STACK: z, x, y, modulus.
    Returns z.  Raises Failure."""
    z = STACK
    x = z + size
    y = x + size
    modulus = y + size
    engine.uc.mem_write(x, call.x.to_bytes(size, "little"))
    engine.uc.mem_write(y, call.y.to_bytes(size, "little"))
    engine.uc.mem_write(modulus, call.modulus(size))
    engine.call(function, TOP, z, x, y, modulus)
    return int.from_bytes(engine.uc.mem_read(z, size), "little")


# ---- Traces ----

HOOKS = Path("build/trace.so")
DEPTH = 1 << 14  # bytes of stack that a call may use


class State(ctypes.Structure):
    """`struct trace` of trace.c: of one call, the hash of its trace, how
    long that is, and its accesses outside the operands and the frame with
    the first of them."""

    _fields_ = [
        ("hash", c_uint64),
        ("instructions", c_uint64),
        ("accesses", c_uint64),
        ("astray", c_uint64),
        ("astray_at", c_uint32),
        ("astray_to", c_uint32),
        ("frame", c_uint32),
        ("top", c_uint32),
        ("here", c_uint32),
        ("sp", c_uint32),
        ("lowest", c_uint32),
        ("misaligned", c_uint32),
        ("allowed", c_uint32 * 3 * 8),
        ("left_out", c_char_p),
        ("code", c_uint32),
        ("words", c_uint32),
    ]


class Traced:
    """A program whose snapshot's functions are called one at a time.  Raises Failure."""

    def __init__(self, program: Path, width: int, hooks: Path = HOOKS) -> None:
        self.c = ctypes.CDLL(str(hooks.resolve()))
        self.size = width // 8
        self.elf = read_elf(program)
        self.state = State()
        self.engine = load(self.elf)
        self.left_out = b""  # a byte for each word of the snapshot's code
        if self.c.trace_attach(self.engine.uc._uch, byref(self.state)):
            raise Failure("Unicorn cannot call back")

    def leave_out(self, program: Path, sources: Path, names: Iterable[str]) -> None:
        """From now on leave instructions of these functions of the sources, inlined ones too, out
        of the trace."""
        places = snapshot_of(program)[::4]
        inside = functions(program, places, sources)
        self.left_out = bytes(inside[address] in names for address in places)

    def allowed(self) -> list[tuple[int, int, int]]:
        """Return what a call may access beside its frame: z to write; x, y, the
        modulus and the program's own constants to read."""
        x = STACK + self.size
        end = x + 4 * self.size + 4
        ranges = [(STACK, x, READ | WRITE), (x, end, READ)]
        for segment in self.elf.segments:
            ranges.append((segment.start, segment.start + segment.size, READ))
        return ranges

    def begin(
        self, allowed: Iterable[tuple[int, int, int]], top: int, frame: int
    ) -> None:
        """Forget what was traced.  A call may access ranges, each (first address, the one behind
        the last, READ | WRITE), and the stack from `frame` up to `top`, its sp on entry."""
        self.c.trace_begin(byref(self.state), frame, top)
        if self.left_out:
            self.state.left_out = self.left_out
            self.state.code = self.elf.sections[SECTION].start
            self.state.words = len(self.left_out)
        for field, part in zip(self.state.allowed, allowed):
            first, behind, rights = part
            field[:] = [first, behind, rights]

    def end(self) -> State:
        """Return what was traced since begin.  Raises Failure."""
        self.c.trace_end(self.engine.uc._uch, byref(self.state), TRAP)
        if at := self.state.misaligned:
            function = self.elf.function(at)
            raise Failure(
                f"{function}, {at:#x}: sp is not a multiple of 8 at this call"
            )
        return State.from_buffer_copy(self.state)

    def guarded(
        self,
        function: str,
        stack: int,
        frame: int,
        allowed: Iterable[tuple[int, int, int]],
        *arguments: int,
    ) -> tuple[int, State]:
        """Trace a call that may access the ranges of begin(), and return its result and its trace.
        Raises Failure, too, if it changes a register that has to be preserved or accesses
        anything else."""
        self.engine.set_registers()
        self.begin(allowed, stack, frame)
        result = self.engine.call(self.elf.entry(function), stack, *arguments)
        trace = self.end()
        try:
            self.engine.check_preserved()
        except Failure as fault:
            raise Failure(f"{function}: {fault}") from None
        if trace.astray:
            where = f"{trace.astray_at:#x} accesses {trace.astray_to:#x}"
            raise Failure(f"{function}: {where}, no operand and not its frame")
        return result, trace

    def trace(self, call: Call) -> State:
        """Trace one call.  Raises Failure unless it returns the right answer."""
        self.begin(self.allowed(), TOP, TOP - DEPTH)
        function = self.elf.entry(call.function)
        z = perform(self.engine, function, call, self.size)
        if z != call.z:
            raise Failure(f"{call.function}: expected {call.z:x}, got {z:x}")
        return self.end()
