"""Both powers of a private operation in the build with lanes; Python's pow is the oracle.

OpenSSL's own tests do not show a wrong power of the lanes: exptest gives no Montgomery contexts, so
the lanes are not asked, and RSA repairs a wrong half without a word.  powers.c gives contexts, and says
which way OpenSSL took and what was left on the stack.
"""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from struct import pack, unpack
from typing import NamedTuple

from harness.compiler import decided
from records.faults import Failure, run
from records.machine import read_platform
from records.settings import USUAL_TOOLCHAIN

BUILT = Path("build/openssl/lanes")
INSIDE = Path("build/openssl/with-lanes")  # the patched source
SOURCE = Path("studies/openssl/powers.c")
PROGRAM = BUILT / "powers"
ARM = "-O2 -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard -static"
GCC = USUAL_TOOLCHAIN.command
COMPILER = [GCC, *ARM.split(), *decided(GCC)]
HEADERS = (f"-I{BUILT}/include", f"-I{INSIDE}/include")
LINKED = ("-w", "-Wl,--wrap=bn_mod_exp_lanes")

LIMB_BITS = 32
LIMBS_OF_LANES = range(9, 65)
# The ends of what lanes take, the ends of digits of 29 and of 28 bits, and the sizes of RSA.
SIZES = (256, 288, 512, 768, 1024, 1536, 1728, 1760, 2048, 2080)
CASES_OF_BITS = 40_000  # fewer cases of longer numbers

# Flags, as in powers.c.
CONTEXTS = 1
NO_NEON = 2
ALIAS = 4


class Half(NamedTuple):
    """a^d mod m is asked."""

    m: int
    a: int
    d: int


