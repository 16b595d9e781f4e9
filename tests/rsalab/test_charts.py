"""The charts: made-up counts whose pictures are known by hand, and the
reference's, which have room for their words."""

import re
from collections.abc import Callable
from pathlib import Path

import made_results
import pytest
from crowded import crowded

from records import published
from records.faults import Failure
from records.ladder import ROOT
from records.results import Results, load, reference
from rsalab.charts import inside, ladder, picture
from rsalab.charts.compilers import compilers
from rsalab.charts.cycles import in_cycles
from rsalab.charts.picture import Chart
from rsalab.steps import spent

LADDER = "iterations"
MEANS = {  # instructions, loads, stores, bytes
    ("a", "O0"): (1000, 300, 200, 800), ("a", "O1"): (500, 20, 10, 400),
    ("a", "O3"): (400, 30, 10, 500), ("b", "O0"): (500, 150, 100, 700),
    ("b", "O1"): (500, 20, 10, 400), ("b", "O3"): (400, 10, 5, 402),
    ("c", "O0"): (480, 150, 100, 700), ("c", "O1"): (300, 20, 10, 400),
    ("c", "O3"): (330, 20, 10, 600),
}  # fmt: skip
EVERY = (
    ladder.speed_up, ladder.size_against_work, ladder.by_level, ladder.code_size, ladder.gains,
    ladder.survival, ladder.left_to_the_compiler, inside.mix, inside.memory_accesses,
    inside.loads_and_stores, inside.product, inside.calls_by_rung, inside.products, inside.shares,
)  # fmt: skip


def made(
    root: Path, keep: Callable[[str, str], bool] = lambda name, level: True
) -> Results:
    """Results of a, b after a, c after b; c has assembly, and a level of which no picture is."""
    made_results.snapshots(root, LADDER, {"a": "", "b": "a", "c": "b"}, by_hand=["c"])
    counts, sizes = [], []
    cells = MEANS | {("c", "O2"): MEANS["c", "O1"]}
    for (name, level), (instructions, loads, stores, size) in cells.items():
        if keep(name, level):
            cell = f"{LADDER},{name},{level}"
            counts += made_results.whole(cell, instructions, loads, stores)
            sizes += [made_results.row(cell, metric, size, case="static", n=1)
                      for metric in ("code_bytes", "asm_lines")]  # fmt: skip
    return made_results.results(root, counts, sizes)


def counted(root: Path, counts: list[str]) -> Results:
    """Results of a and b after a; b has assembly."""
    made_results.snapshots(root, LADDER, {"a": "", "b": "a"}, by_hand=["b"])
    return made_results.results(root, counts)


@pytest.fixture(scope="module")
def committed() -> Results:
    """The reference results."""
    return load(reference())


def words(chart: Chart) -> list[str]:
    return [text.get_text() for axes in chart.figure.axes for text in axes.texts]


def test_gains_are_those_of_the_counts(tmp_path: Path) -> None:
    chart = ladder.gains(made(tmp_path))
    assert chart.name == "gains" and "x0.91, c" in chart.answer
    for axes, ratios in zip(chart.figure.axes, ([2, 1, 1.6], [1.25, 1.25, 10 / 11])):
        assert [bar.get_width() + 1 for bar in axes.patches] == pytest.approx(ratios)
    assert words(chart) == ["x2.00", "x1.00", "x1.60", "x1.25", "x1.25", "x0.91"]
    rows = ladder.lost(load(tmp_path / "results/qemu-gcc99", tmp_path)).splitlines()[2:]
    assert rows == ["| a | x1.25 | x0.75 | x0.80 |", "| b | x1.25 | x2.00 | x1.00 |",
                    "| c | x0.91 | x1.00 | x0.67 |"]  # fmt: skip


def test_levels_and_sizes_stand_where_they_belong(tmp_path: Path) -> None:
    results = made(tmp_path)
    for column, draw in ((0, ladder.by_level), (3, ladder.code_size)):
        chart = draw(results)
        lines = (line.get_xydata() for line in chart.figure.axes[0].lines)
        drawn = {(x, y) for line in lines for x, y in line}
        known = {
            (means[column], "abc".index(name)) for (name, _), means in MEANS.items()
        }
        assert drawn == known and results.platform in chart.caption


def test_assembly_and_the_c_around_it(tmp_path: Path) -> None:
    made(tmp_path)
    place = "c,{},roundtrip-full,{},1,f,0x0000,move,{},,,,10\n"
    rows = [
        ("O0", "mont.S", 1000),
        ("O0", "rsa.c", 200),
        ("O3", "mont.S", 1000),
        ("O3", "rsa.c", 50),
    ]
    lines = made_results.LINES + "".join(
        f"{LADDER},{place.format(*row)}" for row in rows
    )
    (tmp_path / "results/qemu-gcc99/lines.csv").write_text(lines)
    chart = ladder.left_to_the_compiler(load("results/qemu-gcc99", tmp_path))
    assert words(chart)[:2] == ["mont.S 100"] * 2 and "x4.00" in chart.answer


