"""The proofs go through for the code as it is, and for no mutant that
computes something else."""

from collections.abc import Iterator

import pytest

for package in ("bitwuzla", "capstone", "sympy"):
    pytest.importorskip(package)

from records import ladder
from records.ladder import Snapshot
from verification import mutations, prove
from verification.instructions import Machine
from verification.symbols import Beyond, Unproved, Words

ASSEMBLY = [s for s in ladder.every() if s.has_assembly]


def numbers() -> Iterator[Snapshot]:
    """One snapshot for every nat.h in C; of those in the ladder the first."""
    seen = set()
    for snapshot in ladder.every():
        text = (snapshot.path / "nat.h").read_text()
        words = mutations.words(text).replace("register ", "")
        if prove.operations_of(text) and words not in seen:
            seen.add(words)
            yield snapshot


def label(snapshot: Snapshot) -> str:
    return f"{snapshot.study}/{snapshot.name}"


def mutants(word: int) -> list[tuple[int, ...]]:
    """What an instruction becomes; one of NEON by the change of a bit."""
    if word >> 28 == 15:
        return [(word ^ 1 << bit,) for bit in range(28)]
    return [mutation.words for mutation in mutations.of_code([word])]


def rejected(proof: prove.Proof, wanted: int) -> int:
    """How many mutants are rejected, of as many as it takes, from all over
    what is covered; those that the machine does not understand count for
    nothing."""
    addresses = sorted(proof.covered)
    found, step = 0, max(1, len(addresses) // wanted)
    for address in addresses[:: max(1, step // 2)]:
        for words in mutants(proof.code(address))[3::5][
            : max(2, 2 * wanted // len(addresses))
        ]:
            try:
                proof.check(proof.code.changed(address, words))
            except Beyond:
                continue
            except Unproved:
                found += 1
            if found == wanted:
                return found
    return found


@pytest.mark.slow
@pytest.mark.parametrize("snapshot", ASSEMBLY, ids=label)
def test_the_assembly_is_proved_and_ten_mutants_are_not(snapshot: Snapshot) -> None:
    proof = prove.of_assembly(snapshot)
    proof.check(proof.code)
    assert rejected(proof, 10) == 10


@pytest.mark.slow
@pytest.mark.parametrize("snapshot", list(numbers()), ids=label)
def test_the_numbers_are_proved_and_ten_mutants_are_not(snapshot: Snapshot) -> None:
    """The ladder's at every level, the studies' at -O1; mutants of the
    ladder's, and of NEON."""
    ours = snapshot.study == ladder.LADDER
    for level in ladder.LEVELS if ours else ("O1",):
        for proof in prove.of_numbers(snapshot, level=level):
            proof.check(proof.code)
            mutated = ours or any(
                proof.code(address) >> 28 == 15 for address in proof.covered
            )
            if (
                mutated and level == "O1" and "_in_" not in proof.name
            ):  # the same function
                assert rejected(proof, 10) == 10, proof.name


@pytest.mark.slow
@pytest.mark.parametrize("level", ladder.LEVELS)
def test_digits_are_proved_and_ten_mutants_are_not(level: str) -> None:
    proofs = list(prove.of_digits(level))
    for proof in proofs:
        proof.check(proof.code)
    shortest = proofs[0]
    assert rejected(shortest, 10) == 10


FAULTS = (
    (
        "add",
        "vget_low_u64(hi), s1, 32",
        "vget_low_u64(hi), s0, 32",
    ),  # the carry of another limb
    ("sub", "vsra_n_s64(vget_low_s64(hi), s1, 32)", "vget_low_s64(hi)"),  # no borrow
    (
        "shr",
        "vget_high_u64(d), vdup_n_s64(64 - k)",
        "vget_high_u64(d), vdup_n_s64(63 - k)",
    ),
    ("halve", "vdupq_n_u32((uint32_t)top), 1", "vdupq_n_u32((uint32_t)top), 2"),
    (
        "halve",
        "nat above",
        '__asm__ volatile("vmov.i32 q7, #0"); nat above',
    ),  # d14 is not kept
    ("less", "vgetq_lane_u64(a, 0) <", "vgetq_lane_u64(a, 0) <="),
    ("", "vdup_n_u64(0)", "vdup_n_u64(1)"),  # shr may change what rsa.c does not use
)


@pytest.mark.parametrize(("name", "old", "new"), FAULTS)
def test_a_fault_in_neon_is_found_by_its_proof_alone(
    name: str, old: str, new: str
) -> None:
    snapshot = ladder.find("v3")
    text = (snapshot.path / "nat.h").read_text()
    assert old in text
    for proof in prove.of_numbers(snapshot, text.replace(old, new)):
        assert proof.accepts(proof.code) == (proof.name.split()[-1] != name), proof.name


# vmla; vld1 of one word to two lanes; vld1 at an address that is not aligned; udf; asr by an
# unknown index; vorr of what nobody has written
@pytest.mark.parametrize(
    "word", (0xF2200960, 0xF4E00C8F, 0xF461079F, 0xE7F000F0, 0xE1A00271, 0xF2200150)
)
def test_what_is_not_understood_is_not_proved(word: int) -> None:
    machine = Machine(lambda _: word, Words(), [])
    machine.registers[:2], machine.registers[15] = [0, 4], 0
    machine.memory = {0: 1, 4: 1, 8: 1}
    machine.registers += [0 if word != 0xF2200150 else None] * 64
    with pytest.raises(Unproved):
        machine.step(word)
