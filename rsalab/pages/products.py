"""One Montgomery product as a picture that grows: bit by bit as v0 makes it, and word by word as v7
does, with the registers and the carry after each step; numbers are small enough for a slide."""

from collections.abc import Iterator
from typing import NamedTuple

BITS = 4  # of the numbers of the first picture, and of a word of the second
BASE = 1 << BITS
WORDS = 2
# The operands and the modulus of each picture.
BY_BITS = 5, 3, 7
BY_WORDS = 0x5A, 0x73, 0xB5


class Step(NamedTuple):
    """A line of a picture: what is done, and what the registers hold then."""

    what: str
    registers: list[str]


def row(step: Step) -> str:
    """Return a line of a picture, which appears when the speaker goes on."""
    cells = "".join(f'<td class="register">{text}</td>' for text in step.registers)
    return f'<tr class="fragment"><td>{step.what}</td>{cells}</tr>'


def picture(heads: list[str], steps: list[Step]) -> str:
    """Return the picture of a product."""
    names = "".join(f"<th>{head}</th>" for head in ["step", *heads])
    lines = [f"<tr>{names}</tr>"]
    for step in steps:
        lines.append(row(step))
    rows = "\n".join(lines)
    return f'<table class="registers">\n{rows}\n</table>'


def by_bits() -> str:
    """Return the picture of a product, one bit of x in each round."""
    return picture(["sum", "+ n if odd", "t = half"], list(rounds(*BY_BITS)))


def rounds(x: int, y: int, n: int) -> Iterator[Step]:
    """Yield the rounds of a bit-serial product.  Raises AssertionError where it is wrong."""
    t = 0
    for place in range(BITS):
        bit = x >> place & 1
        total = t + bit * y
        even = total + (total & 1) * n
        t = even >> 1
        what = f"round {place}: bit {place} of x is {bit}, {'add y' if bit else 'add nothing'}"
        yield Step(what, [binary(total), binary(even), binary(t)])
    if t >= n:
        t -= n
    assert t * BASE % n == x * y % n
    yield Step(f"final subtraction: x y / {BASE} mod n = {t}", ["", "", binary(t)])


def binary(number: int) -> str:
    """Return a number in bits, as many as the largest sum has."""
    return f"{number:0{BITS + 1}b}"


def by_words() -> str:
    """Return the picture of a product, one word of x in each round."""
    return picture(["carry", "t2", "t1", "t0"], list(word_rounds(*BY_WORDS)))


def word_rounds(x: int, y: int, n: int) -> Iterator[Step]:
    """Yield the steps of a word-serial product.  Raises AssertionError where it is wrong."""
    n0inv = -pow(n, -1, BASE) % BASE
    t = [0] * (WORDS + 1)
    for place in range(WORDS):
        word = word_of(x, place)
        carry = 0
        for at in range(WORDS):
            t[at], carry = multiplied(word, word_of(y, at), t[at], carry)
            what = f"umaal: x{place} y{at} + t{at} + carry"
            yield Step(what, shown(carry, t))
        t[WORDS] += carry
        q = t[0] * n0inv % BASE
        yield Step(f"t2 + carry; q = t0 n' mod {BASE} = {q:X}", shown(0, t))
        _, carry = multiplied(q, word_of(n, 0), t[0], 0)
        for at in range(1, WORDS):
            t[at - 1], carry = multiplied(q, word_of(n, at), t[at], carry)
        top = t[WORDS] + carry
        t[WORDS - 1] = top % BASE
        t[WORDS] = top // BASE
        yield Step("umaal: + q n; t0 is 0, and t moves down a word", shown(0, t))
    result = sum(digit << BITS * at for at, digit in enumerate(t))
    if result >= n:
        result -= n
    assert result * BASE**WORDS % n == x * y % n
    yield Step(f"final subtraction: x y / R mod n = {result:02X}", ["", "", "", ""])


def word_of(number: int, place: int) -> int:
    """Return a word of a number."""
    return number >> BITS * place & BASE - 1


def multiplied(a: int, b: int, low: int, carry: int) -> tuple[int, int]:
    """Return the low and the high word of a b + low + carry, which always has two words."""
    total = a * b + low + carry
    return total % BASE, total // BASE


def shown(carry: int, t: list[int]) -> list[str]:
    """Return the carry and the words of t, the highest first."""
    return [f"{word:X}" for word in (carry, *reversed(t))]
