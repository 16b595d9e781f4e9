"""What the explorer says of instructions and of macros, without a browser."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from records import ladder
from records.ladder import ROOT
from records.results import reference
from records.rows import read_rows
from rsalab.explorer import instructions
from rsalab.explorer.instructions import explained
from rsalab.explorer.listing import expansions

LISTED = re.compile(r"^ *[\d,]+  ([a-z]\S*)", re.M)


def test_every_instruction_of_the_listings_is_explained() -> None:
    """Those that the READMEs show; the page's own are in test_explorer_lecture.py."""
    files = [*ROOT.glob("iterations/*/README.md"), *ROOT.glob("studies/*/*/README.md")]
    blocks = (re.findall(r"```asm\n(.*?)```", file.read_text(), re.S) for file in files)
    found = {name for file in blocks for block in file for name in LISTED.findall(block)}
    assert len(found) > 20
    assert [name for name in sorted(found) if not explained(name)] == []


def test_every_line_of_help_is_whole() -> None:
    with Path(instructions.__file__).with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert all(len(row) == 4 and all(row) for row in rows)
    names = [row[0] for row in rows]
    assert names == sorted(set(names[:-1]), key=names.index) + [".word"]


@pytest.mark.parametrize(
    ("mnemonic", "words"),
    [
        ("bls", ["jump", "only if not above"]),
        ("bl", ["call"]),
        ("blt", ["jump", "only if below"]),
        ("umaal", ["hi : lo"]),
        ("umlalcs", ["add a product", "only if carry set"]),
        ("rsbseq", ["sets the flags", "only if equal"]),
        ("ldmdb", ["load several", "downwards"]),
        ("vaddl.u32", ["lane by lane"]),
        ("movs", ["sets the flags"]),
    ],
)
def test_suffixes_are_explained(mnemonic: str, words: list[str]) -> None:
    assert all(word in explained(mnemonic)[0] for word in words)


def test_what_is_not_published_is_not_given() -> None:
    assert explained("umaal")[1:] == ["3", "not published", "2"]
    assert explained("vorr")[1] == "not on this core"
    assert explained("frobnicate") == []


def test_a_macro_in_a_macro_and_repetitions() -> None:
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


def test_a_macro_with_conditions_is_left_out() -> None:
    source = " .macro m a\n .ifnb \\a\n nop\n .endif\n .endm\n m 1\n"
    assert expansions(source) == {}


def test_an_expansion_has_the_classes_that_were_counted() -> None:
    """The instructions at a line that uses a macro are those of its body, again and again."""
    counted: dict[tuple[str, str], dict[int, list[str]]] = {}
    for row in read_rows(reference() / "lines.csv"):
        if row["file"] == "mont.S" and row["level"] == "O1":
            lines = counted.setdefault((row["study"], row["snapshot"]), {})
            lines.setdefault(row["line"], []).append(row["class"])
    assert len(counted) > 5
    for (study, snapshot), lines in counted.items():
        source = ladder.find(snapshot, study).path / "mont.S"
        for line, bodies in expansions(source.read_text()).items():
            by_body: dict[int, set[str]] = {}
            for k, name in enumerate(lines.get(line, [])):
                by_body.setdefault(bodies[k % len(bodies)][-1], set()).add(name)
            assert len(lines.get(line, [])) % len(bodies) == 0
            assert all(len(found) == 1 for found in by_body.values()), (snapshot, line)
