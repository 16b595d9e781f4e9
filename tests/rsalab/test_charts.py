"""The charts: made-up counts whose pictures are known by hand, and the
reference's, which have room for their words."""

import re
from collections.abc import Callable
from pathlib import Path

import made_results
import pytest
from crowded import crowded

from records.faults import Failure
from records.ladder import ROOT
from records.results import Results, load, reference
from records.rows import COLUMNS
from rsalab.charts import inside, ladder, picture, theme
from rsalab.charts.compilers import compilers
from rsalab.charts.cycles import in_cycles
from rsalab.charts.picture import Chart

LADDER = "iterations"
MEANS = {  # instructions, loads, stores, bytes
    ("a", "O0"): (1000, 300, 200, 800), ("a", "O1"): (500, 20, 10, 400),
    ("a", "O3"): (400, 30, 10, 500), ("b", "O0"): (500, 150, 100, 700),
    ("b", "O1"): (500, 20, 10, 400), ("b", "O3"): (400, 10, 5, 402),
    ("c", "O0"): (480, 150, 100, 700), ("c", "O1"): (300, 20, 10, 400),
    ("c", "O3"): (330, 20, 10, 600),
}  # fmt: skip
EVERY = (ladder.speed_up, ladder.size_against_work, ladder.survival, inside.mix)


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
    for chart in drawn:
        assert "nan" not in repr(chart), chart.answer
        assert not crowded(chart)


CLASSES = {"load": 40, "neon_load": 2, "store": 20, "add_sub": 10, "shift": 3, "umaal": 5,
           "call": 5, "unknown": 5}  # fmt: skip
FEWER = {"load": 10, "store": 5, "add_sub": 10, "umaal": 20, "return": 5}


BOTH = [*made_results.parts(f"{LADDER},a,O0", CLASSES, 10),
        *made_results.parts(f"{LADDER},b,O0", FEWER)]  # fmt: skip


@pytest.fixture
def called(tmp_path: Path) -> Results:
    """Two round trips: at -O0 250 products an exponentiation, 50 of them by
    1, from which at -O1 mmm_1 is inlined; another study and a rung without
    -O3."""
    folder, rows = tmp_path / "made", [",".join(COLUMNS["calls.csv"])]
    end = "calls,1,exact"
    made_results.write_ladder(folder)
    for rung, products in (("v0", 400), ("v2", 400), ("v4", 48)):
        for level in ("O0", "O1") if rung == "v2" else ("O0", "O1", "O3"):
            arcs = [("plain_call", "mod_exp", 4), ("mod_exp", "mmm", products)]
            arcs += [("mod_exp", "mmm_1", products // 4)] * (level == "O0")
            for caller, callee, n in arcs:
                cell = f"{LADDER},{rung},{level},gcc 12.2.0,roundtrip-first"
                rows.append(f"{cell},calls_from_{caller},{callee},{n},{end}")
                rows.append(f"{cell},calls,{callee},{n},{end}")
    for callee in ("mod_exp", "mmm"):
        cell = "width-64,v0,O0,gcc 12.2.0,roundtrip-first"
        rows.append(f"{cell},calls,{callee},1000,{end}")
    (folder / "gprof").mkdir()
    (folder / "gprof" / "calls.csv").write_text("\n".join(rows) + "\n")
    return load(folder)


def test_calls_are_of_one_round_trip(called: Results) -> None:
    calls = called.frame("trip_calls", study=LADDER, snapshot="v2", level="O0")
    by_callee = dict(zip(calls["callee"], calls["calls"]))
    assert by_callee == {"mmm": 200, "mmm_1": 50, "mod_exp": 2}


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
    for chart in drawn:
        assert chart.question.endswith("?") and committed.platform in chart.caption
        assert not crowded(chart), chart.name
    assert drawn[0].bytes("svg") == ladder.speed_up(committed).bytes("svg")


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


def sheets() -> list[Path]:
    """The style sheets that were written here."""
    found = sorted((ROOT / "rsalab").rglob("*.css"))
    return [path for path in found if path.parent.name != "vendor"]


# Colours, and sizes of letters but those that are relative to what is around.
COLOURS = r"#[0-9a-f]{3,8}\b(?=[;,) ])|\b(?:rgba?|hsla?|light-dark)\("
NAMED = r"(?<![-\w])(?:white|black|gr[ae]y|red|green|blue|orange)(?![-\w])"
SIZES = r"font(?:-size)?:[^;]*?[\d.]+(?:px|pt|rem|mm)\b"


def own_looks(sheet: str) -> list[str]:
    """The colours, sizes and fonts that a style sheet has of its own."""
    rules = re.sub(r"/\*.*?\*/|mask-image:[^;]*;", "", sheet, flags=re.S)
    return re.findall(f"{COLOURS}|{NAMED}|{SIZES}|monospace|sans-serif", rules)


@pytest.mark.parametrize("path", sheets(), ids=lambda path: path.name)
def test_a_style_sheet_has_its_look_from_the_theme(path: Path) -> None:
    """On screens, paper and slides."""
    text = path.read_text(encoding="utf-8")
    assert own_looks(text) == []
    used = set(re.findall(r"var\(--([\w-]+-(?:size|line))\)", text))
    assert used <= set(theme.SIZES | theme.SLIDE_SIZES)
