"""make refuses a snapshot that breaks the contract: each way, planted in a copy of v8."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from two_rungs import checkout, make

from harness.count.qemu import QEMU
from harness.stack import Code, misaligned

pytestmark = pytest.mark.slow

CHECK_SH = "harness/driver/check.sh"
VECTORS = "data/inputs/width-128/vectors"
HEAD = re.compile(r"(void mod_exp\([^{;]*\)\n\{\n)")
POP = "pop     {r0, r3, r4-r11, pc}"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which v8 is built and checked at -O1."""
    path = checkout(tmp_path_factory.mktemp("contract") / "lab")
    ran = make(path, "build/iterations/v8/O1/check.ok")
    assert ran.returncode == 0, ran.stderr
    return path


def planted(tree: Path, old: str, new: str, file: str = "rsa.c", place: str = "iterations") -> str:
    """v9, a copy of v8 with one change; what make says on stderr when it refuses to check it."""
    folder = tree / place / "v9"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tree / "iterations/v8", folder)
    text = (folder / file).read_text()
    assert text.count(old) >= 1
    (folder / file).write_text(text.replace(old, new, 1))
    ran = make(tree, f"build/{place}/v9/O1/check.ok")
    shutil.rmtree(folder)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert not (tree / f"build/{place}/v9/O1/check.ok").exists()
    assert "NOT CHECKED" in ran.stderr, ran.stderr
    return ran.stderr


def in_mod_exp(tree: Path, statement: str, before: str = "", place: str = "iterations") -> str:
    """The same with a statement at the head of mod_exp, and text before the function."""
    head = HEAD.search((tree / "iterations/v8/rsa.c").read_text())
    assert head
    return planted(tree, head[1], f"{before}\n{head[1]}{statement}\n", place=place)


