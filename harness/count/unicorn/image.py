"""A static ARM program as it stands in memory before it runs: segments and entry points."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from harness.count.elf import Elf

LOAD, EXECUTE = 1, 1  # p_type, a bit of p_flags
IRELATIVE = 160  # a relocation: the word's value is what the function that it points to returns


class Image(Elf):
    """``segments``: (first address, size in memory, bytes of the file) of each that is loaded;
    ``code``: the addresses of the one that is executable."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        data = Path(path).read_bytes()
        (table,) = struct.unpack_from("<I", data, 28)
        size, n = struct.unpack_from("<2H", data, 42)
        self.segments: list[tuple[int, int, bytes]] = []
        self.code = range(0)
        for i in range(n):
            kind, offset, address, _, length, memory, flags, _ = struct.unpack_from(
                "<8I", data, table + i * size
            )
            if kind == LOAD:
                self.segments.append((address, memory, data[offset : offset + length]))
            if kind == LOAD and flags & EXECUTE:
                self.code = range(address, address + memory)

    def entry(self, name: str) -> int:
        """The address of a function.  Raises ValueError."""
        for start, _, function in self._functions:
            if function == name:
                return start | self.is_thumb(start)
        raise ValueError(f"no function {name}")

    def bytes_at(self, address: int, size: int) -> bytes:
        """What the file holds for these addresses.  Raises ValueError where it holds nothing."""
        for start, _, data in self.segments:
            if start <= address and address + size <= start + len(data):
                return data[address - start : address - start + size]
        raise ValueError(f"nothing at {address:#x}")

    def late_bindings(self) -> Iterator[tuple[int, int]]:
        """(address of a word, function that says its value): how a static program chooses its
        memcpy for the processor, before main."""
        table = self.sections.get(".rel.dyn", range(0))
        for address in range(table.start, table.stop, 8):
            place, info = struct.unpack("<2I", self.bytes_at(address, 8))
            if info & 255 == IRELATIVE:
                (function,) = struct.unpack("<I", self.bytes_at(place, 4))
                yield place, function
