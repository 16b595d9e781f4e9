"""mont_mul of the word-serial assembly: a polynomial identity, then the final subtraction.

Up to the final subtraction, t R = x y + q n holds as an identity of
polynomials in the words of x, y, n and the quotient digits q_j < 2^32.  Hence
t < (n n + R n) / R < 2n.  From there bit vectors show that z = t mod n at the
full width, that nothing else is written, and that the call returns with the
registers and the stack pointer as the procedure call standard wants them.

mont_mul and mod_exp of width-64/v3: each product of mod_exp, and then the
power that they give.  A product is proved once with both carry cases: z R = x
y (mod n) for all x, y < R.  mod_exp is then executed on bit vectors with that
for each product but the last: a pair of words below R is known by its residue,
x^exponent R^domain, whose exponent is a sum of digits of e.  A load from the
table needs all sixteen powers in their places.  The last product has y = 1,
hence z <= (R - 1 + (R - 1) n) / R < n + 1, and what remains is the final
subtraction.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from verification.instructions import Machine
from verification.machine import ALIASES, PC, RETURN, SP, STACK, Code, operand
from verification.polynomials import Polynomials, number, plain, symbol
from verification.symbols import (
    MASK,
    Bits,
    Unproved,
    Value,
    bits,
    joined,
    reduced,
    variable,
)

R = 1 << 64  # of width-64/v3
Operand = Sequence[Value]  # a number's words or limbs, the lowest first


def prove_identity(
    machine: Machine, t: Operand, x: Operand, y: Operand, q: Operand, n: Operand, unit: int = 32
) -> None:
    """t R = x y + q n on this way through, where R has as many digits, of so many bits, as n.
    Raises Unproved."""
    if len(q) != len(n):
        raise Unproved(f"{len(q)} quotient digits")
    tr, xs, ys, qs, ns = (number(words, unit) for words in ([0] * len(n) + [*t], x, y, q, n))
    if (tr - xs * ys - qs * ns).subs(machine.algebra.values):
        raise Unproved("t R = x y + q n is no identity")


def anything(machine: Machine, registers: Sequence[str]) -> Bits:
    """Any number, in registers from now on."""
    words = [machine.algebra.fresh() for _ in registers]
    machine.write(registers, words)
    return joined(words)


def finish(machine: Machine, number: Bits, at_most_n: bool = False) -> None:
    """From here on, z becomes t mod n for every t < 2n, or t <= n.  Raises Unproved."""
    wide, algebra = number.width + 32, machine.algebra
    t, n = bits(number, wide), joined(operand("n", machine.limbs), wide)
    algebra.require(n[:1])
    algebra.require(t <= n if at_most_n else t < n + n)
    machine.run(machine.registers[PC], RETURN)
    algebra.prove(bits(machine.left(machine.limbs), wide).equals(reduced(t, n)))


def prove_product(original: Code, code: Code, carry: bool = False) -> None:
    """mont_mul is right.  `original` says where the final subtraction begins: after the adc that
    gives the top word of t; and which registers hold t: those of which it subtracts.  Where the
    top is a carry, n is subtracted for it in between.  Raises Unproved."""
    last, *others = original.find("mont_mul", "subs|sbcs")
    t = [original.text(at)[2] for at in (last, *others)]
    cut = max(at for at in original.find("mont_mul", "adcs?") if at < last) + 4
    limbs, start = len(t) - 1 + carry, code.functions["mont_mul"][0]
    x, y, n = ([symbol(f"{name}{i}") for i in range(limbs)] for name in "xyn")
    for alias in ALIASES:
        for machine in Machine.paths(code, Polynomials):
            machine.enter(limbs, alias)
            machine.run(start, cut)
            words = machine.read(*t) + [machine.carry] * carry
            prove_identity(machine, words, x, y, [*machine.algebra.digits], n)
            if carry:
                prove_corrected(machine, t, n, last)
        for machine in Machine.paths(code):
            machine.enter(limbs, alias)
            machine.run(start, last if carry else cut)
            finish(machine, anything(machine, t))


# --- width-64/v3 ----------------------------------------------------------------------------------

MACRO = 16  # instructions of a product
POWERS = 8  # bytes from sp to the table of powers in mod_exp
KEPT = (*range(4), 12, 13, 14)  # registers that a product in mod_exp leaves as they are
EXPONENT = 512  # bits: each of as many products at most doubles it


class Shape(NamedTuple):
    """The registers of a product, the lowest word first."""

    z: tuple[str, str]
    x: tuple[str, str]
    y: tuple[str, str]


def shape(original: Code, start: int) -> Shape:
    """Of the product that begins here."""
    _, z1, _, x0, y0 = original.text(start)
    _, _, z0, x1, _ = original.text(start + 8)
    return Shape((z0, z1), (x0, x1), (y0, original.text(start + 32)[4]))


def prove_windowed(original: Code, code: Code) -> None:
    """mont_mul and mod_exp are right.  Raises Unproved."""
    prove_product(original, code, carry=True)
    for alias in ("", "z = x"):
        for machine in Power.paths(code):
            machine.original = original
            machine.prove(alias)


def prove_corrected(machine: Machine, z: Sequence[str], n: Operand, stop: int) -> None:
    """Up to `stop`, n is subtracted from z modulo R where the carry is 1, and only there.  Raises
    Unproved."""
    flag, before = machine.carry, number(machine.read(*z))
    machine.run(machine.registers[PC], stop)
    if {*machine.known} != {flag}:
        raise Unproved("what is subtracted does not hang on the carry")
    carry = machine.known[flag]
    change = (number(machine.read(*z)) - before + number(n) * carry).subs(plain(flag), carry)
    if any((k / R).denominator != 1 for k in change.coeffs()):
        raise Unproved("n is not subtracted where t passes R, or where it does not")


def sums(
    words: Sequence[int], operands: Shape, known: Value, y: Operand = ()
) -> Iterator[tuple[Machine, list[Value]]]:
    """A product of mod_exp up to its last sum, of any x and y or of this y: the machine there, on
    every way through, and its registers before.  There t R = x y + q n.  Raises Unproved."""
    for machine in Machine.paths(Code({}, {}).changed(0, words), Polynomials):
        n0inv, n0, n1, *old = map(machine.algebra.word, ("n0inv", "n0", "n1", *map(str, range(9))))
        machine.registers = [n0inv, (n0 + n1)[:32], n0, n1, *old[:8], MASK, STACK, old[8], 0]
        machine.carry = known
        machine.write(operands.y[: len(y)], y)
        before = list(machine.registers)
        x, factor = (machine.read(*pair) for pair in (operands.x, operands.y))
        machine.run(0, 4 * (MACRO - 2))
        t = [*machine.read(*operands.z), machine.carry]
        prove_identity(machine, t, x, factor, [*machine.algebra.digits], [n0, n1])
        yield machine, before


@cache
def prove_instance(words: tuple[int, ...], operands: Shape, known: Value) -> None:
    """A product of mod_exp of these words: z R = x y (mod n) for all x, y < R; `known` is the
    carry before it, if it is.  The sum is below R + n, so that one subtraction is enough.  Raises
    Unproved."""
    for machine, before in sums(words, operands, known):
        prove_corrected(machine, operands.z, before[2:4], 4 * MACRO)
        if [machine.registers[i] for i in KEPT] != [before[i] for i in KEPT] or machine.written:
            raise Unproved("a product changes more than its result")


class Residue(NamedTuple):
    """x^exponent R^domain mod n."""

    exponent: Bits
    domain: int


def power(exponent: int, domain: int) -> Residue:
    """The residue with a number as exponent."""
    return Residue(bits(exponent, EXPONENT), domain)


class Power(Machine):
    """A call of mod_exp.  `residues` are those of pairs of words, the lowest first."""

    code: Code
    original: Code
    residues: dict[tuple[Value, ...], Residue]
    higher: dict[Value, Value]  # words of powers, by address

    def sure(self, flag: Value) -> int | None:
        """The flag's value, where it follows from what is required."""
        values = (0, 1) if flag is not None else ()
        return next((v for v in values if self.algebra.follows(bits(flag, 1).equals(v))), None)

    def decide(self, flag: Value) -> bool:
        return super().decide(flag if (value := self.sure(flag)) is None else value)

    def residue(self, *words: Value) -> Residue:
        """Of a pair of words.  Raises Unproved."""
        if words not in self.residues:
            self.algebra.prove(joined(words).equals(bits(0, 64) - joined(operand("n", 2))))
            self.residues[words] = power(0, 1)
        return self.residues[words]

    def some(self, residue: Residue) -> tuple[Value, Value]:
        """The words of any number with this residue."""
        words = self.algebra.fresh(), self.algebra.fresh()
        self.residues[words] = residue
        return words

    def ready(self) -> int | None:
        """The carry, if it is known.  Raises Unproved unless the modulus is
        where a product needs it."""
        n0, n1 = operand("n", 2)
        if [self.registers[i] for i in (0, 2, 3, 12)] != [variable("n0inv"), n0, n1, MASK]:
            raise Unproved("the modulus is not where a product needs it")
        self.algebra.prove(bits(self.get(1)).equals(n0 + n1))
        return self.sure(self.carry)

    def words(self, start: int) -> tuple[int, ...]:
        """Those of the product that begins here."""
        return tuple(map(self.code, range(start, start + 4 * MACRO, 4)))

    def product(self, start: int) -> None:
        """A product, as prove_instance has it.  Raises Unproved."""
        if len(self.residues) == EXPONENT:
            raise Unproved("too many products")
        operands = shape(self.original, start)
        prove_instance(self.words(start), operands, self.ready())
        x, y = (self.residue(*self.read(*pair)) for pair in (operands.x, operands.y))
        self.registers[:16] = [self.registers[i] if i in KEPT else None for i in range(16)]
        self.carry = self.added = self.result = None
        residue = Residue(x.exponent + y.exponent, x.domain + y.domain - 1)
        self.write(operands.z, self.some(residue))

    def load(self, address: Value) -> Value:
        """A word; where the address depends on e, the lower of a power, as which the higher one
        follows."""
        if bits(address).term.is_value():
            return super().load(address)
        if address not in self.higher:
            digit = address - self.registers[SP] - POWERS
            self.algebra.prove((digit < 128) & (digit & 7).equals(0))
            for k in range(16):
                start = self.registers[SP] + POWERS + 8 * k
                if self.residue(super().load(start), super().load(start + 4)) != power(k, 1):
                    raise Unproved(f"power {k} is not in its place")
            low, self.higher[address + 4] = self.some(Residue(bits(digit >> 3, EXPONENT), 1))
            return low
        return self.higher.pop(address)

    def prove(self, alias: str) -> None:
        """mod_exp is right on this way through.  Raises Unproved."""
        self.enter(2, alias)
        self.higher = {}
        self.algebra.require(operand("n", 2)[0][:1])
        self.residues = {(*operand("x", 2),): power(1, 0), (*operand("rr", 2),): power(0, 2)}
        *products, last = self.original.find("mod_exp", "umull")
        self.pieces = {at: (at + 4 * MACRO, self.product) for at in products}
        self.run(self.code.functions["mod_exp"][0], last)
        operands = shape(self.original, last)
        x, y = (self.read(*pair) for pair in (operands.x, operands.y))
        found = self.residue(*x)
        if found.domain != 1 or y != [1, 0]:
            raise Unproved("not out of the domain")
        self.algebra.prove(found.exponent.equals(joined(operand("y", 2), EXPONENT)))
        list(sums(self.words(last), operands, self.ready(), y))  # so that t <= n: there is no carry
        self.run(last, last + 4 * (MACRO - 2))
        self.carry = 0
        finish(self, anything(self, operands.z), at_most_n=True)
