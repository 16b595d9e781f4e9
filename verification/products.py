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

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from verification.instructions import Machine
from verification.machine import ALIASES, PC, RETURN, SP, STACK, Code, operand
from verification.polynomials import Polynomials, number, plain, symbol
from verification.symbols import MASK, Bits, Unproved, Value, bits, joined, reduced, variable

R = 1 << 64


def words(name: str, limbs: int) -> Any:
    """x, y or n as a polynomial."""
    return number(symbol(f"{name}{i}") for i in range(limbs))


def total(machine: Machine, limbs: int, x: Any, y: Any) -> Any:
    """x y + q n."""
    if len(digits := machine.algebra.digits) != limbs:
        raise Unproved(f"{len(digits)} quotient digits")
    return x * y + number(digits) * words("n", limbs)


# --- mont_mul -------------------------------------------------------------------------------------

# Of an instruction the bits that say what it is, and their values.
SUBS, SBCS = (0x0DF00000, 0x00500000), (0x0DF00000, 0x00D00000)
ADC, UMULL = (0x0DE00010, 0x00A00000), (0x0FE000F0, 0x00800090)


def prove_product(original: Code, code: Code) -> None:
    """mont_mul is right.  `original` says where the final subtraction
    begins: after the adc that gives the top word of t, or with the first
    subs; and which registers hold t: those of which it subtracts.  Raises
    Unproved."""
    last = original.find("mont_mul", *SUBS)[0]
    t = [original(at) >> 16 & 15 for at in (last, *original.find("mont_mul", *SBCS))]
    after = max(at for at in original.find("mont_mul", *ADC) if at < last) + 4
    why = Unproved("no final subtraction")
    for cut in range(after, last + 4, 4):
        try:
            return prove_with_cut(t, code, cut)
        except Unproved as fault:
            why = fault
    raise why


def prove_with_cut(t: list[int], code: Code, cut: int) -> None:
    """mont_mul is right, with t complete at `cut`.  Raises Unproved."""
    limbs, start = len(t) - 1, code.functions["mont_mul"][0]
    for alias in ALIASES:
        for machine in Machine.paths(code, Polynomials):
            machine.enter(limbs, alias)
            machine.run(start, cut)
            value = number([machine.get(register) for register in t])
            wanted = total(machine, limbs, words("x", limbs), words("y", limbs))
            if (value * (1 << 32 * limbs) - wanted).subs(machine.algebra.values):
                raise Unproved("t R = x y + q n is no identity")
        prove_rest(t, limbs, code, cut, alias)


def prove_rest(t: list[int], limbs: int, code: Code, cut: int, alias: str) -> None:
    """From `cut` on, z becomes t mod n for every t < 2n.  Raises Unproved."""
    for machine in Machine.paths(code):
        machine.enter(limbs, alias)
        machine.run(code.functions["mont_mul"][0], cut)
        finish(machine, t)


def finish(machine: Machine, t: Sequence[int], at_most_n: bool = False) -> None:
    """From here on, z becomes t mod n for every t < 2n, or t <= n.  Raises Unproved."""
    wide, algebra = 32 * len(t) + 32, machine.algebra
    n = joined(operand("n", machine.limbs), wide)
    for register in t:
        machine.registers[register] = algebra.fresh()
    whole = joined([machine.registers[register] for register in t], wide)
    algebra.require(n[:1])
    algebra.require(whole <= n if at_most_n else whole < n + n)
    machine.run(machine.registers[PC], RETURN)
    algebra.prove(bits(machine.left(machine.limbs), wide).equals(reduced(whole, n)))


# --- width-64/v3 ----------------------------------------------------------------------------------

MACRO = 16  # instructions of a product
POWERS = 8  # bytes from sp to the table of powers in mod_exp
KEPT = (*range(4), 12, 13, 14)  # registers that a product in mod_exp leaves as they are
EXPONENT = 512  # bits: each of the products that `across` allows doubles it at most


class Shape(NamedTuple):
    """The registers of a product, the lowest word first."""

    z: tuple[int, int]
    x: tuple[int, int]
    y: tuple[int, int]


def shape(original: Code, start: int) -> Shape:
    """Of the product that begins here."""
    first, third, ninth = (original(start + 4 * i) for i in (0, 2, 8))
    z = third >> 16 & 15, first >> 12 & 15
    return Shape(z, (first & 15, third & 15), (first >> 8 & 15, ninth >> 8 & 15))


