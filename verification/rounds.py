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
    """Prove that mont_mul is right.  `original` says where its rounds are.  Raises Unproved."""
    starts = original.find("mont_mul", kind.first)
    ends = original.find("mont_mul", kind.last)
    behind_last = min(end for end in ends if end > starts[-1])
    rounds = dict(zip(starts, [*starts[1:], behind_last]))
    shifting = set()
    for start, end in rounds.items():
        words = tuple(map(code, range(start, end, 4)))
        if prove_round(kind, words):
            shifting.add(start)
    for alias in ALIASES:
        for call in Call.paths(code):
            call.kind = kind
            call.shifting = shifting
            call.t = [0] * len(kind.t)
            call.pieces = {start: (end, call.round) for start, end in rounds.items()}
            call.enter(kind.limbs, alias)
            entry, _ = code.functions["mont_mul"]
            call.run(entry, RETURN)
            if call.count != 32 * kind.limbs:
                raise Unproved(f"{call.count} rounds")
            finish(call, joined(call.t))


def found(machine: Machine, registers: tuple[int, ...], limbs: int) -> list[Value]:
    """Return the words of y or n as a round finds them: in registers, or in memory where one
    register has their address.  Raises Unproved."""
    if len(registers) == limbs:
        return [machine.get(register) for register in registers]
    (pointer,) = registers
    address = bits(machine.get(pointer))
    return [machine.load(address + 4 * i) for i in range(limbs)]


@cache
def prove_round(kind: Round, words: tuple[int, ...]) -> bool:
    """Prove a round of these words; return whether it leaves x shifted.  Raises Unproved."""
    wide = 32 * kind.limbs + 34
    is_shifted = True
    for machine in Machine.paths(Code({}, {}).changed(0, words)):
        machine.enter(kind.limbs)
        machine.writable.clear()
        before: list[Value] = [variable(f"before{i}") for i in range(15)]
        before.append(0)
        if len(kind.y) == 1:
            before[kind.y[0]] = Y
        if len(kind.n) == 1:
            before[kind.n[0]] = M
        machine.registers = list(before)
        y = joined(found(machine, kind.y, kind.limbs), wide)
        n = joined(found(machine, kind.n, kind.limbs), wide)
        t = joined([before[register] for register in kind.t], wide)
        machine.algebra.require(n[:1])
        machine.algebra.require(y < n)
        machine.algebra.require(t < y + n)
        machine.run(0, 4 * len(words))
        for register in {*range(15)} - {*kind.t, *kind.x, *kind.scratch}:
            if machine.registers[register] != before[register]:
                raise Unproved(f"a round changes register {register}")
        # 2 t' = t + x_i y + q n
        x = joined([before[register] for register in kind.x])
        after = joined([machine.get(register) for register in kind.t], wide)
        with_y = t + either(x[:1], y, 0)
        with_n = with_y + either(with_y[:1], n, 0)
        machine.algebra.prove((after + after).equals(with_n))
        rest = joined([machine.registers[register] for register in kind.x])
        is_shifted &= machine.algebra.follows(rest.equals(x >> 1))
    return is_shifted


class Call(Machine):
    """A call with rounds as prove_round has them; `t` is what they leave, `count` how many."""

    kind: Round
    shifting: set[int]
    t: list[Value]
    count = 0

    def round(self, start: int) -> None:
        """Execute a round: its registers change, t to other words; x is shifted or
        unknown.  Raises Unproved."""
        kind = self.kind
        i = self.count
        if [self.get(register) for register in kind.t] != self.t:
            raise Unproved(f"t changes before round {i}")
        y = found(self, kind.y, kind.limbs)
        n = found(self, kind.n, kind.limbs)
        if y != operand("y", kind.limbs) or n != operand("n", kind.limbs):
            raise Unproved(f"y or n changes before round {i}")
        if i == 32 * kind.limbs:
            raise Unproved("a round too many")
        x = joined([self.get(register) for register in kind.x])
        limb = operand("x", kind.limbs)[i // 32]
        bit = limb[i % 32 : i % 32 + 1]
        self.algebra.prove(x[:1].equals(bit))
        for register in (*kind.scratch, *kind.x):
            self.registers[register] = None
        if start in self.shifting:
            shifted = x >> 1
            for k, register in enumerate(kind.x):
                self.registers[register] = shifted[32 * k : 32 * k + 32]
        self.set_flags(None, None, None)
        self.t = [self.algebra.fresh() for _ in kind.t]
        for register, word in zip(kind.t, self.t):
            self.registers[register] = word
        self.count += 1