CALLS = {
    "exit": "if (m->n0inv) exit(0);",
    "malloc": "*(volatile uint32_t *)malloc(4) = e[0];",
    "puts": 'puts("4774 vectors");',
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_the_library(tree: Path, name: str) -> None:
    said = in_mod_exp(tree, CALLS[name], "#include <stdio.h>\n#include <stdlib.h>")
    assert f"calls {name}:" in said


KEEP = "last[0] = e[0] + last[0];"
SECTIONS = {
    ".bss": (KEEP, "static volatile uint32_t last[LIMBS];"),
    ".data": (KEEP, "static volatile uint32_t last[LIMBS] = {1};"),
    ".tbss": (KEEP, "static _Thread_local volatile uint32_t last[LIMBS];"),
    "harness_text": ("f(e);", '__attribute__((section("harness_text"), noinline)) F'),
    ".text.hot": ("f(e);", '__attribute__((section(".text.hot"), noinline)) F'),
    ".init_array": ("", "__attribute__((constructor)) F"),
    ".kept": ("", '__attribute__((section(".kept"), used)) static const int kept = 1;'),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_sections(tree: Path, name: str) -> None:
    statement, before = SECTIONS[name]
    function = 'static void f(const uint32_t *e) { __asm__ volatile("" : : "r"(e)); }'
    said = in_mod_exp(tree, statement, before.replace("F", function))
    assert f"section {name}: " in said


IN_ASSEMBLY = {
    "in section my data:": '.section "my data", "aw"\n.word 1',
    "in section my text:": '.section "my text", "ax"\nnop',
    "exports .protected helper:": ".text\n.global helper\n.protected helper\nhelper: bx lr",
    "exports .internal helper:": ".text\n.global helper\n.internal helper\nhelper: bx lr",
    "exports a b:": '.text\n.global "a b"\n"a b": bx lr',
    "calls .protected exit:": ".protected exit\nbl exit",
    "helper: another function": ".text\n.type helper, %gnu_indirect_function\nhelper: bx lr",
    "mont.S: .incbin:": '.section .rodata\n.incbin "Makefile"',
}
PAPER = '.section .note.GNU-stack, "", %progbits'


@pytest.mark.parametrize("fault", IN_ASSEMBLY)
def test_what_only_assembly_can_say(tree: Path, fault: str) -> None:
    assert fault in planted(tree, PAPER, f"{IN_ASSEMBLY[fault]}\n{PAPER}", "mont.S")


def test_a_file_of_another_folder(tree: Path) -> None:
    said = planted(tree, '#include "nat.h"', '#include "../v8/nat.h"')
    assert "includes iterations/v8/nat.h:" in said


def test_a_stack_that_is_executed(tree: Path) -> None:
    assert "executable" in planted(tree, PAPER, PAPER.replace('""', '"x"'), "mont.S")


@pytest.mark.parametrize(
    "before",
    ["extern const int helper; const int helper = 1;", "void helper(void); void helper(void) {}"],
)
def test_exports(tree: Path, before: str) -> None:
    assert "exports helper:" in in_mod_exp(tree, "", before)


INSTRUCTIONS = (
    "svc #0",
    "svceq #0",
    "bkpt #0",
    "mrc p15, 0, r0, c13, c0, 3",
    "mcr p15, 0, r0, c13, c0, 2",
)


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_instructions(tree: Path, text: str) -> None:
    said = in_mod_exp(tree, f'__asm__ volatile("{text}" : : : "r0");')
    assert f"{text.split()[0]}: " in said


def test_a_branch_into_the_harness(tree: Path) -> None:
    assert "into the harness" in in_mod_exp(tree, '__asm__ volatile("b . + 0x1000");')


def test_an_instruction_in_disguise(tree: Path) -> None:
    """A data word that is executed."""
    assert "runs into data" in planted(tree, POP, f".word 0xef000000\n        {POP}", "mont.S")


def test_a_study_is_held_to_it_too(tree: Path) -> None:
    assert "calls exit" in in_mod_exp(tree, "exit(0);", "#include <stdlib.h>", "studies/alone")


def test_answers_that_were_known_beforehand(tree: Path) -> None:
    """Right for every vector, wrong for any other exponent; the seed finds the fault again."""
    lines = (tree / VECTORS / "mod_exp.txt").read_text().splitlines()
    known = sorted(
        {int(line.split()[4], 16) % 2**32 for line in lines if line[:1] not in ("", "#")}
    )
    cases = " ".join(f"case {number:#x}U:" for number in known)
    said = in_mod_exp(
        tree, f"switch (e[0]) {{ {cases} break; default: z[0] = z[1] = z[2] = z[3] = 1; return; }}"
    )
    seed = re.search(r"drawn with seed (\d+):\d+: mod_exp", said)
    assert seed and f"check -r {seed[1]} " in said
    ran = checked(tree, ["-r", seed[1], *vectors(tree)])
    assert ran.returncode == 1 and ran.stderr.splitlines()[0] in said


def checked(tree: Path, words: list[object]) -> subprocess.CompletedProcess[str]:
    """The planted program's own check."""
    program = [*QEMU, tree / "build/iterations/v9/O1/rsa", "check"]
    return subprocess.run(list(map(str, [*program, *words])), capture_output=True, text=True)


def vectors(tree: Path) -> list[Path]:
    return sorted((tree / VECTORS).glob("*.txt"))


RETURN = "pop     {r0, r3, r4-r11, lr}"
REGISTERS = {
    "r4": f"{RETURN}\n mov r4, #0\n bx lr",
    "r11 d8 d15": f"{RETURN}\n mov r11, #0\n vmov.i32 d8, #0\n vmov.i32 d15, #0\n bx lr",
    "sp": f"{RETURN}\n sub sp, sp, #8\n bx lr",
}


@pytest.mark.parametrize("names", REGISTERS)
def test_registers_are_preserved(tree: Path, names: str) -> None:
    """mod_exp, which calls mont_mul, is lost without some of them; mont_mul's own check says."""
    planted(tree, POP, ".fpu neon\n " + REGISTERS[names], "mont.S")
    ran = checked(tree, vectors(tree)[1:])
    assert ran.returncode == 1 and f"not preserved: {names}\n" in ran.stderr


@pytest.mark.parametrize(
    "statement",
    [
        "z[-1] = 0;",
        "z[LIMBS] = 0;",
        "((uint32_t *)x)[LIMBS] = 0;",
        "((uint32_t *)e)[-1] = 0;",
        "((struct modulus *)m)->rr[0] ^= z[0];",
        "((uint32_t *)m)[-1] = 0;",
        "((uint32_t *)(m + 1))[0] = 0;",
    ],
)
def test_memory_around_operands(tree: Path, statement: str) -> None:
    text = (tree / "iterations/v8/rsa.c").read_text()
    body = text[text.index("void mod_exp") :]
    assert "other memory" in planted(tree, body, body.rstrip()[:-1] + statement + "\n}\n")


def test_sp_at_a_call(tree: Path) -> None:
    """mont_mul as a function that calls the product with sp 4 off."""
    text = (tree / "iterations/v8/mont.S").read_text()
    label = re.search(r"^mont_mul:\n", text, re.M)
    assert label
    wrapper = "mont_mul:\n push {lr}\n bl product\n pop {pc}\nproduct:\n"
    assert "sp is not a multiple of 8" in planted(tree, label[0], wrapper, "mont.S")


def test_a_program_that_ends_early(tree: Path, tmp_path: Path) -> None:
    """The driver says last how many vectors it has checked, and with which seed."""
    program = tmp_path / "rsa"
    for said in ("", "4774 vectors", "0 vectors and 72 drawn with seed 7"):
        program.write_text(f"#!/bin/sh\necho '{said}'\n")
        program.chmod(0o755)
        (tmp_path / "platform").write_text("platform=x\nrunner=''\n")
        words = ["sh", CHECK_SH, program, tmp_path / "check.ok", *vectors(tree)]
        kept = {**os.environ, "PLATFORM": str(tmp_path / "platform"), "SEED": "7"}
        ran = subprocess.run(words, cwd=tree, env=kept, capture_output=True, text=True)
        assert ran.returncode == 1 and "NOT CHECKED" in ran.stderr, said
        assert not (tmp_path / "check.ok").exists()


# ---- sp, followed through code ----

FOLLOWED = {
    "push {r3, lr}; bl f; pop {r3, pc}": 0,
    "push {r4, r5, lr}; bl f; pop {r4, r5, pc}": 1,
    "push {lr}; sub sp, sp, #12; bl f; add sp, sp, #12; pop {pc}": 0,
    "push {lr}; vpush {d8-d10}; bl f; vpop {d8-d10}; pop {pc}": 1,
    "str lr, [sp, #-8]!; bl f; ldr pc, [sp], #8": 0,
    "push {fp, lr}; add fp, sp, #4; sub sp, sp, #20; sub sp, fp, #4; bl f; pop {fp, pc}": 0,
    "push {r4, lr}; mov r4, sp; sub sp, sp, r0; mov sp, r4; bl f; pop {r4, pc}": 0,
    "push {r4, lr}; sub sp, sp, r0; bl f; pop {r4, pc}": 1,
    "push {r4, lr}; bic r0, r0, #7; sub sp, sp, r0; bl f; pop {r4, pc}": 0,
    "push {r4, lr}; cmp r0, #0; subne sp, sp, #4; bl f; pop {r4, pc}": 1,
    "push {r4, lr}; cmp r0, #0; beq 1f; sub sp, sp, #4; 1: bl f; pop {r4, pc}": 1,
    "push {r4, lr}; 1: bl f; subs r4, r4, #1; bne 1b; pop {r4, pc}": 0,
    "push {r4, lr}; 1: bl f; push {r0}; subs r4, r4, #1; bne 1b; pop {r4, pc}": 1,
    "push {lr}; pop {lr}; b f": 0,
    "push {r4, lr}; pop {r4}; blx r3; pop {pc}": 1,
    "push {r4, lr}; add pc, pc, r0; nop; bl f; pop {r4, pc}": 1,
}


@pytest.mark.parametrize("text", FOLLOWED)
def test_sp_is_followed(tmp_path: Path, text: str) -> None:
    source, made = tmp_path / "a.S", tmp_path / "a.o"
    body = "\n".join(f" {part}" for part in text.split("; "))
    source.write_text(f".arm\n.fpu neon\nmod_exp:\n{body}\n.type f, %function\nf:\n bx lr\n")
    subprocess.run(
        ["arm-linux-gnueabihf-gcc", "-march=armv7-a", "-mfpu=neon", "-c", source, "-o", made],
        check=True,
    )
    words = ["arm-linux-gnueabihf-objdump", "-d", "-z", "--no-show-raw-insn", made]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert len(list(misaligned(Code(said)))) == FOLLOWED[text]
