"""Products of two numbers of five limbs of 28 bits in NEON lanes, column by column.

A lane is known as a polynomial in limbs and digits of the quotient, and by the
most that it can be: no sum passes its lane.  Of a column c, c mod 2^28 is an
unknown of its own; it is 0 after a digit q = c n0inv, modulo 2^32 or 2^28, has
added q n_0 to c, because n_0 n0inv = -1 mod 2^28.  So the shift of c by 28
bits is exact, and z R = x y + q n, with R = 2^140, is an identity of
polynomials.

That is shown in both lanes of every product and square of mont_mul and
mod_exp, and that z is below the bound that products need.  Of mont_mul bit
vectors show the rest: that the limbs are those of x, 2^12 y and n; then t < (n
n 2^12 + R n) / R < 2n if q < R, and z = t mod n; that nothing else changes,
and that the call returns.  What lies between the products of mod_exp is left
to the vectors.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from sympy import QQ, ring

from verification.machine import ALIASES, PC, RETURN, Code, Machine, operand
from verification.neon import KEPT, Vectors, text
from verification.symbols import MASK, Beyond, Bits, Unproved, Words, bits, joined, reduced

MOST = {"two-at-once": 130, "lazy-digits": 133, "odd-powers": 133}  # bits of a number
LIMB, R, N_BITS = 28, 1 << 140, 128
LOW = (1 << LIMB) - 1
NUMBERS = {"u": (20, 16, 17, 18, 19), "w": (26, 22, 23, 24, 25), "y": (31, 27, 28, 29, 30)}
N0, N0INV, MODULUS = 0, 5, range(6)  # words of d0 to d2: n0 to n4, n0inv
DOUBLED = {*range(56, 64)}  # words of 2 x
RING, *UNKNOWNS = ring([f"c{i}" for i in range(120)], QQ)


class Lane(NamedTuple):
    """The value of a lane of 32 bits, or 64 where it is wide, and the most that it can be."""

    value: Any
    most: int
    wide: bool = False


class Piece(NamedTuple):
    """A product: its code, and its result and operands, by their names."""

    start: int
    end: int
    z: str
    x: str
    y: str


def pieces(code: Code, function: str) -> list[Piece]:
    """The products and squares of a function, in order of address."""
    found, start, square, before = [], 0, False, ""
    for at in range(*code.functions[function], 4):
        name, operands = text(code(at))
        if name == "vmull.u32" and not start:
            square = before == "vadd.i32"
            start = at - 8 * square
        elif name == "vshrn.i64":
            z, x = ("u", "w") if operands[0] == f"d{NUMBERS['u'][-1]}" else ("w", "u")
            found.append(Piece(start, at + 4, z, x, x if square else "y"))
            start = 0
        before = name
    return found


def words_of(name: str, lane: int) -> list[int]:
    """Of a number's limbs in a lane, the lowest first."""
    return [2 * d + lane for d in NUMBERS[name]]


def place(register: str, lane: int, wide: bool) -> int:
    """The first word of a lane."""
    return int(register[1:]) * (4 if register[0] == "q" else 2) + lane * (2 if wide else 1)


# Whether the result's lanes are wide, and the operands'.
FORMS: dict[str, tuple[bool, list[bool]]] = {
    "vmull.u32": (True, [False, False]),
    "vmlal.u32": (True, [False, False]),
    "vsra.u64": (True, [True]),
    "vadd.i32": (False, [False, False]),
    "vmul.i32": (False, [False, False]),
    "vmovn.i64": (False, [True]),
    "vshrn.i64": (False, [True]),
    "vbic.i32": (False, []),
}


