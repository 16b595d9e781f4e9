"""The machine code of a program: compiled, read, and decoded by capstone as A32 instructions."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from harness.elf import read_elf
from records.command import run
from records.faults import Failure
from records.ladder import ROOT

REGISTERS = [f"r{i}" for i in range(13)] + ["sp", "lr", "pc"]
NUMBERS = {name: i for i, name in enumerate(REGISTERS)} | {"sb": 9, "sl": 10, "fp": 11, "ip": 12}
SP, LR, PC = 13, 14, 15
VECTORS = {"s": 1, "d": 2, "q": 4}  # words of a register
CONDITIONS = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")


class Unproved(Failure):
    """A proof that does not go through: a fault in the code, or more than the proof understands."""


class Beyond(Unproved):
    """Code that the proof does not understand."""


class Address(NamedTuple):
    """The operand [base, more << shift, #offset] of a load or store; `more` may be None."""

    base: int
    more: int | None
    shift: int
    offset: int


class Shifted(NamedTuple):
    """A register, shifted by a number or by another register: lsl, lsr, asr, ror or rrx."""

    register: int
    kind: str
    amount: int
    by: int | None = None


class Vector(NamedTuple):
    """A register of NEON, or a lane of 32 bits: its first word, where s5 is word 5, d3 words 6 and
    7, and how many words it has."""

    first: int
    words: int


Operand = int | Shifted | Address | Vector  # an int is a number


class Instruction(NamedTuple):
    """`name` has neither condition nor s; `condition` is "" for always."""

    address: int
    name: str
    condition: str
    sets_flags: bool
    operands: tuple[Operand, ...]
    writes_back: bool
    post_index: bool
    text: str

    def register(self, i: int) -> int:
        """The register that operand i is.  Raises Unproved when it is none."""
        operand = self.operands[i]
        if isinstance(operand, Shifted) and not operand.kind:
            return operand.register
        raise Unproved(f"{self.text}: operand {i} is no register")


@cache
def _capstone() -> Any:
    import capstone

    found = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM)
    found.detail = True
    return found


@cache
def decode(word: int, address: int) -> Instruction:
    """The instruction that a word is.  Raises Unproved for what is none."""
    found = list(_capstone().disasm(word.to_bytes(4, "little"), address, 1))
    if not found:
        raise Unproved(f"{address:#x}: {word:08x} is no instruction")
    (one,) = found
    name, condition = one.mnemonic, ""
    if 0 < one.cc <= len(CONDITIONS):
        condition = CONDITIONS[one.cc - 1]
        name = name.removesuffix(condition)
    sets_flags = _sets_flags(word)
    if sets_flags and name.endswith("s"):
        name = name[:-1]
    operands = tuple(_operand(one, operand) for operand in one.operands)
    post = not word >> 24 & 1  # a load or store adds its offset afterwards
    text = f"{address:#x}: {one.mnemonic} {one.op_str}"
    if word >> 25 & 7 == 1 and sum(isinstance(operand, int) for operand in operands) > 1:
        raise Beyond(f"{text}: a number that is not in its usual form")
    return Instruction(address, name, condition, sets_flags, operands, _writes(word), post, text)


def _sets_flags(word: int) -> bool:
    """Bit S of data processing and products; capstone says that adc without it sets flags, too."""
    transfer = word >> 25 & 1 == 0 and word & 0x90 == 0x90 and word >> 5 & 3 != 0
    return word >> 26 & 3 == 0 and not transfer and bool(word >> 20 & 1)


def _writes(word: int) -> bool:
    """Whether a load or store changes its base."""
    if word >> 24 == 0xF4:  # vld1, vst1 and their like
        return word & 15 != 15
    return bool(word >> 21 & 1) or (word >> 25 & 7 in (0, 2, 3) and not word >> 24 & 1)


def _vector(one: Any, operand: Any) -> Vector | None:
    """A register of NEON; capstone shows no lane for d0[] either, which is more than d0."""
    named = re.fullmatch(r"([sdq])(\d+)", one.reg_name(operand.reg))
    if not named or "[]" in one.op_str:
        return None
    words, lane = VECTORS[named[1]], max(operand.vector_index, operand.neon_lane)
    return Vector(int(named[2]) * words + max(lane, 0), words if lane < 0 else 1)


