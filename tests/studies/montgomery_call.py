"""Single calls of bn_mul_mont in Unicorn: trace, count, what is left in the frame."""

import ctypes
from ctypes import c_void_p
from pathlib import Path

import unwind
from montgomery_cases import ALL, R_IS_A, R_IS_B, Case

from harness.elf import read_elf
from harness.unicorn import HOOK_CODE, HOOK_MEMORY, READ, TRAP, WRITE, Engine, library
from verification.traces import State

OPERANDS, STACK, ROOM = 0x70000000, 0x71000000, 1 << 16
TOP = STACK + ROOM // 2
SAVED = 40  # bytes that the routine pushes
FILL = b"\xa5"  # below the stack pointer before a call


class Caller:
    """A program in Unicorn, whose bn_mul_mont is called."""

    def __init__(self, program: Path, hooks: Path) -> None:
        self.program = program
        self.c = ctypes.CDLL(str(hooks.resolve()))
        self.c.trace_executed.argtypes = (c_void_p, ctypes.c_uint64, ctypes.c_uint32, c_void_p)
        self.elf, self.state, self.engine = read_elf(program), State(), Engine()
        self.engine.load(self.elf.segments)
        self.engine.map(OPERANDS, 5 * ROOM)
        self.engine.map(STACK, ROOM)
        self.engine.hook(HOOK_CODE, self.c.trace_executed, self.state)
        self.engine.hook(HOOK_MEMORY, self.c.trace_accessed, self.state)

    def call(self, case: Case) -> State:
        """The trace of a call; the answer is right, and the frame is clear."""
        size = 4 * case.num
        rp, ap, bp, np, n0 = (OPERANDS + i * ROOM for i in range(5))
        bp = ap if case.alias > R_IS_B else bp
        rp = ap if case.alias in (R_IS_A, ALL) else bp if case.alias == R_IS_B else rp
        for place, number in ((bp, case.b), (ap, case.a), (np, case.n)):
            self.engine.write(place, number.to_bytes(size, "little"))
        n0inv = -pow(case.n, -1, 1 << 32) % (1 << 32)
        self.engine.write(n0, n0inv.to_bytes(4, "little"))
        self.engine.write(STACK, FILL * ROOM)
        self.engine.write(TOP, n0.to_bytes(4, "little") + case.num.to_bytes(4, "little"))
        operands = [(place, size, READ) for place in (ap, bp, np)]
        self._begin([(rp, size, READ | WRITE), *operands, (n0, 4, READ), (TOP, 8, READ)])
        entry = self.elf.entry("bn_mul_mont")
        assert self.engine.call(entry, TOP, rp, ap, bp, np) == 1
        self.c.trace_executed(self.engine.handle, TRAP, 4, ctypes.byref(self.state))
        assert self.engine.read(rp, size) == case.answer()[4:], case
        below = self.engine.read(STACK, ROOM // 2 - SAVED)
        assert not any(below.lstrip(FILL)), "the frame is not cleared"
        return self.state

    def lost(self, case: Case) -> list[int]:
        """The addresses of a call from which the stack cannot be walked."""
        return unwind.lost(self.program, self.engine, TOP, TRAP, lambda: self.call(case))

    def refuses(self, num: int) -> bool:
        """Whether it returns 0 for this many limbs, and writes nothing through its arguments."""
        self.engine.write(TOP, bytes(4) + num.to_bytes(4, "little", signed=True))
        self._begin([(TOP, 8, READ)])
        return self.engine.call(self.elf.entry("bn_mul_mont"), TOP, 0, 0, 0, 0) == 0

    def _begin(self, allowed: list[tuple[int, int, int]]) -> None:
        """A trace, with what may be accessed beside the frame: (address, bytes, how)."""
        state = self.state
        ctypes.memset(ctypes.byref(state), 0, ctypes.sizeof(state))
        state.frame, state.top = STACK, TOP
        state.sp = state.lowest = TOP
        state.reg_read = ctypes.cast(library().uc_reg_read, c_void_p)
        for place, (start, size, may) in zip(state.allowed, allowed):
            place.start, place.end, place.may = start, start + size, may
