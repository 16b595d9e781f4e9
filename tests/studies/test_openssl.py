"""bn_mul_mont of studies/openssl: right for every size, constant in time, within its operands."""

import random
import subprocess
from pathlib import Path

import pytest
from montgomery_call import Caller
from montgomery_cases import A_IS_B, ALL, FOLDER, KINDS, NONE, SIZES, Case, build, cases, wrong
from needs import needs

from records.faults import Failure
from records.ladder import ROOT

pytestmark = needs("arm-linux-gnueabihf-gcc", "qemu-arm", "python:unicorn", "gcc")
SECRETS = 64
QUICK = (*range(1, 14), 16, 17, 31, 32, 33, 64)

# A fault: the right text, and the wrong one.
TOP_WORD = (
    "        ldr     r4, [sp, #CARRY]",
    "ldr r6, [r0, #-4]\n cmp r6, r12\n ldr r4, [sp, #CARRY]",
)
PLANTED = {
    "comparison of the top word alone": TOP_WORD,
    "no final subtraction": ("        and     r4, r4, r5", "        mvn     r4, #0"),
    "the carry on top is lost": ("        and     r4, r4, r5", "        mov     r4, r5"),
    "no carry from four rows to the next": ("        rsbs    r0, r0, #0", "        cmn     r0, #0"),
    "no carry between limbs": (
        "        \\op     r7, r7, r12",
        "        .ifc \\op, adcs\n adds r7, r7, r12\n .else\n \\op r7, r7, r12\n .endif",
    ),
    "no borrow between limbs": (
        "        \\op     r6, r6, r11",
        "        .ifc \\op, sbcs\n subs r6, r6, r11\n .else\n \\op r6, r6, r11\n .endif",
    ),
    "doubling loses the carry": ("        adcs    r6, r6, r6", "        adds    r6, r6, r6"),
    "squares lose the carry": ("        umaal   r7, r9, r10, r10", "        mov     r9, #0"),
    "a row keeps the window of another": (
        "        clear   r4, r5, r6, r7\n        ldm",
        "        ldm",
    ),
    "t is not cleared": ("1:      stm     lr!, {r7-r10}", "1:      add     lr, lr, #16"),
    "t is cleared but for a limb": ("{r7-r10}\n        cmp", "{r7-r9}\n        cmp"),
    "the pad is forgotten": ("        add     lr, lr, r6", "        nop"),
    "no zeros in the pad": ("        stm     r10, {r7-r9}", "        nop"),
    "r is written before b is read": ("        mov     r11, sp", "mov r11, sp\n str r12, [r0]"),
    "a write beside r": ("        bpl     9b", "        bpl     9b\n        str     r4, [r2]"),
    "one limb is refused": (
        "        sub     r12, r12, #1\n",
        "subs r12, r12, #1\n mvneq r12, r12\n",
    ),
    "the largest size is refused": ("LARGEST, 1024", "LARGEST, 1020"),
    "a register of the caller is lost": ("{r4-r11, pc}", "{r4-r10, r12, pc}"),
    "it returns to ARM code alone": (
        "        pop     {r4-r11, pc}",
        "pop {r4-r11, lr}\n bic lr, lr, #1\n bx lr",
    ),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("openssl"))


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hooks") / "trace.so"
    source = ROOT / "verification/trace.c"
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", source, "-o", made], check=True)
    return made


@pytest.fixture(scope="module")
def caller(program: Path, hooks: Path) -> Caller:
    return Caller(program, hooks)


def planted(folder: Path, old: str, new: str) -> Path:
    """The driver with a fault in the routine."""
    right = (FOLDER / "bn_mul_mont.S").read_text()
    assert old in right
    return build(folder, right.replace(old, new, 1))


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
    program = planted(tmp_path, *PLANTED[fault])
    assert wrong(program, list(cases((1, 4, 7, 8, 9, 16), 12)) + list(cases([1024], 1, ["random"])))


def test_random_operands_miss_a_comparison_of_the_top_word(tmp_path: Path) -> None:
    program = planted(tmp_path, *TOP_WORD)
    missed = list(cases((4, 8, 16), 200, ["random"]))
    assert wrong(program, missed) == []
    found = {case.kind for case in wrong(program, list(cases((4, 8, 16), 12)))}
    assert {"just-below-n", "same-top-limb", "square-just-below-n"} <= found


