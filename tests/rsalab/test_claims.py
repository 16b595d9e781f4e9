"""Claims: true of the reference results, proof of something, tied to the
sentences they back."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from made_snapshot import add

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, ROOT, Snapshot
from records.results import load
from rsalab import markdown
from rsalab.steps import claims, figures, spent

REFERENCE = load("results/qemu-gcc12")
ALL = [s for study in (LADDER, *ladder.studies()) for s in ladder.snapshots(study)]
STEPS = [pytest.param(s, id=f"{s.study}/{s.name}") for s in ALL if s.parent]


@pytest.mark.parametrize("child", STEPS)
def test_every_claim_holds_and_proves_something(child: Snapshot) -> None:
    if not spent.spent(REFERENCE, child.study, child.name, "O1").total:
        pytest.skip("not in the reference yet: `make reference report`")
    assert list(claims.faults(REFERENCE, child)) == []


@pytest.mark.parametrize("folder", ["qemu-gcc14", "qemu-clang14"])
@pytest.mark.parametrize("child", ladder.snapshots()[1:], ids=lambda child: child.name)
def test_a_claim_holds_with_every_compiler_or_its_sentence_names_one(
    child: Snapshot, folder: str
) -> None:
    """Those results have the ladder alone, and not what a claim sets beside it."""
    controls = [one.parent.name for one in ROOT.glob("studies/alone/*/rsa.c")]
    for line in claims.faults(load(f"results/{folder}"), child):
        of_control = any(f"nothing of '{name}:" in line for name in controls)
        assert of_control, line


NAMES = (  # a compiler, what a sentence calls it, whether it is meant
    ("arm-linux-gnueabihf-gcc 12.2.0", "gcc", True),
    ("arm-linux-gnueabihf-gcc 12.2.0", "gcc 12", True),
    ("arm-linux-gnueabihf-gcc 12.2.0", "gcc 1", False),
    ("arm-linux-gnueabihf-gcc 14.2.0", "gcc 12", False),
    ("arm-linux-gnueabihf-gcc 12.2.0", "clang", False),
    ("clang 14.0.6", "clang 14", True),
    ("clang 14.0.6", "gcc", False),
)


@pytest.mark.parametrize(("compiler", "name", "meant"), NAMES)
def test_a_sentence_names_a_compiler(compiler: str, name: str, meant: bool) -> None:
    assert claims.is_of(compiler, name) == meant


def test_a_false_claim_about_the_compiler_of_the_results_is_seen() -> None:
    """v3's sentence [2] names gcc."""
    wrong = replace(ladder.find("v3"), claims=("[2] O1: own(less) < parent(less)",))
    assert "false" in "".join(claims.faults(REFERENCE, wrong))
    assert not list(claims.faults(load("results/qemu-clang14"), wrong))


def test_a_sentence_that_is_false_with_a_compiler_is_marked() -> None:
    child = ladder.find("v4")
    other = load("results/qemu-clang14")
    steps = {level: spent.compared(other, child, level) for level in ladder.LEVELS}
    told = figures.told_here(other, child, steps)
    wrong = [line for line in told if line.startswith("NOT HERE (-O1, -O3): ")]
    assert wrong and all("gcc" in line for line in wrong)
    gain = steps["O3"].gain
    assert f"{gain:.2f} at -O3" in told[0] and not told[0].startswith("NOT")


@pytest.mark.parametrize("child", STEPS)
def test_every_claim_has_its_sentence_and_every_cause_its_claim(
    child: Snapshot,
) -> None:
    assert claims.untied(child) == []
    assert child.claims and re.search(r"\d", markdown.parts(child)[markdown.VERDICT])


@pytest.mark.parametrize(
    "first", [s for s in ALL if not s.parent], ids=lambda s: s.study
)
def test_the_numbers_of_a_first_rung_are_counted(first: Snapshot) -> None:
    """Without a parent there is no claim; each number with a comma is a
    mean of the counts."""
    said = re.findall(r"\d+(?:,\d{3})+", markdown.parts(first)[markdown.VERDICT])
    means = {
        f"{one.of(name):,.0f}"
        for level in ladder.LEVELS
        if (one := spent.spent(REFERENCE, first.study, first.name, level))
        for name in one.names
    }
    assert len(said) >= 3 and set(said) <= means


JUDGED = [
    ("[1] O1: own() > parent()", "false"),
    ("[1] O1: own() > 0", "proves nothing"),
    ("[1] O1: own(nobody) < 1", "nobody"),
    ("[1] O9: own() < parent()", "comparison"),
    ("[1] own() < parent()", "comparison"),
    ("O1: own() < parent()", "comparison"),
    ("[1] O1: own(", "claim"),
    ("[1] O1: own() != parent()", "comparison"),
    ("[1] O1: __import__('os') < 1", "__import__"),
    ("[1] O1: ().__class__ < 1", "comparison"),
    ("[1] O1: own(rsa.c) < 1", "comparison"),
    ("[1] O1: own() < parent()", ""),
    ('[1] O1: saved("shr/logic") > 0', ""),
    ('[1] O1: own("mont_mul:instructions") == 8028.556', ""),
    ('[1] O1: own("mont_mul:nothing") < 1', "nothing"),
    ("[1] O1: gain(mmm_1) + parent(mmm_1) / 0 > 1", "zero"),
]


