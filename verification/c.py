"""Mutants of C: an operator, a number or a limb's name exchanged, or a statement left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

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


class Mutation(NamedTuple):
    """From `start` to `end`, text becomes `new`."""

    start: int
    end: int
    new: str

    def of(self, text: str) -> str:
        """The mutant of a text."""
        return text[: self.start] + self.new + text[self.end :]

    def name(self, text: str) -> str:
        """What changed: old and new, and the line of the text that has it."""
        first = text.rfind("\n", 0, self.start) + 1
        line = text[first:].partition("\n")[0].strip()
        return f"{text[self.start : self.end].strip()} -> {self.new or 'nothing'} in: {line}"


def code(text: str) -> str:
    """The text without comments and spaces: what a mutant depends on."""
    return " ".join(m.group() for m in TOKEN.finditer(text) if m.group()[:2] not in ("/*", "//"))


def mutations(text: str) -> Iterator[Mutation]:
    """Every mutation of a source, in order."""
    tokens = [m for m in TOKEN.finditer(text) if m.group()[:2] not in ("/*", "//")]
    for before, token in zip([None, *tokens], tokens):
        old, start, end = token.group(), token.start(), token.end()
        if old.lstrip().startswith(("#", '"')):
            continue
        previous = before.group() if before else ""
        pointer = old in "*&-+" and (UNARY.search(previous) or TYPE.match(previous))
        if old in OPERATORS and not pointer:
            for new in OPERATORS[old].split() or [""]:
                yield Mutation(start, end, new)
        elif old[0].isdigit():
            value = int(old.rstrip("UL"), 0)
            for number in {value + 1, value - 1 if value else 2}:
                yield Mutation(start, end, str(number))
        elif re.fullmatch(r"w[0-7]", old) and previous in (".", "->"):
            yield Mutation(start, end, f"w{int(old[1]) ^ 1}")
    for match in STATEMENT.finditer(text):
        yield Mutation(match.start(), match.end() - 1, "")
