"""A reader predicts what a step gains: `make predict`, as typed at a terminal or without one."""

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from clone import environment
from hangs import HANGS
from two_rungs import checkout, make

from records.faults import AGAIN
from records.ladder import ROOT

KEPT = "results/local/predictions.csv"
RIGHT = "1.3\n1.2\nx1.3\nshr\n"  # of v5


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout with the reference results, without .venv and history."""
    path = checkout(tmp_path / "lab")
    for name in ("results/qemu-gcc12", "data/published"):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).symlink_to(ROOT / name)
    return path


def test_a_reader_predicts_and_sees_what_was_found(tree: Path) -> None:
    ran = make(tree, "predict", "B=v5", typed=RIGHT)
    before, _, after = ran.stdout.partition("  function: shr")
    assert ran.returncode == 0
    assert re.search(
        r"`shr` .* 21 % \(x1.27\)", before
    )  # the parent's share and the cap
    assert "for (i = 0; i < WIDTH; i++) {" in before  # one round of the parent
    assert "found" not in before  # the result is not given away
    assert re.search(r"-O1 +x1.20 +x1.22 +right +shr +x1.40 to x1.60: too high", after)


def test_nobody_is_asked_twice_and_the_first_answer_counts(tree: Path) -> None:
    make(tree, "predict", "B=v5", typed=RIGHT)
    kept = (tree / KEPT).read_text()
    ran = make(tree, "predict", "B=v5")
    assert (
        ran.returncode == 0 and "FORCE=1" in ran.stdout and "x1.20  x1.22" in ran.stdout
    )
    assert (tree / KEPT).read_text() == kept
    ran = make(tree, "predict", "B=v5", "FORCE=1", typed="2\n2\n2\nadd\n")
    assert re.search(r"-O1 +x2.00 +x1.22 +too high +shr, not add", ran.stdout)
    assert (tree / KEPT).read_text().startswith(kept)
    board = make(tree, "predict").stdout
    assert "x1.20  x1.22" in board and "x2.00" not in board


def test_the_scoreboard_counts_factors_and_functions(tree: Path) -> None:
    assert "`make predict B=v1` asks" in make(tree, "predict").stdout
    make(tree, "predict", "B=v5", typed=RIGHT)
    make(tree, "predict", "B=v3", typed="1\n.8\n2\nless\n")
    words = " ".join(make(tree, "predict").stdout.split())
    assert "v2 to v3" in words and "v4 to v5" in words
    assert "Of 6 levels: your factor is right at 4, your function at 3" in words
    assert "Not predicted yet: v1, v2, v4, v6, v7, v8" in words


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", "no answer, and nothing was kept; `make predict B=v5` reads 4 lines"),
        ("1.3\n1.2\n", "no answer"),
        ("much\n", "'much' is no factor"),
        ("-1\n", "'-1' is no factor"),
        ("nan\n", "'nan' is no factor"),
        ("1e9\n", "'1e9' is no factor"),
        ("0\n", "'0' is no factor"),
        ("1.3\n1.2\n1.3\nfoo\n", "'foo' is no function of these: add, halve"),
    ],
)
def test_nonsense_is_refused_in_one_line(tree: Path, typed: str, expected: str) -> None:
    ran = make(tree, "predict", "B=v5", typed=typed)
    line, *rest = ran.stderr.splitlines()
    assert ran.returncode and expected in line
    assert all(one.startswith("make: ***") for one in rest)
    assert not (tree / KEPT).exists()


@pytest.mark.parametrize("words", ["B=v0", "B=v99", "V=v5", "STUDY=none B=v5"])
def test_what_is_no_step_is_one_line(tree: Path, words: str) -> None:
    ran = make(tree, "predict", *words.split())
    rest = [
        line for line in ran.stderr.splitlines() if not line.startswith("make: ***")
    ]
    assert ran.returncode and len(rest) <= 1 and "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    "spoilt", ["nonsense\n", "study,snapshot,level,factor,function,date\na\n"]
)
def test_a_spoilt_list_is_named_and_left_alone(tree: Path, spoilt: str) -> None:
    (tree / KEPT).parent.mkdir(parents=True)
    (tree / KEPT).write_text(f"{spoilt}iterations,v5\n")
    for words in ([], ["B=v5"]):
        ran = make(tree, "predict", *words, typed=RIGHT)
        assert ran.returncode and KEPT in ran.stderr and "Traceback" not in ran.stderr
    assert (tree / KEPT).read_text() == f"{spoilt}iterations,v5\n"


def typed_on_a_terminal(tree: Path, typed: bytes) -> subprocess.CompletedProcess[str]:
    """Return what `make predict B=v5` shows to whom types this on a terminal."""
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    ran = subprocess.run(
        ["make", "predict", "B=v5"], cwd=tree, env=environment(), stdin=theirs,
        capture_output=True, text=True, timeout=HANGS, check=False,
    )  # fmt: skip
    os.close(ours)
    os.close(theirs)
    return ran


@pytest.mark.parametrize("slip", ["fast", "-3", "", "20%", "1e9"])
def test_a_slip_on_a_terminal_is_asked_again(tree: Path, slip: str) -> None:
    ran = typed_on_a_terminal(tree, f"1.3\n{slip}\n1.2\n1.3\nshr\n".encode())
    assert ran.returncode == 0 and ran.stdout.count("-O1:") == 2
    assert f"'{slip}' is no factor from 0.001 to 1000: type 2 for half" in ran.stdout
    assert (tree / KEPT).exists()


def test_a_comma_and_capitals_are_understood_and_another_function_is_asked_again(
    tree: Path,
) -> None:
    ran = typed_on_a_terminal(tree, b"1,3\nX1.2\n1.3\nfoo\n`SHR`\n")
    assert ran.returncode == 0 and "'foo' is no function of these: add," in ran.stdout
    assert re.search(r"-O0 +x1.30 +x1.29 +right +shr ", ran.stdout)


def test_the_end_of_input_on_a_terminal_is_one_line(tree: Path) -> None:
    ran = typed_on_a_terminal(tree, b"1.3\n\x04")
    line, *rest = ran.stderr.splitlines()
    assert ran.returncode and "no answer, and nothing was kept" in line
    assert all(one.startswith("make: ***") for one in rest)
    assert not (tree / KEPT).exists()


def test_an_interrupt_is_one_line(tree: Path) -> None:
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "rsalab.steps",
        "predict",
        "v5",
        "iterations",
        "",
        "",
    ]
    with subprocess.Popen(
        command, cwd=tree, env=environment(), stdin=theirs, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as asking:  # fmt: skip
        assert asking.stdout and asking.stderr
        shown = ""
        while not shown.endswith("  -O0: "):
            shown += asking.stdout.read(1)
        asking.send_signal(signal.SIGINT)
        fault = asking.stderr.read()
    os.close(ours)
    os.close(theirs)
    assert asking.returncode == 128 + signal.SIGINT
    assert fault.strip() == f"predict: interrupted; {AGAIN}"
    assert not (tree / KEPT).exists()
