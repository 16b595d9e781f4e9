"""make refuses a snapshot that breaks the contract: each mistake, planted
in a copy of v8."""

import re
import shutil
from pathlib import Path

import pytest
from driver_build import vectors, wrong
from two_rungs import checkout, make

from harness.counters import QEMU

pytestmark = pytest.mark.slow

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
    """v9, a copy of v8 with one change; what make says on stderr when it
    refuses to check it."""
    folder = tree / place / "v9"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tree / "iterations/v8", folder, copy_function=shutil.copy)  # of this date
    text = (folder / file).read_text()
    assert text.count(old) >= 1
    (folder / file).write_text(text.replace(old, new, 1))
    ran = make(tree, f"build/{place}/v9/O1/check.ok")
    shutil.rmtree(folder)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert not (tree / f"build/{place}/v9/O1/check.ok").exists()
    assert "CHECK FAILED" in ran.stderr, ran.stderr
    return ran.stderr


def in_mod_exp(tree: Path, statement: str, before: str = "", place: str = "iterations") -> str:
    """The same with a statement at the head of mod_exp, and text before
    the function."""
    head = HEAD.search((tree / "iterations/v8/rsa.c").read_text())
    assert head
    return planted(tree, head[1], f"{before}\n{head[1]}{statement}\n", place=place)


PAPER = '.section .note.GNU-stack, "", %progbits'
KEEP = "last[0] = e[0] + last[0];"
HOT = """static __attribute__((section(".text.hot"), noinline)) void f(const uint32_t *e)
{ __asm__ volatile("" : : "r"(e)); }"""
LIBRARY = "#include <stdio.h>\n#include <stdlib.h>"
PLANTED = {  # statement at the head of mod_exp, text before the function, what make says
    "exit": ("if (m->n0inv) exit(0);", LIBRARY, "calls exit:"),
    "bss": (KEEP, "static volatile uint32_t last[LIMBS];", "section .bss: "),
    "data": (KEEP, "static volatile uint32_t last[LIMBS] = {1};", "section .data: "),
    "hot": ("f(e);", HOT, "section .text.hot: "),
    "constant": ("", "extern const int helper; const int helper = 1;", "exports helper:"),
    "function": ("", "void helper(void); void helper(void) {}", "exports helper:"),
    "pragma": ("", "#pragma GCC optimize 3", "the level is make's"),
    "attribute": ("", '__attribute__((optimize("O3")))', "the level is make's"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_mistake_in_c(tree: Path, name: str) -> None:
    statement, before, said = PLANTED[name]
    assert said in in_mod_exp(tree, statement, before)


def test_other_mistakes(tree: Path) -> None:
    """A section of assembly, a file of another folder; and a study is held
    to the contract, too."""
    section = f'.section "my text", "ax"\nnop\n{PAPER}'
    assert "in section my text:" in planted(tree, PAPER, section, "mont.S")
    said = planted(tree, '#include "nat.h"', '#include "../v8/nat.h"')
    assert "includes iterations/v8/nat.h:" in said
    assert "calls exit" in in_mod_exp(tree, "exit(0);", LIBRARY, "studies/alone")


RETURN = "pop     {r0, r3, r4-r11, lr}"
REGISTERS = {
    "r4": f"{RETURN}\n mov r4, #0\n bx lr",
    "r11 d8 d15": f"{RETURN}\n mov r11, #0\n vmov.i32 d8, #0\n vmov.i32 d15, #0\n bx lr",
    "sp": f"{RETURN}\n sub sp, sp, #8\n bx lr",
}


@pytest.mark.parametrize("names", REGISTERS)
def test_registers_are_preserved(tree: Path, names: str) -> None:
    """mod_exp, which calls mont_mul, is lost without some of them;
    mont_mul's own check says."""
    planted(tree, POP, ".fpu neon\n " + REGISTERS[names], "mont.S")
    todo = [call for call in vectors() if call.function == "mont_mul"]
    said = wrong(todo, tree, *QEMU, tree / "build/iterations/v9/O1/rsa")
    assert said.endswith(f"not preserved: {names}\n")


@pytest.mark.parametrize("statement", ["z[LIMBS] = 0;", "((struct modulus *)m)->rr[0] ^= z[0];"])
def test_memory_around_operands(tree: Path, statement: str) -> None:
    text = (tree / "iterations/v8/rsa.c").read_text()
    body = text[text.index("void mod_exp") :]
    assert "other memory" in planted(tree, body, body.rstrip()[:-1] + statement + "\n}\n")
