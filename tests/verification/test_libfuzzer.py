"""`make fuzz`: every snapshot in C against GMP, and planted carry bugs
that it has to find."""

import re

import pytest
from clone import Clone
from needs import needs
from planting import planted
from representatives import mostly_long

from records import ladder
from records.ladder import Snapshot

libfuzzer = needs("libfuzzer")
QUICK, LONG, LONG_STUDY = 8_000, 1_250_000, 125_000  # inputs; each makes eight products
IN_C = [
    s
    for study in (ladder.LADDER, *ladder.studies())
    for s in ladder.snapshots(study)
    if not s.has_assembly
    if not any("__asm__" in path.read_text() for path in s.path.glob("*.[ch]"))
]

TOP = ("if (top || !less(z, n))", "if (!less(z, n))")
BORROW = ("y.w2 - (s >> 63)", "y.w2")
LIMB = ("    if (x.w1 != y.w1)\n        return x.w1 < y.w1;\n", "")
ONES = ("s = (s >> 32) + x.w2 + y.w2;", "s = (s >> 32) + (uint64_t)(x.w2 + y.w2);")
BUGS = [
    ("v7", "rsa.c", "the carry out of the top limb is lost", *TOP),
    ("v7", "nat.h", "a borrow between limbs is dropped", *BORROW),
    ("v7", "nat.h", "a limb is not compared", *LIMB),
    ("v2", "nat.h", "a carry between limbs is lost", *ONES),
]


def fuzz(clone: Clone, *words: str) -> dict[str, tuple[int, int]]:
    """What `make fuzz` computed without a fault: products and powers of
    each snapshot."""
    ran = clone.make("fuzz", *words)
    assert ran.returncode == 0, ran.stdout[-1000:] + ran.stderr[-1000:]
    said = re.findall(r"FUZZ +(\S+): (\d+) products, (\d+) powers", ran.stdout)
    return {name: (int(products), int(powers)) for name, products, powers in said}


@libfuzzer
def test_a_rung_computes_what_gmp_computes(clone: Clone) -> None:
    ((products, powers),) = fuzz(clone, "V=v7", f"RUNS={QUICK}").values()
    assert products >= 8 * QUICK and powers >= 40


@libfuzzer
@pytest.mark.long
def test_the_ladder_computes_what_gmp_computes(clone: Clone) -> None:
    found = fuzz(clone, f"RUNS={QUICK}")
    assert (
        "fuzz: RUNS=many: say how many"
        in clone.make("fuzz", "V=v0", "RUNS=many").stderr
    )
    rungs = {f"{s.study}/{s.name}" for s in IN_C if s.study == ladder.LADDER}
    neon = {
        f"{s.study}/{s.name}"
        for s in IN_C
        if "arm_neon.h" in (s.path / "nat.h").read_text()
    }
    assert rungs - neon <= set(found) <= rungs  # NEON where SIMDe is installed
    assert all(
        products >= 8 * QUICK and powers >= 40 for products, powers in found.values()
    )


@libfuzzer
@pytest.mark.long
@pytest.mark.parametrize("snapshot", IN_C, ids=lambda s: f"{s.study}-{s.name}")
def test_millions_of_products(clone: Clone, snapshot: Snapshot) -> None:
    in_ladder = snapshot.study == ladder.LADDER
    runs = LONG if in_ladder else LONG_STUDY
    found = fuzz(clone, f"STUDY={snapshot.study}", f"V={snapshot.name}", f"RUNS={runs}")
    ((products, powers),) = found.values()
    assert products >= 8 * runs and powers >= runs // 125


@pytest.fixture(scope="module")
def spoilt(clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return clone.copy(tmp_path_factory.mktemp("spoilt") / "copy")


@libfuzzer
def test_a_loop_without_end_meets_a_limit_and_is_called_no_bug(spoilt: Clone) -> None:
    source = spoilt.path / "iterations/v7/nat.h"
    head = "static int less(nat x, nat y)\n{\n"
    with planted(source, head, f"{head}    for (;;)\n        ;\n"):
        ran = spoilt.make("fuzz", "V=v7", f"RUNS={QUICK}", "LIMIT=2")
    said = "fuzz: iterations/v7: no end after 2 s of processor time, its limit; LIMIT=8"
    assert said in ran.stderr and "got" not in ran.stderr


@libfuzzer
@pytest.mark.parametrize(
    ("rung", "file", "bug", "old", "new"),
    mostly_long(BUGS, (BUGS[0], BUGS[3])),
    ids=[b[2] for b in BUGS],
)
def test_a_planted_bug_is_found(spoilt, rung, file, bug, old, new) -> None:
    """And the line that it prints is a vector: its last number is Python's
    result."""
    with planted(spoilt.path / "iterations" / rung / file, old, new):
        ran = spoilt.make("fuzz", f"V={rung}", f"RUNS={QUICK}")
    said = re.search(
        r"(mont_mul|mod_exp) fuzz (\w+) (\w+) (\w+) (\w+)\n.* got (\w+)", ran.stderr
    )
    assert ran.returncode == 2 and said, ran.stdout + ran.stderr
    n, x, y, z, got = (int(number, 16) for number in said.groups()[1:])
    power = said[1] == "mod_exp"
    assert z == (pow(x, y, n) if power else x * y * pow(2, -128, n) % n) != got
