"""Calls whose traces are compared: which instructions are executed, in which
order, and which addresses they access, as one hash (verification/trace.c)."""

import ctypes
from collections.abc import Iterable
from ctypes import c_uint32, c_uint64, c_void_p
from pathlib import Path

from harness.elf import read_elf
from harness.operands import Call
from harness.unicorn import HOOK_CODE, HOOK_MEMORY, STACK, TOP, TRAP, library, load, perform
from records.faults import Failure

HOOKS = Path("build/trace.so")
DEPTH = 1 << 14  # bytes of stack that a call may use
READ, WRITE = 1, 2


class Range(ctypes.Structure):
    """As in trace.c."""

    _fields_ = [(name, c_uint32) for name in ("start", "end", "may")]


class State(ctypes.Structure):
    """`struct trace` of trace.c: of one call, the hash of its trace, how
    long that is, and its accesses outside the operands and the frame with
    the first of them."""

    _fields_ = [
        *((name, c_uint64) for name in ("hash", "instructions", "accesses", "astray")),
        *((name, c_uint32) for name in ("astray_at", "astray_to", "frame", "top")),
        *((name, c_uint32) for name in ("here", "sp", "lowest", "misaligned")),
        ("allowed", Range * 8),
        ("reg_read", c_void_p),
    ]


class Traced:
    """A program whose snapshot's functions are called one at a time.  Close it after use."""

    def __init__(self, program: Path, width: int, hooks: Path = HOOKS) -> None:
        self.c = ctypes.CDLL(str(hooks.resolve()))
        self.c.trace_executed.argtypes = (c_void_p, c_uint64, c_uint32, c_void_p)
        self.size, self.elf, self.state = width // 8, read_elf(program), State()
        self.engine = load(self.elf)
        self.engine.hook(HOOK_CODE, self.c.trace_executed, self.state)
        self.engine.hook(HOOK_MEMORY, self.c.trace_accessed, self.state)

    def __enter__(self) -> "Traced":
        return self

    def __exit__(self, *fault: object) -> None:
        self.engine.__exit__(*fault)

    def allowed(self) -> list[tuple[int, int, int]]:
        """What a call may access beside its frame: z to write; x, y, the
        modulus and the program's own constants to read."""
        z, x, modulus = STACK, STACK + self.size, STACK + 3 * self.size
        constants = [(s.start, s.start + s.size, READ) for s in self.elf.segments]
        return [(z, x, READ | WRITE), (x, modulus + 2 * self.size + 4, READ), *constants]

    def begin(self, allowed: Iterable[tuple[int, int, int]], top: int, frame: int) -> None:
        """Forget what was traced.  A call may access ranges, each (first address, the one behind
        the last, READ | WRITE), and the stack from `frame` up to `top`, its sp on entry."""
        state = self.state
        ctypes.memset(ctypes.byref(state), 0, ctypes.sizeof(state))
        state.frame, state.top, state.sp, state.lowest = frame, top, top, top
        state.reg_read = ctypes.cast(library().uc_reg_read, c_void_p)
        for place, part in zip(state.allowed, allowed):
            place.start, place.end, place.may = part

    def end(self) -> State:
        """What was traced since begin.  Raises Failure."""
        self.c.trace_executed(self.engine.handle, TRAP, 4, ctypes.byref(self.state))
        self.state.instructions -= 1  # where it has returned to
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
