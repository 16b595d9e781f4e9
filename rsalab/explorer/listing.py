"""A snapshot's object code as a listing by function, and which lines of a macro it comes from."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from elftools.elf.elffile import ELFFile

from harness.elf import Word, words

WORD = 4  # bytes: every A32 instruction, and every entry of a literal pool

LITERAL = re.compile(r"\[pc(?:, #-?\d+)?\]\s*@ ([0-9a-f]+) <[^>]*>")
TARGET = re.compile(r"([0-9a-f]+) <([^>]*)>")
COMMENT = re.compile(r"\s*@ .*")
CALLS = ("R_ARM_CALL", "R_ARM_JUMP24")
RELATIVE = "R_ARM_REL32"


@dataclass
class Function:
    """A symbol of the code section: `start` is its offset there in bytes,
    `words` the text of each word by its offset there, which begins with a
    dot where it is a constant."""

    name: str
    start: int
    words: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Listing:
    """The functions in the order of the code.  Equal digests mean the same
    code bytes, relocations and constants; names of local symbols do not
    count."""

    functions: list[Function]
    digest: str
    code_bytes: int


def read(snapshot: Path) -> Listing:
    """Return the listing of snapshot.o.  Raises Failure, OSError."""
    found = words(snapshot)
    with snapshot.open("rb") as file:
        section = ELFFile(file).get_section_by_name(".rodata")
        constants = section.data() if section else b""
    code = repr([(word.opcode, word.relocation) for word in found]).encode()
    digest = hashlib.sha256(code + constants).hexdigest()
    return Listing(_functions(found), digest, WORD * len(found))


def _functions(words: list[Word]) -> list[Function]:
    """Return the words by function."""
    found: list[Function] = []
    for word in words:
        if not found or found[-1].name != word.symbol:
            found.append(Function(word.symbol, word.start))
        function = found[-1]
        function.words[word.address] = text(word.text, function, word.relocation)
    return found


def text(
    words: str, function: Function, relocation: tuple[str, str] | None = None
) -> str:
    """Return what objdump says of a word, in the form of the page: `bne     +a4`
    jumps to byte 0xa4 of its own function, `[+e4]` is the literal there,
    and a symbol stands where the linker puts one. Comments, which repeat a
    number in another base, are dropped."""

    def literal(found: re.Match[str]) -> str:
        offset = int(found[1], 16) - function.start
        return f"[+{offset:x}]"

    def target(found: re.Match[str]) -> str:
        address = int(found[1], 16)
        return _target(address, found[2], function)

    kind, symbol = relocation or ("", "")
    words = LITERAL.sub(literal, words)
    if kind in CALLS:
        words = TARGET.sub(symbol, words)
    words = TARGET.sub(target, words)
    words = COMMENT.sub("", words)
    name, _, operands = words.partition("\t")
    if name == ".word" and kind:
        operands = f"{symbol}+{operands}"
        if kind == RELATIVE:
            operands += " - ."
    elif kind and kind not in CALLS:
        short = kind.removeprefix("R_ARM_")
        operands += f" ({short} {symbol})"
    return f"{name:<7} {operands}".rstrip()


def _target(address: int, symbol: str, function: Function) -> str:
    """Return an address in the code section: by offset inside the function, by
    symbol outside."""
    base, _, _ = symbol.partition("+0x")
    if base == function.name:
        return f"+{address - function.start:x}"
    return symbol.replace("+0x", "+")


# --- macros of mont.S -----------------------------------------------------------------------------

# The assembler says of an instruction only at which line a macro is used.  The lines inside follow
# from the source: an expansion has the instructions of the body in their order.

REMARK = re.compile(r"/\*.*?\*/|@.*?$", re.S | re.M)
START = re.compile(r"\s*\.macro\s+(\w+)")
END = re.compile(r"\s*\.endm\b")
REPEAT = re.compile(r"\s*\.rept\s+(\d+)\s*$")
LAST = re.compile(r"\s*\.endr\b")
NAME = re.compile(r"\s*(?:\w+:)?\s*([.\w]+)(?![.\w:])")

Body = list[tuple[int, str]]  # numbers and texts of lines


def expansions(source: str) -> dict[int, list[list[int]]]:
    """Return by the line that uses a macro, for each instruction of one expansion, the
    lines of the bodies that it comes from, the outermost first.  A macro
    with conditions is left out."""
    text = REMARK.sub(lambda remark: re.sub(r"[^\n]", " ", remark[0]), source)
    macros: dict[str, Body] = {}
    here = outside = Body()
    for number, line in enumerate(text.splitlines(), start=1):
        if head := START.match(line):
            here = macros.setdefault(head[1], [])
        elif END.match(line):
            here = outside
        else:
            here.append((number, line))
    for name, body in list(macros.items()):
        if any(line.lstrip().startswith(".if") for _, line in body):
            del macros[name]
    return {
        number: list(_instructions(macros[word[1]], macros))
        for number, line in outside
        if (word := NAME.match(line)) and word[1] in macros
    }


def _instructions(body: Body, macros: dict[str, Body]) -> Iterator[list[int]]:
    """Yield the lines of each instruction of a body."""
    lines = iter(body)
    for number, line in lines:
        word = NAME.match(line)
        if repeat := REPEAT.match(line):
            inner = list(takewhile(lambda one: not LAST.match(one[1]), lines))
            for _ in range(int(repeat[1])):
                yield from _instructions(inner, macros)
        elif word and word[1] in macros:
            for rest in _instructions(macros[word[1]], macros):
                yield [number, *rest]
        elif word and not word[1].startswith("."):
            yield [number]
