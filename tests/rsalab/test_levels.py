"""What the levels do to each rung: made-up counts whose answers are known by hand, and pictures."""

import itertools
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

import made_results
from crowded import crowded

from records.faults import Failure
from records.results import load, reference
from records.statistics import VERDICTS
from rsalab import frames
from rsalab.charts import gains, levels, marks, survival

LADDER = "iterations"
MEANS = {  # instructions, loads, stores, bytes
    ("a", "O0"): (1000, 300, 200, 800), ("a", "O1"): (500, 20, 10, 400),
    ("a", "O3"): (400, 30, 10, 500), ("b", "O0"): (500, 150, 100, 700),
    ("b", "O1"): (500, 20, 10, 400), ("b", "O3"): (400, 10, 5, 402),
    ("c", "O0"): (480, 150, 100, 700), ("c", "O1"): (300, 20, 10, 400),
    ("c", "O3"): (330, 20, 10, 600),
}  # fmt: skip


def made(root: Path, keep: object = lambda name, level: True, study: str = LADDER) -> tuple:
    """Results, ladder table and snapshots of a, b after a, c after b; c has assembly."""
    made_results.snapshots(root, study, {"a": "", "b": "a", "c": "b"}, by_hand=["c"])
    counts, sizes = [], []
    for (name, level), (instructions, loads, stores, size) in MEANS.items():
        if keep(name, level):
            cell = f"{study},{name},{level}"
            counts += made_results.whole(cell, instructions, loads, stores)
            sizes.append(made_results.row(cell, "code_bytes", size, case="static", n=1))
    results = made_results.results(root, counts, sizes)
    table = frames.ladder_table(results, study)
    return results, table, results.rungs(study)


def line(name: str, level: str, file: str, instructions: int, number: int = 1) -> str:
    place = f"{LADDER},{name},{level},roundtrip-full,{file},{number}"
    return f"{place},f,0x0000,move,{instructions},,,,10\n"


def test_gains_are_those_of_the_counts(tmp_path: Path) -> None:
    chart = gains.gains(*made(tmp_path))
    assert chart.name == "gains"
    first, second = chart.answer.split("; ")
    assert first == "-O1 over -O0: x1.00 to x2.00, never a loss"
    assert second == "-O3 over -O1: x0.91 to x1.25, loses at c (x0.91)"
    left, right = chart.figure.axes
    assert [bar.get_width() + 1 for bar in left.patches] == pytest.approx([2, 1, 1.6])
    assert [bar.get_width() + 1 for bar in right.patches] == pytest.approx([1.25, 1.25, 10 / 11])
    assert all(bar.get_x() == 1 for bar in right.patches if bar.get_width() > 0)
    said = [text.get_text() for text in (*left.texts, *right.texts)]
    assert said == ["x2.00", "no difference", "x1.60", "x1.25", "x1.25", "x0.91 hurts"]
    assert left.get_xscale() == "log" and not crowded(chart)


def test_a_level_wins_and_loses_by_metric(tmp_path: Path) -> None:
    _, table, snapshots = made(tmp_path)
    head, _, *rows = gains.lost(table, snapshots).splitlines()
    assert "-O1 / -O3" in head
    assert rows == [
        "| a | wins x1.25 | loses x0.75 | loses x0.80 |",
        "| b | wins x1.25 | wins x2.00 | no difference x1.00 |",
        "| c | loses x0.91 | no difference x1.00 | loses x0.67 |",
    ]