class Case(NamedTuple):
    """Two halves, and how they are given."""

    p: Half
    q: Half
    flags: int

    def words(self) -> int:
        """Return how many words hold every number."""
        longest = max(number.bit_length() for number in (*self.p, *self.q))
        return -(-longest // LIMB_BITS)

    def packed(self) -> bytes:
        """Return what powers.c reads."""
        data = pack("<2I", self.words(), self.flags)
        for number in (*self.p, *self.q):
            data += number.to_bytes(4 * self.words(), "little")
        return data

    def fits_lanes(self) -> bool:
        """Return whether both powers are to be computed by lanes."""
        if self.flags & NO_NEON or not self.flags & CONTEXTS:
            return False
        if limbs(self.p.m) != limbs(self.q.m):
            return False
        return all(
            limbs(half.m) in LIMBS_OF_LANES
            and half.a < half.m
            and limbs(half.d) <= limbs(half.m)
            for half in (self.p, self.q)
        )


class Answer(NamedTuple):
    """What powers.c writes: what OpenSSL returned, whether by lanes, words left on the stack, the powers."""

    done: int
    way: int
    dirty: int
    z_p: int
    z_q: int


def limbs(number: int) -> int:
    """Return how many limbs a number has."""
    return -(-number.bit_length() // LIMB_BITS)


# ---- cases


def moduli(bits: int, draw: random.Random) -> Iterator[tuple[int, int]]:
    """Yield p and q: of so many bits, with leading zero bits, with fewer limbs."""
    ones = (1 << bits) - 1
    least = 1 << (bits - 1) | 1
    yield least, ones
    yield ones, least
    yield (
        draw.getrandbits(bits) | least,
        draw.getrandbits(bits - 31) | 1 << (bits - 32) | 1,
    )
    yield draw.getrandbits(bits) | least, draw.getrandbits(bits - 32) | 1
    yield draw.getrandbits(bits // 2) | 1, draw.getrandbits(bits) | least
    while True:
        yield draw.getrandbits(bits) | least, draw.getrandbits(bits) | least


def bases(m: int, draw: random.Random) -> list[int]:
    """Return bases, two of them not below m."""
    return [
        0,
        1,
        2,
        m - 1,
        m // 2,
        m,
        m + draw.randrange(m),
        *(draw.randrange(m) for _ in range(5)),
    ]


def exponents(bits: int, draw: random.Random) -> list[int]:
    """Return exponents for a modulus of so many bits: the last is a limb longer."""
    ones = (1 << bits) - 1
    highest_alone = 1 << (bits - 1)
    leading_zeros = draw.getrandbits(bits - 37)
    few_bits = draw.getrandbits(5)
    found = [0, 1, 2, ones, highest_alone, leading_zeros, few_bits]
    found += [draw.getrandbits(bits) for _ in range(5)]
    too_long = ones << 1
    return [*found, too_long]


def cases(bits: int, count: int, draw: random.Random) -> Iterator[Case]:
    """Yield `count` cases of a size: first each kind of moduli with random numbers, then edges."""
    stream = moduli(bits, draw)
    for i in range(count):
        halves = []
        for m in next(stream):
            a = draw.randrange(m) if i < 5 else draw.choice(bases(m, draw))
            d = draw.randrange(m) if i < 5 else draw.choice(exponents(bits, draw))
            halves.append(Half(m, a, d))
        flags = CONTEXTS
        if i % 4 == 3:
            flags |= ALIAS
        if i % 16 == 6:
            flags = 0
        if i % 16 == 14:
            flags = CONTEXTS | NO_NEON
        yield Case(halves[0], halves[1], flags)


def all_cases(seed: int) -> list[Case]:
    """Return the cases of every size."""
    draw = random.Random(seed)
    found: list[Case] = []
    for bits in SIZES:
        found += cases(bits, 8 + CASES_OF_BITS // bits, draw)
    return found


# ---- answers


def link(program: Path, *instead: Path) -> Path:
    """Link powers.c with the build, and with objects in the place of the build's own.  Raises Failure."""
    archive = BUILT / "libcrypto.a"
    run([*COMPILER, *LINKED, *HEADERS, SOURCE, *instead, archive, "-o", program])
    return program


def answers(program: Path, todo: list[Case]) -> Iterator[Answer]:
    """Yield the program's answers; where it ends too early, fewer than there are cases."""
    given = b"".join(case.packed() for case in todo)
    command = [*read_platform().runner, str(program)]
    written = subprocess.run(command, input=given, capture_output=True).stdout
    at = 0
    for case in todo:
        size = 4 * case.words()
        after = at + 12 + 2 * size
        if after > len(written):
            return
        done, way, dirty = unpack("<3i", written[at : at + 12])
        z_p = int.from_bytes(written[at + 12 : at + 12 + size], "little")
        z_q = int.from_bytes(written[at + 12 + size : after], "little")
        yield Answer(done, way, dirty, z_p, z_q)
        at = after


def fault(case: Case, answer: Answer) -> str:
    """Return what is wrong with an answer, or nothing."""
    if answer.done != 1:
        return "OpenSSL failed"
    for half, z in zip((case.p, case.q), (answer.z_p, answer.z_q)):
        if z != pow(half.a, half.d, half.m):
            return f"{half.a:x}^{half.d:x} mod {half.m:x} is not {z:x}"
    if (answer.way == 1) != case.fits_lanes():
        return f"lanes returned {answer.way} for {case}"
    if answer.dirty and answer.way == 1:
        return f"{answer.dirty} words of the lanes stay on the stack"
    return ""


def check(program: Path, todo: list[Case]) -> int:
    """Return how many cases went through lanes; all answers are right.  Raises Failure."""
    by_lanes = 0
    answered = 0
    for case, answer in zip(todo, answers(program, todo)):
        answered += 1
        by_lanes += answer.way == 1
        if wrong := fault(case, answer):
            raise Failure(f"powers: {wrong}")
    if answered < len(todo):
        raise Failure(
            f"powers: the program ended after {answered} of {len(todo)} cases"
        )
    return by_lanes


def test(seed: int) -> None:
    """Check the build, and print what was checked.  Raises Failure."""
    todo = all_cases(seed)
    by_lanes = check(link(PROGRAM), todo)
    print(
        f"  TEST    lanes/powers: {len(todo)} passed, {by_lanes} of them by lanes (seed {seed})"
    )
