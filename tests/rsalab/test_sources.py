"""rsalab.sources: what kind of number each own cell is, lessons and
charts, with and without the studies."""

import re
from pathlib import Path

import pytest
from made_results import (
    COUNTED,
    HEAD,
    LEVELS,
    TRIPS,
    add_studies,
    load_repository,
    study_value,
)

from records import ladder
from records.faults import Failure
from records.ladder import ROOT
from records.published import read_csv
from records.results import EXACT, Results
from records.rows import read_rows
from records.tables import NONE, percent
from rsalab import long_numbers, markdown, models
from rsalab import openssl as counted
from rsalab.charts.picture import Chart
from rsalab.pages.site import notebook_text
from rsalab.sources import charts, lessons, tables
from rsalab.sources.tables import BISHOP, DIRK, LEE, MEASURED, MODELLED, NOT_AVAILABLE, NOT_MEASURED

LABELS = list(tables.perf_table().index)


def section(results: Results, root: Path) -> str:
    parts = (tables.table_1(root), tables.side_by_side(results), tables.estimates(root))
    parts += (tables.dirk(results), tables.lee(results), tables.markovic(root))
    return "\n\n".join([*parts, tables.openssl(root), lessons.errata(root)])


def drawn(results: Results, root: Path) -> list[Chart]:
    made = [draw(results) for draw in (charts.of_bishop, charts.of_dirk, charts.of_lee)]
    return [*made, charts.of_markovic(root), charts.of_openssl(root)]


def cells_of(table: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in table.splitlines()]


def test_without_the_studies_every_cell_says_so(without: Results, root: Path) -> None:
    for label in LABELS:
        assert tables.ours(without, label) == ("", NOT_MEASURED, [None] * 5)
    assert tables.of_lee(without)[1].isna().all(axis=None)
    assert lessons.of(DIRK, without) == lessons.of(LEE, without) == []
    assert "| measured |" not in section(without, root)
    answers = {chart.name: chart.answer for chart in drawn(without, root)}
    for name in ("beside-dirk-2019", "beside-lee-2021"):
        assert NOT_MEASURED in answers[name]


def test_counts_stand_beside_dirks_table(with_studies: Results) -> None:
    def means(*metrics: str) -> list[float]:
        return [sum(study_value(metric, "width-64", *place) for metric in metrics) / TRIPS
                for place in models.PROGRAMS.values()]  # fmt: skip

    for label, words, *metrics in (
        ("instructions", "", "instructions"),
        ("branches", "branches taken", "branches_taken"),
        ("cache references", "load accesses + store accesses", "load_accesses", "store_accesses"),
    ):
        assert tables.ours(with_studies, label) == (words, MEASURED, means(*metrics))
    for label in ("runtime (ms)", "branch misses", "cache miss %"):
        assert tables.ours(with_studies, label) == ("", NOT_AVAILABLE, [None] * 5)
    assert f"| 26 | v2 -O0 | {means('instructions')[2] / 64:,.0f} |" in tables.dirk(with_studies)


def test_cycles_are_modelled_with_the_models_error(with_studies: Results, monkeypatch) -> None:
    errors = [check.error for check in models.arm1176_checks()]
    of = {m: study_value(m, "width-64", "v2", "O0") / TRIPS for m in COUNTED}
    cycles = of["instructions"] + 2 * (of["multiplies_long"] + of["multiplies_umaal"])
    cycles += 5 * of["simulated_mispredictions_arm1176"]
    _, kind, numbers = tables.ours(with_studies, "cycles")
    assert numbers[2] == cycles
    assert kind == f"{MODELLED}, error {percent(min(errors), max(errors))}"
    _, kind, numbers = tables.ours(with_studies, "instructions / cycle")
    assert numbers[2] == pytest.approx(7000 / 7228)
    assert kind.endswith(percent(1 / (1 + max(errors)) - 1, 1 / (1 + min(errors)) - 1))
    monkeypatch.setattr(counted, "committed", dict)  # then the model has no error
    assert tables.ours(with_studies, "cycles") == ("", NOT_AVAILABLE, [None] * 5)
    assert {row[-1] for row in long_numbers.milliseconds(with_studies)[1]} == {NONE}


def test_a_rung_that_is_missing_has_a_mark_of_its_own(root: Path) -> None:
    add_studies(root, root / "results" / "made-up")
    counts = root / "results" / "made-up" / "counts.csv"
    rows = counts.read_text().splitlines(keepends=True)
    counts.write_text("".join(row for row in rows if not row.startswith("width-64,v2")))
    lines = tables.perf_beside(load_repository(root)).splitlines()
    row = next(line for line in lines if "| ours | 189,000 |" in line)
    assert row.endswith(f"| {MEASURED}; {NOT_MEASURED} |") and "| - |" in row


