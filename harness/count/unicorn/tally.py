"""The Python side of unicorn/hooks.c: what it counts in, the decoder, trials of instructions."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path

from harness.count.unicorn.engine import (
    EXECUTE,
    HOOK_MEMORY,
    LR,
    R0,
    READ,
    SP,
    WRITE,
    Engine,
    library,
)
from records.faults import Failure

HOOKS = Path("build/unicorn.so")
RUN_TIME, SNAPSHOT, HARNESS = range(3)  # enum part of plugin/predict.h
SCRATCH, CODE = 0x8000, 0x40000  # where every register points during a trial; the instruction


class Place(ctypes.Structure):
    """As in unicorn/hooks.c."""

    _fields_ = [
        *((n, c_uint64) for n in ("executions", "jumped", "held", "loads", "stores")),
        ("mispredicted", c_uint64),
        *((n, c_uint32) for n in ("branch", "part", "size", "ask")),
    ]


class Predictor(ctypes.Structure):
    """As in plugin/predict.h."""

    _fields_ = [
        ("btac", c_uint32 * (2 * 128)),
        ("returns", c_uint32 * 3),
        ("top", c_uint32),
        ("depth", c_uint32),
    ]


class Tally(ctypes.Structure):
    """As in unicorn/hooks.c."""

    _fields_ = [
        ("start", c_uint32),
        ("length", c_uint32),
        ("places", POINTER(Place)),
        ("current", POINTER(Place)),
        ("next", c_uint32),
        ("nowhere", Place),
        ("reg_read", c_void_p),
        ("predictor", Predictor),
        ("spent", c_uint64),
    ]

    def __init__(self, addresses: range) -> None:
        self.rooms = (Place * (len(addresses) // 2 + 1))()
        super().__init__(addresses.start, len(addresses), self.rooms)
        self.nowhere.part = HARNESS
        self.current = ctypes.pointer(self.nowhere)
        self.reg_read = ctypes.cast(library().uc_reg_read, c_void_p)


class Rule(ctypes.Structure):
    """As in a32.h."""

    _fields_ = [("mask", c_uint32), ("value", c_uint32), ("cls", c_uint8), ("does", c_uint8)]


class Hooks:
    """The library of the call-backs and the decoder.  Raises Failure where it is missing."""

    def __init__(self, path: Path = HOOKS) -> None:
        try:
            self.c = ctypes.CDLL(str(path.resolve()))
        except OSError as fault:
            raise Failure(f"no counts: {fault}") from None
        self.c.a32_decode.argtypes, self.c.a32_decode.restype = (c_uint32,), POINTER(Rule)
        self.c.a32_class_name.argtypes, self.c.a32_class_name.restype = (c_int,), c_char_p
        self.c.executed.argtypes = (c_void_p, c_uint64, c_uint32, c_void_p)

    def decode(self, opcode: int) -> tuple[str, str]:
        """(class, what it does), both as in a Row."""
        rule = self.c.a32_decode(opcode).contents
        does = "".join(letter for bit, letter in enumerate("lsb") if rule.does >> bit & 1)
        return self.c.a32_class_name(rule.cls).decode(), does


class Trials:
    """Accesses of single instructions, each tried once among zeros."""

    def __init__(self, hooks: Hooks) -> None:
        self.known: dict[int, tuple[int, int]] = {}
        self.tally = Tally(range(0))
        self.engine = Engine()
        self.engine.map(0, 1 << 24, READ | WRITE | EXECUTE)
        self.engine.hook(HOOK_MEMORY, hooks.c.accessed, self.tally)

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *fault: object) -> None:
        self.engine.__exit__(*fault)

    def accesses(self, opcode: int) -> tuple[int, int]:
        """(loads, stores) of an A32 instruction whose condition holds.  Raises Failure."""
        if opcode >> 28 < 14:
            opcode = opcode & 0x0FFFFFFF | 14 << 28
        if opcode not in self.known:
            place = CODE + 8 * len(self.known)  # where no other was translated
            self.engine.write(place, opcode.to_bytes(4, "little"))
            for register in (*range(R0, R0 + 13), SP, LR):
                self.engine.set(register, SCRATCH)
            seen = self.tally.nowhere
            seen.loads = seen.stores = 0
            self.engine.start(place, count=1)
            self.known[opcode] = seen.loads, seen.stores
        return self.known[opcode]
