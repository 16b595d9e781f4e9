"""A reader predicts what a step gains: `make predict`, as typed at a terminal or without one."""

import io
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from clone import environment
from two_rungs import checkout, make

from records import ladder
from records.faults import AGAIN, Failure
from records.ladder import ROOT
from records.results import Results, load, reference
from rsalab.steps import predict

KEPT = "results/local/predictions.csv"
RIGHT = "1.3\n1.2\nx1.3\nshr\n"  # of v5
WIDTH = 80
Typed = Callable[..., str]


class Terminal(io.StringIO):
    """A stdin that a person types on."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The reference's, in a repository that has no others."""
    root = tmp_path_factory.mktemp("lab")
    for name in ("iterations", "studies", "data", f"results/{reference().name}"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).symlink_to(ROOT / name)
    return load(reference().name, root)


@pytest.fixture
def kept(results: Results) -> Path:
    """The list of predictions, which is not there yet."""
    path = results.root / KEPT
    path.unlink(missing_ok=True)
    return path


@pytest.fixture
def typed(
    results: Results,
    kept: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Typed:
    """What `make predict B=step` prints to whom types these lines."""

    def answered(lines: str, step: str = "v5", again: bool = False) -> str:
        stdin = lines if isinstance(lines, io.StringIO) else io.StringIO(lines)
        monkeypatch.setattr(sys, "stdin", stdin)
        child = ladder.find(step, root=results.root)
        parent = ladder.parent_of(child, results.root)
        predict.predict(child, parent, results, again, WIDTH)
        return capsys.readouterr().out

    return answered


def board(results: Results) -> str:
    return " ".join(predict.board(reference().name, WIDTH, results.root).split())


def test_a_reader_predicts_and_sees_what_was_found(typed: Typed) -> None:
    before, _, after = typed(RIGHT).partition("  function: shr")
    assert re.search(r"`shr` .* 21 % \(x1.27\)", before)  # its share and the cap
    assert "for (i = 0; i < WIDTH; i++) {" in before  # one round of the parent
    assert "found" not in before  # the result is not given away
    assert re.search(r"-O1 +x1.20 +x1.22 +right +shr +x1.40 to x1.60: too high", after)


def test_nobody_is_asked_twice_and_the_first_answer_counts(
    typed: Typed, kept: Path, results: Results
) -> None:
    typed(RIGHT)
    first = kept.read_text()
    assert "x1.20  x1.22" in typed("")
    assert kept.read_text() == first
    assert re.search(
        r"-O1 +x2.00 +x1.22 +too high", typed("2\n2\n2\nadd\n", again=True)
    )
    assert kept.read_text().startswith(first)
    assert "x1.20 x1.22" in board(results) and "x2.00" not in board(results)


def test_the_scoreboard_counts_factors_and_functions(
    typed: Typed, results: Results
) -> None:
    typed(RIGHT)
    typed("1\n.8\n2\nless\n", "v3")
    said = predict.SUMMARY.format(levels=6, right=4, named=3, blind=4, author=0)
    assert said in board(results)
    assert "Not predicted yet: v1, v2, v4, v6, v7, v8" in board(results)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("1.3\n1.2\n", "no answer, and nothing was kept"),
        (Terminal("1.3\n"), "no answer, and nothing was kept"),
        ("much\n", "'much' is no factor"),
        ("-1\n", "'-1' is no factor"),
        ("nan\n", "'nan' is no factor"),
        ("1e9\n", "'1e9' is no factor"),
        ("0\n", "'0' is no factor"),
        ("1.3\n1.2\n1.3\nfoo\n", "'foo' is no function of these: add, halve"),
    ],
)
def test_nonsense_is_refused(typed: Typed, kept: Path, lines: str, fault: str) -> None:
    with pytest.raises(Failure, match=fault):
        typed(lines)
    assert not kept.exists()


@pytest.mark.parametrize("slip", ["fast", "-3", "", "20%", "1e9"])
def test_a_slip_on_a_terminal_is_asked_again(
    typed: Typed, kept: Path, slip: str
) -> None:
    said = typed(Terminal(f"1.3\n{slip}\n1.2\n1.3\nshr\n"))
    assert said.count("-O1:") == 2 and f"'{slip}' is no factor" in said
    assert kept.exists()


def test_a_comma_and_capitals_are_understood_and_another_function_is_asked_again(
    typed: Typed,
) -> None:
    said = typed(Terminal("1,3\nX1.2\n1.3\nfoo\n`SHR`\n"))
    assert "'foo' is no function of these: add," in said
    assert re.search(r"-O0 +x1.30 +x1.29 +right +shr ", said)


@pytest.mark.parametrize(
    "spoilt", ["nonsense\n", "study,snapshot,level,factor,function,date\na\n"]
)
def test_a_spoilt_list_is_named_and_left_alone(
    typed: Typed, kept: Path, results: Results, spoilt: str
) -> None:
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(f"{spoilt}iterations,v5\n")
    for ask in (lambda: board(results), lambda: typed(RIGHT)):
        with pytest.raises(Failure, match=KEPT):
            ask()
    assert kept.read_text() == f"{spoilt}iterations,v5\n"


# ---- as a command ----


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with the reference results."""
    path = checkout(tmp_path_factory.mktemp("command") / "lab")
    for name in ("results/qemu-gcc12", "data/published"):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).symlink_to(ROOT / name)
    return path


@pytest.mark.parametrize("words", ["B=v0", "V=v5", "STUDY=none B=v5"])
def test_what_is_no_step_is_one_line(tree: Path, words: str) -> None:
    ran = make(tree, "predict", *words.split())
    said = ran.stderr.splitlines()
    rest = [line for line in said if not line.startswith("make: ***")]
    assert ran.returncode and len(rest) <= 1 and "Traceback" not in ran.stderr


def test_an_interrupt_is_one_line(tree: Path) -> None:
    ours, theirs = pty.openpty()
    words = "-m rsalab.steps predict v5 iterations".split()
    with subprocess.Popen(
        [sys.executable, *words, "", ""],
        cwd=tree,
        env=environment(),
        stdin=theirs,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as asking:
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
