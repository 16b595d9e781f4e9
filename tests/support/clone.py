"""A checkout of its own, and the commands that a user would type in it."""

import os
import shutil
import subprocess
from pathlib import Path

from hangs import HANGS

from records.ladder import ROOT

OF_MAKE = ("MAKE", "MFLAGS", "LEVEL", "YES")
GENERATED = {
    ".git",
    ".venv",
    "build",
    "__pycache__",
    ".pytest_cache",
    ".ruff_cache",
    ".mypy_cache",
}


def sources() -> list[Path]:
    """The files under test, relative to ROOT: as git would record them, or
    all of a ZIP."""
    git = ["git", "ls-files", "-coz", "--exclude-standard"]
    if (ROOT / ".git").exists():
        said = subprocess.run(
            git, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        names = map(Path, filter(None, said.split("\0")))
    else:
        names = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
    return sorted(
        name
        for name in names
        if (ROOT / name).is_file() and not GENERATED & set(name.parts)
        if name.parts[:2] not in (("results", "local"), ("results", "farm"))
    )


def copy_as_data(source: "str | Path", copy: "str | Path") -> None:
    """Copies a file as some ZIPs and file systems have it: it may not be executed."""
    shutil.copy2(source, copy)
    os.chmod(copy, 0o644)


def environment(**extra: str) -> dict[str, str]:
    """That of a shell of its own, in which the small workload is measured
    unless `extra` says another one."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(OF_MAKE)}
    return {**kept, "MESSAGES": "small", **extra}


class Clone:
    """A checkout of its own, and the commands that a user would type in
    it."""

    def __init__(self, path: Path, said: str = "") -> None:
        self.path, self.said = path, said

    @classmethod
    def of_sources(cls, path: Path) -> "Clone":
        """The files under test, committed to a repository of their own."""
        for name in sources():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            copy_as_data(ROOT / name, path / name)
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
        for command in (
            ["init", "-q"],
            ["add", "-A"],
            ["commit", "-qm", "state under test"],
        ):
            subprocess.run([*git, *command], cwd=path, check=True)
        return cls(path)

    def make(self, *words: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
        """Runs make as from a shell of its own, without a terminal,
        `typed` on its stdin."""
        how = {"cwd": self.path, "env": environment(), "input": typed, "timeout": HANGS}
        how["start_new_session"] = True
        return subprocess.run(["make", *words], text=True, capture_output=True, **how)

    def copy(self, path: Path) -> "Clone":
        """Another one in the same state, build tree included."""
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", "--reflink=auto", self.path, path], check=True)
        return Clone(path, self.said)
