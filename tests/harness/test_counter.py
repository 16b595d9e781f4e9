"""The exact counter: its self-test, what it takes for inside, and its faults."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from clone import Clone
from counter_build import ARM, HARNESS, class_names, plugin, run, selftest

from harness.count import counts, qemu
from harness.count.elf import read_elf
from harness.count.selftest import read_expected
from harness.operands import power, text
from records.faults import Failure

TABLE = HARNESS / "count/plugin" / "selftest.txt"

if qemu.why_unsupported():
    pytest.skip(qemu.why_unsupported(), allow_module_level=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with count.so and selftest."""
    folder = tmp_path_factory.mktemp("counter")
    plugin(folder)
    selftest(folder)
    return folder


def check(folder: Path, table: Path = TABLE, plugin: Path | None = None) -> int:
    """The self-test; returns the number of values compared."""
    program, out = folder / "selftest", folder / "selftest.counts"
    return qemu.check(program, table, out=out, plugin=plugin or folder / "count.so")


def count(folder: Path, program: Path) -> list[counts.Row]:
    """What the snapshot of a program executes."""
    out = program.with_name(program.name + ".counts")
    return qemu.count(program, out=out, plugin=folder / "count.so")


def test_selftest_passes(built: Path) -> None:
    assert check(built) > 150


def test_selftest_has_every_class() -> None:
    named = {metric for metrics in read_expected(TABLE).values() for metric in metrics}
    assert {f"class_{name}" for name in class_names()} == {m for m in named if m[:6] == "class_"}
    assert set(counts.METRICS) <= named
    assert len(set(read_expected(TABLE)) - {"snapshot", "total"}) >= 14  # functions


@pytest.mark.parametrize(
    ("line", "instead", "said"),
    [
        ("st_memory     load_accesses         19", "st_memory load_accesses 20", "counted 19"),
        ("st_loop       branches_taken      1500", "st_loop branches_taken 1501", "counted 1500"),
        ("st_multiply   class_umaal            3", "", "expected 0"),
        ("total         instructions        4783", "total instructions 4782", "counted 4783"),
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
    with pytest.raises(Failure, match=said) as failure:
        check(built, wrong)
    assert "\n" not in str(failure.value)


def test_selftest_finds_wrong_memory_filter(built: Path, tmp_path: Path) -> None:
    one_way = (" WRITES, ADD_U64, &insn->inline_2", " READS, ADD_U64, &insn->inline_2")
    other_off = ("&insn->inline_3, 1", "&insn->inline_3, 0")
    changed = plugin(tmp_path, one_way, other_off)
    with pytest.raises(Failure, match="^self-test: st_.* (load|store)_accesses: counted 0,"):
        check(built, plugin=changed)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("branch->executions - by_it", "by_it"),
        ("e.conditional = opcode >> 28 < 14", "e.conditional = opcode >> 28 < 1"),
        ("ADD_U64, &b->executions, 1", "ADD_U64, &b->executions, 2"),
        ("opcode & 0xffff)", "opcode & 0x7fff)"),
        ("        return 2; /* ldrd", "        return 1; /* ldrd"),
    ],
)
def test_selftest_finds_wrong_inline_counts(
    built: Path, tmp_path: Path, right: str, wrong: str
) -> None:
    altered = plugin(tmp_path, (right, wrong))
    with pytest.raises(Failure, match="^self-test: |jumps where its code"):
        check(built, plugin=altered)


@pytest.mark.parametrize(
    ("right", "wrong", "where"),
    [
        ("BTAC_ENTRIES = 128", "BTAC_ENTRIES = 256", "st_alias"),
        ("RETURN_ENTRIES = 3", "RETURN_ENTRIES = 4", "st_returns"),
        ("RETURN_ENTRIES = 3", "RETURN_ENTRIES = 2", "st_"),
        ("address / 4 % BTAC", "address / 8 % BTAC", "st_alias"),
        ("entry->address != address", "entry->address == 0", "st_"),
        ("taken ? 2 : 1", "taken ? 3 : 0", "st_loop"),
        ("history += entry->history < 3", "history = 3", "st_"),
        ("history -= entry->history > 0", "history = 0", "st_history"),
        ("(backwards && !is_call(opcode))", "backwards", "st_condition"),
        ("opcode >> 28 >= 14 || (", "false || (", "st_c"),
        ("kind == RETURN && always", "kind == RETURN", "st_"),
        ("wrong = taken;", "wrong = false;", "st_"),
        ("if (taken && is_call", "if (is_call", "st_"),
        ("push(p, HARNESS_ADDRESS);", "(void)p;", "st_"),
        ("        pop(p);", "        (void)p;", "st_call"),
    ],
)
def test_selftest_finds_another_predictor(
    built: Path, tmp_path: Path, right: str, wrong: str, where: str
) -> None:
    altered = plugin(tmp_path, (right, wrong))
    with pytest.raises(Failure, match=f"^self-test: {where}\\w* {counts.SIMULATED}:"):
        check(built, plugin=altered)


