"""One Montgomery product as a picture that moves: bit by bit as v0 makes it, and word by word as v7
does, with the registers and the carries after each step; numbers are small enough for a slide."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rsalab.hypertext import rendered
from rsalab.pages.document import HERE

BITS = 4  # of the numbers of the first picture, and of a word of the second
BASE = 1 << BITS
WORDS = 2
# The operands and the modulus of each picture.
BY_BITS = 5, 3, 7
BY_WORDS = 0x5A, 0x73, 0xB5
# What a cell of a register is at a step.
READ = "read"
WRITTEN = "written"
DROPPED = "dropped"
CARRY = "carry"


class Row(NamedTuple):
    """A row of registers: its name, a cell for each bit or word, the highest first, "" for none,
    and what some cells are at this step."""

    name: str
    cells: list[str]
    marks: dict[int, str] = {}


class Frame(NamedTuple):
    """What a picture shows at a step, and the line that the list beside it gains, "" for none."""

    rows: list[Row]
    line: str


# --- bit by bit -----------------------------------------------------------------------------------


def by_bits() -> str:
    """Return the picture of a product, one bit of x in each round."""
    return picture(bit_frames(*BY_BITS))


def bit_frames(x: int, y: int, n: int) -> Iterator[Frame]:
    """Yield the steps of a bit-serial product.  Raises AssertionError where it is wrong."""
    every = range(BITS + 1)
    t = 0
    yield Frame([operand(x, {}), Row("t", bits(t))], "")
    for place in range(BITS):
        bit = x >> place & 1
        name = "+ y" if bit else "+ 0"
        added = bit * y
        total = t + added
        rows = [operand(x, {BITS - place: READ}), Row("t", bits(t))]
        rows += addition(name, t, added)
        yield Frame(rows, f"bit {place} of x is {bit}: {t} + {added} = {total}")

        odd = total % 2 == 1
        name = "+ n" if odd else "+ 0"
        parity = "odd" if odd else "even"
        added = n if odd else 0
        even = total + added
        rows = [*rows, *addition(name, total, added)]
        yield Frame(rows, f"{total} is {parity}: {total} + {added} = {even}")

        t = even >> 1
        marks = dict.fromkeys(every, WRITTEN)
        marks[BITS + 1] = DROPPED
        half = Row("/ 2", ["0", *bits(even)], marks)
        yield Frame([*rows, half], f"t = {even} / 2 = {t}")

    result = t - n if t >= n else t
    assert result * BASE % n == x * y % n
    last = Row("t", bits(result), dict.fromkeys(every, WRITTEN))
    compared = f"{t} ≥ {n}: t = {t} - {n}" if t >= n else f"{t} < {n}: t"
    yield Frame([operand(x, {}), last], f"{compared} = {result} = x y / {BASE} mod n")


def operand(x: int, marks: dict[int, str]) -> Row:
    """Return the row of the bits of x."""
    _, *cells = bits(x)
    return Row("x", ["", *cells], marks)


def bits(number: int) -> list[str]:
    """Return a number in bits, as many as the largest sum has."""
    return list(f"{number:0{BITS + 1}b}")


def addition(name: str, a: int, b: int) -> list[Row]:
    """Return the rows of a sum: the carries into each place, what is added, the sum."""
    carries = []
    for place in reversed(range(BITS + 1)):
        below = (1 << place) - 1
        carried = (a & below) + (b & below) >> place
        carries.append(str(carried) if carried else "")
    return [
        Row("carry", carries, dict.fromkeys(range(BITS + 1), CARRY)),
        Row(name, bits(b), dict.fromkeys(range(BITS + 1), READ)),
        Row("=", bits(a + b)),
    ]


# --- word by word ---------------------------------------------------------------------------------


def by_words() -> str:
    """Return the picture of a product, one word of x in each round."""
    return picture(word_frames(*BY_WORDS))


class Machine:
    """The registers of a word-serial product: x, y, n and q, the lowest word first, t and the
    carry."""

    def __init__(self, x: int, y: int, n: int) -> None:
        self.numbers = {
            "x": words(x),
            "y": words(y),
            "n": words(n),
            "q": [0],
        }
        self.n0inv = -pow(n, -1, BASE) % BASE
        self.t = [0] * (WORDS + 1)
        self.carry = 0

    def umaal(self, left: tuple[str, int], right: tuple[str, int]) -> Frame:
        """Make carry : t[at] of a word, the word `at` of a number, t[at] and the carry, for which
        two words always have room."""
        factor, place = left
        name, at = right
        a = self.numbers[factor][place]
        b = self.numbers[name][at]
        t = self.t[at]
        total = a * b + t + self.carry
        terms = f"{a:X}·{b:X} + {t:X} + {self.carry:X}"
        self.carry, self.t[at] = divmod(total, BASE)
        first = "q" if factor == "q" else f"{factor}{place}"
        product = f"{first} {name}{at}"
        line = f"{product} + t{at} + carry = {terms} = {total:02X}"
        read = {factor: place, name: at}
        above = at + 1
        return self.frame(line, read, [at], carry_to=above)

    def add_carry(self) -> Frame:
        """Add the carry to the highest word."""
        terms = f"{self.t[WORDS]:X} + {self.carry:X}"
        self.t[WORDS] += self.carry
        self.carry = 0
        line = f"t{WORDS} + carry = {terms} = {self.t[WORDS]:X}"
        return self.frame(line, {}, [WORDS])

    def choose(self) -> Frame:
        """Choose q, which makes t + q n a multiple of the base."""
        t = self.t[0]
        q = t * self.n0inv % BASE
        self.numbers["q"] = [q]
        terms = f"{t:X}·{self.n0inv:X} mod {BASE}"
        line = f"q = t0 n' mod {BASE} = {terms} = {q:X}"
        return self.frame(line, {"q": 0}, [])

    def move_down(self) -> Frame:
        """Drop the lowest word, which is 0."""
        lowest, *rest = self.t
        assert lowest == 0
        self.t = [*rest, 0]
        every = range(WORDS + 1)
        return self.frame("t0 is 0: t moves down a word", {}, every)

    def frame(
        self, line: str, read: dict[str, int], written: Iterable[int], carry_to: int = 0
    ) -> Frame:
        """Return the registers after a step; the carry stands above the word that it goes to."""
        rows = []
        for name, number in self.numbers.items():
            marks = {WORDS - read[name]: READ} if name in read else {}
            rows.append(Row(name, padded(number), marks))
        carries = [""] * (WORDS + 1)
        if carry_to:
            carries[WORDS - carry_to] = f"{self.carry:X}"
        every = range(WORDS + 1)
        rows.append(Row("carry", carries, dict.fromkeys(every, CARRY)))
        marks = {WORDS - at: WRITTEN for at in written}
        return Frame([*rows, Row("t", padded(self.t), marks)], line)


def word_frames(x: int, y: int, n: int) -> Iterator[Frame]:
    """Yield the steps of a word-serial product.  Raises AssertionError where it is wrong."""
    machine = Machine(x, y, n)
    yield machine.frame("", {}, [])
    for place in range(WORDS):
        for at in range(WORDS):
            yield machine.umaal(("x", place), ("y", at))
        yield machine.add_carry()
        yield machine.choose()
        for at in range(WORDS):
            yield machine.umaal(("q", 0), ("n", at))
        yield machine.add_carry()
        yield machine.move_down()
    t = sum(word << BITS * at for at, word in enumerate(machine.t))
    result = t - n if t >= n else t
    assert result * BASE**WORDS % n == x * y % n
    compared = f"{t:X} ≥ {n:X}: t - n" if t >= n else f"{t:X} < {n:X}: t"
    machine.t = [*words(result), 0]
    line = f"{compared} = {result:02X} = x y / R mod n"
    yield machine.frame(line, {}, list(range(WORDS)))


def words(number: int) -> list[int]:
    """Return the words of a number, the lowest first."""
    return [number >> BITS * place & BASE - 1 for place in range(WORDS)]


def padded(number: list[int]) -> list[str]:
    """Return the words of a number, the highest first, in as many cells as t has."""
    cells = [f"{word:X}" for word in reversed(number)]
    return [""] * (WORDS + 1 - len(cells)) + cells


# --- as HTML --------------------------------------------------------------------------------------


def picture(frames: Iterable[Frame]) -> str:
    """Return frames, one of which is seen at a time, beside a list that grows."""
    return rendered(HERE / "product.jinja", frames=list(frames))
