"""The machine of the proofs does what Unicorn does, one instruction at a time."""

import importlib
import random
import struct
from typing import Any

import pytest

from records import ladder
from verification import neon, prove
from verification.algebra import Bits
from verification.code import PC, SP, Unproved, built, decode
from verification.neon import Vectors
from verification.prove import compiled

if prove.why_not():
    pytest.skip(prove.why_not(), allow_module_level=True)
unicorn = pytest.importorskip("unicorn")
arm = importlib.import_module("unicorn.arm_const")

from verification import a32

RESULTS = {0: 1, 1: 0, 2: 1 << 31}  # by N and Z
START = 0x10000
DATA = range(0x20400, 0x21000, 4)
MEMORY = dict(zip(DATA, struct.unpack(f"<{len(DATA)}I", random.Random(2).randbytes(4 * len(DATA)))))
CORE = [getattr(arm, f"UC_ARM_REG_{name}") for name in (*map("R{}".format, range(13)), "SP", "LR")]
# Not by every gcc: vneg.s32, vshl.u32, vbif, vbit, vbsl.
SELDOM = [0xF3B903C2, 0xF3B93385, 0xF3240442, 0xF3231402, 0xF3320154, 0xF3221113, 0xF3120154]
VECTORS = [getattr(arm, f"UC_ARM_REG_D{i}") for i in range(32)]


def of_assembly() -> list[int]:
    """Words of every mont.S, and of their mutants."""
    found = set()
    for snapshot in filter(prove.is_known, prove.every_snapshot()):
        code = list(built(snapshot.path / "mont.S", f"-DWIDTH={snapshot.width}").words.values())
        found |= {*code, *(word for one in a32.mutations(code) for word in one.words)}
    return sorted(found)[::5]


def of_numbers() -> list[int]:
    """Words of every nat.h in NEON, and instructions of NEON with one bit changed."""
    found = set()
    for snapshot in prove.every_snapshot():
        source = snapshot.path / "nat.h"
        if source.is_file() and "arm_neon.h" in source.read_text():
            for level in ladder.LEVELS:
                found |= {*compiled(snapshot.path, snapshot.width, None, level)[1].words.values()}
    neon = {word for word in found if word >> 28 == 15 or word >> 25 & 7 > 5}
    changed = {word ^ 1 << bit for word in neon for bit in range(28)}
    return sorted(found) + sorted(changed - found)[::3]


class Before:
    """What both machines hold before an instruction."""

    def __init__(self, source: random.Random) -> None:
        likely = (0x20800, 0, 0xFFFFFFFF, 64, source.getrandbits(5), source.getrandbits(32))
        self.flags = source.randrange(12)
        self.core = [source.choice((0x20800 + 4 * i, *likely)) for i in range(15)]
        self.core[SP] = 0x20800
        self.vectors = [source.choice((source.getrandbits(32), *likely)) for _ in range(64)]


def proved(word: int, before: Before) -> Vectors:
    """The proofs' machine after an instruction."""
    machine = Vectors(Bits(), lambda _: word, [])
    machine.registers[:15], machine.vectors = before.core, list(before.vectors)
    machine.carry, machine.overflow = before.flags >> 1 & 1, before.flags & 1
    machine.result = RESULTS[before.flags >> 2]
    machine.memory, machine.writable = dict(MEMORY), set(MEMORY)
    machine.registers[PC] = START + 4
    machine.step(decode(word, START))
    return machine


def emulated(uc: Any, word: int, before: Before) -> list[int]:
    """Memory, registers and flags of Unicorn after an instruction."""
    uc.mem_write(START, word.to_bytes(4, "little"))
    uc.ctl_flush_tb()
    uc.mem_write(DATA.start, struct.pack(f"<{len(DATA)}I", *MEMORY.values()))
    uc.reg_write(arm.UC_ARM_REG_CPSR, 0x10 | before.flags << 28)
    for register, value in zip(CORE, before.core):
        uc.reg_write(register, value)
    for register, low, high in zip(VECTORS, before.vectors[::2], before.vectors[1::2]):
        uc.reg_write(register, high << 32 | low)
    uc.emu_start(START, 0, count=1)
    memory = struct.unpack(f"<{len(DATA)}I", uc.mem_read(DATA.start, 4 * len(DATA)))
    vectors = [uc.reg_read(register) >> k & 0xFFFFFFFF for register in VECTORS for k in (0, 32)]
    flags = [uc.reg_read(arm.UC_ARM_REG_CPSR) >> bit & 1 for bit in (31, 30, 29, 28)]
    return [*memory, *map(uc.reg_read, CORE), *vectors, *flags]


def agrees(machine: Vectors, theirs: list[int]) -> bool:
    """Whether every number is Unicorn's, and every symbol can be no other; None may be anything."""
    bits, result = machine.algebra, machine.result
    assert isinstance(bits, Bits)
    flags = [None, None] if result is None else [bits.top(result), bits.zero(result)]
    flags += [machine.carry, machine.overflow]
    mine = [*machine.memory.values(), *machine.registers[:15], *machine.vectors, *flags]
    pairs = [(a, b) for a, b in zip(mine, theirs, strict=True) if a not in (None, b)]
    symbols = [
        f"(= ((_ zero_extend {31 * (a in flags)}) {a}) (_ bv{b} 32))"
        for a, b in pairs
        if isinstance(a, str)
    ]
    return len(symbols) == len(pairs) and (
        not symbols or bits.follows(f"(and true {' '.join(symbols)})")
    )


@pytest.mark.slow
def test_the_machine_is_unicorn() -> None:
    """With numbers instead of symbols the machine is an emulator."""
    uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
    uc.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_A7)
    uc.mem_map(0, 0x30000)
    uc.reg_write(arm.UC_ARM_REG_FPEXC, 1 << 30)
    source, compared = random.Random(1), []
    uxtb = [0xE6EF0070 | k << 12 | k for k in range(12)]
    for word in [*of_assembly(), *of_numbers(), *uxtb, *SELDOM]:
        before = Before(source)
        try:
            machine = proved(word, before)
            theirs = emulated(uc, word, before)
        except (Unproved, unicorn.UcError):
            continue
        assert agrees(machine, theirs), decode(word, START).text
        compared.append(decode(word, START).name)
    assert len(compared) > 500 and set(compared) >= neon.NAMES
