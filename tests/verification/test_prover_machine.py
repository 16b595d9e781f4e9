"""The machine of the proofs does what Unicorn does, one instruction at a
time."""

import random
import struct
from collections import Counter
from collections.abc import Iterator

import pytest
from representatives import mostly_long

for package in ("bitwuzla", "capstone", "sympy", "unicorn"):
    pytest.importorskip(package)
import unicorn
from unicorn import arm_const

from records import ladder
from verification import mutations, operations
from verification.instructions import INSTRUCTIONS, Machine
from verification.machine import PC, SP, built, text
from verification.symbols import Unproved, Words, bits

RESULTS = {0: 1, 1: 0, 2: 1 << 31}  # by N and Z
SUMS = {0: (0, 0, 0), 1: (1 << 31, 1 << 31, 0)}  # by V
START = 0x10000
DATA = range(0x20400, 0x21000, 4)
MEMORY = dict(
    zip(
        DATA, struct.unpack(f"<{len(DATA)}I", random.Random(2).randbytes(4 * len(DATA)))
    )
)
NAMES = [*map("R{}".format, range(13)), "SP", "LR"]
CORE, DOUBLES = (
    [getattr(arm_const, f"UC_ARM_REG_{name}") for name in names]
    for names in (NAMES, map("D{}".format, range(32)))
)
UXTB = [0xE6EF0070 | k << 12 | k for k in range(12)]
# Not by every gcc: vneg.s32, vshl.u32, vbif, vbit, vbsl.
SELDOM = [
    0xE1300001,  # teq r0, r1
    0xE12FFF1E,  # bx lr
    0xF3B903C2,
    0xF3B93385,
    0xF3240442,
    0xF3231402,
    0xF3320154,
    0xF3221113,
    0xF3120154,
]


def words() -> Iterator[int]:
    """Of every mont.S and its mutants a fifth; of every nat.h in NEON all,
    and instructions of NEON with one bit changed."""
    core, found = set(), set()
    for snapshot in ladder.every():
        if snapshot.has_assembly:
            code = list(
                built(
                    snapshot.path / "mont.S", f"-DWIDTH={snapshot.width}"
                ).words.values()
            )
            core |= {
                *code,
                *(word for one in mutations.of_code(code) for word in one.words),
            }
        source = snapshot.path / "nat.h"
        if source.is_file() and "arm_neon.h" in source.read_text():
            for level in ladder.LEVELS:
                compiled = operations.compiled(
                    snapshot.path, snapshot.width, None, level
                )
                found |= {*compiled[1].words.values()}
    vectors = {word for word in found if word >> 28 == 15 or word >> 25 & 7 > 5}
    changed = {word ^ 1 << bit for word in vectors for bit in range(28)}
    yield from [
        *sorted(core)[::5],
        *sorted(found),
        *sorted(changed - found)[::3],
        *UXTB,
        *SELDOM,
    ]


class Before:
    """What both machines hold before an instruction."""

    def __init__(self, source: random.Random) -> None:
        likely = (
            0x20800,
            0,
            0xFFFFFFFF,
            64,
            source.getrandbits(5),
            source.getrandbits(32),
        )
        self.flags = source.randrange(12)
        self.core = [source.choice((0x20800 + 4 * i, *likely)) for i in range(15)]
        self.core[SP] = 0x20800
        self.vectors = [
            source.choice((source.getrandbits(32), *likely)) for _ in range(64)
        ]


def proved(word: int, before: Before) -> list[object]:
    """Memory, registers and flags of the proofs' machine; None is not
    known. Raises Unproved."""
    machine = Machine(lambda _: word, Words(), [])
    machine.registers = [*before.core, START, *before.vectors]
    machine.carry, machine.added = before.flags >> 1 & 1, SUMS[before.flags & 1]
    machine.result = RESULTS[before.flags >> 2]
    machine.memory, machine.writable = dict(MEMORY), set(MEMORY)
    machine.step(word)
    result = bits(machine.result)
    flags = [result[31:], result.equals(0), machine.carry, machine.overflow]
    return [
        *machine.memory.values(),
        *machine.registers[:PC],
        *machine.registers[16:],
        *flags,
    ]


def emulated(uc: unicorn.Uc, word: int, before: Before) -> list[int]:
    """The same of Unicorn."""
    uc.mem_write(START, word.to_bytes(4, "little"))
    uc.ctl_flush_tb()
    uc.mem_write(DATA.start, struct.pack(f"<{len(DATA)}I", *MEMORY.values()))
    uc.reg_write(arm_const.UC_ARM_REG_CPSR, 0x10 | before.flags << 28)
    for register, value in zip(CORE, before.core):
        uc.reg_write(register, value)
    for register, low, high in zip(DOUBLES, before.vectors[::2], before.vectors[1::2]):
        uc.reg_write(register, high << 32 | low)
    uc.emu_start(START, 0, count=1)
    memory = struct.unpack(f"<{len(DATA)}I", uc.mem_read(DATA.start, 4 * len(DATA)))
    vectors = [
        uc.reg_read(register) >> k & 0xFFFFFFFF for register in DOUBLES for k in (0, 32)
    ]
    flags = [
        uc.reg_read(arm_const.UC_ARM_REG_CPSR) >> bit & 1 for bit in (31, 30, 29, 28)
    ]
    return [*memory, *map(uc.reg_read, CORE), *vectors, *flags]


@pytest.mark.slow
@pytest.mark.parametrize("most", mostly_long([15, 10_000], [15]))
def test_the_machine_is_unicorn(most: int) -> None:
    """With numbers instead of symbols the machine is an emulator: of so many
    instructions of a name, at most."""
    uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
    uc.ctl_set_cpu_model(arm_const.UC_CPU_ARM_CORTEX_A7)
    uc.mem_map(0, 0x30000)
    uc.reg_write(arm_const.UC_ARM_REG_FPEXC, 1 << 30)
    source, compared = random.Random(1), Counter()
    for word in words():
        name = text(word)[0]
        if compared[name] == most:
            continue
        before = Before(source)
        try:
            pairs = list(
                zip(proved(word, before), emulated(uc, word, before), strict=True)
            )
        except (Unproved, unicorn.UcError):
            continue
        assert all(mine in (None, theirs) for mine, theirs in pairs), f"{word:08x}"
        compared[name] += 1
    assert compared.total() > 500 and compared.keys() >= INSTRUCTIONS.keys()
