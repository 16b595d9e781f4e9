"""The results folder: long and tidy CSV, one observation a row, and machine.json beside it.

Columns: study, snapshot, level, case, metric, symbol, value, unit, n, repeat.  `value` is the
integer total over n operations; means are derived by the reader.  Exact numbers (counts.csv,
asm.csv) and noisy ones (times.csv) are never in one file.
"""

import datetime
import hashlib
import json
import os
import platform
import re
import subprocess
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Union

COLUMNS = ("study", "snapshot", "level", "case", "metric", "symbol", "value", "unit", "n", "repeat")
REMOVE = "remove the file and type the same command again: build/ keeps what was measured"
TABLES = ("asm.csv", "counts.csv", "times.csv", "perf.csv")  # the files with these columns
# What could not be measured has no value, and a unit that begins with why.
ABSENT = ("not supported", "not permitted", "not counted", "not available", "multiplexed")
NEW = ".new"  # the end of the name of a file that is not yet whole


def digest(*paths: Path) -> str:
    """The SHA-256 of a file; of several, the SHA-256 of theirs, in this order."""
    facts = [(path, path.stat()) for path in paths]
    parts = [_digest(path, stat.st_mtime_ns, stat.st_size) for path, stat in facts]
    return (parts[0] if len(parts) == 1 else hashlib.sha256(b"".join(parts)).digest()).hex()


@cache
def _digest(path: Path, mtime_ns: int, size: int) -> bytes:
    """Of one file, read again only when it has changed."""
    return hashlib.sha256(path.read_bytes()).digest()


def replace(path: Path, text: Union[str, bytes]) -> None:
    """Write a whole file or nothing: to a neighbour first, then renamed.  A file that already says
    the same is left alone.  Raises OSError that names the file."""
    data = text.encode() if isinstance(text, str) else text
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = neighbour(path)
    try:
        with new.open("wb") as file:
            file.write(data)
        settle(new, path)
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(path)) from None
    finally:
        new.unlink(missing_ok=True)


def neighbour(path: Path) -> Path:
    """A name beside a file that no other process or thread writes to."""
    return path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident():x}{NEW}")


def settle(new: Path, path: Path) -> None:
    """Give a finished file its name, once its contents are on the disk; then the name, too."""
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def sweep(folder: Path) -> None:
    """Remove what killed runs left half written.  Only for who holds the lock (lock.py)."""
    for left in folder.glob(f"*.*-*{NEW}"):
        left.unlink(missing_ok=True)


def write_rows(path: Path, rows: Iterable[dict]) -> None:
    """Write rows (missing columns are empty) as CSV, or remove the file when there is none."""
    text = [",".join(COLUMNS)]
    text += [",".join(str(row.get(column, "")) for column in COLUMNS) for row in rows]
    if len(text) > 1:
        replace(path, "\n".join(text) + "\n")
    else:
        path.unlink(missing_ok=True)


def read_rows(path: Path) -> list[dict]:
    """The rows of a results file, `value`, `n` and `repeat` as integers; [] when there is no file.
    Raises ValueError naming the file and line that is not a row."""
    if not path.exists():
        return []
    return parse(str(path), path.read_bytes().decode("utf-8", "replace"))


def parse(path: str, text: str) -> list[dict]:
    """The same for the text of a results file.  Raises ValueError naming `path` and the line."""
    lines = text.split("\n")
    if lines[0].rstrip("\r") != ",".join(COLUMNS):
        raise ValueError(f"{path}:1: the first line must be {','.join(COLUMNS)}; {REMOVE}")
    rows = [_row(path, number, text) for number, text in enumerate(lines[1:-1], start=2)]
    if lines[-1]:  # no line end: even a whole-looking number may be cut short
        raise _not_whole(path, len(lines))
    return rows


def _row(path: str, number: int, text: str) -> dict:
    fields = text.rstrip("\r").split(",")
    row = dict(zip(COLUMNS, fields))
    try:
        for column in ("value", "n", "repeat"):
            absent = column == "value" and not row["value"] and row["unit"].startswith(ABSENT)
            row[column] = None if absent else int(row[column])
    except (KeyError, ValueError):
        raise _not_whole(path, number) from None
    if len(fields) != len(COLUMNS) or "\ufffd" in text or "\0" in text:
        raise _not_whole(path, number)
    return row


def _not_whole(path: str, number: int) -> ValueError:
    return ValueError(f"{path}:{number}: not a whole row; {REMOVE}")


def first_line(*command: str) -> str:
    """First line that a command prints, or "" when there is no such command."""
    try:
        said = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return (said.stdout.splitlines() or [""])[0].strip()


def cpu() -> str:
    """What /proc/cpuinfo calls the processor."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    found = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.*)$", text, re.M)
    return found.group(1) if found else platform.machine()


def system() -> str:
    """The operating system's own name for itself."""
    text = Path("/etc/os-release").read_text() if Path("/etc/os-release").exists() else ""
    found = re.search(r'^PRETTY_NAME="?([^"\n]*)', text, re.M)
    return found.group(1) if found else platform.system()


def revision() -> tuple[str, bool]:
    """The commit, and whether nothing but results differs from it; ("", False) without git."""
    commit = first_line("git", "rev-parse", "HEAD")
    changed = first_line("git", "status", "--porcelain", "--", ".", ":!results")
    return commit, bool(commit) and not changed


def machine(name: str, runner: list[str], flags: str, programs: dict[str, str]) -> dict:
    """What the numbers were measured with; `programs` maps study/snapshot/level to SHA-256."""
    commit, clean = revision()
    return {
        "platform": name,
        "cpu": cpu(),
        "kernel": platform.release(),
        "os": system(),
        "compiler": flags.splitlines()[0],
        "flags": flags.splitlines()[1],
        "runner": " ".join(runner),
        "qemu": first_line("qemu-arm", "--version"),
        "git_revision": commit,
        "git_clean": clean,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "programs": programs,
    }


MOMENT = ("date", "git_revision", "git_clean")


def write_machine(path: Path, facts: dict) -> None:
    """Write machine.json, unless it already says the same of everything but the moment."""
    try:
        before = json.loads(path.read_text())
    except (OSError, ValueError):
        before = {}
    if {k: before.get(k) for k in facts if k not in MOMENT} != {
        k: v for k, v in facts.items() if k not in MOMENT
    }:
        replace(path, json.dumps(facts, indent=2, sort_keys=True) + "\n")
