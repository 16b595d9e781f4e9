"""What a wrong result says of its cause, in words."""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import product

from harness.operands import Call

LARGE = 8  # a modulus shorter than the width by more bits than this explains little
LIKELY = 3  # a cause has to explain more than one in so many of the others
MANY = 0.8  # of all calls: more than this is nearly all
UNSET = "eeeeeeee"  # what the driver puts into a limb of z

FINAL = "the condition of the final subtraction is wrong"
TOP = "a carry out of the top limb is lost: t + y + n needs one limb or one bit more"
# What it means that vectors of a kind are wrong while the random ones are right.
KINDS = {
    "largest": TOP,
    "all-ones": TOP,
    "just-below-n": "the final comparison with n does not look at all limbs",
    "same-top-limb": "the final comparison with n does not go on where top limbs are equal",
    "equal-limb": "a borrow does not go through a limb that is equal in both numbers",
    "zero": "t = n is not reduced to 0: subtract when t >= n, not only when t > n",
    "aliasing": "z may be x or y: read all operands before you write z",
    "one-limb": "limbs above the lowest are 0 here: is one of them used before it is set?",
    "exp-0": "x^0 is 1 mod n: the loop must not take a first bit for granted",
}


def causes(call: Call, wrong: int, width: int) -> Iterator[str]:
    """Yield what could have led to this wrong result, likely ones first."""
    n = call.n
    z = call.z
    r = 1 << width
    if wrong == int(UNSET * (width // 32), 16):
        yield "nothing is written to z"
    if wrong % n == z:
        yield f"the result is right mod n but not below n: {FINAL}, or there is none"
    if wrong == z + n - r:
        yield f"t has a bit above the top limb and n is not subtracted: {FINAL}"
    if (wrong + n) % r == z:
        yield f"n is subtracted once too often: {FINAL}"
    for i in range(1, width // 32):
        one = 1 << 32 * i
        if (wrong - z) % r in (one, r - one):
            yield f"limb {i} is off by 1: a carry or borrow out of limb {i - 1} is lost"
    if wrong == z * r % n:
        yield "the result is R times the right one (mod n): it has not left the Montgomery domain"
    if wrong * r % n == z:
        yield "the result is the right one divided by R (mod n): a factor is outside the domain"
    for k in range(1, width):
        rounds = rounds_of(k // 32, "word") if k % 32 == 0 else rounds_of(k, "bit")
        if wrong == (z << k) % n:
            yield f"the result is 2^{k} times the right one (mod n): {rounds} too few"
        if (wrong << k) % n == z:
            yield f"the result is the right one divided by 2^{k} (mod n): {rounds} too many"
    if call.function == "mod_exp":
        yield from _of_power(call, wrong, width)
    else:
        yield from _of_product(call, wrong, width)


def rounds_of(count: int, unit: str) -> str:
    """Return so many rounds, in words."""
    return f"1 round of a {unit}" if count == 1 else f"{count} rounds of a {unit}"


def _of_product(call: Call, wrong: int, width: int) -> Iterator[str]:
    """Return the cause in a product.  A carry is lost at one place: the
    difference is then plus or minus 2^j R^-1 (mod n).  Or word by word with
    products that are cut."""
    limbs = range(width // 32)
    places: list[Collection[int]] = [limbs, *zip(limbs)]
    sums: list[Collection[int]] = [(), (0,), limbs]
    for added, at, whole in product(("y", "n", "yn"), places, sums):
        if wrong == cut(call, width, added, at, whole):
            yield "a product of two limbs is cut to 32 bits: cast one factor to uint64_t first"
    difference = (wrong - call.z << width) % call.n
    for j in range(2 * width + 1):
        weight = pow(2, j, call.n)
        if difference in (weight, call.n - weight):
            yield "a carry is lost in a round, or one is too many: between limbs or above the top"


def cut(
    call: Call, width: int, added: str, at: Collection[int], whole: Collection[int] = ()
) -> int:
    """Return what CIOS makes of a product where multiples of the operands `added`
    are cut to 32 bits in the limbs `at`; in those of `whole` with what is
    added to them, before the carry."""
    mask = (1 << 32) - 1
    limbs = width // 32
    _, n0inv = call.constants(width)
    t = [0] * (limbs + 1)

    def add_multiple(name: str, digit: int, number: int) -> None:
        carry = 0
        for k in range(limbs):
            short = mask if name in added and k in at else -1
            limb = number >> 32 * k & mask
            term = digit * limb & short
            term += t[k]
            if k in whole:
                term &= short
            term += carry
            t[k] = term & mask
            carry = term >> 32
        t[-1] += carry

    for i in range(limbs):
        add_multiple("y", call.x >> 32 * i & mask, call.y)
        add_multiple("n", t[0] * n0inv & mask, call.n)
        top = t.pop()
        t = [*t[1:], top & mask, top >> 32]
    z = sum(limb << 32 * k for k, limb in enumerate(t))
    if z >= call.n:
        z -= call.n
    return z % (1 << width)


def _of_power(call: Call, wrong: int, width: int) -> Iterator[str]:
    """Return which bits of the exponent are not looked at."""
    for bits in range(32, width, 32):
        if wrong == pow(call.x, call.y % (1 << bits), call.n):
            yield f"only the lowest {bits} bits of the exponent are used"
    exponents = {
        "the lowest bit of the exponent is left out": call.y >> 1,
        "the highest bit of the exponent is left out": call.y % (1 << (width - 1)),
        "there is one squaring too many": call.y << 1,
    }
    for what, exponent in exponents.items():
        if wrong == pow(call.x, exponent, call.n):
            yield what


def operands_of(call: Call) -> list[str]:
    """Return the operands of a call, a line each."""
    y = "e" if call.function == "mod_exp" else "y"
    return [
        f"{call.function} of kind {call.kind}",
        f"n         {call.n:x}",
        f"x         {call.x:x}",
        f"{y}         {call.y:x}",
    ]


Case = tuple[Call, int]  # a call and its wrong result


def mistakes(
    calls: list[Call], results: list[int], width: int
) -> tuple[str, list[str]]:
    """Return what is wrong with results: one line with the cause, empty where all
    are right; and the case with the smallest numbers of those that show the
    cause, a fact a line."""
    wrong = [(call, z) for call, z in zip(calls, results) if z != call.z]
    if not wrong:
        return "", []
    # mod_exp may be wrong because mont_mul is.
    wrong = [(call, z) for call, z in wrong if call.function == "mont_mul"] or wrong
    function = wrong[0][0].function
    tried = Counter(call.kind for call in calls if call.function == function)
    kinds = Counter(call.kind for call, _ in wrong)
    reason, shown = likely(wrong, width)
    if not reason:
        least = min(call.n for call, _ in wrong)
        by_kind = _by_kind(kinds, tried, least, width)
        reason = f"may be: {by_kind}" if by_kind else ""
    call, z = min(shown, key=lambda case: (case[0].n, case[0].x, case[0].y))
    summary = f"{len(wrong)} of {tried.total()} calls of {function} are wrong"
    if function == "mod_exp":
        summary = f"mont_mul is right; {summary}"
    if reason:
        summary += f": {reason}"
    few = [f"{kind} {n} of {tried[kind]}" for kind, n in kinds.most_common(4)]
    case = operands_of(call)
    case.append(f"expected  {call.z:x}")
    case.append(f"found     {z:x}")
    case.append(f"wrong by kind: {', '.join(few)}")
    return summary, case


def likely(wrong: list[Case], width: int) -> tuple[str, list[Case]]:
    """Return the cause that explains the most, and the cases that show it; "" and
    all where none explains enough.  It is certain only where it explains
    every wrong result."""
    explained: dict[str, list[Case]] = {}
    votes: Counter[str] = Counter()
    large = 0
    for call, z in wrong:
        tells = call.n.bit_length() > width - LARGE
        large += tells
        for cause in dict.fromkeys(causes(call, z, width)):
            explained.setdefault(cause, []).append((call, z))
            if tells:
                votes[cause] += 1
    if not votes:
        return "", wrong
    [(cause, n)] = votes.most_common(1)
    if n * LIKELY <= large:
        return "", wrong
    shown = explained[cause]
    if len(shown) == len(wrong):
        return cause, shown
    return f"may be (it explains {len(shown)} of {len(wrong)}): {cause}", shown


def _by_kind(kinds: Counter[str], tried: Counter[str], least: int, width: int) -> str:
    """Return the reason that the least modulus tells, or the kinds where random
    operands are right."""
    if least.bit_length() >= width - 1:
        return f"only for moduli of full width, so {TOP}"
    if kinds["random"]:
        many = kinds.total() > MANY * tried.total()
        return (
            "nearly all, so it is no rare carry: follow this case by hand"
            if many
            else ""
        )
    for kind, _ in kinds.most_common():
        if kind in KINDS:
            return KINDS[kind]
    return ""
