"""private_crt checked, counted, looked at for leaks, by Unicorn; a product's stalls, by a model.

`PYTHONPATH=. python3 studies/limit/crt/crt.py PROGRAM` prints all of it.  Python's integers are the
oracle.  A call is refused if its result is wrong, if it changes a register that has to be
preserved, or if it reads anything but its operands and its own frame, or writes anything but z and
its frame.

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

from harness.unicorn import R0, READ, SP, STACK, TOP, WRITE, State, Traced
from records.commands import command
from records.faults import Failure, run
from records.tables import aligned

WORD, R = 1 << 32, 1 << 64
Z, C, KEY = STACK + 0x100, STACK + 0x200, STACK + 0x300
DEEP = 512  # bytes that a call may use of the stack
D8 = 22  # UC_ARM_REG_D8 of arm.h
PRESERVED = {R0 + i: 0x1010101 * i for i in range(4, 12)}
PRESERVED |= {D8 + i: 0x0123456789ABCDEF * (i + 1) % R for i in range(8)}
PRIMES = 0xFFFFFFFFFFFFFFC5, 0xFFFFFFFFFFFFFFAD  # the largest below R
ODD = ((R - 1, R - 3), (R - 1, (1 << 63) - 1), ((1 << 63) + 3, (1 << 63) + 1), (R - 3, 3))


class Key(NamedTuple):
    """p and q are odd and have no divisor in common; q < p < R."""

    p: int
    q: int
    dp: int
    dq: int

    def words(self) -> bytes:
        """As crt.h has it."""
        primes = (self.p, self.dp), (self.q, self.dq)
        made = [pack("<QIQQ", n, -pow(n, -1, WORD) % WORD, R**3 % n, d) for n, d in primes]
        return b"".join(made) + pack("<Q", pow(self.q, -1, self.p) * R % self.p)

    def power(self, c: int) -> int:
        """What private_crt has to give."""
        zp, zq = pow(c, self.dp, self.p), pow(c, self.dq, self.q)
        return zq + self.q * ((zp - zq) * pow(self.q, -1, self.p) % self.p)


def keys(draw: random.Random, count: int) -> Iterator[Key]:
    """Pairs at the edges with exponents at the edges, then `count` random ones of full width."""
    for p, q in (PRIMES, *ODD):
        for d in (0, 1, 15, 1 << 63, R - 1, draw.getrandbits(64)):
            yield Key(p, q, d, R - 1 - d)
    while count:
        q, p = sorted(draw.getrandbits(64) | 1 << 63 | 1 for _ in range(2))
        if gcd(q, p) == 1:
            count -= 1
            yield Key(p, q, draw.getrandbits(64), draw.getrandbits(64))


def messages(key: Key, draw: random.Random) -> list[int]:
    """At the edges of 0, p, q, R and p q, and random ones."""
    n = key.p * key.q
    near = [at + k for at in (0, key.p, key.q, n // R * R, n) for k in (-1, 0, 1)]
    multiples = [key.p * draw.randrange(key.q), key.q * draw.randrange(key.p)]
    return [c for c in (*near, *multiples, draw.randrange(n)) if 0 <= c < n]


class Program(Traced):
    """private_crt in an engine, each call traced."""

    def call(self, key: Key, c: int, z: int = Z) -> State:
        """The trace of a right call.  Raises Failure."""
        uc, words = self.engine.uc, key.words()
        uc.mem_write(C, c.to_bytes(16, "little"))
        uc.mem_write(KEY, words)
        for register, value in PRESERVED.items():
            uc.reg_write(register, value)
        operands = (C, C + 16, READ), (KEY, KEY + len(words), READ)
        self.begin([(z, z + 16, READ | WRITE), *operands], TOP, TOP - DEEP)
        self.engine.call(self.elf.entry("private_crt"), TOP, z, C, KEY)
        trace, found = self.end(), int.from_bytes(uc.mem_read(z, 16), "little")
        place = f"p={key.p:x} q={key.q:x} dp={key.dp:x} dq={key.dq:x} c={c:x}"
        if found != key.power(c):
            raise Failure(f"{place}: {key.power(c):x} expected, got {found:x}")
        if any(uc.reg_read(register) != value for register, value in PRESERVED.items()):
            raise Failure(f"{place}: a register that has to be preserved is not")
        if uc.reg_read(SP) != TOP or trace.astray:
            raise Failure(f"{place}: the stack pointer has changed, or what is not z")
        return trace


def check(program: Program, seed: int, count: int) -> list[State]:
    """The traces of calls that are right, as they are with z in the place of c.  Raises Failure."""
    draw, traces = random.Random(seed), []
    for key in keys(draw, count):
        for c in messages(key, draw):
            traces.append(program.call(key, c))
            program.call(key, c, z=C)
    return traces


# ---- stalls

LENGTH, REPEATED = 15, 4  # instructions of a product, products in to_the_16th
# The same instructions in the order of product first, then its reduction, then the bound.
BEFORE = (0, 1, 3, 7, 2, 4, 5, 9, 6, 8, 10, 11, 12, 13, 14)
Times = tuple[int, ...]  # cycles, then the latency of each result


# Name, source of the times, those of a long and of a short multiplication; whether RdHi, too, may
# be late.
Core = tuple[str, str, Times, Times, bool]
CORES: tuple[Core, ...] = (
    ("ARM1176", "DDI 0301H, table 16-10", (3, 4, 5), (2, 4), False),
    ("Cortex-R5", "DDI 0460C, table B.9", (2, 3, 3), (2, 3), True),
)


def decoded(line: str, core: Core) -> tuple[Times, list[str], dict[str, int]]:
    """Times, registers that are written, and those that are read, each with
    the cycles that it has to be ready early.  Raises Failure."""
    name, *registers = re.findall(r"\b[a-z]\w*", line)
    *_, long, short, late_high = core
    if name in ("umull", "umlal", "umaal"):
        low, high, x, y = registers
        added = {low: -1, high: -late_high} if name != "umull" else {}
        return long, [low, high], added | {x: 1, y: 1}
    z, *read = registers
    if name in ("mul", "mla"):
        return short, [z], dict.fromkeys(read[2:], -1) | dict.fromkeys(read[:2], 1)
    if name in ("add", "adds", "adc", "adcs"):
        read += ["carry"] * name.startswith("adc")
        return (1, 1, 1), [z] + ["carry"] * name.endswith("s"), dict.fromkeys(read, 0)
    raise Failure(f"{name} is no instruction of a product")


def cycles(lines: Sequence[str], core: Core) -> int:
    """Up to the last instruction's end."""
    ready: dict[str, int] = {}
    now = 0
    for line in lines:
        (busy, *latencies), written, read = decoded(line, core)
        now = max(now, *(ready.get(register, -1) + early for register, early in read.items()))
        ready |= {register: now + latency for register, latency in zip(written, latencies)}
        now += busy
    return now


