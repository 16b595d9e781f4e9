"""Long numbers: the programs of studies/width-1024 checked, counted and used for RSA.

    python3 -m studies.width-1024.long check PROGRAM STAMP
    python3 -m studies.width-1024.long measure [--out RESULTS]
    python3 -m studies.width-1024.long sign KEY FILE              the signature, in hex
    python3 -m studies.width-1024.long verify KEY FILE SIGNATURE  SIGNATURE is a file
    python3 -m studies.width-1024.long seal KEY FILE        a session key, encrypted
    python3 -m studies.width-1024.long open KEY FILE        ... and decrypted again

`check` has a program keep the contract and pass every vector: the named kinds, and random
operations that are drawn anew for each run (SEED draws the same again).  The stamp, which names the
seed, appears only then.  `measure` writes operations.csv: each operation is a run of its own under
the counter, kept in build/ with a hash of everything that it depends on.

Signatures and envelopes are those of PKCS#1 version 1.5; --digest NAME says which hash is signed,
sha256 unless another one is named.  Numbers are computed on ARM, hashes and padding by Python.  For
learning only: the keys in data/inputs/rsa-keys are public, and padding is not checked in constant
time.
"""

import hashlib
import os
import random
import re
import secrets
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness import counts
from harness.cells import COUNTER, Task, made_of, on_all_cores, recall
from harness.check import STAMP, contract, passed, refused, stamp
from harness.collect import LOCAL, choose_counter, prepare
from harness.counters import Counter
from harness.kinds import Stream
from harness.operands import Key
from records import c_functions, files
from records.commands import Body, building
from records.faults import Failure, Late, limit, run
from records.files import digest
from records.machine import read_compiler, read_platform
from records.rows import Row, number, write_rows
from records.workloads import PATTERNS, POWER, PRIVATE, PRODUCT, RANDOM, SIZES, SQUARE

from . import vectors
from .keys import KEYS, LIMB_BITS, content, from_hexadecimal, read_key

STUDY = Path("studies/width-1024")
BUILT = Path("build") / STUDY
PROGRAM = BUILT / "assembly/O3/long"  # the one that signs
FILE = "operations.csv"
DRAWN_CASES = 100
RUN_SECONDS = 1800  # of processor time
METRICS = (
    "instructions loads stores multiplies_32 multiplies_long multiplies_umaal".split()
)
METRICS.append(counts.SIMULATED)
# The three ways of Markovic, Unkasevic and Djordjevic's Table 4, and one in constant time: levels
# of Karatsuba's method, whether squares are computed as such, and the kind of windows.
WAYS = {
    "product": (0, False, "sliding"),
    "square": (0, True, "sliding"),
    "karatsuba": (1, True, "sliding"),
    "constant-time": (0, True, "fixed"),
}


def answers(program: Path, command: str, lines: list[str]) -> str:
    """Return what a program prints for lines.  Raises Failure with its own words,
    `line 3: ...`."""
    words = [*read_platform().runner, str(program), command, "/dev/stdin"]
    text = "".join(f"{line}\n" for line in lines)
    try:
        return run(words, limit(RUN_SECONDS), input=text)
    except Late:
        raise
    except Failure as fault:
        message = str(fault).partition(": ")[2]
        raise Failure(message.replace("/dev/stdin:", "line ")) from None


# ---- check


def check(program: Path, seed: int, cases: int = DRAWN_CASES) -> str:
    """Check a program and return what the stamp says.  Raises Failure."""
    header = (STUDY / "nat.h").read_text()
    exported = [one.name for one in c_functions.functions(header) if not one.defined]
    contract(program.parent, *exported)
    lines = list(vectors.vectors(cases, seed))
    draw = Stream(f"{seed} keys")
    for path in sorted(KEYS.glob("*.txt")):
        lines += vectors.private_lines(read_key(path), draw)
    try:
        answers(program, "check", lines)
    except Failure as fault:
        raise Failure(f"{refused(program, fault)} (SEED={seed})") from None
    return f"{len(lines)} lines, seed {seed}"


