"""Which lines of a macro's body an instruction of mont.S comes from.

The assembler says of an instruction only at which line the macro is used.  The lines inside follow
from the source: an expansion has the instructions of the body in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

COMMENT = re.compile(r"/\*.*?\*/", re.S)
START, END = re.compile(r"\s*\.macro\s+(\w+)"), re.compile(r"\s*\.endm\b")
REPEAT, LAST = re.compile(r"\s*\.rept\s+(\d+)\s*$"), re.compile(r"\s*\.endr\b")
WORD = re.compile(r"\s*(?:\w+:)?\s*([.\w]+)")
CONDITION = re.compile(r"\s*\.if")

Body = list[tuple[int, str]]  # numbers and texts of lines


def expansions(source: str) -> dict[int, list[list[int]]]:
    """Line that uses a macro -> for each instruction of one expansion, the lines of the bodies that
    it comes from, the outermost first.  A macro with conditions is left out."""
    text = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), source)
    macros: dict[str, Body] = {}
    outside: Body = []
    here = outside
    for number, line in enumerate(text.splitlines(), start=1):
        if head := START.match(line):
            here = macros.setdefault(head[1], [])
        elif END.match(line):
            here = outside
        else:
            here.append((number, line.partition("@")[0]))
    for name in [name for name, body in macros.items() if any(CONDITION.match(x) for _, x in body)]:
        del macros[name]
    found = {}
    for number, line in outside:
        word = WORD.match(line)
        if word and word[1] in macros:
            found[number] = list(_instructions(macros[word[1]], macros))
    return found


def _instructions(body: Body, macros: dict[str, Body]) -> Iterator[list[int]]:
    """The lines of each instruction of a body."""
    lines = iter(body)
    for number, line in lines:
        word = WORD.match(line)
        if repeat := REPEAT.match(line):
            inner = []
            for one in lines:
                if LAST.match(one[1]):
                    break
                inner.append(one)
            yield from list(_instructions(inner, macros)) * int(repeat[1])
        elif word and word[1] in macros:
            yield from ([number, *rest] for rest in _instructions(macros[word[1]], macros))
        elif word and not word[1].startswith("."):
            yield [number]
