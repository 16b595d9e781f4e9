"""What is in a program or an object: sections, functions and memory by its ELF
headers, code by objdump, lines of the source by addr2line."""

import os
import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from records.faults import Failure, run
from records.files import digest
from records.settings import USUAL_TOOLCHAIN

# What the .text of a snapshot is called once make has moved it.
SECTION = "snapshot_text"
HARNESS = "harness_text"
# The prefix of the binary utilities that belong to the compiler of make.
TOOL = os.environ.get("RSALAB_BINUTILS") or USUAL_TOOLCHAIN.prefix

# ---- ELF ----

# Of names for one address the first is better.
BINDINGS = ("STB_GLOBAL", "STB_WEAK", "STB_LOCAL")
# A function of the second type returns the function to call, such as memcpy.
FUNCTIONS = ("STT_FUNC", "STT_LOOS")
# Marks of data, A32 and Thumb; of names for one address the last is better.
MODES = ("$d", "$a", "$t")
# Flags of sections.
WRITE = 1
ALLOC = 2
CODE = 4
LOAD, STORE, EXECUTE = 1, 2, 4  # what may be done in a segment
RIGHTS = {4: LOAD, 2: STORE, 1: EXECUTE}  # by its flag
UNDEFINED = "SHN_UNDEF"
# A relocation: the word's value is what the function that it points to returns.
IRELATIVE = 160


class Segment(NamedTuple):
    """A part of memory: first address, size in bytes, its beginning, which
    zeros follow, and what may be done there: bits 1 to read, 2 to write, 4
    to execute."""

    start: int
    size: int
    data: bytes
    rights: int


class Elf:
    """A program or an object.  `headers`: (name, size in bytes, flags) of
    each section; `sections`: name -> address range; `symbols`: (name, its
    section or UNDEFINED, whether it is seen from outside); `segments`: what
    is loaded; `functions`: (first address, first beyond, name), disjoint
    and in order; `late_bindings`: (address of a word, function that says
    its value), how a static program chooses its memcpy for the processor
    before main."""

    def __init__(self, file: Any) -> None:
        self.headers: list[tuple[str, int, int]] = []
        self.sections: dict[str, range] = {}
        self.symbols: list[tuple[str, str, bool]] = []
        self.segments: list[Segment] = []
        self.functions: list[tuple[int, int, str]] = []
        self.late_bindings: list[tuple[int, int]] = []
        self._modes: list[tuple[int, int]] = []
        parts = list(file.iter_sections())
        for part in parts:
            start = part["sh_addr"]
            size = part["sh_size"]
            self.headers.append((part.name, size, part["sh_flags"]))
            self.sections[part.name] = range(start, start + size)
        for part in file.iter_segments("PT_LOAD"):
            rights = sum(
                mine for theirs, mine in RIGHTS.items() if part["p_flags"] & theirs
            )
            self.segments.append(
                Segment(part["p_vaddr"], part["p_memsz"], part.data(), rights)
            )
        if table := file.get_section_by_name(".symtab"):
            self._read_symbols(list(table.iter_symbols())[1:], parts)
        if table := file.get_section_by_name(".rel.dyn"):
            for relocation in table.iter_relocations():
                if relocation["r_info_type"] == IRELATIVE:
                    address = relocation["r_offset"]
                    chooser = int.from_bytes(self.bytes_at(address, 4), "little")
                    self.late_bindings.append((address, chooser))

    def _read_symbols(self, table: list[Any], parts: list[Any]) -> None:
        """Read the symbols, the functions, and what the mapping symbols say
        from which address on.  `parts` are the sections."""
        names: dict[int, tuple[int, int, str, int]] = {}
        for symbol in table:
            name = symbol.name
            index = symbol["st_shndx"]
            start = symbol["st_value"]
            kind = symbol["st_info"]["type"]
            binding = symbol["st_info"]["bind"]
            part = parts[index] if isinstance(index, int) else None
            self.symbols.append(
                (name, part.name if part else index, binding != "STB_LOCAL")
            )
            if part is None or not part["sh_flags"] & CODE:
                continue
            if name[:2] in MODES:
                self._modes.append((start, MODES.index(name[:2])))
            elif kind in FUNCTIONS or (kind == "STT_NOTYPE" and binding != "STB_LOCAL"):
                end = part["sh_addr"] + part["sh_size"]
                start &= ~1  # bit 0: Thumb
                # Of names for one address: the best binding, then the largest size.
                named = (BINDINGS.index(binding), -symbol["st_size"], name, end)
                names[start] = min(named, names.get(start, named))
        self._modes.sort()
        self._set_functions(names)

    def _set_functions(self, names: dict[int, tuple[int, int, str, int]]) -> None:
        """Find the functions: of names for one address the first counts; a label
        that has no size ends where the next symbol begins, and one inside a
        function that has a size is none."""
        starts = sorted(names)
        end = 0  # of the last function that has a size
        for start, after in zip(starts, [*starts[1:], 1 << 32]):
            _, minus_size, name, section_end = names[start]
            if start >= end:
                end = start - minus_size if minus_size else 0
                self.functions.append((start, end or min(after, section_end), name))

    def function(self, address: int) -> str:
        """Return the function that holds the address; ``?`` if none does."""
        i = bisect_right(self.functions, (address, 1 << 32, "")) - 1
        if i < 0:
            return "?"
        _, end, name = self.functions[i]
        return name if address < end else "?"

    def is_thumb(self, address: int) -> bool:
        """Return whether the code there is Thumb, by the last mapping symbol up
        to it."""
        i = bisect_right(self._modes, (address, len(MODES))) - 1
        return i >= 0 and MODES[self._modes[i][1]] == "$t"

    def entry(self, name: str) -> int:
        """Return the address to call a function at, bit 0 saying Thumb.  Raises
        Failure."""
        for start, _, function in self.functions:
            if function == name:
                return start | self.is_thumb(start)
        raise Failure(f"no function {name}")

    def bytes_at(self, address: int, size: int) -> bytes:
        """Return what the file holds for these addresses.  Raises Failure where
        it holds nothing."""
        for start, _, data, _ in self.segments:
            offset = address - start
            if 0 <= offset <= len(data) - size:
                return data[offset : offset + size]
        raise Failure(f"nothing at {address:#x}")


