"""Small faults: of machine code, another condition, carry, register or number
in an instruction; of C, an operator, a number or a limb's name exchanged, or a
statement left out.

A mutation of machine code gives one word for another, or exchanges two
neighbours.  Encodings: ARM Architecture Reference Manual, ARMv7-A, A5.
"""

import re
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
COMPARES, MOVES = range(8, 12), (13, 15)
NEON_BITS = (*range(5, 12), *range(20, 25))  # operation, sizes, and the registers' top bits
Change = tuple[str, int]  # what changed, and the new word


class OfCode(NamedTuple):
    """`words` take the place of as many from word `place` on; `name` says what changed."""

    place: int
    name: str
    words: tuple[int, ...]

    def label(self, code: list[int]) -> str:
        """What changed, and where."""
        words = " ".join(f"{word:08x}" for word in self.words)
        return f"word {self.place}: {self.name}: {code[self.place]:08x} -> {words}"


def of_code(code: list[int]) -> Iterator[OfCode]:
    """Every mutation of every instruction, in order of address; no word twice at one place."""
    for index, word in enumerate(code):
        seen = {word}
        for name, new in _of_word(word):
            if new not in seen:
                seen.add(new)
                yield OfCode(index, name, (new,))
        if index + 1 < len(code) and code[index + 1] != word:
            yield OfCode(index, "order", (code[index + 1], word))


def _of_word(word: int) -> Iterator[Change]:
    yield "deleted", NOP
    condition = word >> 28
    if condition == 15:  # NEON
        yield from _registers(word, 12, 16, 0)
        for bit in NEON_BITS:
            yield "operation", word ^ 1 << bit
        return
    for new in (2, 3) if condition == ALWAYS else (condition ^ 1, ALWAYS):
        yield "condition", word & 0x0FFFFFFF | new << 28
    if word >> 25 & 7 == 5:  # a branch
        for step in (1, -1):
            yield "target", word & ~0xFFFFFF | (word + step) & 0xFFFFFF
    elif word & 0x0F0000F0 == 0x90:
        yield from _multiply(word)
    elif word & 0x0E000090 == 0x90:
        yield from _short_offset(word)
    elif word & 0x0C000000 == 0:
        yield from _data_processing(word)
    elif word & 0x0E000000 == 0x08000000:
        yield from _block(word)
    else:
        yield from _transfer(word)


def _registers(word: int, *places: int) -> Iterator[Change]:
    """Another register in each of the fields that begin at these bits; never pc."""
    for place in places:
        old = word >> place & 15
        for new in {old ^ 1, old ^ 2, old + 1, old - 1} & set(range(15)):
            yield "register", word & ~(15 << place) | new << place


def _field(word: int, name: str, mask: int, *steps: int) -> Iterator[Change]:
    """The number under a mask of low bits, a step up and down."""
    for step in steps:
        for new in ((word & mask) + step, (word & mask) - step):
            if 0 <= new <= mask:
                yield name, word & ~mask | new


def _multiply(word: int) -> Iterator[Change]:
    form, high, low = word >> 21 & 7, word >> 16 & 15, word >> 12 & 15
    for new in LONG_MULTIPLIES.get(form, ()):
        yield "multiply", word & ~(7 << 21) | new << 21
    for name, new in _registers(word, *((16, 12, 8, 0) if form else (16, 8, 0))):
        if new >> 16 & 15 != new >> 12 & 15:  # two results in one register: not predictable
            yield name, new
    yield "halves", word & ~0xFF000 | low << 16 | high << 12


def _data_processing(word: int) -> Iterator[Change]:
    opcode, immediate = word >> 21 & 15, word >> 25 & 1
    for new in OPCODES[opcode]:
        yield "operation", word & ~(15 << 21) | new << 21
    if opcode not in COMPARES:
        yield "flags", word ^ 1 << 20
        yield from _registers(word, 12)
    yield from _registers(word, *[16] * (opcode not in MOVES), *[0] * (not immediate))
    if immediate:
        yield from _field(word, "number", 0xFF, 1)
        return
    if opcode not in MOVES:
        yield "operands", word & ~0xF000F | (word & 15) << 16 | word >> 16 & 15
    if not word >> 4 & 1:
        for step in (1, -1):
            yield "shift", word & ~(31 << 7) | ((word >> 7) + step & 31) << 7
        yield "shift", word ^ 1 << 5


def _short_offset(word: int) -> Iterator[Change]:
    """ldrd, strd and their like, with a number as offset."""
    for _, new in _field(word >> 4 & 0xF0 | word & 15, "", 0xFF, 4, 8):
        yield "offset", word & ~0xF0F | (new >> 4) << 8 | new & 15
    yield "sign", word ^ 1 << 23
    yield from _registers(word, 16)
    for step in (2, -2):
        if 0 <= (word >> 12 & 15) + step < 14:
            yield "register", word + (step << 12)
    yield "index", word ^ 1 << 24


def _transfer(word: int) -> Iterator[Change]:
    """ldr, str, ldrb, with a number or a register as offset."""
    yield from _registers(word, 12, 16)
    if word >> 25 & 1:
        yield from _registers(word, 0)
        yield "shift", word ^ 1 << 7
    else:
        yield from _field(word, "offset", 0xFFF, 4, 1)
    for name, bit in (("sign", 23), ("index", 24), ("size", 22)):
        yield name, word ^ 1 << bit


