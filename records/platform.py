"""Where programs run: what make has found out and written to build/platform for all to read."""

import shlex
from pathlib import Path
from typing import NamedTuple

from records.faults import Failure
from records.files import read

FILE = Path("build/platform")
HOST = Path("build/host/platform")
FLAGS = Path("build/flags")


class Platform(NamedTuple):
    """`name`, such as qemu-gcc12, and the words before a program's own;
    none where it runs directly on this machine."""

    name: str
    runner: tuple[str, ...]

    @property
    def direct(self) -> bool:
        """Whether programs run directly, so that their times mean something."""
        return not self.runner

    def __str__(self) -> str:
        """As in the file: two assignments that a shell can read."""
        return f"platform={shlex.quote(self.name)}\nrunner={shlex.quote(shlex.join(self.runner))}\n"


def read_platform(path: Path = FILE) -> Platform:
    """The platform that make found.  Raises Failure when the file is missing or not whole."""
    try:
        facts = dict(word.split("=", 1) for word in shlex.split(path.read_text()))
        return Platform(facts["platform"], tuple(shlex.split(facts["runner"])))
    except (OSError, ValueError, KeyError):
        raise Failure(f"{path}: missing or not whole; `make {path}` writes it") from None


def read_flags(path: Path = FLAGS) -> str:
    """The text of build/flags: a line with the compiler, a line with its
    flags.  Raises Failure when the file is missing or not whole."""
    text = read(path) + "\n"
    if len(list(filter(str.strip, text.splitlines()))) < 2:
        raise Failure(f"{path}: missing or not whole; `make {path}` writes it")
    return text
