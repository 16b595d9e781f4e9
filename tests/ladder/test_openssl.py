"""bn_mul_mont of studies/openssl: right for every size, constant in time, within its operands."""

import random
import subprocess
from pathlib import Path

import pytest
from montgomery_call import Caller
from montgomery_cases import A_IS_B, FOLDER, KINDS, NONE, SIZES, Case, build, cases, wrong
from needs import needs

from records.ladder import ROOT

pytestmark = needs("arm-linux-gnueabihf-gcc", "qemu-arm", "python:unicorn", "gcc")
QUICK = (*range(1, 14), 16, 17, 31, 32, 33, 64)

# A fault: the right text, and the wrong one.
TOP_WORD = (
    "        ldr     r4, [sp, #CARRY]",
    "ldr r6, [r0, #-4]\n cmp r6, r11\n ldr r4, [sp, #CARRY]",
)
PLANTED = {
    "comparison of the top word alone": TOP_WORD,
    "no final subtraction": ("        and     r4, r4, r5", "        mvn     r4, #0"),
    "the carry on top is lost": ("        and     r4, r4, r5", "        mov     r4, r5"),
    "no carry from four rows to the next": ("        rsbs    r0, r0, #0", "        cmn     r0, #0"),
    "no carry between limbs of a row": (
        "        adcs    r7, r7, r12",
        "        adds    r7, r7, r12",
    ),
    "no borrow between limbs": ("        sbcs    r6, r6, r10", "        subs    r6, r6, r10"),
    "doubling loses the carry": ("        adcs    r6, r6, r6", "        adds    r6, r6, r6"),
    "squares lose the carry": ("        umaal   r7, r9, r10, r10", "        mov     r9, #0"),
    "a row reads a limb once more": (
        "        mov     r7, #0\n        str     r8",
        "        str     r8",
    ),
    "t is not cleared": ("1:      stm     r10!, {r6-r9}", "1:      add     r10, r10, #16"),
    "the pad is forgotten": ("        add     lr, lr, r5", "        nop"),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("openssl"))


@pytest.fixture(scope="module")
def caller(program: Path) -> Caller:
    hooks = program.with_name("trace.so")
    source = ROOT / "harness/trace/trace.c"
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", source, "-o", hooks], check=True)
    return Caller(program, hooks)


def test_small_and_common_sizes(program: Path) -> None:
    assert wrong(program, list(cases(QUICK, 6))) == []


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, len(SIZES), 9))
def test_every_size(program: Path, first: int) -> None:
    todo = list(cases(SIZES[first : first + 9], 30))
    assert len(todo) > 3000
    assert wrong(program, todo) == []


def test_long_run_has_50_000_cases() -> None:
    few = len(list(cases(SIZES[:9], 30)))
    assert few * (len(SIZES) // 9) >= 50_000


@pytest.mark.parametrize("fault", PLANTED)
def test_faults_are_found(fault: str, tmp_path: Path) -> None:
    right = (FOLDER / "bn_mul_mont.S").read_text()
    text, instead = PLANTED[fault]
    assert text in right
    program = build(tmp_path, right.replace(text, instead, 1))
    assert wrong(program, list(cases((4, 7, 8, 16), 12)))


def test_random_operands_miss_a_comparison_of_the_top_word(tmp_path: Path) -> None:
    right = (FOLDER / "bn_mul_mont.S").read_text()
    program = build(tmp_path, right.replace(*TOP_WORD, 1))
    missed = list(cases((4, 8, 16), 200, ["random"]))
    assert wrong(program, missed) == []
    found = {case.kind for case in wrong(program, list(cases((4, 8, 16), 12)))}
    assert {"just-below-n", "same-top-limb", "square-just-below-n"} <= found


@pytest.mark.parametrize("num", [0, -1, 1025, 2**31 - 1])
def test_other_sizes_are_left_to_the_caller(caller: Caller, num: int) -> None:
    assert caller.refuses(num)


@pytest.mark.parametrize("num", [1, 3, 4, 8, 13, 32, 64])
@pytest.mark.parametrize("alias", [NONE, A_IS_B])
def test_trace_does_not_depend_on_operands(caller: Caller, num: int, alias: int) -> None:
    chooser = random.Random(num)
    n = chooser.getrandbits(32 * num) | 1 << (32 * num - 1) | 1
    found = set()
    secrets = [0, 1, n - 1, n - 2, n // 2, *(chooser.randrange(n) for _ in range(20))]
    for a in secrets:
        b = a if alias == A_IS_B else chooser.choice(secrets)
        trace = caller.call(Case("", num, alias, a, b, n))
        assert trace.astray == 0
        found.add(trace.hash)
    assert len(found) == 1


def test_every_access_is_to_an_operand_or_the_frame(caller: Caller) -> None:
    for case in cases(QUICK, 1, ["aliasing", "just-below-n"]):
        assert caller.call(case).astray == 0


@pytest.mark.parametrize(("alias", "most"), [(NONE, 12_700), (A_IS_B, 10_300)])
def test_instructions_at_64_limbs(caller: Caller, alias: int, most: int) -> None:
    n = 2**2048 - 1942289
    trace = caller.call(Case("", 64, alias, n - 5, n - 5, n))
    assert trace.instructions - 1 <= most


def test_kinds_are_those_of_the_vectors() -> None:
    assert set(KINDS) > {"just-below-n", "all-ones", "same-top-limb", "edge-limbs"}
