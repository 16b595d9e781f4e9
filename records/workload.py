"""What is run to be measured: the cases of a snapshot, as command lines of the driver.

A round trip encrypts and decrypts one message.  The default workload is the same on every
platform: the first 80 strings and the first 20 integers, or what PUBLISHED says for a width whose
source states its own.  `all` is every message, in chunks that are measured and kept one by one, so
that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KEYS = ("full", "65537")
DEFAULT = (("strings", 80), ("integers", 20))
PUBLISHED = {"width-64": (("integers", 1000),)}  # Dirk 2019 §3
CHUNK = 100  # messages
PRODUCTS = 1000  # calls of mont_mul
POWERS = 20  # calls of mod_exp


@dataclass(frozen=True)
class Task:
    """One run of a program: `case` as in counts.csv, `part` names its chunk, `n` operations."""

    case: str
    part: str
    n: int
    arguments: tuple[str, ...]

    @property
    def inputs(self) -> list[Path]:
        """The input files that the run reads."""
        return [Path(argument) for argument in self.arguments if argument.endswith(".txt")]


def messages_in(path: Path) -> int:
    """Number of messages in a message file."""
    with path.open() as file:
        return sum(1 for line in file if line.strip() and not line.startswith("#"))


def default(folder: Path) -> list[tuple[Path, int]]:
    """(message file, messages) of the default workload of a key's folder, which is
    data/inputs/width-N/key-K; without files that are not there."""
    kinds = PUBLISHED.get(folder.parent.name, DEFAULT)
    files = [(folder / f"{kind}.txt", n) for kind, n in kinds]
    return [(path, n) for path, n in files if path.exists()]


def chunks(folder: Path, messages: str) -> Iterator[tuple[str, int, list[str]]]:
    """(name, messages, driver arguments) for each run of the round trips of one key."""
    if messages == "default":
        files = default(folder)
        arguments = [word for path, n in files for word in ("-n", str(n), str(path))]
        yield "default", sum(n for _, n in files), arguments
        return
    for path in sorted(folder.glob("*.txt")):
        total = 0 if path.name == "key.txt" else messages_in(path)
        for first in range(0, total, CHUNK):
            n = min(CHUNK, total - first)
            yield f"{path.stem}-{first}", n, ["-s", str(first), "-n", str(n), str(path)]


def tasks(inputs: Path, messages: str) -> list[Task]:
    """Every run that a snapshot needs.  `inputs` is data/inputs/width-N; `messages` is `default` or
    `all`.  Raises ValueError for another word."""
    if messages not in ("default", "all"):
        raise ValueError(f"MESSAGES={messages}: say default or all")
    made = []
    for case, n in (("mont_mul", PRODUCTS), ("mod_exp", POWERS)):
        vectors = str(inputs / "vectors" / f"{case}.txt")
        made.append(Task(case, "random", n, ("count", "-k", "random", "-n", str(n), vectors)))
    for key in KEYS:
        folder = inputs / f"key-{key}"
        for part, n, arguments in chunks(folder, messages):
            command = ("roundtrip", str(folder / "key.txt"), *arguments)
            made.append(Task(f"roundtrip-{key}", part, n, command))
    return made
