"""Numbers as pairs of digits: the steps to two lanes, their bounds, and operands at the edges."""

import random
from collections.abc import Iterator, Sequence
from operator import add
from struct import pack
from typing import NamedTuple

# Of pair.h.
MAX_DIGITS = 76
PAIR_BYTES = 8 * MAX_DIGITS
SPARE_BITS = {False: 2, True: 5}  # of R beyond the number, without and with signs
WORD = 1 << 32

Numbers = tuple[int, int]  # modulo p, modulo q


class Step(NamedTuple):
    """A program of README's table: its functions, its digits, and the sizes of numbers in bits."""

    program: str
    product: str
    square: str | None
    digit_bits: int
    signed: bool
    whole_blocks: bool
    sizes: tuple[int, ...]
    edges: tuple[int, ...] = ()  # checked, too, but not recorded
    carries_in_the_middle: bool = False

    def digits(self, bits: int) -> int:
        """Return how many digits a number of so many bits gets."""
        needed = bits + SPARE_BITS[self.signed]
        exact = -(-needed // self.digit_bits)
        if self.whole_blocks:
            return exact + -exact % 4
        return exact

    def limit(self, n: int) -> int:
        """Return the largest number that a product gives modulo n."""
        return 54 * n // 100 if self.signed else 2 * n - 1

    def least(self, n: int) -> int:
        """Return the smallest one."""
        return -self.limit(n) if self.signed else 0

    def takes(self, x: int, y: int, n: int, r: int) -> bool:
        """Return whether a product promises its bound for x and y modulo n, with R = r."""
        if self.signed:
            size = abs(x * y)
            return size << SPARE_BITS[True] <= n * r
        below_bound = range(2 * n)
        return x in below_bound and y in below_bound

    @property
    def lowest_digit(self) -> int:
        """Return the smallest digit."""
        return -(1 << (self.digit_bits - 1)) if self.signed else 0

    @property
    def highest_digit(self) -> int:
        """Return the largest digit."""
        magnitude_bits = self.digit_bits - int(self.signed)
        beyond = 1 << magnitude_bits
        return beyond if self.signed else beyond - 1


SHORT = (512, 1024, 1536)
# Blocks of x y and of u n, of digits with a sign, that a column holds together.
FULL = 15
LONGEST_SHORT = 54 * 32  # bits: 60 digits
SHORTEST_LONG = LONGEST_SHORT + 32
STEPS = (
    Step("one-lane", "pair_mul", None, 28, False, False, (*SHORT, 2048)),
    Step("two-lanes", "pair_mul", None, 28, False, False, (*SHORT, 2048)),
    Step("blocks", "pair_mul", None, 28, False, True, (*SHORT, 2048)),
    Step("signed", "pair_mul", None, 29, True, True, SHORT, (LONGEST_SHORT,)),
    Step(
        "square",
        "pair_mul_short",
        "pair_sqr_short",
        29,
        True,
        True,
        SHORT,
        (288, LONGEST_SHORT),
    ),
    Step(
        "square",
        "pair_mul_long",
        "pair_sqr_long",
        29,
        True,
        True,
        (2048,),
        (SHORTEST_LONG, 1888),
        carries_in_the_middle=True,
    ),
)


def to_digits(number: int, step: Step, count: int) -> list[int]:
    """Return a number as digits, the lowest first; the last one holds what is left."""
    base = 1 << step.digit_bits
    digits = []
    for _ in range(count - 1):
        digit = (number - step.lowest_digit) % base + step.lowest_digit
        digits.append(digit)
        number = (number - digit) // base
    return [*digits, number]


def from_digits(digits: Sequence[int], step: Step) -> int:
    """Return the number that digits are."""
    number = 0
    for digit in reversed(digits):
        number = (number << step.digit_bits) + digit
    return number


def words(pair: Sequence[Sequence[int]], draw: random.Random) -> bytes:
    """Return a struct pair; what is beyond its digits has no meaning and is random."""
    data = b""
    for of_p, of_q in zip(*pair):
        data += pack("<II", of_p % WORD, of_q % WORD)
    unused = PAIR_BYTES - len(data)
    return data + draw.randbytes(unused)


def modulus_words(step: Step, n: Numbers, count: int) -> bytes:
    """Return the head of a struct pair_modulus, before n's digits."""
    base = 1 << step.digit_bits
    shift = 32 - step.digit_bits
    inverses = []
    for number in n:
        inverse = pow(-number, -1, base)
        inverses.append(inverse << shift)
    return pack("<III", *inverses, 8 * count)


# Of two blocks of four digits: products of digits in each of the seven sums of a column.
PRODUCTS = (1, 2, 3, 4, 3, 2, 1)


def worst_sum(step: Step, digits: int) -> float:
    """Return the largest sum that a step of signed digits may reach, as a share of 2^63: every
    digit of x, y, u and n is as far from 0 as it may be, and every sum below has carried."""
    largest_product = 1 << (2 * step.digit_bits - 2)
    blocks = digits // 4
    sums = [0] * len(PRODUCTS)
    worst = 0
    for column in range(2 * blocks - 1):
        blocks_of_each = min(column + 1, 2 * blocks - 1 - column)
        of_each = [blocks_of_each * count * largest_product for count in PRODUCTS]
        sums = [*map(add, sums, of_each)]  # x y
        if step.carries_in_the_middle and blocks_of_each > FULL:
            worst = max(worst, carry(sums, step.digit_bits))
        sums = [*map(add, sums, of_each)]  # u n
        worst = max(worst, carry(sums, step.digit_bits))
        sums = [*sums[4:], 0, 0, 0, 0]
    return worst / (1 << 63)


def carry(sums: list[int], digit_bits: int) -> int:
    """Let the four lowest sums pass on what they have beyond a digit.  Return the largest of all
    sums, before and after."""
    largest = max(sums)
    for i in range(4):
        sums[i + 1] += (sums[i] >> digit_bits) + 1
        sums[i] = 1 << digit_bits
        largest = max(largest, sums[i + 1])
    return largest


# ---- operands


def moduli(step: Step, bits: int, draw: random.Random) -> Iterator[Numbers]:
    """Yield pairs of moduli: at the edges of their length, of extreme digits, of unequal length."""
    all_ones = (1 << bits) - 1
    least = 1 << (bits - 1) | 1
    yield all_ones, all_ones
    yield least, all_ones
    yield all_ones, 3
    count = bits // step.digit_bits
    lowest = [step.lowest_digit] * (count - 2)
    yield from_digits([step.lowest_digit | 1, *lowest, 1], step), least
    highest = [step.highest_digit] * (count - 2)
    yield from_digits([*highest, 1], step) | 1, all_ones
    for _ in range(4):
        p = draw.getrandbits(bits) | least
        q = draw.getrandbits(bits) | least
        yield p, q


def operands(step: Step, n: int, draw: random.Random) -> list[int]:
    """Return operands modulo n: at the edges of what a product gives, residues as `enter` takes
    them, of extreme digits, random."""
    limit = max(step.limit(n), n - 1)
    least = step.least(n)
    count = step.digits(n.bit_length()) - 1
    lowest = from_digits([step.lowest_digit] * count, step)
    highest = from_digits([step.highest_digit] * count, step)
    random_one = draw.randrange(least, limit)
    edges = [0, 1, step.limit(n), least]
    residues = [n // 2, n - 1]
    extreme = [lowest, -lowest, highest]
    every = [*edges, *residues, random_one, *extreme]
    return [number for number in every if least <= number <= limit]


def overflowing(step: Step, count: int) -> tuple[int, int]:
    """Return n and x for which every digit of n, of x and of the quotient of x^2 is as far below 0
    as it may be, or nearly: more than a product promises to take, but its sums still fit.

    A digit x[k] is drawn until u[k] = -(column k) / n[0] mod 2^w is near the end of its range."""
    draw = random.Random(count)
    base = 1 << step.digit_bits
    n = [step.lowest_digit] * count
    n[0] += 1  # odd
    n[-1] = 16  # positive
    inverse = pow(-n[0], -1, base)
    ends = range(step.lowest_digit, step.lowest_digit * 63 // 64)
    x: list[int] = []
    u: list[int] = []
    carry = 0
    for k in range(count):
        below = carry
        for i in range(1, k):
            below += x[i] * x[k - i]
        for i in range(k):
            below += u[i] * n[k - i]
        digit = 0
        while digit not in ends:
            candidate = draw.choice(ends)
            first = 2 * x[0] if x else candidate
            column = below + first * candidate
            digit = (column * inverse - step.lowest_digit) % base + step.lowest_digit
        x.append(candidate)
        u.append(digit)
        carry = (column + digit * n[0]) >> step.digit_bits
    return from_digits(n, step), from_digits(x, step)
