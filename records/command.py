"""Run another program and take what it prints: the one command runner."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from records.faults import Failure


def limit(seconds: int) -> int:
    """Seconds that a program may take: LIMIT of the environment, else these.  Raises Failure."""
    text = os.environ.get("LIMIT") or str(seconds)
    if not re.fullmatch("[1-9][0-9]{0,7}", text):
        raise Failure(f"LIMIT={text}: say a whole number of seconds, such as LIMIT={seconds}")
    return int(text)


def run(
    words: Sequence[str | Path],
    *,
    input: str | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> str:
    """What a command prints on stdout.

    `timeout` is in seconds.  Raises Failure, with the first line that the command wrote to stderr,
    when it ends with another status than 0; subprocess.TimeoutExpired when it is late;
    FileNotFoundError when there is no such command.
    """
    ran = subprocess.run(
        [str(word) for word in words],
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        text=True,
        errors="replace",
        cwd=cwd,
        env=env,
        timeout=timeout,
    )
    if ran.returncode:
        said = ran.stderr.strip().splitlines() or [_ending(ran.returncode)]
        raise Failure(f"{words[0]}: {said[0]}")
    return ran.stdout


def _ending(status: int) -> str:
    return f"status {status}" if status > 0 else f"killed by {signal.Signals(-status).name}"


def first_line(*words: str, timeout: float | None = None) -> str:
    """The first line that a command prints; "" when there is no such command, it fails, or it takes
    longer than `timeout` seconds."""
    try:
        return run(words, timeout=timeout).partition("\n")[0].strip()
    except (Failure, OSError, subprocess.TimeoutExpired):
        return ""
