"""Tables and charts of calls: every number from gprof/calls.csv and counts.csv."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path

import pytest

for package in ("pandas", "matplotlib", "IPython"):
    pytest.importorskip(package)

from IPython.display import SVG, Markdown  # noqa: E402
from made_results import write_ladder

from records.faults import Failure
from records.results import Results, load, reference
from rsalab.charts import calls, shares
from rsalab.charts.picture import Chart

HEAD = "study,snapshot,level,caller,callee,calls\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Made-up results of two round trips: at -O0 five products an exponentiation, one of them by 1;
    at -O1 mmm_1 is inlined; another study and a rung without -O3."""
    write_ladder(tmp_path / "made")
    rows = []
    for rung, products in (("v0", 400), ("v2", 400), ("v4", 48)):
        for level in ("O0", "O1") if rung == "v2" else ("O0", "O1", "O3"):
            arcs = [("plain_call", "mod_exp", 4), ("mod_exp", "mmm", products)]
            arcs += [("mod_exp", "mmm_1", products // 4)] * (level == "O0")
            for caller, callee, n in arcs:
                rows += [f"{rung},{level},{caller},{callee},{n}"]
                rows += [f"{rung},{level},<total>,{callee},{n}"]
    (tmp_path / "made" / "gprof").mkdir()
    text = "".join(f"iterations,{row}\n" for row in rows)
    text += "width-64,v0,O0,<total>,mod_exp,1000\nwidth-64,v0,O0,<total>,mmm,1000\n"
    (tmp_path / "made" / "gprof" / "calls.csv").write_text(HEAD + text)
    return tmp_path / "made"


def test_tables_and_charts_have_the_calls_of_a_round_trip_of_the_ladder(folder: Path) -> None:
    results = load(folder)
    found, rungs = calls.calls(results), results.rungs()
    lines = calls.by_function(found, rungs).splitlines()
    assert lines[0] == "| calls at -O0 | v0 | v2 | v4 |"
    assert lines[2:] == ["| `mmm` | 200 | 200 | 24 |", "| `mmm_1` | 50 | 50 | 6 |",
                         "| `mod_exp` | 2 | 2 | 2 |"]  # fmt: skip
    assert "v2" not in calls.totals(found, "O3")
    lines = calls.inlined(found, rungs).splitlines()
    assert "| v2 | 252 | 202 | - | `mmm` 200, `mod_exp` 2 | - |" in lines
    chart = calls.products(results, found, rungs)
    assert chart.answer == "Products: 250 from v0 to v2, 30 in v4"
    chart = calls.by_rung(results, found, rungs)
    assert chart.answer.startswith("From v0 to v4: 252 to 32 at -O0")
    assert "qemu-gcc99" in chart.caption and "-pg" in chart.caption


def test_without_gprof_a_line_says_so(folder: Path) -> None:
    (folder / "gprof" / "calls.csv").unlink()
    results = load(folder)
    found, rungs = calls.calls(results), results.rungs()
    said = [calls.by_rung(results, found, rungs), calls.products(results, found, rungs)]
    texts = [calls.by_function(found, rungs), calls.inlined(found, rungs)]
    texts += [shown.data for shown in said if isinstance(shown, Markdown)]
    assert texts == [calls.MISSING] * 4
    heading, picture = calls.picture(results, "v6", "O1")
    assert heading.data == "**v6 at -O1**" and "make gprof" in picture.data


@pytest.mark.parametrize("text", ["", "study\n1\n", HEAD + "iterations,v0,O0,a,b,many\n"])
def test_a_damaged_file_is_named(folder: Path, text: str) -> None:
    (folder / "gprof" / "calls.csv").write_text(text)
    with pytest.raises(Failure, match=r"made/gprof/calls\.csv"):
        calls.calls(load(folder))


def committed() -> Results:
    try:
        found = load(reference())
    except Failure as fault:
        pytest.skip(str(fault))
    if not (found.folder / "gprof/calls.csv").is_file():
        pytest.skip("no call graphs in the results here")
    return found


def test_the_domain_kept_saves_products() -> None:
    """The chart's numbers against the file, read without the code under test."""
    results, by = committed(), defaultdict(dict)
    with (results.folder / "gprof/calls.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if (row["study"], row["level"], row["caller"]) == ("iterations", "O0", "<total>"):
                by[row["snapshot"]][row["callee"]] = int(row["calls"])
    found, rungs = calls.calls(results), results.rungs()
    answer = calls.products(results, found, rungs).answer
    for rung in ("v0", "v6"):
        products = sum(by[rung].get(name, 0) for name in ("mmm", "mmm_1", "mont_mul"))
        assert f"{2 * products / by[rung]['mod_exp']:,.0f} from {rung} to" in answer


@pytest.mark.slow
def test_shares_fill_their_bars() -> None:
    results = committed()
    chart = shares.shares(results, results.rungs())
    assert isinstance(chart, Chart)
    for axes in chart.figure.axes:
        ends = defaultdict(float)
        for part in axes.patches:
            ends[round(part.get_y(), 3)] += part.get_width()
        assert len(ends) == len(results.rungs())
        assert all(abs(end - 100) < 1e-9 for end in ends.values())
        names = [text.get_text() for text in axes.texts]
        assert "mmm" in names and "mont_mul" in names


def test_pictures_are_those_of_the_folder() -> None:
    results = committed()
    drawn = sorted((results.folder / "gprof").glob("v*-O1.svg"))
    if not drawn:
        pytest.skip("no pictures of call graphs here")
    for path in drawn:
        rung, _, level = path.stem.partition("-")
        heading, picture = calls.picture(results, rung, level)
        assert heading.data == f"**{rung} at -{level}**" and isinstance(picture, SVG)
        assert re.search(rf">{rung} {level}, built with", picture.data.replace("&#45;", "-"))
