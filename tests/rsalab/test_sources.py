"""rsalab.sources: what our counts add to the sources, and notebook 05, which has their tables."""

import pytest
from made_results import EXACT, load_repository
from made_results import row as made_row

from records import ladder
from records.published import read_csv
from rsalab import markdown
from rsalab.sources import tables


@pytest.mark.parametrize(("rung", "row"), [("v1", 5), ("v2", 2), ("v5", 1)])
def test_the_factors_of_lee_in_a_rung_are_his_table_s(rung: str, row: int) -> None:
    before, after = read_csv("lee-2021-table-1.csv")[row - 1 : row + 1]
    said = markdown.parts(ladder.find(rung))["The source says"]
    for level in ("O0", "O1", "O3"):
        factor = float(before[level]) / float(after[level])
        assert f"{factor:.2f}" in said or f"{1 / factor:.2f}" in said


def lessons(results: Results, source: str) -> list[str]:
    return tables.lessons(results, source).splitlines()


def test_every_lesson_of_the_first_source_needs_its_numbers(
    without: Results, root: Path
) -> None:
    text = "\n".join(lessons(without, BISHOP))
    assert (
        "fall by x1.07 at -O0" in text and "mmm_1" not in text and "Alone" not in text
    )
    rows = [made_row("iterations,v6,O1", "instructions", 140, "mmm_1")]
    for name in ("key-in-every-product", "count-down-only", "static-inline-only"):
        path = root / "studies" / "alone" / name
        path.mkdir(parents=True)
        (path / "rsa.c").write_text("")
        (path / "README.md").write_text(
            "---\nidea: An idea\nparent: iterations/v0\n---\n"
        )
        rows += [made_row(f"alone,{name},O0", m, 40000) for m in EXACT]
    with (root / "results" / "made-up" / "counts.csv").open("a") as file:
        file.writelines(rows)
    results = load_repository(root)
    made = lessons(results, BISHOP)
    for words, factor in (("22.7495 % less time", "x2.00"), ("counting down", "x1.60")):
        one = next(lesson for lesson in made if words in lesson)
        assert f"{factor} at -O0" in one and "-O1" not in one and "{" not in one
    assert any("mmm_1 executes 0.50 % of" in lesson for lesson in made)
    beside = {row[0]: row[2:] for row in tables.steps(results).rows}
    assert beside["1"] == ["key-in-every-product to v0", "x0.50", "-", "-"]
    assert beside["6"][1] == "x1.60, x1.60" and beside["7"] == [
        "no counterpart",
        *"---",
    ]


def test_a_sum_without_room_for_a_carry_is_right_below_127_bits() -> None:
    """The bit-serial product in 128 bits: all of them, about half, about
    one in two thousand."""
    count = {bits: tables.right_without_carries(bits, 2000) for bits in (126, 127, 128)}
    assert count[126] == 2000 and 850 < count[127] < 1020 and count[128] < 10
    assert tables.right_without_carries(128, 200, width=130) == 200
    assert f"{tables.right_without_carries(127):,}" in tables.dropped()