def why_unsupported() -> str:
    """Return why no ELF file can be read here, or an empty string."""
    return (
        ""
        if find_spec("elftools")
        else "python3-pyelftools is not installed: make setup"
    )


def read_elf(path: str | Path) -> Elf:
    """Return a program; the last few are kept by their content.  Raises Failure
    and OSError."""
    return _read(Path(path), digest(Path(path)))


@lru_cache(maxsize=8)
def _read(path: Path, _content: str) -> Elf:
    if why_unsupported():
        raise Failure(why_unsupported())
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        return Elf(ELFFile(BytesIO(path.read_bytes())))
    except (Failure, ELFError, IndexError, ValueError) as fault:
        raise Failure(f"{path}: not a program that can be read: {fault}") from None


def sections(program: Path) -> dict[str, range]:
    """Return the address ranges of snapshot_text and harness_text.  Raises
    Failure where one is missing, or there are two."""
    elf = read_elf(program)
    names = [name for name, _, _ in elf.headers]
    for name in (SECTION, HARNESS):
        if names.count(name) != 1 or not elf.sections[name]:
            raise Failure(f"{program}: not one section {name} that has code")
    return {name: elf.sections[name] for name in (SECTION, HARNESS)}


def code_of(program: Path) -> range:
    """Return the addresses that have code.  Raises Failure where that can be written to, or is
    not in one piece."""
    found = []
    for part in read_elf(program).segments:
        if part.rights & EXECUTE:
            found.append(part)
    code = found[0] if len(found) == 1 else None
    if code is None or code.rights & STORE:
        raise Failure(f"{program}: not one segment of code that cannot be written to")
    end = code.start + code.size
    return range(code.start, end)


def snapshot_of(program: Path) -> range:
    """Return the addresses of the snapshot."""
    return sections(program)[SECTION]


