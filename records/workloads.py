"""What is run to be measured: the workloads of a snapshot, as command lines of the driver.

A round trip encrypts and decrypts one message.  MESSAGES names the workload,
the same on every platform:

`small`    mont_mul, mod_exp and roundtrip-small: the first 8 strings and the first 2 integers.
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

MULTIPLICATION = "mont_mul"
EXPONENTIATION = "mod_exp"
TRIP_SMALL = "roundtrip-small"
TRIP_FULL = "roundtrip-full"
TRIP_65537 = "roundtrip-65537"
WORKLOADS = (MULTIPLICATION, EXPONENTIATION, TRIP_SMALL, TRIP_FULL, TRIP_65537)
# A round trip of the first message alone, whose calls gprof counts.
TRIP_FIRST = "roundtrip-first"
# Calls with exponents and operands that are drawn, whose traces are compared.
TRACED = "drawn-secrets"
KEYS = {TRIP_FULL: "key-full", TRIP_65537: "key-65537"}

MESSAGES = ("small", "default", "all")
# Messages of each file of a workload; at 64 bits as in Dirk 2019, section 3.
FIRST = {
    "small": {"strings": 8, "integers": 2},
    "default": {"strings": 80, "integers": 20},
}
PUBLISHED = {
    "width-64": {"small": {"integers": 10}, "default": {"integers": 1000}},
}
CHUNK = 100  # messages
# Cases of which mispredictions are simulated, too, which takes longer.
PREDICTED = (MULTIPLICATION, TRIP_SMALL)
CALLS = {MULTIPLICATION: 1000, EXPONENTIATION: 20}


@dataclass(frozen=True)
class Run:
    """One run of a program: `workload` is as in counts.csv, `part` names its chunk, and
    the run makes `n` operations."""

    workload: str
    part: str
    n: int
    arguments: tuple[str, ...]


def inputs_of(arguments: Iterable[str]) -> list[Path]:
    """Return the input files among the words of a command."""
    return [Path(word) for word in arguments if word.endswith(".txt")]


def main_workload(messages: str) -> str:
    """Return the workload of the table, and of the counts by line: the round trip with the full key."""
    return TRIP_SMALL if messages == "small" else TRIP_FULL


def messages_in(path: Path) -> int:
    """Return the number of messages in a message file."""
    n = 0
    with path.open() as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                n += 1
    return n


def first(folder: Path, messages: str) -> list[tuple[Path, int]]:
    """Return (message file, messages) of the `small` or `default` workload of a
    key's folder, which is data/inputs/width-N/key-K."""
    wanted = PUBLISHED.get(folder.parent.name, FIRST)[messages]
    return [(folder / f"{kind}.txt", n) for kind, n in wanted.items()]


def trips(workload: str, folder: Path, messages: str) -> Run:
    """Return one run that makes the first round trips with a key."""
    command = ["roundtrip", str(folder / "key.txt")]
    operations = 0
    for path, n in first(folder, messages):
        command += ["-n", str(n), str(path)]
        operations += n
    return Run(workload, messages, operations, tuple(command))


def chunks(workload: str, folder: Path) -> Iterator[Run]:
    """Yield the runs that make every round trip with a key."""
    key = folder / "key.txt"
    for path in sorted(folder.glob("*.txt")):
        if path == key:
            continue
        total = messages_in(path)
        for start in range(0, total, CHUNK):
            n = min(CHUNK, total - start)
            chunk = ("-s", str(start), "-n", str(n), str(path))
            command = ("roundtrip", str(key), *chunk)
            yield Run(workload, f"{path.stem}-{start}", n, command)


def runs(inputs: Path, messages: str) -> list[Run]:
    """Return every run that a snapshot needs.  `inputs` is data/inputs/width-N;
    `messages` is a word of MESSAGES.  Raises Failure for another word."""
    if messages not in MESSAGES:
        raise Failure(
            f"MESSAGES={messages}: say {', '.join(MESSAGES[:-1])} or {MESSAGES[-1]}"
        )
    found = []
    for workload, n in CALLS.items():
        vectors = inputs / "vectors" / f"{workload}.txt"
        command = ("count", "-k", "random", "-n", str(n), str(vectors))
        found.append(Run(workload, "random", n, command))
    found.append(trips(TRIP_SMALL, inputs / KEYS[TRIP_FULL], "small"))
    for workload, key in KEYS.items():
        folder = inputs / key
        if messages == "default":
            its_messages = "small" if workload == TRIP_65537 else "default"
            found.append(trips(workload, folder, its_messages))
        elif messages == "all":
            found += chunks(workload, folder)
    return found


# --- operations -----------------------------------------------------------------------------------

# In bits, the rows of Markovic, Unkasevic and Djordjevic.
SIZES = (64, 128, 256, 512, 1024, 2048)
PRODUCT = "product"
SQUARE = "square"
POWER = "power"
PRIVATE = "private"
RANDOM = "random"
PATTERNS = ("0x55..55", "0xff..ff", "0x80..01")  # operands of the same source
# In bits, those that the OpenSSL source timed.
RSA_SIZES = (512, 1024, 2048, 3072, 4096, 7680, 15360)
