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
from typing import NamedTuple

from verification.instructions import Machine
from verification.machine import ALIASES, PC, Code, operand
from verification.polynomials import Polynomials
from verification.products import finish, prove_identity
from verification.symbols import MASK, Bits, Unproved, bits, joined

MOST = {"two-at-once": 130, "lazy-digits": 133, "odd-powers": 133}  # bits of a number
LIMB, R, N_BITS = 28, 1 << 140, 128
LOW = (1 << LIMB) - 1
NUMBERS = {"u": (20, 16, 17, 18, 19), "w": (26, 22, 23, 24, 25), "y": (31, 27, 28, 29, 30)}
MODULUS, N0INV = ["d0[0]", "d0[1]", "d1[0]", "d1[1]", "d2[0]"], "d2[1]"
FREE = [16 + word for word in range(8, 16)]  # q2 and q3
DOUBLED = [16 + word for word in range(56, 64)]  # words of 2 x


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
        name, *operands = code.text(at)
        if name == "vmull.u32" and not start:
            square = before == "vadd.i32"
            start = at - 8 * square
        elif name == "vshrn.i64":
            z, x = ("u", "w") if operands[0] == f"d{NUMBERS['u'][-1]}" else ("w", "u")
            found.append(Piece(start, at + 4, z, x, x if square else "y"))
            start = 0
        before = name
    return found


def limbs(name: str, lane: int = 0) -> list[str]:
    """Where a number's limbs are in a lane, the lowest first."""
    return [f"d{register}[{lane}]" for register in NUMBERS[name]]


@cache
def prove_piece(words: tuple[int, ...], piece: Piece, sizes: tuple[int, int], size: int) -> None:
    """z R = x y + q n in both lanes; x and y have so many bits, z has
    `size`; where that is 0, q < R.  Raises Unproved."""
    algebra = Polynomials(LIMB)
    machine = Machine(Code({}, {}).changed(0, words), algebra, [])
    machine.registers = [None] * 80
    placed = [(MODULUS, "n", N_BITS)]
    placed += [(limbs(x, k), f"{x}{k}.", s) for x, s in zip(piece[3:], sizes) for k in (0, 1)]
    for registers, name, bits_of in placed:
        widths = [LIMB, LIMB, LIMB, LIMB, bits_of - 4 * LIMB]
        machine.write(registers, [algebra.word(f"{name}{i}", w) for i, w in enumerate(widths)])
    machine.write([N0INV], [algebra.word("n0inv")])
    before, n = list(machine.registers), machine.read(*MODULUS)
    factors = [[machine.read(*limbs(x, k)) for x in piece[3:]] for k in (0, 1)]
    machine.run(0, 4 * len(words))
    for lane, (x, y) in enumerate(factors):
        z, q = machine.read(*limbs(piece.z, lane)), list(algebra.digits)[lane::2]
        prove_identity(machine, z, x, y, q, n, LIMB)
        if any(limb.most > LOW for limb in z[:4]):
            raise Unproved("a limb of more than 28 bits")
        largest = sum(int(algebra.most[d]) << LIMB * i for i, d in enumerate(q))
        if largest >= R if not size else (1 << sum(sizes)) + (largest << N_BITS) > R << size:
            raise Unproved("a quotient that is too large")
    changed = {i for i, value in enumerate(machine.registers) if value != before[i]}
    free = {PC, *FREE, *machine.places([*limbs(piece.z, 0), *limbs(piece.z, 1)])}
    flags = {machine.carry, machine.result, machine.added}
    if changed - free - {*DOUBLED[: 8 * (piece.x == piece.y)]} or flags != {None}:
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


def value(machine: Machine, registers: Sequence[str]) -> Bits:
    """The number whose limbs these are.  Raises Unproved if one of them, but
    the last, may have more than 28 bits."""
    total = bits(0, 192)
    for i, limb in enumerate(machine.read(*registers)):
        machine.algebra.prove(bits(limb, 192) <= (LOW if i < 4 else MASK))
        total = total + (bits(limb, 192) << LIMB * i)
    return total


def prove_rest(machine: Machine, piece: Piece, alias: str) -> None:
    """mont_mul without its product, of which t < 2n comes.  Raises Unproved."""
    machine.enter(4, alias)
    machine.run(machine.code.functions["mont_mul"][0], piece.start)
    y_by = 5 * LIMB - N_BITS
    for name, registers, by in (
        ("n", MODULUS, 0),
        ("x", limbs(piece.x), 0),
        ("y", limbs(piece.y), y_by),
    ):
        wanted = joined(operand(name, 4), 192) << by
        machine.algebra.prove(value(machine, registers).equals(wanted))
    if machine.read(N0INV) != [machine.load(machine.registers[3] + 32)]:
        raise Unproved("n0inv is not where a product needs it")
    for place in (*range(16, 32), *range(48, 80)):
        machine.registers[place] = None
    for i, register in enumerate(limbs(piece.z)):
        machine.write([register], [limb := machine.algebra.fresh()])
        machine.algebra.require(limb <= (LOW if i < 4 else MASK))
    machine.registers[PC] = piece.end
    finish(machine, value(machine, limbs(piece.z)))
