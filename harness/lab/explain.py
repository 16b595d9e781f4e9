"""What a wrong result says of its cause, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from harness.operands import Call

LARGE = 8  # a modulus shorter than the width by more bits than this explains nothing
LIKELY = 3  # a cause has to explain one in so many of these
MANY = 0.8  # of all calls: more than this is nearly all
EXPLAINED = 40  # as many wrong results are looked at
UNSET = 0xEEEEEEEE  # what the driver puts into z

# What it means that vectors of a kind are wrong while the random ones are right.
KINDS = {
    "largest": "a carry out of the top limb is lost: t + y + n needs one limb or one bit more",
    "all-ones": "a carry out of the top limb is lost: t + y + n needs one limb or one bit more",
    "just-below-n": "the final comparison with n does not look at all limbs",
    "same-top-limb": "the final comparison with n does not go on where top limbs are equal",
    "equal-limb": "a borrow does not go through a limb that is equal in both numbers",
    "zero": "t = n is not reduced to 0: subtract when t >= n, not only when t > n",
    "aliasing": "z may be x or y: read all operands before you write z",
    "one-limb": "limbs above the lowest are 0 here: is one of them used before it is set?",
    "exp-0": "x^0 is 1 mod n: the loop must not take a first bit for granted",
}


def causes(call: Call, found: int, width: int) -> Iterator[str]:
    """What could have led to this result, likely ones first."""
    n, z, r = call.n, call.z, 1 << width
    if found == int(f"{UNSET:x}" * (width // 32), 16):
        yield "nothing is written to z"
    final = "the condition of the final subtraction is wrong"
    if found != z and found % n == z:
        yield f"the result is right mod n but not below n: {final}, or there is none"
    if found == z + n - r:
        yield f"t has a bit above the top limb and n is not subtracted: {final}"
    if (found + n) % r == z:
        yield f"n is subtracted once too often: {final}"
    for i in range(1, width // 32):
        if (found - z) % r in (1 << 32 * i, r - (1 << 32 * i)):
            yield f"limb {i} is off by 1: a carry or borrow out of limb {i - 1} is lost"
    if found == z * r % n:
        yield "the result is R times the right one (mod n): it has not left the Montgomery domain"
    if found * r % n == z:
        yield "the result is the right one divided by R (mod n): a factor is outside the domain"
    for k in range(1, width):
        if found == (z << k) % n:
            yield f"the result is 2^{k} times the right one (mod n): {_rounds(k)} too few"
        if (found << k) % n == z:
            yield f"the result is the right one divided by 2^{k} (mod n): {_rounds(k)} too many"
    yield from (_of_power if call.function == "mod_exp" else _of_product)(call, found, width)


def _rounds(k: int) -> str:
    count, unit = (k // 32, "word") if k % 32 == 0 else (k, "bit")
    return f"{count} round{'s' * (count > 1)} of a {unit}"


def _of_product(call: Call, found: int, width: int) -> Iterator[str]:
    """A carry is lost at one place: the difference is then plus or minus 2^j R^-1 (mod n)."""
    difference = (found - call.z << width) % call.n
    for j in range(2 * width + 1):
        weight = pow(2, j, call.n)
        if difference in (weight, call.n - weight):
            yield "a carry is lost in a round, or one is too many: between limbs or above the top"


def _of_power(call: Call, found: int, width: int) -> Iterator[str]:
    """Bits of the exponent that are not looked at."""
    for bits in range(32, width, 32):
        if found == pow(call.x, call.y % (1 << bits), call.n):
            yield f"only the lowest {bits} bits of the exponent are used"
    for wrong, what in (
        (call.y >> 1, "the lowest bit of the exponent is left out"),
        (call.y % (1 << (width - 1)), "the highest bit of the exponent is left out"),
        (call.y << 1, "there is one squaring too many"),
    ):
        if found == pow(call.x, wrong, call.n) and wrong != call.y:
            yield what


def operands_of(calls: list[Call]) -> list[str]:
    """The operands of the first call, a line each."""
    for call in calls:
        y = "e" if call.function == "mod_exp" else "y"
        return [
            f"{call.function} of kind {call.kind}",
            f"n         {call.n:x}",
            f"x         {call.x:x}",
            f"{y}         {call.y:x}",
        ]
    return []


class Mistakes:
    """The wrong ones among the answers: `failed`; `summary` in one line, and `case`, the one with
    the smallest numbers among those that show the cause, with what it says."""

    def __init__(self, calls: list[Call], found: list[int], width: int) -> None:
        self.width = width
        wrong = [(call, z) for call, z in zip(calls, found) if z != call.z]
        products = [pair for pair in wrong if pair[0].function == "mont_mul"]
        # mod_exp may be wrong because mont_mul is.
        self.failed = products or wrong
        if not self.failed:
            return
        function = self.failed[0][0].function
        asked = Counter(call.kind for call in calls if call.function == function)
        self.kinds = Counter(call.kind for call, _ in self.failed)
        large = [pair for pair in self.failed if pair[0].n.bit_length() > width - LARGE]
        said = [(next(causes(call, z, width), ""), (call, z)) for call, z in large[:EXPLAINED]]
        votes = Counter(cause for cause, _ in said if cause)
        likely = [cause for cause, n in votes.most_common(1) if n * LIKELY >= len(said)]
        self.cause = likely[0] if likely else ""
        of_cause = [pair for cause, pair in said if cause and cause == self.cause]
        shown, z = min(of_cause or self.failed, key=lambda p: (p[0].n, p[0].x, p[0].y))
        reason = self.cause or self._by_kind(asked.total())
        beside = "mont_mul is right; " if function == "mod_exp" else ""
        share = f"{beside}{len(self.failed)} of {asked.total()} calls of {function} are wrong"
        self.summary = f"{share}: {reason}" if reason else share
        few = ", ".join(f"{kind} {n} of {asked[kind]}" for kind, n in self.kinds.most_common(4))
        self.case = [
            *operands_of([shown]),
            f"expected  {shown.z:x}",
            f"found     {z:x}",
            f"wrong by kind: {few}",
        ]

    def _by_kind(self, asked: int) -> str:
        """The reason that the moduli tell, or the kinds where random operands are right."""
        if min(call.n.bit_length() for call, _ in self.failed) >= self.width - 1:
            return "only for moduli of full width, so " + KINDS["largest"]
        if self.kinds["random"]:
            many = sum(self.kinds.values()) > MANY * asked
            return "nearly all, so it is no rare carry: follow this case by hand" if many else ""
        for kind, _ in self.kinds.most_common():
            if kind in KINDS:
                return KINDS[kind]
        return ""
