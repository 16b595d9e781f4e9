"""The counter's A32 decoder against objdump."""

import ctypes
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import a32_oracle
import pytest
from counter_build import HARNESS, HOST, SHARED, class_names, run


class Rule(ctypes.Structure):
    """As in a32.h."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("mask", "value")),
        *((name, ctypes.c_uint8) for name in ("cls", "does")),
    ]


class Decoder:
    """a32.c, called from here."""

    def __init__(self, library: Path) -> None:
        self.lib = ctypes.CDLL(str(library))
        self.lib.a32_decode.argtypes = [ctypes.c_uint32]
        self.lib.a32_decode.restype = ctypes.POINTER(Rule)
        self.lib.a32_class_name.restype = ctypes.c_char_p

    def __call__(self, opcode: int) -> tuple[str, str]:
        rule = self.lib.a32_decode(opcode).contents
        does = "".join(
            letter for bit, letter in enumerate("lsb") if rule.does >> bit & 1
        )
        return self.lib.a32_class_name(rule.cls).decode(), does

    def disagreements(self, claims: Iterable[tuple[int, str, str]]) -> Iterator[str]:
        """Each instruction that the oracle puts elsewhere."""
        for opcode, mnemonic, operands in claims:
            expected, found = a32_oracle.classify(mnemonic, operands), self(opcode)
            if expected != found:
                yield f"{opcode:08x} {mnemonic} {operands}: {found}, expected {expected}"


@pytest.fixture(scope="module")
def decode(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    library = tmp_path_factory.mktemp("a32") / "a32.so"
    run(*HOST, *SHARED, HARNESS / "plugin" / "a32.c", "-o", library)
    return Decoder(library)


def words(decode: Decoder) -> list[int]:
    """Every value of bits 27-20 and 11-4, with likely registers; then, for
    each rule that decides one of those, more that fit it, with fields that
    should be ones; then words without any plan."""
    rng = random.Random(32)
    found = []
    for i in range(1 << 16):
        for condition in (14, 15, rng.randrange(14)):
            n, d, m = (rng.choice((0, 13, 14, 15, rng.randrange(16))) for _ in range(3))
            high, low = i >> 8, i & 255
            found.append(
                condition << 28 | high << 20 | n << 16 | d << 12 | low << 4 | m
            )
    rules = {}
    for word in found:
        rule = decode.lib.a32_decode(word).contents
        rules[rule.mask, rule.value] = word >> 28 == 15
    for (mask, value), unconditional in sorted(rules.items()):
        for _ in range(500 if mask else 0):
            fill = rng.getrandbits(32) & rng.choice(
                (0, 0xFFF, 0xF0F, 0xFFFFF, 0xFFFFFFFF)
            )
            fill |= rng.choice((0, 0, 0xF00, 0xF0F, 0xF000, 0xA00, 0xFF000, 0xFFF00))
            condition = 15 if unconditional else rng.randrange(15)
            found.append(condition << 28 | (value | fill & ~mask) & 0x0FFFFFFF)
    return found + [rng.getrandbits(32) for _ in range(50_000)]


@pytest.mark.slow
def test_decoder_agrees_with_objdump(decode: Decoder, tmp_path: Path) -> None:
    claims = a32_oracle.certain(words(decode), tmp_path)
    assert list(decode.disagreements(claims)) == []
    seen = Counter(decode(opcode)[0] for opcode, _, _ in claims)
    assert len(claims) > 130_000
    assert {name for name in class_names() if seen[name] < 60} <= {"thumb", "unknown"}
