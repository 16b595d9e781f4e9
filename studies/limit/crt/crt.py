"""private_crt checked, counted, looked at for leaks, by Unicorn; a product's stalls, by a model.

`python3 -m studies.limit.crt.crt PROGRAM` prints all of it; `--record` before PROGRAM
writes it into this folder, too.  Python's integers are the oracle.  A call is refused if its result
is wrong, if it changes a register that has to be preserved, or if it reads anything but its
operands and its own frame, or writes anything but z and its frame.

The model, not a measurement, is of cores that issue one instruction after the other: an instruction
waits until its operands are ready, then occupies the core for its cycles.  Both are of Arm's
manuals, which give for each multiplication its cycles and the latencies of its results.  A factor
has to be ready a cycle early; what is added may be a cycle late, where the manual says so.
Branches, caches and loads are not in a product.
"""

import random
import re
import sys
from collections.abc import Iterator, Sequence
from math import gcd
from pathlib import Path
from struct import pack
from typing import NamedTuple

from harness.unicorn import READ, STACK, TOP, WRITE, State, Traced
from records.commands import command
from records.faults import Failure, run
from records.settings import USUAL_TOOLCHAIN
from records.tables import Table, fitted, terminal_columns
from studies.limit.crt import recorded

WORD = 1 << 32
R = 1 << 64
Z = STACK + 0x100
C = STACK + 0x200
KEY = STACK + 0x300
FRAME_BYTES = 512  # that a call may use of the stack
# p and q at the edges; the first two are the largest primes below R.
EDGES = (
    (0xFFFFFFFFFFFFFFC5, 0xFFFFFFFFFFFFFFAD),
    (R - 1, R - 3),
    (R - 1, (1 << 63) - 1),
    ((1 << 63) + 3, (1 << 63) + 1),
    (R - 3, 3),
)
RANDOM_KEYS = 226  # with those at the edges 256


class Key(NamedTuple):
    """p and q are odd and have no divisor in common; q < p < R."""

    p: int
    q: int
    dp: int
    dq: int

    def words(self) -> bytes:
        """Return the key as crt.h has it."""
        data = b""
        for n, d in ((self.p, self.dp), (self.q, self.dq)):
            n0inv = pow(-n, -1, WORD)
            r_cubed = R**3 % n
            data += pack("<QIQQ", n, n0inv, r_cubed, d)
        q_inverse = pow(self.q, -1, self.p)
        return data + pack("<Q", q_inverse * R % self.p)

    def power(self, c: int) -> int:
        """Return what private_crt has to give, by Garner's recombination."""
        z_p = pow(c, self.dp, self.p)
        z_q = pow(c, self.dq, self.q)
        q_inverse = pow(self.q, -1, self.p)
        h = (z_p - z_q) * q_inverse % self.p
        return z_q + self.q * h


def keys(draw: random.Random, count: int) -> Iterator[Key]:
    """Yield pairs at the edges with exponents at the edges, then `count` random ones of full
    width."""
    for p, q in EDGES:
        for d in (0, 1, 15, 1 << 63, R - 1, draw.getrandbits(64)):
            yield Key(p, q, d, R - 1 - d)
    odd_of_full_width = 1 << 63 | 1
    while count:
        first = draw.getrandbits(64) | odd_of_full_width
        second = draw.getrandbits(64) | odd_of_full_width
        q, p = sorted((first, second))
        if gcd(q, p) == 1:
            count -= 1
            dp = draw.getrandbits(64)
            dq = draw.getrandbits(64)
            yield Key(p, q, dp, dq)


