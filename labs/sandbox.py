"""Commands run within limits of time and memory and, where bubblewrap can, in a sandbox that sees
the tools, the harness and the files it is given, and no network.  All that outlives a sandbox is
what the command prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.check import contents
from records.ladder import ROOT

MEMORY = 3 << 30  # bytes of data of one process; Unicorn asks for one and more at once
FILES = 16 << 20  # bytes of one file that is written, and of all that leaves a sandbox
SPACE = 64 << 20  # bytes of all files in a sandbox's /tmp
TASKS = 64  # processes and threads at once in a sandbox
SECONDS = 60  # of one command; the slowest, -O0 of the first exercises, takes 3 on a laptop
SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/alternatives /etc/ld.so.cache".split()
HARNESS = """.venv harness records labs/build.sh labs/count.py
    build/harness build/platform build/count.so build/unicorn.so""".split()
# What build.sh and the counters read.
PASSED = ("ARCH", "CC", "COUNTER", "LDFLAGS", "OBJCOPY", "PATH", "PYTHON", "WARN")
LATE = (124, 137, 128 + 24)  # timeout's two, and SIGXCPU


@dataclass(frozen=True)
class Ran:
    """How a command ended: its status as a shell has it, and what it wrote."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def late(self) -> bool:
        """Whether a limit of time ended it."""
        return self.status in LATE

    @property
    def first_line(self) -> str:
        """The first line of stderr."""
        return self.stderr.partition("\n")[0]


@dataclass(frozen=True)
class Box:
    """The limits; `sandbox` says whether bubblewrap is used, too."""

    sandbox: bool
    seconds: int = SECONDS

    def run(self, words: Sequence[object], *read: Path) -> Ran:
        """Runs a command at the root of the repository.  In a sandbox it sees the tools, the
        harness and the files `read`."""
        environment = {name: os.environ[name] for name in PASSED if name in os.environ}
        environment["LIMIT"] = str(self.seconds)
        command = ["prlimit", f"--cpu={self.seconds}", f"--data={MEMORY}", f"--fsize={FILES}"]
        if self.sandbox:
            command = [*bubblewrap(read), *command, f"--nproc={TASKS}"]
        command += ["--core=0", "--", "timeout", "-k", "1", str(self.seconds + 5)]
        # Files without a place on the disk, to which the limit of a file's size applies.
        with (
            os.fdopen(os.memfd_create("stdout"), "w+b") as out,
            os.fdopen(os.memfd_create("stderr"), "w+b") as err,
        ):
            try:
                status = subprocess.run(
                    [*command, *map(str, words)],
                    cwd=ROOT,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    timeout=self.seconds + 10,  # for those who have ended `timeout`
                ).returncode
            except subprocess.TimeoutExpired:
                status = LATE[0]
            printed, complaints = contents(out), contents(err).decode(errors="replace")
        plain = "\n".join(printable(line) for line in complaints.strip().splitlines())
        return Ran(status if status >= 0 else 128 - status, printed, plain)


def printable(text: str) -> str:
    """A line in which a terminal finds nothing to obey."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def bubblewrap(read: Sequence[Path]) -> list[str]:
    """bubblewrap's command line: nothing is there but what is named here.

    The system counts no tasks of root.  So root becomes somebody else inside, one for each thread,
    who has no processes but those of the sandbox.
    """
    words = ["bwrap", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    drop: list[str] = []
    if os.geteuid() == 0:
        words += [f"--unshare-{what}" for what in ("ipc", "pid", "net", "uts", "cgroup-try")]
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
        place = str(ROOT / path)  # --dir: else the parent of a file is its owner's alone
        words += ["--dir", os.path.dirname(place), "--ro-bind-try", place, place]
    return [*words, "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", str(ROOT), *drop]


@cache
def why_no_sandbox() -> str:
    """Why there is no sandbox here, or an empty string."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    ran = Box(True).run(["cat", "harness/snapshot.h"])
    if ran.status == 0:
        return ""
    return f"bubblewrap does not work here ({ran.first_line or ran.status})"
