"""The notebooks: small, without errors, the same bytes whenever the
results are the same; and JupyterLab, on this machine alone, with a
token, and nothing of it elsewhere."""

import contextlib
import re
import subprocess
import sys
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from hangs import wait_until
from representatives import mostly_long

for package in ("pandas", "matplotlib", "jupytext", "nbclient", "ipykernel"):
    pytest.importorskip(package)

import made_results
import nbformat  # noqa: E402
from nbformat import v4  # noqa: E402
from nbformat.sign import NotebookNotary  # noqa: E402
from needs import needs  # noqa: E402

from records.commands import command
from records.faults import Failure
from records.ladder import ROOT
from records.results import reference
from rsalab.pages import notebooks

SOURCES = sorted(ROOT.glob("notebooks/*.py"))
SERVED = re.compile(r"^ +(http://127\.0\.0\.1:\d+)/lab\S*\?(token=\w+)")
NAMES = [source.stem for source in SOURCES]


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    mostly_long(SOURCES, SOURCES[:1]),
    ids=NAMES,
)
def test_executed_again_it_is_the_same(source: Path) -> None:
    again, _ = notebooks.execute(source, reference())
    assert str(ROOT) not in again and str(Path.home()) not in again
    assert not re.search(r"/tmp/|object at 0x", again)
    for cell in nbformat.reads(again, as_version=4).cells:
        for output in cell.get("outputs", []):
            assert (
                output["output_type"] != "error" and output.get("name") != "stderr"
            ), output
    assert source.with_suffix(".ipynb").read_text() == again


