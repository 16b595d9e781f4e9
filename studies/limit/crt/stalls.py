"""The stalls of a product of private_crt on cores that issue one instruction after the other.

A model, not a measurement: an instruction waits until its operands are ready, then occupies the
core for its cycles.  Both are of Arm's manuals, which give for each multiplication its cycles and
the latencies of its results.  A factor has to be ready a cycle early; what is added may be a cycle
late, where the manual says so.  Branches, caches and loads are not in a product.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from harness.elf import read_elf
from records.faults import Failure
from records.tables import aligned

LENGTH, REPEATED = 15, 4  # instructions of a product, products in to_the_16th
# The same instructions in the order of product first, then its reduction, then the bound.
BEFORE = (0, 1, 3, 7, 2, 4, 5, 9, 6, 8, 10, 11, 12, 13, 14)
MUL, MLA, UMAAL, UMULL, UMLAL = 0, 1, 2, 4, 5  # bits 21 to 23
FLAG, FIRST = 16, 0x0FE000F0  # the carry, as a register; the bits that say UMULL
Times = tuple[int, ...]  # cycles, then the latency of each result


class Core(NamedTuple):
    """Of a long and a short multiplication; whether RdHi may be late, as RdLo may."""

    name: str
    source: str
    long: Times
    short: Times
    late_high: bool


CORES = (
    Core("ARM1176", "DDI 0301H, table 16-10", (3, 4, 5), (2, 4), False),
    Core("Cortex-R5", "DDI 0460C, table B.9", (2, 3, 3), (2, 3), True),
)


def decoded(word: int, core: Core) -> tuple[Times, list[int], dict[int, int]]:
    """Times, registers that are written, and those that are read, each with
    the cycles that it has to be ready early.  Raises Failure."""
    a, b, c, d = (word >> place & 15 for place in (16, 12, 8, 0))
    form = word >> 21 & 7
    if word & 0x0F0000F0 == 0x90:
        early = {c: 1, d: 1}
        if form in (MUL, MLA):
            return core.short, [a], ({b: -1} if form == MLA else {}) | early
        added = {b: -1, a: -core.late_high} if form != UMULL else {}
        return core.long, [b, a], added | early
    if word & 0x0C000000 == 0 and word >> 21 & 15 in (4, 5):  # add, adc
        reads = {a: 0} | ({} if word >> 25 & 1 else {d: 0}) | ({FLAG: 0} if form == 5 else {})
        return (1, 1, 1), [b] + [FLAG] * (word >> 20 & 1), reads
    raise Failure(f"stalls.py: {word:08x} is no instruction of a product")


def cycles(words: Sequence[int], core: Core) -> int:
    """Up to the last instruction's end."""
    ready: dict[int, int] = {}
    now = 0
    for word in words:
        (busy, *latencies), written, read = decoded(word, core)
        now = max(now, *(ready.get(register, -1) + early for register, early in read.items()))
        ready |= {register: now + latency for register, latency in zip(written, latencies)}
        now += busy
    return now


def squares(program: Path) -> list[int]:
    """The instructions of to_the_16th: four products, one after the other."""
    elf = read_elf(program)
    section = elf.sections[".text"]
    data = elf.bytes_at(section.start, len(section))
    words = [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
    is_product = [w & FIRST == x & FIRST == 0x800090 for w, x in zip(words, words[1:])]
    for at in range(len(words) - REPEATED * LENGTH):
        if all(is_product[at : at + REPEATED * LENGTH : LENGTH]):
            return words[at : at + REPEATED * LENGTH]
    raise Failure("stalls.py: no chain of products")


def table(program: Path) -> str:
    """Cycles and stalls of a product in a chain of squares, before and after."""
    after = squares(program)
    before = [after[at + k] for at in range(0, len(after), LENGTH) for k in BEFORE]
    rows = [["core", "order", "cycles", "stalls", "source of the times"]]
    for core in CORES:
        busy = sum(decoded(word, core)[0][0] for word in after) / REPEATED
        for order, chain in (("product first", before), ("mixed", after)):
            spent = (cycles(chain * 3, core) - cycles(chain * 2, core)) / REPEATED
            rows.append([core.name, order, f"{spent:g}", f"{spent - busy:g}", core.source])
    return "\n".join(aligned(rows, (0, 1, 4)))