class Columns(Machine):
    """A machine of which only the words of vectors are known, as lanes."""

    def __init__(self, words: Sequence[int]) -> None:
        super().__init__(Code({}, {}).changed(0, words), Words(), [])
        self.words: dict[int, Lane | None] = {}
        self.unknowns = iter(UNKNOWNS)
        self.lows: dict[Any, Any] = {}  # the low word of a column -> that column
        self.rests: dict[Any, Any] = {}  # a column -> what it is modulo 2^28
        self.digits: dict[Any, tuple[Lane, Any]] = {}  # of the quotient, each with its column
        self.changed: set[int] = set()

    def new(self, width: int) -> Lane:
        """Another unknown, of so many bits."""
        return Lane(next(self.unknowns), (1 << width) - 1)

    def digit(self, width: int, column: Any) -> Lane:
        """Another digit of the quotient, which is for this column."""
        lane = self.new(width)
        self.digits[lane.value] = lane, column
        return lane

    def read(self, word: int, wide: bool = False) -> Lane:
        """A lane, by its first word."""
        lane = self.words.get(word)
        if lane is None or lane.wide != wide:
            raise Unproved("a lane is read that is not known")
        return lane

    def write(self, word: int, lane: Lane) -> None:
        """A lane, by its first word.  Raises Unproved where it is too small."""
        if lane.most >> (64 if lane.wide else 32):
            raise Unproved("a sum may pass its lane")
        if (below := self.words.get(word - 1)) and below.wide:
            self.words[word - 1] = None
        self.words[word] = lane
        if lane.wide:
            self.words[word + 1] = None
        self.changed |= {word, word + lane.wide}

    def rest(self, column: Any) -> Any:
        """What it is modulo 2^28."""
        n0 = self.read(N0).value
        if any(column == before + digit * n0 for digit, (_, before) in self.digits.items()):
            return RING(0)
        if column not in self.rests:
            self.rests[column] = self.new(LIMB).value
        return self.rests[column]

    def step(self, w: int) -> None:
        name, operands = text(w)
        if w >> 25 != 0x79 or name not in FORMS:
            raise Beyond(f"{w:08x}: not understood")
        self.registers[PC] += 4
        (wide, sources), (z, *others) = FORMS[name], operands
        if wide and z[0] != "q":
            raise Beyond(f"{w:08x}: not understood")
        made = []
        for k in range(4 if z[0] == "q" and not wide else 2):
            lanes = [self.operand(one, k, width) for one, width in zip(others, sources)]
            word = place(z, k, wide)
            made.append((word, self.outcome(name, word, lanes, others[-1])._replace(wide=wide)))
        for word, lane in made:
            self.write(word, lane)

    def operand(self, name: str, k: int, wide: bool) -> Lane:
        """Lane k of an operand; one that is named in it is the same for every k."""
        register, _, lane = name.partition("[")
        return self.read(place(register, int(lane[:-1]) if lane else k, wide), wide)

    def outcome(self, name: str, word: int, lanes: list[Lane], last: str) -> Lane:
        """What an instruction makes of lanes; `last` is its last operand."""
        if name == "vbic.i32":
            return self.lowest(self.read(word), last)
        a, b = lanes[0], lanes[-1]
        if name == "vmovn.i64":
            low = self.new(32)
            self.lows[low.value] = a.value
            return low
        if name in ("vshrn.i64", "vsra.u64"):
            if last != f"#{LIMB:#x}":
                raise Unproved("a shift by another number")
            z = self.read(word, True) if name == "vsra.u64" else Lane(RING(0), 0)
            above = (a.value - self.rest(a.value)) / (1 << LIMB)
            return Lane(z.value + above, z.most + (a.most >> LIMB))
        if name == "vadd.i32":
            return Lane(a.value + b.value, a.most + b.most)
        if name == "vmul.i32":
            if a.value not in self.lows or b != self.read(N0INV):
                raise Unproved("a product of which only the low word is kept")
            return self.digit(32, self.lows[a.value])
        z = self.read(word, True) if name == "vmlal.u32" else Lane(RING(0), 0)
        return Lane(z.value + a.value * b.value, z.most + a.most * b.most)

    def lowest(self, lane: Lane, mask: str) -> Lane:
        """A low word, or a digit, without its bits from 28 on."""
        if mask != f"#{MASK - LOW:#x}":
            raise Unproved("another mask")
        if lane.value in self.lows:
            return Lane(self.rest(self.lows[lane.value]), LOW)
        if lane.value not in self.digits:
            raise Unproved("neither a limb nor a digit")
        return self.digit(LIMB, self.digits.pop(lane.value)[1])

    def number(self, name: str, lane: int) -> Any:
        """The one in a lane."""
        return whole([self.read(word).value for word in words_of(name, lane)])


def whole(limbs: Sequence[Any]) -> Any:
    """The number whose limbs these are, the lowest first."""
    return sum((limb * (1 << LIMB * i) for i, limb in enumerate(limbs)), RING(0))


