"""The report and everything else that is generated from results."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_results import write_ladder
from matplotlib.figure import Figure

from records import ladder
from records.commands import command
from records.rows import COLUMNS
from rsalab import frames, markdown
from rsalab.charts.picture import Chart
from rsalab.report import generate, story

ROOT = ladder.ROOT
LINK = r"\]\((?!https:)([^)#]+)\)"  # a file of the repository
STUDIES = "Appendix A: other studies"


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """A copy of what the generator reads, with made-up reference results."""
    root = tmp_path / "a tree"
    shutil.copytree(ROOT / "iterations", root / "iterations")
    shutil.copytree(ROOT / "data" / "published", root / "data" / "published")
    shutil.copytree(ROOT / "docs", root / "docs")
    for folder in (
        "notebooks",
        "studies/width-1024/lanes",
        "studies/openssl",
        "studies/hardware/cores",
    ):
        (root / folder).mkdir(parents=True)
    (root / "studies/hardware/cores/README.md").touch()
    for path in ROOT.glob("notebooks/*.ipynb"):
        (root / "notebooks" / path.name).touch()
    (root / "README.md").write_text(
        "# A\n\n<!-- ladder -->\nold\n<!-- /ladder -->\n\nafter\n"
    )
    write_ladder(root / "results" / "qemu-gcc99")
    yield root


@pytest.fixture
def few_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blank pictures, and only those that a report cannot do without:
    drawing takes seconds."""
    names = ("speed-up", "lines-and-instructions", "beside-bishop-austin-2021")
    blank = [Chart(name, "Why?", "So", "here", Figure()) for name in names]
    monkeypatch.setattr(story, "gallery", lambda *_: blank)


def snapshot_of(root: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
    }


def run(root: Path, *arguments: str) -> int:
    return command("report", generate.generate, ["--root", str(root), *arguments])


@pytest.fixture
def refused(tree: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """A command that is to write nothing and to end with one line, which
    it returns."""

    def said(*arguments: str) -> str:
        before = snapshot_of(tree)
        assert run(tree, *arguments) == 2
        assert snapshot_of(tree) == before
        line = capsys.readouterr().err
        assert (
            line.count("\n") == 1
            and line.startswith("report: ")
            and str(tree) not in line
        )
        return line

    return said


@pytest.mark.long
def test_the_reference_run_is_idempotent_and_deterministic(tree: Path) -> None:
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    first = snapshot_of(tree)
    for path, data in first.items():
        if path.suffix in (".md", ".svg"):
            assert str(tree.parent).encode() not in data, path
    shutil.rmtree(tree / "results" / "qemu-gcc99" / "charts")
    (tree / "REPORT.md").unlink()
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    assert snapshot_of(tree) == first


@pytest.mark.usefixtures("few_charts")
def test_what_is_rewritten(tree: Path) -> None:
    """From the reference, which needs no name and is never a run of one's own."""
    shutil.copytree(tree / "results" / "qemu-gcc99", tree / "results" / "local")
    assert run(tree, "--reference") == 0
    first = (tree / "REPORT.md").read_text().splitlines()[0]
    for part in (
        "results/qemu-gcc99",
        "arm-gcc (Test) 99.1",
        "2030-01-02",
        "000000000000",
    ):
        assert part in first
    front = (tree / "README.md").read_text()
    assert (
        front.startswith("# A\n") and front.endswith("\nafter\n") and "old" not in front
    )
    assert ladder.find("v1", root=tree).verdict == "O0 helps, O1 helps, O3 helps"
    assert ladder.find("v0", root=tree).verdict == ""
    for name in re.findall(LINK, (tree / "REPORT.md").read_text()):
        assert (tree / name).exists(), name
    for name in re.findall(LINK, (tree / "iterations" / "README.md").read_text()):
        assert (tree / "iterations" / name).exists(), name


@pytest.mark.slow
def test_a_run_of_ones_own_changes_no_tracked_file(tree: Path) -> None:
    shutil.copytree(tree / "results" / "qemu-gcc99", tree / "results" / "local")
    before = snapshot_of(tree)
    assert run(tree, "results/local", "build/REPORT.md") == 0
    after = snapshot_of(tree)
    new = {path.relative_to(tree).parts[0] for path in set(after) - set(before)}
    assert new == {"build"} and all(after[path] == before[path] for path in before)
    text = (tree / "build" / "REPORT.md").read_text()
    for link in re.findall(LINK, text):
        assert (tree / "build" / link).exists(), link


@pytest.mark.usefixtures("few_charts")
def test_what_is_refused(tree: Path, refused: Callable[..., str]) -> None:
    """A place in the repository, and a reference that is none."""
    for out in ("REPORT.md", "docs/x.md", "iterations/README.md"):
        assert "build/" in refused("results/qemu-gcc99", out)
    shutil.copytree(tree / "results" / "qemu-gcc99", tree / "results" / "local")
    assert "results/local" in refused("--reference", "results/local")


def write_lines(folder: Path) -> None:
    """A little of lines.csv, as a run of one's own leaves it: two rungs."""
    lines, counts = (
        [",".join(COLUMNS["lines.csv"])],
        (folder / "counts.csv").read_text(),
    )
    for cell in ("iterations,v7,O1", "iterations,v8,O1"):
        trip = rf"{cell},[^,]+,roundtrip-full,instructions,total,(\d+),"
        total = re.search(trip, counts)[1]
        lines.append(
            f"{cell},roundtrip-full,rsa.c,3,mont_mul,0x0000,add_sub,{total},,,,10"
        )
    (folder / "lines.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.usefixtures("few_charts")
def test_what_the_results_lack_is_said(tree: Path) -> None:
    folder = tree / "results" / "qemu-gcc99"
    assert run(tree, "results/qemu-gcc99", "build/REPORT.md") == 0
    bare = (tree / "build" / "REPORT.md").read_text()
    for chapter in (
        "The ladder",
        "What each technique is worth",
        "Cycles, by model",
        STUDIES,
    ):
        part = bare[bare.index(f"# {chapter}\n") :].split("\n## ")[0]
        assert story.MISSING in part, chapter
    write_lines(folder)
    assert run(tree, "results/qemu-gcc99", "build/REPORT.md") == 0
    more = (tree / "build" / "REPORT.md").read_text()
    assert more.count(story.MISSING) == bare.count(story.MISSING) - 1  # why v8 gains


def test_the_tree_shows_branches() -> None:
    base = ladder.snapshots()[0]
    made = {
        "v0": None,
        "v1": "v0",
        "a": "v1",
        "v2": "v1",
        "a2": "a",
        "b": "a",
        "v3": "v2",
    }
    made["v4"] = "v3"
    snapshots = [
        type(base)(**{**vars(base), "name": n, "parent": p}) for n, p in made.items()
    ]
    drawn = "v0 ── v1 ── v2 ── v3 ── v4\n       └─ a ── a2\n          └─ b"
    assert markdown.tree(snapshots) == drawn
    assert frames.main_line(snapshots) == ["v0", "v1", "v2", "v3", "v4"]
