"""mont_mul of the bit-serial assembly: a round as an induction step, and all
that is around it.

The invariant is t < y + n.  A round is executed once for all t, x, y and n of
the full width, with n odd, y < n and the invariant: it leaves 2 t' = t + x_i y
+ q n, where q = 0 or 1 makes the sum even, and x shifted down by a bit.  So 2
t' < 2 (y + n), which is the invariant.  The whole call is then executed with
that for each round: t starts at 0, round i finds bit i of x, and the t of the
last round, below y + n < 2n, becomes z = t mod n.
"""

from functools import cache
from typing import NamedTuple

from verification.instructions import Machine
from verification.machine import ALIASES, RETURN, Code, M, Y, operand
from verification.products import finish
from verification.symbols import Unproved, Value, bits, either, joined, variable


class Round(NamedTuple):
    """Registers, the lowest word first; y and n are in memory where `y` and
    `n` have one register. `first` is the instruction that begins a round,
    `last` the one after the last round (which is also the end of a loop's
    body)."""

    limbs: int
    t: tuple[int, ...]
    x: tuple[int, ...]
    y: tuple[int, ...]
    n: tuple[int, ...]
    scratch: tuple[int, ...]
    first: str
    last: str


ROUNDS = {
    ("alone", "bit-serial-assembly"):
        Round(4, (0, 1, 2, 3, 4), (14,), (5, 6, 7, 8), (9, 10, 11, 12), (),
                  "lsrs lr lr #1", r"ldr lr \[sp, #0x10\]"),
    ("dead-ends", "predicated-addition"):
        Round(4, (0, 1, 2, 3, 4), (14,), (9,), (10,), (5, 6, 7, 8),
              "lsrs lr lr #1", "subs fp fp #1"),
    ("width-64", "v2"):
        Round(2, (0, 1, 2), (4, 5), (6, 7), (8, 9), (10, 11),
              "sbfx sl r4 #0 #1", "subs r3 r3 #1"),
}  # fmt: skip


def prove_bit_serial(kind: Round, original: Code, code: Code) -> None:
    """mont_mul is right.  `original` says where its rounds are.  Raises Unproved."""
    starts = original.find("mont_mul", kind.first)
    over = min(at for at in original.find("mont_mul", kind.last) if at > starts[-1])
    rounds = dict(zip(starts, [*starts[1:], over]))
    texts = {at: tuple(map(code, range(at, end, 4))) for at, end in rounds.items()}
    shifting = frozenset([at for at in rounds if prove_round(kind, texts[at])])
    for alias in ALIASES:
        for call in Call.paths(code):
            call.enter(kind.limbs, alias)
            call.kind, call.shifting, call.t = kind, shifting, [0] * len(kind.t)
            call.pieces = {at: (end, call.round) for at, end in rounds.items()}
            call.run(code.functions["mont_mul"][0], RETURN)
            if call.count != 32 * kind.limbs:
                raise Unproved(f"{call.count} rounds")
            finish(call, joined(call.t))


def operands(kind: Round, machine: Machine) -> list[list[Value]]:
    """The words of y and of n as a round finds them.  Raises Unproved."""
    return [
        [machine.get(register) for register in registers]
        if len(registers) == kind.limbs
        else [machine.load(bits(machine.get(*registers)) + 4 * i) for i in range(kind.limbs)]
        for registers in (kind.y, kind.n)
    ]


@cache
def prove_round(kind: Round, words: tuple[int, ...]) -> bool:
    """A round of these words; whether it leaves x shifted.  Raises Unproved."""
    wide, shifted = 32 * kind.limbs + 34, True
    for machine in Machine.paths(Code({}, {}).changed(0, words)):
        machine.enter(kind.limbs)
        machine.writable.clear()
        before: list[Value] = [*(variable(f"before{i}") for i in range(15)), 0]
        for registers, base in ((kind.y, Y), (kind.n, M)):
            if len(registers) == 1:
                before[registers[0]] = base
        machine.registers = list(before)
        y, n = (joined(number, wide) for number in operands(kind, machine))
        t = joined([before[r] for r in kind.t], wide)
        for known in (n[:1], y < n, t < y + n):
            machine.algebra.require(known)
        machine.run(0, 4 * len(words))
        for i in {*range(15)} - {*kind.t, *kind.x, *kind.scratch}:
            if machine.registers[i] != before[i]:
                raise Unproved(f"a round changes register {i}")
        after = joined([machine.get(r) for r in kind.t], wide)
        x, rest = (joined([of[r] for r in kind.x]) for of in (before, machine.registers))
        whole = t + either(x[:1], y, 0)
        machine.algebra.prove((after + after).equals(whole + either(whole[:1], n, 0)))
        shifted &= machine.algebra.follows(rest.equals(x >> 1))
    return shifted


class Call(Machine):
    """A call with rounds as prove_round has them; `t` is what they leave, `count` how many."""

    kind: Round
    shifting: frozenset[int]
    t: list[Value]
    count = 0

    def round(self, start: int) -> None:
        """A round: its registers change, t to other words; x is shifted or
        unknown.  Raises Unproved."""
        kind, i = self.kind, self.count
        if [self.get(r) for r in kind.t] != self.t:
            raise Unproved(f"t changes before round {i}")
        if operands(kind, self) != [operand(name, kind.limbs) for name in "yn"]:
            raise Unproved(f"y or n changes before round {i}")
        if i == 32 * kind.limbs:
            raise Unproved("a round too many")
        x = joined([self.get(r) for r in kind.x])
        self.algebra.prove(x[:1].equals(operand("x", kind.limbs)[i // 32][i % 32 : i % 32 + 1]))
        for register in kind.scratch:
            self.registers[register] = None
        self.carry = self.added = self.result = None
        for k, register in enumerate(kind.x):
            rest = (x >> 1)[32 * k : 32 * k + 32]
            self.registers[register] = rest if start in self.shifting else None
        self.t = [self.algebra.fresh() for _ in kind.t]
        for register, word in zip(kind.t, self.t):
            self.registers[register] = word
        self.count += 1
