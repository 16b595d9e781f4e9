"""mont_mul of the bit-serial assembly: a round as an induction step, and all that is around it.

The invariant is t < y + n.  A round is executed once for all t, x, y and n of the full width, with
n odd, y < n and the invariant: it leaves 2 t' = t + x_i y + q n, where q = 0 or 1 makes the sum
even, and x shifted down by a bit.  So 2 t' < 2 (y + n), which is the invariant.  The whole call is
then executed with that for each round: t starts at 0, round i finds bit i of x, and the t of the
last round, below y + n < 2n, becomes z = t mod n.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from verification.algebra import Bits, vector
from verification.code import PC, Code, Unproved, decode
from verification.machine import ALIASES, RETURN, M, Machine, Y, enter, left, on_every_path


class Round(NamedTuple):
    """Registers, the lowest word first; y and n are in memory where `y` and `n` have one register.
    `first` is the text of the instruction that begins a round, `last` of the one after the last
    round (which is also the end of a loop's body)."""

    limbs: int
    t: tuple[int, ...]
    x: tuple[int, ...]
    y: tuple[int, ...]
    n: tuple[int, ...]
    scratch: tuple[int, ...]
    first: str
    last: str


ROUNDS = {
    ("alone", "bit-serial-assembly"): Round(
        *(4, (0, 1, 2, 3, 4), (14,), (5, 6, 7, 8), (9, 10, 11, 12), ()),
        *("lsrs lr, lr, #1", "ldr lr, [sp, #0x10]"),
    ),
    ("dead-ends", "predicated-addition"): Round(
        *(4, (0, 1, 2, 3, 4), (14,), (9,), (10,), (5, 6, 7, 8)),
        *("lsrs lr, lr, #1", "subs fp, fp, #1"),
    ),
    ("width-64", "v2"): Round(
        *(2, (0, 1, 2), (4, 5), (6, 7), (8, 9), (10, 11)),
        *("sbfx sl, r4, #0, #1", "subs r3, r3, #1"),
    ),
}

# Rounds, by their words (branches are relative), and whether they leave x as the next needs it.
PROVED: dict[tuple[Round, tuple[int, ...]], bool] = {}
CALLS: set[Any] = set()  # calls, by the words around their rounds and the rounds that shift x


def places(kind: Round, code: Code) -> list[tuple[int, int]]:
    """First address and first beyond of every round.  Raises Unproved."""
    start, end = code.functions["mont_mul"]
    texts = {a: decode(code(a), a).text.partition(": ")[2] for a in range(start, end, 4)}
    starts = [address for address, text in texts.items() if text == kind.first]
    if not starts:
        raise Unproved("no round")
    over = min(a for a, text in texts.items() if text == kind.last and a > starts[-1])
    return list(zip(starts, [*starts[1:], over]))


def operands(kind: Round, machine: Machine) -> tuple[list[Any], list[Any]]:
    """The words of y and of n as a round finds them.  Raises Unproved."""
    found = []
    for registers in (kind.y, kind.n):
        if len(registers) == kind.limbs:
            found.append([machine.get(register) for register in registers])
        else:
            base = machine.get(registers[0])
            found.append([machine.load(base + 4 * i) for i in range(kind.limbs)])
    return found[0], found[1]


def prove_round(kind: Round, code: Code, start: int, end: int) -> bool:
    """One round; whether it leaves x shifted.  Raises Unproved."""
    shifts = True

    def check(decided: list[int]) -> None:
        nonlocal shifts
        bits = Bits()
        machine = Machine(bits, code, decided)
        enter(machine, kind.limbs, bits.variable)
        machine.writable.clear()
        machine.registers = [bits.variable(f"before{i}") for i in range(15)] + [start]
        for registers, base in ((kind.y, Y), (kind.n, M)):
            if len(registers) == 1:
                machine.registers[registers[0]] = base
        before, (y, n) = list(machine.registers), operands(kind, machine)
        wide = 32 * kind.limbs + 34
        t, yn, nn = (vector(words, wide) for words in ([before[r] for r in kind.t], y, n))
        bits.require(f"(= ((_ extract 0 0) {n[0]}) #b1)")
        bits.require(f"(bvult {yn} {nn})")
        bits.require(f"(bvult {t} (bvadd {yn} {nn}))")
        machine.run(start, end)
        changed = {*kind.t, *kind.x, *kind.scratch, PC}
        for i in set(range(16)) - changed:
            if machine.registers[i] != before[i]:
                raise Unproved(f"a round changes register {i}")
        after = vector([machine.get(r) for r in kind.t], wide)
        x = [vector([m[r] for r in kind.x], 32 * len(kind.x)) for m in (before, machine.registers)]
        bit = f"((_ extract 0 0) {before[kind.x[0]]})"
        sum_ = f"(bvadd {t} (ite (= {bit} #b1) {yn} (_ bv0 {wide})))"
        odd = f"(= ((_ extract 0 0) {sum_}) #b1)"
        even = f"(bvadd {sum_} (ite {odd} {nn} (_ bv0 {wide})))"
        bits.prove(f"(= (bvadd {after} {after}) {even})")
        shifts &= bits.follows(f"(= {x[1]} (bvlshr {x[0]} (_ bv1 {32 * len(kind.x)})))")

    on_every_path(check)
    return shifts


def prove_call(
    kind: Round, code: Code, rounds: dict[int, int], shifts: set[int], alias: str
) -> None:
    """The whole call, with rounds as prove_round has them.  `rounds`: start -> end; `shifts`: those
    that leave x shifted.  Raises Unproved."""

    def check(decided: list[int]) -> None:
        bits = Bits()
        machine = Machine(bits, code, decided)
        enter(machine, kind.limbs, bits.variable, alias)
        words = {name: [f"{name}{i}" for i in range(kind.limbs)] for name in "xyn"}
        t: list[Any] = [0] * len(kind.t)
        formulas, count = [], 0
        machine.run(code.functions["mont_mul"][0], *rounds, RETURN)
        while machine.registers[PC] in rounds:
            if [machine.get(r) for r in kind.t] != t:
                raise Unproved(f"t changes before round {count}")
            if operands(kind, machine) != (words["y"], words["n"]):
                raise Unproved(f"y or n changes before round {count}")
            if count == 32 * kind.limbs:
                raise Unproved("a round too many")
            lowest = machine.get(kind.x[0])
            x = f"((_ extract {count % 32} {count % 32}) {words['x'][count // 32]})"
            formulas.append(f"(= ((_ extract 0 0) {vector([lowest], 32)}) {x})")
            t = [bits.fresh() for _ in kind.t]
            round_over(kind, machine, bits, t, machine.registers[PC] in shifts)
            count += 1
            at = rounds[machine.registers[PC]]
            machine.registers[PC] = at
            if at not in rounds:
                machine.run(at, *rounds, RETURN)
        if count != 32 * kind.limbs:
            raise Unproved(f"{count} rounds")
        finish(kind, machine, bits, t, formulas, alias)

    on_every_path(check)


def round_over(kind: Round, machine: Machine, bits: Bits, t: list[Any], shifts: bool) -> None:
    """A round's registers change: t becomes these words, and x is shifted or unknown."""
    for register in kind.scratch:
        machine.registers[register] = None
    machine.carry = machine.overflow = machine.result = None
    above: Any = 0
    for register in reversed(kind.x):
        value = machine.get(register)
        high, low = bits.shift("lsl", above, 31, None)[0], bits.shift("lsr", value, 1, None)[0]
        machine.registers[register] = bits.logic("orr", low, high) if shifts else None
        above = value
    for register, word in zip(kind.t, t):
        machine.registers[register] = word


def finish(
    kind: Round, machine: Machine, bits: Bits, t: list[Any], formulas: list[str], alias: str
) -> None:
    """z = t mod n where t < 2n, and the formulas hold.  Raises Unproved."""
    wide = 32 * kind.limbs + 34
    n, last = vector([f"n{i}" for i in range(kind.limbs)], wide), vector(t, wide)
    bits.require(f"(bvult {last} (bvadd {n} {n}))")
    z = vector(left(machine, kind.limbs, alias), wide)
    bits.prove(f"(and (= {z} {bits.remainder(last, n)}) {' '.join(formulas)})")


def prove_bit_serial(kind: Round, original: Code, code: Code) -> None:
    """mont_mul is right.  `original` says where its rounds are.  Raises Unproved."""
    found = places(kind, original)
    texts = {place: tuple(code(a) for a in range(*place, 4)) for place in found}
    common = Counter(texts.values())
    for place in sorted(found, key=lambda place: common[texts[place]]):
        if (kind, texts[place]) not in PROVED:
            PROVED[kind, texts[place]] = prove_round(kind, code, *place)
    shifts = {start for start, end in found if PROVED[kind, texts[start, end]]}
    inside = {address for place in found for address in range(*place, 4)}
    around = tuple(word for address, word in code.words.items() if address not in inside)
    if (around, frozenset(shifts)) not in CALLS:
        for alias in ALIASES:
            prove_call(kind, code, dict(found), shifts, alias)
        CALLS.add((around, frozenset(shifts)))
