"""What the counter needs to know of a 32-bit little-endian ELF program: sections and symbols."""

from __future__ import annotations

import struct
from bisect import bisect_right
from pathlib import Path

SYMTAB, EXECUTABLE = 2, 4  # sh_type, a bit of sh_flags
NOTYPE, FUNC, IFUNC = 0, 2, 10  # type of a symbol
BINDING = {1: 0, 2: 1, 0: 2}  # global, weak, local: which of two names for one address is better


class Elf:
    """``sections``: name -> address range.  ``function`` and ``is_thumb`` tell about an address."""

    def __init__(self, path: str | Path) -> None:
        data = Path(path).read_bytes()
        if data[:6] != b"\x7fELF\x01\x01":
            raise ValueError(f"{path}: not a 32-bit little-endian ELF program")
        (table,) = struct.unpack_from("<I", data, 32)
        size, n, names = struct.unpack_from("<3H", data, 46)
        headers = [struct.unpack_from("<10I", data, table + i * size) for i in range(n)]
        self.sections: dict[str, range] = {}
        for name, _, _, address, _, length, *_ in headers:
            text = _string(data, headers[names][4] + name)
            self.sections[text] = range(address, address + length)
        self._ends = [h[3] + h[5] if h[2] & EXECUTABLE else 0 for h in headers]
        self._functions: list[tuple[int, int, str]] = []  # first address, first beyond, name
        self._modes: list[tuple[int, bool]] = []  # from this address on: Thumb?
        for header in headers:
            if header[1] == SYMTAB:
                self._read_symbols(data, header, headers[header[6]][4])

    def _read_symbols(self, data: bytes, header: tuple[int, ...], strings: int) -> None:
        candidates = []
        for offset in range(header[4], header[4] + header[5], 16):
            name, value, size, info, _, section = struct.unpack_from("<3I2BH", data, offset)
            if section >= len(self._ends) or not self._ends[section]:
                continue
            text, kind, binding = _string(data, strings + name), info & 15, info >> 4
            if text[:2] in ("$a", "$t", "$d"):
                self._modes.append((value, text[:2] == "$t"))
            elif kind in (FUNC, IFUNC) or (kind == NOTYPE and binding != 0):
                start = value & ~1  # bit 0 says Thumb
                candidates.append((start, BINDING.get(binding, 1), -size, text, section))
        self._modes.sort()
        self._functions = self._intervals(sorted(candidates))

    def _intervals(self, candidates: list) -> list[tuple[int, int, str]]:
        """Disjoint ranges.  Of names for one address the first counts; a label that has no size
        ends where the next symbol begins, and one inside a function that has a size is none."""
        found: list[tuple[int, int, str]] = []
        sized_end = 0
        for start, _, minus_size, name, section in candidates:
            if found and (start == found[-1][0] or start < sized_end):
                continue
            if found and found[-1][1] > start:
                found[-1] = found[-1][0], start, found[-1][2]
            sized_end = start - minus_size if minus_size else 0
            found.append((start, sized_end or self._ends[section], name))
        return found

    def function(self, address: int) -> str:
        """The function that holds the address; ``?`` if none does."""
        i = bisect_right(self._functions, (address, 1 << 32, "")) - 1
        if i >= 0 and address < self._functions[i][1]:
            return self._functions[i][2]
        return "?"

    def is_thumb(self, address: int) -> bool:
        """Whether the last mapping symbol up to the address says Thumb."""
        i = bisect_right(self._modes, (address, True)) - 1
        return i >= 0 and self._modes[i][1]


def _string(data: bytes, offset: int) -> str:
    return data[offset : data.index(b"\0", offset)].decode("utf-8", "replace")