def _operand(one: Any, operand: Any) -> Operand:
    import capstone.arm as names

    def number(register: int) -> int:
        name = one.reg_name(register)
        if name not in NUMBERS:
            raise Beyond(f"{one.mnemonic} {one.op_str}: not a register of the core")
        return NUMBERS[name]

    if operand.type == names.ARM_OP_REG and (found := _vector(one, operand)):
        return found
    shift, amount = operand.shift.type, operand.shift.value
    kinds = {0: "", 1: "asr", 2: "lsl", 3: "lsr", 4: "ror", 5: "rrx"}
    by = None
    if shift - 5 in (1, 2, 3, 4):
        shift, by, amount = shift - 5, number(amount), 0
    if operand.type == names.ARM_OP_IMM:
        return int(-operand.imm if operand.subtracted else operand.imm) & 0xFFFFFFFF
    if shift not in kinds:
        raise Beyond(f"{one.mnemonic} {one.op_str}: a shift of another kind")
    if operand.type == names.ARM_OP_REG:
        return Shifted(number(operand.reg), kinds[shift], amount, by)
    if operand.type == names.ARM_OP_MEM:
        index = number(operand.mem.index) if operand.mem.index else None
        if index is not None and (operand.subtracted or kinds[shift] not in ("", "lsl")):
            raise Beyond(f"{one.mnemonic} {one.op_str}: an address of another kind")
        amount = amount if kinds[shift] else operand.mem.lshift
        return Address(number(operand.mem.base), index, amount, operand.mem.disp)
    raise Beyond(f"{one.mnemonic} {one.op_str}: an operand of another kind")


CC = "arm-linux-gnueabihf-gcc"
ARCH = ("-std=c11", "-marm", "-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard")
TEXT = 0x20000
LINK = ("-static", "-nostdlib", f"-Wl,-Ttext={TEXT:#x},--build-id=none")


def arm(*words: str | Path) -> None:
    """Compiles, assembles or links.  Raises Failure."""
    run([CC, *ARCH, f"-I{ROOT / 'harness'}", *words])


@dataclass(frozen=True)
class Code:
    """`words` by address; `functions`: name -> first address and first beyond."""

    words: dict[int, int]
    functions: dict[str, tuple[int, int]]

    def __call__(self, address: int) -> int:
        """The word at an address.  Raises Unproved where there is none."""
        if address not in self.words:
            raise Unproved(f"a jump to {address:#x}")
        return self.words[address]

    def changed(self, address: int, words: Sequence[int]) -> Code:
        """The same with other words from an address on."""
        new = {address + 4 * i: word for i, word in enumerate(words)}
        return Code(self.words | new, self.functions)


def code_of(program: Path) -> Code:
    """A static program's code.  Raises Failure."""
    elf = read_elf(program)
    section = elf.sections[".text"]
    data = elf.bytes_at(section.start, len(section) // 4 * 4)
    words = {
        section.start + i: int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)
    }
    return Code(words, {name: (start, end) for start, end, name in elf.functions})


def built(source: Path, *options: str | Path) -> Code:
    """The code of a source alone.  Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        arm(*LINK, "-Wl,-e,0", *options, source, "-lgcc", "-o", program)
        return code_of(program)


WITH_CARRY = ("adc", "sbc", "rsc", "rrx")


def needs(word: int, address: int) -> tuple[set[int | str], set[int | str]]:
    """What an instruction reads or writes, and what it writes: registers, "flags" and "memory".
    Raises Unproved for what is no instruction."""
    one = decode(word, address)
    if any(isinstance(operand, Vector) for operand in one.operands):
        raise Unproved(f"{one.text}: not understood")
    by_capstone = next(_capstone().disasm(word.to_bytes(4, "little"), 0, 1))
    names = (map(by_capstone.reg_name, registers) for registers in by_capstone.regs_access())
    sets: list[set[int | str]] = [{NUMBERS[r] for r in some if r in NUMBERS} for some in names]
    reads, written = sets
    if one.condition or one.name in WITH_CARRY or "rrx" in one.text:
        reads.add("flags")
    if one.sets_flags:
        written.add("flags")
    block = one.name[:3] in ("ldm", "stm") or one.name in ("push", "pop")
    if block or any(isinstance(operand, Address) for operand in one.operands):
        loads = one.name[:2] == "ld" or one.name == "pop"
        (reads if loads else written).add("memory")
    return reads | written, written


def independent(code: Code, address: int) -> bool:
    """Whether the instruction at an address and the next one may change places."""
    try:
        (one, written), (other, changed) = (needs(code(a), a) for a in (address, address + 4))
        branches = [at for at, word in code.words.items() if word >> 25 & 7 == 5]
        targets = {target for at in branches for target in decode(code(at), at).operands}
    except Unproved:
        return False
    return not (address + 4 in targets or PC in one | other or one & changed or other & written)
