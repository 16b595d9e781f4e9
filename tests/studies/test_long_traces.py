"""studies/width-1024: no branch and no address depends on a secret; the
stack can be walked."""

import random
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import unwind
from long_program import Bench
from needs import needs
from representatives import mostly_long

from harness.elf import read_elf, words
from harness.unicorn import DEPTH, HOOK_CODE, STACK, TOP, TRAP, Traced

METHODS = import_module("studies.width-1024.vectors").METHODS
pytestmark = [
    needs("arm-linux-gnueabihf-gcc", "cc", "python:elftools", "python:unicorn"),
    pytest.mark.slow,
]
SECRETS = 64
Z, X, Y, M = (STACK + i * 0x400 for i in range(4))
ENTRY = TOP - 64  # the stack pointer of a call; arguments beyond the fourth are there
KERNELS = ("multiply", "square", "reduce", "reduce_lazily")
LINEAR = ("add", "subtract", "subtract_masked", "choose")
P, Q = 2**128 - 159, 2**128 - 173  # primes
Memory = dict[int, bytes]


def limbs(x: int, k: int) -> bytes:
    return x.to_bytes(4 * k, "little")


def modulus(n: int, k: int) -> bytes:
    """`struct modulus` of nat.h, with squares computed as such."""
    n0inv, rr = -pow(n, -1, 1 << 32) % (1 << 32), pow(2, 64 * k, n)
    words = b"".join(limbs(word, 1) for word in (k, n0inv, 0, 1))
    return words + limbs(n, 64) + limbs(rr, 64)


class Calls(Traced):
    """A program of which any function can be called."""

    def call(self, function: str, memory: Memory, *arguments: int) -> int:
        """One call's hash: of the addresses of its instructions and of its
        accesses."""
        self.begin([], TOP, TOP - DEPTH)
        for address, data in memory.items():
            self.engine.uc.mem_write(address, data)
        self.engine.uc.mem_write(
            ENTRY, b"".join(limbs(word, 1) for word in arguments[4:])
        )
        self.engine.call(self.elf.entry(function), ENTRY, *arguments[:4])
        return int(self.state.hash)


def secrets(k: int, count: int = SECRETS) -> list[int]:
    """0, 1, all ones, single bits, numbers of zero limbs and ones, and
    random ones."""
    draw, bits = random.Random(k), 32 * k
    made = [0, 1, (1 << bits) - 1]
    for i in range(count - 3):
        few = sum(draw.choice((0, 1, 2**32 - 1)) << 32 * j for j in range(k))
        made.append((1 << draw.randrange(bits), few, draw.getrandbits(bits))[i % 3])
    return made


def pairs(k: int, count: int = SECRETS) -> Iterator[tuple[int, int]]:
    """Two secrets of k limbs at a time."""
    return zip(secrets(k, count), reversed(secrets(k, count)))


def kernel_call(
    function: str, k: int, x: int, y: int
) -> tuple[Memory, tuple[int, ...]]:
    """What is in memory, and the arguments, for an operation on two
    secrets of k limbs."""
    n = (1 << 32 * k) - 1
    memory = {X: limbs(x, k), Y: limbs(y, k), M: limbs(n, k)}
    if function == "multiply":
        return memory, (Z, X, Y, k)
    if function == "square":
        return memory, (Z, X, k)
    if function == "choose":
        return {X: limbs(x, k) * 64}, (Z, X, 64, y % 64, k)
    if function in LINEAR:
        return memory, (Z, X, Y, k, x % 2 * 0xFFFFFFFF)
    return {X: limbs(x % n << 32 * k | y, 2 * k), M: limbs(n, k)}, (Z, X, M, 1, k)


