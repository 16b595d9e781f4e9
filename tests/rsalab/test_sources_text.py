"""rsalab.sources: lessons, charts and the chapter, with and without the studies."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

from made_results import add_studies, load_repository

from records.ladder import ROOT
from records.published import read_csv
from records.results import EXACT, Results
from rsalab import frames
from rsalab.charts.picture import Chart
from rsalab.pages.site import notebook_text
from rsalab.report import tables
from rsalab.sources import bishop, dirk, lee, lessons, markovic, openssl
from rsalab.sources.own import NOT_MEASURED


def drawn(results: Results, root: Path) -> list[Chart]:
    first = bishop.chart(results, frames.ladder_table(results), root)
    return [first, dirk.chart(results, root), lee.chart(results, root), markovic.chart(root),
            openssl.chart(root)]  # fmt: skip


def section(results: Results, root: Path) -> str:
    parts = (bishop.text(root), dirk.text(results, root), lee.text(results, root))
    parts += (markovic.text(root), openssl.text(root), lessons.table(root))
    return "\n\n".join(parts)


def test_lessons_come_from_the_results(root: Path) -> None:
    folder = root / "results" / "made-up"
    add_studies(root, folder)
    other, _ = lessons.of_lee(load_repository(root))
    assert "+8.4 % in his ticks, -20.00 % in instructions here" in other
    counts = folder / "counts.csv"
    rows = counts.read_text().replace("width-96,v4,O1", "width-96,x,O1")
    same = [row for row in rows.splitlines(keepends=True) if row.startswith("width-96,v3,O1")]
    counts.write_text(rows + "".join(same).replace("width-96,v3", "width-96,v4"))
    assert "in his ticks, no instruction here" in lessons.of_lee(load_repository(root))[0]
    said = " ".join(lessons.of_dirk(load_repository(root), root))
    assert "executes x1.16" in said and "executes x0.43" in said


def test_every_lesson_of_the_first_source_needs_its_numbers(without: Results, root: Path) -> None:
    ladder = frames.ladder_table(without)
    text = "\n".join(lessons.of_bishop(without, ladder, root))
    assert "fall by x1.07 at -O0" in text and "mmm_1" not in text
    assert "Alone" not in text
    some = ladder[ladder["rung"] != "v6"]
    assert "fall by" not in "\n".join(lessons.of_bishop(without, some, root))


def test_what_was_measured_alone_and_mmm_1s_share(root: Path) -> None:
    rows = ["iterations,v6,O1,roundtrip-full,instructions,mmm_1,140,x,10,0\n"]
    for name in ("key-in-every-product", "count-down-only", "static-inline-only"):
        path = root / "studies" / "alone" / name
        path.mkdir(parents=True)
        (path / "rsa.c").write_text("")
        (path / "README.md").write_text("---\nidea: An idea\nparent: iterations/v0\n---\n")
        rows += [f"alone,{name},O0,roundtrip-full,{m},total,40000,x,10,0\n"
                 for m in EXACT]  # fmt: skip
    with (root / "results" / "made-up" / "counts.csv").open("a") as file:
        file.writelines(rows)
    results = load_repository(root)
    found = lessons.of_bishop(results, frames.ladder_table(results), root)
    for words in ("22.7495 % less time", "counting down", "static inline"):
        one = next(said for said in found if words in said)
        assert "x2.00 at -O0" in one and "-O1" not in one and "{" not in one
    assert any("mmm_1 executes 0.50 % of" in said for said in found)


def test_a_sum_without_room_for_a_carry_is_right_below_127_bits() -> None:
    """The bit-serial product in 128 bits: all of them, about half, about one in two thousand."""
    count = {bits: lessons.right_without_carries(bits, 2000) for bits in (126, 127, 128)}
    assert count[126] == 2000 and 850 < count[127] < 1020 and count[128] < 10
    assert lessons.right_without_carries(128, 200, width=130) == 200
    assert f"{lessons.right_without_carries(127):,}" in lessons.dropped()


PRINTED = {  # file -> columns that are text, or are said in another unit
    "bishop-austin-2021-table-1.csv": ("inputs",),
    "dirk-2019-listings.csv": ("listing", "code"),
    "markovic-table-1.csv": ("b",),
    "markovic-table-2.csv": ("b",),
    "markovic-table-3.csv": ("b",),
    "markovic-table-4.csv": ("multiplication",),
    "bishop-austin-2021-hardware-unit.csv": (),
    "bishop-austin-2021-figures-6-8.csv": ("figure",),
    "lee-2021-table-1.csv": (),
}


@pytest.mark.parametrize("name", PRINTED)
def test_every_cell_of_a_table_is_shown(name: str, with_studies: Results, root: Path) -> None:
    """What notebooks 05 and 06 print holds each row of the source, its numbers in one row."""
    made = (ROOT / "notebooks/06-multiplication.ipynb").read_text(encoding="utf-8")
    shown = f"{section(with_studies, root)}\n{tables.table_1(bishop.published(root))}"
    shown += f"\n{notebook_text(made)}"
    rows = [
        {cell.strip().replace(",", "") for cell in line.split("|")} for line in shown.splitlines()
    ]
    for row in read_csv(name, root):
        cells = {
            cell.replace(",", "") for key, cell in row.items() if cell and key not in PRINTED[name]
        }
        assert any(cells <= there for there in rows), row


@pytest.mark.slow
def test_charts_have_their_words_and_repeat(with_studies: Results, root: Path) -> None:
    one, two = (drawn(with_studies, root) for _ in range(2))
    for chart, again in zip(one, two):
        assert chart.question.endswith("?") and chart.answer and chart.caption
        assert chart.bytes("svg") == again.bytes("svg")
    words = {chart.name: chart for chart in one}
    there = words["beside-dirk-2019"].answer
    assert there == "Assembly against plain C at -O0: x3.90 in instructions there, x1.29 here"
    for name in ("beside-dirk-2019", "beside-lee-2021"):
        assert "qemu-gcc99" in words[name].caption and NOT_MEASURED not in words[name].answer


def test_charts_without_the_studies_say_so(without: Results, root: Path) -> None:
    answers = {chart.name: chart.answer for chart in drawn(without, root)}
    assert NOT_MEASURED in answers["beside-dirk-2019"]
    assert NOT_MEASURED in answers["beside-lee-2021"]


def test_the_section_is_markdown_of_even_tables(with_studies: Results, root: Path) -> None:
    text = section(with_studies, root)
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.M):
        assert len({row.count("|") for row in table.strip().splitlines()}) == 1, table
    assert text == section(with_studies, root)
    assert str(root) not in text
