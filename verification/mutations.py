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
BITS = range(28)  # of an instruction without its condition


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
    """Every mutation of every instruction, in order of address."""
    for place, word in enumerate(code):
        yield OfCode(place, "left out", (NOP,))
        for new in conditions(word):
            yield OfCode(place, "condition", (new,))
        for forms in (6, 7) if word & 0x0FE000F0 == UMAAL else ():
            yield OfCode(place, "multiply", (word ^ forms << 21,))  # umull, umlal
        for bit in BITS:
            changed = text(word ^ 1 << bit)
            if changed != text(word) and "^" not in changed[1]:  # ^ is for a system alone
                yield OfCode(place, f"bit {bit}", (word ^ 1 << bit,))
        if code[place + 1 : place + 2] not in ([], [word]):
            yield OfCode(place, "order", (code[place + 1], word))


def conditions(word: int) -> list[int]:
    """An instruction with another condition: the opposite one or none, or one on the carry."""
    old = word >> 28
    others = {15: (), ALWAYS: (2, 3)}.get(old, (old ^ 1, ALWAYS))
    return [word & 0x0FFFFFFF | new << 28 for new in others]


# Instructions that only compute: how many of their registers, the first ones, they write.
ONE = "mul mla add adc sub sbc rsb rsc and orr eor bic mov mvn lsl lsr asr ror rrx movw ldr ldrb"
WRITES = dict.fromkeys(ONE.split(), 1) | dict.fromkeys(("umull", "umlal", "umaal"), 2)
REGISTER = re.compile(r"\b(?:r\d+|s[blp]|[fil]p|lr|pc)\b")


def uses(word: int) -> tuple[set[str], set[str]]:
    """The registers that an instruction writes, and those that it names; pc if it does more."""
    name, operands = text(word)
    named = REGISTER.findall(" ".join(operands))
    changes_base = "!" in "".join(operands) or operands[2:] and operands[1][0] == "["
    if name not in WRITES or changes_base:
        return {"pc"}, {"pc"}
    return set(named[: WRITES[name]]), set(named)


def exchangeable(code: dict[int, int], at: int) -> bool:
    """Whether the instruction at an address and the next one may change places."""
    (writes, names), (changes, others) = uses(code[at]), uses(code[at + 4])
    branches = ((place, *text(word)) for place, word in code.items())
    jumps = [
        place + int(to[0][1:], 0) & MASK for place, name, to in branches if name in ("b", "bl")
    ]
    apart = not (writes & others or changes & names or "pc" in names | others)
    return apart and at + 4 not in jumps


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
