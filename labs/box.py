"""Where code of strangers runs: a sandbox, where bubblewrap works, and limits of time and memory.

A sandbox sees the tools, the harness and the files it is given, and no network; all that
outlives it is what the command prints.  A judge, which reads what a stranger has handed in, has a
sandbox of its own; it starts compiler and program in sandboxes inside, which see nothing of it.
"""

import math
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from records import faults
from records.ladder import ROOT

MEMORY = 3 << 30  # bytes of data of one process; Unicorn asks for one and more at once
MEMORY_OF_JUDGE = 1 << 30  # of the judge itself
FILES = 16 << 20  # bytes of one file that is written, and of all that leaves a sandbox
SPACE = 64 << 20  # bytes of all files in a sandbox's /tmp
TASKS = 64  # processes and threads at once in a sandbox
COMPLAINTS = 1 << 18  # bytes of stderr that are read
RUN_SECONDS = 60  # of processor time, for one command at most
# Seconds of real time in which a command may do next to nothing: it waits for what never comes.
IDLE_SECONDS = 60
# A judge waits for its commands: for how many, one after another, that wait themselves.
IDLE_SECONDS_OF_JUDGE = 10 * IDLE_SECONDS
IDLE_TICKS = 10  # of processor time in a second: fewer are next to nothing
# A limit of processor time is one process's.  All of a command may take so many times as much.
FAMILY = 2
SHARE_OF_JUDGE = 5  # a judge itself may take so many times as much as one command
STARVED = 2  # seconds of real time for one of processor time: more, and others had the processor
SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/alternatives /etc/ld.so.cache".split()
HARNESS = """.venv harness records labs/build.sh
    build/harness build/host/harness build/platform build/count.so build/unicorn
    build/trace.so""".split()
HARNESS += [str(path.relative_to(ROOT)) for path in ROOT.glob("labs/*.py")]
# What build.sh, the counters and a judge read.
PASSED = (
    "CC CODE COUNTER HOST_CC LDFLAGS LEVELS OBJCOPY PATH PYTHON PYTHONPATH PYTHONSAFEPATH"
    " RSALAB_BINUTILS WARN"
).split()
KILLED = 128 + signal.SIGKILL
LATE = 128 + signal.SIGXCPU


@dataclass(frozen=True)
class Ran:
    """How a command ended: its status as a shell has it, and what it wrote.  `late`: a limit of time
    ended it; `idle`: because it did nothing any more; `starved`: while others had the processor."""

    status: int
    stdout: bytes
    stderr: str
    late: bool = False
    idle: bool = False
    starved: bool = False

    @property
    def first_line(self) -> str:
        """Return the first line of stderr."""
        return self.stderr.partition("\n")[0]


@dataclass(frozen=True)
class Box:
    """The limits; `sandbox` says whether bubblewrap is used, too.  `user` is who root becomes in
    it, another one in each that runs at the same time; 0: by the thread."""

    sandbox: bool
    seconds: int = RUN_SECONDS
    user: int = 0

    @property
    def seconds_of_judge(self) -> int:
        """Return how much processor time a judge may take without its commands."""
        return SHARE_OF_JUDGE * self.seconds

    def run(self, words: Sequence[object], *read: Path, seconds: int = 0) -> Ran:
        """Run a command at the root of the repository for `seconds`, or as long as the box allows.
        In a sandbox it sees the tools, the harness and the files `read`."""
        seconds = seconds or self.seconds
        command: list[object] = []
        if self.sandbox:
            command += bubblewrap(read, STRANGER)
            command += become(self.user)
        command += limited(f"{seconds}:{seconds + 1}", str(MEMORY))
        if self.sandbox:
            command.append(f"--nproc={TASKS}")
        command += ["--", *words]
        return ran(command, seconds, FAMILY * seconds)

    def judge(self, words: Sequence[object], *read: Path, given: str) -> Ran:
        """Run a command that starts boxes itself, with `given` on its stdin."""
        # Its own commands may take more memory and time than it, each for itself.
        seconds = self.seconds_of_judge
        command: list[object] = []
        if self.sandbox and nests():
            command += bubblewrap(read, JUDGE)
        command += limited(f"{seconds}:", f"{MEMORY_OF_JUDGE}:{MEMORY}")
        command += ["--", *words]
        # These have limits of their own, and there are not many.
        return ran(command, seconds, math.inf, IDLE_SECONDS_OF_JUDGE, given)


def limited(seconds: str, memory: str) -> list[str]:
    """Return the words before a command that limit it, as prlimit has them.  Where memory is short,
    the system ends it before others."""
    words = ["choom", "-n", "1000", "--", "prlimit", "--core=0", f"--fsize={FILES}"]
    return [*words, f"--cpu={seconds}", f"--data={memory}"]