@pytest.mark.parametrize("num", [0, -1, 1025, 2**31 - 1])
def test_other_sizes_are_left_to_the_caller(caller: Caller, num: int) -> None:
    assert caller.refuses(num)


def test_a_size_that_is_not_refused_is_seen(tmp_path: Path, hooks: Path) -> None:
    program = planted(tmp_path, "        movhs   r0, #0\n        bxhs", "movge r0, #0\n bxge")
    with pytest.raises(Failure):
        Caller(program, hooks).refuses(-1)


def traces(caller: Caller, num: int, alias: int) -> set[int]:
    """The different traces of SECRETS calls, which touch nothing but operands and frame."""
    chooser = random.Random(num)
    n = chooser.getrandbits(32 * num) | 1 << (32 * num - 1) | 1
    found = set()
    secrets = [0, 1, n - 1, n - 2, n // 2, *(chooser.randrange(n) for _ in range(SECRETS - 5))]
    for a in secrets:
        b = a if alias == A_IS_B else chooser.choice(secrets)
        trace = caller.call(Case("", num, alias, a, b, n))
        assert trace.astray == 0
        found.add(trace.hash)
    return found


@pytest.mark.parametrize("num", [1, 3, 4, 8, 13, 32, 64])
@pytest.mark.parametrize("alias", [NONE, A_IS_B])
def test_trace_does_not_depend_on_operands(caller: Caller, num: int, alias: int) -> None:
    assert len(traces(caller, num, alias)) == 1


SUBTRACTED = "        sbc     r5, r5, r5\n"
LEAKS = {
    "a branch on the borrow": (SUBTRACTED, f"{SUBTRACTED} bcs 12f\n nop\n12:\n"),
    "an address from the borrow": (SUBTRACTED, f"{SUBTRACTED} and r6, r5, #4\n ldr r6, [sp, r6]\n"),
    "a branch on a limb": (
        ".Lreduction_left:\n",
        ".Lreduction_left: cmp r4, #0\n bmi 12f\n nop\n12:\n",
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_leaks_are_found(leak: str, tmp_path: Path, hooks: Path) -> None:
    caller = Caller(planted(tmp_path, *LEAKS[leak]), hooks)
    assert len(traces(caller, 4, NONE)) > 1


def test_a_frame_that_is_not_cleared_is_seen(tmp_path: Path, hooks: Path) -> None:
    program = planted(tmp_path, "11:     stm     r9!, {r0-r7}", "11:     add     r9, r9, #32")
    with pytest.raises(AssertionError, match="not cleared"):
        Caller(program, hooks).call(next(cases([8], 1)))


def test_every_access_is_to_an_operand_or_the_frame(caller: Caller) -> None:
    for case in cases(QUICK, 1, ["aliasing", "just-below-n"]):
        assert caller.call(case).astray == 0


WALKED = [case for case in cases((3, 8), 2, ["square-just-below-n", "random"]) if case.alias < ALL]


@pytest.mark.parametrize("case", WALKED, ids=lambda case: f"{case.num}-{case.kind}")
def test_the_stack_can_be_walked(program: Path, hooks: Path, case: Case) -> None:
    assert Caller(program, hooks).lost(case) == []


@pytest.mark.parametrize("wrong_rule", ["SAVED, 0x06, 0x23, 44", "CARRY, 0x06, 0x23, 40"])
def test_a_wrong_frame_is_seen(tmp_path: Path, hooks: Path, wrong_rule: str) -> None:
    program = planted(tmp_path, "SAVED, 0x06, 0x23, 40", wrong_rule)
    assert Caller(program, hooks).lost(WALKED[0])


@pytest.mark.parametrize(("alias", "most"), [(NONE, 12_488), (A_IS_B, 10_071)])
def test_instructions_at_64_limbs(caller: Caller, alias: int, most: int) -> None:
    n = 2**2048 - 1942289
    trace = caller.call(Case("", 64, alias, n - 5, n - 5, n))
    assert trace.instructions - 1 <= most


def test_kinds_are_those_of_the_vectors() -> None:
    assert set(KINDS) > {"just-below-n", "all-ones", "same-top-limb", "edge-limbs"}