def experiments() -> list[tuple[str, str]]:
    """Notebook and name, for each name that the last cell of a notebook lets one change."""
    found = []
    for source in SOURCES:
        last = notebooks.prepare(source).cells[-1]["source"]
        for names in re.findall(r"(?m)^([A-Z]+(?:, [A-Z]+)*) = ", last):
            found += [(source.stem, name) for name in names.split(", ")]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stem", "name"), mostly_long(experiments(), experiments()[:2])
)
def test_a_wrong_name_in_an_experiment_is_one_line_that_names_what_there_is(
    stem: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cells that it needs are typed as they stand, but for the name."""
    monkeypatch.chdir(ROOT / "notebooks")
    cells = notebooks.prepare(ROOT / f"notebooks/{stem}.py").cells
    code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    assignment, _, rest = code[-1].partition("\n")
    space: dict[str, object] = {}
    exec(code[0], space)
    exec(f"{assignment}\n{name} = 'O7'", space)
    with pytest.raises(Failure, match=r"^no [a-z]+ 'O7'; there are: \w+") as fault:
        exec(rest, space)
    assert "\n" not in str(fault.value)


def test_every_link_of_a_notebook_leads_to_a_file() -> None:
    """JupyterLab opens a file, and answers 404 for a folder."""
    for source in SOURCES:
        text = source.with_suffix(".ipynb").read_text()
        for link in re.findall(r"\]\(((?!https?:)[^)#{]+)[#)]", text):
            assert (ROOT / "notebooks" / link).is_file(), f"{source.stem}: {link}"


def status_of(address: str) -> int:
    """What a server answers that has said its address and may not listen yet."""
    found = []

    def asked() -> bool:
        with contextlib.suppress(URLError), urlopen(address) as answer:
            found.append(answer.status)
        return bool(found)

    wait_until(asked, f"an answer from {address}", 0.1)
    return found[0]


@pytest.mark.slow
@needs("python:jupyterlab")
def test_jupyterlab_serves_every_rung_that_a_notebook_links_to() -> None:
    command = [sys.executable, "-m", "rsalab.pages", "jupyter"]
    server = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        address = next(filter(None, (SERVED.search(line) for line in server.stderr)))
        links = re.findall(
            r"\(\.\./([^)#{]+)\)", (ROOT / "notebooks/01-ladder.ipynb").read_text()
        )
        assert links
        for link in [*links, "notebooks/01-ladder.ipynb"]:
            assert status_of(f"{address[1]}/files/{link}?{address[2]}") == 200
    finally:
        server.terminate()
        server.wait()


def small_tree(root: Path, code: str) -> Path:
    """A repository with one notebook, and results that load."""
    (root / "notebooks").mkdir(parents=True)
    (root / "notebooks" / "01-x.py").write_text(
        f"# %% [markdown]\n# # X\n\n# %%\n{code}\n"
    )
    cell = made_results.row("iterations,v0,O0", "instructions", 10, n=1)
    made_results.write(root / "results" / "local", [cell])
    return root


def run(root: Path, *arguments: str) -> int:
    return command("notebooks", notebooks.notebooks, ["--root", str(root), *arguments])


def fault(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str) -> str:
    """What the command says where it fails, one line."""
    assert run(root, *arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_a_cell_that_fails_and_what_is_not_there(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    root = small_tree(tmp_path, "1 / 0")
    assert "01-x.py: cell 2: ZeroDivisionError" in fault(capsys, root)
    assert not (root / "notebooks" / "01-x.ipynb").exists()
    absent = fault(capsys, root, "--results", "results/none")
    assert "results/none: no such folder" in absent and not (root / "build").exists()
    monkeypatch.setattr(notebooks, "find_spec", lambda name: None)
    with pytest.raises(Failure, match="make jupyter"):
        notebooks.jupyter()


def test_a_cell_without_end_meets_a_limit_of_processor_time(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(notebooks, "NOTEBOOK_SECONDS", 4)
    root = small_tree(tmp_path, "while True:\n    pass")
    assert "01-x.py: Kernel died; it may take 4 s of processor" in fault(capsys, root)


def test_jupyterlab_shows_the_drawings_of_a_committed_notebook(tmp_path: Path) -> None:
    """It hides those of a notebook without a signature."""
    notebooks.sign(tmp_path)
    notary = NotebookNotary(data_dir=str(tmp_path))
    for source in SOURCES:
        committed = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
        assert notary.check_signature(committed), source.stem


def test_what_results_do_not_hold_is_a_note(tmp_path: Path, capsys) -> None:
    """The cell says what measures it, cells that need it say nothing, and
    the others go on."""
    code = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
from records.results import load, reference
results = load(reference())
table = results.ladder("width-96")

# %%
len(table)

# %%
results.folder.name, 6 * 7"""
    root = small_tree(tmp_path, code)
    assert run(root, "--results", "results/local") == 0
    made = (root / "build/notebooks/01-x.ipynb").read_text()
    assert (
        "has no counts of width-96; `make studies`" in made and "('local', 42)" in made
    )
    assert "Error" not in made and "Traceback" not in made
    assert "make studies" in capsys.readouterr().out
    assert not (root / "notebooks" / "01-x.ipynb").exists()


def test_what_is_borrowed_says_why_where_something_is_shown(tmp_path: Path) -> None:
    """Not below a cell that shows nothing even with the reference's results."""

    def cells(*outputs: list[nbformat.NotebookNode]) -> nbformat.NotebookNode:
        code = [
            v4.new_code_cell(f"cell({n})", outputs=o) for n, o in enumerate(outputs)
        ]
        return v4.new_notebook(cells=code)

    def shown(text: str) -> list[nbformat.NotebookNode]:
        return [v4.new_output("display_data", {"text/markdown": text})]

    def fault(name: str, text: str) -> list[nbformat.NotebookNode]:
        return [v4.new_output("error", ename=name, evalue=text, traceback=[])]

    committed = cells([], shown("a picture"), shown("a table"))
    (tmp_path / "x.ipynb").write_text(nbformat.writes(committed))
    lacks = fault("Failure", "not in these results; `make x` measures it")
    executed = cells(lacks, fault("NameError", "gains"), fault("NameError", "gains"))
    notebooks.complete(executed, tmp_path / "x.py")
    texts = []
    for cell in executed.cells:
        texts.append([output["data"]["text/markdown"] for output in cell.outputs])
    assert texts == [
        [],
        ["**Reference, not yours.** `make x` measures it", "a picture"],
        ["**Reference, not yours.** It needs a cell above.", "a table"],
    ]
