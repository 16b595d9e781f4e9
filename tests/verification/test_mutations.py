"""The mutants' machinery, a quick sample of them, and the committed
verdicts on all."""

from typing import Any

import pytest

for package in ("bitwuzla", "capstone", "sympy", "unicorn"):
    pytest.importorskip(package)

from records import ladder
from verification import mutations
from verification.mutants import OPEN, SUMMARY, Assembly, Unit, read, units
from verification.mutations import NOP, OfCode

SAMPLE = 5  # mutants of a file
# Every mont.S, of which one of each study is quick, and one file of C for every way of holding a
# number.
IN_C = {("v0", "nat.h"), ("v2", "nat.h"), ("v3", "nat.h"), ("v6", "rsa.c")}
ONE = {unit.snapshot.study: unit.name for unit in units() if unit.file == "mont.S"}
SAMPLED = [
    pytest.param(unit, marks=[pytest.mark.long] * (unit.name not in ONE.values()))
    for unit in units()
    if unit.file == "mont.S"
]
SAMPLED += [unit for unit in units() if (unit.snapshot.name, unit.file) in IN_C]


@pytest.mark.slow
@pytest.mark.parametrize("unit", SAMPLED, ids=lambda unit: unit.name)
def test_a_sample_is_killed_or_proved(unit: Unit) -> None:
    """Mutants from all over the file; open only where the table has such."""
    judge: Any = unit.judge()
    none_open = any(row["file"] == unit.name and row["open"] == "0" for row in read(SUMMARY))
    step = max(1, len(judge.mutations) // SAMPLE)
    verdicts = [judge.verdict(mutation) for mutation in judge.mutations[::step]]
    assert {*verdicts} <= {"killed", "proved", "invalid", *["open"] * (not none_open)}
    assert verdicts.count("killed") > len(verdicts) // 2


@pytest.mark.slow
@pytest.mark.parametrize("word", (0x20A76C92, 0x20477001))  # umlalcs, subcs
def test_the_carry_out_of_the_first_product_is_seen(word: int) -> None:
    """Of width-64/v3's mod_exp."""
    judge = Assembly(ladder.find("v3", "width-64"), "")
    place = judge.source.index(word, judge.source.index(0xE92D4FF1))  # mod_exp's push
    court = judge.plant(judge.court, OfCode(place, "left out", (NOP,)))
    found = court.killer()
    assert found is not None and court.calls[found].function == "mod_exp"


def test_no_mutant_is_missed() -> None:
    """What random operands find, the vectors find, too; what is open, says
    what was tried."""
    rows = read(SUMMARY)
    assert {row["file"] for row in rows} & {unit.name for unit in units()}
    for row in rows:
        killed, proved, left = (int(row[said]) for said in ("killed", "proved", "open"))
        assert row["missed"] == "0" and int(row["mutants"]) == killed + proved + left, row["file"]
        assert left == sum(other["file"] == row["file"] for other in read(OPEN))
    assert all(row["tried"] for row in read(OPEN))


@pytest.mark.long
@pytest.mark.parametrize("unit", list(units()), ids=lambda unit: unit.name)
def test_the_verdicts_are_on_the_files_as_they_are(unit: Unit) -> None:
    """`make verify DO=mutants` judges what has changed."""
    keys = {row["file"]: row["key"] for row in read(SUMMARY)}
    if unit.name not in keys:
        pytest.skip("no verdicts yet: make verify DO=mutants")
    assert keys[unit.name] == unit.key()


def test_mutations_of_c() -> None:
    text = "static int f(nat *x, int y)\n{\n    y += x->w0 * 2;\n    return -y < 3 && *x;\n}\n"
    assert mutations.words(text) == mutations.words(text.replace("{\n", "{  /* f */"))
    made = [mutation.of(text) for mutation in mutations.of_text(text)]
    assert len(made) == len(set(made)) and text not in made
    for new in ("y -= x", "w1 * 2", "w0 + 2", "w0 * 3", "w0 * 1", "-y <= 3", "-y > 3", "3 || *x"):
        assert any(new in one for one in made), new
    assert any("y +=" not in one and "y -=" not in one and "y =" not in one for one in made)


def test_mutations_of_instructions() -> None:
    adcs, umaal, ldr = 0xE0BBB000, 0xE04E0194, 0xE59D2004
    for word, wanted in ((adcs, 0xE0ABB000), (umaal, 0xE0AE0194), (ldr, 0xE59D200C)):
        made = [mutation.words for mutation in mutations.of_code([word])]
        assert len(made) == len(set(made)) and (word,) not in made
        assert (wanted,) in made and (NOP,) in made
    assert OfCode(0, "order", (ldr, adcs)) in list(mutations.of_code([adcs, ldr]))