PARTS = {
    "one rung": lambda name, level: name == "a",
    "one cell": lambda name, level: name == "c" and level == "O1",
    "one level": lambda name, level: level == "O1",
    "one hole": lambda name, level: (name, level) != ("a", "O3"),
    "no parent": lambda name, level: name != "b",
}


@pytest.mark.parametrize("keep", PARTS.values(), ids=PARTS)
def test_what_was_measured_in_part_is_drawn(tmp_path: Path, keep: object) -> None:
    results, drawn = made(tmp_path, keep), []
    for draw in EVERY:
        try:
            drawn.append(draw(results))
        except Failure as fault:  # says which command measures what is missing
            assert re.fullmatch(
                r"results/qemu-gcc99: [^\n]*`make [a-z0-9-]+`[^\n]*", str(fault)
            )
    assert len(drawn) >= 2
    for chart in drawn:
        assert "nan" not in repr(chart), chart.answer
        assert not crowded(chart)
    assert "nan" not in ladder.lost(results)


def test_studies_appear_by_themselves(tmp_path: Path) -> None:
    made(tmp_path)
    made_results.snapshots(tmp_path, "width-64", {"v0": "", "v1": "v0"})
    (tmp_path / "studies" / "width-64" / "README.md").write_text(
        "---\nwidth: 64\n---\n"
    )
    made_results.snapshots(tmp_path, "dead-ends", {"one": "iterations/a"})
    made_results.snapshots(tmp_path, "not-counted", {"v0": ""})
    counts = (
        (tmp_path / "results" / "qemu-gcc99" / "counts.csv")
        .read_text()
        .splitlines(True)[1:]
    )
    for cell, mean in (
        ("width-64,v0", 200),
        ("width-64,v1", 100),
        ("dead-ends,one", 2000),
    ):
        counts += made_results.whole(f"{cell},O0", mean)
    parts = list(ladder.of_studies(made_results.results(tmp_path, counts)))
    assert [part if isinstance(part, str) else part.name for part in parts] == [
        "### studies/dead-ends", "survival-dead-ends",
        "### studies/width-64", "levels-width-64", "survival-width-64",
    ]  # fmt: skip
    assert "64 bits" in parts[3].caption and "hurts x0.50" in words(parts[1])


CLASSES = {"load": 40, "neon_load": 2, "store": 20, "add_sub": 10, "shift": 3, "umaal": 5,
           "call": 5, "brand_new": 5}  # fmt: skip
FEWER = {"load": 10, "store": 5, "add_sub": 10, "umaal": 20, "return": 5}


BOTH = [*made_results.parts(f"{LADDER},a,O0", CLASSES, 10),
        *made_results.parts(f"{LADDER},b,O0", FEWER)]  # fmt: skip


def test_every_opcode_class_has_one_group() -> None:
    text = (ROOT / "harness/plugin/a32.h").read_text()
    known = set(re.findall(r"^ +X\((\w+)\)", text, re.M)) - {
        "thumb"
    }  # never in the snapshot
    grouped = [
        line.split(",")[0] for line in published.KINDS.read_text().splitlines()[1:]
    ]
    assert sorted(grouped) == sorted({*known, "run-time"}) and len(known) > 25
    assert tuple(inside.KINDS) == spent.KINDS
    assert len({*inside.KINDS.values()}) == len(spent.KINDS)


def test_groups_are_the_sums_of_their_classes(tmp_path: Path) -> None:
    results = counted(tmp_path, BOTH)
    chart = inside.mix(results)
    parts = zip(*chart.figure.axes[0].containers)
    ends = [max(bar.get_x() + bar.get_width() for bar in row) for row in parts]
    assert ends == pytest.approx([100, 100])
    assert {"loads 42", "multiplies 40", "100", "50"} <= set(words(chart))
    assert chart.answer == "Most of b at -O0: multiplies, 40 %" and not crowded(chart)
    assert "| a | 42 | 20 | 5 | 10 | 3 | 5 | 10 | 5 | 100 |" in inside.in_numbers(
        results
    )


def test_what_a_step_removed_and_how_often_it_goes_to_memory(tmp_path: Path) -> None:
    counts = []
    for name, *means in (("a", 100, 30, 20), ("b", 50, 10, 5)):
        cell = f"{LADDER},{name},O0"
        counts += made_results.whole(cell, *means)
        counts += [made_results.row(cell, metric, 10 * means[2])
                   for metric in ("load_accesses", "store_accesses")]  # fmt: skip
    results = counted(tmp_path, counts)
    chart = inside.loads_and_stores(results)
    assert chart.answer == "Most: -35 of -50 %, b at -O0" and not crowded(chart)
    assert words(chart) == ["-50 %", "loads -20", "stores -15", "rest -15"]
    chart = inside.memory_accesses(results)
    assert chart.answer == "b: 10 at -O0" and not crowded(chart)
    assert list(chart.figure.axes[0].lines[0].get_ydata()) == [40, 10]


