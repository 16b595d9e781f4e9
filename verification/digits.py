"""From limbs to signed digits: pair_set of studies/width-1024/lanes/digits.c, at one length.

x has `limbs` limbs, and w K > 32 limbs + 4, w = 29.  Shown for every x: the K
digits d_0, d_1, ... that pair_set leaves in a lane are between -H and H,
H = 2^(w-1), and x is the sum of d_i 2^(w i).  What a column may hold rests on the first,
see "The bound" in README.md there.  That digits turn into limbs again,
pair_get, is left to the vectors.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from harness import kinds
from harness.unicorn import NoEnd
from records.faults import Failure
from records.ladder import ROOT
from verification.instructions import Machine
from verification.machine import (
    FRAME,
    RETURN,
    STACK,
    Code,
    M,
    X,
    Z,
    built,
    operand,
    operand_in,
)
from verification.symbols import Value, Words, bits, joined
from verification.trials import Bench, words_of

SOURCE = ROOT / "studies/width-1024/lanes/digits.c"
PAIR_BYTES = 8  # of the digits of both lanes
MODULUS_BYTES = M + 8  # `bytes` of struct pair_modulus
W = 29
HALF = 1 << (W - 1)
DRAWN = 20  # numbers of each kind that are tried beside the solver's
LENGTHS = (9, 32, 64)  # limbs


def digits(limbs: int) -> int:
    """Return K, a multiple of four."""
    blocks = -(-(32 * limbs + 5) // (4 * W))
    return 4 * blocks


def compiled(level: str) -> Code:
    """Return the code of digits.c, whose calls of assembly lead nowhere.  Raises Failure."""
    return built(SOURCE, f"-{level}", "-Wl,--unresolved-symbols=ignore-all")


@dataclass(frozen=True)
class Conversion:
    """pair_set of numbers of so many limbs."""

    limbs: int

    @property
    def addresses(self) -> range:
        """Return the addresses of the digits that pair_set(z, 0, x, limbs, m) writes."""
        return range(Z, Z + PAIR_BYTES * digits(self.limbs), PAIR_BYTES)

    def digits_of(self, machine: Machine) -> list[Value]:
        """Return the digits for an unknown x.  Raises Unproved."""
        machine.enter(self.limbs)
        machine.memory.update(machine.code.words)  # constants
        machine.memory[MODULUS_BYTES] = PAIR_BYTES * digits(self.limbs)
        machine.memory[STACK] = M  # the fifth argument
        machine.writable = {*FRAME, *self.addresses}
        machine.registers[:4] = [Z, 0, X, self.limbs]
        entry, _ = machine.code.functions["pair_set"]
        machine.run(entry, RETURN)
        return machine.words_left(self.addresses)

    def prove(self, code: Code) -> None:
        """Prove that the digits of x are in their range and that their sum is x.  Raises
        Unproved."""
        machine = Machine(code, Words(), [])
        width = W * digits(self.limbs) + 1
        total = bits(0, width)
        in_range = bits(1, 1)
        for i, word in enumerate(self.digits_of(machine)):
            digit = bits(word)
            in_range = in_range & (digit + HALF <= 2 * HALF)
            total = total + (digit.signed(width) << W * i)
        machine.algebra.prove(in_range)
        x = joined(operand("x", self.limbs), width)
        machine.algebra.prove(total.equals(x))

    def counterexample(self, code: Code, operands: Mapping[str, int]) -> str:
        """Return an x for which the code is wrong, and how; "" where none is found."""
        bench = Bench(code, operands)
        source = kinds.Stream(f"digits {self.limbs}")
        tried = [operand_in(operands, "x", self.limbs)]
        for _ in range(DRAWN):
            tried.append(kinds.edges(source, 32 * self.limbs))
            tried.append(source.bits(32 * self.limbs))
        for x in tried:
            if wrong := self.wrong(bench, x):
                return f"pair_set of x = {x:#x}: {wrong}"
        return ""

    def wrong(self, bench: Bench, x: int) -> str:
        """Return what is wrong with the digits of x, "" if nothing is."""
        of_modulus = PAIR_BYTES * digits(self.limbs)
        numbers = {X: words_of(x, self.limbs), MODULUS_BYTES: [of_modulus], STACK: [M]}
        size = self.addresses[-1] + 4 - Z
        try:
            words = bench.call("pair_set", [Z, 0, X, self.limbs], numbers, Z, size // 4)
        except NoEnd:
            return ""
        except Failure as fault:
            return str(fault)
        total = 0
        for i, word in enumerate(words[:: PAIR_BYTES // 4]):
            digit = word - (word >> 31 << 32)
            if abs(digit) > HALF:
                return f"digit {i} is {digit}"
            total += digit << W * i
        return "" if total == x else f"the digits are those of {total:#x}"
