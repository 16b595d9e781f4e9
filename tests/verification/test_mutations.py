"""The mutants' machinery, a quick sample of them, and the committed
verdicts on all."""

import pytest
from representatives import mostly_long

for package in ("bitwuzla", "capstone", "sympy", "unicorn"):
    pytest.importorskip(package)

from records import ladder
from verification import mutations
from verification.mutants import Assembly, File, every_file, read
from verification.mutations import NOP, OfCode

SAMPLE = 5  # mutants of a file
FILES = list(every_file())
# Every mont.S, and one file of C for every way of holding a number.
IN_C = (("v0", "nat.h"), ("v2", "nat.h"), ("v3", "nat.h"), ("v6", "rsa.c"))
QUICK = (("v8", "mont.S"), ("v6", "rsa.c"))


def sampled(wanted: tuple[tuple[str, str], ...] = IN_C) -> list[File]:
    every = wanted is IN_C
    return [
        file
        for file in FILES
        if (file.snapshot.name, file.file) in wanted or every and file.file == "mont.S"
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", mostly_long(sampled(), sampled(QUICK)), ids=lambda file: file.name
)
def test_a_sample_is_killed_or_proved(file: File) -> None:
    """Mutants from all over the file; open only where the table has such."""
    of = [row for row in read() if row["file"] == file.name]
    none_open = of and all(row["verdict"] != "open" for row in of)
    step = max(1, len(file.mutations) // SAMPLE)
    verdicts = [file.verdict(mutation) for mutation in file.mutations[::step]]
    valid = [verdict for verdict in verdicts if verdict != "invalid"]
    assert {*valid} <= {"killed", "proved", *["open"] * (not none_open)}
    assert valid.count("killed") > len(valid) // 2


@pytest.mark.slow
@pytest.mark.parametrize("word", (0x20A76C92, 0x20477001))  # umlalcs, subcs
def test_the_carry_out_of_the_first_product_is_seen(word: int) -> None:
    """Of width-64/v3's mod_exp."""
    file = Assembly(ladder.find("v3", "width-64"))
    place = file.source.index(word, file.source.index(0xE92D4FF1))  # mod_exp's push
    found = file.court.killer(file.mutant(OfCode(place, "left out", (NOP,))))
    assert found is not None and file.court.calls[found].function == "mod_exp"


def test_no_mutant_is_missed() -> None:
    """What vectors drawn anew find, the committed ones find, too; what is
    open, has a name."""
    rows = read()
    assert {row["file"] for row in rows} & {file.name for file in FILES}
    for row in rows:
        assert row["verdict"] in ("killed", "proved", "open"), row
        assert (row["verdict"] == "open") == bool(row["mutant"])


@pytest.mark.long
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_verdicts_are_on_the_files_as_they_are(file: File) -> None:
    """`make mutants` judges what has changed."""
    keys = {row["key"] for row in read() if row["file"] == file.name}
    if not keys:
        pytest.skip("no verdicts yet: make mutants")
    assert keys == {file.key}


def test_mutations_of_c() -> None:
    text = "static int f(nat *x, int y)\n{\n    y += x->w0 * 2;\n    return -y < 3 && *x;\n}\n"
    assert mutations.words(text) == mutations.words(text.replace("{\n", "{  /* f */"))
    made = [mutation.of(text) for mutation in mutations.of_text(text)]
    assert len(made) == len(set(made)) and text not in made
    for new in (
        "y -= x",
        "w1 * 2",
        "w0 + 2",
        "w0 * 3",
        "w0 * 1",
        "-y <= 3",
        "-y > 3",
        "3 || *x",
    ):
        assert any(new in one for one in made), new
    assert any(
        "y +=" not in one and "y -=" not in one and "y =" not in one for one in made
    )


def test_mutations_of_instructions() -> None:
    adcs, umaal, ldr = 0xE0BBB000, 0xE04E0194, 0xE59D2004
    for word, wanted in ((adcs, 0xE0ABB000), (umaal, 0xE0AE0194), (ldr, 0xE59D200C)):
        made = [mutation.words for mutation in mutations.of_code([word])]
        assert len(made) == len(set(made)) and (word,) not in made
        assert (wanted,) in made and (NOP,) in made
    assert OfCode(0, "order", (ldr, adcs)) in list(mutations.of_code([adcs, ldr]))