@pytest.mark.parametrize(("claim", "said"), JUDGED)
def test_a_claim_is_judged(claim: str, said: str) -> None:
    found = list(claims.faults(REFERENCE, replace(ladder.find("v4"), claims=(claim,))))
    assert (not found) if not said else said in found[0]


def test_a_comment_above_moves_no_place(tmp_path: Path) -> None:
    """The numbers of claims are the same, by results that were counted before."""
    for name in ("studies", "results"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "iterations", tmp_path / "iterations")
    for file in ("v1/nat.h", "v2/nat.h", "v5/rsa.c", "v8/rsa.c", "v8/mont.S"):
        path = tmp_path / "iterations" / file
        path.write_text("/* one\n * more */\n" + path.read_text())
    moved = load("results/qemu-gcc12", tmp_path)
    for name in ("v1", "v2", "v5", "v8"):
        before = ladder.find(name)
        after = ladder.find(name, root=tmp_path)
        assert list(claims.faults(moved, after)) == []
        for level in ladder.LEVELS:
            there = {level: spent.compared(REFERENCE, before, level)}
            here = {level: spent.compared(moved, after, level)}
            listed = claims.listing(moved, after, here)
            assert listed == claims.listing(REFERENCE, before, there)


def test_a_place_is_every_line_of_a_function_that_has_the_text() -> None:
    """In C and in assembly, with its kind or without; a text that nothing has is named."""
    one = spent.spent(REFERENCE, "limit", "window", "O1")
    products = one.keys("mod_exp: product w")
    source = (one.folder / "mont.S").read_text().splitlines()
    lines = [source[int(key.partition(":")[2]) - 1] for key in products]
    assert len(lines) == 3 and all("product w, u" in line for line in lines)
    v5 = spent.spent(REFERENCE, LADDER, "v5", "O1")
    assert v5.of("mmm: for (i/loads") < v5.of("mmm: for (i") < v5.of("mmm: for (")
    with pytest.raises(Failure, match="v5: no line of 'mmm' has 'goto'"):
        v5.of("mmm: goto")


def test_a_claim_speaks_of_one_operation() -> None:
    """Two round trips of 60 instructions in all, of which `f` takes 20; a
    product takes 7.5."""
    cells = spent.Counter({("f", "adds"): 20, ("g", "multiplies"): 40})
    child = spent.Spent(
        2, cells, spent.Counter({"f": 20, "g": 40, "mont_mul:loads": 15})
    )
    above = spent.Spent(2, spent.Counter({("f", "loads"): 90}), spent.Counter(f=90))

    def value(text: str) -> float:
        return claims.values(
            claims.parse(f"[1] O1: {text} == 0"), spent.Step(above, child)
        )[0]

    assert (value("own()"), value("parent()"), value("saved()")) == (30, 45, 15)
    assert (value("own(f)"), value("own(f, g)"), value('own("mont_mul:loads")')) == (
        10,
        30,
        7.5,
    )
    assert (value("gain()"), value("gain(f)"), value("2 * own(f) + 1")) == (
        1.5,
        4.5,
        21,
    )


README = """---
idea: x
parent: v0
---

**Idea.** x

**Change.** x

**Why.** x

**Measured.** x

**What came of it.** {}

"""


TIES = [
    ("It gains [1]. It gains because of x [2].", []),
    ("It gains, so it is good [1, then] and x [2].", ["no sentence ends with [1]"]),
    ("It gains [1].", ["no sentence ends with [2]"]),
    ("It gains [1]. It gains [2]. It gains [3].", ["no claim [3]"]),
    (
        "It gains [1]. It gains [2]. It gains because of x.",
        ["without a claim: It gains because"],
    ),
]


@pytest.mark.parametrize(("text", "said"), TIES)
def test_sentences_and_claims_belong_together(
    tmp_path: Path, text: str, said: list[str]
) -> None:
    add(tmp_path, "v0")
    step = "claims = ['[1] O1: own() < parent()', '[2] O3: own() < parent()']"
    folder = add(tmp_path, "v1", "v0", step=step)
    (folder / "README.md").write_text(README.format(text))
    child = ladder.find("v1", root=tmp_path)
    found = claims.untied(child, tmp_path)
    assert len(found) == len(said) and all(
        part in line for part, line in zip(said, found)
    )
    assert "[" not in markdown.parts(child, tmp_path)[markdown.VERDICT].replace(
        "[1, then]", ""
    )
