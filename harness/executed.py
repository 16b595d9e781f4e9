"""What a counter has written of a program: how often each instruction was executed in its calls.

What is kept of a run is this, and nothing that is worked out from it (counts.py).

A program is a statically linked ELF file whose snapshot stands in section
``snapshot_text`` and whose harness stands in ``harness_text``.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness.elf import read_elf, snapshot_of
from records.faults import Failure


class Instruction(NamedTuple):
    """One instruction of the program, as often as it was executed inside.

    A counter's file has all but the last two; what is kept has these, too.
    """

    address: int
    size: int  # bytes
    opcode: int  # Thumb too: the bytes as a little-endian number
    cls: str  # a class of plugin/a32.h, or `thumb`
    does: str  # of l, s, b: loads, stores, branches; whether its condition holds or not
    executions: int
    taken: int  # branches of A32 only
    load_accesses: int
    store_accesses: int
    mispredicted: int = 0  # branches of the snapshot only; simulated
    symbol: str = ""  # the function that it stands in, `?` outside every function
    offset: str = ""  # in the snapshot's section, as 0x01c8; empty outside


def parse(lines: Iterable[str]) -> Iterator[Instruction]:
    """Yield the instruction of each line.  Raises ValueError for a line that is not whole."""
    for line in lines:
        address, size, opcode, cls, does, executions, taken, *more = line.split("\t")
        loads, stores, mispredicted, *symbol_and_offset = more
        yield Instruction(
            int(address, 16),
            int(size),
            int(opcode, 16),
            cls,
            does,
            int(executions),
            int(taken),
            int(loads),
            int(stores),
            int(mispredicted),
            *symbol_and_offset,
        )


def as_lines(instructions: Iterable[Instruction]) -> str:
    """Return the text that is kept of instructions, a line for each, as `parse` reads it."""
    lines = []
    for address, size, opcode, *rest in instructions:
        fields = [f"{address:#010x}", size, f"{opcode:#x}", *rest]
        lines.append("\t".join(map(str, fields)))
    return "\n".join(lines)


def read_raw(path: Path) -> tuple[list[Instruction], int]:
    """Return what a counter wrote, as it is, and of how many calls.  Raises Failure where that is
    missing or damaged."""
    try:
        _, *lines, last, end = path.read_text(encoding="ascii").split("\n")
        word, *calls = last.split("\t")
        if end or word != "calls":
            raise ValueError("no last line")
        return list(parse(lines)), len(calls)
    except (OSError, ValueError):
        why = "missing or cut short; remove build/ and measure again"
        raise Failure(f"{path}: {why}") from None


def read_counts(path: Path, program: Path, calls: int = 0) -> list[Instruction]:
    """Return what a counter wrote for this program, each instruction with
    its symbol and offset.  `calls` is the number that the driver made, if that is known.

    The counter takes a block of Thumb code without any 2-byte or unaligned
    instruction for A32; the linker's $a and $t say what it is.  Thumb code
    loads (stores) if it ever made an access.  In the snapshot, where memory
    is counted by class, no Thumb code is accepted.  Raises Failure.
    """
    elf = read_elf(program)
    snapshot = snapshot_of(program)
    found = []
    rows, counted = read_raw(path)
    if calls and counted != calls:
        raise Failure(f"{program}: {counted} calls counted of {calls} that were made")
    for one in rows:
        what = f"{one.opcode:#x} at {one.address:#x}"
        inside = one.address in snapshot
        if elf.is_thumb(one.address):
            if inside:
                raise Failure(
                    f"{program}: Thumb code in the snapshot, {what}; it needs -marm"
                )
            loads = "l" if one.load_accesses else ""
            stores = "s" if one.store_accesses else ""
            one = one._replace(cls="thumb", does=loads + stores, taken=0)
        loads_unlike = one.load_accesses and "l" not in one.does
        stores_unlike = one.store_accesses and "s" not in one.does
        if loads_unlike or stores_unlike:
            raise Failure(f"{program}: {what} is no {one.cls}: it uses memory")
        offset = f"{one.address - snapshot.start:#06x}" if inside else ""
        found.append(one._replace(symbol=elf.function(one.address), offset=offset))
    return found