def test_a_board_that_was_measured_comes_first(root: Path) -> None:
    folder = root / "results" / "made-up"
    add_studies(root, folder)
    cell = "width-64,v0,O0,roundtrip-full"
    perf = [f"{cell},{metric},total,{n},{unit},10,1\n" for metric, n, unit in
            (("branch-misses", 3140, "instructions"), ("branches", 108990, "instructions"),
             ("cycles", 7834030, "cycles"), ("cache-misses", "", "not supported"))]  # fmt: skip
    (folder / "perf.csv").write_text(HEAD + "".join(perf))
    half = [f"{cell},{m},total,250000,ns,1,1\n" for m in ("encrypt", "decrypt")]
    (folder / "times.csv").write_text(HEAD + "".join(half))
    results = load_repository(root)
    measured = {"branch misses": 314, "cycles": 783403, "runtime (ms)": 0.5, "branch miss %": 2.881}
    for label, value in measured.items():
        _, kind, numbers = tables.ours(results, label)
        assert kind == f"{MEASURED}; {NOT_MEASURED}" and numbers[1:] == [None] * 4
        assert numbers[0] == pytest.approx(value, abs=1e-3)
    assert tables.ours(results, "cache misses")[1] == NOT_AVAILABLE
    assert "| cycles, perf, user space | ours | 783,403 |" in tables.perf_beside(results)
    (folder / "perf.csv").write_text("a,b\n")
    with pytest.raises(Failure, match=r"^results/made-up/perf.csv:1: [^\n]*$"):
        tables.perf_beside(load_repository(root))


def test_lees_versions_and_ours_beyond(with_studies: Results, root: Path) -> None:
    _, _, *rows = cells_of(tables.ticks_beside(with_studies))
    theirs = [row["version"] for row in read_csv("lee-2021-table-1.csv")]
    assert [row[0] for row in rows[::3]] == [*theirs, "v5", "v6"]
    cell = {(row[0], row[2]): row[3:] for row in rows}
    first, this = (study_value("instructions", "width-96", rung, "O0") for rung in ("v0", "v2"))
    factor = f"x{first / this:.2f}"
    assert cell["v2", "-O0"] == ["29,255.0", "x1.47", f"{this / TRIPS:,.0f}", factor, MEASURED]
    assert cell["v6", "-O3"][:2] == ["-", "-"] and cell["v6", "-O3"][2] != "-"


@pytest.mark.parametrize(("rung", "row"), [("v1", 5), ("v2", 2), ("v5", 1)])
def test_the_factors_of_lee_in_a_rung_are_his_table_s(rung: str, row: int) -> None:
    before, after = read_csv("lee-2021-table-1.csv")[row - 1 : row + 1]
    said = markdown.parts(ladder.find(rung))["The source says"]
    for level in ("O0", "O1", "O3"):
        factor = float(before[level]) / float(after[level])
        assert f"{factor:.2f}" in said or f"{1 / factor:.2f}" in said


def test_calls_are_those_of_gprof(root: Path) -> None:
    folder = root / "results" / "made-up"
    add_studies(root, folder)
    (folder / "gprof").mkdir()
    calls = ["study,snapshot,level,caller,callee,calls", "width-96,v0,O1,<total>,mod_exp,4",
             "width-96,v0,O1,<total>,rshift1,2000", "width-96,v0,O1,<total>,rshift32,400",
             "width-96,v0,O1,mmm,shr,1900", "width-96,v0,O3,<total>,shr,1",
             "iterations,v0,O1,<total>,shr,5"]  # fmt: skip
    (folder / "gprof" / "calls.csv").write_text("\n".join(calls) + "\n")
    rows = tables.calls(load_repository(root)).splitlines()
    shift = next(row for row in rows if row.startswith("| 1 | rshift"))
    assert "| 54,463.6 | v0: rshift1, rshift32 | 1,200 | measured |" in shift
    assert "| v0: inlined | 0 | measured |" in next(r for r in rows if "| 1 | add" in r)
    assert all(row.endswith(f"| - | {NOT_MEASURED} |") for row in rows if "| 2 |" in row)


def test_openssl_s_own_code_is_modelled_by_what_was_counted() -> None:
    theirs, ours = charts.openssl_times()
    assert (
        {*theirs} == {*ours} == {f"{w}, {c}" for w in ("sign", "verify") for c in ("assembly", "C")}
    )
    rows = read_rows(ROOT / "results/qemu-gcc12/openssl.csv")
    place = {"implementation": "c", "operation": "verify", "bits": 512}
    one = {row["metric"]: row["value"] for row in rows if place.items() <= row.items()}
    cycles = one["instructions"] + 2 * (one["multiplies_long"] + one["multiplies_umaal"])
    assert ours["verify, C"][512] == pytest.approx(1000 * cycles / 1e9)
    assert theirs["verify, C"][512] == pytest.approx(1000 * 9.67 / 48547)


