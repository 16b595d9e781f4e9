"""What the counters need to know of a static ARM program: sections, functions, what Linux loads."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from records.faults import Failure
from records.files import digest

BINDINGS = ("STB_GLOBAL", "STB_WEAK", "STB_LOCAL")  # of names for one address the first is better
FUNCTIONS = (
    "STT_FUNC",
    "STT_LOOS",
)  # STT_LOOS: one that returns the function to call, such as memcpy
DATA, ARM, THUMB = range(3)  # of names for one address the last is better
IRELATIVE = 160  # a relocation: the word's value is what the function that it points to returns


class Segment(NamedTuple):
    """A part of memory: first address, size in bytes, its beginning, which zeros follow, and what
    may be done there, some of "rwx"."""

    start: int
    size: int
    data: bytes
    rights: str


class Symbols(NamedTuple):
    """`functions`: (first address, first beyond, name), disjoint; `modes`: from an address on, is
    what stands there DATA, ARM or THUMB?"""

    functions: list[tuple[int, int, str]]
    modes: list[tuple[int, int]]


def rights(flags: int) -> str:
    """PF_X, PF_W and PF_R as letters."""
    return "".join(letter for bit, letter in ((4, "r"), (2, "w"), (1, "x")) if flags & bit)


class Elf:
    """A program.  `sections`: name -> address range; `segments`: what is loaded; `code`: the
    addresses of the segment that is executable."""

    def __init__(self, file: Any) -> None:
        self._file, self._lock = file, Lock()
        headers = list(file.iter_sections())
        self.sections = {h.name: range(h["sh_addr"], h["sh_addr"] + h["sh_size"]) for h in headers}
        self._ends = [h["sh_addr"] + h["sh_size"] if h["sh_flags"] & 4 else 0 for h in headers]
        self._code = [self.sections[h.name] for h in headers if h["sh_flags"] & 4]
        loaded = [s for s in file.iter_segments() if s["p_type"] == "PT_LOAD"]
        self.segments = [
            Segment(s["p_vaddr"], s["p_memsz"], s.data(), rights(s["p_flags"])) for s in loaded
        ]
        codes = [segment for segment in self.segments if "x" in segment.rights]
        self.code = range(codes[0].start, codes[0].start + codes[0].size) if codes else range(0)

    @property
    def late_bindings(self) -> list[tuple[int, int]]:
        """(address of a word, function that says its value): how a static program chooses its
        memcpy for the processor, before main."""
        table = self._file.get_section_by_name(".rel.dyn")
        relocations = table.iter_relocations() if table else ()
        places = [r["r_offset"] for r in relocations if r["r_info_type"] == IRELATIVE]
        return [(at, int.from_bytes(self.bytes_at(at, 4), "little")) for at in places]

    @cached_property
    def _symbols(self) -> Symbols:
        """Read only when asked for: a C library has thousands, which takes a tenth of a second."""
        candidates, modes = [], []
        with self._lock:
            table = self._file.get_section_by_name(".symtab")
            symbols = list(table.iter_symbols()) if table else []
        for symbol in symbols:
            section, start = symbol["st_shndx"], symbol["st_value"]
            if not isinstance(section, int) or not self._ends[section]:
                continue
            kind, binding = symbol["st_info"]["type"], symbol["st_info"]["bind"]
            if symbol.name[:2] in ("$a", "$t", "$d"):
                modes.append((start, "dat".index(symbol.name[1])))
            elif kind in FUNCTIONS or (kind == "STT_NOTYPE" and binding != "STB_LOCAL"):
                start &= ~1  # this bit says Thumb
                rank, size = BINDINGS.index(binding), symbol["st_size"]
                candidates.append((start, rank, -size, symbol.name, self._ends[section]))
        return Symbols(_intervals(sorted(candidates)), sorted(modes))

    @property
    def functions(self) -> list[tuple[int, int, str]]:
        """(first address, first beyond, name), disjoint and in order."""
        return self._symbols.functions

    def function(self, address: int) -> str:
        """The function that holds the address; ``?`` if none does."""
        i = bisect_right(self._symbols.functions, (address, 1 << 32, "")) - 1
        if i >= 0 and address < self._symbols.functions[i][1]:
            return self._symbols.functions[i][2]
        return "?"

    def mode(self, address: int) -> int:
        """What the last mapping symbol up to the address says; DATA where no code is."""
        i = bisect_right(self._symbols.modes, (address, THUMB)) - 1
        in_code = any(address in part for part in self._code)
        return self._symbols.modes[i][1] if i >= 0 and in_code else DATA

    def is_thumb(self, address: int) -> bool:
        """Whether the code there is Thumb."""
        return self.mode(address) == THUMB

    def entry(self, name: str) -> int:
        """The address to call a function at, bit 0 saying Thumb.  Raises Failure."""
        for start, _, function in self._symbols.functions:
            if function == name:
                return start | self.is_thumb(start)
        raise Failure(f"no function {name}")

    def bytes_at(self, address: int, size: int) -> bytes:
        """What the file holds for these addresses.  Raises Failure where it holds nothing."""
        for start, _, data, _ in self.segments:
            if start <= address and address + size <= start + len(data):
                return data[address - start : address - start + size]
        raise Failure(f"nothing at {address:#x}")


def _intervals(candidates: list[tuple[int, int, int, str, int]]) -> list[tuple[int, int, str]]:
    """Disjoint ranges.  Of names for one address the first counts; a label that has no size ends
    where the next symbol begins, and one inside a function that has a size is none."""
    found: list[tuple[int, int, str]] = []
    sized_end = 0
    for start, _, minus_size, name, section_end in candidates:
        if found and (start == found[-1][0] or start < sized_end):
            continue
        if found and found[-1][1] > start:
            found[-1] = found[-1][0], start, found[-1][2]
        sized_end = start - minus_size if minus_size else 0
        found.append((start, sized_end or section_end, name))
    return found


def why_unsupported() -> str:
    """Why no ELF file can be read here, or an empty string."""
    try:
        import elftools  # noqa: F401
    except ImportError:
        return "python3-pyelftools is not installed: make setup"
    return ""


def read_elf(path: str | Path) -> Elf:
    """A program; the last few are kept by their content.  Raises Failure and OSError."""
    return _read(Path(path), digest(Path(path)))


@lru_cache(maxsize=8)
def _read(path: Path, _content: str) -> Elf:
    if why_unsupported():
        raise Failure(why_unsupported())
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        return Elf(ELFFile(BytesIO(path.read_bytes())))
    except (ELFError, IndexError, ValueError) as fault:
        raise Failure(f"{path}: not a program that can be read: {fault}") from None