def _block(word: int) -> Iterator[Change]:
    """ldm and stm, push and pop: one register less or more, another base, no writing back."""
    yield from _registers(word, 16)
    listed = [bit for bit in range(13) if word >> bit & 1]
    free = [bit for bit in range(13) if bit not in listed]
    for bit in [*listed[:1], *free[-1:]]:
        yield "list", word ^ 1 << bit
    for name, bit in (("writes back", 21), ("direction", 23), ("direction", 24)):
        yield name, word ^ 1 << bit


# Instructions that set no flag and do not jump: their bits under a mask, and where in them the
# registers are that are written, and those that are only read.
PLAIN = (
    (0x0F1000F0, 0x00000090, (16, 12), (8, 0)),  # multiplies
    (0x0E100010, 0x00000000, (12,), (16, 0)),  # data processing
    (0x0E100000, 0x02000000, (12,), (16,)),  # with a number
    (0x0F300000, 0x05100000, (12,), (16,)),  # ldr and ldrb
    (0x0F300010, 0x07100000, (12,), (16, 0)),  # with a register as offset
)


def _uses(word: int) -> tuple[set[int], set[int]]:
    """The registers that an instruction writes, and those that it names; all if it is not plain."""
    for mask, value, writes, reads in PLAIN:
        if word & mask == value and word & 0x0D900000 != 0x01000000:
            named = [word >> place & 15 for place in (*writes, *reads)]
            return set(named[: len(writes)]), set(named)
    return {15}, {15}


def exchangeable(code: dict[int, int], at: int) -> bool:
    """Whether the instruction at an address and the next one may change places."""
    (writes, names), (changes, uses) = _uses(code[at]), _uses(code[at + 4])
    jumps = (target(place, word) for place, word in code.items() if word >> 25 & 7 == 5)
    apart = not (writes & uses or changes & names or 15 in names | uses)
    return apart and at + 4 not in jumps


def target(at: int, word: int) -> int:
    """Where a branch goes to."""
    return at + 8 + 4 * ((word & 0xFFFFFF ^ 1 << 23) - (1 << 23))


# --- C --------------------------------------------------------------------------------------------

OPERATORS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "| ^",
    "|": "& ^", "^": "| &", "&&": "||", "||": "&&", "<": "<= >", "<=": "<", ">": ">= <",
    ">=": ">", "==": "!=", "!=": "==", "++": "--", "--": "++", "+=": "-= =", "-=": "+= =",
    "<<=": ">>=", ">>=": "<<=", "|=": "&=", "&=": "|=", "^=": "=", "!": "", "~": "",
}  # fmt: skip
TOKEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"|^[ \t]*#[^\n]*|[A-Za-z_]\w*|0x[0-9a-fA-F]+U?|\d+U?L*"
    r"|<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|[-+*/%&|^<>=!~?:;,.(){}\[\]]",
    re.S | re.M,
)
# A * or & after one of these, or before what follows a type, is no operator with two operands.
UNARY = re.compile(r"[-+*/%&|^<>=!~?:;,({\[]=?$|^(return|else|case|sizeof)$")
TYPE = re.compile(r"^(\w+_t|nat\w*|void|int|char|unsigned|long|const|modulus|uint\w+)$")
STATEMENT = re.compile(r"^[ \t]+(?!return\b|register\b|static\b|const\b|[\w ]+_t\b|nat\b|int\b)"
                       r"[^\n{};]*;$", re.M)  # fmt: skip


class OfText(NamedTuple):
    """From `start` to `end`, text becomes `new`."""

    start: int
    end: int
    new: str

    def of(self, text: str) -> str:
        """The mutant of a text."""
        return text[: self.start] + self.new + text[self.end :]

    def label(self, text: str) -> str:
        """What changed: old and new, and the line of the text that has it."""
        first = text.rfind("\n", 0, self.start) + 1
        line = text[first:].partition("\n")[0].strip()
        return f"{text[self.start : self.end].strip()} -> {self.new or 'nothing'} in: {line}"


def tokens(text: str) -> list[re.Match[str]]:
    """The words of a source, comments and spaces apart."""
    return [m for m in TOKEN.finditer(text) if m.group()[:2] not in ("/*", "//")]


def words(text: str) -> str:
    """What a mutant of a source depends on."""
    return " ".join(token.group() for token in tokens(text))


def of_text(text: str) -> Iterator[OfText]:
    """Every mutation of a source, in order."""
    previous = ""
    for token in tokens(text):
        old, start, end = token.group(), *token.span()
        pointer = old in "*&-+" and (UNARY.search(previous) or TYPE.match(previous))
        if old in OPERATORS and not pointer:
            for new in OPERATORS[old].split() or [""]:
                yield OfText(start, end, new)
        elif old[0].isdigit():
            value = int(old.rstrip("UL"), 0)
            for number in {value + 1, value - 1 if value else 2}:
                yield OfText(start, end, str(number))
        elif re.fullmatch(r"w[0-7]", old) and previous in (".", "->"):
            yield OfText(start, end, f"w{int(old[1]) ^ 1}")
        previous = old
    for match in STATEMENT.finditer(text):
        yield OfText(match.start(), match.end() - 1, "")
