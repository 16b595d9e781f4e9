"""Work that is handed in twice: copies, and variants that make an answer fit nobody else."""

import re
from pathlib import Path

import pytest
from needs import needs
from two_rungs import make

from labs import lab, likeness, variant
from labs.book import KNOWN, START, Book, Program
from labs.judge import Verdict
from labs.likeness import is_copy, runs_of
from records.ladder import ROOT

VARIED = [one for one in lab.with_variants() if one.is_variant]
FIRST, SIXTH = lab.find("1"), lab.find("6")


def renamed(text: str) -> str:
    """The same program with another name for each variable and function, and other comments."""

    def other(word: re.Match[str]) -> str:
        kept = word[0] in {*likeness.C_WORDS, "modulus", "mod_exp", "mont_mul"}
        return word[0] if kept or word[0].startswith("_") else f"my_{word[0]}"

    lines = []
    for line in likeness.COMMENT.sub("", text).splitlines():
        lines.append(line if "#" in line else re.sub(r"\b[a-z_]\w*", other, line))
    return "\n".join(["/* mine */", *lines])


def functions_moved(text: str) -> str:
    """The same program with its last function in front of the others, declared before."""
    head, _, last = text.rpartition("\nvoid mod_exp(")
    return f"void mod_exp({last}\n{head}"


@pytest.mark.parametrize("change", [str, renamed, functions_moved])
def test_a_rung_that_is_handed_in_is_a_copy(change) -> None:
    v7 = lab.sources_of(ROOT / "iterations/v7")
    changed = {name: change(text) for name, text in v7.items()}
    start = runs_of(SIXTH.starter())
    assert is_copy(runs_of(changed), runs_of(v7), start)
    assert not is_copy(start, runs_of(v7), start)


def test_programs_that_were_written_apart_are_no_copies() -> None:
    """Three of one width that multiply word by word."""
    names = (
        "iterations/v7",
        "studies/alone/word-serial-arrays",
        "studies/alone/limbs-by-pointer",
    )
    start = runs_of(SIXTH.starter())
    runs = [
        runs_of(lab.sources_of(ROOT / name)) for name in names if (ROOT / name).exists()
    ]
    assert len(runs) > 1 and not any(
        is_copy(one, other, start) for one in runs for other in runs if one != other
    )


def test_a_few_lines_are_no_sign() -> None:
    """Who solves an exercise by two lines has the lines of others."""
    third = lab.find("3")
    solution = runs_of(third.solution())
    assert not is_copy(solution, solution, runs_of(third.starter()))


def test_a_copy_has_no_mark_until_somebody_has_looked(monkeypatch) -> None:
    book = Book()
    v5 = lab.sources_of(ROOT / "iterations/v5")
    entered = [
        Program(FIRST.name, START, "", Verdict(), runs=runs_of(FIRST.starter())),
        Program(FIRST.name, KNOWN, "iterations/v5", Verdict(), runs=runs_of(v5)),
        Program(FIRST.name, "a/1", "ann", Verdict(), runs=runs_of(v5)),
        Program(FIRST.name, "b/1", "bob", Verdict(), runs=frozenset("01234567")),
    ]
    for program in entered:
        book.add(program)
    ann, bob = (row.cells for row in book.rows({"right": 10}))
    assert (ann["mark"], ann["copy_of"]) == ("", "iterations/v5")
    assert (bob["mark"], bob["copy_of"]) == ("10", "")
    monkeypatch.setenv("COPIES", "allow")
    assert book.rows({"right": 10})[0].cells["mark"] == "10"


def test_a_variant_is_one_students(tmp_path: Path) -> None:
    """The same seed gives the same one; not everybody has the same."""
    ninth = lab.find("9")
    given = {name: variant.variant_for(ninth, "7", name) for name in "abcdefghij"}
    assert given == {name: variant.variant_for(ninth, "7", name) for name in given}
    assert {one.width for one in given.values()} == {*ninth.variants}
    one, *others = given.values()
    other = next(another for another in others if another != one)
    assert variant.why_not(one, "7", "a") == variant.why_not(other, "", "a") == ""
    assert (
        variant.why_not(other, "7", "a") == f"the variant of this student is {one.name}"
    )
    assert "the variant" in variant.why_not(ninth, "7", "a")
    for found in VARIED:
        assert lab.find(found.number) == lab.find(found.name) == found


@needs("arm-linux-gnueabihf-gcc")
@pytest.mark.long
@pytest.mark.parametrize("one", VARIED, ids=[one.name for one in VARIED])
def test_the_solution_of_a_variant_is_right(checkout: Path, one) -> None:
    """At its width, and with a bug in its last carry it is not."""
    work = checkout / lab.WORK / one.name
    work.mkdir(parents=True)
    solution = one.solution()
    bug = {
        "mont.S": solution["mont.S"].replace(
            "adc     r\\t, top, #0", "mov     r\\t, #0"
        )
    }
    for said, files in ("right at -O1", solution), ("wrong", solution | bug):
        for name, text in files.items():
            (work / name).write_text(text)
        (work / "predict.txt").write_text("O1 2..4 none\n")
        ran = make(checkout, "lab", f"L={one.number}", "LEVELS=O1")
        assert said in ran.stdout, ran.stdout + ran.stderr
