"""How commands run and end: one runner of other programs, one class of
expected faults, and the line that says what went wrong and what to type next."""

import atexit
import errno
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple

AGAIN = "type the same command again: what was finished is kept"
FREE = f"free some space and {AGAIN}"
COPY = "`cp -r . ~/rsa-lab` makes"
OWN = f"{COPY} a checkout that is yours, type the same command there"
ELSEWHERE = f"{COPY} a checkout on another file system, type the same command there"
NOEXEC = "no program may run there; BUILD=/tmp/rsa-lab on the command line puts what is built elsewhere"
MISSING_OF_BUILD = "`make check` builds what is missing of build/"
MISSING = "`git status` names files of this checkout that are gone"
DOCTOR = "`make doctor` looks for what this machine lacks"
# What helps against a fault of the system.
ADVICE = {
    errno.ENOSPC: FREE,
    errno.EDQUOT: FREE,
    errno.EFBIG: FREE,
    errno.EACCES: OWN,
    errno.EPERM: OWN,
    errno.EROFS: OWN,
    errno.ENOLCK: ELSEWHERE,
    errno.EOPNOTSUPP: ELSEWHERE,
    errno.EIO: ELSEWHERE,
    errno.ESTALE: ELSEWHERE,
    errno.ENAMETOOLONG: "move the checkout to a folder with a shorter path",
    errno.EISDIR: "a folder stands where a file belongs: remove or rename it",
    errno.ENOTDIR: "a file stands where a folder belongs: remove or rename it",
    errno.EEXIST: "a file stands where a folder belongs: remove or rename it",
    errno.ELOOP: "this link leads back to itself: remove it",
    errno.EMFILE: "`ulimit -n 4096` allows more open files, then type the same command again",
    errno.ENOEXEC: "`make clean` and the same command build it anew",
    errno.ENOMEM: f"close other programs, then {AGAIN}",
    errno.EAGAIN: f"close other programs, then {AGAIN}",
    errno.ETXTBSY: f"another command runs it now; when that has ended, {AGAIN}",
    errno.EINTR: AGAIN,
}


class Failure(Exception):
    """A fault that a user can mend.  The message is one line: what went wrong and what to do."""

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows of it: the line alone."""
        return [str(self)]


class Late(Failure):
    """A program has used up the processor time that it may take.  Whether it is right is open."""


# What a command may end with, other than by a mistake in the program.
EXPECTED = (
    Failure,
    OSError,
    MemoryError,
    ModuleNotFoundError,
    subprocess.TimeoutExpired,
)
# What the system does, or calls, at a signal.
Answer = signal.Handlers | Callable[[int, FrameType | None], None]
BUG_STATUS = 70  # sysexits.h: an internal fault of the software
BUG = """{name}: this is a mistake in the program, and not yours.  Please report it with the lines
{name}: above, the command and `git log -1 --oneline`, as an issue where this copy is from."""


def command_line(name: str, body: Callable[[], int | None]) -> int:
    """Run the body of a command and return its exit status: what `body`
    returns (None is 0), 2 after one line on stderr for an expected fault,
    128 and the signal's number when interrupted, BUG_STATUS after a
    traceback for anything else."""
    answer_requests_to_end(stop)
    # A request that comes when all is done ends the process at once.
    atexit.register(answer_requests_to_end, signal.SIG_DFL)
    # A program that crashes leaves no core file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
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
    except Exception:
        traceback.print_exc()
        print(BUG.format(name=name), file=sys.stderr)
        return BUG_STATUS
    return status


def show(
    kind: type[BaseException], fault: BaseException, trace: TracebackType | None
) -> None:
    """Print what ends a program: of a Failure its line alone, also of one that comes before a
    command runs, while modules are imported."""
    if isinstance(fault, Failure):
        print(line(fault), file=sys.stderr)
    else:
        sys.__excepthook__(kind, fault, trace)


sys.excepthook = show


def answer_requests_to_end(answer: Answer) -> None:
    """Let this answer Ctrl-C, `kill` and a terminal that is closed."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, answer)


def stop(number: int, _frame: FrameType | None) -> None:
    """Answer a request to end: everything ends in order."""
    raise KeyboardInterrupt(number)


def line(fault: BaseException) -> str:
    """Return one line for an expected fault: what went wrong and what to do.
    A message of our own stays as it is."""
    if isinstance(fault, subprocess.TimeoutExpired):
        words = (
            fault.cmd if isinstance(fault.cmd, str) else shlex.join(map(str, fault.cmd))
        )
        return f"{words}: no end after {fault.timeout:g} s, its limit"
    if isinstance(fault, ModuleNotFoundError):
        return f"{fault.name} is not installed; `make venv` installs it where there is a wheel"
    if isinstance(fault, MemoryError):
        return f"this machine has no memory left; {ADVICE[errno.ENOMEM]}"
    if isinstance(fault, OSError):
        return system_line(fault)
    return " ".join(str(fault).split())


def system_line(fault: OSError) -> str:
    """Return one line for a fault of the system: the file, the system's
    words, and what would help."""
    name = str(fault.filename or "")
    built = "build" in Path(name).parts
    if isinstance(fault, FileNotFoundError):
        if name and "/" not in name:
            return f"{name}: not installed, or not on PATH; `make setup` installs it"
        advice = MISSING_OF_BUILD if built else MISSING
    elif built and isinstance(fault, PermissionError) and may_not_run(name):
        advice = NOEXEC
    else:
        advice = ADVICE.get(fault.errno or 0, DOCTOR)
    words = f"{name}: {fault.strerror or fault}".removeprefix(": ")
    return f"{words}; {advice}"


