"""One collection at a time in a checkout.

The lock is the kernel's (flock on build/collect.lock), so it ends with the process, however that
ends; the file's text only says whom to wait for.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from records.faults import Failure

LOCK = Path("build/collect.lock")


@contextmanager
def alone(path: Path = LOCK) -> Iterator[None]:
    """Hold the lock.  A run of the same make (MAKE_PID in the environment) is waited for; any other
    is a Failure that names its process and since when.  Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    make = os.environ.get("MAKE_PID", "-")
    with path.open("a+") as file:
        if not taken(file):
            pid, of_make, since = holder(file)
            if make == "-" or make != of_make:
                raise Failure(
                    f"another run is at work in this checkout (process {pid}, since {since});"
                    " wait for its end, then type the same command again"
                )
            fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(f"{os.getpid()} {make} {time.strftime('%Y-%m-%d %H:%M:%S')}\n")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def taken(file: TextIO) -> bool:
    """Whether the lock could be had at once."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def holder(file: TextIO) -> list[str]:
    """The process, its make and since when: waits a moment for who has only just taken the lock,
    and does not believe what a killed run has left."""
    for _ in range(100):
        file.seek(0)
        words: list[str] = file.read().strip().split(" ", 2)
        if len(words) == 3 and Path("/proc", words[0]).exists():
            return words
        time.sleep(0.02)
    return ["?", "-", "?"]
