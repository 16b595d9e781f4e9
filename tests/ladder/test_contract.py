"""make refuses a snapshot that breaks the contract: each mistake, planted
in a copy of v8."""

import re
import shutil
from pathlib import Path

import pytest
from driver_build import vectors, wrong
from needs import needs
from representatives import mostly_long
from two_rungs import make

from harness import check
from harness.counters import QEMU

pytestmark = pytest.mark.slow

HEAD = re.compile(r"(void mod_exp\([^{;]*\)\n\{\n)")
POP = "pop     {r0, r3, r4-r11, pc}"


def planted(
    tree: Path, old: str, new: str, file: str = "rsa.c", place: str = "iterations"
) -> str:
    """v9, a copy of v8 with one change; what make says on stderr when it
    refuses to check it."""
    folder = tree / place / "v9"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(
        tree / "iterations/v8", folder, copy_function=shutil.copy
    )  # of this date
    text = (folder / file).read_text()
    assert text.count(old) >= 1
    (folder / file).write_text(text.replace(old, new, 1))
    ran = make(tree, f"build/{place}/v9/O1/check.ok")
    shutil.rmtree(folder)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert not (tree / f"build/{place}/v9/O1/check.ok").exists()
    assert "CHECK FAILED" in ran.stderr, ran.stderr
    return ran.stderr


def in_mod_exp(
    tree: Path, statement: str, before: str = "", place: str = "iterations"
) -> str:
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
    "constant": (
        "",
        "extern const int helper; const int helper = 1;",
        "exports helper:",
    ),
    "function": ("", "void helper(void); void helper(void) {}", "exports helper:"),
    "pragma": ("", "#pragma GCC optimize 3", "the level is make's"),
    "attribute": ("", '__attribute__((optimize("O3")))', "the level is make's"),
    "spliced": (
        "",
        "#define A(x, y) x##y\n__attribute__((A(opti, mize)(3)))",
        "the level is make's",
    ),
}


@pytest.mark.parametrize("name", mostly_long(PLANTED, ["exit", "bss", "spliced"]))
def test_a_mistake_in_c(tree: Path, name: str) -> None:
    statement, before, said = PLANTED[name]
    assert said in in_mod_exp(tree, statement, before)


@pytest.mark.long
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


@pytest.mark.parametrize("names", mostly_long(REGISTERS, ["r11 d8 d15"]))
def test_registers_are_preserved(tree: Path, names: str) -> None:
    """mod_exp, which calls mont_mul, is lost without some of them;
    mont_mul's own check says."""
    planted(tree, POP, ".fpu neon\n " + REGISTERS[names], "mont.S")
    todo = [call for call in vectors() if call.function == "mont_mul"]
    said = wrong(todo, tree, *QEMU, tree / "build/iterations/v9/O1/rsa")
    assert said.endswith(f"not preserved: {names}\n")


@pytest.mark.parametrize(
    "statement",
    mostly_long(
        ["z[LIMBS] = 0;", "((struct modulus *)m)->rr[0] ^= z[0];"], ["z[LIMBS] = 0;"]
    ),
)
def test_memory_around_operands(tree: Path, statement: str) -> None:
    text = (tree / "iterations/v8/rsa.c").read_text()
    body = text[text.index("void mod_exp") :]
    assert "other memory" in planted(
        tree, body, body.rstrip()[:-1] + statement + "\n}\n"
    )


NO_DUMP = Path("none")
SPLICED = (  # ways to ask for another level
    '__attribute__((optimize("O3"))) int f(void) { return 0; }',
    "__attribute__((__optimize__(3))) int f(void) { return 0; }",
    "__attribute__((aligned(8), noinline, optimize(3))) int f(void) { return 0; }",
    "[[gnu::optimize(3)]] int f(void) { return 0; }",
    "#define JOIN(x, y) x##y\n__attribute__((JOIN(opti, mize)(3))) int f(void) { return 0; }",
    "#define A attribute__\n#define J(x, y) x##y\n#define K(x, y) J(x, y)\n"
    "K(__, A)((optimize(3))) int f(void) { return 0; }",
    "__attribute__((opti\\\nmize(3))) int f(void) { return 0; }",
    "__attribute__((optimize /* now */\n\n\n\n\n\n\n\n\n\n\n\n(3))) int f(void) { return 0; }",
    "#pragma GCC optimize 3",
    "#pragma GCC opt\\\nimize 3",
    "%:pragma GCC optimize 3",
    "??=pragma GCC optimize 3",
    '_Pragma("GCC optimize 3")',
    "#define DO(x) _Pragma(#x)\nDO(GCC optimize 3)",
    "#define DO(x) _Pragma(#x)\n#define L GCC optimize\n#define E(x) DO(x)\nE(L 3)",
    "#if defined __OPTIMIZE__\n#pragma GCC optimize 3\n#endif",
    '# 1 "/usr/include/stdio.h" 1 3\n#pragma GCC optimize 3',
    '__attribute__((aligned(((8))), optimize("O3"))) int f(void) { return 0; }',
    '__attribute__((deprecated("("), optimize("O3"))) int f(void) { return 0; }',
    "__attribute__((aligned(sizeof(int (*)(void))), optimize(3))) int f(void) { return 0; }",
    '__attribute__((optimize("O3"))) int f(void);\nint f(void) { return 0; }',
)


@pytest.mark.parametrize("text", SPLICED)
def test_another_level_is_found_however_it_is_spelt(
    tmp_path, monkeypatch, text: str
) -> None:
    source = tmp_path / "rsa.c"
    source.write_text(f"{text}\nint g(void) {{ return 0; }}\n")
    monkeypatch.setenv("COMPILE", "arm-linux-gnueabihf-gcc -std=gnu2x -trigraphs -O1")
    assert "the level is make's" in next(check.of_level(source, NO_DUMP))


def test_words_that_ask_for_nothing_are_no_fault(tmp_path: Path, monkeypatch) -> None:
    source = tmp_path / "rsa.c"
    source.write_text(
        "/* optimize (by hand) */\n#include <arm_neon.h>\nint optimized(void);\n"
        "__attribute__((noinline)) int optimize(int x);\n"
        "int twice(int x) { return optimize(1) + optimize(optimize(x)); }\n"
        'int optimize(int x) { return x + __builtin_strlen("\\n__attribute__((optimize (1)"); }\n'
    )
    monkeypatch.setenv("COMPILE", "arm-linux-gnueabihf-gcc -mfpu=neon -mfloat-abi=hard")
    assert not [*check.of_level(source, NO_DUMP)]


@needs("clang")
def test_clang_is_asked_in_its_own_words(tmp_path: Path, monkeypatch) -> None:
    source = tmp_path / "rsa.c"
    monkeypatch.setenv("COMPILE", "clang --target=arm-linux-gnueabihf -O1")
    for text in ("__attribute__((optnone))", "#pragma clang optimize off\n", ""):
        source.write_text(f"{text} int f(int x) {{ return 3 * x; }}\n")
        assert bool([*check.of_level(source, NO_DUMP)]) == bool(text)
