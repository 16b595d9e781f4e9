"""A farm of three boards: folders behind a command that stands for ssh.
GNU parallel and rsync are real; programs run in the emulator."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import collecting
import pytest
from clone import Clone
from fake_programs import script
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
case $* in *GNU_Parallel_worker*) [ ! -e dies ] || mv dies off ;; esac
[ ! -e off ] || { echo "no route to $who" >&2; exit 255; }
[ ! -e greets ] || echo Welcome
[ ! -e bin ] || PATH=$PWD/bin
exec sh -c "$*"
"""
FOLDERS = [Path("iterations/v7"), Path("iterations/v8")]


@pytest.mark.long
@needs("parallel", "rsync", "ssh")
def test_a_board_dies_and_another_is_switched_off(
    measured: Clone, tmp_path: Path
) -> None:
    """The twin does the work of the dead one; a type without a board gets
    it at the next run."""
    for name in "abc":
        (tmp_path / name).mkdir()
    script(tmp_path / "ssh", SSH)
    (tmp_path / "a/dies").touch()
    (tmp_path / "c/off").touch()
    boards = "# the farm\n\npi@a  twin\npi@b:2222  twin\npi@c  lone  # far away\n"
    (measured.path / "hosts.txt").write_text(boards)

    def make() -> tuple[int, str]:
        words = ["make", "farm", "BOARDS=hosts.txt", f"SSH={tmp_path / 'ssh'}"]
        words.append(f"FARM={' '.join(map(str, FOLDERS))}")
        ran = collecting.run(measured, *words, FARM_OF_TEST=str(tmp_path))
        return ran.returncode, ran.stdout + ran.stderr

    status, said = make()
    assert status == 2 and "Traceback" not in said, said
    assert sorted(line for line in said.splitlines() if line.startswith("farm: "))[
        :3
    ] == [
        "farm: hosts.txt:3: a: no route to a",
        "farm: hosts.txt:5: c: no route to c",
        "farm: lone: not measured: iterations/v7, iterations/v8",
    ]
    assert os.listdir(measured.path / "results/farm") == ["b-2222"]
    (tmp_path / "c/off").unlink()
    status, said = make()
    assert status == 0 and said.count("is there already: results/farm/b-2222/") == 2
    own = {
        tuple(row.items())
        for row in read_rows(measured.path / "results/local/counts.csv")
    }
    for name, kind in (("b-2222", "twin"), ("c", "lone")):
        folder = measured.path / "results/farm" / name
        rows = read_rows(folder / "counts.csv")
        for made in (rows, read_rows(folder / "asm.csv")):
            assert {row["snapshot"] for row in made} == {"v7", "v8"}
        assert {tuple(row.items()) for row in rows} <= own and not validate(folder)
        facts = json.loads((folder / "machine.json").read_text())
        assert facts["board"] == f"{name}, {kind}" and len(facts["git_revision"]) == 40


@needs("parallel", "rsync", "ssh")
def test_what_a_board_lacks_is_said_before_anything_is_sent(
    measured: Clone, tmp_path
) -> None:
    """Boards whose shell prints a word, that have no rsync, and that are
    switched off, by the documented command in an empty environment."""
    for name in ("greets", "poor", "off"):
        (tmp_path / name).mkdir()
    (tmp_path / "greets/greets").touch()
    (tmp_path / "off/off").touch()
    (tmp_path / "poor/bin").mkdir()
    (tmp_path / "poor/bin/python3").symlink_to(os.path.realpath(sys.executable))
    for tool in ("sh", "perl", "tar"):
        (tmp_path / "poor/bin" / tool).symlink_to(str(shutil.which(tool)))
    script(tmp_path / "ssh", SSH)
    (measured.path / "hosts.txt").write_text("pi@greets  a\npi@poor  a\npi@off  a\n")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    command = ["env", "-i", *(f"{name}={value}" for name, value in environment.items())]
    command += [f"FARM_OF_TEST={tmp_path}", "make", "farm", "BOARDS=hosts.txt"]
    ran = subprocess.run(command, cwd=measured.path, capture_output=True, text=True)
    greeting, lacking, off, missing, *_ = ran.stderr.splitlines()
    assert ran.returncode == 2 and "'Welcome' at a login" in greeting, ran.stderr
    assert lacking.startswith(
        "farm: hosts.txt:2: poor: it has no rsync; `sudo apt-get install`"
    )
    assert off == "farm: hosts.txt:3: off: no route to off"
    assert missing.startswith("farm: a: not measured: iterations/v0, iterations/v1, ")
    assert sorted(map(str, tmp_path.glob("*/rsa-farm"))) == []


