"""Lines for the driver of long numbers, with results by Python's own integers."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from harness.kinds import MONT_MUL, Stream, edges
from harness.operands import Key
from records.workloads import SIZES

from .keys import LIMB_BITS, MOST_LIMBS

ALL_ONES_LIMB = (1 << LIMB_BITS) - 1
METHODS = ("binary", "fixed", "sliding")
DEEPEST = 4  # levels of Karatsuba's method
LARGEST_WINDOW = 6
EACH = 2  # operands of every kind at a size and level


def montgomery(r: int, n: int, x: int, y: int) -> int:
    """Return x y r^-1 mod n; x y < n r."""
    return x * y * pow(r, -1, n) % n


def private_result(
    r: int, n: int, p: int, q: int, dp: int, dq: int, qinv: int, e: int, x: int
) -> int:
    """Return x^d mod n, whatever dp, dq and qinv are."""
    d = pow(e, -1, (p - 1) * (q - 1))
    return pow(x, d, n)


def subtract_masked(r: int, x: int, y: int, mask: int) -> int:
    """Return x less y in which each limb is masked, with a limb more for the sign."""
    every_limb = (r - 1) // ALL_ONES_LIMB * mask
    return (x - (y & every_limb)) % (r << LIMB_BITS)


# The result of an operation on numbers below r, a power of 2; that of a sum has one limb more, for
# the carry or the sign.
RESULTS: dict[str, Callable[..., int]] = {
    "multiply": lambda r, x, y: x * y,
    "square": lambda r, x: x * x,
    "add": lambda r, x, y: x + y,
    "subtract": lambda r, x, y: (x - y) % (r << LIMB_BITS),
    "subtract_masked": subtract_masked,
    "mont_mul": montgomery,
    "mont_sqr": lambda r, n, x: montgomery(r, n, x, x),
    "mod_exp": lambda r, n, x, e: pow(x, e, n),
    "private": private_result,
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
        """Return the driver's line, with its result."""
        r = 1 << LIMB_BITS * self.limbs
        result = RESULTS[operation](r, *numbers)
        return self.asked(operation, *numbers, result)

    def asked(self, operation: str, *numbers: int) -> str:
        """Return the driver's line for these numbers."""
        method = METHODS.index(self.method)
        settings = [
            self.limbs,
            self.levels,
            int(self.squares),
            method,
            self.window,
        ]
        digits = [f"{number:x}" for number in numbers]
        return " ".join([operation, *map(str, settings), *digits])


def levels(limbs: int) -> list[int]:
    """Return how many levels of Karatsuba's method a size has room for: a half is a limb at
    least."""
    return [level for level in range(DEEPEST + 1) if limbs % (1 << level) == 0]


def named(limbs: int, s: Stream) -> Iterator[str]:
    """Yield every operation on EACH operands of every named kind at a size of two limbs or more."""
    bits = LIMB_BITS * limbs
    all_ones = (1 << bits) - 1
    top_limb = 1 << LIMB_BITS * (limbs - 1)
    # The carries of the middle product run through all limbs above it.
    carries = top_limb | (1 << bits // 2) - 1
    for level in levels(limbs):
        setting = Setting(limbs, level)
        for kind in MONT_MUL.values():
            for n, x, y in islice(kind(s, bits), EACH):
                yield setting.line("mont_mul", n, x, y)
                yield setting.line("mont_sqr", n, x)
        pairs = [
            (all_ones, all_ones),
            (edges(s, bits), edges(s, bits)),
            (all_ones, 0),
            (all_ones, carries),
        ]
        for x, y in pairs:
            yield setting.line("multiply", x, y)
            yield setting.line("square", x)
        # Here x y < n R, though x = n.
        yield setting.line("mont_mul", all_ones, all_ones, all_ones)


def powers(limbs: int, s: Stream) -> Iterator[str]:
    """Yield exponents at the edges, by every method."""
    bits = LIMB_BITS * limbs
    n = s.odd(bits)
    for method in METHODS:
        for e in (0, 1, 2, 65537, s.bits(bits)):
            setting = Setting(
                limbs,
                levels=s.choice(levels(limbs)),
                squares=bool(s.bits(1)),
                method=method,
                window=s.below(LARGEST_WINDOW + 1),
            )
            yield setting.line("mod_exp", n, n - 1, e)
    longest = Setting(limbs, method="fixed", window=LARGEST_WINDOW)
    for e in every_digit(bits):  # the longest window reads each number of its table
        x = s.below(n)
        yield longest.line("mod_exp", n, x, e)
    for method in METHODS if limbs <= 16 else ("sliding",):
        setting = Setting(limbs, method=method)
        for e in (1 << (bits - 1), (1 << bits) - 1):
            x = s.below(n)
            yield setting.line("mod_exp", n, x, e)


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
        bits = LIMB_BITS * limbs
        level = s.choice(levels(limbs))
        setting = Setting(limbs, level)
        at_edges = edges(s, bits)
        of_any_width = s.bits(s.between(2, bits + 1))
        n = s.choice((at_edges, of_any_width)) | 3
        x = s.below(n)
        y = s.below(n)
        mont_mul = setting.line("mont_mul", n, x, y)
        mont_sqr = setting.line("mont_sqr", n, x)
        yield s.choice((mont_mul, mont_sqr))
        multiply = setting.line("multiply", edges(s, bits), x)
        square = setting.line("square", edges(s, bits))
        yield s.choice((multiply, square))


def vectors(cases: int, seed: int, sizes: Iterable[int] = SIZES) -> Iterator[str]:
    """Yield the check vectors; `sizes` in bits are those of the named kinds."""
    s = Stream(f"{seed} long numbers")
    for bits in sizes:
        limbs = bits // LIMB_BITS
        yield from named(limbs, s)
        yield from powers(limbs, s)
    for limbs in range(1, MOST_LIMBS + 1):
        setting = Setting(limbs)
        bits = LIMB_BITS * limbs
        n = edges(s, bits) | 3
        below = s.below(n)
        yield setting.line("mont_mul", n, n - 1, below)
        yield setting.line("mont_sqr", n, n - 1)
        for mask in (0, ALL_ONES_LIMB, s.bits(LIMB_BITS)):
            x = edges(s, bits)
            y = edges(s, bits)
            yield setting.line("add", x, y)
            yield setting.line("subtract", x, y)
            yield setting.line("subtract_masked", x, y, mask)
    yield from drawn(cases, s)


# ---- lines of the private operation


def of_key(
    key: Key,
    levels: int = 0,
    squares: bool = True,
    method: str = "sliding",
    window: int = 0,
) -> Setting:
    """Return a setting for numbers as long as n."""
    limbs = -(-key.n.bit_length() // LIMB_BITS)
    return Setting(limbs, levels, squares, method, window)


def private(key: Key, x: int) -> tuple[int, ...]:
    """Return the numbers of the private operation on x, by the Chinese remainder theorem."""
    n, e, d, p, q = key
    dp = d % (p - 1)
    dq = d % (q - 1)
    qinv = pow(q, -1, p)
    return n, p, q, dp, dq, qinv, e, x


def private_lines(key: Key, s: Stream) -> Iterator[str]:
    """Yield private operations with a key: edges and a random message."""
    drawn = s.below(key.n)
    for x in (0, 1, key.n - 1, key.p, key.q, drawn):
        method = s.choice(METHODS[1:])
        setting = of_key(key, method=method)
        yield setting.line("private", *private(key, x))