def may_not_run(name: str) -> bool:
    """Return whether this is a file that can be read, but not executed."""
    return os.path.isfile(name) and os.access(name, os.R_OK) > os.access(name, os.X_OK)


# --- other programs -------------------------------------------------------------------------------


# A program has so many seconds of processor time more to end by itself.
LAST_SECONDS = 5


def limit(seconds: int) -> int:
    """Return the seconds of processor time that a program may take: LIMIT of the environment, else
    these.  Another program that keeps the processor busy takes none of them.  Raises Failure."""
    text = os.environ.get("LIMIT") or str(seconds)
    if not re.fullmatch("[1-9][0-9]{0,7}", text):
        raise Failure(
            f"LIMIT={text}: say a whole number of seconds, such as LIMIT={seconds}"
        )
    return int(text)


def run(words: Sequence[str | Path], seconds: int = 0, **options: Any) -> str:
    """Return what a command prints on stdout; it may take `seconds` of processor time, any if that
    is 0.  `options` are those of subprocess.run: input, cwd, env, and timeout in seconds of real
    time, for what may wait for ever.

    Raises Failure, with the first line that the command wrote to stderr,
    when it ends with another status than 0; Late when it has used up its time;
    subprocess.TimeoutExpired; FileNotFoundError when there is no such command.
    """
    options |= {"text": True, "errors": "replace"}
    ran = ended(words, seconds, **options)
    if is_late(ran.returncode):
        raise Late(f"{shlex.join(map(str, words))}: {late(seconds)}")
    if ran.returncode:
        raise Failure(f"{words[0]}: {why_failed(ran)}")
    printed: str = ran.stdout
    return printed


def late(seconds: int) -> str:
    """Return what is said of a program that has taken so many seconds of processor time, or what
    somebody else allows."""
    if not seconds:
        return "no end within the processor time that it may take"
    return f"no end after {seconds} s of processor time, its limit; LIMIT={4 * seconds} allows more"


def ended(
    words: Sequence[str | Path], seconds: int = 0, **options: Any
) -> "subprocess.CompletedProcess[Any]":
    """Return how a command ended, and what it wrote; see run().  Raises OSError and
    subprocess.TimeoutExpired."""
    given = options.pop("input", None)
    timeout = options.pop("timeout", None)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options["stdin"] = subprocess.DEVNULL if given is None else subprocess.PIPE
    command = list(map(str, words))
    with subprocess.Popen(command, **options) as process:
        if seconds:
            limit_time(process.pid, seconds)
        try:
            out, err = process.communicate(given, timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def limit_time(process: int, seconds: int) -> None:
    """Let a process, and each that it starts from now on, take so many seconds of processor time:
    then SIGXCPU ends it."""
    most = seconds + LAST_SECONDS
    try:
        _, allowed = resource.prlimit(process, resource.RLIMIT_CPU)
        if allowed != resource.RLIM_INFINITY:
            most = min(most, allowed)
        resource.prlimit(process, resource.RLIMIT_CPU, (min(seconds, most), most))
    except ProcessLookupError:
        return  # it has ended already


def seconds_of_children() -> float:
    """Return the processor time of all programs that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def is_late(status: int) -> bool:
    """Return whether a status, a shell's or subprocess's, is that of a process that has used up
    its time."""
    return status in (-signal.SIGXCPU, 128 + signal.SIGXCPU)


def why_failed(ran: "subprocess.CompletedProcess[str]") -> str:
    """Return the first line that a command wrote to stderr, or else how it ended."""
    lines = ran.stderr.strip().splitlines()
    if lines:
        return lines[0]
    if ran.returncode > 0:
        return f"status {ran.returncode}"
    return f"killed by {signal.Signals(-ran.returncode).name}"


def first_line(*words: str, timeout: float | None = None) -> str:
    """Return the first line that a command prints; "" when there is no such
    command, it fails, or it takes longer than `timeout` seconds of real time."""
    try:
        return run(words, timeout=timeout).partition("\n")[0].strip()
    except (Failure, OSError, subprocess.TimeoutExpired):
        return ""


class Process(NamedTuple):
    """`state` is R where it computes or would, D where it waits for a disk, S where it waits for
    something else; `ticks`: the processor time that it and its children have taken."""

    number: int
    parent: int
    state: str
    ticks: int


def processes() -> Iterator[Process]:
    """Yield every process of this machine."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # Behind the name, in which anything may stand: proc(5), from the third field on.
            state, *numbers = path.read_text().rpartition(")")[2].split()
            ticks = sum(map(int, numbers[10:14]))
            yield Process(int(path.parent.name), int(numbers[0]), state, ticks)
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile


def family(number: int) -> list[Process]:
    """Return a process and all that it has started, those that they have started, too."""
    every = list(processes())
    found = [one for one in every if one.number == number]
    for member in found:  # the list grows meanwhile
        found += [one for one in every if one.parent == member.number]
    return found


def seconds_of(number: int) -> float:
    """Return the processor time that a process and all that it has started have taken, in
    seconds."""
    ticks = sum(one.ticks for one in family(number))
    return ticks / os.sysconf("SC_CLK_TCK")


def end_family(number: int) -> None:
    """Kill a process and all that it has started."""
    for one in family(number):
        with suppress(ProcessLookupError):
            os.kill(one.number, signal.SIGKILL)


def end_children() -> None:
    """Kill every process that this one has started and that still runs."""
    for one in processes():
        if one.parent == os.getpid():
            with suppress(ProcessLookupError):
                os.kill(one.number, signal.SIGKILL)
