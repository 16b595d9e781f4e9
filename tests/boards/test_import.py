"""`make import`: a results folder from another board is taken over whole, or not at all."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from foreign import board_of

from boards.exchange import take
from boards.validate import LARGEST, validate
from records.faults import Failure
from records.ladder import ROOT
from records.machine import IMPORTED


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Results as they come from another board: a part of the reference."""
    return board_of(tmp_path / "from a pi", "pi4-gcc12")


def data(folder: Path) -> dict[str, bytes]:
    """Every file but machine.json and pictures, which are made here."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
    return {name: text for name, text in found.items() if not name.endswith((".json", ".svg"))}


def refused(board: Path, results: Path, name: str | None = None) -> str:
    """What an import says that is refused and leaves nothing."""
    with pytest.raises((Failure, OSError)) as fault:
        take(board, name, results=results)
    assert os.listdir(results) == []
    assert os.listdir(results.parent / "build") == ["import.lock"]
    assert str(fault.value).isprintable()
    return str(fault.value)


def test_it_stands_under_its_platform_or_name(board: Path, tmp_path: Path) -> None:
    """Without what is no part of it."""
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


def test_an_invalid_folder_is_refused_with_file_and_line(board: Path, tmp_path: Path) -> None:
    text = (board / "counts.csv").read_text().replace(",1000,0", ",1001,0")
    (board / "counts.csv").write_text(text)
    said = refused(board, tmp_path / "results")
    assert said.startswith(f"{board}/counts.csv:2: ")
    assert "1001" in said and "1000" in said and "boards.validate" in said


@pytest.mark.parametrize(
    "name", ["local", "farm", "../escape", "/tmp/x", "..", "A b", ".hidden", "a/b", "x" * 65, "a\n"]
)
def test_a_name_is_a_plain_one(board: Path, tmp_path: Path, name: str) -> None:
    assert refused(board, tmp_path / "results", name).startswith("NAME=")
    facts = json.loads((board / "machine.json").read_text())
    (board / "machine.json").write_text(json.dumps({**facts, "platform": name}))
    refused(board, tmp_path / "results")


def link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("plant", [link, device, os.mkfifo, Path.mkdir])
@pytest.mark.parametrize("name", ["times.csv", "machine.json", "gprof/v8-O3.txt"])
def test_only_plain_files(
    board: Path, tmp_path: Path, plant: Callable[[Path], None], name: str
) -> None:
    """A pipe and a device would hang who opens them."""
    (board / name).unlink(missing_ok=True)
    plant(board / name)
    said = refused(board, tmp_path / "results")
    assert said.startswith(f"{board}/{name}: ") and validate(board) == [said]


def test_a_linked_folder_is_refused(board: Path, tmp_path: Path) -> None:
    (board / "gprof").rename(tmp_path / "gprof")
    (board / "gprof").symlink_to(tmp_path / "gprof")
    assert refused(board, tmp_path / "results").startswith(f"{board}/gprof/")


@pytest.mark.parametrize("name", ["counts.csv", "machine.json", "gprof/v8-O3.txt"])
def test_sizes_are_limited_before_anything_is_copied(
    board: Path, tmp_path: Path, name: str
) -> None:
    os.truncate(board / name, LARGEST[Path(name).suffix] + 1)
    assert "larger" in refused(board, tmp_path / "results")


def test_gprof_s_text_is_plain(board: Path, tmp_path: Path) -> None:
    (board / "gprof" / "v8-O3.txt").write_text("\x1b[2J")
    assert "not a plain text" in refused(board, tmp_path / "results")


def test_a_deep_machine_json_is_refused(board: Path, tmp_path: Path) -> None:
    facts = json.loads((board / "machine.json").read_text())
    deep = json.dumps(facts)[:-1] + ', "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    (board / "machine.json").write_text(deep)
    assert "machine.json" in refused(board, tmp_path / "results")


def test_what_is_in_results_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "results" / "local").mkdir(parents=True)
    with pytest.raises(Failure, match="already"):
        take(tmp_path / "results" / "local", results=tmp_path / "results")
    with pytest.raises(Failure, match="no such"):
        take(tmp_path / "nowhere", results=tmp_path / "results")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_import_leaves_nothing(
    board: Path, tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "results").mkdir()
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    code += f"sys.argv[1:] = ['import', {str(board)!r}]\n"
    code += "from boards import exchange as i; from records.faults import *\n"
    code += "import time; i.validate = lambda *_: time.sleep(60)\n"
    code += "sys.exit(command_line('import', i.main))"
    words = [sys.executable, "-c", code]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while not list((tmp_path / "build").glob("*/new/gprof/*.txt")):
            time.sleep(0.02)
        process.send_signal(number)
        said = process.communicate(timeout=30)[1]
    assert process.returncode == 128 + number and said.strip().count("\n") == 0
    assert os.listdir(tmp_path / "results") == []
    assert os.listdir(tmp_path / "build") == ["import.lock"]


def test_the_reference_is_whole() -> None:
    assert validate(ROOT / "results/qemu-gcc12") == []