def test_call_backs_count_as_inline_counters_do(built: Path, tmp_path: Path) -> None:
    """The way that a QEMU without inline counters (plugin version 2) goes."""
    changed = plugin(tmp_path, (" && qemu_plugin_register_vcpu_mem_inline != NULL", " && false"))
    check(built, plugin=changed)


def test_two_runs_are_identical(built: Path, tmp_path: Path) -> None:
    files = [tmp_path / "first, with a comma", tmp_path / "second"]
    for file in files:
        qemu.count(built / "selftest", plugin=built / "count.so", out=file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_executions_are_those_of_qemus_own_trace(built: Path, tmp_path: Path) -> None:
    program, log = built / "selftest", tmp_path / "trace"
    said = subprocess.run([*qemu.QEMU, "-help"], capture_output=True, text=True).stdout
    single = "-one-insn-per-tb" if "-one-insn-per-tb" in said else "-singlestep"
    inside = counts.sections(program)["snapshot_text"]
    filtered = f"{inside.start:#x}..{inside.stop - 1:#x}"
    trace = [single, "-d", "exec,nochain", "-dfilter", filtered, "-D", log, program]
    run(*qemu.QEMU, *trace)
    traced = Counter(re.findall(r"\[[0-9a-f]+/([0-9a-f]+)/", log.read_text(errors="replace")))
    rows = count(built, program)
    counted = {f"{row.address:08x}": row.executions for row in rows if row.address in inside}
    assert counted == traced


def test_flow_gives_every_branch_of_the_ladder(measured: Clone, tmp_path: Path) -> None:
    """Call-backs make counting slow, and no rung needs one."""
    call_back = "tb_exec_cb(tb, snapshot_block, NO_REGISTERS, b);"
    without = plugin(tmp_path, (call_back, 'tb_exec_cb(tb, snapshot_block, 0, b), stop("slow");'))
    calls = tmp_path / "calls"
    calls.write_text(text([power(0xF1, 5, 0xB6D5)], 128))
    words = ["call", str(calls)]
    for program in sorted(measured.path.glob("build/iterations/*/O*/rsa")):
        qemu.count(program, words, plugin=without, out=tmp_path / "counts")


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
    return counts.by_symbol(count(built, program), program)


@pytest.mark.parametrize("rounds", [1, 2, 77, 65536])
def test_loop_is_exact(built: Path, tmp_path: Path, rounds: int) -> None:
    body = f"mov r0, #{rounds}\n1: str r0, [sp, #-8]\n subs r0, r0, #1\n bne 1b\n"
    counted = work(tmp_path, built, body.replace("#65536", "#0x10000"))["work"]
    assert counted["instructions"] == 1 + 3 * rounds + 1
    assert counted["branches"] == rounds + 1
    assert counted["branches_taken"] == rounds - 1 + 1
    assert counted["stores"] == counted["store_accesses"] == rounds


def test_condition_that_fails_counts_as_executed(built: Path, tmp_path: Path) -> None:
    body = (
        "cmp r0, r0\n ldrne r1, [sp]\n ldreq r1, [sp]\n mulne r1, r0, r0\n blne work\n popne {pc}\n"
    )
    counted = work(tmp_path, built, body)["work"]
    assert counted["instructions"] == 7
    assert (counted["loads"], counted["load_accesses"]) == (3, 1)
    assert counted["multiplies_32"] == 1
    assert (counted["branches"], counted["branches_taken"]) == (3, 1)


def test_failed_program_has_no_counts(built: Path, tmp_path: Path) -> None:
    with pytest.raises(Failure, match="status 3"):
        work(tmp_path, built, "nop", status=3)


def test_thumb_in_the_snapshot_is_refused(built: Path, tmp_path: Path) -> None:
    body = "blx 1f\n bx r4\n .thumb\n .balign 4\n1: ldr.w r0, [sp]\n bx lr\n .balign 4\n .arm\n"
    with pytest.raises(Failure, match="-marm"):
        work(tmp_path, built, "mov r4, lr\n" + body)


def test_only_code_runs(built: Path, tmp_path: Path) -> None:
    """A table of constants is none, and a system call ends the run."""
    data = ".pushsection .rodata\n hidden: .word 0xe1a0f00e\n .popsection\n"
    jump = "mov r4, lr\n ldr r0, =hidden\n blx r0\n bx r4\n"
    with pytest.raises(Failure, match="signal 11"):
        work(tmp_path, built, jump + data + ".ltorg\n")
    with pytest.raises(Failure, match="the snapshot makes a system call"):
        work(tmp_path, built, "mov r7, #20\n svc #0\n")


def test_a_jump_that_no_code_shows_is_refused(built: Path, tmp_path: Path) -> None:
    """A return to where no call stands before: flow would give wrong branches."""
    away = "b 2f\n3: bx lr\n2: adr lr, 1f\n b 3b\n"
    body = f"mov r4, lr\n mov r0, #3\n {away}1: subs r0, r0, #1\n bne 2b\n mov lr, r4\n"
    with pytest.raises(Failure, match="jumps where its code does not say"):
        work(tmp_path, built, body)


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


def test_library_counts_only_when_the_snapshot_calls_it(built: Path, tmp_path: Path) -> None:
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(C_PROGRAM)
    run(*ARM, "-O1", "-fno-builtin", source, "-o", program)
    table = counts.by_symbol(count(built, program), program)
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
    command = [*qemu.QEMU, "-plugin", option, str(built / "selftest")]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode != 0
    assert [line for line in ran.stderr.splitlines() if line.startswith(said)]


def test_unwritable_output_has_one_line(built: Path, tmp_path: Path) -> None:
    with pytest.raises(Failure, match="cannot write .*: No such file"):
        out = tmp_path / "missing" / "out"
        qemu.count(built / "selftest", plugin=built / "count.so", out=out)


def test_missing_section_is_named(tmp_path: Path) -> None:
    source = tmp_path / "empty.S"
    source.write_text(".global _start\n_start: nop\n")
    run(*ARM, "-nostdlib", source, "-o", tmp_path / "empty")
    with pytest.raises(Failure, match="snapshot_text"):
        counts.sections(tmp_path / "empty")


def test_qemu_without_plugins_is_recognised(tmp_path: Path) -> None:
    fake = tmp_path / "qemu-arm"
    fake.write_text("#!/bin/sh\necho usage: qemu-arm -cpu model\n")
    fake.chmod(0o755)
    assert "plugin" in qemu.why_unsupported(str(fake))
    assert "not installed" in qemu.why_unsupported(str(tmp_path / "none"))


def test_symbols(tmp_path: Path) -> None:
    """Labels inside a function are none; code between functions with a size is nobody's."""
    source = tmp_path / "symbols.S"
    source.write_text(
        ".arm\n.global _start, bare, inner, other\n nop\n.type _start, %function\n"
        "_start: nop\ninner: nop\nlocal: nop\n.size _start, . - _start\n nop\n"
        "bare: nop\nloop: nop\n.type other, %function\nother: nop\n"
    )
    run(*ARM, "-nostdlib", source, "-o", tmp_path / "symbols")
    elf = read_elf(tmp_path / "symbols")
    start = elf.sections[".text"].start
    found = [elf.function(start + 4 * i) for i in range(9)]
    assert found == ["?", *["_start"] * 3, "?", "bare", "bare", "other", "?"]


def test_a_file_that_is_no_program_is_one_line(tmp_path: Path) -> None:
    for content in ("", "no ELF file at all", "\x7fELF\x01\x01" + "x" * 100):
        path = tmp_path / "program"
        path.write_text(content)
        with pytest.raises(Failure, match="program") as fault:
            counts.sections(path)
        assert "\n" not in str(fault.value)
