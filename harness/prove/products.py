"""mont_mul of the word-serial assembly: a polynomial identity, then the final subtraction.

Up to the final subtraction, t R = x y + q n holds as an identity of polynomials in the words of x,
y, n and the quotient digits q_j < 2^32.  Hence t < (n n + R n) / R < 2n.  From there bit vectors
show that z = t mod n at the full width, that nothing else is written, and that the call returns
with the registers and the stack pointer as the procedure call standard wants them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.prove.bits import Bits
from harness.prove.bits import number as bits_number
from harness.prove.calls import ALIASES, RETURN, STACK, enter, left
from harness.prove.compiling import Code
from harness.prove.decode import REGISTERS, Unproved, decode
from harness.prove.machine import Machine, paths
from harness.prove.polynomials import Polynomial, Polynomials, number, poly, unknown


class Product(NamedTuple):
    """The registers that hold t, its lowest word first, when the final subtraction begins."""

    limbs: int
    t: tuple[str, ...]

    def registers(self) -> list[int]:
        """Their numbers."""
        return [REGISTERS.index(name) for name in self.t]


PRODUCTS = {
    ("iterations", "v8"): Product(4, ("r10", "r11", "r12", "lr", "r8")),
    ("alone", "constant-time"): Product(4, ("r10", "r11", "r12", "lr", "r8")),
    ("width-96", "v6"): Product(3, ("r11", "r12", "lr", "r10")),
    ("width-64", "product-only"): Product(2, ("r8", "r9", "r7")),
}


def first(code: Code, function: str, name: str, skip: int = 0) -> int:
    """The address of an instruction of this name that sets flags, after `skip` such."""
    start, end = code.functions[function]
    for address in range(start, end, 4):
        try:
            one = decode(code(address), address)
        except Unproved:
            continue
        if one.name == name and one.sets_flags:
            if not skip:
                return address
            skip -= 1
    raise Unproved(f"no {name}s in {function}")


def quotient(algebra: Polynomials) -> Polynomial:
    """q: the digits in the order in which they were computed."""
    return number(list(algebra.digits))


def operand(name: str, limbs: int) -> Polynomial:
    """x, y or n."""
    return number([unknown(f"{name}{i}") for i in range(limbs)])


def total(limbs: int, algebra: Polynomials, x: Polynomial, y: Polynomial) -> Polynomial:
    """x y + q n."""
    if len(algebra.digits) != limbs:
        raise Unproved(f"{len(algebra.digits)} quotient digits")
    return x * y + quotient(algebra) * operand("n", limbs)


def prove_product(product: Product, original: Code, code: Code) -> None:
    """mont_mul is right.  `original` says where the final subtraction begins: after the adc that
    gives the top word of t, or with the first subs.  Raises Unproved."""
    last = first(original, "mont_mul", "sub")
    why = Unproved("no final subtraction")
    for cut in range(after_adc(original, last), last + 4, 4):
        try:
            return prove_product_cut(product, code, cut)
        except Unproved as fault:
            why = fault
    raise why


def after_adc(code: Code, end: int) -> int:
    """The address after the last adc before `end`."""
    while decode(code(end - 4), end - 4).name != "adc":
        end -= 4
    return end


def prove_product_cut(product: Product, code: Code, cut: int) -> None:
    """mont_mul is right, with t complete at `cut`.  Raises Unproved."""
    limbs, registers = product.limbs, product.registers()
    for alias in ALIASES:
        for machine, algebra in until(code, limbs, alias, cut):
            t = number([machine.get(register) for register in registers])
            wanted = total(limbs, algebra, operand("x", limbs), operand("y", limbs))
            if (t * (1 << 32 * limbs) - wanted).with_values(algebra.values).terms:
                raise Unproved("t R = x y + q n is no identity")
            prove_subtraction(machine, registers, limbs, code, cut, alias)


def until(code: Code, limbs: int, alias: str, cut: int) -> Iterator[tuple[Machine, Polynomials]]:
    """A call of mont_mul executed up to `cut`, once for each way there."""
    algebra = Polynomials()

    def make(decided: list[int]) -> Machine:
        nonlocal algebra
        algebra = Polynomials()
        machine = Machine(algebra, code, decided)
        enter(machine, limbs, unknown, alias)
        machine.run(code.functions["mont_mul"][0], cut)
        return machine

    for machine in paths(make):
        yield machine, algebra


def prove_subtraction(
    before: Machine, t: list[int], limbs: int, code: Code, cut: int, alias: str = ""
) -> None:
    """From `cut` on, z becomes t mod n for every t < 2n.  `before` is the state there; a word in it
    that is no number and no operand may be anything.  Raises Unproved."""

    def make(decided: list[int]) -> Machine:
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
        for i, register in enumerate(t):
            machine.registers[register] = f"t{i}"
        wide = 32 * len(t) + 32
        n = bits_number([f"n{i}" for i in range(limbs)], wide)
        before_value = bits_number([f"t{i}" for i in range(len(t))], wide)
        bits.require("(= ((_ extract 0 0) n0) #b1)")
        bits.require(f"(bvult {before_value} (bvadd {n} {n}))")
        machine.run(cut, RETURN)
        z = bits_number(left(machine, limbs, alias), wide)
        reduced = f"(ite (bvult {before_value} {n}) {before_value} (bvsub {before_value} {n}))"
        bits.prove(f"(= {z} {reduced})")
        return machine

    for _ in paths(make):
        pass


MACRO = 16  # instructions of a product of width-64/v3


def instances(code: Code) -> list[int]:
    """Where a product of width-64/v3's mod_exp begins."""
    start, end = code.functions["mod_exp"]
    return [a for a in range(start, end, 4) if decode(code(a), a).name == "umull"]


