"""What a notebook begins and ends with: `rsalab.load()` reads one's own run, or else the reference;
`rsalab.check()` judges an answer."""

import json
import re
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import kinds
import pytest

for package in ("pandas", "jupytext", "nbclient", "ipykernel"):
    pytest.importorskip(package)

import pandas as pd

import rsalab
from records import results as records
from records.faults import Failure
from records.ladder import ROOT
from rsalab.charts.tree import tree
from rsalab.pages import notebooks

# Tables for the questions of others: what the sources printed, and how classes are sorted.
UNLISTED = {"printed", "kinds", "sources_index"}
STEMS = [path.stem for path in sorted(ROOT.glob("notebooks/*.py"))]


@pytest.fixture(scope="module")
def results() -> records.Results:
    return rsalab.load(records.reference())


def test_ones_own_run_comes_first_and_the_reference_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(records.SWITCH, raising=False)
    monkeypatch.setattr("rsalab.notebook.LOCAL", tmp_path / "none")
    assert rsalab.load().folder == records.reference()
    own = kinds.make("one", tmp_path / "own")
    monkeypatch.setattr("rsalab.notebook.LOCAL", own)
    capsys.readouterr()
    loaded = rsalab.load()
    said = capsys.readouterr().out
    assert loaded.folder == own and said.startswith("own: ")
    assert said.count("\n") == 1 and "reference" in said
    rungs = loaded.frame("ladder", study="iterations")["snapshot"].unique()
    assert list(rungs) == ["v8"]  # a study is one's own, or the reference's, as a whole
    assert len(loaded.frame("ladder", study="width-96"))


def test_an_empty_frame_names_the_command(results: records.Results) -> None:
    calls = results.frame("calls", study="iterations")
    assert rsalab.measured(calls, "make gprof") is calls
    with pytest.raises(Failure, match="`make gprof` measures it"):
        rsalab.measured(calls[:0], "make gprof")