def power_call(method: str, k: int, e: int) -> tuple[Memory, tuple[int, ...]]:
    """A power with a secret exponent."""
    n = (1 << 32 * k) - 159
    memory = {X: limbs(n // 3, k), Y: limbs(e, k), M: modulus(n, k)}
    return memory, (Z, X, Y, 32 * k, M, METHODS.index(method), 0)


def private_call(method: str, dp: int, dq: int) -> tuple[Memory, tuple[int, ...]]:
    """A private operation with secret exponents, whose result does not
    verify."""
    key = modulus(P * Q, 8) + modulus(P, 4) + modulus(Q, 4)
    key += (
        limbs(dp, 32)
        + limbs(dq, 32)
        + limbs((pow(Q, -1, P) << 128) % P, 32)
        + limbs(65537, 2)
    )
    return {X: limbs(P * Q // 3, 8), M: key}, (Z, X, M, METHODS.index(method), 0)


@pytest.fixture(
    scope="module", params=["O3", pytest.param("O1", marks=pytest.mark.long)]
)
def bench(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Bench:
    return Bench(tmp_path_factory.mktemp("traces"), request.param)


def traces(program: Path, hooks: Path, function: str, k: int) -> set[int]:
    """The different traces of a function of limbs over SECRETS secrets."""
    calls = Calls(program, 32, hooks)
    made = (kernel_call(function, k, x, y) for x, y in pairs(k))
    return {calls.call(function, memory, *arguments) for memory, arguments in made}


def powers(program: Path, hooks: Path, method: str) -> tuple[int, int]:
    """How many traces powers and private operations have by a method."""
    calls = Calls(program, 32, hooks)
    made = (power_call(method, 4, e) for e in secrets(4))
    of_powers = {calls.call("mod_exp", memory, *of) for memory, of in made}
    made = (private_call(method, dp, dq) for dp, dq in pairs(4, 16))
    return len(of_powers), len(
        {calls.call("private_crt", memory, *of) for memory, of in made}
    )


@pytest.mark.parametrize("kind", mostly_long(["assembly", "plain"], ["assembly"]))
def test_only_powers_by_sliding_windows_do_what_depends_on_secrets(
    bench, hooks, kind
) -> None:
    program = bench.program(kind)
    for function in (*KERNELS, *LINEAR):
        for k in (5, 32, 64):
            assert len(traces(program, hooks, function, k)) == 1, (function, k)
    assert powers(program, hooks, "fixed") == (1, 1)
    assert all(
        min(powers(program, hooks, method)) > 1 for method in ("binary", "sliding")
    )


PLANTS = [
    ("multiply", "assembly/multiply.S", "        str     r2, [sp, #32]\n",
     "        str     r2, [sp, #32]\n        tst     y0, #1\n        bne     9f\n"
     "        nop\n9:\n"),
    ("choose", "assembly/choose.S", "        stm     r4!, {r2",
     "        ldr     r6, [r1, -r2, lsr #24]\n        stm     r4!, {r2"),
    ("reduce", "assembly/reduce.S", "        mvn     r12, r12\n",
     "        mvns    r12, r12\n        bne     8f\n        nop\n8:\n"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "file", "old", "new"), mostly_long(PLANTS, PLANTS[:2])
)
def test_a_planted_leak_shows(bench, hooks, tmp_path, function, file, old, new) -> None:
    program = bench.planted(file, old, new, tmp_path)
    assert len(traces(program, hooks, function, 4)) > 1


def test_an_index_into_the_table_shows(
    bench: Bench, hooks: Path, tmp_path: Path
) -> None:
    old = "choose(factor, table, count, bits_of(e, bits, i, w), k);"
    new = "copy(factor, table + bits_of(e, bits, i, w), k);"
    assert (
        powers(bench.planted("exponent.c", old, new, tmp_path), hooks, "fixed")[0] > 1
    )


def walk(program: Path, hooks: Path) -> tuple[set[int], set[int]]:
    """Instructions of the assembly that were executed, and those from which
    the stack cannot be walked."""
    seen: set[int] = set()
    calls = Calls(program, 32, hooks)
    calls.engine.uc.hook_add(
        HOOK_CODE, lambda _uc, address, _size, _data: seen.add(address)
    )

    def call() -> None:
        for function in (*KERNELS, *LINEAR):
            for k in (5, 56, 60, 64):
                data, arguments = kernel_call(function, k, 3, 5)
                calls.call(function, data, *arguments)

    return seen, set(unwind.lost(program, calls.engine, ENTRY, TRAP, call))


def test_the_stack_can_be_walked_at_each_instruction(
    bench: Bench, hooks: Path, tmp_path
) -> None:
    """All of the assembly is executed; a wrong frame is seen."""
    program = bench.program()
    seen, lost = walk(program, hooks)
    elf, code = (
        read_elf(program),
        [w for w in words(program) if not w.text.startswith(".")],
    )
    ours = {w.address for w in code if elf.function(w.address) in (*KERNELS, *LINEAR)}
    assert lost == set() and not ours - seen
    old = "        .cfi_rel_offset r9, 20\n"
    spoilt = bench.planted(
        "assembly/columns.inc", old, old.replace("20", "24"), tmp_path
    )
    assert walk(spoilt, hooks)[1]