def test_another_parallel_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of moreutils has the same name."""
    words = "parallel: unrecognized option '--version'"
    script(tmp_path / "parallel", f'echo "{words}" >&2; exit 1')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(
        Failure, match=f"^{tmp_path}/parallel is not GNU parallel.*{words}"
    ):
        farm.check_tools()


LINES = [
    (
        "pi@a pi3\nb pi3\n",
        r"hosts.txt:2: expected `user@host\[:port\]  type`, not 'b pi3'",
    ),
    ("# none\n", "hosts.txt: no board in it"),
    ("pi@k\xfcche pi3\n", "hosts.txt:1: expected"),  # in Latin-1
    ("-oProxyCommand=x@a pi3\n", "hosts.txt:1: expected"),
    (None, "hosts.txt: no such file"),
]


@pytest.mark.parametrize(("text", "fault"), LINES)
def test_a_bad_line_is_named(tmp_path: Path, text: str | None, fault: str) -> None:
    if text:
        (tmp_path / "hosts.txt").write_text(text, encoding="latin-1")
    with pytest.raises(Failure, match=fault):
        farm.read(tmp_path / "hosts.txt")


BOARDS = [farm.Board(f"hosts.txt:{i}", f"pi@{i}", 22, "pi3") for i in (1, 2)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout without sources of its own, but for what a farm writes."""
    (tmp_path / "build").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(farm.Cell, "size_rows", lambda cell: [])
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *sent: Path) -> list[str]:
    """The boards send v7, v8: the folders that could not be measured."""
    monkeypatch.setattr(farm.Type, "lacking", lambda kind: kind.folders)
    monkeypatch.setattr(farm.Type, "ready", lambda kind: kind.boards)
    monkeypatch.setattr(farm.Type, "jobs", lambda *_: zip(BOARDS, FOLDERS, sent))
    return farm.Type(BOARDS, FOLDERS, "default", "ssh").measure()


def test_a_bad_delivery_is_one_line_and_the_other_board_goes_on(
    place, monkeypatch, capsys
) -> None:
    """Nothing is written but the good board's results."""
    one, two = (board_of(place / f"build/{i}", "pi-3-gcc12") for i in "12")
    (one / "times.csv").symlink_to("/etc/passwd")
    assert run(monkeypatch, one, two) == ["iterations/v7"]
    (line,) = capsys.readouterr().err.splitlines()
    assert (
        line.startswith("farm: iterations/v7 on 1: hosts.txt:1/") and line.isprintable()
    )
    assert (
        os.listdir("results/farm") == ["2"] and validate(Path("results/farm/2")) == []
    )


def test_a_board_that_has_lost_its_results_takes_none_away(place: Path) -> None:
    """It sends v8, then v7 alone."""
    good, folder = board_of(place / "v8", "pi3-gcc12"), place / "results/farm/1"
    farm.accept(BOARDS[0], Path("iterations/v8"), good, ("0" * 40, True))
    for name in ("machine.json", "counts.csv", "provenance.csv"):
        (good / name).write_text(re.sub(r"\bv8\b", "v7", (good / name).read_text()))
    for name in ("asm.csv", "lines.csv"):
        (good / name).unlink()
    farm.accept(BOARDS[0], Path("iterations/v7"), good, ("0" * 40, True))
    assert {row["snapshot"] for row in read_rows(folder / "counts.csv")} == {"v7", "v8"}
    assert validate(folder) == [] and not (place / "results/earlier").exists()
