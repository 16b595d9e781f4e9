"""The one class of expected faults, and how a command ends with one: a line
that says what went wrong and what to type next."""

import errno
import os
import resource
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

AGAIN = "type the same command again: what was measured is kept"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Failure(ValueError):
    """A fault that a user can mend.  The message is one line: what went wrong and what to do."""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows of it: the line alone."""
        return [str(self)]


# What a command may end with, other than by a mistake in the program.
EXPECTED = (Failure, OSError, ValueError, KeyError, subprocess.SubprocessError)


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


def line(fault: BaseException) -> str:
    """One line for an expected fault: what went wrong and what to do.  A
    message of our own stays as it is."""
    if isinstance(fault, subprocess.TimeoutExpired):
        late = f"not finished in {fault.timeout:g} s"
        return f"{typed(fault.cmd)}: {late}; LIMIT=SECONDS allows more"
    if isinstance(fault, KeyError):
        return f"{fault} is missing; `make clean` and the same command build anew"
    if not isinstance(fault, OSError):
        return " ".join(str(fault).split())
    name = str(fault.filename or "")
    what, then = f"{name}: {fault.strerror or fault}".removeprefix(": "), AGAIN
    if fault.errno in FULL:
        then = f"free some space and {AGAIN}"
    elif isinstance(fault, PermissionError) or fault.errno == errno.EROFS:
        then = "`cp -r . ~/rsa-lab` makes a checkout that is yours, type the same command there"
    elif isinstance(fault, FileNotFoundError) and name and "/" not in name:
        what = f"{name}: not installed, or not on PATH"
        then = "`make setup` installs what is missing"
    elif isinstance(fault, FileNotFoundError):
        then = "`make check` builds what is missing"
    return f"{what}; {then}"


def of_run(said: str, words: list[object], seconds: int) -> str:
    """What the run of a program ended with, `said` in one line, `words` its command line."""
    if os.strerror(errno.ENOSPC) in said:
        return f"{said}; free some space and {AGAIN}"
    late = f"; LIMIT={4 * seconds} allows more" if "not finished" in said else ""
    return f"{said}{late}; see it alone: {typed(words)}"


def typed(words: str | Sequence[object]) -> str:
    """A command as one would type it."""
    return words if isinstance(words, str) else shlex.join(map(str, words))


def stop(number: int, _frame: FrameType | None) -> None:
    """What a request to end does: everything ends in order."""
    raise KeyboardInterrupt(number)


def end_children() -> None:
    """Kill every process that this one has started and that still runs."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid():
                os.kill(int(path.parent.name), signal.SIGKILL)
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
