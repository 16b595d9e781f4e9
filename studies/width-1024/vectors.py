"""Lines for the driver of long numbers, with results by Python's own integers."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from keys import LIMB_BITS, MOST_LIMBS

from harness.kinds import MONT_MUL, Stream, edges
from harness.operands import Key
from records.workload import SIZES

ONES = (1 << LIMB_BITS) - 1
METHODS = ("binary", "fixed", "sliding")
DEEPEST = 4  # levels of Karatsuba's method
LARGEST_WINDOW = 6
EACH = 2  # operands of every kind at a size and level


# The result of an operation on numbers below r, a power of 2; that of a sum has one limb more, for
# the carry or the sign.  The mask is of one limb, and x y < n r.
RESULTS: dict[str, Callable[..., int]] = {
    "multiply": lambda r, x, y: x * y,
    "square": lambda r, x: x * x,
    "add": lambda r, x, y: x + y,
    "subtract": lambda r, x, y: (x - y) % (r << LIMB_BITS),
    "subtract_masked": lambda r, x, y, mask: (x - (y & (r - 1) // ONES * mask)) % (r << LIMB_BITS),
    "mont_mul": lambda r, n, x, y: x * y * pow(r, -1, n) % n,
    "mont_sqr": lambda r, n, x: x * x * pow(r, -1, n) % n,
    "mod_exp": lambda r, n, x, e: pow(x, e, n),
    "private": lambda r, n, p, q, dp, dq, qinv, e, x: pow(x, pow(e, -1, (p - 1) * (q - 1)), n),
}


@dataclass(frozen=True)
class Setting:
    """How an operation is computed: what stands between its name and its numbers."""

    limbs: int
    levels: int = 0
    squares: bool = True
    method: str = "sliding"
    window: int = 0  # the best by the program's cost model

    def line(self, operation: str, *numbers: int) -> str:
        """The driver's line, with its result."""
        result = RESULTS[operation](1 << LIMB_BITS * self.limbs, *numbers)
        return self.asked(operation, *numbers, result)

    def asked(self, operation: str, *numbers: int) -> str:
        """The driver's line for these numbers."""
        words = self.limbs, self.levels, int(self.squares), METHODS.index(self.method), self.window
        return " ".join([operation, *map(str, words), *(f"{number:x}" for number in numbers)])


def levels(limbs: int) -> list[int]:
    """How many levels of Karatsuba's method a size has room for: a half is a limb at least."""
    return [level for level in range(DEEPEST + 1) if limbs % (1 << level) == 0]


def named(limbs: int, s: Stream) -> Iterator[str]:
    """Yield every operation on EACH operands of every named kind at a size of two limbs or more."""
    bits = LIMB_BITS * limbs
    all_ones = (1 << bits) - 1
    for level in levels(limbs):
        setting = Setting(limbs, level)
        for kind in MONT_MUL.values():
            for n, x, y in islice(kind(s, bits), EACH):
                yield setting.line("mont_mul", n, x, y)
                yield setting.line("mont_sqr", n, x)
        # The middle product's carry runs through all limbs above it.
        carries = 1 << LIMB_BITS * (limbs - 1) | (1 << bits // 2) - 1
        both = edges(s, bits), edges(s, bits)
        for x, y in ((all_ones, all_ones), both, (all_ones, 0), (all_ones, carries)):
            yield setting.line("multiply", x, y)
            yield setting.line("square", x)
        yield setting.line("mont_mul", all_ones, all_ones, all_ones)  # x y < n R, though x = n


def powers(limbs: int, s: Stream) -> Iterator[str]:
    """Yield exponents at the edges, by every method."""
    bits = LIMB_BITS * limbs
    n = s.odd(bits)
    for method in METHODS:
        for e in (0, 1, 2, 65537, s.bits(bits)):
            level = s.choice(levels(limbs))
            squares = bool(s.bits(1))
            window = s.below(LARGEST_WINDOW + 1)
            setting = Setting(limbs, level, squares, method, window)
            yield setting.line("mod_exp", n, n - 1, e)
    longest = Setting(limbs, method="fixed", window=LARGEST_WINDOW)
    for e in every_digit(bits):  # the longest window reads each number of its table
        yield longest.line("mod_exp", n, s.below(n), e)
    for method in METHODS if limbs <= 16 else ("sliding",):
        for e in (1 << (bits - 1), (1 << bits) - 1):
            yield Setting(limbs, method=method).line("mod_exp", n, s.below(n), e)


def every_digit(bits: int) -> Iterator[int]:
    """Yield exponents that together have every digit of the longest window."""
    digits = range(1 << LARGEST_WINDOW)
    count = bits // LARGEST_WINDOW  # of an exponent
    for first in digits[::count]:
        e = 0
        for place, digit in enumerate(digits[first : first + count]):
            e |= digit << LARGEST_WINDOW * place
        yield e


def drawn(cases: int, s: Stream) -> Iterator[str]:
    """Yield products and squares of random lengths, moduli of any width from 2 bits on."""
    for _ in range(cases):
        limbs = s.between(1, MOST_LIMBS + 1)
        level = s.choice(levels(limbs))
        setting = Setting(limbs, level)
        bits = LIMB_BITS * limbs
        at_edges = edges(s, bits)
        of_any_width = s.bits(s.between(2, bits + 1))
        n = s.choice((at_edges, of_any_width)) | 3
        x = s.below(n)
        y = s.below(n)
        montgomery = setting.line("mont_mul", n, x, y), setting.line("mont_sqr", n, x)
        yield s.choice(montgomery)
        product = setting.line("multiply", edges(s, bits), x)
        square = setting.line("square", edges(s, bits))
        yield s.choice((product, square))


def vectors(cases: int, seed: int, sizes: Iterable[int] = SIZES) -> Iterator[str]:
    """The check vectors; `sizes` in bits are those of the named kinds."""
    s = Stream(f"{seed} long numbers")
    for bits in sizes:
        yield from named(bits // LIMB_BITS, s)
        yield from powers(bits // LIMB_BITS, s)
    for limbs in range(1, MOST_LIMBS + 1):
        at = Setting(limbs)
        bits = LIMB_BITS * limbs
        n = edges(s, bits) | 3
        yield at.line("mont_mul", n, n - 1, s.below(n))
        yield at.line("mont_sqr", n, n - 1)
        for mask in (0, ONES, s.bits(LIMB_BITS)):
            x, y = edges(s, bits), edges(s, bits)
            yield at.line("add", x, y)
            yield at.line("subtract", x, y)
            yield at.line("subtract_masked", x, y, mask)
    yield from drawn(cases, s)


# ---- lines of the private operation


def of_key(
    key: Key, levels: int = 0, squares: bool = True, method: str = "sliding", window: int = 0
) -> Setting:
    """Return a setting for numbers as long as n."""
    limbs = -(-key.n.bit_length() // LIMB_BITS)
    return Setting(limbs, levels, squares, method, window)


def private(key: Key, x: int) -> tuple[int, ...]:
    """Return the numbers of the private operation on x, by the Chinese remainder theorem."""
    dp = key.d % (key.p - 1)
    dq = key.d % (key.q - 1)
    qinv = pow(key.q, -1, key.p)
    return key.n, key.p, key.q, dp, dq, qinv, key.e, x


def private_lines(key: Key, s: Stream) -> Iterator[str]:
    """Private operations with a key: edges and a random message."""
    for x in (0, 1, key.n - 1, key.p, key.q, s.below(key.n)):
        yield of_key(key, method=s.choice(METHODS[1:])).line("private", *private(key, x))