def test_instructions_by_level(tmp_path: Path) -> None:
    chart = levels.by_level(*made(tmp_path))
    assert chart.name == "levels" and "x2.50 at a, x1.45 at c" in chart.answer
    for part in ("qemu-gcc99", "arm-gcc 99.1", "128 bits", "mean of 10", "nstructions"):
        assert part in chart.caption
    axes = chart.figure.axes[0]
    drawn = {(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines
             if line.get_marker() != "None"}  # fmt: skip
    assert drawn == {(numbers[0], "abc".index(name)) for (name, _), numbers in MEANS.items()}
    assert axes.get_xscale() == "log" and not crowded(chart)
    assert axes.get_xlim()[0] < 300 and axes.get_xlim()[1] > 1000
    assert {"-O0", "-O1", "-O3", "1,000", "400"} <= {text.get_text() for text in axes.texts}


def test_code_size_counts_from_one_per_cent(tmp_path: Path) -> None:
    chart = levels.code_size(*made(tmp_path))
    assert chart.answer == (
        "-O3 code is larger than -O1 code for 2 rungs of 3, smaller for 0;"
        " -O0 code is the largest for 3"
    )
    low, high = chart.figure.axes[0].get_xlim()
    assert low == 0 and high > 800 and not crowded(chart)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("helps helps helps", "survives every level"),
        ("hurts hurts hurts", "loses at every level"),
        ("none none none", "changes nothing at any level"),
        ("helps none none", "from -O1 on the gain is gone"),
        ("helps helps none", "from -O3 on the gain is gone"),
        ("helps hurts none", "helps at -O0, hurts at -O1"),
        ("helps none hurts", "helps at -O0, hurts at -O3"),
        ("none none helps", "needs the optimiser"),
        ("none none hurts", "in the compiler's way at -O3"),
        ("none hurts hurts", "in the compiler's way at -O1 and -O3"),
        ("none helps none", "helps at -O1 only"),
        ("hurts none none", "hurts at -O0 only"),
        ("helps none helps", "helps at -O0 and -O3 only"),
        ("hurts none helps", "needs the optimiser"),
    ],
)
def test_what_verdicts_say_together(words: str, said: str) -> None:
    verdicts = [{"none": "no difference"}.get(word, word) for word in words.split()]
    assert survival.reading(dict(zip(("O0", "O1", "O3"), verdicts))) == said


def test_no_reading_contradicts_its_verdicts() -> None:
    for verdicts in itertools.product(VERDICTS, repeat=3):
        said = survival.reading(dict(zip(("O0", "O1", "O3"), verdicts)))
        helps, none, _ = VERDICTS
        assert (said == "survives every level") == (set(verdicts) == {helps})
        assert (survival.GONE in said) <= (verdicts[0] == helps and verdicts[2] == none)
        needs = verdicts[0] != helps and verdicts[2] == helps
        assert (said == "needs the optimiser") == needs


def test_which_steps_survive(tmp_path: Path) -> None:
    chart = survival.survival(*made(tmp_path))
    assert chart.answer == "1 of 2 steps help at every level; b: from -O1 on the gain is gone"
    texts = [word for text in chart.figure.axes[0].texts for word in text.get_text().split("\n")]
    assert {"-O0", "-O1", "-O3", "survives every level", "x2.00", "x1.67"} <= set(texts)
    assert texts.count("helps") == 4 and texts.count("no difference") == 2
    assert not crowded(chart)


@pytest.mark.parametrize(
    ("at_o3", "said"),
    [
        (1000, "Yes, mont.S is; the C around it gains x4.00 from -O0 to -O3"),
        (1010, "No: mont.S differs at c; the C around it gains x4.00 from -O0 to -O3"),
    ],
)
def test_assembly_is_the_same_or_not(tmp_path: Path, at_o3: int, said: str) -> None:
    results, table, snapshots = made(tmp_path)
    lines = [line("c", "O0", "mont.S", 600), line("c", "O0", "mont.S", 400, 2)]
    lines += [line("c", "O3", "mont.S", at_o3), line("c", "O0", "rsa.c", 200)]
    lines += [line("c", "O3", "rsa.c", 50), line("a", "O0", "rsa.c", 10000)]
    (results.folder / "lines.csv").write_text(made_results.LINES + "".join(lines))
    results = load(results.folder, tmp_path)
    split = survival.by_hand(results, snapshots)
    assert split.values.tolist() == [["c", "O0", 100, 20], ["c", "O3", at_o3 / 10, 5]]
    chart = survival.left_to_the_compiler(results, snapshots)
    assert chart.answer == said and not crowded(chart)


def test_without_counts_by_line_it_is_not_available(tmp_path: Path) -> None:
    results, _, snapshots = made(tmp_path)
    assert "ot available here" in survival.left_to_the_compiler(results, snapshots).answer


def test_a_broken_lines_file_is_one_line(tmp_path: Path) -> None:
    results, _, _ = made(tmp_path)
    (results.folder / "lines.csv").write_text("a,b\n1,2\n")
    with pytest.raises(Failure, match="lines.csv"):
        load(results.folder, tmp_path)


