"""The proofs go through for the code as it is, and for no mutant that computes something else."""

from collections.abc import Iterator

import pytest

from harness.prove import decode, proofs
from harness.prove.bits import Bits
from harness.prove.calls import RETURN, M, X, Y, Z, enter
from harness.prove.compiling import built
from harness.prove.machine import Machine
from records import ladder
from records.ladder import Snapshot

if proofs.why_not():
    pytest.skip(proofs.why_not(), allow_module_level=True)

from harness.mutants import a32

ASSEMBLY = [snapshot for snapshot in proofs.every_snapshot() if proofs.is_known(snapshot)]


def numbers() -> Iterator[Snapshot]:
    """One snapshot of the ladder for every nat.h in C without NEON."""
    seen = set()
    for snapshot in ladder.snapshots():
        text = (snapshot.path / "nat.h").read_text()
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
        assert rejected(proof, 10) == 10, proof.name


@pytest.mark.parametrize("snapshot", ASSEMBLY, ids=label)
def test_the_machine_computes_what_the_vectors_say(snapshot: Snapshot) -> None:
    """With numbers instead of symbols the machine is an emulator."""
    path = ladder.ROOT / f"data/inputs/width-{snapshot.width}/vectors/mont_mul.txt"
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    code, limbs = built(snapshot.path / "mont.S", f"-DWIDTH={snapshot.width}"), snapshot.width // 32
    for _, _, *fields in lines[:: len(lines) // 12]:
        n, x, y, z = (int(field, 16) for field in fields)
        machine = Machine(Bits(), code, [])
        enter(machine, limbs, lambda name: 0)
        for base, value in ((X, x), (Y, y), (M, n)):
            for i in range(limbs):
                machine.memory[base + 4 * i] = value >> 32 * i & 0xFFFFFFFF
        machine.memory[M + 8 * limbs] = -pow(n, -1, 1 << 32) % (1 << 32)
        machine.run(code.functions["mont_mul"][0], RETURN)
        assert sum(machine.memory[Z + 4 * i] << 32 * i for i in range(limbs)) == z


def test_what_is_not_understood_is_not_proved() -> None:
    for word in (0xF2400C40, 0xE7F000F0, 0xE1A00271):  # vadd, udf, asr r2: an index unknown
        machine = Machine(Bits(), lambda address, word=word: word, [])
        with pytest.raises(decode.Unproved):
            machine.run(0, 4)
