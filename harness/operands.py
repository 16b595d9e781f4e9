"""Calls of a snapshot: read from files, written as a program reads them, their results compared.

data/inputs/README.md has the formats of vectors, keys and messages; harness/driver/driver.c that of
the calls.  `python3 -m harness.operands WIDTH FILE...` writes the calls of files of vectors and
prints where they are.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from records import files
from records.faults import Failure, command_line

FOLDER = Path("build/calls")
FIELD = re.compile(r'"[^"]*"|[^ ]+')
STRANGE = re.compile(rb"[^ -~]")
Line = tuple[str, list[str]]  # where it stands, `file:line`, and its fields


@dataclass(frozen=True)
class Call:
    """z := function(x, y) modulo n, y being the exponent of mod_exp; `z` is the right answer.
    `place` says where the operands stand; `chained`: x is the result of the call before."""

    function: str  # mont_mul or mod_exp
    n: int
    x: int
    y: int
    z: int
    kind: str = "plain"
    place: str = ""
    chained: bool = False

    def constants(self, width: int) -> tuple[int, int]:
        """R^2 mod n and -n^-1 mod 2^32, for numbers of `width` bits."""
        return pow(2, 2 * width, self.n), -pow(self.n, -1, 1 << 32) % (1 << 32)

    def modulus(self, size: int) -> bytes:
        """`struct modulus` in memory, for numbers of `size` bytes."""
        rr, n0inv = self.constants(8 * size)
        numbers = (number.to_bytes(size, "little") for number in (self.n, rr))
        return b"".join(numbers) + n0inv.to_bytes(4, "little")


class Key(NamedTuple):
    """An RSA key: x -> x^e mod n encrypts, x -> x^d mod n decrypts.  n = p q with q < p, and
    e d = 1 modulo (p - 1)(q - 1); what is not known is 0."""

    n: int
    e: int
    d: int = 0
    p: int = 0
    q: int = 0


def product(n: int, x: int, y: int, width: int, kind: str = "plain") -> Call:
    """A call of mont_mul."""
    return Call("mont_mul", n, x, y, x * y * pow(1 << width, -1, n) % n, kind)


def power(n: int, x: int, e: int, kind: str = "plain") -> Call:
    """A call of mod_exp."""
    return Call("mod_exp", n, x, e, pow(x, e, n), kind)


# ---- files of vectors, keys and messages; every fault of theirs is a Failure that names the line


def lines(path: Path) -> Iterator[Line]:
    """The lines that are neither blank nor a comment."""
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise Failure(f"{path}: cannot be read: {fault.strerror}") from None
    if not data:
        raise Failure(f"{path}:1: empty file")
    *whole, rest = data.split(b"\n")
    for number, line in enumerate(whole, 1):
        place = f"{path}:{number}"
        if line.endswith(b"\r"):
            raise Failure(f"{place}: CRLF line ends; convert with: sed -i 's/\\r$//' FILE")
        if line and not line.startswith(b"#"):
            if found := STRANGE.search(line):
                raise Failure(f"{place}: byte {ord(found[0]):#04x} is not printable ASCII")
            yield place, FIELD.findall(line.decode())
    if rest:
        raise Failure(f"{path}:{len(whole) + 1}: truncated: the last line has no line end")


def number(text: str, what: str, place: str, below: int = 0) -> int:
    """A hexadecimal number, less than `below` where that is given."""
    if not re.fullmatch("[0-9a-fA-F]+", text):
        raise Failure(f"{place}: {what}: '{text:.40}' is not a hexadecimal number")
    value = int(text, 16)
    if below and value >= below:
        raise Failure(f"{place}: {what} is not below n")
    return value


def modulus(text: str, place: str) -> int:
    """An odd number from 3 on."""
    n = number(text, "n", place)
    if n < 3 or n % 2 == 0:
        raise Failure(f"{place}: modulus is {'even' if n % 2 == 0 and n > 2 else 'below 3'}")
    return n


def message(text: str, place: str, n: int) -> int:
    """A hexadecimal number, or a quoted string whose characters are the bytes, highest first."""
    if '"' not in text:
        return number(text, "message", place, n)
    if not re.fullmatch(r'"[^"\\]+"', text):
        raise Failure(f"{place}: a string stands between two quotation marks, without a backslash")
    value = int.from_bytes(text[1:-1].encode(), "big")
    if value >= n:
        raise Failure(f"{place}: message is not below n")
    return value


def vectors(path: Path) -> Iterator[Call]:
    """The calls of a file of vectors."""
    for place, fields in lines(path):
        if len(fields) != 6:
            raise Failure(f"{place}: a vector has six fields: operation, kind and four numbers")
        function, kind, *words = fields
        if not re.fullmatch(r'[^"]{1,40}', kind):
            raise Failure(f"{place}: name of the kind: 1 to 40 characters")
        if function not in ("mont_mul", "mod_exp"):
            raise Failure(f"{place}: unknown operation '{function:.20}': mont_mul or mod_exp")
        n = modulus(words[0], place)
        x, z = number(words[1], "x", place, n), number(words[3], "z", place, n)
        y = (
            number(words[2], "y", place, n)
            if function == "mont_mul"
            else number(words[2], "e", place)
        )
        yield Call(function, n, x, y, z, kind, place)


def key(path: Path) -> Key:
    """n, e and d of a file."""
    found: dict[str, int] = {}
    for place, fields in lines(path):
        if len(fields) != 2 or fields[0] not in ("n", "e", "d"):
            raise Failure(f"{place}: a line of a key is n, e or d, and a number")
        name, text = fields
        if name in found:
            raise Failure(f"{place}: second {name}")
        found[name] = modulus(text, place) if name == "n" else number(text, name, place)
    for name in "ned":
        if name not in found:
            raise Failure(f"{path}: the key ends without {name}")
    return Key(**found)


def round_trips(path: Path, key: Key) -> Iterator[tuple[Call, Call]]:
    """Encryption and decryption of each message of a file."""
    n, e, d, *_ = key
    for place, fields in lines(path):
        if len(fields) != 2:
            raise Failure(f"{place}: a message line has two fields: a message and its ciphertext")
        x, z = message(fields[0], place, n), number(fields[1], "ciphertext", place, n)
        there = Call("mod_exp", n, x, e, z, "encrypt", place)
        yield there, Call("mod_exp", n, z, d, x, "decrypt", place, chained=True)


# ---- the calls of a command: `count [-k KIND] [-n COUNT] FILE`, or
# ---- `roundtrip KEY {[-s FIRST] [-n COUNT] FILE}...`


def calls(arguments: Sequence[str]) -> list[Call]:
    """What a command of records/workload.py calls.  Raises Failure."""
    command, *rest = arguments
    if command == "count":
        ((options, path),) = _parts(rest)
        kind = options.get("-k")
        found = [call for call in vectors(path) if kind in (None, call.kind)]
        return _part(found, options, path)
    if command != "roundtrip":
        raise Failure(f"'{command}' is no command: count or roundtrip")
    numbers, made = key(Path(rest[0])), []
    for options, path in _parts(rest[1:]):
        trips = _part(list(round_trips(path, numbers)), options, path)
        made += [call for trip in trips for call in trip]
    return made


def _parts(arguments: Sequence[str]) -> Iterator[tuple[dict[str, str], Path]]:
    """(options, file) for each file of a command line."""
    options: dict[str, str] = {}
    words = iter(arguments)
    for word in words:
        if word.startswith("-"):
            options[word] = next(words)
        else:
            yield options, Path(word)
            options = {}


def _part(found: list[Any], options: dict[str, str], path: Path) -> list[Any]:
    """From -s on, as many as -n says.  Raises Failure when they are not there."""
    first = int(options.get("-s", 0))
    n = int(options.get("-n", len(found) - first))
    if not 0 < n <= len(found) - first:
        raise Failure(f"{path}: {n} records from {first} on are not there")
    return found[first : first + n]


# ---- operands that are drawn


def drawn(width: int, seed: str, counts: tuple[int, int]) -> list[Call]:
    """So many random products and powers, of the kind `aliasing`: numbers of any length, near their
    bound, or made of runs of equal bits."""
    source, r = random.Random(f"{width} {seed}"), 1 << width
    products, powers = counts
    made = []
    for _ in range(products):
        n = max(3, spread(source, width, r) | 1)
        made.append(product(n, spread(source, width, n), spread(source, width, n), width))
    for _ in range(powers):
        n = max(3, spread(source, width, r) | 1)
        made.append(power(n, spread(source, width, n), spread(source, width, r)))
    place = f"drawn with seed {seed}"
    return [replace(call, kind="aliasing", place=f"{place}:{i}") for i, call in enumerate(made, 1)]


def spread(source: random.Random, width: int, below: int) -> int:
    """A number below a bound, of one of four kinds."""
    kind = source.randrange(4)
    if kind == 0:
        return source.randrange(below)
    if kind == 1:
        return source.getrandbits(source.randint(1, width)) % below
    if kind == 2:
        return below - 1 - source.getrandbits(source.randint(0, width // 3)) % below
    value = 0
    for _ in range(source.randint(1, 6)):
        length = source.randint(1, width // 2)
        value = value << length | (source.getrandbits(1) * ((1 << length) - 1))
    return value % below


# ---- the file that a program reads, and the results that it prints


def text(todo: Iterable[Call], width: int) -> str:
    """A line for each call.  Raises Failure where a number has more than `width` bits."""
    digits, made = width // 4, []
    for call in todo:
        rr, n0inv = call.constants(width)
        if max(call.n, call.x, call.y) >> width:
            raise Failure(f"{call.place}: a number of more than {width} bits")
        x = "=" if call.chained else f"{call.x:0{digits}x}"
        n, r, y = (f"{number:0{digits}x}" for number in (call.n, rr, call.y))
        made.append(f"{call.function} {call.kind} {n} {r} {n0inv:08x} {x} {y}\n")
    return "".join(made)


def write(path: Path, todo: Iterable[Call], width: int) -> Path:
    """The file of these calls.  Raises Failure and OSError."""
    files.replace(path, text(todo, width))
    return path


def prepared(arguments: Sequence[object], width: int) -> tuple[list[Call], Path]:
    """The calls of a command of records/workload.py, and their file.  Raises Failure and
    OSError."""
    words = tuple(map(str, arguments))
    inputs = [Path(word) for word in words if word.endswith(".txt")]
    todo, made = _prepared(words, width, files.digest(*filter(Path.is_file, inputs)))
    path = FOLDER / f"{hashlib.sha256(made.encode()).hexdigest()[:16]}.txt"
    files.replace(path, made)
    return todo, path


@cache
def _prepared(words: tuple[str, ...], width: int, _inputs: str) -> tuple[list[Call], str]:
    """The same for many programs."""
    todo = calls(words)
    return todo, text(todo, width)


def command(arguments: Sequence[object], width: int, way: str = "call") -> list[str]:
    """The driver's arguments for such a command."""
    return [way, str(prepared(arguments, width)[1])]


