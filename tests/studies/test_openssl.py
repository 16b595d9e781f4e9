"""bn_mul_mont of studies/openssl: right for every size, constant in time,
within its operands.

The cases are the kinds of harness/kinds.py, and squares;
studies/openssl/driver.c runs them, and the right answers are Python's
own arithmetic. Single calls in Unicorn give traces and counts.
"""

import random
import struct
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
import unwind
from needs import needs
from representatives import mostly_long

from harness.kinds import MONT_MUL, Stream, Triple
from harness.unicorn import READ, TRAP, WRITE, State, Traced
from records.ladder import ROOT

pytestmark = needs("arm-linux-gnueabihf-gcc", "qemu-arm", "python:unicorn", "gcc")

# --- cases ----------------------------------------------------------------------------------------

SIZES = (*range(1, 161), 240, 480)
NONE, R_IS_A, R_IS_B, A_IS_B, ALL = range(5)  # as in driver.c
# 2^p - 1 is prime and 3 modulo 4, hence half of all numbers below it are squares, found by a power.
MERSENNE = (31, 61, 89, 127, 521, 607, 1279, 2203, 2281, 3217, 4253, 4423)

FOLDER = ROOT / "studies/openssl"
COMPILER = (
    "arm-linux-gnueabihf-gcc -O2 -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard"
)


@dataclass(frozen=True)
class Case:
    """r := a b R^-1 mod n, all of num limbs."""

    kind: str
    num: int
    alias: int
    a: int
    b: int
    n: int

    def packed(self) -> bytes:
        """What the driver reads."""
        n0 = -pow(self.n, -1, 1 << 32) % (1 << 32)
        numbers = (self.a, self.n) if self.alias >= A_IS_B else (self.a, self.b, self.n)
        words = b"".join(number.to_bytes(4 * self.num, "little") for number in numbers)
        return struct.pack("<3I", self.num, self.alias, n0) + words

    def answer(self) -> bytes:
        """What the driver has to write."""
        r = self.a * self.b * pow(1 << 32 * self.num, -1, self.n) % self.n
        return struct.pack("<I", 1) + r.to_bytes(4 * self.num, "little")