def chosen_seed() -> int:
    """Return the seed of the environment, SEED, else one that is drawn.  Raises Failure."""
    text = os.environ.get("SEED", "")
    if not text:
        return secrets.randbits(32)
    if not re.fullmatch("[0-9]+", text):
        raise Failure(f"SEED={text}: say a whole number, such as SEED=7")
    return int(text)


def check_and_stamp(program: Path) -> None:
    """Check a program.  Raises Failure and OSError."""
    seed = chosen_seed()
    program.with_name(STAMP).unlink(missing_ok=True)
    of_program = digest(program)
    checked = check(program, seed)
    stamp(program, of_program, checked)
    print(f"  CHECK   {program.parent}: {checked}", flush=True)


# ---- measure


class Operation(NamedTuple):
    """An operation of operations.csv, and the driver's line that makes it once."""

    operation: str
    bits: int
    operands: str
    way: str
    line: str


def products(bits: int) -> Iterator[Operation]:
    """Yield Montgomery products and squares of one size: the operands of the source's Tables 1, 2
    and 3 modulo 2^bits - 1, and random operands."""
    draw = random.Random(bits)
    limbs = bits // LIMB_BITS
    all_ones = (1 << bits) - 1
    fixed = (all_ones // 3, all_ones, 1 << (bits - 1) | 1)
    operands = {name: (all_ones, x, x) for name, x in zip(PATTERNS, fixed)}
    n = draw.getrandbits(bits) | 1 << (bits - 1) | 1
    operands[RANDOM] = n, draw.randrange(n), draw.randrange(n)
    for level in vectors.levels(limbs):
        setting = vectors.Setting(limbs, level)
        way = f"levels-{level}"
        for name, (modulus, x, y) in operands.items():
            product = setting.line("mont_mul", modulus, x, y)
            square = setting.line("mont_sqr", modulus, x)
            yield Operation(PRODUCT, bits, name, way, product)
            yield Operation(SQUARE, bits, name, way, square)


def powers(bits: int) -> Iterator[Operation]:
    """Yield powers with an exponent of full width, by every method and window."""
    draw = random.Random(bits)
    n = draw.getrandbits(bits) | 1 << (bits - 1) | 1
    x = draw.randrange(n)
    e = draw.getrandbits(bits) | 1 << (bits - 1)
    for method in vectors.METHODS:
        largest = 1 if method == "binary" else vectors.LARGEST_WINDOW
        for window in range(1, largest + 1):
            setting = vectors.Setting(bits // LIMB_BITS, method=method, window=window)
            power = setting.line("mod_exp", n, x, e)
            yield Operation(
                POWER,
                bits,
                RANDOM,
                f"{method}-{window}",
                power,
            )


def privates(bits: int) -> Iterator[Operation]:
    """Yield the private operation with the test key of a size, plain and by the Chinese remainder
    theorem, in all WAYS."""
    key = read_key(KEYS / f"{bits}.txt")
    x = random.Random(bits).randrange(key.n)
    for name, way in WAYS.items():
        setting = vectors.of_key(key, *way)
        standard = setting.line("mod_exp", key.n, x, key.d)
        by_crt = setting.line("private", *vectors.private(key, x))
        yield Operation(
            PRIVATE,
            bits,
            RANDOM,
            f"standard-{name}",
            standard,
        )
        yield Operation(
            PRIVATE,
            bits,
            RANDOM,
            f"crt-{name}",
            by_crt,
        )


def operations() -> list[Operation]:
    """Return everything that is counted."""
    every: list[Operation] = []
    for bits in SIZES:
        every += products(bits)
    for bits in SIZES[3:]:
        every += powers(bits)
        every += privates(bits)
    return every


def counted(program: Path, line: str, counter: Counter) -> dict[str, int]:
    """Return the metrics of one line.  Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "line.txt")
        path.write_text(line + "\n")
        words = ("count", str(path))
        out = Path(folder, "counts")
        found = counter.count(
            program,
            words,
            2048,
            out=out,
            seconds=limit(RUN_SECONDS),
            predict=True,
        )
        sums = counts.sums(found)
    return {metric: sums[counts.TOTAL, metric] for metric in METRICS}


def rows(program: Path, counter: Counter) -> Iterator[Row]:
    """Yield the rows of operations.csv of a program; each operation is kept beside it.  Raises
    Failure, also where the program is not made of its sources, or has not passed its check."""
    implementation, level = program.parts[-3:-1]
    compiler = read_compiler()
    sources = [*STUDY.glob("*.[ch]"), *(STUDY / implementation).glob("*.*")]
    if not made_of(program, sources) or not passed(program):
        raise Failure(f"{program} is not checked; make width-1024 checks it")
    parts = [*filter(Path.exists, COUNTER), Path(counts.__file__)]
    counting = digest(program, *parts)
    depends_on = " ".join([counting, *METRICS])
    todo = operations()
    tasks = []
    for one in todo:
        name = hashlib.sha256(one.line.encode()).hexdigest()[:16]
        path = program.with_name("counts") / f"{name}.json"
        tasks.append(
            Task(path, depends_on, partial(counted, program, one.line, counter))
        )
    missing = sum(recall(task.path, task.key) is None for task in tasks)
    if missing:
        print(f"  COUNT   {program.parent}: {missing} operations", flush=True)
    for one, values in zip(todo, on_all_cores(tasks)):
        for metric in METRICS:
            yield number(
                metric,
                values[metric],
                study=STUDY.name,
                snapshot=implementation,
                level=level,
                compiler=compiler,
                workload=f"{one.operation}-{one.bits}-{one.operands}-{one.way}",
                unit=counts.unit(metric),
            )


def measure(out: Path = LOCAL) -> None:
    """Count every operation.  Raises Failure and OSError."""
    platform = read_platform()
    counter = choose_counter(platform)
    if counter is None:  # which it has said
        return
    programs = sorted(BUILT.glob("*/*/long"))
    if not programs:
        raise Failure(f"no program in {BUILT}; make width-1024 builds them")
    made = [row for program in programs for row in rows(program, counter)]
    with files.alone():
        prepare(out)
        write_rows(out / FILE, made)
    print(f"  WROTE   {out / FILE}: {len(made):,} rows", flush=True)


# ---- RSA

# DigestInfo up to the digest itself (RFC 8017, section 9.2, note 1).
PREFIXES = {
    "md5": "3020300c06082a864886f70d020505000410",
    "sha1": "3021300906052b0e03021a05000414",
    "sha224": "302d300d06096086480165030402040500041c",
    "sha256": "3031300d060960864801650304020105000420",
    "sha384": "3041300d060960864801650304020205000430",
    "sha512": "3051300d060960864801650304020305000440",
}


def size(key: Key) -> int:
    """Return the number of bytes of n."""
    return key.n.bit_length() // 8


def answer(line: str) -> int:
    """Return what the program computes of a line.  Raises Failure with the program's own words."""
    if not PROGRAM.exists():
        raise Failure(f"{PROGRAM} is missing; make width-1024 builds it")
    try:
        return int(answers(PROGRAM, "answer", [line]), 16)
    except Failure as fault:
        raise Failure(str(fault).removeprefix("line 1: ")) from None


def private_operation(key: Key, x: int) -> bytes:
    """Return x^d mod n by the Chinese remainder theorem, in constant time.  Raises Failure, also
    for a wrong result."""
    setting = vectors.of_key(key, method="fixed")
    z = answer(setting.asked("private", *vectors.private(key, x)))
    return z.to_bytes(size(key), "big")


def public_operation(key: Key, x: int) -> int:
    """Return x^e mod n.  Raises Failure."""
    setting = vectors.of_key(key, method="binary", window=1)
    return answer(setting.asked("mod_exp", key.n, x, key.e))


def room_for(key: Key, text: bytes, what: str) -> int:
    """Return how many bytes of filler stand before a text.  Raises Failure."""
    room = size(key) - len(text) - 3  # 00, the kind, and 00 behind the filler
    if room < 8:
        raise Failure(
            f"n has {key.n.bit_length()} bits: too few for {what}; take a longer key"
        )
    return room


def padded(kind: int, filler: Iterable[int], text: bytes) -> int:
    """Return the number 00 kind filler 00 text."""
    block = bytes([0, kind, *filler, 0]) + text
    return int.from_bytes(block, "big")


def encoded(key: Key, message: bytes, hashed: str) -> int:
    """Return the number that is signed: 00 01 ff .. ff 00 DigestInfo.  Raises Failure."""
    if hashed not in PREFIXES:
        raise Failure(f"--digest {hashed}: say one of {', '.join(PREFIXES)}")
    prefix = bytes.fromhex(PREFIXES[hashed])
    info = prefix + hashlib.new(hashed, message).digest()
    return padded(1, [0xFF] * room_for(key, info, hashed), info)


def sign(key: Key, message: bytes, hashed: str = "sha256") -> bytes:
    """Return a signature.  Raises Failure."""
    return private_operation(key, encoded(key, message, hashed))


def verify(key: Key, message: bytes, signature: bytes, hashed: str = "sha256") -> None:
    """Raise Failure unless the signature is that of the message."""
    if len(signature) != size(key):
        raise Failure(f"no signature: {len(signature)} bytes, where n has {size(key)}")
    number = int.from_bytes(signature, "big")
    wanted = encoded(key, message, hashed)
    if number >= key.n or public_operation(key, number) != wanted:
        raise Failure("the signature does not verify")


def seal(key: Key, session: bytes) -> bytes:
    """Return a session key, encrypted: 00 02 random 00 session.  Raises Failure."""
    room = room_for(key, session, f"{len(session)} bytes")
    filler = [1 + secrets.randbelow(255) for _ in range(room)]
    number = padded(2, filler, session)
    return public_operation(key, number).to_bytes(size(key), "big")


def unseal(key: Key, sealed: bytes) -> bytes:
    """Return the session key again.  Raises Failure."""
    number = int.from_bytes(sealed, "big")
    if len(sealed) == size(key) and number < key.n:
        block = private_operation(key, number)
        padding, zero, session = block[2:].partition(b"\x00")
        if block[:2] == b"\x00\x02" and len(padding) >= 8 and zero:
            return session
    raise Failure("no envelope of this key")


def sign_file(key: Path, file: Path, digest: str = "sha256") -> None:
    """Print the signature of a file, in hexadecimal.  Raises Failure."""
    print(sign(read_key(key), content(file), digest).hex())


def verify_file(key: Path, file: Path, signature: Path, digest: str = "sha256") -> None:
    """Compare a file with a signature, which is a file, too.  Raises Failure."""
    verify(
        read_key(key, public=True), content(file), from_hexadecimal(signature), digest
    )
    print("the signature is right")


def seal_file(key: Path, file: Path) -> None:
    """Print the session key that a file holds, encrypted, in hexadecimal.  Raises
    Failure."""
    print(seal(read_key(key, public=True), content(file)).hex())


def open_file(key: Path, file: Path) -> None:
    """Write the session key again.  Raises Failure."""
    session = unseal(read_key(key), from_hexadecimal(file))
    sys.stdout.buffer.write(session)


COMMANDS: dict[str, Body] = {
    "check": check_and_stamp,
    "measure": measure,
    "sign": sign_file,
    "verify": verify_file,
    "seal": seal_file,
    "open": open_file,
}

if __name__ == "__main__":
    sys.exit(building("long", COMMANDS))