def stalls(program: Path) -> str:
    """Cycles and stalls of a product in a chain of squares, before and after.  Raises Failure."""
    code = run(["arm-linux-gnueabihf-objdump", "-d", "--no-show-raw-insn", program])
    lines = re.findall(r":\t(.*)", code)
    pairs = enumerate(zip(lines, lines[1:]))
    products = [at for at, (a, b) in pairs if a[:5] == b[:5] == "umull"]
    first = next(at for at in products if all(at + LENGTH * k in products for k in range(REPEATED)))
    after = lines[first : first + REPEATED * LENGTH]
    before = [after[at + k] for at in range(0, len(after), LENGTH) for k in BEFORE]
    rows = [["core", "order", "cycles", "stalls", "source of the times"]]
    for core in CORES:
        busy = sum(decoded(line, core)[0][0] for line in after) / REPEATED
        for order, lines in (("product first", before), ("mixed", after)):
            spent = (cycles(lines * 3, core) - cycles(lines * 2, core)) / REPEATED
            rows.append([core[0], order, f"{spent:g}", f"{spent - busy:g}", core[1]])
    return "\n".join(aligned(rows, (0, 1, 4)))


def main(path: Path) -> int:
    """Checks and counts a program.  Raises Failure."""
    seed = random.SystemRandom().getrandbits(32)
    traces = check(Program(path, 128), seed, 226)
    spent, hashes = ({getattr(t, name) for t in traces} for name in ("instructions", "hash"))
    print(f"{2 * len(traces)} calls are right (seed {seed}), of 256 keys: {len(hashes)} trace")
    print(f"instructions from c to m: {' '.join(map(str, sorted(spent)))}")
    print(f"\nA product, by model:\n{stalls(path)}")
    return int(len(hashes) != 1)


if __name__ == "__main__":
    sys.exit(command("crt", main))