def square_just_below(s: Stream, width: int) -> Iterator[Triple]:
    """Squares whose result is n - 1 - k with a small k, modulo a prime."""
    primes = [2**p - 1 for p in MERSENNE if width - 32 < p <= width]
    if width <= 256:
        c = 1
        while pow(2, (n := 2**width - c) - 1, n) != 1:
            c += 4
        primes.append(n)
    for n in primes:
        for k in range(24):
            square = (n - 1 - k) * 2**width % n
            root = pow(square, (n + 1) // 4, n)
            if root * root % n == square:
                yield n, root, root


KINDS = MONT_MUL | {"square-just-below-n": square_just_below}
# The others draw moduli that are a limb shorter than num limbs.
OF_ONE_LIMB = "random largest one-limb edge-limbs all-ones 2^k+1 every-width square-just-below-n".split()


def cases(
    sizes: Iterable[int], each: int, kinds: Iterable[str] = KINDS
) -> Iterator[Case]:
    """`each` cases of every kind for every number of limbs, or as many as
    the kind has."""
    for num in sizes:
        for kind in kinds:
            if num == 1 and kind not in OF_ONE_LIMB:
                continue
            triples = KINDS[kind](Stream(f"bn_mul_mont {num} {kind}"), 32 * num)
            for i, (n, a, b) in enumerate(islice(triples, each)):
                if n > 1:
                    choice = (A_IS_B, ALL) if a == b else (NONE, R_IS_A, R_IS_B)
                    yield Case(kind, num, choice[i % len(choice)], a, b, n)


def build(folder: Path, source: str | None = None) -> Path:
    """The driver with bn_mul_mont.S, or with another text of it."""
    routine, program = folder / "bn_mul_mont.S", folder / "driver"
    routine.write_text(source or (FOLDER / routine.name).read_text())
    files = [FOLDER / "driver.c", FOLDER / "thumb.S", routine]
    subprocess.run([*COMPILER.split(), "-static", *files, "-o", program], check=True)
    return program


def wrong(program: Path, todo: list[Case]) -> list[Case]:
    """The cases that the driver answers wrongly, or not at all; stops at
    the end of the program."""
    given = b"".join(case.packed() for case in todo)
    ran = subprocess.run(["qemu-arm", program], input=given, capture_output=True)
    found, at = [], 0
    for case in todo:
        right = case.answer()
        if ran.stdout[at : at + len(right)] != right:
            found.append(case)
        at += len(right)
    assert found or ran.returncode == 0, f"status {ran.returncode}: {ran.stderr!r}"
    return found


def planted(folder: Path, old: str, new: str) -> Path:
    """The driver with a fault in the routine."""
    right = (FOLDER / "bn_mul_mont.S").read_text()
    assert old in right
    return build(folder, right.replace(old, new, 1))


# --- calls ----------------------------------------------------------------------------------------

OPERANDS, FRAME, ROOM = 0x50000000, 0x51000000, 1 << 16
TOP = FRAME + ROOM // 2
SAVED = 40  # bytes that the routine pushes
FILL = b"\xa5"  # below the stack pointer before a call


class Caller(Traced):
    """A program in Unicorn, whose bn_mul_mont is called."""

    def __init__(self, program: Path, hooks: Path) -> None:
        super().__init__(program, 32, hooks)
        self.program = program
        self.engine.map(OPERANDS, 5 * ROOM)
        self.engine.map(FRAME, ROOM)

    def call(self, case: Case) -> State:
        """The trace of a call; the answer is right, and the frame is
        clear."""
        size = 4 * case.num
        rp, ap, bp, np, n0 = (OPERANDS + i * ROOM for i in range(5))
        bp = ap if case.alias > R_IS_B else bp
        rp = ap if case.alias in (R_IS_A, ALL) else bp if case.alias == R_IS_B else rp
        for place, number in ((bp, case.b), (ap, case.a), (np, case.n)):
            self.engine.uc.mem_write(place, number.to_bytes(size, "little"))
        n0inv = -pow(case.n, -1, 1 << 32) % (1 << 32)
        self.engine.uc.mem_write(n0, n0inv.to_bytes(4, "little"))
        self.engine.uc.mem_write(FRAME, FILL * ROOM)
        self.engine.uc.mem_write(TOP, n0.to_bytes(4, "little"))
        operands = [(place, size, READ) for place in (ap, bp, np)]
        may = [(rp, size, READ | WRITE), *operands, (n0, 4, READ)]
        assert self.result(case.num, rp, ap, bp, np, may) == 1
        self.end()
        assert self.engine.uc.mem_read(rp, size) == case.answer()[4:], case
        below = self.engine.uc.mem_read(FRAME, ROOM // 2 - SAVED)
        assert not any(below.lstrip(FILL)), "the frame is not cleared"
        return self.state

    def result(self, num: int, *arguments: Any) -> int:
        """What it returns for this many limbs; the last argument is what
        it may access."""
        *pointers, allowed = arguments
        self.engine.uc.mem_write(TOP + 4, num.to_bytes(4, "little", signed=True))
        ranges = ((at, at + size, may) for at, size, may in (*allowed, (TOP, 8, READ)))
        self.begin(ranges, TOP, FRAME)
        return self.engine.call(self.elf.entry("bn_mul_mont"), TOP, *pointers)

    def lost(self, case: Case) -> list[int]:
        """The addresses of a call from which the stack cannot be walked."""
        return unwind.lost(
            self.program, self.engine, TOP, TRAP, lambda: self.call(case)
        )


# --- tests ----------------------------------------------------------------------------------------

SECRETS = 64
QUICK = (*range(1, 14), 16, 17, 31, 32, 33, 64)
ADDS = "        .ifc \\op, {0}cs\n {0}s {1}\n .else\n \\op {1}\n .endif"

PLANTED = {  # a fault: the right text, and the wrong one
    "comparison of the top word alone": (
        "        ldr     r4, [sp, #CARRY]",
        "ldr r6, [r0, #-4]\n cmp r6, r12\n ldr r4, [sp, #CARRY]",
    ),
    "no final subtraction": ("        and     r4, r4, r5", "        mvn     r4, #0"),
    "the carry on top is lost": (
        "        and     r4, r4, r5",
        "        mov     r4, r5",
    ),
    "no carry from four rows to the next": (
        "        four    adcs",
        "        cmn lr, #0\n four adcs",
    ),
    "no carry between limbs": (
        "        \\op     r7, r7, r12",
        ADDS.format("add", "r7, r7, r12").replace("addcs", "adcs"),
    ),
    "no borrow between limbs": (
        "        \\op     r6, r6, r11",
        ADDS.format("sub", "r6, r6, r11").replace("subcs", "sbcs"),
    ),
    "doubling loses the carry": (
        "        adcs    r1, r1, r1",
        "        adds    r1, r1, r1",
    ),
    "no bit from four rows to the next": (
        "        bic     r4, r0, r9",
        "        mov     r4, #0",
    ),
    "a square lacks the bit moved in": (
        "        and     r6, r2, r1, asr #31",
        "        mov     r6, #0",
    ),
    "doubling begins with a carry": (
        "        adds    r8, r6, #0",
        "        mov     r8, r6",
    ),
    "a row keeps the window of another": (
        "  clear   r4, r5, r6, r7\n        ldm",
        "  ldm",
    ),
    "t is cleared but for a limb": ("{r7-r10}\n        cmp", "{r7-r9}\n        cmp"),
    "the pad is forgotten": ("        add     lr, lr, r6", "        nop"),
    "no zeros in the pad": ("        stm     r10, {r7-r9}", "        nop"),
    "r is written before b is read": (
        "        mov     r11, sp",
        "mov r11, sp\n str r12, [r0]",
    ),
    "a write beside r": (
        "        bpl     9b",
        "        bpl     9b\n        str     r4, [r2]",
    ),
    "one limb is refused": (
        "sub     r12, r12, #1\n",
        "subs r12, r12, #1\n mvneq r12, r12\n",
    ),
    "the largest size is refused": ("LARGEST, 1024", "LARGEST, 1020"),
    "a register of the caller is lost": ("{r4-r11, pc}", "{r4-r10, r12, pc}"),
    "it returns to ARM code alone": (
        "pop     {r4-r11, pc}",
        "pop {r4-r11, lr}\n bic pc, lr, #1",
    ),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("openssl"))


@pytest.fixture(scope="module")
def caller(program: Path, hooks: Path) -> Caller:
    return Caller(program, hooks)


def test_small_and_common_sizes(program: Path) -> None:
    assert wrong(program, list(cases(QUICK, 6))) == []


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, len(SIZES), 9))
def test_every_size(program: Path, first: int) -> None:
    todo = list(cases(SIZES[first : first + 9], 30))
    assert len(todo) > 3000 and wrong(program, todo) == []


