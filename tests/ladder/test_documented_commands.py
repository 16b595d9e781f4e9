"""Every `make` command that a page names, in an empty environment: nothing
is set but PATH and HOME, so that no setting of tests hides a fault.

All of them are planned (`make -n`), which tries targets, variables and the
words that make itself refuses.  QUICK are typed for real in a checkout that
is measured.  The others take minutes, or need a board, a browser or a network.
"""

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from clone import Clone
from representatives import mostly_long

from records.ladder import ROOT

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/README.md")]
PAGES += [*ROOT.glob("studies/*/README.md"), *ROOT.glob("iterations/*/README.md")]
COMMAND = re.compile(r"`(make [^`]+)`|^ {4,}(make [^#\n]+)", re.MULTILINE)
NO_COMMAND = re.compile(r"\.\.\.|…|\|")  # a form, of which a reader fills in a part
QUICK = "annotate compare doctor import lab models new-iteration perf run scoreboard steps why".split()
# What may end with a line instead: it needs a board, a folder of a reader's own, or a rung v9.
LACKS = re.compile(r"make (perf|doctor|import|compare)\b|v9")


def environment(**extra: str) -> dict[str, str]:
    """An empty one."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **extra}


@cache
def documented() -> dict[str, str]:
    """Command -> the first page that names it; CHANGELOG.md tells of the past."""
    found: dict[str, str] = {}
    for path in sorted(PAGES):
        if path.name != "CHANGELOG.md":
            for pair in COMMAND.findall(path.read_text(encoding="utf-8")):
                words = " ".join("".join(pair).split())
                if not NO_COMMAND.search(words):
                    found.setdefault(words, str(path.relative_to(ROOT)))
    return found


def typed(words: str, folder: Path, **extra: str) -> "subprocess.CompletedProcess[str]":
    """A command as a shell understands it."""
    how = {"cwd": folder, "env": environment(**extra), "stdin": subprocess.DEVNULL}
    return subprocess.run(["sh", "-c", words], capture_output=True, text=True, **how)


def test_the_pages_name_commands() -> None:
    assert len(documented()) > 50 and "make all-iterations" in documented()


# The simulators are built by a make of Verilator's own, which a plan cannot look into.
PLANNED = sorted(set(documented()) - {"make cores"})
FIRST = {words.split()[1]: words for words in reversed(PLANNED)}  # of each target


@pytest.mark.parametrize("words", mostly_long(PLANNED, list(FIRST.values())[::4]))
def test_a_documented_command_can_be_planned(words: str) -> None:
    ran = typed(words.replace("make ", "make -n ", 1), ROOT)
    assert ran.returncode == 0, f"{documented()[words]}: {words}: {ran.stderr}"


@pytest.mark.long
def test_quick_commands_work_as_documented(measured: Clone, tmp_path: Path) -> None:
    """Each ends well, or with a line where it needs what is not here."""
    copy = measured.copy(tmp_path / "lab")  # one of them makes a rung
    quick = [words for words in documented() if words.split()[1] in QUICK]
    assert len(quick) > 10
    for words in quick:
        ran = typed(words, copy.path)
        said = f"{documented()[words]}: {words}: {ran.stdout[-500:]}{ran.stderr}"
        assert "Traceback" not in ran.stderr, said
        assert ran.returncode == 0 or LACKS.search(words), said


@pytest.mark.long
def test_a_farm_begins_as_documented(measured: Clone, tmp_path: Path) -> None:
    """It gets as far as the board, which is not there."""
    copy = measured.copy(tmp_path / "lab")
    (copy.path / "hosts.txt").write_text("pi@board.invalid  pi3\n")
    ran = typed("make farm BOARDS=hosts.txt", copy.path)
    first, *_ = ran.stderr.splitlines()
    assert ran.returncode == 2 and first.startswith(
        "farm: hosts.txt:1: board.invalid: "
    ), first