def read(path: Path) -> list[Call]:
    """The calls of such a file, whose answers are not known: z is 0."""
    made = []
    for place, (function, kind, n, _, _, x, y) in lines(path):
        chained = x == "="
        numbers = int(n, 16), 0 if chained else int(x, 16), int(y, 16)
        made.append(Call(function, *numbers, 0, kind, place, chained))
    return made


def results(said: str) -> list[int]:
    """What a program has printed: the first word of each whole line.  Raises Failure."""
    try:
        return [int(line.split(" ")[0], 16) for line in said.split("\n")[:-1]]
    except ValueError:
        raise Failure("it printed something else than results") from None


def wrong(todo: Sequence[Call], found: Sequence[int]) -> str:
    """The first wrong result in one line, or that there are too few; empty when all are right."""
    for call, z in zip(todo, found):
        if z != call.z:
            return f"{call.place}: {call.function} ({call.kind}): expected {call.z:x}, got {z:x}"
    return "" if len(todo) == len(found) else f"{len(found)} results of {len(todo)} calls"


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    width, *names = sys.argv[1:]
    todo = [call for name in names for call in vectors(Path(name))]
    print(write(FOLDER / f"debug-{width}.txt", todo, int(width)))


if __name__ == "__main__":
    sys.exit(command_line("operands", main))
