"""What is run to be measured: the cases of a snapshot, as command lines of the driver.

A round trip encrypts and decrypts one message.  The first 80 strings and the first 20 integers are the
default workload, the same on every platform; `all` is every message, in chunks that are measured and
kept one by one, so that an interrupted run goes on where it stopped.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import List, Tuple

KEYS = ("full", "65537")
DEFAULT = (("strings", 80), ("integers", 20))
CHUNK = 100  # messages
PRODUCTS = 1000  # calls of mont_mul
POWERS = 20  # calls of mod_exp


@dataclass(frozen=True)
class Task:
    """One run of a program: `case` as in counts.csv, `part` its chunk, `n` operations."""

    case: str
    part: int
    n: int
    arguments: Tuple[str, ...]

    @property
    def inputs(self) -> List[Path]:
        """The input files that the run reads."""
        return [Path(a) for a in self.arguments if a.endswith(".txt")]


def lines(path: Path) -> int:
    """Number of messages in a message file."""
    with path.open() as file:
        return sum(1 for line in file if line.strip() and not line.startswith("#"))


def chunks(folder: Path, messages: str) -> List[Tuple[int, List[str]]]:
    """(messages, driver arguments) for each run of the round trips of one key."""
    if messages == "default":
        files = [(folder / (name + ".txt"), n) for name, n in DEFAULT]
        present = [(path, n) for path, n in files if path.exists()]
        return [(sum(n for _, n in present), [a for path, n in present for a in ("-n", str(n), str(path))])]
    parts = []
    for path in sorted(folder.glob("*.txt")):
        total = 0 if path.name == "key.txt" else lines(path)
        for first in range(0, total, CHUNK):
            n = min(CHUNK, total - first)
            parts.append((n, ["-s", str(first), "-n", str(n), str(path)]))
    return parts


def tasks(inputs: Path, messages: str = "default") -> List[Task]:
    """Every run that a snapshot needs.  `inputs` is data/inputs/width-N; `messages` is `default` or
    `all`.  Raises ValueError for another word."""
    if messages not in ("default", "all"):
        raise ValueError("MESSAGES={}: say default or all".format(messages))
    vectors = inputs / "vectors"
    made = [
        Task("mont_mul", 0, PRODUCTS,
             ("count", "-k", "random", "-n", str(PRODUCTS), str(vectors / "mont_mul.txt"))),
        Task("mod_exp", 0, POWERS,
             ("count", "-k", "random", "-n", str(POWERS), str(vectors / "mod_exp.txt"))),
    ]
    for key in KEYS:
        folder = inputs / ("key-" + key)
        for part, (n, arguments) in enumerate(chunks(folder, messages)):
            made.append(Task("roundtrip-" + key, part, n,
                             ("roundtrip", str(folder / "key.txt"), *arguments)))
    return made
