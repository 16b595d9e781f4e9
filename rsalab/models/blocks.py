"""Basic blocks of a measured program, from how often each of its instructions was executed.

A block is a run of neighbouring instructions that were executed equally often and of which only
the last may branch.  Neighbours that a branch could part, but that were executed equally often,
are one block: that changes nothing in what is executed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from harness import counts
from records.faults import Failure

Block = tuple[int, ...]  # opcodes of A32, in order


def blocks(rows: Iterable[counts.Row]) -> Counter[Block]:
    """Executions of each block of A32 code.  Raises Failure at Thumb code, which has none of
    the opcodes that a block is written in."""
    found: Counter[Block] = Counter()
    block: list[int] = []
    previous = None
    for row in sorted(rows, key=lambda row: row.address):
        if row.cls == "thumb":
            raise Failure(f"Thumb code at {row.address:#x}: no blocks of it")
        if previous and not _same_block(previous, row):
            found[tuple(block)] += previous.executions
            block = []
        if row.executions:
            block.append(row.opcode)
        previous = row if row.executions else None
    if previous:
        found[tuple(block)] += previous.executions
    return found


def _same_block(row: counts.Row, following: counts.Row) -> bool:
    """Whether control passes from one instruction to the other every time."""
    return (
        following.address == row.address + row.size
        and following.executions == row.executions
        and "b" not in row.does
    )


def of_run(raw: Path, program: Path) -> Counter[Block]:
    """Blocks of a run whose counter file was kept.  Raises Failure, OSError."""
    return blocks(counts.read_rows(raw, program))