@cache
def prove_piece(words: tuple[int, ...], piece: Piece, sizes: tuple[int, int], size: int) -> None:
    """z R = x y + q n in both lanes; x and y have so many bits, z has
    `size`; where that is 0, q < R.  Raises Unproved."""
    machine = Columns(words)
    for word in MODULUS:
        machine.words[word] = machine.new({4: N_BITS - 4 * LIMB, N0INV: 32}.get(word, LIMB))
    for name, width in zip((piece.x, piece.y), sizes):
        for lane in (0, 1):
            *low, top = words_of(name, lane)
            machine.words |= {word: machine.new(LIMB) for word in low}
            machine.words[top] = machine.new(width - 4 * LIMB)
    products = [machine.number(piece.x, k) * machine.number(piece.y, k) for k in (0, 1)]
    machine.run(0, 4 * len(words))
    n = whole([machine.read(word).value for word in range(5)])
    digits = [digit for digit, _ in machine.digits.values()]
    for lane, product in enumerate(products):
        q = digits[lane::2]
        if machine.number(piece.z, lane) * R != product + whole([d.value for d in q]) * n:
            raise Unproved("z R = x y + q n is no identity")
        if any(machine.read(word).most > LOW for word in words_of(piece.z, lane)[:4]):
            raise Unproved("a limb of more than 28 bits")
        largest = sum(d.most << LIMB * i for i, d in enumerate(q))
        if largest >= R if not size else (1 << sum(sizes)) + (largest << N_BITS) > R << size:
            raise Unproved("a quotient that is too large")
    free = {*range(8, 16), *words_of(piece.z, 0), *words_of(piece.z, 1)}  # q2, q3 and z
    if machine.changed - free - (DOUBLED if piece.x == piece.y else set()):
        raise Unproved("a product changes more than its result")


def prove_lanes(name: str, original: Code, code: Code) -> None:
    """mont_mul, and every product and square of mod_exp.  Raises Unproved."""
    (only,), most = pieces(original, "mont_mul"), MOST[name]
    *inner, last = pieces(original, "mod_exp")
    for piece, sizes, size in (
        (only, (N_BITS, 5 * LIMB), 0),
        *((piece, (most, most), most) for piece in inner),
        (last, (most, most), 0),
    ):
        words = tuple(map(code, range(piece.start, piece.end, 4)))
        prove_piece(words, piece._replace(start=0, end=0), sizes, size)
    for alias in ALIASES:
        for machine in Vectors.paths(code):
            prove_rest(machine, only, alias)


def limbs_of(machine: Vectors, words: Sequence[int]) -> Bits:
    """The number of which these words of vectors are the limbs.  Raises
    Unproved if one of them, but the last, may have more than 28 bits."""
    total = bits(0, 192)
    for i, word in enumerate(words):
        limb = bits(machine.get(16 + word), 192)
        machine.algebra.prove(limb <= (LOW if i < 4 else MASK))
        total = total + (limb << LIMB * i)
    return total


def prove_rest(machine: Vectors, piece: Piece, alias: str) -> None:
    """mont_mul without its product, of which t < 2n comes.  Raises Unproved."""
    machine.enter(4, alias)
    machine.registers += [*[None] * 16, *KEPT, *[None] * 32]
    machine.run(machine.code.functions["mont_mul"][0], piece.start)
    for name, words, by in (
        ("n", MODULUS[:5], 0),
        ("x", words_of(piece.x, 0), 0),
        ("y", words_of(piece.y, 0), 5 * LIMB - N_BITS),
    ):
        wanted = joined(operand(name, 4), 192) << by
        machine.algebra.prove(limbs_of(machine, words).equals(wanted))
    if machine.get(16 + N0INV) != machine.load(machine.registers[3] + 32):
        raise Unproved("n0inv is not where a product needs it")
    for word in (*range(16), *range(32, 64)):
        machine.registers[16 + word] = None
    for i, word in enumerate(words_of(piece.z, 0)):
        machine.registers[16 + word] = limb = machine.algebra.fresh()
        machine.algebra.require(limb <= (LOW if i < 4 else MASK))
    n, t = joined(operand("n", 4), 192), limbs_of(machine, words_of(piece.z, 0))
    machine.algebra.require(n[:1])
    machine.algebra.require(t < n + n)
    machine.run(piece.end, RETURN)
    machine.algebra.prove(bits(machine.left(4), 192).equals(reduced(t, n)))
    if machine.registers[32:48] != KEPT:
        raise Unproved("a register that has to be preserved is not")
