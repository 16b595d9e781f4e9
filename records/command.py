"""Run another program and take what it prints: the one command runner."""

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from records.faults import Failure


def limit(seconds: int) -> int:
    """Seconds that a program may take: LIMIT of the environment, else these.  Raises Failure."""
    text = os.environ.get("LIMIT") or str(seconds)
    if not re.fullmatch("[1-9][0-9]{0,7}", text):
        raise Failure(f"LIMIT={text}: say a whole number of seconds, such as LIMIT={seconds}")
    return int(text)


def run(words: Sequence[str | Path], **options: Any) -> str:
    """What a command prints on stdout.  `options` are those of
    subprocess.run: input, cwd, env, timeout in seconds.

    Raises Failure, with the first line that the command wrote to stderr,
    when it ends with another status than 0; subprocess.TimeoutExpired when
    it is late; FileNotFoundError when there is no such command.
    """
    if options.get("input") is None:
        options["stdin"] = subprocess.DEVNULL
    options |= {"capture_output": True, "text": True, "errors": "replace"}
    ran: subprocess.CompletedProcess[str] = subprocess.run(list(map(str, words)), **options)
    if ran.returncode:
        status = ran.returncode
        end = f"status {status}" if status > 0 else f"killed by {signal.Signals(-status).name}"
        raise Failure(f"{words[0]}: {(ran.stderr.strip().splitlines() or [end])[0]}")
    return ran.stdout


def first_line(*words: str, timeout: float | None = None) -> str:
    """The first line that a command prints; "" when there is no such
    command, it fails, or it takes longer than `timeout` seconds."""
    try:
        return run(words, timeout=timeout).partition("\n")[0].strip()
    except (Failure, OSError, subprocess.TimeoutExpired):
        return ""
