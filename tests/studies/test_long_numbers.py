"""studies/width-1024: what is read from operations.csv; the committed
counts and the targets."""

from functools import partial
from pathlib import Path

import pytest

from records.ladder import ROOT
from records.results import Results, load
from records.rows import write_rows
from records.step_file import read
from records.workloads import PRIVATE, PRODUCT, RANDOM
from rsalab import long_numbers as long
from rsalab.steps.claims import NUMBER, holds, parse
from rsalab.steps.spent import Spent, Step

README = ROOT / "studies/width-1024/README.md"
FOUND = sorted(ROOT.glob("results/qemu-*/operations.csv"))
COUNTED = pytest.mark.skipif(
    not FOUND, reason="no operations are counted; make reference"
)


def step(results: Results, level: str) -> Step:
    """What C and assembly execute at a level, in the form that claims are
    evaluated on."""
    where = "(implementation, level, operands) = (?, ?, ?)"
    asked = f"select operation, bits, way, instructions from long where {where}"
    sides = []
    for kind in ("plain", "assembly"):
        sides.append(Spent(1))
        for *place, n in results.query(asked, kind, level, RANDOM):
            sides[-1].names[" ".join(map(str, place))] = n
    return Step(*sides)


def false_claims(readme: Path = README) -> list[str]:
    """What is wrong with the claims of the study's README.md: one that does
    not hold, one without a sentence, a sentence's reference without a
    claim."""
    results, text = (
        load(FOUND[-1].parent),
        readme.read_text(encoding="utf-8").split("\n---\n")[1],
    )
    claims = [parse(one) for one in read(readme.parent, readme.parent)["claims"]]
    found = [
        f"-{level}: false: {claim.text}"
        for claim in claims
        for level in claim.levels
        if not holds(claim, step(results, level))
    ]
    numbers = {claim.number for claim in claims}
    there = set(NUMBER.findall(text))
    return found + [
        f"{one}: a claim or a sentence alone" for one in sorted(numbers ^ there)
    ]


def made(folder: Path, *counted: tuple[str, int, str, int]) -> Results:
    """Results of the best program: operation, bits, way, instructions."""
    same = {
        "study": "width-1024",
        "snapshot": "assembly",
        "level": "O3",
        "metric": "instructions",
        "symbol": "total",
        "n": 1,
        "kind": "exact",
    }
    rows = []
    for operation, bits, way, value in counted:
        workload = f"{operation}-{bits}-{RANDOM}-{way}"
        rows.append({**same, "workload": workload, "value": value})
    write_rows(folder / "operations.csv", rows)
    return Results(folder, "made", {})


CROSSED = [
    ({1024: [10, 11], 2048: [30, 29]}, 2048),
    ({1024: [10, 11, 9], 2048: [30, 31, 29]}, 1024),
    ({512: [5, 4], 1024: [10, 10], 2048: [30, 29]}, 2048),  # not once for all at 512
    ({512: [5, 4], 1024: [10, 9], 2048: [30, 30]}, None),
]


@pytest.mark.parametrize(("numbers", "size"), CROSSED)
def test_the_crossover_is_the_size_from_which_on_it_always_pays(
    numbers, size, tmp_path
) -> None:
    of = [
        (bits, level, n)
        for bits, every in numbers.items()
        for level, n in enumerate(every)
    ]
    rows = ((PRODUCT, bits, f"levels-{level}", n) for bits, level, n in of)
    table = long.crossovers(made(tmp_path, *rows))
    assert table.rows[0][1] == (f"{size} bits" if size else "none to 2048 bits")


def test_what_is_not_counted_has_no_number_and_what_differs_by_a_percent_a_verdict(
    tmp_path: Path,
) -> None:
    results = made(
        tmp_path, (PRODUCT, 64, "levels-0", 7), (PRODUCT, 128, "levels-1", 9)
    )
    table = long.products(results, "assembly", RANDOM)
    assert table.rows == [["64", "7", "-"], ["128", "-", "9"]]
    ways = {"standard-product": 1000, "standard-square": 995, "crt-square": 400}
    results = made(tmp_path, *((PRIVATE, 1024, way, n) for way, n in ways.items()))
    said = {row[0]: row[2] for row in long.savings(results).rows}
    assert said["squares, standard"] == "x1.01 no difference"
    assert (said["CRT, square"], said["squares, CRT"]) == ("x2.49 helps", "-")


MOST = {  # operation, bits, way -> instructions
    ("product", 1024, "levels-0"): 3_300,
    ("square", 1024, "levels-0"): 2_750,
    ("power", 512, "sliding-5"): 560_000,
    ("power", 1024, "sliding-5"): 3_550_000,
    ("power", 2048, "sliding-5"): 27_000_000,
    ("power", 2048, "fixed-5"): 27_000_000,
    ("private", 1024, "crt-square"): 1_150_000,
    ("private", 2048, "crt-square"): 7_200_000,
}


@COUNTED
def test_the_assembly_is_as_fast_as_it_has_to_be() -> None:
    where = "(implementation, level, operands) = (?, ?, ?)"
    asked = f"select operation, bits, way, instructions from long where {where}"
    rows = load(FOUND[-1].parent).query(asked, "assembly", "O3", RANDOM)
    counts = {tuple(place): n for *place, n in rows}
    assert all(counts[place] <= most for place, most in MOST.items())


@COUNTED
def test_every_table_is_shown_and_a_product_costs_the_same_for_all_operands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = load(FOUND[-1].parent)
    monkeypatch.setenv("COLUMNS", "200")
    assert len(long.text(results).split("\n\n")) == 12
    for columns in (80, 100, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert max(map(len, long.text(results).splitlines())) <= columns
    for program in long.PROGRAMS:
        ask = partial(long.products, results, program)
        tables = [ask(operands) for operands in long.OPERANDS]
        assert all(table == tables[0] for table in tables)
    for row in long.milliseconds(results).rows:
        assert row[-1].endswith("%") and all(float(cell) > 0 for cell in row[2:5])


@COUNTED
def test_every_claim_of_the_readme_holds_and_has_its_sentence(tmp_path: Path) -> None:
    assert false_claims() == []
    for old, new in (("> 6'", "> 60'"), ("2048 bits. [1]", "2048 bits. [7]")):
        texts = [path.read_text() for path in (README, README.with_name("step.toml"))]
        assert any(old in text for text in texts)
        for name, text in zip(("README.md", "step.toml"), texts):
            (tmp_path / name).write_text(text.replace(old, new))
        assert false_claims(tmp_path / "README.md")