@pytest.mark.parametrize("fault", mostly_long(PLANTED, list(PLANTED)[::4]))
def test_faults_are_found(fault: str, tmp_path: Path) -> None:
    program = planted(tmp_path, *PLANTED[fault])
    assert wrong(
        program,
        list(cases((1, 4, 7, 8, 9, 16), 12)) + list(cases([1024], 1, ["random"])),
    )


@pytest.mark.parametrize("num", [0, -1, 1025, 2**31 - 1])
def test_other_sizes_are_left_to_the_caller(caller: Caller, num: int) -> None:
    """It returns 0 and does not touch what its arguments, which are 0,
    point to."""
    assert caller.result(num, 0, 0, 0, 0, []) == 0


def traces(caller: Caller, num: int, alias: int) -> set[int]:
    """The different traces of SECRETS calls, which touch nothing but
    operands and frame."""
    chooser = random.Random(num)
    n = chooser.getrandbits(32 * num) | 1 << (32 * num - 1) | 1
    hashes = set()
    secrets = [
        0,
        1,
        n - 1,
        n - 2,
        n // 2,
        *(chooser.randrange(n) for _ in range(SECRETS - 5)),
    ]
    for a in secrets:
        b = a if alias == A_IS_B else chooser.choice(secrets)
        trace = caller.call(Case("", num, alias, a, b, n))
        assert trace.astray == 0
        hashes.add(trace.hash)
    return hashes


@pytest.mark.parametrize(
    ("num", "alias"),
    mostly_long(
        product((1, 3, 4, 8, 13, 32, 64), (NONE, A_IS_B)), [(3, NONE), (8, A_IS_B)]
    ),
)
def test_trace_does_not_depend_on_operands(
    caller: Caller, num: int, alias: int
) -> None:
    assert len(traces(caller, num, alias)) == 1


SUBTRACTED = "        sbc     r5, r5, r5\n"
LEAKS = {
    "a branch on the borrow": (SUBTRACTED, f"{SUBTRACTED} bcs 12f\n nop\n12:\n"),
    "an address from the borrow": (
        SUBTRACTED,
        f"{SUBTRACTED} and r6, r5, #4\n ldr r6, [sp, r6]\n",
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_leaks_are_found(leak: str, tmp_path: Path, hooks: Path) -> None:
    caller = Caller(planted(tmp_path, *LEAKS[leak]), hooks)
    assert len(traces(caller, 4, NONE)) > 1


def test_a_frame_that_is_not_cleared_is_seen(tmp_path: Path, hooks: Path) -> None:
    program = planted(
        tmp_path, "11:     stm     r9!, {r0-r7}", "11:     add     r9, r9, #32"
    )
    with pytest.raises(AssertionError, match="not cleared"):
        Caller(program, hooks).call(next(cases([8], 1)))


def test_the_stack_can_be_walked(caller: Caller, tmp_path: Path, hooks: Path) -> None:
    """Not if the unwind information is wrong."""
    walked = [
        c for c in cases((3, 8), 2, ["square-just-below-n", "random"]) if c.alias < ALL
    ]
    assert walked and all(caller.lost(case) == [] for case in walked)
    program = planted(tmp_path, "SAVED, 0x06, 0x23, 40", "SAVED, 0x06, 0x23, 44")
    assert Caller(program, hooks).lost(walked[0])


@pytest.mark.parametrize(("alias", "most"), [(NONE, 12_488), (A_IS_B, 9_824)])
def test_instructions_at_64_limbs(caller: Caller, alias: int, most: int) -> None:
    n = 2**2048 - 1942289
    trace = caller.call(Case("", 64, alias, n - 5, n - 5, n))
    assert trace.instructions <= most
