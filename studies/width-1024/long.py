"""Long numbers: the programs of studies/width-1024 checked, counted and used for RSA.

    PYTHONPATH=. python3 studies/width-1024/long.py check PROGRAM STAMP
    PYTHONPATH=. python3 studies/width-1024/long.py measure [--out RESULTS]
    PYTHONPATH=. python3 studies/width-1024/long.py sign KEY FILE              the signature, in hex
    PYTHONPATH=. python3 studies/width-1024/long.py verify KEY FILE SIGNATURE  SIGNATURE is a file
    PYTHONPATH=. python3 studies/width-1024/long.py seal KEY FILE        a session key, encrypted
    PYTHONPATH=. python3 studies/width-1024/long.py open KEY FILE        ... and decrypted again

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
from collections.abc import Iterator
from functools import partial
from itertools import count, repeat
from pathlib import Path
from typing import NamedTuple

import vectors

from harness import counts
from harness.cells import COUNTER, Task, made_of, on_all_cores, recall
from harness.check import contract
from harness.collect import LOCAL, choose_counter
from harness.counters import Counter
from harness.kinds import Stream
from harness.operands import Key
from records import files
from records.commands import Body, building
from records.faults import Failure, run
from records.files import digest, replace
from records.machine import machine_facts, read_platform, write_machine
from records.rows import Row, write_rows
from records.workload import PATTERNS, POWER, PRIVATE, PRODUCT, RANDOM, SIZES, SQUARE

STUDY = Path("studies/width-1024")
BUILT = Path("build") / STUDY
PROGRAM = BUILT / "assembly/O3/long"  # the one that signs
FILE = "operations.csv"
CASES = 100
LIMIT = 1800.0  # seconds
METRICS = "instructions loads stores multiplies_32 multiplies_long multiplies_umaal".split()
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
    """What a program prints for lines.  Raises Failure with its own words,
    `line 3: ...`, and subprocess.TimeoutExpired."""
    words = [*read_platform().runner, str(program), command, "/dev/stdin"]
    try:
        return run(words, input="".join(f"{line}\n" for line in lines), timeout=LIMIT)
    except Failure as fault:
        said = str(fault).partition(": ")[2]
        raise Failure(said.replace("/dev/stdin:", "line ")) from None


# ---- check


def check(program: Path, seed: int, cases: int = CASES) -> str:
    """What the stamp says.  Raises Failure, and subprocess.TimeoutExpired."""
    header = (STUDY / "nat.h").read_text()
    contract(program.parent, *re.findall(r"^(?:void|uint32_t) (\w+)\(", header, re.M))
    made, drawn = list(vectors.vectors(cases, seed)), Stream(f"{seed} keys")
    for path in sorted(vectors.KEYS.glob("*.txt")):
        made += vectors.private_lines(vectors.read_key(path), drawn)
    try:
        answers(program, "check", made)
    except Failure as fault:
        what = f"{program}: CHECK FAILED, so it is not measured"
        raise Failure(f"{what}: {fault} (SEED={seed})") from None
    return f"{len(made)} lines, seed {seed}"


def check_and_stamp(program: Path, stamp: Path) -> None:
    """Checks a program.  Raises Failure, OSError and subprocess.TimeoutExpired."""
    stamp.unlink(missing_ok=True)
    asked = os.environ.get("SEED", "")
    passed = check(program, int(asked) if asked.isdigit() else secrets.randbits(32))
    replace(stamp, passed + "\n")
    print(f"  CHECK   {program.parent}: {passed}", flush=True)


# ---- measure


class Operation(NamedTuple):
    """An operation of operations.csv, and the driver's line that makes it once."""

    operation: str
    bits: int
    operands: str
    way: str
    line: str