# What gcc and clang call for C: division, shifts and products of 64 bits, memory, bits, unwinding.
RUN_TIME = re.compile(
    r"__aeabi_(u?idiv(mod)?|u?ldivmod|lmul|ll?sl|llsr|lasr|u?lcmp|mem(cpy|move|set|clr)[48]?"
    r"|unwind_cpp_pr[012]|uread[48]|uwrite[48])"
    r"|mem(cpy|move|set|cmp)|__(clz|ctz|ffs|popcount|parity|bswap)[sd]i2|__u?(div|mod)(mod)?[sd]i[34]"
    r"|__(mul|neg|ashl|ashr|lshr|u?cmp)[sd]i[23]"
)


# ---- objdump ----

LABEL = re.compile(r"([0-9a-f]+) <(.*)>:$")
WORD = re.compile(r" *([0-9a-f]+):\t([0-9a-f]{8}) *\t(.*)$")
RELOCATION = re.compile(r"\t+[0-9a-f]+: (R_ARM_\w+)\t(\S+)$")


class Word(NamedTuple):
    """A word of code: its address, its value, objdump's text (mnemonic,
    tab, operands; a constant's begins with a dot), the symbol that it
    stands behind and that symbol's address; and the relocation of an
    object, kind and symbol."""

    address: int
    opcode: int
    text: str
    symbol: str
    start: int
    relocation: tuple[str, str] | None = None

    @property
    def target(self) -> int | None:
        """Return where a direct branch goes."""
        found = re.match(r"b\w*(?:\.\w)?\t([0-9a-f]+) <", self.text)
        return int(found[1], 16) if found else None


def words(path: Path) -> list[Word]:
    """Return the words of a program's or an object's snapshot_text, in their
    order.  Raises Failure and OSError."""
    found: list[Word] = []
    symbol = "?"
    start = 0
    printed = run([TOOL + "objdump", "-d", "-r", "-z", "-j", SECTION, path])
    for line in printed.splitlines():
        if label := LABEL.match(line):
            start = int(label[1], 16)
            symbol = label[2]
        elif word := WORD.match(line):
            address, opcode, text = word.groups()
            found.append(Word(int(address, 16), int(opcode, 16), text, symbol, start))
        elif relocation := RELOCATION.match(line):
            kind, name = relocation.groups()
            found[-1] = found[-1]._replace(relocation=(kind, name))
    return found


# ---- addr2line ----


class Line(NamedTuple):
    """Where an instruction comes from: a file of the snapshot's folder, its
    line, and the function there, which may be inlined; line 0 where the
    compiler made the instruction for no line, as clang does; ("", 0, "")
    where nothing of that folder is behind it."""

    file: str
    number: int
    function: str


def number(text: str) -> int:
    """Return the line that addr2line prints: a number, or `?` for none, which is 0."""
    return 0 if text == "?" else int(text)


def lines(program: Path, addresses: Iterable[int], folder: Path) -> dict[int, Line]:
    """Return by address the innermost line that stands in the snapshot's folder, a
    path from the root of the repository.  Code of the compiler's headers
    (arm_neon.h) is of the line that asks for it, a macro of mont.S of the
    line where it is used.  Raises Failure and OSError."""
    queries = "".join(f"{address:#x}\n" for address in addresses)
    answers = run([TOOL + "addr2line", "-a", "-f", "-i", "-e", program], input=queries)
    inside = re.compile(rf"(?:.*/)?{re.escape(folder.as_posix())}/([^/:]+):([0-9]+|\?)")
    found = {}
    for answer in re.split("(?m)^(?=0x)", answers)[1:]:
        # An address, then pairs of lines, function and file:line, from the innermost on.
        address, *pairs = answer.splitlines()
        line = Line("", 0, "")
        for function, file_and_line in zip(reversed(pairs[::2]), reversed(pairs[1::2])):
            if at := inside.match(file_and_line):
                line = Line(at[1], number(at[2]), function)
        found[int(address, 16)] = line
    return found


def functions(program: Path, addresses: Iterable[int], folder: Path) -> dict[int, str]:
    """Return by address the function of the sources in this folder, which may be inlined there;
    where no source is behind it, the symbol.  Raises Failure and OSError."""
    symbols = read_elf(program)
    return {
        address: line.function or symbols.function(address)
        for address, line in lines(program, addresses, folder).items()
    }