def test_studies_appear_by_themselves(tmp_path: Path) -> None:
    made(tmp_path)
    made_results.snapshots(tmp_path, "width-64", {"v0": "", "v1": "v0"})
    (tmp_path / "studies" / "width-64" / "README.md").write_text("---\nwidth: 64\n---\n")
    made_results.snapshots(tmp_path, "dead-ends", {"one": "iterations/a", "two": "iterations/b"})
    made_results.snapshots(tmp_path, "not-counted", {"v0": ""})
    counts = (tmp_path / "results" / "qemu-gcc99" / "counts.csv").read_text().splitlines(True)[1:]
    for name, mean in {"v0": 200, "v1": 100}.items():
        for level in ("O0", "O1", "O3"):
            counts += made_results.whole(f"width-64,{name},{level}", mean)
    counts += made_results.whole("dead-ends,one,O0", 2000) + made_results.whole(
        "dead-ends,two,O0", 500
    )
    results = made_results.results(tmp_path, counts)
    parts = survival.of_studies(results)
    shown = [part if isinstance(part, str) else part.name for part in parts]
    assert shown == [
        "### studies/dead-ends", "survival-dead-ends",
        "### studies/width-64", "levels-width-64", "survival-width-64",
    ]  # fmt: skip
    assert "64 bits" in parts[3].caption and "width-64" in parts[3].caption
    assert "x1.00 at v0" in parts[3].answer
    assert parts[4].answer == "1 of 1 steps help at every level"
    drawn = parts[1].figure.axes[0].texts
    words = [word for text in drawn for word in text.get_text().split("\n")]
    assert "hurts" in words and "no difference" in words and "x0.50" in words


def test_no_study_is_said(tmp_path: Path) -> None:
    results, _, _ = made(tmp_path)
    assert survival.of_studies(results) == ["Nothing of the studies is measured here."]


@pytest.mark.parametrize(
    "keep",
    [
        lambda name, level: name == "a",
        lambda name, level: name == "c" and level == "O1",
        lambda name, level: level == "O1",
        lambda name, level: (name, level) != ("a", "O3"),
        lambda name, level: name != "b",
    ],
    ids=["one rung", "one cell", "one level", "one hole", "no parent"],
)
def test_what_was_measured_in_part_is_drawn(tmp_path: Path, keep: object) -> None:
    results, table, snapshots = made(tmp_path, keep)
    for draw in (levels.by_level, levels.code_size, gains.gains, survival.survival):
        chart = draw(results, table, snapshots)
        assert chart.bytes("png") and "nan" not in chart.answer, chart.answer
        assert not crowded(chart)
    assert "nan" not in gains.lost(table, snapshots)


@pytest.mark.parametrize(
    ("value", "text"),
    [(132098151, "132 M"), (12350977, "12.4 M"), (2210675, "2.21 M"), (743908, "744 k"),
     (53340, "53.3 k"), (9999, "9,999"), (68, "68"), (999600, "1.00 M"), (0, "0")],
)  # fmt: skip
def test_a_count_in_three_digits(value: int, text: str) -> None:
    assert marks.brief(value) == text


def test_a_crowded_picture_is_noticed(tmp_path: Path) -> None:
    chart = levels.by_level(*made(tmp_path))
    axes = chart.figure.axes[0]
    axes.text(500, 1, "over"), axes.text(500, 1, "lap")
    axes.annotate("outside", (1000, 0), (400, 0), textcoords="offset points")
    faults = " ".join(crowded(chart))
    assert "'over' runs into 'lap'" in faults and "cut: 'outside'" in faults


@pytest.mark.slow
def test_the_reference_pictures_have_room() -> None:
    try:
        results = load(reference())
    except Failure as fault:
        pytest.skip(str(fault))
    table, snapshots = frames.ladder_table(results), results.rungs()
    drawn = [draw(results, table, snapshots) for draw in
             (levels.by_level, levels.code_size, gains.gains, survival.survival)]  # fmt: skip
    drawn.append(survival.left_to_the_compiler(results, snapshots))
    drawn += [part for part in survival.of_studies(results) if not isinstance(part, str)]
    for chart in drawn:
        assert chart.question.endswith("?") and results.platform in chart.caption
        assert not crowded(chart), chart.name
