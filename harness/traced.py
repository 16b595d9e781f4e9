"""Calls whose traces are compared: which instructions are executed, in which
order, and which addresses they access, as one hash (verification/trace.c)."""

import ctypes
from collections.abc import Iterable
from ctypes import byref, c_uint32, c_uint64
from pathlib import Path

from harness.elf import read_elf
from harness.operands import Call
from harness.unicorn import STACK, TOP, TRAP, load, perform
from records.faults import Failure

HOOKS = Path("build/trace.so")
DEPTH = 1 << 14  # bytes of stack that a call may use
READ, WRITE = 1, 2


class State(ctypes.Structure):
    """`struct trace` of trace.c: of one call, the hash of its trace, how
    long that is, and its accesses outside the operands and the frame with
    the first of them."""

    _fields_ = [
        *((name, c_uint64) for name in ("hash", "instructions", "accesses", "astray")),
        *((name, c_uint32) for name in ("astray_at", "astray_to", "frame", "top")),
        *((name, c_uint32) for name in ("here", "sp", "lowest", "misaligned")),
        ("allowed", c_uint32 * 3 * 8),
    ]


class Traced:
    """A program whose snapshot's functions are called one at a time.  Raises Failure."""

    def __init__(self, program: Path, width: int, hooks: Path = HOOKS) -> None:
        self.c = ctypes.CDLL(str(hooks.resolve()))
        self.size, self.elf, self.state = width // 8, read_elf(program), State()
        self.engine = load(self.elf)
        if self.c.trace_attach(self.engine.uc._uch, byref(self.state)):
            raise Failure("Unicorn cannot call back")

    def allowed(self) -> list[tuple[int, int, int]]:
        """What a call may access beside its frame: z to write; x, y, the
        modulus and the program's own constants to read."""
        z, x, modulus = STACK, STACK + self.size, STACK + 3 * self.size
        constants = [(s.start, s.start + s.size, READ) for s in self.elf.segments]
        return [(z, x, READ | WRITE), (x, modulus + 2 * self.size + 4, READ), *constants]

    def begin(self, allowed: Iterable[tuple[int, int, int]], top: int, frame: int) -> None:
        """Forget what was traced.  A call may access ranges, each (first address, the one behind
        the last, READ | WRITE), and the stack from `frame` up to `top`, its sp on entry."""
        self.c.trace_begin(byref(self.state), frame, top)
        for place, part in zip(self.state.allowed, allowed):
            place[:] = part

    def end(self) -> State:
        """What was traced since begin.  Raises Failure."""
        self.c.trace_end(self.engine.uc._uch, byref(self.state), TRAP)
        if at := self.state.misaligned:
            place = f"{self.elf.function(at)}, {at:#x}"
            raise Failure(f"{place}: sp is not a multiple of 8 at this call")
        return State.from_buffer_copy(self.state)

    def trace(self, call: Call) -> State:
        """Trace one call.  Raises Failure unless it returns the right answer."""
        self.begin(self.allowed(), TOP, TOP - DEPTH)
        z = perform(self.engine, self.elf.entry(call.function), call, self.size)
        if z != call.z:
            raise Failure(f"{call.function}: expected {call.z:x}, got {z:x}")
        return self.end()
