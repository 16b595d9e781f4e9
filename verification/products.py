"""mont_mul of the word-serial assembly: a polynomial identity, then the final subtraction.

Up to the final subtraction, t R = x y + q n holds as an identity of polynomials in the words of x,
y, n and the quotient digits q_j < 2^32.  Hence t < (n n + R n) / R < 2n.  From there bit vectors
show that z = t mod n at the full width, that nothing else is written, and that the call returns
with the registers and the stack pointer as the procedure call standard wants them.

mont_mul and mod_exp of width-64/v3: each product of mod_exp, and then the power that they give.  A
product is proved once with both carry cases: z R = x y (mod n) for all x, y < R.  mod_exp is then
executed with that for each product but the last, once for each highest byte of e: a pair of words
below R is known by its residue, x^exponent R^domain, whose exponent is a sum of digits of e.  A
load from the table needs all sixteen powers in their places.  The last product has y = 1, hence
z <= (R - 1 + (R - 1) n) / R < n + 1, and what remains is the final subtraction.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from verification.algebra import MASK, Bits, Polynomial, Polynomials, number, poly, unknown, vector
from verification.code import PC, Address, Code, Instruction, Unproved, decode
from verification.machine import ALIASES, RETURN, STACK, Machine, enter, left, on_every_path

# The registers that hold t, its lowest word first, when the final subtraction begins.
PRODUCTS = {
    ("iterations", "v8"): [10, 11, 12, 14, 8],
    ("alone", "constant-time"): [10, 11, 12, 14, 8],
    ("width-96", "v6"): [11, 12, 14, 10],
    ("alone", "rows-in-assembly"): [8, 9, 10, 11, 12],
    ("width-64", "product-only"): [8, 9, 7],
}


def first(code: Code, function: str, name: str) -> int:
    """The address of the first instruction of this name that sets flags."""
    for address in range(*code.functions[function], 4):
        try:
            one = decode(code(address), address)
        except Unproved:
            continue
        if one.name == name and one.sets_flags:
            return address
    raise Unproved(f"no {name}s in {function}")


def operand(name: str, limbs: int) -> Polynomial:
    """x, y or n."""
    return number([unknown(f"{name}{i}") for i in range(limbs)])


def total(limbs: int, algebra: Polynomials, x: Polynomial, y: Polynomial) -> Polynomial:
    """x y + q n."""
    if len(algebra.digits) != limbs:
        raise Unproved(f"{len(algebra.digits)} quotient digits")
    return x * y + number(list(algebra.digits)) * operand("n", limbs)


def prove_product(t: list[int], original: Code, code: Code) -> None:
    """mont_mul is right.  `original` says where the final subtraction begins: after the adc that
    gives the top word of t, or with the first subs.  Raises Unproved."""
    last = after = first(original, "mont_mul", "sub")
    while decode(original(after - 4), after - 4).name != "adc":
        after -= 4
    why = Unproved("no final subtraction")
    for cut in range(after, last + 4, 4):
        try:
            for alias in ALIASES:
                prove_product_cut(t, code, cut, alias)
            return
        except Unproved as fault:
            why = fault
    raise why


def prove_product_cut(t: list[int], code: Code, cut: int, alias: str) -> None:
    """mont_mul is right, with t complete at `cut`.  Raises Unproved."""
    limbs = len(t) - 1

    def check(decided: list[int]) -> None:
        algebra = Polynomials()
        machine = Machine(algebra, code, decided)
        enter(machine, limbs, unknown, alias)
        machine.run(code.functions["mont_mul"][0], cut)
        value = number([machine.get(register) for register in t])
        wanted = total(limbs, algebra, operand("x", limbs), operand("y", limbs))
        if (value * (1 << 32 * limbs) - wanted).with_values(algebra.values).terms:
            raise Unproved("t R = x y + q n is no identity")
        prove_subtraction(machine, t, limbs, code, cut, alias)

    on_every_path(check)


def prove_subtraction(
    before: Machine,
    t: list[int],
    limbs: int,
    code: Code,
    cut: int,
    alias: str,
    below: str = "bvult",
) -> None:
    """From `cut` on, z becomes t mod n for every t < 2n, or t <= n.  `before` is the state there; a
    word in it that is no number and no operand may be anything.  Raises Unproved."""

    def check(decided: list[int]) -> None:
        bits = Bits()
        names = {f"{name}{i}" for name in ("x", "y", "n", "rr") for i in range(limbs)}
        names |= {f"old{i}" for i in range(4, 13)} | {"n0inv"}
        for name in sorted(names) + [f"t{i}" for i in range(len(t))]:
            bits.variable(name)

        def same(value: object) -> object:
            if not isinstance(value, Polynomial):
                return value
            ((name, k),) = [("", 0)] if len(value.terms) != 1 else list(value.terms.items())
            return name[0] if len(name) == 1 and k == 1 and name[0] in names else bits.fresh()

        machine = Machine(bits, code, decided)
        machine.registers = [same(value) for value in before.registers]
        machine.memory = {address: same(value) for address, value in before.memory.items()}
        machine.writable, machine.written = set(before.writable), set(before.written)
        machine.carry = before.carry if isinstance(before.carry, int) else None
        for i, register in enumerate(t):
            machine.registers[register] = f"t{i}"
        wide = 32 * len(t) + 32
        n = vector([f"n{i}" for i in range(limbs)], wide)
        before_value = vector([f"t{i}" for i in range(len(t))], wide)
        bits.require("(= ((_ extract 0 0) n0) #b1)")
        bits.require(f"({below} {before_value} {f'(bvadd {n} {n})' if below == 'bvult' else n})")
        machine.run(cut, RETURN)
        z = vector(left(machine, limbs, alias), wide)
        bits.prove(f"(= {z} {bits.remainder(before_value, n)})")

    on_every_path(check)


# --- width-64/v3 ----------------------------------------------------------------------------------

MACRO = 16  # instructions of a product
R = 1 << 64
KEPT = (*range(4), 12, 13, 14)  # registers that a product in mod_exp leaves as they are
PROVED: set[tuple[Any, ...]] = set()  # products: the words, those of the original, and the carry


def instances(code: Code) -> list[int]:
    """Where a product of mod_exp begins."""
    start, end = code.functions["mod_exp"]
    return [a for a in range(start, end, 4) if decode(code(a), a).name == "umull"]


class Shape(NamedTuple):
    """The registers of a product, the lowest word first."""

    z: tuple[int, int]
    x: tuple[int, int]
    y: tuple[int, int]


def shape(original: Code, start: int) -> Shape:
    """Of the product that begins here."""
    text = [decode(original(a), a) for a in range(start, start + 4 * MACRO, 4)]
    z1, _, x0, y0 = (text[0].register(k) for k in range(4))
    z0, x1, y1 = text[2].register(1), text[2].register(2), text[8].register(3)
    return Shape((z0, z1), (x0, x1), (y0, y1))


def prove_windowed(original: Code, code: Code) -> None:
    """mont_mul and mod_exp are right.  Raises Unproved."""
    sums = first(original, "mont_mul", "adc") + 4
    for alias in ALIASES:
        for carry in (0, 1):
            algebra = Polynomials()
            machine = Machine(algebra, code, [carry])
            enter(machine, 2, unknown, alias)
            machine.run(code.functions["mont_mul"][0], sums)
            wanted = total(2, algebra, operand("x", 2), operand("y", 2))
            reduced_once(machine, algebra, [6, 7], wanted, carry, sums + 8)
            prove_subtraction(machine, [6, 7], 2, code, sums + 8, alias)
    for alias in ("", "z = x"):
        on_every_path(partial(prove_power, original, code, alias))


def prove_instance(original: Code, code: Code, start: int, known: Any) -> None:
    """One product of mod_exp: z R = x y (mod n) for all x, y < R; x, y and z are the registers that
    `original` has; `known` is the carry before it, if it is.  The sum is below R + n, so that one
    subtraction is enough.  Raises Unproved."""
    places = range(start, start + 4 * MACRO, 4)
    key = (*map(code, places), *map(original, places), known)
    if key in PROVED:
        return
    operands = shape(original, start)
    for carry in (0, 1):
        algebra = Polynomials()
        machine = Machine(algebra, code, [carry])
        machine.registers[:13] = [unknown(f"any{i}") for i in range(13)]
        machine.registers[13:15] = [STACK, unknown("any14")]
        n01 = unknown("n0") + unknown("n1") - unknown("wrap") * (1 << 32)
        machine.registers[:4] = [unknown("n0inv"), n01, unknown("n0"), unknown("n1")]
        machine.registers[12], machine.carry = MASK, known
        before = list(machine.registers)
        x, y = (number([before[r] for r in pair]) for pair in (operands.x, operands.y))
        machine.run(start, start + 4 * (MACRO - 2))
        wanted = total(2, algebra, x, y)
        reduced_once(machine, algebra, list(operands.z), wanted, carry, start + 4 * MACRO)
        if [machine.registers[i] for i in KEPT] != [before[i] for i in KEPT] or machine.written:
            raise Unproved("a product changes more than its result")
    PROVED.add(key)


class Residue(NamedTuple):
    """x^exponent R^domain mod n."""

    exponent: Polynomial
    domain: int


class Digits(Polynomials):
    """Polynomials in which byte k of e is digit 2k and digit 2k + 1 of four bits each."""

    def __init__(self) -> None:
        super().__init__()
        self.most |= {f"digit{k}": 15 for k in range(16)}
        self.bytes = {unknown(f"byte{k}"): k for k in range(8)}

    def _byte(self, a: Any) -> int:
        if isinstance(a, Polynomial) and a in self.bytes:
            return self.bytes[a]
        raise Unproved("not a byte of e")

    def field(self, a: Any, lowest: int, width: int, signed: bool) -> Any:
        words = [unknown("y0"), unknown("y1")]
        if a not in words or width != 8 or signed:
            raise Unproved("not a byte of e")
        return unknown(f"byte{4 * words.index(a) + lowest // 8}")

    def shift(self, kind: str, a: Any, amount: Any, carry: Any) -> tuple[Any, Any]:
        if isinstance(a, int) and isinstance(amount, int):
            return {"lsr": a >> amount, "lsl": a << amount}[kind], None
        if (kind, amount) == ("lsr", 4):
            return unknown(f"digit{2 * self._byte(a) + 1}"), None
        if (kind, amount) == ("lsl", 3) and self.bound(a) < 16:
            return poly(a) * 8, None
        raise Unproved("a polynomial is shifted")

    def logic(self, name: str, a: Any, b: Any) -> Any:
        if (name, b) == ("and", 15):
            return unknown(f"digit{2 * self._byte(a)}")
        return super().logic(name, a, b)

    def zero(self, a: Any) -> Any:
        return int(a == 0) if isinstance(a, int) else unknown(f"zero{self._byte(a)}")

    def top(self, a: Any) -> Any:
        return a >> 31 if isinstance(a, int) else super().top(a)

    def assume(self, bit: Polynomial, value: int) -> None:
        super().assume(bit, value)
        ((name,),) = bit.terms
        if name.startswith("zero") and value:
            k = int(name[4:])
            self.values |= {f"digit{2 * k}": 0, f"digit{2 * k + 1}": 0}


class Power(Machine):
    """A call of mod_exp.  `residues` are those of pairs of words, the lowest first."""

    algebra: Digits

    def begin(self, alias: str) -> None:
        """The call's operands."""
        enter(self, 2, unknown, alias)
        self.residues = {
            (unknown("x0"), unknown("x1")): Residue(poly(1), 0),
            (unknown("rr0"), unknown("rr1")): Residue(poly(0), 2),
        }

    def residue(self, low: Any, high: Any) -> Residue:
        """Of a pair of words.  Raises Unproved."""
        if number([low, high]) == poly(R) - operand("n", 2):
            return Residue(poly(0), 1)
        if (low, high) not in self.residues:
            raise Unproved("a number that is no power")
        return self.residues[low, high]

    def put(self, registers: tuple[int, ...], residue: Residue) -> None:
        """Any number with this residue."""
        low, high = (unknown(f"power{len(self.residues)}.{i}") for i in (0, 1))
        self.residues[low, high] = residue
        self.registers[registers[0]], self.registers[registers[1]] = low, high

    def product(self, operands: Shape) -> None:
        """A product as prove_instance has it.  Raises Unproved."""
        x, y = (self.residue(*map(self.get, pair)) for pair in (operands.x, operands.y))
        n01 = poly(self.get(1)) - unknown("n0") - unknown("n1")
        modulus = [self.get(0), *self.registers[2:4], self.get(12)]
        if modulus != [*map(unknown, ("n0inv", "n0", "n1")), MASK] or not n01.divisible_by(1 << 32):
            raise Unproved("the modulus is not where a product needs it")
        self.registers = [self.registers[i] if i in KEPT else None for i in range(16)]
        self.carry = self.overflow = self.result = None
        self.put(operands.z, Residue(x.exponent + y.exponent, x.domain + y.domain - 1))

    def _transfer(self, i: Instruction) -> None:
        place = i.operands[-1]
        base = self.get(place.base) if isinstance(place, Address) else None
        if i.name != "ldrd" or not isinstance(base, Polynomial) or not isinstance(place, Address):
            return super()._transfer(i)
        table = base.with_values(dict.fromkeys(self.algebra.most, 0))
        digit = (base - table) * Fraction(1, 8)
        start = int(table.terms.get((), 0)) + place.offset
        if [*digit.terms.values()] != [1] or self.algebra.bound(digit) > 15 or i.writes_back:
            raise Unproved("no place in the table")
        for k in range(16):
            words = (self.load(start + 8 * k), self.load(start + 8 * k + 4))
            if self.residue(*words) != Residue(poly(k), 1):
                raise Unproved(f"power {k} is not in its place")
        return self.put((i.register(0), i.register(1)), Residue(digit, 1))


