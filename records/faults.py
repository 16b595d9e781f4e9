"""How commands run and end: one runner of other programs, one class of
expected faults, and the line that says what went wrong and what to type next."""

import errno
import os
import re
import resource
import shlex
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

AGAIN = "type the same command again: what was measured is kept"
FREE = f"free some space and {AGAIN}"
OWN = "`cp -r . ~/rsa-lab` makes a checkout that is yours, type the same command there"
THEN = {  # what helps against a fault of the system
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), FREE),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), OWN),
    errno.ENOENT: "`make check` builds what is missing of build/",
}


class Failure(ValueError):
    """A fault that a user can mend.  The message is one line: what went wrong and what to do."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows of it: the line alone."""
        return [str(self)]


# What a command may end with, other than by a mistake in the program.
SYSTEM = (OSError, ModuleNotFoundError, subprocess.SubprocessError, sqlite3.Error)
EXPECTED = (Failure, ValueError, KeyError, *SYSTEM)


def command_line(name: str, body: Callable[[], int | None]) -> int:
    """Run the body of a command and return its exit status: what `body`
    returns (None is 0), 2 after one line on stderr for an expected fault,
    128 and the signal's number when interrupted."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a program that crashes leaves no core file
    try:
        status = body() or 0
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except EXPECTED as fault:
        print(f"{name}: {line(fault)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as signalled:
        print(f"\n{name}: interrupted; {AGAIN}", file=sys.stderr)
        return 128 + (signalled.args[0] if signalled.args else signal.SIGINT)
    return status


def stop(number: int, _frame: FrameType | None) -> None:
    """What a request to end does: everything ends in order."""
    raise KeyboardInterrupt(number)


def line(fault: BaseException) -> str:
    """One line for an expected fault: what went wrong and what to do.  A
    message of our own stays as it is."""
    if isinstance(fault, subprocess.TimeoutExpired):
        words = fault.cmd if isinstance(fault.cmd, str) else shlex.join(map(str, fault.cmd))
        return f"{words}: not finished in {fault.timeout:g} s; LIMIT=SECONDS allows more"
    if isinstance(fault, KeyError):
        return f"{fault} is missing; `make clean` and the same command build anew"
    if isinstance(fault, ModuleNotFoundError):
        return f"{fault.name} is not installed; `make venv` installs it where there is a wheel"
    if not isinstance(fault, OSError):
        return " ".join(str(fault).split())
    if isinstance(fault, FileNotFoundError) and "/" not in str(fault.filename or "/"):
        return f"{fault.filename}: not installed, or not on PATH; `make setup` installs it"
    what = f"{fault.filename or ''}: {fault.strerror or fault}".removeprefix(": ")
    return f"{what}; {THEN.get(fault.errno or 0, AGAIN)}"


# --- other programs -------------------------------------------------------------------------------


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


def end_children() -> None:
    """Kill every process that this one has started and that still runs."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid():
                os.kill(int(path.parent.name), signal.SIGKILL)
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
