"""A checkout of its own, and the commands that a user would type in it."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Clone:
    """A checkout of its own, and the commands that a user would type in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def make(self, *arguments: str, timeout: float = 900) -> "subprocess.CompletedProcess[str]":
        """Runs make as from a shell of its own, without a terminal."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
        return subprocess.run(
            ["make", *arguments],
            cwd=self.path,
            env=environment,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
        )

    def copy(self, path: Path) -> "Clone":
        """Another one in the same state, build tree included."""
        shutil.copytree(self.path, path, symlinks=True)
        return Clone(path)