def products(bits: int) -> Iterator[Operation]:
    """Montgomery products and squares of one size: the operands of the
    source's Tables 1, 2 and 3 modulo 2^bits - 1, and random operands."""
    rng, ones = random.Random(bits), (1 << bits) - 1
    n = rng.getrandbits(bits) | 1 << (bits - 1) | 1
    fixed = zip(PATTERNS, (ones // 3, ones, 1 << (bits - 1) | 1))
    operands = {name: (ones, x, x) for name, x in fixed}
    operands[RANDOM] = n, rng.randrange(n), rng.randrange(n)
    for level in vectors.levels(bits // vectors.LIMB):
        at = vectors.Setting(bits // vectors.LIMB, level)
        for name, (modulus, x, y) in operands.items():
            product, square = at.line("mont_mul", modulus, x, y), at.line("mont_sqr", modulus, x)
            yield Operation(PRODUCT, bits, name, f"levels-{level}", product)
            yield Operation(SQUARE, bits, name, f"levels-{level}", square)


def powers(bits: int) -> Iterator[Operation]:
    """Powers with an exponent of full width, by every method and window."""
    rng = random.Random(bits)
    n = rng.getrandbits(bits) | 1 << (bits - 1) | 1
    x, e = rng.randrange(n), rng.getrandbits(bits) | 1 << (bits - 1)
    for method in vectors.METHODS:
        for window in range(1, vectors.LARGEST_WINDOW + 1) if method != "binary" else (1,):
            at = vectors.Setting(bits // vectors.LIMB, method=method, window=window)
            power = at.line("mod_exp", n, x, e)
            yield Operation(POWER, bits, RANDOM, f"{method}-{window}", power)


def privates(bits: int) -> Iterator[Operation]:
    """The private operation with the test key of a size, plain and by the
    Chinese remainder theorem, in all WAYS."""
    key = vectors.read_key(vectors.KEYS / f"{bits}.txt")
    x = random.Random(bits).randrange(key.n)
    for name, way in WAYS.items():
        at = vectors.of_key(key, *way)
        standard = at.line("mod_exp", key.n, x, key.d)
        by_crt = at.line("private", *vectors.private(key, x))
        yield Operation(PRIVATE, bits, RANDOM, f"standard-{name}", standard)
        yield Operation(PRIVATE, bits, RANDOM, f"crt-{name}", by_crt)


def operations() -> list[Operation]:
    """Everything that is counted."""
    made = [one for bits in SIZES for one in products(bits)]
    for bits in SIZES[3:]:
        made += [*powers(bits), *privates(bits)]
    return made


def counted(program: Path, line: str, counter: Counter) -> dict[str, int]:
    """The metrics of one line.  Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "line.txt"), Path(folder, "counts")
        path.write_text(line + "\n")
        words = ("count", str(path))
        found = counter.count(program, words, 2048, out=out, timeout=LIMIT, predict=True)
        total = counts.by_symbol(found, program)["total"]
    return {metric: total[metric] for metric in METRICS}


def rows(program: Path, counter: Counter) -> Iterator[Row]:
    """The rows of operations.csv of a program; each operation is kept
    beside it.  Raises Failure, also where the program is not made of its
    sources, or has not passed its check."""
    sources = [*STUDY.glob("*.[ch]"), *(STUDY / program.parts[-3]).glob("*.*")]
    if not made_of(program, sources) or not made_of(program.with_name("check.ok"), [program]):
        raise Failure(f"{program} is not checked; make width-1024 checks it")
    of = " ".join([digest(program, *(path for path in COUNTER if path.exists())), *METRICS])
    todo, tasks = operations(), []
    for one in todo:
        name = hashlib.sha256(one.line.encode()).hexdigest()[:16]
        path = program.with_name("counts") / f"{name}.json"
        tasks.append(Task(path, of, partial(counted, program, one.line, counter)))
    if missing := sum(recall(task.path, task.key) is None for task in tasks):
        print(f"  COUNT   {program.parent}: {missing} operations", flush=True)
    for one, values in zip(todo, on_all_cores(tasks)):
        place = one._asdict() | {"implementation": program.parts[-3], "level": program.parts[-2]}
        for metric in METRICS:
            yield place | {"metric": metric, "value": values[metric], "unit": counts.unit(metric)}


def measure(out: Path = LOCAL) -> None:
    """Counts every operation.  Raises Failure and OSError."""
    with files.alone():
        platform = read_platform()
        counter = choose_counter(platform)
        if counter is None:  # which it has said
            return
        programs = sorted(BUILT.glob("*/*/long"))
        if not programs:
            raise Failure(f"no program in {BUILT}; make width-1024 builds them")
        made = [row for program in programs for row in rows(program, counter)]
        write_rows(out / FILE, made)
        if not (out / "machine.json").exists():
            flags = Path("build/flags").read_text()
            write_machine(out, machine_facts(platform.name, platform.runner, flags, {}))
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
    """Bytes of n."""
    return key.n.bit_length() // 8


def answer(line: str) -> int:
    """What the program computes of a line.  Raises Failure with the program's own words."""
    if not PROGRAM.exists():
        raise Failure(f"{PROGRAM} is missing; make width-1024 builds it")
    try:
        return int(answers(PROGRAM, "answer", [line]), 16)
    except Failure as fault:
        raise Failure(str(fault).removeprefix("line 1: ")) from None


def secret(key: Key, x: int) -> bytes:
    """x^d mod n by the Chinese remainder theorem, in constant time.  Raises
    Failure, also for a wrong result."""
    line = vectors.of_key(key, method="fixed").asked("private", *vectors.private(key, x))
    return answer(line).to_bytes(size(key), "big")


def public(key: Key, x: int) -> int:
    """x^e mod n.  Raises Failure."""
    at = vectors.Setting(vectors.of_key(key).limbs, method="binary", window=1)
    return answer(at.asked("mod_exp", key.n, x, key.e))


def padded(key: Key, kind: int, filler: Iterator[int], text: bytes, what: str) -> int:
    """The number 00 kind filler 00 text, as long as n.  Raises Failure."""
    room = size(key) - 3 - len(text)
    if room < 8:
        raise Failure(f"n has {key.n.bit_length()} bits: too few for {what}")
    block = bytes([0, kind, *(next(filler) for _ in range(room)), 0]) + text
    return int.from_bytes(block, "big")


def encoded(key: Key, message: bytes, hashed: str) -> int:
    """The number that is signed: 00 01 ff .. ff 00 DigestInfo.  Raises Failure."""
    if hashed not in PREFIXES:
        raise Failure(f"--digest {hashed}: say one of {', '.join(PREFIXES)}")
    info = bytes.fromhex(PREFIXES[hashed]) + hashlib.new(hashed, message).digest()
    return padded(key, 1, repeat(0xFF), info, hashed)


def sign(key: Key, message: bytes, hashed: str = "sha256") -> bytes:
    """A signature.  Raises Failure."""
    return secret(key, encoded(key, message, hashed))


def verify(key: Key, message: bytes, signature: bytes, hashed: str = "sha256") -> None:
    """Raises Failure unless the signature is that of the message."""
    number = int.from_bytes(signature, "big")
    if len(signature) != size(key):
        raise Failure(f"no signature: {len(signature)} bytes, where n has {size(key)}")
    if number >= key.n or public(key, number) != encoded(key, message, hashed):
        raise Failure("the signature does not verify")


def seal(key: Key, session: bytes) -> bytes:
    """A session key, encrypted: 00 02 random 00 session.  Raises Failure."""
    drawn = (1 + secrets.randbelow(255) for _ in count())
    number = padded(key, 2, drawn, session, f"{len(session)} bytes")
    return public(key, number).to_bytes(size(key), "big")


def unseal(key: Key, sealed: bytes) -> bytes:
    """The session key again.  Raises Failure."""
    number = int.from_bytes(sealed, "big")
    if len(sealed) == size(key) and number < key.n:
        block = secret(key, number)
        padding, zero, session = block[2:].partition(b"\x00")
        if block[:2] == b"\x00\x02" and len(padding) >= 8 and zero:
            return session
    raise Failure("no envelope of this key")


def sign_file(key: Path, file: Path, digest: str = "sha256") -> None:
    """Prints the signature of a file, in hexadecimal.  Raises Failure and OSError."""
    print(sign(vectors.read_key(key), file.read_bytes(), digest).hex())


def verify_file(key: Path, file: Path, signature: Path, digest: str = "sha256") -> None:
    """Compares a file with a signature, which is a file, too.  Raises Failure and OSError."""
    signed = bytes.fromhex(signature.read_text())
    verify(vectors.read_key(key, public=True), file.read_bytes(), signed, digest)
    print("the signature is right")


def seal_file(key: Path, file: Path) -> None:
    """Prints the session key that a file holds, encrypted, in hexadecimal.  Raises Failure and
    OSError."""
    print(seal(vectors.read_key(key, public=True), file.read_bytes()).hex())


def open_file(key: Path, file: Path) -> None:
    """Writes the session key again.  Raises Failure and OSError."""
    session = unseal(vectors.read_key(key), bytes.fromhex(file.read_text()))
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
