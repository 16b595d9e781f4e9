"""The report and everything else that is generated from results."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

from madeup import fixture_results, numbers_agree  # noqa: E402

from rsalab import frames, ladder, markdown, report  # noqa: E402

ROOT = ladder.ROOT


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """A copy of what the generator reads, with made-up reference results."""
    root = tmp_path / "a tree"
    shutil.copytree(ROOT / "iterations", root / "iterations")
    shutil.copytree(ROOT / "data" / "published", root / "data" / "published")
    (root / "README.md").write_text("# A\n\n<!-- ladder -->\nold\n<!-- /ladder -->\n\nafter\n")
    fixture_results(root / "results" / "qemu-gcc99")
    yield root


def snapshot_of(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def run(root: Path, *arguments: str) -> int:
    return report.main(list(arguments), root)


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith("report: "), said
    return said


def test_the_reference_run_is_idempotent_and_deterministic(tree: Path) -> None:
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    first = snapshot_of(tree)
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    assert snapshot_of(tree) == first
    for path in tree.rglob("*.svg"):
        path.unlink()
    (tree / "REPORT.md").unlink()
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    assert snapshot_of(tree) == first


def test_the_reference_is_found_without_its_name(tree: Path) -> None:
    shutil.copytree(tree / "results" / "qemu-gcc99", tree / "results" / "local")
    assert run(tree, "--reference") == 0
    assert "results/qemu-gcc99" in (tree / "REPORT.md").read_text().splitlines()[0]


def test_what_is_rewritten(tree: Path) -> None:
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    first = (tree / "REPORT.md").read_text().splitlines()[0]
    for part in ("results/qemu-gcc99", "arm-gcc (Test) 99.1", "2030-01-02", "000000000000"):
        assert part in first
    front = (tree / "README.md").read_text()
    assert front.startswith("# A\n") and front.endswith("\nafter\n") and "old" not in front
    assert ladder.find("v1", root=tree).verdict == "O0 helps, O1 helps, O3 helps"
    assert ladder.find("v0", root=tree).verdict == ""
    for name in re.findall(r"\]\(([^)#]+)\)", (tree / "REPORT.md").read_text()):
        assert (tree / name).exists(), name
    for name in re.findall(r"\]\(([^)#]+)\)", (tree / "iterations" / "README.md").read_text()):
        assert (tree / "iterations" / name).exists(), name


def test_texts_name_no_path_of_this_machine(tree: Path) -> None:
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    for path in tree.rglob("*"):
        if path.suffix in (".md", ".svg"):
            assert str(tree.parent) not in path.read_text(), path


def test_a_run_of_ones_own_changes_no_tracked_file(tree: Path) -> None:
    shutil.copytree(tree / "results" / "qemu-gcc99", tree / "results" / "local")
    before = snapshot_of(tree)
    assert run(tree, "results/local", "build/REPORT.md") == 0
    after = snapshot_of(tree)
    new = {path.relative_to(tree).parts[0] for path in set(after) - set(before)}
    assert new == {"build"} and all(after[path] == before[path] for path in before)
    text = (tree / "build" / "REPORT.md").read_text()
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (tree / "build" / link).exists(), link


@pytest.mark.parametrize("out", ["REPORT.md", "docs/x.md", "iterations/README.md"])
def test_ones_own_report_keeps_out_of_the_repository(
    tree: Path, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot_of(tree)
    assert run(tree, "results/qemu-gcc99", out) == 2
    assert "build/" in one_line(capsys)
    assert snapshot_of(tree) == before


def test_local_results_are_no_reference(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(tree / "results" / "qemu-gcc99", tree / "results" / "local")
    before = snapshot_of(tree)
    assert run(tree, "--reference", "results/local") == 2
    assert "results/local" in one_line(capsys)
    assert snapshot_of(tree) == before


def spoil_machine(folder: Path) -> None:
    (folder / "machine.json").write_text('{"platform": ')


def spoil_counts(folder: Path) -> None:
    text = (folder / "counts.csv").read_text()
    (folder / "counts.csv").write_text(text[: len(text) // 2].rsplit(",", 3)[0])


def spoil_head(folder: Path) -> None:
    (folder / "asm.csv").write_text("a,b\n1,2\n")


def drop_counts(folder: Path) -> None:
    (folder / "counts.csv").unlink()


def zero_operations(folder: Path) -> None:
    text = (folder / "counts.csv").read_text().replace(",10,0\n", ",0,0\n")
    (folder / "counts.csv").write_text(text)


def binary(folder: Path) -> None:
    (folder / "counts.csv").write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize(
    "spoil",
    [shutil.rmtree, spoil_machine, spoil_counts, spoil_head, drop_counts, zero_operations, binary],
)
def test_bad_results(tree: Path, spoil: object, capsys: pytest.CaptureFixture[str]) -> None:
    spoil(tree / "results" / "qemu-gcc99")
    before = snapshot_of(tree)
    assert run(tree, "--reference", "results/qemu-gcc99") == 2
    said = one_line(capsys)
    assert "results/qemu-gcc99" in said and str(tree) not in said
    assert run(tree, "results/qemu-gcc99", "build/REPORT.md") == 2
    one_line(capsys)
    assert snapshot_of(tree) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("README.md", "<!-- ladder -->", ""),
        ("README.md", "<!-- /ladder -->", ""),
        ("iterations/v3/README.md", "<!-- measured -->", ""),
        ("iterations/v3/README.md", "\nverdict:", "\n#"),
        ("iterations/v3/README.md", "**Why.**", ""),
    ],
)
def test_missing_markers(
    tree: Path, file: str, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tree / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    before = snapshot_of(tree)
    assert run(tree, "--reference", "results/qemu-gcc99") == 2
    assert file in one_line(capsys)
    assert snapshot_of(tree) == before


def test_a_rung_that_was_not_measured_is_left_alone(tree: Path) -> None:
    shutil.copytree(tree / "iterations" / "v8", tree / "iterations" / "v9")
    readme = tree / "iterations" / "v9" / "README.md"
    readme.write_text(readme.read_text().replace("parent: v7", "parent: v8"))
    before = readme.read_bytes()
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    assert readme.read_bytes() == before
    assert "v9" not in (tree / "iterations" / "README.md").read_text().replace("make diff", "")


def test_numbers_are_those_of_the_counts(tree: Path) -> None:
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    numbers_agree(tree, tree / "results" / "qemu-gcc99")


def test_between_keeps_what_is_around() -> None:
    text = markdown.between("a <!-- x -->old<!-- /x --> b\n", "x", "new\n", "f")
    assert text == "a <!-- x -->\nnew\n<!-- /x --> b\n"
    assert markdown.between(text, "x", "new", "f") == text


def test_the_tree_shows_branches() -> None:
    base = ladder.snapshots()[0]
    made = {"v0": None, "v1": "v0", "a": "v1", "v2": "v1", "a2": "a", "b": "a", "v3": "v2"}
    made["v4"] = "v3"
    snapshots = [type(base)(**{**vars(base), "name": n, "parent": p}) for n, p in made.items()]
    drawn = "v0 ── v1 ─┬─ v2 ── v3 ── v4\n          └─ a ─┬─ a2\n                └─ b"
    assert markdown.tree(snapshots) == drawn
    assert frames.main_line(snapshots) == ["v0", "v1", "v2", "v3", "v4"]


def test_one_measured_rung_is_enough_for_a_report(tree: Path) -> None:
    folder = tree / "results" / "local"
    shutil.copytree(tree / "results" / "qemu-gcc99", folder)
    for name in ("counts.csv", "asm.csv"):
        lines = (folder / name).read_text().splitlines(keepends=True)
        kept = [line for line in lines if line.startswith(("study,", "iterations,v8,"))]
        (folder / name).write_text("".join(kept))
    assert run(tree, "results/local", "build/REPORT.md") == 0
    assert "v8" in (tree / "build" / "REPORT.md").read_text()
