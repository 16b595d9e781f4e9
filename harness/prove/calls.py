"""A call of mont_mul as a proof begins and ends it: operands, frame and what has to be kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.prove.decode import LR, PC, SP, Unproved
from harness.prove.machine import Machine

Z, X, Y, M = 0x1000, 0x2000, 0x3000, 0x4000  # addresses of the operands
STACK, FRAME, RETURN = 0x10000, 1024, 0x70000000
# What z may be.  That x and y may be one place follows, because neither is written before both have
# been read.
ALIASES = {"": (Z, X, Y), "z = x": (X, X, Y), "z = y": (Y, X, Y)}


def enter(machine: Machine, limbs: int, unknown: Callable[[str], Any], alias: str = "") -> None:
    """mont_mul(z, x, y, m) is about to be called; `unknown` gives a word with a name."""
    z, x, y = ALIASES[alias]
    for base, name in ((y, "y"), (x, "x"), (M, "n"), (M + 4 * limbs, "rr")):
        for i in range(limbs):
            machine.memory[base + 4 * i] = unknown(f"{name}{i}")
    machine.memory[M + 8 * limbs] = unknown("n0inv")
    machine.writable.update(range(z, z + 4 * limbs, 4), range(STACK - FRAME, STACK, 4))
    machine.registers[:4] = [z, x, y, M]
    for register in range(4, 13):
        machine.registers[register] = unknown(f"old{register}")
    machine.registers[SP], machine.registers[LR] = STACK, RETURN


def left(machine: Machine, limbs: int, alias: str = "") -> list[Any]:
    """The words of z after the return.  Raises Unproved when something else was changed."""
    z = ALIASES[alias][0]
    stack = range(STACK - FRAME, STACK, 4)
    kept = [machine.registers[register] for register in range(4, 12)]
    if kept != [f"old{register}" for register in range(4, 12)]:
        raise Unproved("a register that has to be preserved is not")
    if machine.registers[SP] != STACK or machine.registers[PC] != RETURN:
        raise Unproved("the stack pointer is not what it was")
    where = set(range(z, z + 4 * limbs, 4))
    if where - machine.written or machine.written - where - set(stack):
        raise Unproved("z is not written, or more than z")
    return [machine.memory[address] for address in sorted(where)]
