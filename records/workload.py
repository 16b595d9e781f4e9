"""What is run to be measured: the cases of a snapshot, as command lines of the driver.

A round trip encrypts and decrypts one message.  MESSAGES names the workload,
the same on every platform:

`small`    mont_mul, mod_exp and case roundtrip-small: the first 8 strings and the first 2 integers.
`default`  the same, and round trips with two keys: with the full one the first 80 strings and the
           first 20 integers, with exponent 65537 the messages of `small`.
`all`      the same with every message, in chunks that are measured and kept one by one, so that an
           interrupted run goes on where it stopped.

At a width whose source states a workload of its own, PUBLISHED has the messages.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from records.faults import Failure

MULTIPLICATION, EXPONENTIATION = "mont_mul", "mod_exp"
TRIP_SMALL, TRIP_FULL, TRIP_65537 = "roundtrip-small", "roundtrip-full", "roundtrip-65537"
CASES = (MULTIPLICATION, EXPONENTIATION, TRIP_SMALL, TRIP_FULL, TRIP_65537)
KEYS = {TRIP_FULL: "key-full", TRIP_65537: "key-65537"}

MESSAGES = ("small", "default", "all")
FIRST = {"small": {"strings": 8, "integers": 2}, "default": {"strings": 80, "integers": 20}}
PUBLISHED = {"width-64": {"small": {"integers": 10}, "default": {"integers": 1000}}}  # Dirk 2019 §3
CHUNK = 100  # messages
PREDICTED = (MULTIPLICATION, TRIP_SMALL)  # with simulated mispredictions, which take longer
CALLS = {MULTIPLICATION: 1000, EXPONENTIATION: 20}


@dataclass(frozen=True)
class Task:
    """One run of a program: `case` as in counts.csv, `part` names its chunk, `n` operations."""

    case: str
    part: str
    n: int
    arguments: tuple[str, ...]


def inputs_of(arguments: Iterable[str]) -> list[Path]:
    """The input files among the words of a command."""
    return [Path(word) for word in arguments if word.endswith(".txt")]


def main_case(messages: str) -> str:
    """The case of the table, and of the counts by line: the round trip with the full key."""
    return TRIP_SMALL if messages == "small" else TRIP_FULL


def messages_in(path: Path) -> int:
    """Number of messages in a message file."""
    with path.open() as file:
        return sum(1 for line in file if line.strip() and not line.startswith("#"))


def first(folder: Path, messages: str) -> list[tuple[Path, int]]:
    """(message file, messages) of the `small` or `default` workload of a
    key's folder, which is data/inputs/width-N/key-K."""
    wanted = PUBLISHED.get(folder.parent.name, FIRST)[messages]
    return [(folder / f"{kind}.txt", n) for kind, n in wanted.items()]


def trips(case: str, folder: Path, messages: str) -> Task:
    """One run that makes the first round trips with a key."""
    files = first(folder, messages)
    arguments = [word for path, n in files for word in ("-n", str(n), str(path))]
    command = ("roundtrip", str(folder / "key.txt"), *arguments)
    return Task(case, messages, sum(n for _, n in files), command)


def chunks(case: str, folder: Path) -> Iterator[Task]:
    """The runs that make every round trip with a key."""
    for path in sorted(folder.glob("*.txt")):
        total = 0 if path.name == "key.txt" else messages_in(path)
        for start in range(0, total, CHUNK):
            n = min(CHUNK, total - start)
            part = ("-s", str(start), "-n", str(n), str(path))
            command = ("roundtrip", str(folder / "key.txt"), *part)
            yield Task(case, f"{path.stem}-{start}", n, command)


def tasks(inputs: Path, messages: str) -> list[Task]:
    """Every run that a snapshot needs.  `inputs` is data/inputs/width-N;
    `messages` is a word of MESSAGES.  Raises Failure for another word."""
    if messages not in MESSAGES:
        raise Failure(f"MESSAGES={messages}: say {', '.join(MESSAGES[:-1])} or {MESSAGES[-1]}")
    made = []
    for case, n in CALLS.items():
        vectors = str(inputs / "vectors" / f"{case}.txt")
        made.append(Task(case, "random", n, ("count", "-k", "random", "-n", str(n), vectors)))
    made.append(trips(TRIP_SMALL, inputs / KEYS[TRIP_FULL], "small"))
    for case, key in KEYS.items():
        if messages == "default":
            made.append(trips(case, inputs / key, "small" if case == TRIP_65537 else messages))
        elif messages == "all":
            made += chunks(case, inputs / key)
    return made


# --- operations -----------------------------------------------------------------------------------

SIZES = (64, 128, 256, 512, 1024, 2048)  # bits: the rows of Markovic, Unkasevic and Djordjevic
PRODUCT, SQUARE, POWER, PRIVATE = "product", "square", "power", "private"
RANDOM = "random"
PATTERNS = ("0x55..55", "0xff..ff", "0x80..01")  # operands of the same source
RSA_SIZES = (512, 1024, 2048, 3072, 4096, 7680, 15360)
