"""The proofs go through for the code as it is, and for no mutant that computes something else."""

import importlib
import random
import struct
from collections.abc import Iterator

import pytest

from harness.prove import decode, proofs
from harness.prove.bits import Bits
from harness.prove.compiling import built
from harness.prove.machine import Machine
from records import ladder
from records.ladder import Snapshot

if proofs.why_not():
    pytest.skip(proofs.why_not(), allow_module_level=True)

from harness.mutants import a32, c

ASSEMBLY = [snapshot for snapshot in proofs.every_snapshot() if proofs.is_known(snapshot)]


def numbers() -> Iterator[Snapshot]:
    """One snapshot of the ladder for every nat.h in C without NEON."""
    seen = set()
    for snapshot in ladder.snapshots():
        text = c.code((snapshot.path / "nat.h").read_text()).replace("register ", "")
        if text not in seen and "arm_neon.h" not in text:
            seen.add(text)
            yield snapshot


def label(snapshot: Snapshot) -> str:
    return f"{snapshot.study}/{snapshot.name}"


def rejected(proof: proofs.Proof, wanted: int) -> int:
    """How many mutants are rejected, of as many as it takes, from all over what is covered."""
    addresses = sorted(proof.covered)
    found, step = 0, max(1, len(addresses) // wanted)
    for address in addresses[:: max(1, step // 2)]:
        for mutation in list(a32.mutations([proof.code(address)]))[3::5][:2]:
            changed = proof.code.changed(address, mutation.words)
            found += not proofs.accepts(proof, changed)
            if found == wanted:
                return found
    return found


@pytest.mark.slow
@pytest.mark.parametrize("snapshot", ASSEMBLY, ids=label)
def test_the_assembly_is_proved_and_ten_mutants_are_not(snapshot: Snapshot) -> None:
    proof = proofs.of_assembly(snapshot)
    assert proof is not None
    proof.check(proof.code)
    assert rejected(proof, 10) == 10


@pytest.mark.slow
@pytest.mark.parametrize("snapshot", list(numbers()), ids=label)
def test_the_numbers_are_proved_and_ten_mutants_are_not(snapshot: Snapshot) -> None:
    for proof in proofs.of_numbers(snapshot):
        proof.check(proof.code)
        if "_in_" not in proof.name:  # the same function
            assert rejected(proof, 10) == 10, proof.name


def words() -> list[int]:
    """The words of every mont.S, and those of their mutants."""
    found = set()
    for snapshot in ASSEMBLY:
        code = list(built(snapshot.path / "mont.S", f"-DWIDTH={snapshot.width}").words.values())
        found |= {*code, *(word for one in a32.mutations(code) for word in one.words)}
    return sorted(found)


RESULTS = {0: 1, 1: 0, 2: 1 << 31}  # by N and Z
DATA, PC = range(0x20000, 0x22000, 4), 0x10000


def executed(word: int, before: list[int], flags: int, memory: dict[int, int]) -> Machine:
    """The proofs' machine after an instruction on numbers."""
    machine = Machine(Bits(), lambda _: word, [])
    machine.registers[:15], machine.result = before, RESULTS[flags >> 2]
    machine.carry, machine.overflow = flags >> 1 & 1, flags & 1
    machine.memory, machine.writable = dict(memory), set(memory)
    machine.run(PC, *range(0, 0x20000, 4))
    return machine


def test_the_machine_is_unicorn() -> None:
    """With numbers instead of symbols the machine is an emulator."""
    unicorn, arm = pytest.importorskip("unicorn"), importlib.import_module("unicorn.arm_const")
    uc = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
    uc.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_A7)
    uc.mem_map(0, 0x30000)
    names = [f"R{i}" for i in range(13)] + ["SP", "LR"]
    registers = [getattr(arm, f"UC_ARM_REG_{name}") for name in names]
    source, compared = random.Random(1), 0
    for word in words()[::14]:
        flags = source.randrange(12)
        likely = (0x20800, 0, 0xFFFFFFFF, source.getrandbits(5), source.getrandbits(32))
        before = [source.choice((0x20800 + 4 * i, *likely)) for i in range(15)]
        memory = {address: source.getrandbits(32) for address in DATA}
        try:
            machine = executed(word, before, flags, memory)
        except decode.Unproved:
            continue
        values = [*machine.registers, machine.result, machine.carry, *machine.memory.values()]
        if any(isinstance(value, str) for value in values):
            continue
        uc.mem_write(PC, word.to_bytes(4, "little"))
        uc.ctl_flush_tb()
        uc.mem_write(DATA.start, struct.pack(f"<{len(memory)}I", *memory.values()))
        uc.reg_write(arm.UC_ARM_REG_CPSR, 0x10 | flags << 28)
        for register, value in zip(registers, before):
            uc.reg_write(register, value)
        try:
            uc.emu_start(PC, 0, count=1)
        except unicorn.UcError:
            continue
        read = uc.mem_read(DATA.start, 4 * len(memory))
        assert list(struct.unpack(f"<{len(memory)}I", read)) == list(machine.memory.values())
        assert [uc.reg_read(register) for register in registers] == machine.registers[:15]
        found = (machine.result >> 31, machine.result == 0, machine.carry, machine.overflow)
        after = uc.reg_read(arm.UC_ARM_REG_CPSR) >> 28
        wanted = (after >> 3, after >> 2 & 1, after >> 1 & 1, after & 1)
        assert all(mine in (None, theirs) for mine, theirs in zip(found, wanted)), hex(word)
        compared += 1
    assert compared > 150


def test_what_is_not_understood_is_not_proved() -> None:
    for word in (0xF2400C40, 0xE7F000F0, 0xE1A00271):  # vadd, udf, asr r2: an index unknown
        machine = Machine(Bits(), lambda address, word=word: word, [])
        with pytest.raises(decode.Unproved):
            machine.run(0, 4)
