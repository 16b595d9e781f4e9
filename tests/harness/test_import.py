"""`make import`: a results folder from another board is taken over whole, or not at all."""

import json
import os
import shutil
from pathlib import Path

import pytest

from harness import progress
from harness.exchange import import_results
from harness.exchange.import_results import take
from records.faults import Failure
from records.ladder import ROOT


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Results as they come from another board: the reference under another platform."""
    folder = tmp_path / "from a pi"
    reference = ROOT / "results" / "qemu-gcc12"
    shutil.copytree(reference, folder, ignore=shutil.ignore_patterns("charts"))
    facts = json.loads((folder / "machine.json").read_text())
    (folder / "machine.json").write_text(json.dumps({**facts, "platform": "pi4-gcc12"}))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.slow
def test_it_stands_under_its_platform_or_name(board: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert take(board, results=results) == results / "pi4-gcc12"
    assert take(board, "attic-pi", results=results) == results / "attic-pi"
    assert contents(results / "pi4-gcc12") == contents(results / "attic-pi") == contents(board)
    assert sorted(os.listdir(results)) == ["attic-pi", "pi4-gcc12"]


@pytest.mark.slow
def test_it_is_overwritten_only_with_force(board: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    take(board, results=results)
    before = contents(results)
    (board / "asm.csv").unlink()
    with pytest.raises(Failure, match="FORCE=1"):
        take(board, results=results)
    assert contents(results) == before
    take(board, force=True, results=results)
    assert contents(results / "pi4-gcc12") == contents(board)
    assert os.listdir(results) == ["pi4-gcc12"]


@pytest.mark.slow
def test_an_invalid_folder_is_refused_with_file_and_line(board: Path, tmp_path: Path) -> None:
    text = (board / "counts.csv").read_text().replace(",1000,0", ",1001,0")
    (board / "counts.csv").write_text(text)
    with pytest.raises(Failure) as refused:
        take(board, results=tmp_path / "results")
    said = str(refused.value)
    assert said.startswith(f"{board}/counts.csv:2: ") and "\n" not in said
    assert "1001" in said and "1000" in said and "harness.exchange.validate" in said
    assert os.listdir(tmp_path / "results") == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["local", "../escape", "A b", ".hidden"])
def test_a_name_is_a_plain_one(board: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(Failure, match="^NAME="):
        take(board, name, results=tmp_path / "results")
    assert os.listdir(tmp_path / "results") == []


@pytest.mark.slow
def test_links_are_refused(board: Path, tmp_path: Path) -> None:
    (board / "times.csv").symlink_to("/etc/hostname")
    with pytest.raises(Failure, match="times.csv: "):
        take(board, results=tmp_path / "results")


def test_what_is_in_results_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "results" / "local").mkdir(parents=True)
    with pytest.raises(Failure, match="already"):
        take(tmp_path / "results" / "local", results=tmp_path / "results")
    with pytest.raises(Failure, match="no such"):
        take(tmp_path / "nowhere", results=tmp_path / "results")


@pytest.mark.slow
def test_a_full_disk_leaves_nothing_behind(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last rename fails: what was there is there again."""
    results = tmp_path / "results"
    take(board, results=results)
    before = contents(results)
    (board / "asm.csv").unlink()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    rename = Path.rename
    stops = lambda path, to: full() if path.name == "new" else rename(path, to)  # noqa: E731
    monkeypatch.setattr(Path, "rename", stops)
    with pytest.raises(OSError, match="No space"):
        take(board, force=True, results=results)
    assert contents(results) == before


def test_copying_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SILENCE", -1.0)
    (tmp_path / "old" / "inside").mkdir(parents=True)
    (tmp_path / "old" / "inside" / "file").write_bytes(b"x" * (import_results.BLOCK + 7))
    import_results.copy(tmp_path / "old", tmp_path / "new")
    assert contents(tmp_path / "new") == contents(tmp_path / "old")
    said = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1].split()[0] for line in said] == ["1,048,576", "1,048,583"]
