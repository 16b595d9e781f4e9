"""Several commands at work in one checkout, as in two terminals."""

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest
from clone import Clone, environment
from collecting import half_written, start
from hangs import HANGS
from representatives import mostly_long

from labs.lab import labs
from records.ladder import ROOT
from records.rows import read_rows

FEW = ["v7", "v8", "run V=v8 TEXT=hello", "lab L=1 HINT=1"]
COMMANDS = [
    "v7",
    "v8",
    "v8 MESSAGES=default",
    "run V=v8 TEXT=hello",
    "annotate V=v6",
    "diff B=v4",
    "check",
    "live",
    "lab L=1 HINT=1",
    "grade DIR=handed-in UNSAFE=1",
]
SETTLE = ROOT / "harness/setup/settle.sh"


def together(clone: Clone, *commands: str) -> None:
    """Each of these commands, begun at the same moment, ends as it would alone."""
    at_work = [start(clone, "make", *command.split()) for command in commands]
    for command, process in zip(commands, at_work):
        out, err = process.communicate(timeout=HANGS)
        assert process.returncode == 0, (commands, command, out[-2000:], err[-2000:])
    assert half_written(clone) == []


def hand_in(clone: Clone) -> None:
    """One student, one exercise."""
    lab = labs()[0]
    folder = clone.path / "handed-in/student" / lab.name
    folder.mkdir(parents=True)
    for name, text in lab.starter().items():
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    "commands", mostly_long([FEW, COMMANDS], [FEW]), ids=["few", "all"]
)
def test_commands_at_once(
    clone: Clone, measured: Clone, tmp_path: Path, commands: list[str]
) -> None:
    """Nothing is built before; they build the same, and measure the same."""
    fresh = clone.copy(tmp_path / "rsa lab")
    hand_in(fresh)
    together(fresh, *commands)
    file = "results/local/counts.csv"
    alone = {
        tuple(row.values())
        for row in read_rows(measured.path / file)
        if row["snapshot"] in ("v7", "v8")
    }
    assert alone <= {tuple(row.values()) for row in read_rows(fresh.path / file)}


@pytest.mark.long
def test_every_pair_of_them(clone: Clone, tmp_path: Path) -> None:
    """What both need is missing before each pair."""
    fresh = clone.copy(tmp_path / "rsa lab")
    hand_in(fresh)
    for pair in itertools.combinations(COMMANDS, 2):
        for folder in fresh.path.glob("build/iterations/v[68]"):
            shutil.rmtree(folder)
        for name in ("platform", "probe", "count.so", "counter"):
            (fresh.path / "build" / name).unlink(missing_ok=True)
        together(fresh, *pair)


def settle(folder: Path, process: int, text: str) -> "subprocess.Popen[str]":
    """What the make of this process does to say what it builds by."""
    new = folder / f"flags.{process}.new"
    new.write_text(text)
    words = ["sh", str(SETTLE), new.name, "flags", str(process)]
    env = environment(RSALAB_TYPED=f"make v4 CC={text}")
    return subprocess.Popen(
        words, cwd=folder, env=env, text=True, stderr=subprocess.PIPE
    )


def test_another_compiler_waits_for_who_builds_by_this_one(tmp_path: Path) -> None:
    """The same compiler does not; and who waits says for whom."""
    (tmp_path / "Makefile").write_text("at-work: ; read line\n")
    at_work = subprocess.Popen(
        ["make", "-s"], cwd=tmp_path, stdin=subprocess.PIPE, text=True
    )
    one, two, three = at_work.pid, 1, 2  # the others are no makes, and have ended
    assert settle(tmp_path, one, "gcc").wait(HANGS) == 0
    assert settle(tmp_path, two, "gcc").wait(HANGS) == 0
    other = settle(tmp_path, three, "clang")
    assert other.stderr
    line = other.stderr.readline()
    assert line.startswith(f"  WAIT    for make v4 CC=gcc, process {one}, since ")
    assert (tmp_path / "flags").read_text() == "gcc"
    at_work.communicate("\n", timeout=HANGS)
    assert other.wait(HANGS) == 0
    assert (tmp_path / "flags").read_text() == "clang"


def test_a_script_waits_for_another(tmp_path: Path) -> None:
    hold = f". '{ROOT}/harness/setup/lock.sh'; hold venv; echo held; read line"
    words = {"cwd": tmp_path, "text": True, "stdin": subprocess.PIPE}
    words |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    env = environment(RSALAB_TYPED="make report")
    first = subprocess.Popen(["sh", "-c", hold], env=env, **words)
    assert first.stdout.readline() == "held\n"
    second = subprocess.Popen(["sh", "-c", hold], env=env, **words)
    assert second.stderr.readline().startswith("  WAIT    for make report, process ")
    first.communicate("\n", timeout=HANGS)
    assert second.communicate("\n", timeout=HANGS) == ("held\n", "")
