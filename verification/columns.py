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
from verification.symbols import MASK, Bits, Unproved, Value, bits, joined

MOST = {"two-at-once": 130, "lazy-digits": 133, "odd-powers": 133}  # bits of a number
LIMB = 28  # bits
N_BITS = 128
R = 1 << 140
LOW = (1 << LIMB) - 1
NUMBERS = {
    "u": (20, 16, 17, 18, 19),
    "w": (26, 22, 23, 24, 25),
    "y": (31, 27, 28, 29, 30),
}
MODULUS = ["d0[0]", "d0[1]", "d1[0]", "d1[1]", "d2[0]"]
N0INV = "d2[1]"
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
    """Return the products and squares of a function, in order of address.

    A piece begins with its first vmull; a square with the two vadd before it, which double x.  It
    ends with the vshrn that gives the top limb of z.
    """
    found = []
    start = 0
    is_square = False
    before = ""
    top_of_u = f"d{NUMBERS['u'][-1]}"
    for address in code.addresses(function):
        name, *operands = code.text(address)
        if name == "vmull.u32" and not start:
            is_square = before == "vadd.i32"
            start = address - 8 if is_square else address
        elif name == "vshrn.i64":
            z, x = ("u", "w") if operands[0] == top_of_u else ("w", "u")
            y = x if is_square else "y"
            found.append(Piece(start, address + 4, z, x, y))
            start = 0
        before = name
    return found


def limbs(name: str, lane: int = 0) -> list[str]:
    """Return where a number's limbs are in a lane, the lowest first."""
    return [f"d{register}[{lane}]" for register in NUMBERS[name]]


@cache
def prove_piece(
    words: tuple[int, ...], piece: Piece, sizes: tuple[int, int], size: int
) -> None:
    """Prove z R = x y + q n in both lanes, where x and y have so many bits.

    z has `size` bits; where that is 0, q < R.  Raises Unproved.
    """
    algebra = Polynomials(LIMB)
    machine = Machine(Code({}, {}).changed(0, words), algebra, [])
    machine.registers = [None] * 80
    write_number(machine, MODULUS, "n", N_BITS)
    machine.write([N0INV], [algebra.word("n0inv")])
    for name, width in zip((piece.x, piece.y), sizes):
        for lane in (0, 1):
            write_number(machine, limbs(name, lane), f"{name}{lane}.", width)
    before = list(machine.registers)
    n = machine.read(*MODULUS)
    factors = []
    for lane in (0, 1):
        x = machine.read(*limbs(piece.x, lane))
        y = machine.read(*limbs(piece.y, lane))
        factors.append((x, y))
    machine.run(0, 4 * len(words))
    for lane, (x, y) in enumerate(factors):
        z = machine.read(*limbs(piece.z, lane))
        q = list(algebra.digits)[lane::2]
        prove_identity(machine, z, x, y, q, n, LIMB)
        if any(limb.most > LOW for limb in z[:4]):
            raise Unproved("a limb of more than 28 bits")
        prove_bound(algebra, q, sizes, size)
    prove_nothing_else(machine, piece, before)


def write_number(
    machine: Machine, registers: Sequence[str], name: str, width: int
) -> None:
    """Write an unknown number of so many bits, in limbs, to registers."""
    top = width - 4 * LIMB
    widths = [LIMB, LIMB, LIMB, LIMB, top]
    unknown = []
    for i, limb_bits in enumerate(widths):
        limb = machine.algebra.word(f"{name}{i}", limb_bits)
        unknown.append(limb)
    machine.write(registers, unknown)


def prove_bound(
    algebra: Polynomials, q: Sequence[Value], sizes: tuple[int, int], size: int
) -> None:
    """Prove z < 2^size, or q < R where size is 0.

    z R = x y + q n with x y < 2^(sum of sizes) and n < 2^N_BITS.  Raises Unproved.
    """
    largest_q = 0
    for i, digit in enumerate(q):
        largest_q += int(algebra.most[digit]) << LIMB * i
    if size:
        largest_sum = (1 << sum(sizes)) + (largest_q << N_BITS)
        is_too_large = largest_sum > R << size
    else:
        is_too_large = largest_q >= R
    if is_too_large:
        raise Unproved("a quotient that is too large")


def prove_nothing_else(machine: Machine, piece: Piece, before: Sequence[Value]) -> None:
    """Prove that a product has changed its result and registers that are free.  Raises Unproved."""
    result = machine.indices([*limbs(piece.z, 0), *limbs(piece.z, 1)])
    may_change = {PC, *FREE, *result}
    if piece.x == piece.y:
        may_change |= {*DOUBLED}
    changed = {i for i, word in enumerate(machine.registers) if word != before[i]}
    flags = {machine.carry, machine.result, machine.added}
    if changed - may_change or flags != {None}:
        raise Unproved("a product changes more than its result")


def prove_lanes(name: str, original: Code, code: Code) -> None:
    """Prove mont_mul, and every product and square of mod_exp.  Raises Unproved."""
    (only,) = pieces(original, "mont_mul")
    *inner, last = pieces(original, "mod_exp")
    most = MOST[name]
    questions: list[tuple[Piece, tuple[int, int], int]] = [
        (only, (N_BITS, 5 * LIMB), 0)
    ]
    for piece in inner:
        questions.append((piece, (most, most), most))
    questions.append((last, (most, most), 0))
    for piece, sizes, size in questions:
        words = tuple(map(code, range(piece.start, piece.end, 4)))
        prove_piece(words, piece._replace(start=0, end=0), sizes, size)
    for alias in ALIASES:
        for machine in Machine.paths(code):
            prove_rest(machine, only, alias)


def most_of_limb(i: int) -> int:
    """Return the largest value of limb i: only the top one may have more than 28 bits."""
    return LOW if i < 4 else MASK


def number_in(machine: Machine, registers: Sequence[str]) -> Bits:
    """Return the number whose limbs these registers hold.  Raises Unproved if one is too large."""
    total = bits(0, 192)
    for i, limb in enumerate(machine.read(*registers)):
        wide = bits(limb, 192)
        machine.algebra.prove(wide <= most_of_limb(i))
        total = total + (wide << LIMB * i)
    return total


def prove_rest(machine: Machine, piece: Piece, alias: str) -> None:
    """Prove mont_mul without its product, of which t < 2n comes.  Raises Unproved."""
    machine.enter(4, alias)
    start, _ = machine.code.functions["mont_mul"]
    machine.run(start, piece.start)
    shift_of_y = 5 * LIMB - N_BITS
    for name, registers, shift in (
        ("n", MODULUS, 0),
        ("x", limbs(piece.x), 0),
        ("y", limbs(piece.y), shift_of_y),
    ):
        wanted = joined(operand(name, 4), 192) << shift
        number = number_in(machine, registers)
        machine.algebra.prove(number.equals(wanted))
    n0inv = machine.load(machine.registers[3] + 32)
    if machine.read(N0INV) != [n0inv]:
        raise Unproved("n0inv is not where a product needs it")
    for register in (*range(16, 32), *range(48, 80)):
        machine.registers[register] = None
    for i, name in enumerate(limbs(piece.z)):
        limb = machine.algebra.fresh()
        machine.write([name], [limb])
        machine.algebra.require(limb <= most_of_limb(i))
    machine.registers[PC] = piece.end
    finish(machine, number_in(machine, limbs(piece.z)))
