"""The notebooks: small, without errors, and the same bytes whenever the results are the same."""

import json
import re
from pathlib import Path

import pytest

for package in ("pandas", "matplotlib", "jupytext", "nbclient", "ipykernel"):
    pytest.importorskip(package)

import matplotlib  # noqa: E402
import nbformat  # noqa: E402

from records.faults import Failure
from records.ladder import ROOT
from records.results import reference
from rsalab.notebooks import execute as notebooks

SOURCES = notebooks.sources([])
NAMES = [source.stem for source in SOURCES]


def results() -> Path:
    """The reference results, or the last run of this machine, or skip."""
    try:
        return reference()
    except Failure as fault:
        pytest.skip(str(fault))


def without_pictures(text: str) -> list[dict]:
    """The cells, pictures left out: those of another matplotlib differ."""
    cells = json.loads(text)["cells"]
    for cell in cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/png", None)
    return cells


def test_there_is_a_notebook() -> None:
    assert "01-ladder" in NAMES


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_a_notebook_is_short_and_asks_before_it_shows(source: Path) -> None:
    cells = notebooks.prepare(source).cells
    assert len(cells) <= 14
    assert cells[0]["cell_type"] == "markdown" and cells[0]["source"].startswith("# ")
    for above, cell in zip(cells, cells[1:]):
        if cell["cell_type"] == "code" and "charts." in cell["source"]:
            assert above["cell_type"] == "markdown" and "?" in above["source"]


def test_a_picture_is_small() -> None:
    pictures = [
        (path.name, cell["id"], len(text))
        for path in (ROOT / "notebooks").glob("*.ipynb")
        for cell in json.loads(path.read_text())["cells"]
        for output in cell.get("outputs", [])
        for form, text in output.get("data", {}).items()
        if form.startswith("image/")
    ]
    assert len(pictures) > 30
    assert [one for one in pictures if one[-1] > 60_000] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [SOURCES[0], *(pytest.param(source, marks=pytest.mark.long) for source in SOURCES[1:])],
    ids=NAMES,
)
def test_executed_again_it_is_the_same(source: Path) -> None:
    folder = results()
    again, _ = notebooks.execute(source, folder)
    assert str(ROOT) not in again and str(Path.home()) not in again
    assert not re.search(r"/tmp/|object at 0x", again)
    for cell in nbformat.reads(again, as_version=4).cells:
        for output in cell.get("outputs", []):
            assert output["output_type"] in ("execute_result", "display_data"), output
    if folder.name == "local":
        assert notebooks.execute(source, folder) == (again, [])
        return
    committed = source.with_suffix(".ipynb").read_text()
    lock = (ROOT / "requirements.lock").read_text()
    if f"matplotlib=={matplotlib.__version__} " in lock:
        assert committed == again
    else:
        assert without_pictures(committed) == without_pictures(again)


def small_tree(root: Path, code: str) -> Path:
    """A repository with one notebook, and results that load."""
    (root / "notebooks").mkdir(parents=True)
    (root / "notebooks" / "01-x.py").write_text(f"# %% [markdown]\n# # X\n\n# %%\n{code}\n")
    folder = root / "results" / "local"
    folder.mkdir(parents=True)
    head = "study,snapshot,level,case,metric,symbol,value,unit,n,repeat\n"
    for name in ("counts", "asm"):
        row = "iterations,v0,O0,roundtrip-full,instructions,total,10,instructions,1,0\n"
        (folder / f"{name}.csv").write_text(head + row)
    facts = {"platform": "p", "compiler": "c 1", "date": "2030-01-01", "git_revision": "0"}
    (folder / "machine.json").write_text(json.dumps(facts))
    return root


def test_a_cell_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = small_tree(tmp_path, "1 / 0")
    assert notebooks.main([], root) == 2
    said = capsys.readouterr().err
    assert "01-x.py: cell 2: ZeroDivisionError" in said and said.count("\n") == 1
    assert not (root / "notebooks" / "01-x.ipynb").exists()


def test_what_results_do_not_hold_is_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cell says what measures it, cells that need it say nothing, and the others go on."""
    code = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
from records.results import load, reference
from rsalab import frames
table = frames.ladder_table(load(reference()), "width-96")

# %%
table.index

# %%
6 * 7"""
    root = small_tree(tmp_path, code)
    out = ["--results", "results/local", "--out", "build"]
    assert notebooks.main(out, root) == 0
    made = (root / "build/01-x.ipynb").read_text()
    assert "has no counts of width-96; `make studies`" in made and '"42"' in made
    assert "Error" not in made and "Traceback" not in made
    assert "make studies" in capsys.readouterr().out


def test_ones_own_results_go_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "import os\nfrom pathlib import Path\nPath(os.environ['RSALAB_RESULTS']).name"
    root = small_tree(tmp_path, code)
    out = ["--results", "results/local", "--out", "build/notebooks"]
    assert notebooks.main([*out, "01-x"], root) == 0
    made = root / "build" / "notebooks" / "01-x.ipynb"
    assert "'local'" in made.read_text() and not (root / "notebooks" / "01-x.ipynb").exists()
    assert "build/notebooks/01-x.ipynb" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "no notebook 'nothing'; there are: 01-x"),
        (["--results", "results/none", "--out", "build"], "results/none: no such folder"),
    ],
)
def test_what_is_not_there(
    tmp_path: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = small_tree(tmp_path, "1")
    assert notebooks.main(arguments, root) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1 and not (root / "build").exists()