def test_lessons_come_from_the_results(with_studies: Results) -> None:
    first, second = lessons.of(LEE, with_studies)
    assert "+8.4 % in his ticks, and x0.80 in instructions here" in first
    assert "(x1.25 there)" in second and "executes x0.50 as many" in second
    (dirk,) = lessons.of(DIRK, with_studies)
    theirs = tables.perf_table().loc["instructions"]
    assert f"executes x{theirs['O3 no-opt C'] / theirs['optimized asm']:.2f} as many" in dirk
    assert "it executes x0.43 as many" in dirk


def test_every_lesson_of_the_first_source_needs_its_numbers(without: Results, root: Path) -> None:
    text = "\n".join(lessons.of(BISHOP, without))
    assert "fall by x1.07 at -O0" in text and "mmm_1" not in text and "Alone" not in text
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
    made = lessons.of(BISHOP, results)
    for words, factor in (("22.7495 % less time", "x2.00"), ("counting down", "x1.60")):
        one = next(lesson for lesson in made if words in lesson)
        assert f"{factor} at -O0" in one and "-O1" not in one and "{" not in one
    assert any("mmm_1 executes 0.50 % of" in lesson for lesson in made)
    beside = {row[0]: row for row in cells_of(tables.side_by_side(results))[2:]}
    assert beside["1"][2:] == ["key-in-every-product to v0", "x0.50", "-", "-"]
    assert beside["6"][3] == "x1.60, x1.60" and beside["7"][2:] == ["no counterpart", *"---"]


def test_a_sum_without_room_for_a_carry_is_right_below_127_bits() -> None:
    """The bit-serial product in 128 bits: all of them, about half, about
    one in two thousand."""
    count = {bits: lessons.right_without_carries(bits, 2000) for bits in (126, 127, 128)}
    assert count[126] == 2000 and 850 < count[127] < 1020 and count[128] < 10
    assert lessons.right_without_carries(128, 200, width=130) == 200
    assert f"{lessons.right_without_carries(127):,}" in lessons.dropped()


PRINTED = {  # file -> columns that are text, or are said in another unit
    "bishop-austin-2021-table-1.csv": ("inputs",),
    "dirk-2019-listings.csv": ("listing", "code"),
    **{f"markovic-table-{number}.csv": ("b",) for number in (1, 2, 3)},
    "markovic-table-4.csv": ("multiplication",),
    "bishop-austin-2021-hardware-unit.csv": (),
    "bishop-austin-2021-figures-6-8.csv": ("figure",),
}


def test_every_cell_of_a_table_is_shown(with_studies: Results, root: Path) -> None:
    """What notebooks 05 and 06 print holds each row of the source, its
    numbers in one row; Lee's, each in a row of its level."""
    made = (ROOT / "notebooks/06-multiplication.ipynb").read_text(encoding="utf-8")
    shown = f"{section(with_studies, root)}\n{notebook_text(made)}"
    lines = [{cell.strip().replace(",", "") for cell in line.split("|")}
             for line in shown.splitlines()]  # fmt: skip
    for name, apart in PRINTED.items():
        for row in read_csv(name, root):
            cells = {
                cell.replace(",", "") for key, cell in row.items() if cell and key not in apart
            }
            assert any(cells <= line for line in lines), row
    for row in read_csv("lee-2021-table-1.csv", root):
        for level in LEVELS:
            assert any({row["version"], f"-{level}", row[level]} <= line for line in lines), row


@pytest.mark.slow
def test_charts_have_their_words_and_repeat(with_studies: Results, root: Path) -> None:
    one, two = (drawn(with_studies, root) for _ in range(2))
    for chart, again in zip(one, two):
        assert chart.question.endswith("?") and chart.answer and chart.caption
        assert chart.bytes("svg") == again.bytes("svg")
    made = {chart.name: chart for chart in one}
    there = made["beside-dirk-2019"].answer
    assert there == "Assembly against plain C at -O0: x3.90 in instructions there, x1.29 here"
    for name in ("beside-dirk-2019", "beside-lee-2021"):
        assert "qemu-gcc99" in made[name].caption and NOT_MEASURED not in made[name].answer


def test_the_section_is_markdown_of_even_tables(with_studies: Results, root: Path) -> None:
    text = section(with_studies, root)
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.M):
        assert len({row.count("|") for row in table.strip().splitlines()}) == 1, table
    assert str(root) not in text
