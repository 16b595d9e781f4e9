"""Killed at each moment at which a command changes a results folder: no row is lost.

tests/harness/test_killed_writers.py is the quick form of it.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from clone import Clone, environment

from records.ladder import ROOT
from records.rows import CELL, SCHEMAS, read_rows

PYTHON = [sys.executable, "-m"]
COMMANDS = {
    "collect": ["harness.collect", "--messages", "small", "iterations/v8"],
    "models": ["rsalab.models", "--keep", "results/local"],
}


def rows(results: Path) -> set[tuple[str, ...]]:
    """Every row of every results folder but this command's own new ones, as text."""
    found = set()
    for path in results.rglob("*.csv"):
        if path.name in SCHEMAS and not path.name.endswith(".new"):
            read_rows(path)
            for line in path.read_text().splitlines()[1:]:
                found.add((path.name, *line.split(",")))
    return found


def prepare(clone: Clone) -> set[tuple[str, ...]]:
    """The folder before the command; returns the rows that must outlive it."""
    local = clone.path / "results/local"
    for path in local.glob("*.csv"):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if ",v8," not in line))
    return {row for row in rows(clone.path / "results") if row[len(CELL) - 1] != "v8"}


def killed(clone: Clone, command: str, at: int, log: Path) -> int:
    """The status of the command, killed at the `at`-th change; 0 lets it live."""
    support = str(ROOT / "tests/support/killed")
    extra = {"KILL_AT": str(at), "KILL_LOG": str(log), "PYTHONPATH": support}
    words = [*PYTHON, *COMMANDS[command]]
    return subprocess.run(
        words, cwd=clone.path, env=environment(**extra), capture_output=True
    ).returncode


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_killed_at_a_change_of_the_results(copy: Clone, tmp_path: Path, command: str) -> None:
    safe = prepare(copy)
    results, before, log = copy.path / "results", tmp_path / "before", tmp_path / "log"
    shutil.copytree(results, before)
    assert killed(copy, command, 0, log) == 0
    truth, changes = rows(results), log.read_text().splitlines()
    assert len(changes) > 3 and safe <= truth
    for at in range(1, len(changes) + 1):
        shutil.rmtree(results)
        shutil.copytree(before, results)
        assert killed(copy, command, at, log) == -signal.SIGKILL, changes[at - 1]
        assert safe <= rows(results), changes[at - 1]
        assert killed(copy, command, 0, Path(os.devnull)) == 0
        assert safe <= rows(results) and truth <= rows(results), changes[at - 1]
