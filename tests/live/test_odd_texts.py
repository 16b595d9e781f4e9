"""Texts that nobody writes on purpose: each ends with one line, and the page goes on."""

from typing import Any

import pytest
from live_page import answered, choose, edit
from needs import needs
from representatives import mostly_long

from records.ladder import ROOT

pytestmark = needs("arm-linux-gnueabihf-gcc")
V8 = (ROOT / "iterations/v8/mont.S").read_text(encoding="utf-8")
HEAD = ".global mont_mul\nmont_mul:\n"
GROWS = ".macro g a\n.ifc x,\\a\n.endif\ng \\a\\a\n.endm\n"
DOUBLES = "".join(f".macro m{k}\nm{k - 1}\nm{k - 1}\n.endm\n" for k in range(1, 40))
NAMES = ".macro d n\n.equ c\\n, \\n\n.endm\n" + "".join(f"d {k}\n" for k in range(1000))
ENDLESS = "no end after 2,000,000 instructions"
ODD = {
    "nothing": ("", "the program has no label mont_mul"),
    "letters of another kind": ("\0\0 🦀\n", "is not known to this assembler"),
    "lines end as elsewhere": (V8.replace("\n", "\r\n"), "Right"),
    "a macro that uses itself": (".macro m\nm\n.endm\nm\n", "uses itself without an end"),
    "an argument that grows": (GROWS + "g abcdefgh\n", "a line of more than 2000 letters"),
    "macros that double": (".macro m0\nnop\n.endm\n" + DOUBLES + "m39\n", "more than 20,000 lines"),
    "a loop of nothing": (".rept 1000000000\n.endr\n", "more than 20,000 lines"),
    "many names in macros": (NAMES + V8, "Right"),
    "too many names": ("".join(f".equ c{k}, {k}\n" for k in range(5000)) + V8, "more than 2000 names"),
    "a name that needs itself": (".equ a, a + 1\n" + V8, "`a` is not defined above this line"),
    "a long line": (HEAD + "nop;" * 25000, "a line of 100000 letters"),
    "much space": (HEAD + ".space 1000000, 7\n", "1000000 bytes cannot be left free"),
    "the same fault often": (HEAD + "add r0, r0, #257\n" * 9, "; the same in 8 lines more"),
    "a loop that does not end": (HEAD + "1: b 1b\n", ENDLESS),
    "a store over code": (HEAD + "adr r12, mont_mul\nstr r0, [r12]\nbx lr\n", "a store to the program"),
    "a branch into data": (HEAD + "b table\ntable: .word 0x12345678\n", "this is data, and it is executed"),
    "a jump to an odd address": (HEAD + "add r12, pc, #1\nbx r12\n", "an odd address"),
}  # fmt: skip


@pytest.mark.parametrize("what", mostly_long(ODD, list(ODD)[::3]))
def test_an_odd_text_ends_with_a_line(live: Any, what: str) -> None:
    text, says = ODD[what]
    choose(live, "v8", "O1")
    edit(live, text)
    first, *_ = live.find_element("id", "verdict").text.splitlines()
    assert says in first and len(first) < 300


def test_a_text_that_is_too_long_is_not_pasted(live: Any) -> None:
    before = choose(live, "v8", "O1")
    script = """
        const data = "x".repeat(5_000_000);
        const event = new InputEvent("beforeinput", { data, inputType: "insertFromPaste", cancelable: true });
        return $("text").dispatchEvent(event);"""
    assert not live.execute_script(script)
    said = live.find_element("id", "verdict").text
    assert said.startswith("200,000 letters are the most")
    assert live.execute_script("return $('text').value") == before


@pytest.mark.long
def test_a_worker_without_an_answer_is_replaced(live: Any) -> None:
    choose(live, "v8", "O1")
    live.execute_script("worker.postMessage = () => {}; run();")
    answered(live)
    assert "takes more than 10 seconds" in live.find_element("id", "verdict").text
    edit(live, V8)
    assert live.find_element("id", "verdict").text.startswith("Right")
