"""Commands in a checkout that may be killed, and what they leave."""

import re
import subprocess
import sys
from pathlib import Path

from clone import Clone, environment
from hangs import HANGS

from records.rows import read_rows

WORDS = "-m harness collect --messages small iterations/v7 iterations/v8"
COLLECT = (sys.executable, *WORDS.split())


def start(clone: Clone, *command: str, **extra: str) -> "subprocess.Popen[str]":
    """A command in a process group of its own."""
    return subprocess.Popen(
        command or COLLECT,
        cwd=clone.path,
        env=environment(**extra),
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def run(
    clone: Clone, *command: str, **extra: str
) -> "subprocess.CompletedProcess[str]":
    """The same to its end."""
    process = start(clone, *command, **extra)
    out, err = process.communicate(timeout=HANGS)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def kept(clone: Clone) -> dict[Path, tuple[int, bytes]]:
    """Every measurement that is kept of v7 and v8: when it was written,
    and what."""
    folders = clone.path.glob("build/iterations/v[78]/O?")
    files = [
        path
        for folder in folders
        for path in (*folder.glob("*.json"), *folder.glob("*.tsv"))
    ]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def results(clone: Clone) -> dict[str, bytes]:
    """The results folder, whole files only; every table in it must parse."""
    folder = clone.path / "results/local"
    for name in ("asm.csv", "counts.csv"):
        assert read_rows(folder / name), name
    whole = (
        path for path in folder.iterdir() if path.is_file() and path.suffix != ".new"
    )
    return {path.name: path.read_bytes() for path in whole}


def half_written(clone: Clone) -> list[Path]:
    """What a killed run leaves behind."""
    return [
        p for part in ("results", "build") for p in (clone.path / part).rglob("*.new")
    ]


def forget(clone: Clone, *names: str) -> None:
    """Removes what is kept of these snapshots, so that they are measured
    again."""
    for path in kept(clone):
        if path.parent.parent.name in names:
            path.unlink()


def refused(ran: "subprocess.CompletedProcess[str]", *words: str) -> None:
    """The run ended with a fault that the words (patterns) describe, and
    without a traceback."""
    said = ran.stdout + ran.stderr
    assert ran.returncode == 2, said
    assert "Traceback" not in said
    lines = [
        line for line in ran.stderr.splitlines() if not line.startswith("make: ***")
    ]
    assert 1 <= len(lines) <= 6, ran.stderr
    for word in words:
        assert re.search(word, ran.stderr), ran.stderr
