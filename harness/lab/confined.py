"""Commands run within limits of time and memory and, where bubblewrap can, in a sandbox that sees
the tools, the harness and one folder to write to, and no network."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from records.ladder import ROOT

MEMORY = 3 << 30  # bytes of data of one process; Unicorn asks for one and more at once
FILES = 64 << 20  # bytes of one file that is written
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
# What build.sh, check.sh and the counters read.
PASSED = ("ARCH", "CC", "COUNTER", "LDFLAGS", "OBJCOPY", "PATH", "PYTHON", "WARN")
LATE = (124, 137, 128 + 24)  # timeout's two, and SIGXCPU


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

    def run(self, words: Sequence[str | Path], folder: Path, *read: Path) -> Ran:
        """Runs a command at the root of the repository.  In a sandbox it may write to `folder` and
        read the files `read`, apart from the tools and the harness."""
        environment = {name: os.environ[name] for name in PASSED if name in os.environ}
        environment["LIMIT"] = str(self.seconds)
        limits = ["timeout", "-k", "1", str(self.seconds + 5), "prlimit", f"--cpu={self.seconds}"]
        limits += [f"--data={MEMORY}", f"--fsize={FILES}", "--core=0", "--"]
        box = sandbox(folder, read) if self.sandbox else []
        command = [*limits, *box, *map(str, words)]
        ran = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
        status = ran.returncode if ran.returncode >= 0 else 128 - ran.returncode
        return Ran(status, ran.stderr.strip())


def sandbox(folder: Path, read: Sequence[Path]) -> list[str]:
    """bubblewrap's command line: nothing is there but what is named here."""
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for name in SYSTEM:
        if os.path.islink(name):
            words += ["--symlink", os.readlink(name), name]
        elif os.path.exists(name):
            words += ["--ro-bind", name, name]
    for path in [*(ROOT / name for name in HARNESS), *(path.absolute() for path in read)]:
        if path.exists():
            words += ["--ro-bind", str(path), str(path)]
    words += ["--bind", str(folder.absolute()), str(folder.absolute())]
    return [*words, "--chdir", str(ROOT)]


@cache
def why_no_sandbox() -> str:
    """Why there is no sandbox here, or an empty string."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    words = [
        "bwrap",
        "--unshare-all",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "true",
    ]
    ran = subprocess.run(words, capture_output=True, text=True, errors="replace")
    said = ran.stderr.strip().splitlines()
    return (
        f"bubblewrap does not work here ({said[0] if said else ran.returncode})"
        if ran.returncode
        else ""
    )
