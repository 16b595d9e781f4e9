"""The interpreter of the live page against Unicorn: drawn instructions in drawn
states, and the same registers, flags, memory and end after each."""

import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from gnu_as import drawn, linked, refused
from live_machine import (
    CODE,
    LIMIT,
    LOWEST,
    SIZE,
    SOURCE,
    THUMB,
    UNALIGNED,
    UNDEFINED,
    WILD,
    WILD_JUMP,
    WILD_LOAD,
    WILD_STORE,
    Interpreter,
    State,
    Unicorn,
    compiled,
)
from needs import needs

pytestmark = needs("arm-linux-gnueabihf-as", "gcc")
# A jump may go to Thumb code, which is not known here; data is no instruction.
NOT_RUN = re.compile(r"\s*(?:bx|blx|b|bl|ldr\S* \S+, =|adr|svc|\.|udf|bkpt|vst3|vld3)")
CORNERS = [0, 1, 0x1F, 0x20, 0x21, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


@cache
def words_of(seed: int, count: int) -> list[int]:
    """Return drawn instructions as GNU as encodes them."""
    folder = Path(tempfile.mkdtemp())
    lines = [line for line in drawn(seed, count) if not NOT_RUN.match(line)]
    while wrong := refused(folder, "\n".join(lines) + "\n"):
        lines = [line for number, line in enumerate(lines, 1) if number not in wrong]
    code, _ = linked(folder, "\n".join(lines) + "\n")
    words = [
        int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code) - 3, 4)
    ]
    return list(
        dict.fromkeys(word for word in words if word >> 28)
    )  # 0000: a label's data


def state(random: Random, word: int, memory: bytes) -> State:
    """Return registers of which many are addresses, and the instruction at CODE."""
    core = []
    for _ in range(15):
        kind = random.random()
        value = random.getrandbits(32)
        if kind < 0.2:
            value = random.choice(CORNERS)
        elif kind < 0.75:
            value = random.randrange(0x20000, 0x80000, 8)
        core.append(value)
    at = CODE - LOWEST
    whole = memory[:at] + word.to_bytes(4, "little") + memory[at + 4 :]
    doubles = [random.choice([random.getrandbits(64), 0, 1 << 63]) for _ in range(32)]
    return State(core, random.randrange(16), doubles, whole)


def differences(folder: Path, seed: int, count: int, text: str = "") -> Iterator[str]:
    """Yield the instructions after which the interpreter is in another state than Unicorn."""
    random = Random(seed)
    ours = Interpreter(compiled(folder, text))
    oracle = Unicorn()
    memory = random.randbytes(SIZE - LOWEST)
    words = words_of(seed, count)
    assert len(words) > 0.6 * count
    for word in words:
        before = state(random, word, memory)
        own = ours.step(before)
        other = oracle.step(before)
        ends = WILD | {THUMB, UNDEFINED}
        both_end = own[0] in ends and other[0] in ends
        if (
            own[0] == UNALIGNED
        ):  # Unicorn takes several words from any address; the hardware does not
            assert ours.library.fault_address() % 4
            continue
        if own != other and not both_end:
            yield f"{word:#010x}: {own[0]} and {other[0]}"


def test_drawn(tmp_path: Path) -> None:
    assert list(differences(tmp_path, 43, 2000)) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_many_drawn(tmp_path: Path, seed: int) -> None:
    assert list(differences(tmp_path, seed, 20000)) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(uint64_t)x + y + carry", "(uint64_t)x + y + (carry & 0)"),
        ("product += (uint64_t)r[high] + r[low]", "product += (uint64_t)r[high]"),
        ("amount = 32;", "amount = 3;"),
        ("(a & b) | (was & ~b)", "(a & ~b) | (was & b)"),
        ("bit(op, 24) == bit(op, 23) ? 4 : 0", "0"),
    ],
)
def test_a_planted_fault_is_seen(tmp_path: Path, right: str, wrong: str) -> None:
    text = SOURCE.read_text()
    assert right in text
    assert any(differences(tmp_path, 43, 6000, text.replace(right, wrong)))


def test_a_run_ends_where_it_must(tmp_path: Path) -> None:
    machine = Interpreter(compiled(tmp_path))
    state_of = State([0x20000] * 15, 0, [0] * 32, bytes(SIZE - LOWEST))

    def end(word: int, address: int = 0x20000) -> tuple[int, int]:
        state_of.core[0] = address
        memory = bytearray(SIZE - LOWEST)
        memory[CODE - LOWEST : CODE - LOWEST + 4] = word.to_bytes(4, "little")
        state_of.memory = bytes(memory)
        return machine.step(state_of)[0], machine.library.fault_address()

    load = 0xE5901000  # ldr r1, [r0]
    assert end(load)[0] == LIMIT
    assert end(load, 0xFF0) == (WILD_LOAD, 0xFF0)
    assert end(load, SIZE - 2) == (WILD_LOAD, SIZE - 2)
    for several in (
        0xE8900006,
        0xE8800006,
        0xE1C020D0,
        0xED900B00,
    ):  # ldm, stm, ldrd, vldr
        assert end(several, 0x20004)[0] == LIMIT
        assert end(several, 0x20002) == (UNALIGNED, 0x20002)
    assert end(load, 0x20002)[0] == LIMIT  # one word may stand anywhere
    assert end(0xE7F000F0) == (UNDEFINED, CODE)  # udf
    assert end(0xEF000000) == (UNDEFINED, CODE)  # svc
    store, branch = 0xE5801000, 0xE12FFF10  # str r1, [r0]; bx r0
    assert end(store, 0xFF0) == (WILD_STORE, 0xFF0)
    assert end(branch, 0x20001) == (THUMB, 0x20001)
    assert end(branch, 0x20002)[0] == LIMIT
    assert machine.library.run(1) == WILD_JUMP


def test_a_word_is_what_the_page_allows(tmp_path: Path) -> None:
    """Neither half of an access may lie in a word that is not allowed."""
    machine = Interpreter(compiled(tmp_path))
    here = 0x20000

    def end(word: int, address: int) -> int:
        core = [address] * 15
        memory = bytearray(SIZE - LOWEST)
        memory[CODE - LOWEST : CODE - LOWEST + 4] = word.to_bytes(4, "little")
        return machine.step(State(core, 0, [0] * 32, bytes(memory)))[0]

    load, store = 0xE5901000, 0xE5801000  # ldr, str r1, [r0]
    machine.allowed[here // 4] = 1
    assert end(load, here) == end(load, here - 2) == LIMIT
    assert (
        end(store, here) == end(store, here - 2) == end(store, here + 2) == WILD_STORE
    )
    machine.allowed[here // 4] = 2
    assert end(load, here) == end(load, here - 2) == end(load, here + 2) == WILD_LOAD
    assert end(store, here) == LIMIT
    machine.allowed[CODE // 4] = 3
    assert end(load, here + 4) == WILD_JUMP
