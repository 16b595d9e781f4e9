"""Mutants of machine code: an A32 instruction with another condition, carry, register or number.

A mutation gives one word for another, or exchanges two neighbours.  Encodings: ARM Architecture
Reference Manual, ARMv7-A, A5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

NOP = 0xE320F000
ALWAYS = 14
# Data processing, by the number in bits 21 to 24: what each becomes.
OPCODES = {
    0: (12, 14), 1: (12,), 2: (6, 4), 3: (7,), 4: (5, 2), 5: (4, 6), 6: (2, 5), 7: (3,),
    8: (9,), 9: (8,), 10: (11,), 11: (10,), 12: (0, 1), 13: (15,), 14: (0,), 15: (13,),
}  # fmt: skip
LONG_MULTIPLIES = {2: (5,), 4: (5, 6), 5: (4, 2), 6: (4,), 7: (5,)}  # umaal, umull, umlal, smull
COMPARES = range(8, 12)


class Mutation(NamedTuple):
    """`words` take the place of as many from word `place` on; `name` says what changed."""

    place: int
    name: str
    words: tuple[int, ...]


def mutations(code: list[int]) -> Iterator[Mutation]:
    """Every mutation of every instruction, in order of address; no word twice at one place."""
    for index, word in enumerate(code):
        seen = {word}
        for name, new in _of_word(word):
            if new not in seen:
                seen.add(new)
                yield Mutation(index, name, (new,))
        if index + 1 < len(code) and code[index + 1] != word:
            yield Mutation(index, "order", (code[index + 1], word))


def _of_word(word: int) -> Iterator[tuple[str, int]]:
    """(what changed, the new word)."""
    yield "deleted", NOP
    condition = word >> 28
    for new in (2, 3) if condition == ALWAYS else (condition ^ 1, ALWAYS):
        yield "condition", word & 0x0FFFFFFF | new << 28
    if word >> 25 & 7 == 5:  # a branch
        for step in (1, -1):
            yield "target", word & ~0xFFFFFF | (word + step) & 0xFFFFFF
    elif word & 0x0F0000F0 == 0x90:
        yield from _multiply(word)
    elif word & 0x0C000000 == 0 and word & 0x90 == 0x90 and not word >> 25 & 1:
        yield from _short_offset(word)
    elif word & 0x0C000000 == 0:
        yield from _data_processing(word)
    elif word & 0x0E000000 == 0x08000000:
        yield from _block(word)
    else:
        yield from _transfer(word)


def _registers(word: int, *places: int) -> Iterator[tuple[str, int]]:
    """Another register in each of the fields that begin at these bits; never pc."""
    for place in places:
        old = word >> place & 15
        for new in {old ^ 1, old ^ 2, old + 1, old - 1} & set(range(15)):
            yield "register", word & ~(15 << place) | new << place


def _field(word: int, name: str, mask: int, step: int) -> Iterator[tuple[str, int]]:
    """The number under a mask of low bits, one step up and one down."""
    for new in ((word & mask) + step, (word & mask) - step):
        if 0 <= new <= mask:
            yield name, word & ~mask | new


def _multiply(word: int) -> Iterator[tuple[str, int]]:
    for new in LONG_MULTIPLIES.get(word >> 21 & 7, ()):
        yield "multiply", word & ~(7 << 21) | new << 21
    for name, new in _registers(word, *((16, 12, 8, 0) if word >> 21 & 7 else (16, 8, 0))):
        if new >> 16 & 15 != new >> 12 & 15:  # two results in one register: not predictable
            yield name, new
    high, low = word >> 16 & 15, word >> 12 & 15
    yield "halves", word & ~0xFF000 | low << 16 | high << 12


def _data_processing(word: int) -> Iterator[tuple[str, int]]:
    opcode = word >> 21 & 15
    for new in OPCODES[opcode]:
        yield "operation", word & ~(15 << 21) | new << 21
    if opcode not in COMPARES:
        yield "flags", word ^ 1 << 20
    moves = opcode in (13, 15)
    immediate = word >> 25 & 1
    places = [12] * (opcode not in COMPARES) + [16] * (not moves) + [0] * (not immediate)
    yield from _registers(word, *places)
    if immediate:
        yield from _field(word, "number", 0xFF, 1)
        return
    if not moves:
        n, m = word >> 16 & 15, word & 15
        yield "operands", word & ~0xF000F | m << 16 | n
    if not word >> 4 & 1:
        for step in (1, -1):
            amount = ((word >> 7) + step) & 31
            yield "shift", word & ~(31 << 7) | amount << 7
        yield "shift", word ^ 1 << 5


def _short_offset(word: int) -> Iterator[tuple[str, int]]:
    """ldrd, strd and their like, with a number as offset."""
    low = (word >> 8 & 15) << 4 | word & 15
    for new in (low + 4, low - 4, low + 8, low - 8):
        if 0 <= new < 256:
            yield "offset", word & ~0xF0F | (new >> 4) << 8 | new & 15
    yield "sign", word ^ 1 << 23
    yield from _registers(word, 16)
    for step in (2, -2):
        if 0 <= (word >> 12 & 15) + step < 14:
            yield "register", word + (step << 12)
    yield "index", word ^ 1 << 24


def _transfer(word: int) -> Iterator[tuple[str, int]]:
    """ldr, str, ldrb, with a number or a register as offset."""
    yield from _registers(word, 12, 16)
    if word >> 25 & 1:
        yield from _registers(word, 0)
        yield from ((("shift", word ^ 1 << 7),))
    else:
        yield from _field(word, "offset", 0xFFF, 4)
        yield from _field(word, "offset", 0xFFF, 1)
    yield "sign", word ^ 1 << 23
    yield "index", word ^ 1 << 24
    yield "size", word ^ 1 << 22


def _block(word: int) -> Iterator[tuple[str, int]]:
    """ldm and stm, push and pop: one register less or more, another base, no writing back."""
    yield from _registers(word, 16)
    for bit in range(13):
        if word >> bit & 1:
            yield "list", word ^ 1 << bit
            break
    for bit in range(12, -1, -1):
        if not word >> bit & 1:
            yield "list", word ^ 1 << bit
            break
    yield "writes back", word ^ 1 << 21
    yield "direction", word ^ 1 << 23
    yield "direction", word ^ 1 << 24
