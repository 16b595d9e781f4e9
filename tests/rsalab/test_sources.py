"""rsalab.sources: what kind of number each own cell is, lessons and
charts, with and without the studies."""

import re
from pathlib import Path

import pytest
from made_results import (
    COUNTED,
    EXACT,
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
from records.results import Results
from records.rows import read_rows
from records.tables import NONE, digits, percent
from rsalab import long_numbers, markdown
from rsalab.charts.picture import Chart
from rsalab.pages.site import notebook_text
from rsalab.sources import charts, tables
from rsalab.sources.tables import BISHOP, DIRK, LEE, MARKOVIC, OPENSSL

NOT_MEASURED = tables.NOT_MEASURED
SOURCES = (BISHOP, DIRK, LEE, MARKOVIC, OPENSSL)
PROGRAMS = (("v0", "O0"), ("v1", "O0"), ("v2", "O0"), ("v0", "O3"), ("v1", "O3"))


def section(results: Results) -> str:
    return "\n\n".join(tables.told(results, source) for source in SOURCES)


def drawn(results: Results) -> list[Chart]:
    draws = (
        charts.of_bishop,
        charts.of_dirk,
        charts.of_lee,
        charts.of_markovic,
        charts.of_openssl,
    )
    return [draw(results) for draw in draws]


def perf(results: Results) -> dict[str, tuple[str, str, list[str]]]:
    """Dirk's label -> what stands below it: words, status, cells."""
    beside = {}
    published = ""
    for label, whose, *cells, status in tables.perf(results).rows:
        if whose == "ours":
            beside[published] = (label, status, cells)
        else:
            published = label
    return beside


def test_without_the_studies_every_cell_says_so(without: Results) -> None:
    assert len(tables.perf(without).rows) == 10 and not perf(without)
    assert {row[-1] for row in tables.ticks(without).rows} == {NOT_MEASURED}
    assert [tables.lessons(without, source) for source in (DIRK, LEE)] == ["", ""]
    text = section(without)
    assert "| measured |" not in text and text.count(tables.UNKNOWN) == 2
    answers = {chart.name: chart.answer for chart in drawn(without)}
    for name in ("beside-dirk-2019", "beside-lee-2021"):
        assert NOT_MEASURED in answers[name]


def test_counts_stand_beside_dirks_table(with_studies: Results) -> None:
    def means(*metrics: str) -> list[str]:
        return [digits(sum(study_value(metric, "width-64", *place) for metric in metrics) / TRIPS)
                for place in PROGRAMS]  # fmt: skip

    beside = perf(with_studies)
    for label, words, *metrics in (
        ("instructions", "", "instructions"),
        ("branches", "branches taken", "branches_taken"),
        (
            "cache references",
            "load accesses + store accesses",
            "load_accesses",
            "store_accesses",
        ),
    ):
        assert beside[label] == (words, "measured", means(*metrics))
    assert not beside.keys() & {"runtime (ms)", "branch misses", "cache miss %"}
    number = study_value("instructions", "width-64", "v2", "O0") / TRIPS / 64
    assert f"| 26 | v2 -O0 | {number:,.0f} |" in tables.told(with_studies, DIRK)


def test_cycles_are_modelled_with_the_models_error(with_studies: Results) -> None:
    errors = [
        error
        for row in with_studies.query("select low, high from errors")
        for error in row
    ]
    of = {m: study_value(m, "width-64", "v2", "O0") / TRIPS for m in COUNTED}
    cycles = of["instructions"] + 2 * (of["multiplies_long"] + of["multiplies_umaal"])
    cycles += 5 * of["simulated_mispredictions_arm1176"]
    _, kind, numbers = perf(with_studies)["cycles"]
    assert numbers[2] == digits(cycles)
    assert kind == f"modelled, error {percent(min(errors), max(errors))}"
    _, kind, numbers = perf(with_studies)["instructions / cycle"]
    assert numbers[2] == digits(7000 / 7228)
    assert kind.endswith(percent(1 / (1 + max(errors)) - 1, 1 / (1 + min(errors)) - 1))
    with_studies.db.execute("delete from openssl_record")  # then the model has no error
    assert "cycles" not in perf(with_studies)
    assert not long_numbers.milliseconds(with_studies).rows


def test_a_rung_that_is_missing_has_a_mark_of_its_own(root: Path) -> None:
    add_studies(root, root / "results" / "made-up")
    counts = root / "results" / "made-up" / "counts.csv"
    rows = counts.read_text().splitlines(keepends=True)
    counts.write_text("".join(row for row in rows if not row.startswith("width-64,v2")))
    _, kind, numbers = perf(load_repository(root))["instructions"]
    assert kind == f"measured; {NOT_MEASURED}"
    assert numbers[0] == "189,000" and numbers[2] == NONE


def test_a_board_that_was_measured_comes_first(root: Path) -> None:
    folder = root / "results" / "made-up"
    add_studies(root, folder)
    cell = "width-64,v0,O0,roundtrip-full"
    rows = [f"{cell},{metric},total,{n},{unit},10,1\n" for metric, n, unit in
            (("branch-misses", 3140, "instructions"), ("branches", 108990, "instructions"),
             ("cycles", 7834030, "cycles"), ("cache-misses", "", "not supported"))]  # fmt: skip
    (folder / "perf.csv").write_text(HEAD + "".join(rows))
    half = [f"{cell},{m},total,250000,ns,1,1\n" for m in ("encrypt", "decrypt")]
    (folder / "times.csv").write_text(HEAD + "".join(half))
    beside = perf(load_repository(root))
    measured = {
        "branch misses": "314",
        "cycles": "783,403",
        "runtime (ms)": "0.500",
        "branch miss %": "2.88",
    }
    for label, value in measured.items():
        kind = f"measured; {NOT_MEASURED}"
        assert beside[label][1:] == (kind, [value, *[NONE] * 4])
    assert "cache misses" not in beside
    assert beside["cycles"][0] == "cycles, perf, user space"
    (folder / "perf.csv").write_text("a,b\n")
    with pytest.raises(Failure, match=r"^results/made-up/perf.csv:1: [^\n]*$"):
        perf(load_repository(root))


def test_lees_versions_and_ours_beyond(with_studies: Results) -> None:
    rows = tables.ticks(with_studies).rows
    theirs = [row["version"] for row in read_csv("lee-2021-table-1.csv")]
    assert [row[0] for row in rows[::3]] == [*theirs, "v5", "v6"]
    cell = {(row[0], row[2]): row[3:] for row in rows}
    first, this = (
        study_value("instructions", "width-96", rung, "O0") for rung in ("v0", "v2")
    )
    factor = f"x{first / this:.2f}"
    assert cell["v2", "-O0"] == [
        "29255.0",
        "x1.47",
        f"{this / TRIPS:,.0f}",
        factor,
        "measured",
    ]
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
    rows = {tuple(row[:2]): row[2:] for row in tables.calls(load_repository(root)).rows}
    shift = rows["1", "rshift_uint32x3"]
    assert shift == ["54463.6", "v0: rshift1, rshift32", "1,200", "measured"]
    assert rows["1", "add_uint32x3"][1:] == ["v0: inlined", "0", "measured"]
    assert all(
        cells[-2:] == [NONE, NOT_MEASURED] for (n, _), cells in rows.items() if n == "2"
    )


def test_openssl_s_own_code_is_modelled_by_what_was_counted(without: Results) -> None:
    theirs, ours = charts.openssl_times(without)
    codes = ("assembly", "compiled C")
    assert (
        {*theirs} == {*ours} == {f"{w}, {c}" for w in ("sign", "verify") for c in codes}
    )
    rows = read_rows(ROOT / "results/qemu-gcc12/openssl.csv")
    place = {"implementation": "c", "operation": "verify", "bits": 512}
    one = {row["metric"]: row["value"] for row in rows if place.items() <= row.items()}
    cycles = one["instructions"] + 2 * (
        one["multiplies_long"] + one["multiplies_umaal"]
    )
    assert ours["verify, compiled C"][512] == pytest.approx(1000 * cycles / 1e9)
    assert theirs["verify, compiled C"][512] == pytest.approx(1000 * 9.67 / 48547)


def lessons(results: Results, source: str) -> list[str]:
    return tables.lessons(results, source).splitlines()


def test_lessons_come_from_the_results(with_studies: Results) -> None:
    first, second = lessons(with_studies, LEE)
    assert "+8.4 % in his ticks, and x0.80 in instructions here" in first
    assert "(x1.25 there)" in second and "executes x0.50 as many" in second
    (dirk,) = lessons(with_studies, DIRK)
    (theirs,) = (
        row for row in read_csv("dirk-2019-perf.csv") if "instructions" in row.values()
    )
    factor = int(theirs["O3 no-opt C"]) / int(theirs["optimized asm"])
    assert (
        f"executes x{factor:.2f} as many" in dirk
        and "it executes x0.43 as many" in dirk
    )


def test_every_lesson_of_the_first_source_needs_its_numbers(
    without: Results, root: Path
) -> None:
    text = "\n".join(lessons(without, BISHOP))
    assert (
        "fall by x1.07 at -O0" in text and "mmm_1" not in text and "Alone" not in text
    )
    rows = ["iterations,v6,O1,roundtrip-full,instructions,mmm_1,140,x,10,0\n"]
    for name in ("key-in-every-product", "count-down-only", "static-inline-only"):
        path = root / "studies" / "alone" / name
        path.mkdir(parents=True)
        (path / "rsa.c").write_text("")
        (path / "README.md").write_text(
            "---\nidea: An idea\nparent: iterations/v0\n---\n"
        )
        rows += [f"alone,{name},O0,roundtrip-full,{m},total,40000,x,10,0\n"
                 for m in EXACT]  # fmt: skip
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
    shown = f"{section(with_studies)}\n{notebook_text(made)}"
    lines = [{cell.strip().replace(",", "") for cell in line.split("|")}
             for line in shown.splitlines()]  # fmt: skip
    for name, apart in PRINTED.items():
        for row in read_csv(name, root):
            cells = {
                cell.replace(",", "")
                for key, cell in row.items()
                if cell and key not in apart
            }
            assert any(cells <= line for line in lines), row
    for row in read_csv("lee-2021-table-1.csv", root):
        for level in LEVELS:
            assert any(
                {row["version"], f"-{level}", row[level]} <= line for line in lines
            ), row


@pytest.mark.slow
def test_charts_have_their_words_and_repeat(with_studies: Results) -> None:
    one, two = (drawn(with_studies) for _ in range(2))
    for chart, again in zip(one, two):
        assert chart.question.endswith("?") and chart.answer and chart.caption
        assert chart.bytes("svg") == again.bytes("svg")
    made = {chart.name: chart for chart in one}
    there = made["beside-dirk-2019"].answer
    assert (
        there
        == "Assembly against plain C at -O0: x3.90 in instructions there, x1.29 here"
    )
    for name in ("beside-dirk-2019", "beside-lee-2021"):
        assert (
            "qemu-gcc99" in made[name].caption and NOT_MEASURED not in made[name].answer
        )


def test_the_section_is_markdown_of_even_tables(
    with_studies: Results, root: Path
) -> None:
    text = section(with_studies)
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.M):
        assert len({row.count("|") for row in table.strip().splitlines()}) == 1, table
    assert str(root) not in text