def prove_windowed(original: Code, code: Code) -> None:
    """mont_mul of width-64/v3, and every product of its mod_exp.  Raises Unproved."""
    sums = first(original, "mont_mul", "adc") + 4
    cut = sums + 8
    for alias in ALIASES:
        for carry in (0, 1):
            algebra = Polynomials()
            machine = Machine(algebra, code, [carry])
            enter(machine, 2, unknown, alias)
            machine.run(code.functions["mont_mul"][0], sums)
            wanted = total(2, algebra, operand("x", 2), operand("y", 2))
            reduced_once(machine, algebra, [6, 7], wanted, carry, cut)
            prove_subtraction(machine, [6, 7], 2, code, cut, alias)
    for start in instances(original):
        for carry in (0, 1):
            prove_instance(original, code, start, carry)


def prove_instance(original: Code, code: Code, start: int, carry: int) -> None:
    """One product of mod_exp: z R = x y (mod n) for all x, y < R; x, y and z are the registers that
    `original` has.  The sum is below R + n, so that one subtraction is enough.  Raises Unproved."""
    text = [decode(original(a), a) for a in range(start, start + 4 * MACRO, 4)]
    z1, _, x0, y0 = (text[0].register(k) for k in range(4))
    z0, x1, y1 = text[2].register(1), text[2].register(2), text[8].register(3)
    algebra = Polynomials()
    machine = Machine(algebra, code, [carry])
    machine.registers[:13] = [unknown(f"any{i}") for i in range(13)]
    machine.registers[13:15] = [STACK, unknown("any14")]
    n01 = unknown("n0") + unknown("n1") - unknown("wrap") * (1 << 32)
    machine.registers[:4] = [unknown("n0inv"), n01, unknown("n0"), unknown("n1")]
    machine.registers[12] = 0xFFFFFFFF
    before = list(machine.registers)
    x, y = (number([before[low], before[high]]) for low, high in ((x0, x1), (y0, y1)))
    machine.run(start, start + 4 * (MACRO - 2))
    wanted = total(2, algebra, x, y)
    reduced_once(machine, algebra, [z0, z1], wanted, carry, start + 4 * MACRO)
    kept = [*range(4), *range(12, 15)]
    if [machine.registers[i] for i in kept] != [before[i] for i in kept] or machine.written:
        raise Unproved("a product changes more than its result")


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
    r, bit = 1 << 64, machine.carry
    if machine.asked:
        raise Unproved("a condition before the carry out of z is known")
    before = number([machine.get(register) for register in z])
    with_carry = before + poly(bit) * r
    if with_carry * r != wanted:
        raise Unproved("t R = x y + q n is no identity")
    machine.run(machine.registers[15], stop)
    if machine.known != {bit: carry}:
        raise Unproved("what is subtracted does not hang on the carry")
    after = number([machine.get(register) for register in z])
    n = number([unknown("n0"), unknown("n1")])
    difference = (after - before + n * carry).with_values(algebra.values)
    if not (difference.divisible_by(r) if carry else not difference.terms):
        raise Unproved("n is not subtracted where t passes R, or where it does not")
