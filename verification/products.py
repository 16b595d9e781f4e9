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
from typing import Any, NamedTuple

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
    machine: Machine,
    t: Operand,
    x: Operand,
    y: Operand,
    q: Operand,
    n: Operand,
    unit: int = 32,
) -> None:
    """Prove t R = x y + q n on this way through, where R has as many digits, of so many bits, as n.
    Raises Unproved."""
    if len(q) != len(n):
        raise Unproved(f"{len(q)} quotient digits")
    t_r = number([0] * len(n) + [*t], unit)
    x_y = number(x, unit) * number(y, unit)
    q_n = number(q, unit) * number(n, unit)
    difference = t_r - x_y - q_n
    if difference.subs(machine.algebra.values):
        raise Unproved("t R = x y + q n is no identity")


def anything(machine: Machine, registers: Sequence[str]) -> Bits:
    """Return any number, which is in these registers from now on."""
    words = [machine.algebra.fresh() for _ in registers]
    machine.write(registers, words)
    return joined(words)


def finish(machine: Machine, number: Bits, at_most_n: bool = False) -> None:
    """Prove that from here on z becomes t mod n for every t < 2n, or t <= n.  Raises Unproved."""
    algebra = machine.algebra
    wide = number.width + 32
    t = bits(number, wide)
    n = joined(operand("n", machine.limbs), wide)
    algebra.require(n[:1])
    algebra.require(t <= n if at_most_n else t < n + n)
    machine.run(machine.registers[PC], RETURN)
    z = bits(machine.left(machine.limbs), wide)
    algebra.prove(z.equals(reduced(t, n)), t=t)


def unknowns(name: str, limbs: int) -> list[Any]:
    """Return the unknowns that are the words of a number."""
    return [symbol(f"{name}{i}") for i in range(limbs)]


def prove_product(original: Code, code: Code, carry: bool = False) -> None:
    """Prove that mont_mul is right.

    `original` says where the final subtraction begins: after the adc that gives the top word of t;
    and which registers hold t: those of which it subtracts.  Where the top is a carry, n is
    subtracted for it in between.  Raises Unproved.
    """
    subtractions = original.find("mont_mul", "subs|sbcs")
    subtraction = subtractions[0]
    t = [original.text(address)[2] for address in subtractions]
    additions = original.find("mont_mul", "adcs?")
    whole = 4 + max(address for address in additions if address < subtraction)
    limbs = len(t) if carry else len(t) - 1
    start, _ = code.functions["mont_mul"]
    n = unknowns("n", limbs)
    for alias in ALIASES:
        for machine in Machine.paths(code, Polynomials):
            machine.enter(limbs, alias)
            machine.run(start, whole)
            words = machine.read(*t)
            if carry:
                words.append(machine.carry)
            digits = [*machine.algebra.digits]
            prove_identity(
                machine, words, unknowns("x", limbs), unknowns("y", limbs), digits, n
            )
            if carry:
                prove_corrected(machine, t, n, subtraction)
        for machine in Machine.paths(code):
            machine.enter(limbs, alias)
            machine.run(start, subtraction if carry else whole)
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
    """Return the registers of the product that begins here."""
    first, third, ninth = (original.text(start + 4 * i) for i in (0, 2, 8))
    _, z1, _, x0, y0 = first
    _, _, z0, x1, _ = third
    y1 = ninth[4]
    return Shape((z0, z1), (x0, x1), (y0, y1))


def prove_windowed(original: Code, code: Code) -> None:
    """Prove that mont_mul and mod_exp are right.  Raises Unproved."""
    prove_product(original, code, carry=True)
    for alias in ("", "z = x"):
        for machine in Power.paths(code):
            machine.original = original
            machine.prove(alias)


def prove_corrected(machine: Machine, z: Sequence[str], n: Operand, stop: int) -> None:
    """Prove that up to `stop` n is subtracted from z modulo R where the carry is 1, and only there:
    z' - z + carry n is a multiple of R.  Raises Unproved."""
    flag = machine.carry
    z_before = number(machine.read(*z))
    machine.run(machine.registers[PC], stop)
    if {*machine.assumed} != {flag}:
        raise Unproved("what is subtracted does not hang on the carry")
    carry = machine.assumed[flag]
    z_after = number(machine.read(*z))
    difference = z_after - z_before + number(n) * carry
    difference = difference.subs(plain(flag), carry)
    if any((coefficient / R).denominator != 1 for coefficient in difference.coeffs()):
        raise Unproved("n is not subtracted where t passes R, or where it does not")


def sums(
    words: Sequence[int], operands: Shape, carry: Value, y: Operand = ()
) -> Iterator[tuple[Machine, list[Value]]]:
    """Execute a product of mod_exp up to its last sum, of any x and y or of this y.

    Yields the machine there, on every way through, and its registers before.  There
    t R = x y + q n.  Raises Unproved.
    """
    code = Code({}, {}).changed(0, words)
    for machine in Machine.paths(code, Polynomials):
        unknown = machine.algebra.word
        n0inv, n0, n1 = map(unknown, ("n0inv", "n0", "n1"))
        n0_plus_n1 = (n0 + n1)[:32]
        *old, old_lr = (unknown(str(i)) for i in range(9))
        machine.registers = [n0inv, n0_plus_n1, n0, n1, *old, MASK, STACK, old_lr, 0]
        machine.carry = carry
        machine.write(operands.y[: len(y)], y)
        before = list(machine.registers)
        x = machine.read(*operands.x)
        factor = machine.read(*operands.y)
        machine.run(0, 4 * (MACRO - 2))
        t = [*machine.read(*operands.z), machine.carry]
        digits = [*machine.algebra.digits]
        prove_identity(machine, t, x, factor, digits, [n0, n1])
        yield machine, before


