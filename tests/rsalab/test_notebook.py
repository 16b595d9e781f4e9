"""What a notebook begins and ends with: `rsalab.load()` reads one's own run, or else the reference;
`rsalab.check()` judges an answer."""

import re
import subprocess
import sys
from pathlib import Path

import kinds
import pytest

pytest.importorskip("pandas")

import rsalab
from records import results as records
from records.faults import Failure
from records.ladder import ROOT

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


def test_the_last_cell_of_a_notebook_checks_its_own_experiment() -> None:
    for stem in SOLVED:
        text = (ROOT / f"notebooks/{stem}.py").read_text()
        *_, last = text.split("# %%")
        assert re.findall(r'rsalab\.check\(answer, "(.*)", results\)', last) == [stem]
