"""Cases for bn_mul_mont of any number of limbs: the kinds of harness/kinds.py, and squares.

`studies/openssl/driver.c` runs them; the right answers are Python's own arithmetic.
"""

import struct
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from harness.kinds import MONT_MUL, Stream, Triple, assorted, giving, near_top, three

SIZES = (*range(1, 161), 240, 480)
NONE, R_IS_A, R_IS_B, A_IS_B, ALL = range(5)  # as in driver.c
# 2^p - 1 is prime and 3 modulo 4, hence half of all numbers below it are squares, found by a power.
MERSENNE = (31, 61, 89, 127, 521, 607, 1279, 2203, 2281, 3217, 4253, 4423)

FOLDER = Path(__file__).resolve().parents[2] / "studies/openssl"
COMPILER = "arm-linux-gnueabihf-gcc -O2 -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard"


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


def of_widths(modulus: Callable[[Stream, int], int]) -> Callable[[Stream, int], Iterator[Triple]]:
    """A kind with a modulus for every width; the widths are drawn here, from both ends first."""

    def triples(s: Stream, width: int) -> Iterator[Triple]:
        ends = [w for w in (2, width, width - 1, 32, 33, width - 31, width - 32) if 2 <= w <= width]
        while True:
            w = ends.pop() if ends else s.between(2, width + 1)
            yield from three(s, width, modulus(s, w))

    return triples


def same_top(s: Stream, width: int) -> Iterator[Triple]:
    """Accumulators that share one or more of the top limbs with n; a number of them is drawn."""
    while width > 32:
        low = 32 * s.between(1, width // 32)
        n = s.odd(width)
        yield giving(s, width, n, near_top(s, n, low, above=False))
        yield giving(s, width, n, near_top(s, n, low, above=True))


def equal_limb(s: Stream, width: int) -> Iterator[Triple]:
    """Accumulators with a middle limb equal to that of n; which one is drawn."""
    while width > 64:
        at = 32 * s.between(1, width // 32 - 1)
        n = assorted(s, width, s.below(3))
        z = 0xFFFFFFFF << at | 2**at - 1 - s.below(n % 2**at)
        yield giving(s, width, n, z % n)


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


KINDS = MONT_MUL | {
    "same-top-limb": same_top,
    "equal-limb": equal_limb,
    "all-ones": of_widths(lambda _, w: 2**w - 1),
    "2^k+1": of_widths(lambda _, w: 2 ** (w - 1) + 1),
    "every-width": of_widths(lambda s, w: s.odd(w)),
    "square-just-below-n": square_just_below,
}

# The others draw moduli that are a limb shorter than num limbs.
OF_ONE_LIMB = (
    "random largest one-limb edge-limbs all-ones 2^k+1 every-width square-just-below-n".split()
)


def cases(sizes: Iterable[int], each: int, kinds: Iterable[str] = KINDS) -> Iterator[Case]:
    """`each` cases of every kind for every number of limbs, or as many as the kind has."""
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
    """The cases that the driver answers wrongly, or not at all; stops at the end of the program."""
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
