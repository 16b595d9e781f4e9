"""The exact counter: its decoder against objdump, its self-test, and what it takes for inside."""

from __future__ import annotations

import ctypes
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from harness import counts
from harness.elf import Elf
from tests import a32_oracle

HARNESS = Path(__file__).resolve().parent.parent / "harness"
TABLE = HARNESS / "selftest.txt"
WARN = "-Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror".split()
HOST = ["gcc", "-std=c11", "-O2", "-fPIC", "-shared", "-I", str(HARNESS), *WARN]
ARM = (
    "arm-linux-gnueabihf-gcc -std=c11 -g -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard"
    " -static -Wl,-z,max-page-size=65536"
).split()

needs_plugins = pytest.mark.skipif(
    not counts.supported(), reason=counts.why_unsupported() or "supported"
)


def run(*command: str | Path) -> None:
    subprocess.run([str(part) for part in command], check=True)


class Rule(ctypes.Structure):
    """struct a32_rule of a32.h."""

    _fields_ = [
        ("mask", ctypes.c_uint32),
        ("value", ctypes.c_uint32),
        ("cls", ctypes.c_uint8),
        ("does", ctypes.c_uint8),
    ]


class Decoder:
    """a32.c, called from here."""

    def __init__(self, library: Path) -> None:
        self.lib = ctypes.CDLL(str(library))
        self.lib.a32_decode.argtypes = [ctypes.c_uint32]
        self.lib.a32_decode.restype = ctypes.POINTER(Rule)
        self.lib.a32_class_name.restype = ctypes.c_char_p
        header = (HARNESS / "a32.h").read_text()
        self.names = re.findall(r"^    X\((\w+)\)", header, re.M)

    def __call__(self, opcode: int) -> tuple[str, str]:
        rule = self.lib.a32_decode(opcode).contents
        does = "".join(letter for bit, letter in enumerate("lsb") if rule.does >> bit & 1)
        return self.lib.a32_class_name(rule.cls).decode(), does

    def disagreements(self, claims: Iterable[tuple[int, str, str]]) -> Iterator[str]:
        """Each instruction that the oracle puts elsewhere."""
        for opcode, mnemonic, operands in claims:
            expected, found = a32_oracle.classify(mnemonic, operands), self(opcode)
            if expected != found:
                yield f"{opcode:08x} {mnemonic} {operands}: {found}, expected {expected}"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a32.so, count.so and selftest."""
    folder = tmp_path_factory.mktemp("counter")
    sources = [HARNESS / name for name in ("count.c", "count_rows.c", "a32.c")]
    run(*HOST, *sources, "-o", folder / "count.so")
    run(*HOST, HARNESS / "a32.c", "-o", folder / "a32.so")
    run(*ARM, "-nostdlib", HARNESS / "selftest.S", "-o", folder / "selftest")
    return folder


@pytest.fixture(scope="session")
def decode(built: Path) -> Decoder:
    return Decoder(built / "a32.so")


# ---- The decoder ----


def words(decode: Decoder) -> list[int]:
    """Every value of bits 27-20 and 11-4, with likely registers; then, for each rule that decides
    one of those, more that fit it; then words without any plan."""
    rng = random.Random(32)
    found = []
    for i in range(1 << 16):
        for condition in (14, 15, rng.randrange(14)):
            n, d, m = (rng.choice((0, 13, 14, 15, rng.randrange(16))) for _ in range(3))
            high, low = i >> 8, i & 255
            found.append(condition << 28 | high << 20 | n << 16 | d << 12 | low << 4 | m)
    rules = {}
    for word in found:
        rule = decode.lib.a32_decode(word).contents
        rules[rule.mask, rule.value] = word >> 28 == 15
    for (mask, value), unconditional in sorted(rules.items()):
        for _ in range(200 if mask else 0):
            fill = rng.getrandbits(32) & rng.choice((0, 0xFFF, 0xF0F, 0xFFFFF, 0xFFFFFFFF))
            condition = 15 if unconditional else rng.randrange(15)
            found.append(condition << 28 | (value | fill & ~mask) & 0x0FFFFFFF)
    return found + [rng.getrandbits(32) for _ in range(50_000)]


def test_decoder_agrees_with_objdump(decode: Decoder, tmp_path: Path) -> None:
    claims = a32_oracle.certain(words(decode), tmp_path)
    assert list(decode.disagreements(claims)) == []
    seen = Counter(decode(opcode)[0] for opcode, _, _ in claims)
    assert len(claims) > 130_000
    assert {name for name in decode.names if seen[name] < 50} <= {"thumb", "unknown"}


C_SOURCE = """
#include <stdint.h>
#include <string.h>
uint64_t mac(uint64_t t, uint32_t x, uint32_t y) { return t + (uint64_t)x * y; }
uint64_t shift(uint64_t t, unsigned n) { return t << n | t >> (63 - n); }
uint32_t divide(uint64_t t, uint32_t n) { return (uint32_t)(t / n) + (uint32_t)t % n; }
int compare(const uint32_t *x, const uint32_t *y, int n)
{
    while (n-- > 0)
        if (x[n] != y[n])
            return x[n] > y[n] ? 1 : -1;
    return 0;
}
void add(uint32_t *z, const uint32_t *x, const uint32_t *y, int n)
{
    uint64_t t = 0;
    for (int i = 0; i < n; i++, t >>= 32)
        z[i] = (uint32_t)(t += (uint64_t)x[i] + y[i]);
}
float dot(const float *x, const float *y, int n)
{
    float t = 0;
    for (int i = 0; i < n; i++)
        t += x[i] * y[i];
    return t;
}
uint32_t pick(int i, uint32_t x, uint8_t *bytes, int16_t *halves)
{
    switch (i) {
    case 0: return x * 3;
    case 1: return bytes[x];
    case 2: return (uint32_t)halves[x];
    case 3: halves[x] = 7; return x >> 9 & 255;
    case 4: bytes[x] = 9; return (uint8_t)x;
    case 5: return __builtin_bswap32(x) + (uint32_t)__builtin_clz(x);
    default: memset(bytes, i, x); return ~x;
    }
}
struct four { uint32_t limb[4]; };
struct four copy(struct four a, struct four *b) { struct four c = *b; *b = a; return c; }
"""


def test_decoder_agrees_on_compiled_code(decode: Decoder, built: Path, tmp_path: Path) -> None:
    source = tmp_path / "code.c"
    source.write_text(C_SOURCE)
    claims = a32_oracle.disassemble(built / "selftest")
    for level in ("-O0", "-O1", "-O2", "-O3", "-Os"):
        run(*ARM, level, "-c", source, "-o", tmp_path / "code.o")
        claims += a32_oracle.disassemble(tmp_path / "code.o")
    assert len(claims) > 900
    assert list(decode.disagreements(claims)) == []


# ---- The self-test ----


@needs_plugins
def test_selftest_passes(built: Path) -> None:
    compared = counts.selftest(built / "selftest", TABLE, plugin=built / "count.so")
    assert compared > 150


def test_selftest_has_every_class(decode: Decoder) -> None:
    named = {metric for metrics in counts.read_expected(TABLE).values() for metric in metrics}
    assert {f"class_{name}" for name in decode.names} == {m for m in named if m[:6] == "class_"}
    assert set(counts.METRICS) <= named


@needs_plugins
@pytest.mark.parametrize(
    ("line", "instead", "said"),
    [
        ("st_memory     load_accesses         19", "st_memory load_accesses 20", "counted 19"),
        ("st_loop       branches_taken      1500", "st_loop branches_taken 1501", "counted 1500"),
        ("st_multiply   class_umaal            3", "", "expected 0"),
        ("total         instructions        4696", "total instructions 4695", "counted 4696"),
        ("# Run-time:", "st_more instructions 1 #", "st_more instructions: counted 0"),
    ],
)
def test_wrong_expectation_fails(
    built: Path, tmp_path: Path, line: str, instead: str, said: str
) -> None:
    text = TABLE.read_text()
    assert text.count(line) == 1
    wrong = tmp_path / "wrong.txt"
    wrong.write_text(text.replace(line, instead))
    with pytest.raises(counts.Failure, match=said) as failure:
        counts.selftest(built / "selftest", wrong, plugin=built / "count.so")
    assert "\n" not in str(failure.value)


def plugin_with(folder: Path, *changes: tuple[str, str]) -> Path:
    """The counter with changes to the text of count.c."""
    text = (HARNESS / "count.c").read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / "count.c").write_text(text)
    plugin = folder / "count.so"
    run(*HOST, folder / "count.c", HARNESS / "count_rows.c", HARNESS / "a32.c", "-o", plugin)
    return plugin


@needs_plugins
def test_selftest_finds_wrong_memory_filter(built: Path, tmp_path: Path) -> None:
    one_way = (" WRITES, ADD_U64, &insn->inline_2", " READS, ADD_U64, &insn->inline_2")
    other_off = ("&insn->inline_3, 1", "&insn->inline_3, 0")
    plugin = plugin_with(tmp_path, one_way, other_off)
    with pytest.raises(counts.Failure, match="^self-test: st_.* (load|store)_accesses: counted 0,"):
        counts.selftest(built / "selftest", TABLE, plugin=plugin)


@needs_plugins
def test_call_backs_count_as_inline_counters_do(built: Path, tmp_path: Path) -> None:
    """The way that a QEMU without inline counters (plugin version 2) goes."""
    plugin = plugin_with(
        tmp_path, (" && qemu_plugin_register_vcpu_mem_inline != NULL", " && false")
    )
    counts.selftest(built / "selftest", TABLE, plugin=plugin)


@needs_plugins
def test_two_runs_are_identical(built: Path, tmp_path: Path) -> None:
    files = [tmp_path / "first, with a comma", tmp_path / "second"]
    for file in files:
        counts.count(built / "selftest", plugin=built / "count.so", out=file)
    assert files[0].read_bytes() == files[1].read_bytes()


# ---- Programs of a few lines ----

PROGRAM = """
        .syntax unified
        .section snapshot_text, "ax", %progbits
        .arm
        .global work
        .type   work, %function