def test_the_venv_has_this_repository_wherever_it_is(tmp_path: Path) -> None:
    """A notebook that is opened in another folder imports the package."""
    command = [sys.executable, "-c", "import rsalab, records; print(rsalab.__file__)"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert Path(run.stdout.strip()).is_relative_to(ROOT), run.stderr


# ---- the experiments

# What a reader types to find the answer, from the frames and not as rsalab/answers.py does.
SOLVED = {
    "01-ladder": """
ladder = results.frame("ladder", study="iterations", workload="roundtrip-full", level="O1")
steps = ladder.merge(ladder, left_on="parent", right_on="snapshot", suffixes=("", "_parent"))
fewer = steps["instructions"] < steps["instructions_parent"]
more = steps["loads"] > steps["loads_parent"]
answer = list(steps[fewer & more]["snapshot"])
wrong = ["v1"], "v99", 7, steps
""",
    "02-levels": """
every = results.frame("compilers", workload="roundtrip-small")
in_c = results.frame("snapshots", study="iterations", code="compiled C")["snapshot"]
best = every[every["snapshot"].isin(in_c)].groupby("compiler")["instructions"].min()
answer = best.max() / best.min()
wrong = 1.0, "gcc12", best
""",
    "03-call-graphs": """
where = {"study": "iterations", "snapshot": "v0"}
entered = results.frame("entered", **where, function="shr")
counts = results.frame("counted", **where, level="O0", symbol="shr", metric="instructions")
of_trips = counts[counts["workload"] == "roundtrip-full"].iloc[0]
answer = of_trips["value"] / of_trips["n"] / entered["calls"].iloc[0]
wrong = of_trips["value"] / entered["calls"].iloc[0], "shr"
""",
    "04-instruction-mix": """
ladder = results.frame("ladder", study="width-64", workload="roundtrip-full", level="O1")
share = ladder.set_index("snapshot")["branches"] / ladder.set_index("snapshot")["instructions"]
answer = share.idxmax()
wrong = share.idxmin(), 0.2, share
""",
    "05-against-the-sources": """
lee = results.frame("lee").astype({"ticks": float})
steps = results.frame("ladder", study="width-96", workload="roundtrip-full")
steps = steps[steps["versus_parent"] == 1].merge(lee[["snapshot", "level", "ticks"]])
above = lee[["snapshot", "level", "ticks"]].rename(columns={"snapshot": "parent"})
pairs = steps.merge(above, on=["parent", "level"])[["ticks_x", "ticks_y"]]
answer = round(100 * (pairs.max(axis=1) / pairs.min(axis=1) - 1).max(), 1)
wrong = 8.4, 1 + answer / 100, "x1.09"
""",
    "06-multiplication": """
private = results.frame("long", implementation="assembly", level="O3", operation="private", bits=2048)
needs = private.set_index("way")["instructions"]
answer = needs["crt-constant-time"] / needs["crt-square"]
wrong = 1 / answer, needs["crt-product"] / needs["crt-square"]
""",
    "07-openssl": """
metrics = results.frame("openssl_operations", implementation="ours", operation="sign", bits=2048)
values = metrics.set_index("metric")["value"]
counted = values["multiplies_long"] + values["multiplies_umaal"]
answer = round(100 * counted / values["instructions"], 1)
wrong = answer / 100, 100 - answer
""",
    "08-hardware": """
units = results.frame("synthesis", width=64)
units = units[units["target"].str.startswith("ECP5")]
answer = units.loc[(units["luts"] * units["ns"]).idxmin(), "unit"]
wrong = "h4", "h3", 64
""",
    "09-limit": """
setups = results.frame("peers", peer="OpenSSL assembly", way="constant", bits=64)
needs = setups.set_index("setup")["instructions"]
answer = needs["included"] / needs["excluded"]
wrong = 1 / answer, answer - 1
""",
    "10-your-own-rung": """
where = {"study": "iterations", "snapshot": "v8"}
calls = results.frame("called", **where, level="O0", caller="<total>", callee="mont_mul")
before = results.frame("cells", **where, level="O1", workload="roundtrip-full")["instructions"]
answer = before.iloc[0] - 4 * calls["calls"].sum()
wrong = before.iloc[0], before.iloc[0] - 4
""",
}


@pytest.mark.parametrize("stem", sorted(SOLVED))
def test_an_experiment_has_a_right_answer(
    stem: str, results: records.Results, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {"results": results}
    exec(SOLVED[stem], names)
    rsalab.check(names["answer"], stem, results)
    assert capsys.readouterr().out == "Right.\n"
    for wrong in names["wrong"]:
        rsalab.check(wrong, stem, results)
        assert capsys.readouterr().out.startswith("Not yet. ")
    rsalab.check(None, stem, results)
    assert capsys.readouterr().out.startswith("No answer yet")


def test_a_line_leads_to_the_parent_and_a_branch_has_none_to_the_next() -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    numbers = pd.Series({"v2": 1.0, "v3": 2.0, "v4": 3.0})
    parents = pd.Series({"v2": "v1", "v3": "v2", "v4": "v2"})
    tree(axes, numbers, parents, color="black")
    lines = [list(line.get_ydata()) for line in axes.lines]
    assert lines == [[1, 2, 3], [1, 2], [1, 3]]


# ---- what is committed, and what other results show


@pytest.mark.parametrize("stem", STEMS)
def test_every_picture_is_small(stem: str) -> None:
    notebook = json.loads((ROOT / f"notebooks/{stem}.ipynb").read_text())
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            picture = output.get("data", {}).get("image/png", "")
            assert len(b64decode(picture)) <= 60_000


@pytest.mark.long
@pytest.mark.parametrize("kind", [*kinds.KINDS, "clang", "board"])
@pytest.mark.parametrize("stem", STEMS)
def test_a_notebook_serves_anybodys_results(
    stem: str, kind: str, tmp_path: Path
) -> None:
    """Nothing fails, and what could not be shown names the command that measures it."""
    committed = {"clang": "qemu-clang14", "board": "board-armhf-native"}
    if kind in committed:
        folder = ROOT / "results" / committed[kind]
    else:
        folder = kinds.make(kind, tmp_path / kind)
    text, missing = notebooks.execute(ROOT / f"notebooks/{stem}.py", folder)
    assert '"name": "stderr"' not in text
    for reason in missing:
        assert "make " in reason or reason == "It needs a cell above.", reason


def test_every_frame_has_its_documented_columns(results: records.Results) -> None:
    page = (ROOT / "docs/results.md").read_text()
    published = set(
        re.findall(r"(?m)^\| `(\w+)` \| ", page.partition("<!-- sources -->")[2])
    )
    sections = {}
    for names, text in re.findall(r"(?ms)^### ([\w, ]+)$(.*?)(?=^#|\Z)", page):
        sections |= dict.fromkeys(names.split(", "), text)
    for name in set(results.names()) - published - UNLISTED:
        columns = set(results.frame_of(f"select * from {name} limit 0"))
        named = set(re.findall(r"`(\w+)`", sections[name]))
        assert columns <= named, name