def prove_windowed(original: Code, code: Code) -> None:
    """mont_mul and mod_exp are right.  Raises Unproved."""
    sums = original.find("mont_mul", *ADC)[0] + 4
    for alias in ALIASES:
        for carry in (0, 1):
            machine = Machine(code, Polynomials(), [carry])
            machine.enter(2, alias)
            machine.run(code.functions["mont_mul"][0], sums)
            wanted = total(machine, 2, words("x", 2), words("y", 2))
            reduced_once(machine, (6, 7), wanted, carry, sums + 8)
        prove_rest([6, 7], 2, code, sums + 8, alias)
    for alias in ("", "z = x"):
        for machine in Power.paths(code):
            machine.original = original
            machine.prove(alias)


def reduced_once(machine: Machine, z: Sequence[int], wanted: Any, carry: int, stop: int) -> None:
    """(carry : z) R = `wanted`, and up to `stop` n is subtracted modulo R
    where the carry is 1. Raises Unproved."""
    flag = machine.carry
    if machine.asked:
        raise Unproved("a condition before the carry out of z is known")
    before = number([machine.get(register) for register in z])
    if (before + plain(flag) * R) * R != wanted:
        raise Unproved("t R = x y + q n is no identity")
    machine.run(machine.registers[PC], stop)
    if machine.known != {flag: carry}:
        raise Unproved("what is subtracted does not hang on the carry")
    after = number([machine.get(register) for register in z])
    change = (after - before + words("n", 2) * carry).subs(plain(flag), carry)
    if any((k / R).denominator != 1 for k in change.coeffs()) if carry else change:
        raise Unproved("n is not subtracted where t passes R, or where it does not")


def summed(
    words: Sequence[int], operands: Shape, known: Value, decided: list[int], y: Sequence[int] = ()
) -> tuple[Machine, list[Value], Any]:
    """A product of mod_exp up to its last sum, of any x and y or of this y:
    the machine there, its registers before, and x y + q n."""
    machine = Machine(Code({}, {}).changed(0, words), Polynomials(), decided)
    unknown = machine.algebra.word
    n0, n1, *some = (unknown(name) for name in ("n0", "n1", *(f"old{i}" for i in range(4, 12))))
    modulus = [unknown("n0inv"), (n0 + n1)[:32], n0, n1]
    machine.registers = [*modulus, *some, MASK, STACK, unknown("any"), None]
    machine.carry = known
    for register, value in zip(operands.y, y):
        machine.registers[register] = value
    before = list(machine.registers)
    x, factor = (number([before[r] for r in pair]) for pair in (operands.x, operands.y))
    machine.run(0, 4 * (MACRO - 2))
    return machine, before, total(machine, 2, x, factor)


@cache
def prove_instance(words: tuple[int, ...], operands: Shape, known: Value) -> None:
    """A product of mod_exp of these words: z R = x y (mod n) for all x, y <
    R; `known` is the carry before it, if it is.  The sum is below R + n, so
    that one subtraction is enough.  Raises Unproved."""
    for carry in (0, 1):
        machine, before, wanted = summed(words, operands, known, [carry])
        reduced_once(machine, operands.z, wanted, carry, 4 * MACRO)
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
        operands = shape(self.original, start)
        prove_instance(self.words(start), operands, self.ready())
        x, y = (self.residue(*map(self.get, pair)) for pair in (operands.x, operands.y))
        self.registers[:16] = [self.registers[i] if i in KEPT else None for i in range(16)]
        self.carry = self.added = self.result = None
        low, high = operands.z
        residue = Residue(x.exponent + y.exponent, x.domain + y.domain - 1)
        self.registers[low], self.registers[high] = self.some(residue)

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
        return self.higher[address]

    def prove(self, alias: str) -> None:
        """mod_exp is right on this way through.  Raises Unproved."""
        self.enter(2, alias)
        self.higher = {}
        self.algebra.require(operand("n", 2)[0][:1])
        self.residues = {(*operand("x", 2),): power(1, 0), (*operand("rr", 2),): power(0, 2)}
        *products, last = self.original.find("mod_exp", *UMULL)
        pieces = {at: at + 4 * MACRO for at in products}
        self.across(self.code.functions["mod_exp"][0], pieces, self.product, last)
        operands = shape(self.original, last)
        x, y = ([self.get(r) for r in pair] for pair in (operands.x, operands.y))
        found = self.residue(*x)
        if found.domain != 1 or y != [1, 0]:
            raise Unproved("not out of the domain")
        self.algebra.prove(found.exponent.equals(joined(operand("y", 2), EXPONENT)))
        after, _, wanted = summed(self.words(last), operands, self.ready(), [], (1, 0))
        if number([after.get(r) for r in operands.z]) * R != wanted or after.carry != 0:
            raise Unproved("t R = x + q n is no identity")
        self.run(last, last + 4 * (MACRO - 2))
        self.carry = 0
        finish(self, operands.z, at_most_n=True)
