"""The command line: a function's parameters are its words, options and flags."""

import errno
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hangs import HANGS

from records import faults
from records.commands import building, command
from records.faults import Failure
from records.ladder import ROOT


def body(folder: "Path", *names: str, level: int = 1, keep: bool = False) -> None:
    """Says what it was given."""
    if level > 3:
        raise Failure("no such level")
    print(folder, names, level, keep)


def test_words_options_and_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("body", body, ["a"]) == 0
    assert command("body", body, ["--keep", "--level", "2", "a", "b", "-c"]) == 0
    assert capsys.readouterr().out == "a () 1 False\na ('b', '-c') 2 True\n"
    assert command("body", body, ["--level", "4", "a"]) == 2
    assert capsys.readouterr().err == "body: no such level\n"


@pytest.mark.parametrize("words", [[], ["--level", "x", "a"], ["--other", "a"]])
def test_words_that_do_not_fit(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        command("body", body, words)
    assert "usage: body " in capsys.readouterr().err


def test_the_commands_of_a_building(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """One that lacks a package says which."""
    commands = {"body": body, "absent": "nothing.here"}
    for words, status in ((["body", "a"], 0), (["absent"], 2)):
        monkeypatch.setattr(sys, "argv", ["tests", *words])
        assert building("records", commands) == status
    assert capsys.readouterr().err.startswith(
        "absent: records.nothing is not installed"
    )
    monkeypatch.setattr(sys, "argv", ["tests", "other"])
    with pytest.raises(SystemExit):
        building("records", commands)
    assert "invalid choice: 'other'" in capsys.readouterr().err


WORDS = {
    OSError(
        errno.ENOLCK, "No locks available", "build/lock"
    ): "build/lock: No locks .*cp -r",
    OSError(
        errno.EIO, "Input/output error", "a.csv"
    ): "a.csv: Input/output error; .*cp -r",
    OSError(
        errno.ENAMETOOLONG, "File name too long", "a"
    ): "a: File name .*shorter path",
    IsADirectoryError(
        errno.EISDIR, "Is a directory", "a.csv"
    ): "a.csv: Is a .*a folder stands",
    OSError(
        errno.ENOSPC, "No space left", "a.csv"
    ): "a.csv: No space left; free some space",
    OSError(
        errno.EPROTO, "Protocol error", "a.csv"
    ): "a.csv: Protocol error; `make doctor`",
}


@pytest.mark.parametrize("fault", WORDS, ids=str)
def test_the_advice_fits_the_fault(
    fault: OSError, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line names the file, the system's words and what would help."""

    def fails() -> None:
        raise fault

    assert command("fails", fails, []) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(WORDS[fault], line), line


@pytest.mark.parametrize("bug", [KeyError("O2"), ValueError("x"), TypeError("y")])
def test_a_bug_shows_where_it_is(
    bug: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise bug

    assert command("fails", fails, []) == 70
    said = capsys.readouterr().err
    assert said.startswith("Traceback") and "test_commands.py" in said
    assert "fails: this is a mistake in the program" in said


LINGERS = """
import atexit, time
from records.faults import command_line
atexit.register(lambda: (print("done", flush=True), time.sleep(60)))
command_line("lingers", lambda: 0)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_after_the_last_line(number: signal.Signals) -> None:
    """Python takes a tenth of a second to end; Ctrl-C then shows no traceback."""
    words = [sys.executable, "-c", LINGERS]
    with subprocess.Popen(
        words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == "done\n"
        process.send_signal(number)
        _, said = process.communicate(timeout=HANGS)
    assert process.returncode == -number and said == ""


def test_a_limit_of_time_is_of_the_processors() -> None:
    """A program that the machine lets wait is not late: it ends, and is judged."""
    assert faults.run(["sh", "-c", "sleep 2; echo done"], 1) == "done\n"
    with pytest.raises(faults.Late, match="no end after 1 s of processor time"):
        faults.run(["sh", "-c", "while :; do :; done"], 1)


def test_what_a_late_program_has_started_is_late_too() -> None:
    words = ["sh", "-c", "sleep 1; sh -c 'while :; do :; done'; exit $?"]
    with pytest.raises(faults.Late):
        faults.run(words, 1)
