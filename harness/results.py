"""The results folder: long and tidy CSV, one observation a row, and machine.json beside it.

Columns: study, snapshot, level, case, metric, symbol, value, unit, n, repeat.  `value` is the
integer total over n operations; means are derived by the reader.  Exact numbers (counts.csv,
asm.csv) and noisy ones (times.csv) are never in one file.
"""

import csv
import datetime
import hashlib
import json
import os
import platform
import re
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

COLUMNS = ("study", "snapshot", "level", "case", "metric", "symbol", "value", "unit", "n", "repeat")


def digest(*paths: Path) -> str:
    """SHA-256 over the contents of the files, in this order."""
    total = hashlib.sha256()
    for path in paths:
        facts = path.stat()
        total.update(_digest(path, facts.st_mtime_ns, facts.st_size))
    return total.hexdigest()


@cache
def _digest(path: Path, mtime_ns: int, size: int) -> bytes:
    """Of one file, read again only when it has changed."""
    return hashlib.sha256(path.read_bytes()).digest()


def replace(path: Path, text: str) -> None:
    """Write a whole file or nothing: to a neighbour first, then renamed.  A file that already says
    the same is left alone.  Raises OSError."""
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    try:
        with new.open("w", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


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
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError("{}: the first line must be {}".format(path, ",".join(COLUMNS)))
        rows = []
        for row in reader:
            try:
                for column in ("value", "n", "repeat"):
                    row[column] = int(row[column])
            except (TypeError, ValueError):
                raise ValueError(
                    f"{path}:{reader.line_num}: not a whole row; remove the file and measure again"
                ) from None
            rows.append(row)
        return rows


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


def machine(name: str, runner: list[str], flags: str, programs: dict[str, str]) -> dict:
    """What the numbers were measured with; `programs` maps study/snapshot/level to SHA-256."""
    status = subprocess.run(["git", "status", "--porcelain", "--", ".", ":!results"], capture_output=True, text=True)
    return {
        "platform": name,
        "cpu": cpu(),
        "kernel": platform.release(),
        "os": system(),
        "compiler": flags.splitlines()[0],
        "flags": flags.splitlines()[1],
        "runner": " ".join(runner),
        "qemu": first_line("qemu-arm", "--version"),
        "git_revision": first_line("git", "rev-parse", "HEAD"),
        "git_clean": status.returncode == 0 and not status.stdout,
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
