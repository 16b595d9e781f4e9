"""Numbers as pairs of digits: the steps to two lanes, their bounds, and operands at the edges."""

import random
from collections.abc import Iterator, Sequence
from struct import pack
from typing import NamedTuple

# Of pair.h.
MAX_DIGITS = 84
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
LONGEST_29 = 54 * 32  # bits: 60 digits of 29, as many as a column holds
SHORTEST_28 = LONGEST_29 + 32
STEPS = (
    Step("one-lane", "pair_mul", None, 28, False, False, (*SHORT, 2048)),
    Step("two-lanes", "pair_mul", None, 28, False, False, (*SHORT, 2048)),
    Step("blocks", "pair_mul", None, 28, False, True, (*SHORT, 2048)),
    Step("signed", "pair_mul", None, 29, True, True, SHORT, (LONGEST_29,)),
    Step(
        "square", "pair_mul_29", "pair_sqr_29", 29, True, True, SHORT, (288, LONGEST_29)
    ),
    Step(
        "square", "pair_mul_28", "pair_sqr_28", 28, True, True, (2048,), (SHORTEST_28,)
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
    return pack("<IIII", *inverses, 8 * count, step.digit_bits)


def worst_column(digit_bits: int, digits: int) -> float:
    """Return the largest sum that a column of signed digits may reach, as a share of 2^63: every
    digit of x, y, u and n is as far from 0 as it may be, and the column below has carried."""
    largest_product = 1 << (2 * digit_bits - 2)
    worst = 0
    carry = 0
    for column in range(2 * digits):
        terms = min(column + 1, 2 * digits - 1 - column)
        total = 2 * terms * largest_product + carry
        worst = max(worst, total)
        carry = (total >> digit_bits) + 1
    return worst / (1 << 63)


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
    """Return n and x of which every digit is as far below 0 as it may be: more than a product
    promises to take, but the sums of its columns still fit."""
    x = [step.lowest_digit] * count
    n = x.copy()
    n[0] += 1  # odd
    n[-1] = 16  # positive
    return from_digits(n, step), from_digits(x, step)
