"""studies/width-1024: what is read from operations.csv; the committed
counts and the targets."""

from collections import Counter
from pathlib import Path

import pytest

from records.ladder import ROOT, front_matter
from records.results import load
from rsalab import long_numbers as long
from rsalab.steps.claims import NUMBER, holds, parse
from rsalab.steps.spent import Spent, Step

README = ROOT / "studies/width-1024/README.md"
FOUND = sorted(ROOT.glob(f"results/qemu-*/{long.FILE}"))
COUNTED = pytest.mark.skipif(not FOUND, reason="no operations are counted; make reference")


def step(counts: long.Counts, level: str) -> Step:
    """What C and assembly execute at a level, in the form that claims are
    evaluated on."""
    sides = {kind: Spent(1, Counter()) for kind in ("plain", "assembly")}
    for (kind, at, operation, bits, operands, way), found in counts.items():
        if (at, operands) == (level, long.RANDOM):
            sides[kind].means[f"{operation} {bits} {way}"] = found["instructions"]
    return Step(sides["plain"], sides["assembly"])


def false_claims(folder: Path, readme: Path = README) -> list[str]:
    """What is wrong with the claims of the study's README.md: one that does
    not hold, one without a sentence, a sentence's reference without a
    claim."""
    counts, text = long.load(load(folder)), readme.read_text(encoding="utf-8").split("\n---\n")[1]
    claims = [parse(one) for one in front_matter(readme, readme.parent)["claims"].splitlines()]
    found = [
        f"-{level}: false: {claim.text}"
        for claim in claims
        for level in claim.levels
        if not holds(claim, step(counts, level))
    ]
    numbers = {claim.number for claim in claims}
    there = {f"[{number}]" for number in NUMBER.findall(text)}
    return found + [f"{one}: a claim or a sentence alone" for one in sorted(numbers ^ there)]


def made(*counted: tuple[str, int, str, int]) -> long.Counts:
    """Counts of the best program: operation, bits, way, instructions."""
    return {
        (*long.BEST, *place, long.RANDOM, way): {"instructions": n} for *place, way, n in counted
    }


CROSSED = [
    ({1024: [10, 11], 2048: [30, 29]}, 2048),
    ({1024: [10, 11, 9], 2048: [30, 31, 29]}, 1024),
    ({512: [5, 4], 1024: [10, 10], 2048: [30, 29]}, 2048),  # not once for all at 512
    ({512: [5, 4], 1024: [10, 9], 2048: [30, 30]}, None),
]


@pytest.mark.parametrize(("numbers", "size"), CROSSED)
def test_the_crossover_is_the_size_from_which_on_it_always_pays(numbers, size) -> None:
    of = [(bits, level, n) for bits, every in numbers.items() for level, n in enumerate(every)]
    counts = made(*((long.PRODUCT, bits, f"levels-{level}", n) for bits, level, n in of))
    assert long.crossover(counts, long.BEST, long.PRODUCT) == size


def test_what_is_not_counted_has_no_number_and_what_differs_by_a_percent_a_verdict() -> None:
    _, rows = long.products(made((long.PRODUCT, 64, "levels-0", 7)), long.BEST, long.RANDOM)
    assert rows[0][:3] == ["64", "7", "x"] and rows[1][1] == "x"
    ways = {"standard-product": 1000, "standard-square": 995, "crt-square": 400}
    _, rows = long.savings(made(*((long.PRIVATE, 1024, way, n) for way, n in ways.items())))
    said = {row[0]: row[2] for row in rows}
    assert said["squares, standard"] == "x1.01 no difference"
    assert (said["CRT, squares"], said["squares, CRT"]) == ("x2.49 helps", "-")


MOST = [
    (long.PRODUCT, 1024, "levels-0", 3_300),
    (long.SQUARE, 1024, "levels-0", 2_750),
    (long.POWER, 512, "sliding-5", 560_000),
    (long.POWER, 1024, "sliding-5", 3_550_000),
    (long.POWER, 2048, "sliding-5", 27_000_000),
    (long.POWER, 2048, "fixed-5", 27_000_000),
    (long.PRIVATE, 1024, "crt-square", 1_150_000),
    (long.PRIVATE, 2048, "crt-square", 7_200_000),
]


@COUNTED
@pytest.mark.parametrize(("operation", "bits", "way", "most"), MOST)
def test_the_assembly_is_as_fast_as_it_has_to_be(operation, bits, way, most) -> None:
    found = long.instructions(long.load(load(FOUND[-1].parent)), long.BEST, operation, bits, way)
    assert found is not None and found <= most


@COUNTED
def test_every_table_is_shown_and_a_product_costs_the_same_for_all_operands() -> None:
    assert len(long.text(load(FOUND[-1].parent)).split("\n\n")) == 12
    counts = long.load(load(FOUND[-1].parent))
    for program in long.PROGRAMS:
        tables = [long.products(counts, program, operands) for operands in long.PATTERNS]
        assert all(table == tables[0] for table in tables)


@COUNTED
def test_every_claim_of_the_readme_holds_and_has_its_sentence(tmp_path: Path) -> None:
    assert false_claims(FOUND[-1].parent) == []
    for old, new in (("> 6'", "> 60'"), ("these sizes. [1]", "these sizes. [7]")):
        said = README.read_text()
        assert old in said
        (tmp_path / "README.md").write_text(said.replace(old, new))
        assert false_claims(FOUND[-1].parent, tmp_path / "README.md")


@COUNTED
def test_a_core_without_a_known_error_has_no_milliseconds() -> None:
    head, rows = long.milliseconds(long.load(load(FOUND[-1].parent)))
    known = {row[0]: row for row in rows}
    for name, row in known.items():
        error, numbers = row[head.index("error")], row[2:-2]
        assert error.endswith("%") == (name in long.ARM1176)
        assert all(cell[0].isdigit() for cell in numbers) == (name in long.ARM1176)
    assert len(known) == len(long.ARM1176) + len(long.OTHERS)
