"""Cycles of a Cortex-M4, by its manual: ARM DDI 0439, section 3.3.

The core executes one instruction after another, in order, and has no cache.
This is a model of the core alone: memory answers at once, as a small memory
beside the core does.  It does not know wait states of a flash memory,
contention on the bus, a full write buffer, the alignment of wide instructions,
nor that the core may fold an IT instruction into the one before it.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from capstone import CS_ARCH_ARM, CS_MODE_MCLASS, CS_MODE_THUMB, Cs
from capstone.arm import ARM_OP_MEM, ARM_OP_REG

from records.faults import Failure

# What an instruction takes, by its class.  The live page reads the same file.
TABLE = json.loads(Path(__file__).with_name("timing.json").read_text())
# After a jump the pipeline fills again.  The manual says 1 to 3 cycles; validate.py chooses.
REFILL_CYCLES = TABLE["refill"]


def names_of(kind: str) -> set[str]:
    """Return the names of the instructions of a class."""
    return set(TABLE["classes"][kind]["names"].split())


SINGLE = names_of("single")  # of a jump, one cycle and the refill
LOADS = names_of("load")
STORES = names_of("store")
BLOCKS = names_of("block")  # of registers, after the base

DECODER = Cs(CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS)
DECODER.detail = True


def decoded(code: bytes, address: int) -> list[Any]:
    """Return the instructions of a block, as capstone has them.  Raises Failure."""
    instructions = list(DECODER.disasm(code, address))
    if sum(instruction.size for instruction in instructions) != len(code):
        raise Failure(f"{address:#x}: an instruction that capstone does not know")
    return instructions


def block_cycles(instructions: Sequence[Any]) -> int:
    """Return the cycles of a basic block without the refill after a jump.  Raises Failure."""
    total = 0
    before = None
    for instruction in instructions:
        total += own_cycles(instruction)
        if before is not None:
            total += interlock(before, instruction)
        before = instruction
    return total


def own_cycles(instruction: Any) -> int:
    """Return the cycles of an instruction by itself (table 3-1).  Raises Failure."""
    name = instruction.insn_name()
    for kind in TABLE["classes"].values():
        if name in kind["names"].split():
            return int(cycles_of_class(instruction, kind))
    words = f"{instruction.mnemonic} {instruction.op_str}"
    raise Failure(f"{instruction.address:#x}: the model has no cycles for `{words}`")


def cycles_of_class(instruction: Any, kind: dict[str, Any]) -> int:
    """Return the cycles of an instruction of a class.

    A store takes one with a number as offset: the store itself comes later.
    """
    total: int = kind["cycles"]
    if index_of(instruction):
        total += kind.get("indexed", 0)
    registers = len(listed(instruction))
    if instruction.insn_name() in BLOCKS:
        registers -= 1
    each: int = kind.get("register", 0)
    return total + each * registers


def interlock(before: Any, instruction: Any) -> int:
    """Return how many cycles more, or fewer, an instruction takes behind another one.

    - A load or store behind a load is pipelined: one cycle fewer, unless its address depends on
      what is loaded, or it writes its base.  A store with a number as offset takes one in any case.
    - An address that depends on the result of the data-processing instruction before it waits for
      one cycle.
    """
    name = instruction.insn_name()
    depends = bool(written(before) & address_registers(instruction))
    if before.insn_name() in SINGLE:
        return int(TABLE["wait"]) if depends else 0
    is_pipelined = name in LOADS or (name in STORES and index_of(instruction))
    follows_load = before.insn_name() in LOADS and not before.writeback
    if is_pipelined and follows_load and not depends and not instruction.writeback:
        return int(TABLE["pipelined"])
    return 0


def listed(instruction: Any) -> list[int]:
    """Return the registers that are operands of an instruction."""
    return [
        operand.reg for operand in instruction.operands if operand.type == ARM_OP_REG
    ]


def index_of(instruction: Any) -> int:
    """Return the register that is added to the base of an address; 0 where none is."""
    for operand in instruction.operands:
        if operand.type == ARM_OP_MEM:
            return int(operand.mem.index)
    return 0


def address_registers(instruction: Any) -> set[int]:
    """Return the registers that the address of a load or store depends on."""
    if instruction.insn_name() in BLOCKS:
        return set(listed(instruction)[:1])
    registers = set()
    for operand in instruction.operands:
        if operand.type == ARM_OP_MEM:
            registers |= {operand.mem.base, operand.mem.index}
    return registers - {0}


def written(instruction: Any) -> set[int]:
    """Return the registers that an instruction writes."""
    _, writes = instruction.regs_access()
    return set(writes)
