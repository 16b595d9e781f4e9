"""From limbs to signed digits: pair_set of studies/width-1024/lanes/digits.c, at one length.

x has `limbs` limbs, and w K > 32 limbs + 4, w = 29.  Shown for every x: the K
digits d_0, d_1, ... that pair_set leaves in a lane are between -H and H,
H = 2^(w-1), and x is the sum of d_i 2^(w i).  What a column may hold rests on the first,
see "The bound" in README.md there.  That digits turn into limbs again,
pair_get, is left to the vectors.
"""

from records.ladder import ROOT
from verification.instructions import Machine
from verification.machine import FRAME, RETURN, STACK, Code, M, X, Z, built, operand
from verification.symbols import Value, Words, bits, joined

SOURCE = ROOT / "studies/width-1024/lanes/digits.c"
PAIR_BYTES = 8  # of the digits of both lanes
MODULUS_BYTES = M + 8  # `bytes` of struct pair_modulus
W = 29
LENGTHS = (9, 32, 64)  # limbs


def digits(limbs: int) -> int:
    """Return K, a multiple of four."""
    blocks = -(-(32 * limbs + 5) // (4 * W))
    return 4 * blocks


def compiled(level: str) -> Code:
    """Return the code of digits.c, whose calls of assembly lead nowhere.  Raises Failure."""
    return built(SOURCE, f"-{level}", "-Wl,--unresolved-symbols=ignore-all")


def digits_of(machine: Machine, limbs: int) -> list[Value]:
    """Return the digits that pair_set(z, 0, x, limbs, m) leaves in z, for an unknown x.  Raises
    Unproved."""
    addresses = range(Z, Z + PAIR_BYTES * digits(limbs), PAIR_BYTES)
    machine.enter(limbs)
    machine.memory.update(machine.code.words)  # constants
    machine.memory[MODULUS_BYTES] = PAIR_BYTES * digits(limbs)
    machine.memory[STACK] = M  # the fifth argument
    machine.writable = {*FRAME, *addresses}
    machine.registers[:4] = [Z, 0, X, limbs]
    entry, _ = machine.code.functions["pair_set"]
    machine.run(entry, RETURN)
    return machine.words_left(addresses)


def prove_conversion(limbs: int, code: Code) -> None:
    """Prove that the digits of x are in their range and that their sum is x.  Raises Unproved."""
    machine = Machine(code, Words(), [])
    half = 1 << (W - 1)
    width = W * digits(limbs) + 1
    total = bits(0, width)
    in_range = bits(1, 1)
    for i, word in enumerate(digits_of(machine, limbs)):
        digit = bits(word)
        in_range = in_range & (digit + half <= 2 * half)
        total = total + (digit.signed(width) << W * i)
    machine.algebra.prove(in_range)
    x = joined(operand("x", limbs), width)
    machine.algebra.prove(total.equals(x))
