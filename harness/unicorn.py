"""Unicorn, the emulator as a library, through its C interface: it calls functions of a program.

Memory is made as Linux would make it, but neither the C library's start nor main runs: operands are
put into memory, a function is called, results are read from there.  What else is done at each
instruction or access is said by call-backs in C (plugin/hooks.c counts).

The library is that of the Python package `unicorn`, this Python's or .venv's, else the system's own
(Debian: libunicorn2), which serves a 32-bit ARM, for which there is no wheel.  Nothing of the
package's Python is used, so any Python may load it, .venv being its own or not.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Iterable
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.elf import Elf, Segment
from harness.operands import Call
from records.faults import Failure

MISSING = "Unicorn is not installed: type make venv or, on 32-bit ARM, apt-get install libunicorn2"
VENV = Path(__file__).resolve().parents[1] / ".venv"

# Of unicorn.h and arm.h, the same since version 2.0.
ARCH_ARM, CPU_CORTEX_A7, WRITE_CPU_MODEL = 1, 14, 7 | 1 << 26 | 1 << 30
FLUSH = 10 | 1 << 30  # what has been translated
HOOK_CODE, HOOK_MEMORY = 1 << 2, 1 << 10 | 1 << 11
FPEXC, LR, PC, SP, R0 = 4, 10, 11, 12, 66
PAGE = 4096  # bytes
READ, WRITE, EXECUTE = 1, 2, 4
RIGHTS = {"r": READ, "w": WRITE, "x": EXECUTE}
TRAP = 0x60000000  # where a call returns to
STACK, FRAME = 0x70000000, 1 << 16  # operands at the beginning, frames from the middle down
TOP = STACK + FRAME // 2  # the stack pointer on entry
HWCAP = 0x1FB8D7  # what Linux says of a Cortex-A7: the C library chooses its memcpy by it

SIGNATURES = {
    "uc_version": (c_void_p, c_void_p),
    "uc_open": (c_int, c_int, c_void_p),
    "uc_close": (c_void_p,),
    "uc_ctl": (c_void_p, c_int, c_int),
    "uc_mem_map": (c_void_p, c_uint64, c_size_t, ctypes.c_uint32),
    "uc_mem_write": (c_void_p, c_uint64, c_char_p, c_size_t),
    "uc_mem_read": (c_void_p, c_uint64, c_char_p, c_size_t),
    "uc_reg_write": (c_void_p, c_int, c_void_p),
    "uc_reg_read": (c_void_p, c_int, c_void_p),
    "uc_hook_add": (c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_uint64, c_uint64),
    "uc_emu_start": (c_void_p, c_uint64, c_uint64, c_uint64, c_size_t),
}


@cache
def library() -> ctypes.CDLL:
    """libunicorn, version 2.  Raises Failure."""
    package = find_spec("unicorn")
    folders = (
        [Path(folder) for folder in package.submodule_search_locations or []] if package else []
    )
    folders += VENV.glob("lib/python3*/site-packages/unicorn")
    found = [str(path) for folder in folders for path in folder.glob("lib/libunicorn.*")]
    name = found[0] if found else ctypes.util.find_library("unicorn")
    if name is None:
        raise Failure(MISSING)
    try:
        uc = ctypes.CDLL(name)
        for function, arguments in SIGNATURES.items():
            getattr(uc, function).argtypes = arguments
    except (OSError, AttributeError) as fault:
        raise Failure(f"Unicorn cannot be used: {fault}") from None
    uc.uc_version.restype = c_uint
    uc.uc_strerror.restype = c_char_p
    if uc.uc_version(None, None) >> 24 != 2:
        raise Failure(f"{name}: version 2 of Unicorn is needed")
    return uc


def why_unsupported() -> str:
    """Why Unicorn cannot count here, or an empty string."""
    try:
        library()
    except Failure as fault:
        return str(fault)
    return ""


class Engine:
    """An ARM Cortex-A7 with NEON switched on and no memory but TRAP.  Close it after use.

    Every method raises Failure."""

    def __init__(self) -> None:
        self.uc = library()
        self.handle = c_void_p()
        self._check(self.uc.uc_open(ARCH_ARM, 0, byref(self.handle)), "start")
        self._check(self.uc.uc_ctl(self.handle, WRITE_CPU_MODEL, CPU_CORTEX_A7), "be a Cortex-A7")
        self.set(FPEXC, 1 << 30)
        self.map(TRAP, PAGE, READ | EXECUTE)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.uc.uc_close(self.handle)

    def _check(self, status: int, what: str) -> None:
        if status:
            said = self.uc.uc_strerror(status).decode()
            raise Failure(f"Unicorn cannot {what}: {said}")

    def map(self, start: int, size: int, rights: int = READ | WRITE) -> None:
        """Memory of `size` bytes, and what is missing to whole pages, filled with zeros."""
        low, high = start // PAGE * PAGE, -(-(start + size) // PAGE) * PAGE
        self._check(self.uc.uc_mem_map(self.handle, low, high - low, rights), f"map {start:#x}")

    def load(self, segments: Iterable[Segment]) -> None:
        """A program's segments into memory, each with its own rights."""
        for start, size, data, rights in segments:
            self.map(start, size, sum(RIGHTS[letter] for letter in rights))
            self.write(start, data)

    def write(self, address: int, data: bytes) -> None:
        """Bytes into memory."""
        status = self.uc.uc_mem_write(self.handle, address, data, len(data))
        self._check(status, f"write {address:#x}")

    def read(self, address: int, size: int) -> bytes:
        """Bytes from memory."""
        data = ctypes.create_string_buffer(size)
        status = self.uc.uc_mem_read(self.handle, address, data, size)
        self._check(status, f"read {address:#x}")
        return data.raw

    def set(self, register: int, value: int) -> None:
        """A register."""
        self._check(self.uc.uc_reg_write(self.handle, register, byref(c_uint64(value))), "set")

    def get(self, register: int) -> int:
        """A register's value."""
        value = c_uint64()
        self._check(self.uc.uc_reg_read(self.handle, register, byref(value)), "get")
        return value.value

    def hook(self, kind: int, callback: Any, data: ctypes.Structure | None = None) -> None:
        """Have a C function called with `data`; the caller keeps both alive."""
        function, ignored = ctypes.cast(callback, c_void_p), c_size_t()
        where, everywhere = byref(data) if data else None, (1, 0)
        status = self.uc.uc_hook_add(
            self.handle, byref(ignored), kind, function, where, *everywhere
        )
        self._check(status, "call back")

    def flush(self) -> None:
        """Code in memory has changed."""
        self._check(self.uc.uc_ctl(self.handle, FLUSH, 0), "translate anew")

    def start(self, address: int, count: int = 0, microseconds: int = 0) -> None:
        """Execute from here to TRAP, `count` instructions, or so long.  Bit 0 says Thumb."""
        status = self.uc.uc_emu_start(self.handle, address, TRAP, microseconds, count)
        late = microseconds and self.get(PC) != TRAP
        if status or late:
            said = self.uc.uc_strerror(status).decode() if status else "no end"
            raise Failure(f"stopped at {self.get(PC):#x}: {said}")

    def call(self, function: int, stack: int, *arguments: int, microseconds: int = 0) -> int:
        """Call a function with up to four words; its result in r0."""
        for i, value in enumerate(arguments):
            self.set(R0 + i, value)
        self.set(SP, stack)
        self.set(LR, TRAP)
        self.start(function, microseconds=microseconds)
        return self.get(R0) & 0xFFFFFFFF


def load(elf: Elf) -> Engine:
    """An engine with a program and a stack in memory, its memcpy chosen.  Raises Failure."""
    engine = Engine()
    engine.load(elf.segments)
    engine.map(STACK, FRAME)
    for place, function in elf.late_bindings:
        engine.write(place, engine.call(function, TOP, HWCAP).to_bytes(4, "little"))
    return engine


def perform(engine: Engine, function: int, call: Call, size: int) -> int:
    """One call, with operands of `size` bytes at STACK: z, x, y, modulus.  Returns z.  Raises
    Failure."""
    z, x, y, m = (STACK + i * size for i in range(4))
    engine.write(x, call.x.to_bytes(size, "little"))
    engine.write(y, call.y.to_bytes(size, "little"))
    engine.write(m, call.modulus(size))
    engine.call(function, TOP, z, x, y, m)
    return int.from_bytes(engine.read(z, size), "little")
