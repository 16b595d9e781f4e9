"""The diff explorer's data and file, and what it says of instructions and
macros, without a browser."""

import json
import re
from pathlib import Path

import pytest
from clone import Clone
from explorer_page import STATIC, explore

from records import policy
from records.ladder import ROOT
from records.machine import NEEDED
from rsalab.explorer import listing
from rsalab.explorer.listing import Function, expansions

TEXTS = [
    ("beq\tc4 <add+0xc4>", None, "beq     +b4"),
    ("bne\t120 <mont_mul+0x34>", None, "bne     mont_mul+34"),
    ("bl\t0 <load>", ("R_ARM_CALL", "memcpy"), "bl      memcpy"),
    ("ldr\tr1, [pc, #164]\t@ e4 <add+0xd4>", None, "ldr     r1, [+d4]"),
    ("push\t{fp}\t\t@ (str fp, [sp, #-4]!)", None, "push    {fp}"),
    (".word\t0x000000a0", ("R_ARM_REL32", ".rodata"), ".word   .rodata+0x000000a0 - ."),
    ("movw\tr3, #0", ("R_ARM_MOVW_ABS_NC", "t"), "movw    r3, #0 (MOVW_ABS_NC t)"),
]


@pytest.mark.parametrize(("objdump", "relocation", "text"), TEXTS)
def test_text_of_an_instruction(
    objdump: str, relocation: tuple | None, text: str
) -> None:
    assert listing.text(objdump, Function("add", 0x10), relocation) == text


def test_embedded_text_cannot_end_its_element() -> None:
    value = {"a": "</script><!-- é"}
    text = policy.held("data", value).partition(">")[2].removesuffix("</script>")
    assert "<" not in text and json.loads(text) == value


def test_nothing_measured_is_one_line(tmp_path: Path) -> None:
    out, facts = tmp_path / "explorer.html", json.dumps(dict.fromkeys(NEEDED, "x"))
    for file, text, words in (
        ("machine.json", "{", "machine.json: "),
        ("machine.json", facts, "not measured here"),
        ("lines.csv", "x\n", "lines.csv:1: "),
    ):
        (tmp_path / file).write_text(text)
        ran = explore(ROOT, tmp_path, out)
        assert (
            ran.returncode == 2 and words in ran.stderr and ran.stderr.count("\n") == 1
        )
        assert ran.stderr.startswith("explorer: ") and not out.exists()


def embedded(out: Path) -> dict:
    """The data of a page."""
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', out.read_text()
    )
    return json.loads(found[1])


def test_page_is_whole_small_and_the_same_again(
    explored: Clone, built: Path, tmp_path
) -> None:
    out = tmp_path / "again.html"
    ran = explore(explored.path, explored.path / "results/local", out)
    assert ran.returncode == 0 and out.read_bytes() == built.read_bytes()
    text = out.read_text()
    fetched = r"<(link|img|iframe|object)\b|\b(src|href)=|@import|url\("
    assert not re.search(
        fetched, re.sub(r"<(script|pre)\b.*?</\1>", "", text, flags=re.S)
    )
    assert len(text) < 5e6
    value = embedded(out)
    labels = [snapshot["label"] for snapshot in value["snapshots"]]
    assert labels[:3] == ["v0", "v1", "v2"] and labels[-1] == STATIC
    assert (
        "alone/limb-only" in value["missing"][0] and value["missing"][0] in ran.stderr
    )


def test_code_that_was_not_measured_is_named(explored: Clone, tmp_path: Path) -> None:
    copy = explored.copy(tmp_path / "copy").path
    results, out = copy / "results/local", tmp_path / "x.html"
    with (copy / "build/iterations/v1/O1/rsa").open("ab") as file:
        file.write(b"\0")
    (copy / "build/iterations/v2/O3/rsa").unlink()
    source = copy / "iterations/v3/rsa.c"
    source.write_text(source.read_text() + "/* edited */\n")
    ran = explore(copy, results, out)
    assert ran.returncode == 0
    said = "\n".join(embedded(out)["missing"])
    assert "v1 O1: rebuilt" in said
    assert "v2 O3: " in said
    assert "v3: edited" in said
    assert said.replace("\n", "\nexplorer: ") in ran.stderr


# --- instructions and macros ----------------------------------------------------------------------


SUFFIXES = [
    ("bls", ["jump", "only if not above"]),
    ("bl", ["call"]),
    ("rsbseq", ["sets the flags", "only if equal"]),
    ("ldmdb", ["load several", "downwards"]),
]


def test_macros_in_macros_repetitions_and_conditions() -> None:
    source = """        .macro  inner
        add     r0, r0, r1      @ one
        .endm
        .macro  outer
1:      inner
        .rept   2
        mul     r0, r0, r1
        .endr
        .endm
        outer
        nop
        inner
"""
    assert expansions(source) == {10: [[5, 2], [7], [7]], 12: [[2]]}
    assert expansions(" .macro m a\n .ifnb \\a\n nop\n .endif\n .endm\n m 1\n") == {}