def ran(
    words: Sequence[object],
    seconds: int,
    together: float,
    idle: int = IDLE_SECONDS,
    given: str = "",
) -> Ran:
    """Run a command that limits itself to `seconds` of processor time, with `given` on its stdin;
    its processes may take so many seconds together, and do nothing for `idle`."""
    environment = {name: os.environ[name] for name in PASSED if name in os.environ}
    environment["LIMIT"] = str(seconds)
    began = time.monotonic()
    # Files, to which the limit of a file's size applies.
    with (
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        stdin.write(given.encode())
        stdin.seek(0)
        with subprocess.Popen(
            list(map(str, words)),
            cwd=ROOT,
            env=environment,
            stdin=stdin,
            stdout=out,
            stderr=err,
        ) as process:
            limit = watched(process, together, idle)
        for file in (out, err):
            file.seek(0)
        printed = out.read()
        complaints = err.read(COMPLAINTS).decode(errors="replace")
    plain = "\n".join(printable(line) for line in complaints.strip().splitlines())
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    real = time.monotonic() - began
    # One that ignores the first signal is killed; one that is killed earlier lacks memory.
    late = limit or status == LATE or (status == KILLED and real >= seconds)
    starved = bool(late) and limit != IDLE and real > STARVED * seconds
    return Ran(status, printed, plain, bool(late), limit == IDLE, starved)


BUSY = "busy"
IDLE = "idle"


def watched(
    process: subprocess.Popen[bytes], seconds: float, idle: int = IDLE_SECONDS
) -> str:
    """Wait for the end of a command and return "", or end it: BUSY where all its processes together
    have taken `seconds` of the processor; IDLE where for `idle` seconds of real time none wanted
    it.  A process that gets none, on a busy machine, wants it."""
    second = os.sysconf("SC_CLK_TCK")
    quiet = 0
    used = 0
    before = 0
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)
                return ""
            family = faults.family(process.pid)
            ticks = sum(one.ticks for one in family)
            # The sum falls where somebody has ended for whom nobody waits.
            gained = max(0, ticks - before)
            before = ticks
            used += gained
            wants = any(one.state in "RD" for one in family)
            quiet += not wants and gained < IDLE_TICKS
            if used > seconds * second:
                return BUSY
            if quiet == idle:
                return IDLE
    finally:
        faults.end_family(process.pid)


def printable(text: str) -> str:
    """Return a line in which a terminal finds nothing to obey."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


# Who may be in a sandbox.
STRANGER = ""
JUDGE = "judge"


def bubblewrap(read: Sequence[Path], who: str) -> list[str]:
    """Return bubblewrap's command line: nothing is there but what is named here.  A judge may make
    sandboxes inside; a stranger becomes somebody else before he does anything."""
    words = ["bwrap", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if os.geteuid() == 0:
        for what in ("ipc", "pid", "net", "uts", "cgroup-try"):
            words.append(f"--unshare-{what}")
        rights = ("ALL",) if who == JUDGE else ("CAP_SETUID", "CAP_SETGID")
        for right in rights:
            words += ["--cap-add", right]
    else:
        words += ["--unshare-all"]
    words += ["--proc", "/proc", "--dev", "/dev", "--dir", "/etc"]
    words += ["--perms", "0777", "--size", str(SPACE), "--tmpfs", "/tmp"]
    for name in SYSTEM:
        words += ["--ro-bind-try", name, name]
    for path in [*HARNESS, *map(str, read)]:
        shown = str(ROOT / path)
        # Without --dir the parent of a file is its owner's alone.
        words += ["--dir", os.path.dirname(shown), "--ro-bind-try", shown, shown]
    for name in ("/", "/dev"):
        words += ["--remount-ro", name]
    return [*words, "--chdir", str(ROOT)]


def become(user: int) -> list[str]:
    """Return the words that make somebody else of root.

    The system counts no tasks of root.  So root becomes somebody else
    inside, one for each sandbox at a time, who has no processes but those
    of the sandbox.
    """
    if os.geteuid() != 0:
        return []
    user = user or free_user()
    ids = f"--reuid={user} --regid={user}"
    return f"setpriv {ids} --clear-groups --inh-caps=-all".split()


def free_user() -> int:
    """Return the number of a user whom no other thread's sandbox has."""
    return 65000 + threading.get_native_id() % 500


def show_to_others() -> None:
    """Let others read what a sandbox of root's shows them, whatever umask it was made with."""
    there = [path for path in HARNESS if (ROOT / path).exists()]
    subprocess.run(
        ["chmod", "-R", "go+rX", "--", *there], cwd=ROOT, stderr=subprocess.DEVNULL
    )


SEEN = ["cat", "harness/snapshot.h"]  # a command that works in a sandbox


@cache
def why_no_sandbox() -> str:
    """Return why there is no sandbox here, or an empty string."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    if os.geteuid() == 0:
        show_to_others()
    end = Box(True).run(SEEN)
    if end.status == 0:
        return ""
    return f"bubblewrap does not work here ({end.first_line or end.status})"


@cache
def nests() -> bool:
    """Return whether a sandbox works inside a sandbox: some systems forbid it to bubblewrap."""
    inner = [*bubblewrap((), STRANGER), *become(0), *SEEN]
    outer = [*bubblewrap((), JUDGE), *inner]
    return ran(outer, RUN_SECONDS, RUN_SECONDS).status == 0
