"""What is taken of a results folder, by name: its tables, machine.json and gprof's texts."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from records import machine
from records.faults import Failure
from records.rows import SCHEMAS

CALLS = "gprof/calls.csv"
TABLES = (*(name for name in SCHEMAS if name != "calls.csv"), CALLS)
MOST = 400  # texts of gprof
LARGEST = {".csv": 1 << 26, ".json": 1 << 20, ".txt": 1 << 16}  # bytes of a file
TOTAL = 1 << 28


def names(folder: Path, called: str = "") -> list[str]:
    """The files of a folder that are taken, machine.json first.  `called` is what the folder is
    called in a fault.  Raises Failure where one is no plain file or too large, and OSError."""
    called = called or str(folder)
    texts = sorted(f"gprof/{path.name}" for path in (folder / "gprof").glob("*.txt"))
    if len(texts) > MOST:
        raise Failure(f"{called}/gprof: more than {MOST} texts")
    found, total = [], 0
    for name in (machine.FILE, *TABLES, *texts):
        if not os.path.lexists(folder / name):
            continue
        status = (folder / name).lstat()
        label = name if name.isprintable() else ascii(name)
        if (folder / name).parent.is_symlink() or not stat.S_ISREG(status.st_mode):
            raise Failure(f"{called}/{label}: not a plain file")
        total += status.st_size
        if status.st_size > LARGEST[Path(name).suffix] or total > TOTAL:
            raise Failure(f"{called}/{label}: larger than a results folder's")
        found.append(name)
    return found


def copy(source: Path, target: Path) -> None:
    """Copy a plain file, whatever has become of it since.  Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    number = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(f"{source}: changes while it is copied")
        target.write_bytes(file.read(LARGEST[source.suffix]))


def text_faults(folder: Path) -> Iterator[str]:
    """`file: fault` of gprof's texts, which are plain ones."""
    for path in sorted((folder / "gprof").glob("*.txt")):
        text = path.read_bytes().decode("ascii", "replace")
        if not text.replace("\n", "").replace("\t", "").isprintable() or "\ufffd" in text:
            yield f"gprof/{path.name}: not a plain text"
