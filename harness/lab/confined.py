"""Commands run within limits of time and memory and, where bubblewrap can, in a sandbox that sees
the tools, the harness and one folder, and no network.  What is written there stays in memory, but
for the files that the caller names."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

from records.files import replace
from records.ladder import ROOT

MEMORY = 3 << 30  # bytes of data of one process; Unicorn asks for one and more at once
FILES = 16 << 20  # bytes of one file that is written, and of all that leaves a sandbox
SPACE = 64 << 20  # bytes of all files in a sandbox's folder, and of those in its /tmp
TASKS = 64  # processes and threads at once in a sandbox
SECONDS = 60  # of one command; the slowest, -O0 of the first exercises, takes 3 on a laptop
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/alternatives",
    "/etc/ld.so.cache",
)
HARNESS = (
    ".venv",
    "harness",
    "records",
    "build/harness",
    "build/platform",
    "build/count.so",
    "build/unicorn.so",
)
# What build.sh and the counters read.
PASSED = ("ARCH", "CC", "COUNTER", "LDFLAGS", "OBJCOPY", "PATH", "PYTHON", "WARN")
LATE = (124, 137, 128 + 24)  # timeout's two, and SIGXCPU
# Runs a command, then says of each of some files in a folder its size, on a line, and its bytes.
BRING_OUT = """made=$1; shift; "$@" >/dev/null; status=$?; cd "$0" || exit
for file in $made; do if [ -f "$file" ]; then wc -c <"$file"; cat "$file"; else echo; fi; done
exit $status"""


@dataclass(frozen=True)
class Ran:
    """How a command ended: its status as a shell has it, and what it wrote to stderr."""

    status: int
    stderr: str

    @property
    def late(self) -> bool:
        """Whether a limit of time ended it."""
        return self.status in LATE

    @property
    def signal(self) -> int:
        """The signal that ended it, or 0."""
        return self.status - 128 if self.status > 128 else 0


@dataclass(frozen=True)
class Confinement:
    """The limits; `sandbox` says whether bubblewrap is used, too."""

    sandbox: bool
    seconds: int = SECONDS

    def run(
        self, words: Sequence[str | Path], folder: Path, *read: Path, made: Sequence[str] = ()
    ) -> Ran:
        """Runs a command at the root of the repository.  In a sandbox it sees the tools, the
        harness, the files `read` and those of `folder`; of what it writes only the files `made` of
        `folder` outlive it."""
        environment = {name: os.environ[name] for name in PASSED if name in os.environ}
        environment["LIMIT"] = str(self.seconds)
        limits = ["prlimit", f"--cpu={self.seconds}", f"--data={MEMORY}", f"--fsize={FILES}"]
        command = ["timeout", "-k", "1", str(self.seconds + 5), *map(str, words)]
        if self.sandbox:
            limits = [*sandbox(folder, read), *limits, f"--nproc={TASKS}"]
            command = ["sh", "-c", BRING_OUT, str(folder.absolute()), " ".join(made), *command]
        with in_memory("stdout") as out, in_memory("stderr") as said:
            try:
                status = subprocess.run(
                    [*limits, "--core=0", "--", *command],
                    cwd=ROOT,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=said,
                    timeout=self.seconds + 10,  # for those who have ended `timeout`
                ).returncode
            except subprocess.TimeoutExpired:
                status = LATE[0]
            if self.sandbox:
                bring_out(contents(out), folder, made)
            text = contents(said).decode(errors="replace").strip()
        lines = [printable(line) for line in text.splitlines()]
        return Ran(status if status >= 0 else 128 - status, "\n".join(lines))


def in_memory(name: str) -> BinaryIO:
    """A file without a place on the disk, to which the limit of a file's size applies."""
    return os.fdopen(os.memfd_create(name), "w+b")


def contents(file: BinaryIO) -> bytes:
    """All that others have written to it."""
    file.seek(0)
    return file.read()


def bring_out(data: bytes, folder: Path, made: Sequence[str]) -> None:
    """Writes what BRING_OUT has said; a file that is missing or not whole is left out."""
    for name in made:
        size, _, data = data.partition(b"\n")
        if size.isdigit() and int(size) <= len(data):
            replace(folder / name, data[: int(size)])
            (folder / name).chmod(0o755)
            data = data[int(size) :]


def printable(text: str) -> str:
    """A line in which a terminal finds nothing to obey."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def sandbox(folder: Path, read: Sequence[Path]) -> list[str]:
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
    for name in SYSTEM:
        if os.path.islink(name):
            words += ["--symlink", os.readlink(name), name]
        elif os.path.exists(name):
            words += ["--ro-bind", name, name]
    here = folder.absolute()
    for place in ("/tmp", str(here)):
        words += ["--perms", "0777", "--size", str(SPACE), "--tmpfs", place]
    for path in [*(ROOT / name for name in HARNESS), *(path.absolute() for path in read)]:
        if path.exists():  # --dir: else the parent of a file is its owner's alone
            words += ["--dir", str(path.parent), "--ro-bind", str(path), str(path)]
    for path in sorted(here.rglob("*")):
        kind = ["--perms", "0777", "--dir"] if path.is_dir() else ["--ro-bind", str(path)]
        words += [*kind, str(path)]
    return [*words, "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", str(ROOT), *drop]


@cache
def why_no_sandbox() -> str:
    """Why there is no sandbox here, or an empty string."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    ran = Confinement(True).run(["cat", "harness/snapshot.h"], ROOT / "build/labs/nothing")
    if ran.status == 0:
        return ""
    return f"bubblewrap does not work here ({(ran.stderr or str(ran.status)).splitlines()[0]})"
