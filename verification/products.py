"""mont_mul of the word-serial assembly: a polynomial identity, then the final subtraction.

Up to the final subtraction, t R = x y + q n holds as an identity of polynomials in the words of x,
y, n and the quotient digits q_j < 2^32.  Hence t < (n n + R n) / R < 2n.  From there bit vectors
show that z = t mod n at the full width, that nothing else is written, and that the call returns
with the registers and the stack pointer as the procedure call standard wants them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from verification.bits import Bits
from verification.bits import number as bits_number
from verification.code import REGISTERS, Code, Unproved, decode
from verification.machine import Machine, paths
from verification.polynomials import Polynomial, Polynomials, number, unknown
from verification.state import ALIASES, RETURN, enter, left


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
        machine.carry = before.carry if isinstance(before.carry, int) else None
        for i, register in enumerate(t):
            machine.registers[register] = f"t{i}"
        wide = 32 * len(t) + 32
        n = bits_number([f"n{i}" for i in range(limbs)], wide)
        before_value = bits_number([f"t{i}" for i in range(len(t))], wide)
        bits.require("(= ((_ extract 0 0) n0) #b1)")
        bits.require(f"({below} {before_value} {f'(bvadd {n} {n})' if below == 'bvult' else n})")
        machine.run(cut, RETURN)
        z = bits_number(left(machine, limbs, alias), wide)
        reduced = f"(ite (bvult {before_value} {n}) {before_value} (bvsub {before_value} {n}))"
        bits.prove(f"(= {z} {reduced})")
        return machine

    for _ in paths(make):
        pass
