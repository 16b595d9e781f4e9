"""Where the instructions went: classes and groups that add up, and what steps removed of them."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

import made_results
import pandas as pd  # noqa: E402
from crowded import crowded

from records.faults import Failure
from records.ladder import ROOT
from records.results import Results, load, reference
from rsalab import frames
from rsalab.charts import memory, mix, product
from rsalab.notebooks import execute as notebooks

LADDER = "iterations"
A0 = {"load": 40, "neon_load": 2, "store": 20, "add_sub": 10, "shift": 8, "umaal": 5, "call": 5}
B0 = {"load": 10, "store": 5, "add_sub": 10, "umaal": 20, "return": 5}


def committed() -> Results:
    try:
        return load(reference())
    except Failure as fault:
        pytest.skip(str(fault))


def made(root: Path, counts: list[str]) -> tuple:
    """Results, ladder table and snapshots of a and b after a; b has assembly."""
    made_results.snapshots(root, LADDER, {"a": "", "b": "a"}, by_hand=["b"])
    results = made_results.results(root, counts)
    table = frames.ladder_table(results)
    return results, table, results.rungs()


def both(runtime: int = 10) -> list[str]:
    a, b = f"{LADDER},a,O0", f"{LADDER},b,O0"
    return made_results.parts(a, A0, runtime) + made_results.parts(b, B0)


def test_every_opcode_class_has_one_group() -> None:
    text = (ROOT / "harness/plugin/a32.h").read_text()
    known = re.findall(r"^ +X\((\w+)\)", text, re.M)
    assert len(known) > 25
    grouped = [cls for group in mix.GROUPS.values() for cls in group.classes]
    assert sorted(grouped) == sorted(set(known) - {"thumb"})  # Thumb is never in the snapshot
    assert len({group.colour for group in mix.GROUPS.values()}) == len(mix.GROUPS)


@pytest.mark.slow
def test_groups_add_up_exactly_in_the_reference() -> None:
    results = committed()
    asked = "select * from counts where metric = 'instructions' and symbol = 'total'"
    counts = pd.read_sql(asked, results.db)
    total = counts.set_index(["study", "case", "snapshot", "level"])
    places = counts[["study", "case"]].drop_duplicates().itertuples(index=False)
    compared = 0
    for study, case in places:
        groups = mix.table(results, study, case)
        for (name, level), row in groups.iterrows():
            value, n = total.loc[(study, case, name, level), ["value", "n"]]
            assert round(row[list(mix.GROUPS)].sum() * n) == value
            compared += 1
    assert compared == len(total) > 100


def test_groups_by_hand(tmp_path: Path) -> None:
    results, _, _ = made(tmp_path, both())
    groups = mix.table(results, LADDER)
    row = groups.loc["a", "O0"]
    assert row["total"] == 100 and row[list(mix.GROUPS)].sum() == 100
    want = {"loads": 42, "stores": 20, "add, sub": 10, "logic, shift": 8, "multiply": 5}
    want.update({"branches": 5, "run-time": 10, "NEON": 0, "other": 0, "move, compare": 0})
    assert row.drop("total").to_dict() == want


def test_a_class_that_has_no_group_yet_is_other(tmp_path: Path) -> None:
    results, _, _ = made(
        tmp_path, made_results.parts(f"{LADDER},a,O0", {"load": 3, "brand_new": 4})
    )
    row = mix.table(results, LADDER).loc["a", "O0"]
    assert row["other"] == 4 and row["total"] == 7


@pytest.mark.parametrize("fault", ["a class is missing", "a class is too large", "too few in all"])
def test_what_does_not_add_up_is_refused(tmp_path: Path, fault: str) -> None:
    counts = both(0)
    if fault == "a class is missing":
        counts = [row for row in counts if ",a," not in row or "class_store" not in row]
    elif fault == "a class is too large":
        counts = [row.replace("class_shift,snapshot,80", "class_shift,snapshot,81") for row in
                  counts]  # fmt: skip
    else:
        counts = [row.replace("instructions,total,900", "instructions,total,899") for row in counts]
    assert counts != both(0)
    results, table, snapshots = made(tmp_path, counts)
    with pytest.raises(Failure, match=r"qemu-gcc99/counts.csv: .*iterations/a -O0.*add up"):
        mix.stacked(results, table, snapshots)


def test_bars_fill_the_hundred_and_name_their_groups(tmp_path: Path) -> None:
    results, table, snapshots = made(tmp_path, both())
    chart = mix.stacked(results, table, snapshots)
    (axes,) = chart.figure.axes
    ends = {}
    for bar in axes.patches:
        y = round(bar.get_y(), 2)
        ends[y] = max(ends.get(y, 0), bar.get_x() + bar.get_width())
    assert list(ends.values()) == pytest.approx([100, 100])
    texts = [text.get_text() for text in axes.texts]
    assert "loads 42" in texts and "stores 20" in texts and "multiply 40" in texts
    assert "100" in texts and "50" in texts  # all instructions of a and of b
    assert chart.name == "instruction-mix" and chart.answer == "Most in a: loads; in b: multiply"
    assert "run-time is called by a." in chart.caption
    assert not crowded(chart)
    assert "| a | 42 | 20 | 5 | 10 | 8 | 5 | 10 | 100 |" in mix.in_numbers(results, snapshots)


def test_without_classes_it_is_one_line(tmp_path: Path) -> None:
    results, table, snapshots = made(tmp_path, made_results.whole(f"{LADDER},a,O0", 10))
    assert mix.table(results, LADDER).empty
    for draw in (mix.stacked, memory.memory_accesses, product.chart):
        with pytest.raises(Failure, match="^results/qemu-gcc99: no [^\n]*$"):
            draw(results, table, snapshots)
    assert "No opcode classes" in mix.in_numbers(results, snapshots)


def test_what_a_step_removed(tmp_path: Path) -> None:
    counts = made_results.whole(f"{LADDER},a,O0", 100, 30, 20)
    counts += made_results.whole(f"{LADDER},b,O0", 50, 10, 5)
    results, table, snapshots = made(tmp_path, counts)
    row = memory.changes(table, snapshots).iloc[0]
    assert row[["loads", "stores", "rest", "whole"]].tolist() == [-20, -15, -15, -50]
    chart = memory.loads_and_stores(results, table, snapshots)
    assert chart.name == "loads-and-stores" and chart.answer.endswith("in b at -O0 (70 %)")
    texts = [text.get_text() for text in chart.figure.axes[0].texts]
    assert texts == ["70 % of what went", "loads -20", "stores -15", "rest -15"]
    assert not crowded(chart)


@pytest.mark.parametrize(
    ("loads", "stores", "rest", "said"),
    [
        (-20, -15, -15, "70 % of what went"),
        (26, 22, -18, "160 % of what came"),
        (1, 1, -30, "more loads and stores"),
        (-11, 5, 15, "fewer loads and stores"),
        (0, 0, -50, "under 1 % of what went"),
        (-0.1, -0.1, -92, "under 1 % of what went"),
        (5, -5, 0.5, "no difference"),
        (0, 0, 0, "no difference"),
    ],
)
def test_the_share_of_a_change(loads: float, stores: float, rest: float, said: str) -> None:
    row = {"loads": loads, "stores": stores, "rest": rest, "whole": loads + stores + rest}
    assert memory.share(pd.Series(row)) == said


def test_accesses_are_loads_and_stores_together(tmp_path: Path) -> None:
    counts = []
    for name, level, loads, stores in [("a", "O0", 500, 300), ("b", "O0", 40, 20),
                                     ("a", "O1", 50, 10), ("b", "O1", 5, 5)]:  # fmt: skip
        cell = f"{LADDER},{name},{level}"
        counts += made_results.whole(cell, 1000)
        counts.append(made_results.row(cell, "load_accesses", 10 * loads))
        counts.append(made_results.row(cell, "store_accesses", 10 * stores))
    results, table, snapshots = made(tmp_path, counts)
    wide = memory.accesses(table, snapshots)
    assert wide.loc["a"].tolist() == [800, 60] and wide.loc["b"].tolist() == [60, 10]
    chart = memory.memory_accesses(results, table, snapshots)
    assert chart.answer == "From a to b: 800 to 60 at -O0, 60 to 10 at -O1"
    assert chart.figure.axes[0].get_yscale() == "log" and not crowded(chart)


@pytest.mark.parametrize(("shift", "same"), [(0, True), (1, False)])
def test_a_product_in_detail(tmp_path: Path, shift: int, same: bool) -> None:
    counts = both()
    for level, umaal in (("O0", 31), ("O3", 31 + shift)):
        classes = {"umaal": umaal, "load": 8, "return": 1}
        counts += made_results.parts(f"{LADDER},b,{level}", classes, case="mont_mul")
        counts += made_results.parts(f"{LADDER},a,{level}", {"load": 70}, case="mont_mul")
    results, table, snapshots = made(tmp_path, counts)
    wide = product.product(results, snapshots)
    assert list(wide.columns) == ["a", "b"] and list(wide["a"]) == [70, 0, 0, 70]
    assert wide["b"].to_dict() == {"load": 8, "return": 1, "umaal": 31 + shift,
                                   "total": 40 + shift}  # fmt: skip
    assert product.same_everywhere(results, snapshots) == {"b": same}
    chart = product.chart(results, table, snapshots)
    assert chart.answer == f"a: 70 of 70 are ldr; b: {31 + shift} of {40 + shift} are umaal"
    assert f"class by class: {'b' if same else 'none of them'}." in chart.caption
    assert not crowded(chart)
    assert f"| umaal | 0 | {31 + shift} |" in product.by_class(results, snapshots)


@pytest.mark.slow
def test_the_reference_pictures_have_room() -> None:
    results = committed()
    table, snapshots = frames.ladder_table(results), results.rungs()
    draws = (mix.stacked, memory.memory_accesses, memory.loads_and_stores, product.chart)
    for chart in [draw(results, table, snapshots) for draw in draws]:
        assert chart.question.endswith("?") and results.platform in chart.caption
        assert not crowded(chart), chart.name


@pytest.mark.parametrize("name", ["02-levels", "04-instruction-mix"])
def test_a_question_stands_above_every_cell_that_shows(name: str) -> None:
    cells = notebooks.prepare(*notebooks.sources([name])).cells
    assert len(cells) <= 14 and cells[0]["source"].startswith("# ")
    for above, cell in zip(cells, cells[1:]):
        if cell["cell_type"] == "code":
            assert above["cell_type"] == "markdown" and "?" in above["source"]
            assert "def " not in cell["source"]  # functions live in rsalab/
