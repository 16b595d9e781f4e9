"""Products of two numbers of five limbs of 28 bits in NEON lanes, column by column.

A column is a polynomial in limbs and digits of the quotient.  It is 0 modulo
2^28 after a digit q = c n0inv, modulo 2^32 or 2^28, has added q n_0 to it.  So
its shift by 28 bits is exact, and z R = x y + q n, with R = 2^140, is an
identity of polynomials.

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

from verification.instructions import Machine
from verification.machine import ALIASES, PC, RETURN, Code, operand, text
from verification.polynomials import Polynomials, number
from verification.symbols import MASK, Bits, Unproved, Value, bits, joined, reduced

MOST = {"two-at-once": 130, "lazy-digits": 133, "odd-powers": 133}  # bits of a number
LIMB, R, N_BITS = 28, 1 << 140, 128
LOW = (1 << LIMB) - 1
NUMBERS = {"u": (20, 16, 17, 18, 19), "w": (26, 22, 23, 24, 25), "y": (31, 27, 28, 29, 30)}
N0INV, MODULUS = 5, range(6)  # words of d0 to d2: n0 to n4, n0inv
DOUBLED = {*range(56, 64)}  # words of 2 x


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


def joined_limbs(limbs: Sequence[Value]) -> Any:
    """The number whose limbs these are, the lowest first."""
    return number(limbs, LIMB)


def whole(machine: Machine, name: str, lane: int) -> Any:
    """The number in a lane."""
    return joined_limbs([machine.get(16 + word) for word in words_of(name, lane)])


@cache
def prove_piece(words: tuple[int, ...], piece: Piece, sizes: tuple[int, int], size: int) -> None:
    """z R = x y + q n in both lanes; x and y have so many bits, z has
    `size`; where that is 0, q < R.  Raises Unproved."""
    algebra = Polynomials(LIMB)
    machine = Machine(Code({}, {}).changed(0, words), algebra, [])
    registers = machine.registers = [None] * 80
    n = [algebra.word(f"n{i}", LIMB if i < 4 else N_BITS - 4 * LIMB) for i in range(5)]
    for word, value in zip(MODULUS, [*n, algebra.word("n0inv")]):
        registers[16 + word] = value
    for name, width in zip((piece.x, piece.y), sizes):
        for lane in (0, 1):
            for i, word in enumerate(words_of(name, lane)):
                limb = algebra.word(f"{name}{lane}.{i}", LIMB if i < 4 else width - 4 * LIMB)
                registers[16 + word] = limb
    products = [whole(machine, piece.x, k) * whole(machine, piece.y, k) for k in (0, 1)]
    before = list(registers)
    machine.run(0, 4 * len(words))
    for lane, product in enumerate(products):
        q = list(algebra.digits)[lane::2]
        if whole(machine, piece.z, lane) * R != product + joined_limbs(q) * joined_limbs(n):
            raise Unproved("z R = x y + q n is no identity")
        if any(registers[16 + word].most > LOW for word in words_of(piece.z, lane)[:4]):
            raise Unproved("a limb of more than 28 bits")
        largest = sum(int(algebra.most[d]) << LIMB * i for i, d in enumerate(q))
        if largest >= R if not size else (1 << sum(sizes)) + (largest << N_BITS) > R << size:
            raise Unproved("a quotient that is too large")
    changed = {i - 16 for i in range(80) if registers[i] != before[i] and i != PC}
    free = {*range(8, 16), *words_of(piece.z, 0), *words_of(piece.z, 1)}  # q2, q3 and z
    flags = {machine.carry, machine.result, machine.added}
    if changed - free - (DOUBLED if piece.x == piece.y else set()) or flags != {None}:
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
        for machine in Machine.paths(code):
            prove_rest(machine, only, alias)


def limbs_of(machine: Machine, words: Sequence[int]) -> Bits:
    """The number of which these words of vectors are the limbs.  Raises
    Unproved if one of them, but the last, may have more than 28 bits."""
    total = bits(0, 192)
    for i, word in enumerate(words):
        limb = bits(machine.get(16 + word), 192)
        machine.algebra.prove(limb <= (LOW if i < 4 else MASK))
        total = total + (limb << LIMB * i)
    return total


def prove_rest(machine: Machine, piece: Piece, alias: str) -> None:
    """mont_mul without its product, of which t < 2n comes.  Raises Unproved."""
    machine.enter(4, alias)
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