def prove_power(original: Code, code: Code, alias: str, decided: list[int]) -> None:
    """mod_exp is right on one way through.  Raises Unproved."""
    *products, last = instances(original)
    algebra = Digits()
    machine = Power(algebra, code, decided)
    machine.begin(alias)
    machine.run(code.functions["mod_exp"][0], *products, last)
    while (at := machine.registers[PC]) != last:
        if at not in products:
            raise Unproved("mod_exp ends early")
        prove_instance(original, code, at, machine.carry)
        machine.product(shape(original, at))
        machine.registers[PC] = at + 4 * MACRO
        if at + 4 * MACRO not in (*products, last):
            machine.run(at + 4 * MACRO, *products, last)
    operands, cut = shape(original, last), last + 4 * (MACRO - 2)
    x = [machine.get(r) for r in operands.x]
    found = machine.residue(*x)
    digits = {f"digit{k}": unknown(f"digit{k}") * 16**k for k in range(16)}
    e = sum(digits.values(), poly(0))
    if (found.exponent - e).with_values(algebra.values).terms or found.domain != 1:
        raise Unproved("not the power that e says")
    machine.run(last, cut)
    z = number([machine.get(r) for r in operands.z])
    if z * R != total(2, algebra, number(x), poly(1)) or machine.carry != 0:
        raise Unproved("t R = x + q n is no identity")
    prove_subtraction(machine, list(operands.z), 2, code, cut, alias, "bvule")


def reduced_once(
    machine: Machine,
    algebra: Polynomials,
    z: list[int],
    wanted: Polynomial,
    carry: int,
    stop: int,
) -> None:
    """(carry : z) R = `wanted`, and up to `stop` n is subtracted modulo R where the carry is 1.
    Raises Unproved."""
    bit = machine.carry
    if machine.asked:
        raise Unproved("a condition before the carry out of z is known")
    before = number([machine.get(register) for register in z])
    with_carry = before + poly(bit) * R
    if with_carry * R != wanted:
        raise Unproved("t R = x y + q n is no identity")
    machine.run(machine.registers[PC], stop)
    if machine.known != {bit: carry}:
        raise Unproved("what is subtracted does not hang on the carry")
    after = number([machine.get(register) for register in z])
    n = number([unknown("n0"), unknown("n1")])
    difference = (after - before + n * carry).with_values(algebra.values)
    if not (difference.divisible_by(R) if carry else not difference.terms):
        raise Unproved("n is not subtracted where t passes R, or where it does not")
