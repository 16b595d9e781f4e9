"""The mutants' machinery, a quick sample of them, and the committed verdicts on all."""

import pytest

for package in ("bitwuzla", "capstone", "sympy", "unicorn"):
    pytest.importorskip(package)

from records import ladder
from verification import mutations
from verification.mutants import OPEN, SUMMARY, Assembly, Unit, read, units
from verification.mutations import NOP, OfCode

SAMPLE = 5  # mutants of a file

IN_C = {("v0", "nat.h"), ("v2", "nat.h"), ("v3", "nat.h"), ("v6", "rsa.c")}

# The first product of width-64/v3's mod_exp loses its carry.
LOST_CARRY = {"umlalcs": 0x20A76C92, "subcs": 0x20477001}


# Every mont.S, and one file of C for every way of holding a number.
SAMPLED = [
    unit for unit in units() if unit.file == "mont.S" or (unit.snapshot.name, unit.file) in IN_C
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", SAMPLED, ids=lambda unit: unit.name)
def test_a_sample_is_killed_or_proved(unit: Unit) -> None:
    """Mutants from all over the file; open only where the table has such."""
    judge = unit.judge()
    none_open = any(row["file"] == unit.name and row["open"] == "0" for row in read(SUMMARY))
    count = len(judge.mutations)
    picked = range(0, count, max(1, count // SAMPLE))
    verdicts = [judge.verdict(i) for i in picked]
    said = {verdict for verdict, _ in verdicts}
    assert said <= {"killed", "proved", "invalid", *["open"] * (not none_open)}
    assert sum(verdict == "killed" for verdict, _ in verdicts) > len(verdicts) // 2


@pytest.mark.slow
def test_the_carry_out_of_the_first_product_is_seen() -> None:
    judge = Assembly(ladder.find("v3", "width-64"), "")
    for word in LOST_CARRY.values():
        start = judge.code.index(0xE92D4FF1)  # mod_exp's push
        place = judge.code.index(word, start)
        found = judge.machine.killer(OfCode(place, "deleted", (NOP,)))
        assert judge.machine.calls[found].function == "mod_exp"


def test_no_mutant_is_missed() -> None:
    """What random operands find, the vectors find, too; what is open, says what was tried."""
    rows = read(SUMMARY)
    assert {row["file"] for row in rows} & {unit.name for unit in units()}
    for row in rows:
        assert row["missed"] == "0", row["file"]
        killed, proved, left = (int(row[said]) for said in ("killed", "proved", "open"))
        assert int(row["mutants"]) == killed + proved + left
        assert killed or not left
        assert left == sum(other["file"] == row["file"] for other in read(OPEN))
    assert all(row["tried"] for row in read(OPEN))


@pytest.mark.long
@pytest.mark.parametrize("unit", list(units()), ids=lambda unit: unit.name)
def test_the_verdicts_are_on_the_files_as_they_are(unit: Unit) -> None:
    """`make mutants` judges what has changed."""
    keys = {row["file"]: row["key"] for row in read(SUMMARY)}
    if unit.name not in keys:
        pytest.skip("no verdicts yet: make mutants")
    assert keys[unit.name] == unit.key()


def test_a_comment_is_no_change() -> None:
    one, other = "int f(int x)\n{\n    return x + 1;\n}\n", "int f(int x) /* f */ { return x+1; }"
    assert mutations.words(one) == mutations.words(other) != mutations.words(one.replace("+", "-"))


def test_mutations_of_c() -> None:
    text = "static int f(nat *x, int y)\n{\n    y += x->w0 * 2;\n    return -y < 3 && *x;\n}\n"
    made = [mutation.of(text) for mutation in mutations.of_text(text)]
    assert len(made) == len(set(made)) and text not in made
    for new in ("y -= x", "w1 * 2", "w0 + 2", "w0 * 3", "w0 * 1", "-y <= 3", "-y > 3", "3 || *x"):
        assert any(new in one for one in made), new
    assert any("y +=" not in one and "y -=" not in one and "y =" not in one for one in made)


def test_mutations_of_instructions() -> None:
    adcs, umaal, ldr = 0xE0BBB000, 0xE04E0194, 0xE59D2004
    for word, wanted in ((adcs, 0xE0ABB000), (umaal, 0xE0AE0194), (ldr, 0xE59D2008)):
        made = [mutation.words for mutation in mutations.of_code([word])]
        assert len(made) == len(set(made)) and (word,) not in made
        assert (wanted,) in made and (NOP,) in made
    assert OfCode(0, "order", (ldr, adcs)) in list(mutations.of_code([adcs, ldr]))