def test_a_product_in_detail(tmp_path: Path) -> None:
    counts = [*BOTH]
    for name, classes in (
        ("a", {"load": 70}),
        ("b", {"umaal": 31, "load": 8, "return": 1}),
    ):
        counts += made_results.parts(f"{LADDER},{name},O0", classes, case="mont_mul")
    chart = inside.product(counted(tmp_path, counts))
    assert chart.answer == "b: 31 of 40 are umaal" and not crowded(chart)
    assert words(chart) == ["70", "0", "0", "8", "1", "31"]
    made_results.snapshots(tmp_path / "in C", LADDER, {"a": ""})
    with pytest.raises(Failure, match="no product by hand; `make"):
        inside.product(made_results.results(tmp_path / "in C", counts))


@pytest.fixture
def called(tmp_path: Path) -> Results:
    """Two round trips: at -O0 250 products an exponentiation, 50 of them by
    1, from which at -O1 mmm_1 is inlined; another study and a rung without
    -O3."""
    folder, rows = tmp_path / "made", ["study,snapshot,level,caller,callee,calls"]
    made_results.write_ladder(folder)
    for rung, products in (("v0", 400), ("v2", 400), ("v4", 48)):
        for level in ("O0", "O1") if rung == "v2" else ("O0", "O1", "O3"):
            arcs = [("plain_call", "mod_exp", 4), ("mod_exp", "mmm", products)]
            arcs += [("mod_exp", "mmm_1", products // 4)] * (level == "O0")
            for caller, callee, n in arcs:
                rows += [
                    f"{LADDER},{rung},{level},{of},{callee},{n}"
                    for of in (caller, "<total>")
                ]
    rows += ["width-64,v0,O0,<total>,mod_exp,1000", "width-64,v0,O0,<total>,mmm,1000"]
    (folder / "gprof").mkdir()
    (folder / "gprof" / "calls.csv").write_text("\n".join(rows) + "\n")
    return load(folder)


def test_calls_are_of_one_round_trip_of_the_ladder(called: Results) -> None:
    assert inside.by_function(called).splitlines() == [
        "| calls at -O0 | v0 | v2 | v4 |", "| :-- | --: | --: | --: |",
        "| `mmm` | 200 | 200 | 24 |", "| `mmm_1` | 50 | 50 | 6 |", "| `mod_exp` | 2 | 2 | 2 |",
    ]  # fmt: skip
    assert "| v2 | 252 | 202 | - | `mmm` 200, `mod_exp` 2 | - |" in inside.inlined(
        called
    )
    assert inside.products(called).answer == "250 in v0, 30 in v4"
    assert inside.calls_by_rung(called).answer.startswith("v4: 32 at -O0")


def test_a_picture_of_calls_is_that_of_the_folder(called: Results) -> None:
    heading, shown = inside.call_graph(called, "v6", "O1")
    assert heading.data == "**v6 at -O1**" and "make gprof" in shown.data
    (called.folder / "gprof" / "v6-O1.svg").write_text("<svg>v6</svg>")
    assert "v6" in list(inside.call_graph(called, "v6", "O1"))[1].data


def test_the_classes_of_the_reference_add_up(committed: Results) -> None:
    assert not committed.query(
        "select * from counts where symbol = 'snapshot'"
        " group by study, snapshot, level, workload having sum(value) filter"
        " (where metric like 'class\\_%' escape '\\') <> sum(value) filter"
        " (where metric = 'instructions')"
    )


@pytest.mark.slow
def test_the_reference_pictures_have_room_and_repeat(committed: Results) -> None:
    drawn = [draw(committed) for draw in (*EVERY, compilers, in_cycles)]
    headings = set(re.findall(r"(?m)^## (\S+)", picture.WORDS.read_text()))
    assert {chart.name for chart in drawn} == {
        name for name in headings if "beside" not in name
    }
    drawn += [part for part in ladder.of_studies(committed) if isinstance(part, Chart)]
    for chart in drawn:
        assert chart.question.endswith("?") and committed.platform in chart.caption
        assert not crowded(chart), chart.name
    assert drawn[0].bytes("svg") == ladder.speed_up(committed).bytes("svg")
    for axes in inside.shares(committed).figure.axes:
        assert {round(sum(bar.get_width() for bar in axes.patches), 6)} == {100.0 * len(
            committed.rungs())}  # fmt: skip


def test_a_count_in_three_digits() -> None:
    counts = (132098151, 12350977, 2210675, 743908, 53340, 9999, 68, 999600, 0, 32.6)
    texts = [
        "132 M",
        "12.4 M",
        "2.21 M",
        "744 k",
        "53.3 k",
        "9,999",
        "68",
        "1 M",
        "0",
        "32.6",
    ]
    assert list(map(picture.brief, counts)) == texts