work:
{body}
        bx      lr
        .size   work, . - work
        .section harness_text, "ax", %progbits
        .global _start
_start: bl      work
        mov     r0, #{status}
        mov     r7, #1
        svc     #0
"""


def work(folder: Path, built: Path, body: str, status: int = 0) -> dict[str, Counter]:
    source, program = folder / "work.S", folder / "work"
    source.write_text(PROGRAM.format(body=body, status=status))
    run(*ARM, "-nostdlib", source, "-o", program)
    return counts.by_symbol(counts.count(program, plugin=built / "count.so"), program)


@needs_plugins
@pytest.mark.parametrize("rounds", [1, 2, 77, 65536])
def test_loop_is_exact(built: Path, tmp_path: Path, rounds: int) -> None:
    body = f"mov r0, #{rounds}\n1: str r0, [sp, #-8]\n subs r0, r0, #1\n bne 1b\n"
    counted = work(tmp_path, built, body.replace("#65536", "#0x10000"))["work"]
    assert counted["instructions"] == 1 + 3 * rounds + 1
    assert counted["branches"] == rounds + 1
    assert counted["branches_taken"] == rounds - 1 + 1
    assert counted["stores"] == counted["store_accesses"] == rounds


@needs_plugins
def test_condition_that_fails_counts_as_executed(built: Path, tmp_path: Path) -> None:
    body = (
        "cmp r0, r0\n ldrne r1, [sp]\n ldreq r1, [sp]\n mulne r1, r0, r0\n blne work\n popne {pc}\n"
    )
    counted = work(tmp_path, built, body)["work"]
    assert counted["instructions"] == 7
    assert (counted["loads"], counted["load_accesses"]) == (3, 1)
    assert counted["multiplies_32"] == 1
    assert (counted["branches"], counted["branches_taken"]) == (3, 1)


@needs_plugins
def test_failed_program_has_no_counts(built: Path, tmp_path: Path) -> None:
    with pytest.raises(counts.Failure, match="status 3"):
        work(tmp_path, built, "nop", status=3)


@needs_plugins
def test_thumb_in_the_snapshot_is_refused(built: Path, tmp_path: Path) -> None:
    body = "blx 1f\n bx r4\n .thumb\n .balign 4\n1: ldr.w r0, [sp]\n bx lr\n .balign 4\n .arm\n"
    with pytest.raises(counts.Failure, match="Thumb code at .* in the snapshot; needs -marm"):
        work(tmp_path, built, "mov r4, lr\n" + body)


C_PROGRAM = """
#include <string.h>
#define SNAPSHOT __attribute__((section("snapshot_text"), noinline, noclone))
#define HARNESS __attribute__((section("harness_text"), noinline, noclone))
static char from[4096], to[4096];
volatile unsigned long long big = 1000000007ull * 999999937ull, small = 999999937;
SNAPSHOT static unsigned long long inside(int n)
{
    memcpy(to, from, (size_t)n);
    return big / small;
}
HARNESS int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 1000; i++) {
        memcpy(to, from, (size_t)(argc * i));
        memset(from, i, sizeof from);
    }
    return inside(argc * 1024) == 1000000007 ? 0 : 1;
}
"""


@needs_plugins
def test_library_counts_only_when_the_snapshot_calls_it(built: Path, tmp_path: Path) -> None:
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(C_PROGRAM)
    run(*ARM, "-O1", "-fno-builtin", source, "-o", program)
    table = counts.by_symbol(counts.count(program, plugin=built / "count.so"), program)
    library = {s: m for s, m in table.items() if s not in ("total", "snapshot", "inside")}
    copying = {s: m for s, m in library.items() if "cpy" in s}
    assert not any("memset" in s for s in library)
    assert any("uldiv" in s or "udivmod" in s for s in library)
    assert len(copying) == 1
    (copy,) = copying.values()
    assert 1024 // 8 <= copy["load_accesses"] <= 1024 // 4 + 64  # one copy of 1024 bytes
    assert copy["instructions"] < 1000
    assert "main" not in table
    assert table["snapshot"] == table["inside"]
    parts = sum((Counter(m) for m in [table["snapshot"], *library.values()]), Counter())
    assert parts == +table["total"]


# ---- Faults ----


@needs_plugins
@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("snapshot=10-0x20", "count: needs snapshot="),
        ("snapshot=0x20-0x10", "count: argument not understood: snapshot=0x20-0x10"),
        ("harness=x", "count: argument not understood: harness=x"),
        ("rw=2", "count: argument not understood: rw=2"),
    ],
)
def test_bad_argument_has_one_line(built: Path, argument: str, said: str) -> None:
    option = f"{built / 'count.so'},{argument}"
    command = [*counts.QEMU, "-plugin", option, str(built / "selftest")]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode != 0
    assert [line for line in ran.stderr.splitlines() if line.startswith(said)]


@needs_plugins
def test_unwritable_output_has_one_line(built: Path, tmp_path: Path) -> None:
    with pytest.raises(counts.Failure, match="count: cannot write .*: No such file or directory"):
        out = tmp_path / "missing" / "out"
        counts.count(built / "selftest", plugin=built / "count.so", out=out)


def test_missing_section_is_named(tmp_path: Path) -> None:
    source = tmp_path / "empty.S"
    source.write_text(".global _start\n_start: nop\n")
    run(*ARM, "-nostdlib", source, "-o", tmp_path / "empty")
    with pytest.raises(counts.Failure, match="no section snapshot_text"):
        counts.sections(tmp_path / "empty")


def test_qemu_without_plugins_is_recognised(tmp_path: Path) -> None:
    fake = tmp_path / "qemu-arm"
    fake.write_text("#!/bin/sh\necho usage: qemu-arm -cpu model\n")
    fake.chmod(0o755)
    assert "without plugin support" in counts.why_unsupported([str(fake)])
    assert "not installed" in counts.why_unsupported([str(tmp_path / "none")])
    assert not counts.supported([str(fake)])


def test_symbols(tmp_path: Path) -> None:
    """Labels inside a function are none; code between functions with a size is nobody's."""
    source = tmp_path / "symbols.S"
    source.write_text(
        ".arm\n.global _start, bare, inner, other\n nop\n.type _start, %function\n"
        "_start: nop\ninner: nop\nlocal: nop\n.size _start, . - _start\n nop\n"
        "bare: nop\nloop: nop\n.type other, %function\nother: nop\n"
    )
    run(*ARM, "-nostdlib", source, "-o", tmp_path / "symbols")
    elf = Elf(tmp_path / "symbols")
    start = elf.sections[".text"].start
    found = [elf.function(start + 4 * i) for i in range(9)]
    assert found == ["?", *["_start"] * 3, "?", "bare", "bare", "other", "?"]
