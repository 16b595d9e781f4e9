"""private_crt checked, counted, and looked at for leaks, by Unicorn.

`PYTHONPATH=. python3 studies/limit/crt/crt.py PROGRAM` prints the instructions of a call, and the
stalls of a product by a model (stalls.py).  Python's integers are the oracle.  A call is refused if
its result is wrong, if it changes a register that has to be preserved, or if it reads anything but
its operands and its own frame, or writes anything but z and its frame.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from math import gcd
from pathlib import Path
from typing import NamedTuple

from harness.traced import READ, WRITE, State, Traced
from harness.unicorn import R0, SP, STACK, TOP
from records.faults import Failure, command_line
from studies.limit.crt import stalls

WORD, R = 1 << 32, 1 << 64
Z, C, KEY = STACK + 0x100, STACK + 0x200, STACK + 0x300
DEEP = 512  # bytes that a call may use of the stack
PRESERVED = {R0 + i: 0x1010101 * i for i in range(4, 12)}
D8 = 22  # UC_ARM_REG_D8 of arm.h
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
        made = b""
        for n, d in ((self.p, self.dp), (self.q, self.dq)):
            made += n.to_bytes(8, "little") + (-pow(n, -1, WORD) % WORD).to_bytes(4, "little")
            made += (R**3 % n).to_bytes(8, "little") + d.to_bytes(8, "little")
        return made + (pow(self.q, -1, self.p) * R % self.p).to_bytes(8, "little")

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

    def __init__(self, path: Path) -> None:
        super().__init__(path, 128)

    def call(self, key: Key, c: int, z: int = Z) -> State:
        """The trace of a right call.  Raises Failure."""
        engine, words = self.engine, key.words()
        engine.write(C, c.to_bytes(16, "little"))
        engine.write(KEY, words)
        kept = PRESERVED | {D8 + i: 0x0123456789ABCDEF * (i + 1) % R for i in range(8)}
        for register, value in kept.items():
            engine.set(register, value)
        operands = (C, C + 16, READ), (KEY, KEY + len(words), READ)
        self.begin([(z, z + 16, READ | WRITE), *operands], TOP, TOP - DEEP)
        engine.call(self.elf.entry("private_crt"), TOP, z, C, KEY)
        trace, found = self.end(), int.from_bytes(engine.read(z, 16), "little")
        place = f"p={key.p:x} q={key.q:x} dp={key.dp:x} dq={key.dq:x} c={c:x}"
        if found != key.power(c):
            raise Failure(f"{place}: {key.power(c):x} expected, got {found:x}")
        if any(engine.get(register) != value for register, value in kept.items()):
            raise Failure(f"{place}: a register that has to be preserved is not")
        if engine.get(SP) != TOP or trace.astray:
            raise Failure(f"{place}: the stack pointer has changed, or what is not z")
        return trace


def check(program: Program, seed: int, count: int) -> int:
    """How many calls were right, z beside c and in its place.  Raises Failure."""
    draw, done = random.Random(seed), 0
    for key in keys(draw, count):
        for c in messages(key, draw):
            program.call(key, c)
            program.call(key, c, z=C)
            done += 2
    return done


def secrets(program: Program, seed: int) -> list[State]:
    """The traces of 256 keys, each with a message.  Raises Failure."""
    draw = random.Random(seed)
    return [program.call(key, draw.randrange(key.p * key.q)) for key in keys(draw, 226)]


def main() -> int:
    """Raises Failure."""
    path = Path(sys.argv[1])
    program = Program(path)
    seed = random.SystemRandom().getrandbits(32)
    right = check(program, seed, 100)
    traces = secrets(program, seed)
    spent = {trace.instructions for trace in traces}
    different = len({trace.hash for trace in traces})
    print(f"{right} calls are right (seed {seed}); {len(traces)} secrets: {different} trace")
    print(f"instructions from c to m: {' '.join(map(str, sorted(spent)))}")
    print(f"\nA product, by model:\n{stalls.table(path)}")
    return int(different != 1)


if __name__ == "__main__":
    sys.exit(command_line("crt", main))
