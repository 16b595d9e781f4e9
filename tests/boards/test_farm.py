"""A farm of three boards: folders behind a command that stands for ssh.  GNU parallel and rsync are
real; programs run in the emulator."""

import argparse
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from clone import Clone, environment
from foreign import board_of
from needs import needs

from boards import farm
from boards.exchange import validate
from records.faults import Failure
from records.rows import read_rows

# Switched off: a board without a folder, or with a file `off`; `dies`: so it is at its first job.
SSH = """#!/bin/sh
while :; do case $1 in -o | -p | -l) shift 2 ;; -*) shift ;; *) break ;; esac; done
who=${1#*@} && shift
if [ "$1" = -- ]; then shift; fi
cd "$FARM_OF_TEST/$who" || exit 255
case $* in *perl*) [ ! -e dies ] || mv dies off ;; esac
[ ! -e off ] || { echo "no route to $who" >&2; exit 255; }
exec sh -c "$*"
"""
FOLDERS = ["iterations/v6", "iterations/v8"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A place for three boards, and for the command that reaches them."""
    for name in "abc":
        (tmp_path / name).mkdir()
    (tmp_path / "ssh").write_text(SSH)
    (tmp_path / "ssh").chmod(0o755)
    return tmp_path


@needs("parallel", "rsync")
def test_a_board_dies_and_another_is_switched_off(measured: Clone, home: Path) -> None:
    """The twin does the work of the dead one; a type without a board gets it at the next run."""
    (home / "a/dies").touch()
    (home / "c/off").touch()
    boards = "# the farm\n\npi@a  twin\npi@b:2222  twin\npi@c  lone  # far away\n"
    (measured.path / "hosts.txt").write_text(boards)

    def make() -> subprocess.CompletedProcess:
        words = ["make", "farm", "BOARDS=hosts.txt", f"FARM={' '.join(FOLDERS)}"]
        made = environment(FARM_OF_TEST=str(home))
        return subprocess.run(
            [*words, f"SSH={home / 'ssh'}"],
            cwd=measured.path,
            env=made,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    ran = make()
    assert ran.returncode == 2 and "Traceback" not in ran.stdout, ran.stdout
    lines = [line for line in ran.stdout.splitlines() if line.startswith("farm: ")]
    assert sorted(lines)[:3] == [
        "farm: hosts.txt:3: a: no route to a",
        "farm: hosts.txt:5: c: no route to c",
        "farm: lone: not measured: iterations/v6, iterations/v8",
    ]
    assert os.listdir(measured.path / "results/farm") == ["b-2222"]
    (home / "c/off").unlink()
    ran = make()
    assert ran.returncode == 0 and ran.stdout.count("is there already: results/farm/b-2222/") == 2
    own = {tuple(row.items()) for row in read_rows(measured.path / "results/local/counts.csv")}
    for name, kind in (("b-2222", "twin"), ("c", "lone")):
        folder = measured.path / "results/farm" / name
        rows = read_rows(folder / "counts.csv")
        assert {row["snapshot"] for row in rows} == {"v6", "v8"}
        assert {row["snapshot"] for row in read_rows(folder / "asm.csv")} == {"v6", "v8"}
        assert {tuple(row.items()) for row in rows} <= own and not validate(folder)
        facts = json.loads((folder / "machine.json").read_text())
        assert facts["board"] == f"{name}, {kind}" and len(facts["git_revision"]) == 40


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("pi@a pi3\nb pi3\n", r"hosts.txt:2: expected `user@host\[:port\]  type`, not 'b pi3'"),
        ("# none\n", "hosts.txt: no board in it"),
        ("pi@a pi3 twice\n", "hosts.txt:1: expected"),
        ("-oProxyCommand=x@a pi3\n", "hosts.txt:1: expected"),
        ("pi@a pi3 # one\n\npi@a pi4\n", "hosts.txt:3: a is in .*hosts.txt:1, too"),
        (None, "hosts.txt: no such file"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str | None, fault: str) -> None:
    if text:
        (tmp_path / "hosts.txt").write_text(text)
    with pytest.raises(Failure, match=fault):
        farm.read(tmp_path / "hosts.txt")


def spoil(name: str, old: str, new: str) -> Callable[[Path], object]:
    """Changes one text of a file."""

    def change(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return change


BAD: dict[str, Callable[[Path], object]] = {
    "a cut row": spoil("counts.csv", "\niterations", "\nit"),
    "markup": spoil("machine.json", '"cpu": "', '"cpu": "<b>'),
    "deep": lambda folder: (folder / "machine.json").write_text("[" * 10**5),
    "no machine.json": lambda folder: (folder / "machine.json").unlink(),
    "a link": lambda folder: (folder / "times.csv").symlink_to("/etc/passwd"),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout without sources of its own, but for what a farm writes."""
    (tmp_path / "here/build").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(farm.Cell, "size_rows", lambda cell: [])
    return tmp_path / "here"


def run(monkeypatch: pytest.MonkeyPatch, *sent: Path) -> set[str]:
    """Boards 1, 2, ... send v7, v8, ...: the folders that could not be measured."""
    boards = [farm.Board(f"hosts.txt:{i}", f"pi@{i}", 22, "pi3") for i in (1, 2)]
    folders = [Path("iterations/v7"), Path("iterations/v8")]
    monkeypatch.setattr(farm, "lacking", lambda boards, options: options.folders)
    monkeypatch.setattr(farm, "measure", lambda *_: zip(boards, folders, sent))
    options = argparse.Namespace(folders=folders, ssh="ssh", messages="default")
    return farm.of_kind(boards, options)


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_delivery_is_one_line_and_the_other_board_goes_on(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, bad: str
) -> None:
    """Nothing is written but the good board's results."""
    one, two = (board_of(place / f"build/{i}", "pi-3-gcc12") for i in "12")
    BAD[bad](one)
    assert run(monkeypatch, one, two) == {"iterations/v7"}
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("farm: iterations/v7 on 1: hosts.txt:1/") and line.isprintable()
    assert os.listdir("results/farm") == ["2"] and validate(Path("results/farm/2")) == []


def test_boards_of_one_type_are_alike(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = [board_of(place / f"build/{i}", f"pi-{i}-gcc12") for i in "34"]
    with pytest.raises(Failure, match="^hosts.txt:2: a pi3 that is pi-4-gcc12.* pi-3-gcc12"):
        run(monkeypatch, *sent)


def test_a_board_that_has_lost_its_results_takes_none_away(place: Path) -> None:
    """It sends v8, then v7 alone."""
    board, good = farm.Board("hosts.txt:1", "pi@a", 22, "pi3"), board_of(place / "v8", "pi3-gcc12")
    farm.accept(board, Path("iterations/v8"), good, ("0" * 40, True))
    for name in ("machine.json", "counts.csv", "provenance.csv"):
        (good / name).write_text(re.sub(r"\bv8\b", "v7", (good / name).read_text()))
    for name in ("asm.csv", "lines.csv"):
        (good / name).unlink()
    farm.accept(board, Path("iterations/v7"), good, ("0" * 40, True))
    folder = place / "results/farm/a"
    assert {row["snapshot"] for row in read_rows(folder / "counts.csv")} == {"v7", "v8"}
    assert validate(folder) == [] and not (place / "results/earlier").exists()
