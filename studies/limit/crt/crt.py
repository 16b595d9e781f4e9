"""private_crt checked, counted, and looked at for leaks, by Unicorn.

`PYTHONPATH=. python3 studies/limit/crt/crt.py PROGRAM` prints the instructions of a call, and the
stalls of a product by a model (stalls.py).  Python's integers are the oracle.  A call is refused if
its result is wrong, if it changes a register that has to be preserved, or if it writes anything but
z and its own frame.
"""

from __future__ import annotations

import ctypes
import hashlib
import random
import sys
from collections.abc import Iterator
from math import gcd
from pathlib import Path
from typing import NamedTuple

from harness.elf import read_elf
from harness.unicorn import HOOK_CODE, HOOK_MEMORY, R0, SP, STACK, TOP, Engine, load
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


class Program:
    """private_crt in an engine."""

    def __init__(self, path: Path) -> None:
        elf = read_elf(path)
        self.engine: Engine = load(elf)
        self.entry = elf.entry("private_crt")
        self.instructions, self.trace = 0, hashlib.sha256()
        self.seen = ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_void_p
        )(self._executed)
        self.touched = ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, ctypes.c_int, ctypes.c_int64,
            ctypes.c_void_p,
        )(self._accessed)  # fmt: skip

    def _executed(self, _engine: object, address: int, _size: int, _data: object) -> None:
        self.instructions += 1
        self.trace.update(address.to_bytes(4, "little"))

    def _accessed(
        self, _engine: object, kind: int, address: int, size: int, _value: int, _data: object
    ) -> None:
        self.trace.update(bytes([kind, size]) + address.to_bytes(4, "little"))

    def watch(self) -> None:
        """Counts and traces from now on."""
        self.engine.hook(HOOK_CODE, self.seen)
        self.engine.hook(HOOK_MEMORY, self.touched)
        self.engine.flush()

    def call(self, key: Key, c: int, z: int = Z) -> tuple[int, str]:
        """(instructions, trace) of a right call.  Raises Failure."""
        engine, before = self.engine, bytes(range(256)) * 8
        engine.write(STACK, before)
        engine.write(C, c.to_bytes(16, "little"))
        engine.write(KEY, key.words())
        whole = engine.read(STACK, TOP - DEEP - STACK)
        kept = PRESERVED | {D8 + i: 0x0123456789ABCDEF * (i + 1) % R for i in range(8)}
        for register, value in kept.items():
            engine.set(register, value)
        self.instructions, self.trace = 0, hashlib.sha256()
        engine.call(self.entry, TOP, z, C, KEY)
        after, at = engine.read(STACK, TOP - DEEP - STACK), z - STACK
        found = int.from_bytes(after[at : at + 16], "little")
        place = f"p={key.p:x} q={key.q:x} dp={key.dp:x} dq={key.dq:x} c={c:x}"
        if found != key.power(c):
            raise Failure(f"{place}: {key.power(c):x} expected, got {found:x}")
        if any(engine.get(register) != value for register, value in kept.items()):
            raise Failure(f"{place}: a register that has to be preserved is not")
        if engine.get(SP) != TOP or whole[:at] + after[at : at + 16] + whole[at + 16 :] != after:
            raise Failure(f"{place}: the stack pointer, or memory that is not z, has changed")
        return self.instructions, self.trace.hexdigest()


def check(program: Program, seed: int, count: int) -> int:
    """How many calls were right, z beside c and in its place.  Raises Failure."""
    draw, done = random.Random(seed), 0
    for key in keys(draw, count):
        for c in messages(key, draw):
            program.call(key, c)
            program.call(key, c, z=C)
            done += 2
    return done


def main() -> int:
    """Raises Failure."""
    path = Path(sys.argv[1])
    program = Program(path)
    seed = random.SystemRandom().getrandbits(32)
    right = check(program, seed, 100)
    program.watch()
    draw = random.Random(seed)
    calls = [program.call(key, draw.randrange(key.p * key.q)) for key in keys(draw, 226)]
    spent, traces = {n for n, _ in calls}, {trace for _, trace in calls}
    print(f"{right} calls are right (seed {seed}); {len(calls)} secrets: {len(traces)} trace")
    print(f"instructions from c to m: {' '.join(map(str, sorted(spent)))}")
    print(f"\nA product, by model:\n{stalls.table(path)}")
    return int(len(traces) != 1)


if __name__ == "__main__":
    sys.exit(command_line("crt", main))
