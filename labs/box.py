"""Where code of strangers runs: a sandbox, where bubblewrap works, and limits of time and memory.

A sandbox sees the tools, the harness and the files it is given, and no network; all that
outlives it is what the command prints.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from records import faults
from records.ladder import ROOT

MEMORY = 3 << 30  # bytes of data of one process; Unicorn asks for one and more at once
FILES = 16 << 20  # bytes of one file that is written, and of all that leaves a sandbox
SPACE = 64 << 20  # bytes of all files in a sandbox's /tmp
TASKS = 64  # processes and threads at once in a sandbox
RUN_SECONDS = 60  # of processor time, for one command at most
# Seconds of real time in which a command may do nothing at all: it waits for what never comes.
IDLE_SECONDS = 60
SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/alternatives /etc/ld.so.cache".split()
HARNESS = """.venv harness records labs/build.sh labs/box.py labs/judge.py labs/explain.py
    build/harness build/host/harness build/platform build/count.so build/unicorn
    build/trace.so""".split()
# What build.sh and the counters read.
PASSED = (
    "CC CODE COUNTER HOST_CC LDFLAGS OBJCOPY PATH PYTHON RSALAB_BINUTILS WARN".split()
)
KILLED = 128 + signal.SIGKILL
LATE = 128 + signal.SIGXCPU


@dataclass(frozen=True)
class Ran:
    """How a command ended: its status as a shell has it, and what it wrote.  `idle`: it did nothing
    any more."""

    status: int
    stdout: bytes
    stderr: str
    idle: bool = False

    @property
    def late(self) -> bool:
        """Return whether a limit of time ended it; one that ignores that is killed."""
        return self.idle or self.status in (LATE, KILLED)

    @property
    def first_line(self) -> str:
        """Return the first line of stderr."""
        return self.stderr.partition("\n")[0]


@dataclass(frozen=True)
class Box:
    """The limits; `sandbox` says whether bubblewrap is used, too."""

    sandbox: bool
    seconds: int = RUN_SECONDS

    def run(self, words: Sequence[object], *read: Path, seconds: int = 0) -> Ran:
        """Run a command at the root of the repository for `seconds`, or as long as the box allows.
        In a sandbox it sees the tools, the harness and the files `read`."""
        seconds = seconds or self.seconds
        environment = {name: os.environ[name] for name in PASSED if name in os.environ}
        environment["LIMIT"] = str(seconds)
        command = [
            "prlimit",
            f"--cpu={seconds}:{seconds + 1}",
            f"--data={MEMORY}",
            f"--fsize={FILES}",
        ]
        if self.sandbox:
            command = [*bubblewrap(read), *command, f"--nproc={TASKS}"]
        command += ["--core=0", "--"]
        # Files, to which the limit of a file's size applies.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with subprocess.Popen(
                [*command, *map(str, words)],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            ) as process:
                idle = not worked_to_its_end(process)
            for file in (out, err):
                file.seek(0)
            printed = out.read()
            complaints = err.read().decode(errors="replace")
        plain = "\n".join(printable(line) for line in complaints.strip().splitlines())
        status = process.returncode
        return Ran(status if status >= 0 else 128 - status, printed, plain, idle)


def worked_to_its_end(
    process: subprocess.Popen[bytes], idle: int = IDLE_SECONDS
) -> bool:
    """Wait for the end of a command.  Return whether it has come: a command of which no process
    wants the processor for `idle` seconds is killed.  One that only gets none, on a busy machine,
    wants it."""
    quiet = 0
    ticks = -1
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)
                return True
            family = faults.family(process.pid)
            before = ticks
            ticks = sum(one.ticks for one in family)
            busy = ticks != before or any(one.state in "RD" for one in family)
            quiet = 0 if busy else quiet + 1
            if quiet == idle:
                return False
    finally:
        faults.end_family(process.pid)


def printable(text: str) -> str:
    """Return a line in which a terminal finds nothing to obey."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def bubblewrap(read: Sequence[Path]) -> list[str]:
    """Return bubblewrap's command line: nothing is there but what is named here.

    The system counts no tasks of root.  So root becomes somebody else
    inside, one for each thread, who has no processes but those of the
    sandbox.
    """
    words = ["bwrap", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    drop: list[str] = []
    if os.geteuid() == 0:
        words += [
            f"--unshare-{what}" for what in ("ipc", "pid", "net", "uts", "cgroup-try")
        ]
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        user = 65000 + threading.get_native_id() % 500
        drop = f"setpriv --reuid={user} --regid={user} --clear-groups --inh-caps=-all".split()
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
    words += ["--chdir", str(ROOT)]
    return words + drop


def show_to_others() -> None:
    """Let others read what a sandbox of root's shows them, whatever umask it was made with."""
    there = [path for path in HARNESS if (ROOT / path).exists()]
    subprocess.run(
        ["chmod", "-R", "go+rX", "--", *there], cwd=ROOT, stderr=subprocess.DEVNULL
    )


@cache
def why_no_sandbox() -> str:
    """Return why there is no sandbox here, or an empty string."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    if os.geteuid() == 0:
        show_to_others()
    ran = Box(True).run(["cat", "harness/snapshot.h"])
    if ran.status == 0:
        return ""
    return f"bubblewrap does not work here ({ran.first_line or ran.status})"
