"""rsalab.sources: lessons, charts and the chapter, with and without the studies."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

from made_results import add_studies, load_repository

from rsalab import frames, sources
from rsalab.charts.picture import Chart
from rsalab.sources import dirk, lee, lessons, markovic, openssl
from rsalab.sources.own import NOT_MEASURED


def drawn(results: frames.Results, root: Path) -> list[Chart]:
    return sources.charts(results, frames.ladder_table(results, root=root), root)


def section(results: frames.Results, root: Path) -> str:
    return sources.section(results, frames.ladder_table(results, root=root), root)


def test_lessons_come_from_the_results(root: Path) -> None:
    folder = root / "results" / "made-up"
    add_studies(root, folder)
    other, _ = lessons.third(load_repository(root))
    assert "+8.4 % in his ticks, -20.00 % in instructions here" in other
    counts = folder / "counts.csv"
    rows = counts.read_text().replace("width-96,v4,O1", "width-96,x,O1")
    same = [row for row in rows.splitlines(keepends=True) if row.startswith("width-96,v3,O1")]
    counts.write_text(rows + "".join(same).replace("width-96,v3", "width-96,v4"))
    assert "in his ticks, no instruction here" in lessons.third(load_repository(root))[0]
    said = " ".join(lessons.second(load_repository(root), root))
    assert "x1.16 those of the assembly" in said and "they are x0.43" in said


def test_every_lesson_of_the_first_source_needs_its_numbers(
    without: frames.Results, root: Path
) -> None:
    ladder = frames.ladder_table(without, root=root)
    text = "\n".join(lessons.first(without, ladder, root))
    assert "v5 to v6, by x1.07 at -O0" in text and "mmm_1" not in text
    assert "alone" not in text
    some = ladder[ladder["rung"] != "v6"]
    assert "v5 to v6" not in "\n".join(lessons.first(without, some, root))


def test_what_was_measured_alone_and_mmm_1s_share(root: Path) -> None:
    rows = ["iterations,v6,O1,roundtrip-full,instructions,mmm_1,140,x,10,0\n"]
    for name in ("key-in-every-product", "count-down-only", "static-inline-only"):
        path = root / "studies" / "alone" / name
        path.mkdir(parents=True)
        (path / "rsa.c").write_text("")
        (path / "README.md").write_text("---\nidea: An idea\nparent: iterations/v0\n---\n")
        rows += [f"alone,{name},O0,roundtrip-full,{m},total,40000,x,10,0\n"
                 for m in frames.EXACT]  # fmt: skip
    with (root / "results" / "made-up" / "counts.csv").open("a") as file:
        file.writelines(rows)
    results = load_repository(root)
    found = lessons.first(results, frames.ladder_table(results, root=root), root)
    for words in ("22.7495 % less time", "counting down", "static inline"):
        one = next(said for said in found if words in said)
        assert "x2.00 at -O0" in one and "-O1" not in one and "{" not in one
    assert any("mmm_1 executes 0.50 % of" in said for said in found)


@pytest.mark.slow
def test_charts_have_their_words_and_repeat(with_studies: frames.Results, root: Path) -> None:
    one, two = (drawn(with_studies, root) for _ in range(2))
    for chart, again in zip(one, two):
        assert chart.question.endswith("?") and chart.answer and chart.caption
        assert chart.bytes("svg") == again.bytes("svg")
    words = {chart.name: chart for chart in one}
    there = words["beside-dirk-2019"].answer
    assert there == "Assembly against plain C at -O0: x3.90 in instructions there, x1.29 here"
    for name in ("beside-dirk-2019", "beside-lee-2021"):
        assert "qemu-gcc99" in words[name].caption and NOT_MEASURED not in words[name].answer


def test_charts_without_the_studies_say_so(without: frames.Results, root: Path) -> None:
    answers = {chart.name: chart.answer for chart in drawn(without, root)}
    assert NOT_MEASURED in answers["beside-dirk-2019"]
    assert NOT_MEASURED in answers["beside-lee-2021"]


def test_the_section_is_markdown_of_even_tables(with_studies: frames.Results, root: Path) -> None:
    text = section(with_studies, root)
    assert re.findall(r"^### (.*)", text, re.M)[:4] == [
        dirk.SOURCE, lee.SOURCE, markovic.SOURCE, openssl.SOURCE]  # fmt: skip
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.M):
        assert len({row.count("|") for row in table.strip().splitlines()}) == 1, table
    assert text == section(with_studies, root)
    assert str(root) not in text