@cache
def prove_instance(words: tuple[int, ...], operands: Shape, carry: Value) -> None:
    """Prove of a product of mod_exp of these words that z R = x y (mod n) for all x, y < R.

    `carry` is the one before it, if it is known.  The sum is below R + n, so that one
    subtraction is enough.  Raises Unproved.
    """
    for machine, before in sums(words, operands, carry):
        prove_corrected(machine, operands.z, before[2:4], 4 * MACRO)
        changed = [i for i in KEPT if machine.registers[i] != before[i]]
        if changed or machine.written:
            raise Unproved("a product changes more than its result")


class Residue(NamedTuple):
    """x^exponent R^domain mod n."""

    exponent: Bits
    domain: int


def power(exponent: int, domain: int) -> Residue:
    """Return the residue with a number as exponent."""
    return Residue(bits(exponent, EXPONENT), domain)


class Power(Machine):
    """A call of mod_exp.  `residues` are those of pairs of words, the lowest first."""

    code: Code
    original: Code
    residues: dict[tuple[Value, ...], Residue]
    higher: dict[Value, Value]  # words of powers, by address

    def sure(self, flag: Value) -> int | None:
        """Return the flag's value, if it follows from what is required."""
        if flag is None:
            return None
        for value in (0, 1):
            if self.algebra.follows(bits(flag, 1).equals(value)):
                return value
        return None

    def decide(self, flag: Value) -> bool:
        value = self.sure(flag)
        return super().decide(flag if value is None else value)

    def residue(self, *words: Value) -> Residue:
        """Return the residue of a pair of words; that of R - n is 1 R.  Raises Unproved."""
        if words not in self.residues:
            r_minus_n = bits(0, 64) - joined(operand("n", 2))
            self.algebra.prove(joined(words).equals(r_minus_n))
            self.residues[words] = power(0, 1)
        return self.residues[words]

    def some(self, residue: Residue) -> tuple[Value, Value]:
        """Return the words of any number with this residue."""
        words = self.algebra.fresh(), self.algebra.fresh()
        self.residues[words] = residue
        return words

    def ready(self) -> int | None:
        """Return the carry, if it is known.  Raises Unproved unless the modulus is
        where a product needs it."""
        n0, n1 = operand("n", 2)
        modulus = [self.registers[i] for i in (0, 2, 3, 12)]
        if modulus != [variable("n0inv"), n0, n1, MASK]:
            raise Unproved("the modulus is not where a product needs it")
        n0_plus_n1 = bits(self.get(1))
        self.algebra.prove(n0_plus_n1.equals(n0 + n1))
        return self.sure(self.carry)

    def words(self, start: int) -> tuple[int, ...]:
        """Return the words of the product that begins here."""
        return tuple(map(self.code, range(start, start + 4 * MACRO, 4)))

    def product(self, start: int) -> None:
        """Execute a product as prove_instance has it: x^a R^b times x^c R^d over R.  Raises
        Unproved."""
        if len(self.residues) == EXPONENT:
            raise Unproved("too many products")
        operands = shape(self.original, start)
        prove_instance(self.words(start), operands, self.ready())
        x = self.residue(*self.read(*operands.x))
        y = self.residue(*self.read(*operands.y))
        for register in range(16):
            if register not in KEPT:
                self.registers[register] = None
        self.set_flags(None, None, None)
        residue = Residue(x.exponent + y.exponent, x.domain + y.domain - 1)
        self.write(operands.z, self.some(residue))

    def load(self, address: Value) -> Value:
        """Return a word; where the address depends on e, the lower word of the power that a digit
        of e selects.  The next load takes the higher one."""
        if bits(address).term.is_value():
            return super().load(address)
        if address in self.higher:
            return self.higher.pop(address)
        offset = address - self.registers[SP] - POWERS
        self.algebra.prove((offset < 128) & (offset & 7).equals(0))
        for digit in range(16):
            self.check_power(digit)
        digit_of_e = bits(offset >> 3, EXPONENT)
        low, high = self.some(Residue(digit_of_e, 1))
        self.higher[address + 4] = high
        return low

    def check_power(self, digit: int) -> None:
        """Raise Unproved unless x^digit R is in its row of the table."""
        row = self.registers[SP] + POWERS + 8 * digit
        low = super().load(row)
        high = super().load(row + 4)
        if self.residue(low, high) != power(digit, 1):
            raise Unproved(f"power {digit} is not in its place")

    def prove(self, alias: str) -> None:
        """Prove that mod_exp is right on this way through.  Raises Unproved."""
        self.enter(2, alias)
        self.higher = {}
        lowest_word, _ = operand("n", 2)
        self.algebra.require(lowest_word[:1])
        x = tuple(operand("x", 2))
        rr = tuple(operand("rr", 2))
        self.residues = {x: power(1, 0), rr: power(0, 2)}
        *products, last = self.original.find("mod_exp", "umull")
        self.pieces = {start: (start + 4 * MACRO, self.product) for start in products}
        start, _ = self.code.functions["mod_exp"]
        self.run(start, last)
        # The last product takes x^e R out of the domain: its other factor is 1.
        operands = shape(self.original, last)
        found = self.residue(*self.read(*operands.x))
        factor = self.read(*operands.y)
        if found.domain != 1 or factor != [1, 0]:
            raise Unproved("not out of the domain")
        e = joined(operand("y", 2), EXPONENT)
        self.algebra.prove(found.exponent.equals(e))
        for _ in sums(self.words(last), operands, self.ready(), factor):
            pass  # on every way through t R = x + q n, so that t <= n: there is no carry
        self.run(last, last + 4 * (MACRO - 2))
        self.carry = 0
        finish(self, anything(self, operands.z), at_most_n=True)
