"""Small faults: of machine code, a bit or the condition of an instruction changed,
or an instruction left out or exchanged with the next; of C, an operator, a
number or a limb's name exchanged, or a statement left out.

Encodings: ARM Architecture Reference Manual, ARMv7-A, A5.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from verification.machine import text
from verification.symbols import MASK

NOP = 0xE320F000
UMAAL = 0x00400090
ALWAYS = 14
UNCONDITIONAL = 15
BITS = range(28)  # of an instruction without its condition


def as_hex(word: int) -> str:
    """Return a word in hexadecimal digits."""
    return f"{word:08x}"


class OfCode(NamedTuple):
    """`words` take the place of as many from `position` on; `name` says what changed."""

    position: int
    name: str
    words: tuple[int, ...]

    def label(self, code: list[int]) -> str:
        """Return what changed, and where."""
        old = as_hex(code[self.position])
        new = " ".join(map(as_hex, self.words))
        return f"word {self.position}: {self.name}: {old} -> {new}"


def of_code(code: list[int]) -> Iterator[OfCode]:
    """Yield every mutation of every instruction, in order of address."""
    for position, word in enumerate(code):
        yield OfCode(position, "left out", (NOP,))
        for new in conditions(word):
            yield OfCode(position, "condition", (new,))
        if word & 0x0FE000F0 == UMAAL:
            for change in (6, 7):  # of its opcode, bits 21 to 23: umull, umlal
                yield OfCode(position, "multiply", (word ^ change << 21,))
        for bit in BITS:
            new = word ^ 1 << bit
            name, operands = text(new)
            is_for_systems = "^" in operands
            if [name, operands] != [*text(word)] and not is_for_systems:
                yield OfCode(position, f"bit {bit}", (new,))
        for following in code[position + 1 : position + 2]:
            if following != word:
                yield OfCode(position, "order", (following, word))


def conditions(word: int) -> list[int]:
    """Return an instruction with another condition: the opposite one or none, or one on the
    carry."""
    old = word >> 28
    if old == UNCONDITIONAL:
        return []
    new = (2, 3) if old == ALWAYS else (old ^ 1, ALWAYS)
    return [word & 0x0FFFFFFF | condition << 28 for condition in new]


# Instructions that only compute: how many of their registers, the first ones, they write.
ONE = "mul mla add adc sub sbc rsb rsc and orr eor bic mov mvn lsl lsr asr ror rrx movw ldr ldrb"
WRITES = dict.fromkeys(ONE.split(), 1) | dict.fromkeys(("umull", "umlal", "umaal"), 2)
REGISTER = re.compile(r"\b(?:r\d+|s[blp]|[fil]p|lr|pc)\b")


def uses(word: int) -> tuple[set[str], set[str]]:
    """Return the registers that an instruction writes, and those that it names; pc if it does
    more."""
    name, operands = text(word)
    written_back = "!" in "".join(operands)
    moves_base = len(operands) > 2 and operands[1][0] == "["
    if name not in WRITES or written_back or moves_base:
        return {"pc"}, {"pc"}
    named = REGISTER.findall(" ".join(operands))
    writes = named[: WRITES[name]]
    return set(writes), set(named)


def exchangeable(code: dict[int, int], at: int) -> bool:
    """Return whether the instruction at an address and the next one may change places."""
    first_writes, first_names = uses(code[at])
    next_writes, next_names = uses(code[at + 4])
    if first_writes & next_names or next_writes & first_names:
        return False
    if "pc" in first_names | next_names:
        return False
    for address, word in code.items():
        name, operands = text(word)
        if name in ("b", "bl"):
            distance = int(operands[0][1:], 0)
            if address + distance & MASK == at + 4:
                return False
    return True


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
        """Return the mutant of a text."""
        return text[: self.start] + self.new + text[self.end :]

    def label(self, text: str) -> str:
        """Return what changed: old and new, and the line of the text that has it."""
        line_start = text.rfind("\n", 0, self.start) + 1
        line = text[line_start:].partition("\n")[0]
        old = text[self.start : self.end]
        new = self.new or "nothing"
        return f"{old.strip()} -> {new} in: {line.strip()}"


def tokens(text: str) -> list[re.Match[str]]:
    """Return the words of a source, comments and spaces apart."""
    return [m for m in TOKEN.finditer(text) if m.group()[:2] not in ("/*", "//")]


def words(text: str) -> str:
    """Return what a mutant of a source depends on: not where a header of its includes stands."""
    anywhere = re.sub(r'(?m)^#include ".*/', '#include "', text)
    return " ".join(token.group() for token in tokens(anywhere))


def of_text(text: str) -> Iterator[OfText]:
    """Yield every mutation of a source, in order."""
    previous = ""
    for token in tokens(text):
        old = token.group()
        start, end = token.span()
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