def messages(key: Key, draw: random.Random) -> list[int]:
    """Return messages at the edges of 0, p, q, R and p q, and random ones."""
    n = key.p * key.q
    found = []
    for edge in (0, key.p, key.q, n // R * R, n):
        found += [edge - 1, edge, edge + 1]
    multiple_of_p = key.p * draw.randrange(key.q)
    multiple_of_q = key.q * draw.randrange(key.p)
    found += [multiple_of_p, multiple_of_q, draw.randrange(n)]
    return [c for c in found if 0 <= c < n]


class Program(Traced):
    """private_crt in an engine, each call traced."""

    def call(self, key: Key, c: int, z: int = Z) -> State:
        """Return the trace of a right call.  Raises Failure."""
        uc = self.engine.uc
        words = key.words()
        uc.mem_write(C, c.to_bytes(16, "little"))
        uc.mem_write(KEY, words)
        allowed = [
            (z, z + 16, READ | WRITE),
            (C, C + 16, READ),
            (KEY, KEY + len(words), READ),
        ]
        numbers = " ".join(
            f"{name}={number:x}" for name, number in key._asdict().items()
        )
        operands = f"{numbers} c={c:x}"
        frame = TOP - FRAME_BYTES
        try:
            _, trace = self.guarded("private_crt", TOP, frame, allowed, z, C, KEY)
        except Failure as fault:
            raise Failure(f"{operands}: {fault}") from None
        found = int.from_bytes(uc.mem_read(z, 16), "little")
        right = key.power(c)
        if found != right:
            raise Failure(f"{operands}: {right:x} expected, got {found:x}")
        return trace


def check(program: Program, seed: int, count: int) -> list[State]:
    """Return the traces of calls that are right, as they are with z in the place of c.  Raises
    Failure."""
    draw = random.Random(seed)
    traces = []
    for key in keys(draw, count):
        for c in messages(key, draw):
            traces.append(program.call(key, c))
            program.call(key, c, z=C)
    return traces


# ---- stalls

LENGTH = 15  # instructions of a product
REPEATED = 4  # products in to_the_16th
# The same instructions in the order of product first, then its reduction, then the bound.
BEFORE = (0, 1, 3, 7, 2, 4, 5, 9, 6, 8, 10, 11, 12, 13, 14)


class Times(NamedTuple):
    """Cycles that an instruction occupies the core, and those until its results are ready."""

    busy: int
    low: int
    high: int = 0


class Core(NamedTuple):
    """Where its times were published, those of a long and of a short multiplication; whether the
    high half of what is added may be late, too."""

    name: str
    source: str
    long: Times
    short: Times
    late_high: bool


CORES = (
    Core("ARM1176", "DDI 0301H, table 16-10", Times(3, 4, 5), Times(2, 4), False),
    Core("Cortex-R5", "DDI 0460C, table B.9", Times(2, 3, 3), Times(2, 3), True),
)


class Instruction(NamedTuple):
    """Its times; when each register that it writes is ready; and how many cycles early each one
    that it reads has to be ready: 1 for a factor, -1 for what may be a cycle late."""

    busy: int
    written: dict[str, int]
    read: dict[str, int]


def decoded(line: str, core: Core) -> Instruction:
    """Return an instruction of a product.  Raises Failure."""
    name, *registers = re.findall(r"\b[a-z]\w*", line)
    if name in ("umull", "umlal", "umaal"):
        low, high, x, y = registers
        read = {x: 1, y: 1}
        if name != "umull":
            read = {low: -1, high: -1 if core.late_high else 0} | read
        return Instruction(
            core.long.busy, {low: core.long.low, high: core.long.high}, read
        )
    z, *operands = registers
    if name in ("mul", "mla"):
        x, y, *addend = operands
        read = dict.fromkeys(addend, -1) | {x: 1, y: 1}
        return Instruction(core.short.busy, {z: core.short.low}, read)
    if name not in ("add", "adds", "adc", "adcs"):
        raise Failure(f"{name} is no instruction of a product")
    written = {z: 1}
    read = dict.fromkeys(operands, 0)
    if name.startswith("adc"):
        read["carry"] = 0
    if name.endswith("s"):
        written["carry"] = 1
    return Instruction(1, written, read)


def cycles(lines: Sequence[str], core: Core) -> int:
    """Return the cycles up to the last instruction's end."""
    ready: dict[str, int] = {}
    now = 0
    for line in lines:
        instruction = decoded(line, core)
        for register, early in instruction.read.items():
            now = max(now, ready.get(register, -1) + early)
        for register, latency in instruction.written.items():
            ready[register] = now + latency
        now += instruction.busy
    return now


def squares(program: Path) -> list[str]:
    """Return the instructions of the products of to_the_16th.  Raises Failure."""
    objdump = [USUAL_TOOLCHAIN.prefix + "objdump", "--no-show-raw-insn"]
    code = run([*objdump, "-d", program])
    lines = re.findall(r":\t(.*)", code)
    starts = set()
    for at, pair in enumerate(zip(lines, lines[1:])):
        if all(line.startswith("umull") for line in pair):
            starts.add(at)
    for first in sorted(starts):
        if starts.issuperset(first + LENGTH * k for k in range(REPEATED)):
            return lines[first : first + REPEATED * LENGTH]
    raise Failure(f"{program}: no {REPEATED} products in a row")


def stalls(program: Path) -> list[list[str]]:
    """Return the rows of stalls.csv: cycles and stalls of a product in a chain of squares, before
    its order was changed and after.  Raises Failure."""
    mixed = squares(program)
    product_first = []
    for start in range(0, len(mixed), LENGTH):
        product_first += [mixed[start + k] for k in BEFORE]
    rows = [["core", "order", "cycles", "stalls", "source of the times"]]
    for core in CORES:
        busy = sum(decoded(line, core).busy for line in mixed) / REPEATED
        for order, lines in (("product first", product_first), ("mixed", mixed)):
            more = cycles(lines * 3, core) - cycles(lines * 2, core)
            spent = more / REPEATED
            stalled = spent - busy
            rows.append([core.name, order, f"{spent:g}", f"{stalled:g}", core.source])
    return rows


def main(path: Path, record: bool = False) -> int:
    """Check and count a program.  Return 1 where two keys have different traces.  Raises Failure."""
    seed = random.SystemRandom().getrandbits(32)
    traces = check(Program(path, 128), seed, RANDOM_KEYS)
    counts = sorted({trace.instructions for trace in traces})
    hashes = {trace.hash for trace in traces}
    rows = stalls(path)
    calls = 2 * len(traces)
    print(f"{calls} calls are right (seed {seed}), of 256 keys: {len(hashes)} trace")
    print(f"instructions from c to m: {' '.join(map(str, counts))}")
    head, *lines = rows
    print("\nA product, by model:")
    print("\n".join(fitted(Table(head, lines), terminal_columns())))
    if record and len(hashes) == 1:
        recorded.write(counts[0], rows)
    return 0 if len(hashes) == 1 else 1


if __name__ == "__main__":
    sys.exit(command("crt", main))
