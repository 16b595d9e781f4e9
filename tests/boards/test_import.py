"""Results from another board are taken over whole or not at all; and what its owner hands on."""

import json
import os
import shutil
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from foreign import board_of

from boards import exchange
from boards.exchange import LARGEST, take, validate
from records.faults import Failure
from records.machine import IMPORTED, read_machine, write_machine


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Results as they come from another board: a part of the reference."""
    return board_of(tmp_path / "from a pi", "pi4-gcc12")


def data(folder: Path) -> dict[str, bytes]:
    """Every file but machine.json and pictures, which are made here."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {name: text for name, text in found.items() if not name.endswith((".json", ".svg"))}


def refused(board: Path, results: Path, name: str = "") -> str:
    """What an import says that is refused and leaves nothing."""
    with pytest.raises((Failure, OSError)) as fault:
        take(board, name, results=results)
    assert os.listdir(results) == []
    assert os.listdir(results.parent / "build") == ["import.lock"]
    assert str(fault.value).isprintable()
    return str(fault.value)


def test_it_stands_under_its_platform_or_name(board: Path, tmp_path: Path) -> None:
    """Without what is no part of it; a picture is drawn again."""
    wanted, results = data(board), tmp_path / "results"
    (board / "notes.txt").write_text("mine")
    (board / "gprof" / "v8-O3.svg").write_text("<svg onload='alert(1)'/>")
    (board / "\x1b[2J").mkdir()
    assert take(board, results=results) == results / "pi4-gcc12"
    assert take(board, "attic-pi", results=results) == results / "attic-pi"
    assert data(results / "pi4-gcc12") == data(results / "attic-pi") == wanted
    assert sorted(os.listdir(results)) == ["attic-pi", "pi4-gcc12"]
    assert IMPORTED in json.loads((results / "pi4-gcc12" / "machine.json").read_text())
    assert validate(results / "pi4-gcc12") == []
    picture = results / "pi4-gcc12/gprof/v8-O3.svg"
    assert not picture.exists() or "alert" not in picture.read_text()


def test_it_is_overwritten_only_with_force(board: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    take(board, results=results)
    before = data(results)
    (board / "asm.csv").unlink()
    with pytest.raises(Failure, match="FORCE=1"):
        take(board, results=results)
    assert data(results) == before
    take(board, force=True, results=results)
    assert data(results / "pi4-gcc12") == data(board)
    (kept,) = (results / "earlier").iterdir()
    assert {f"pi4-gcc12/{name}": text for name, text in data(kept).items()} == before


def test_what_was_measured_here_is_not_replaced(board: Path, tmp_path: Path) -> None:
    """Not even by force: the reference is such a folder."""
    own = tmp_path / "results" / "pi4-gcc12"
    shutil.copytree(board, own)
    before = data(own)
    with pytest.raises(Failure, match="NAME="):
        take(board, force=True, results=tmp_path / "results")
    assert data(own) == before


@pytest.mark.parametrize(
    "name", ["local", "../escape", "/tmp/x", "A b", ".hidden", "x" * 65, "a\n"]
)
def test_a_name_is_a_plain_one(board: Path, tmp_path: Path, name: str) -> None:
    assert refused(board, tmp_path / "results", name).startswith("NAME=")
    facts = json.loads((board / "machine.json").read_text())
    (board / "machine.json").write_text(json.dumps({**facts, "platform": name}))
    refused(board, tmp_path / "results")


def link(path: Path) -> None:
    path.symlink_to("/dev/zero")


def large(path: Path) -> None:
    path.touch()
    os.truncate(path, LARGEST[path.suffix] + 1)


@pytest.mark.parametrize("plant", [link, os.mkfifo, Path.mkdir, large])
@pytest.mark.parametrize("name", ["machine.json", "gprof/v8-O3.txt"])
def test_only_plain_files(
    board: Path, tmp_path: Path, plant: Callable[[Path], None], name: str
) -> None:
    """A pipe and a device would hang who opens them; a large file fills the disk."""
    (board / name).unlink(missing_ok=True)
    plant(board / name)
    said = refused(board, tmp_path / "results")
    assert said.startswith(f"{board}/{name}: ") and validate(board) == [said]
    shutil.rmtree(board / "gprof")
    (board / "gprof").symlink_to(tmp_path)
    assert refused(board, tmp_path / "results").startswith(f"{board}/gprof: ")


def test_a_picture_of_words_or_a_deep_file_is_refused(board: Path, tmp_path: Path) -> None:
    """A text of gprof that a terminal obeys; a machine.json that no reader can follow."""
    (board / "gprof" / "v8-O3.txt").write_text("\x1b[2J")
    assert "not a plain text" in refused(board, tmp_path / "results")
    (board / "machine.json").write_text("[" * 100_000)
    assert "machine.json" in refused(board, tmp_path / "results")


def test_what_is_in_results_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "results" / "local").mkdir(parents=True)
    with pytest.raises(Failure, match="already"):
        take(tmp_path / "results" / "local", results=tmp_path / "results")
    for folder in (tmp_path / "nowhere", Path()):
        with pytest.raises(Failure, match="say DIR=FOLDER"):
            take(folder, results=tmp_path / "results")


def test_what_is_handed_on_names_neither_machine_nor_home(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "annas-pi.example")
    monkeypatch.setenv("HOME", "/home/anna")
    facts = read_machine(board)
    facts["os"] = "Debian of annas-pi under /home/anna"
    write_machine(board, facts)
    with tarfile.open(exchange.pack(board, tmp_path / "out")) as tar:
        assert {member.uname for member in tar} == {""}
        tar.extractall(tmp_path / "there")
    (there,) = (tmp_path / "there").iterdir()
    said = (there / "machine.json").read_text()
    assert "annas-pi" not in said and "/home/anna" not in said
    assert take(there, "pi", results=tmp_path / "results").name == "pi"
    with (board / "counts.csv").open("a") as file:
        file.write("iterations,v1\n")
    with pytest.raises(Failure, match="counts.csv"):
        exchange.pack(board, tmp_path / "out")
    assert len(os.listdir(tmp_path / "out")) == 1
