"""Calls of a snapshot: read from files, written as a program reads them, their
results compared.

data/inputs/README.md has the formats of vectors, keys and messages;
harness/driver/driver.c that of the calls.  `python3 -m harness calls WIDTH
FILE...` writes the calls of files of vectors and prints where they are.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from records import files
from records.faults import Failure

FOLDER = Path("build/calls")


@dataclass(frozen=True)
class Call:
    """z := function(x, y) modulo n, y being the exponent of mod_exp; `z` is
    the right answer. `place` says where the operands stand; `chained`: x is
    the result of the call before."""

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
    """An RSA key: x -> x^e mod n encrypts, x -> x^d mod n decrypts.  n = p
    q with q < p, and e d = 1 modulo (p - 1)(q - 1); what is not known is 0."""

    n: int
    e: int
    d: int = 0
    p: int = 0
    q: int = 0


def product(n: int, x: int, y: int, width: int, kind: str = "plain", place: str = "") -> Call:
    """A call of mont_mul."""
    return Call("mont_mul", n, x, y, x * y * pow(1 << width, -1, n) % n, kind, place)


def power(n: int, x: int, e: int, kind: str = "plain", place: str = "") -> Call:
    """A call of mod_exp."""
    return Call("mod_exp", n, x, e, pow(x, e, n), kind, place)


# ---- files of vectors, keys and messages; every fault of theirs is a Failure that names the line


def fields(path: Path, form: str, meant: str) -> Iterator[tuple[str, list[str]]]:
    """Place (`file:line`) and fields of the lines that are neither blank
    nor a comment, all of which have this form.  Raises Failure and OSError."""
    for number, line in enumerate(path.read_text("ascii", "backslashreplace").split("\n"), 1):
        words = re.fullmatch(form, line.strip(" "))
        if line and not line.startswith("#"):
            if not words:
                raise Failure(f"{path}:{number}: {line[:40]!r} is not {meant}")
            yield f"{path}:{number}", [*words.groups()]


def sound(call: Call) -> Call:
    """The call, if it keeps the contract.  Raises Failure, which names its place."""
    below = [call.x, call.z, *[call.y] * (call.function == "mont_mul")]
    if call.n < 3 or call.n % 2 == 0 or max(below) >= call.n:
        rule = "the modulus is odd, from 3 on, and operands and result are below it"
        raise Failure(f"{call.place}: {rule}")
    return call


HEX = "([0-9a-fA-F]+)"
KIND = '(mont_mul|mod_exp) +([^ "]{1,40})'
VECTOR = " +".join([KIND, HEX, HEX, HEX, HEX])
KEY_LINE = f"([ned]) +{HEX}"
MESSAGE = rf'("[^"\\]+"|[0-9a-fA-F]+) +{HEX}'
CALL = f"{KIND} {HEX} {HEX} {HEX} (=|[0-9a-f]+) {HEX}"  # as text() writes it


def vectors(path: Path) -> list[Call]:
    """The calls of a file of vectors, at least one."""
    meant = "a vector: mont_mul or mod_exp, a kind, and four hexadecimal numbers: n x y z"
    made = []
    for place, (function, kind, *words) in fields(path, VECTOR, meant):
        n, x, y, z = (int(word, 16) for word in words)
        made.append(sound(Call(function, n, x, y, z, kind, place)))
    if not made:
        raise Failure(f"{path}: no vectors; `git checkout data/inputs` brings them back")
    return made


def key(path: Path) -> Key:
    """n, e and d of a file."""
    meant = "a line of a key: n, e or d, and a hexadecimal number"
    numbers = {name: int(text, 16) for _, (name, text) in fields(path, KEY_LINE, meant)}
    made = Key(*(numbers.get(name, 0) for name in "ned"))
    if made.n < 3 or pow(2, made.e * made.d, made.n) != 2:
        why = "n, e and d are of no key: d does not decrypt what e encrypts"
        raise Failure(f"{path}: {why}; `git checkout data/inputs` brings the key back")
    return made


def round_trips(path: Path, key: Key) -> Iterator[tuple[Call, Call]]:
    """Encryption and decryption of each message of a file: a hexadecimal
    number, or a quoted string whose characters are the bytes, highest
    first."""
    meant = "a message, a hexadecimal number or a string in quotation marks, and its ciphertext"
    for place, (text, cipher) in fields(path, MESSAGE, meant):
        quoted = text.startswith('"')
        x = int.from_bytes(text[1:-1].encode(), "big") if quoted else int(text, 16)
        there = sound(Call("mod_exp", key.n, x, key.e, int(cipher, 16), "encrypt", place))
        back = Call("mod_exp", key.n, there.z, key.d, x, "decrypt", place, chained=True)
        yield there, back


# ---- the calls of a command: `count [-k KIND] [-n COUNT] FILE`, or
# ---- `roundtrip KEY {[-s FIRST] [-n COUNT] FILE}...`


PART = r"(?:-k\n(.+)\n)?(?:-s\n(\d+)\n)?(?:-n\n(\d+)\n)?(.+)"  # a word a line


def calls(arguments: Sequence[str]) -> list[Call]:
    """What a command of records/workload.py calls.  Raises Failure, too,
    where a file has fewer records than are asked for."""
    command, *rest = arguments
    numbers = key(Path(rest.pop(0))) if command == "roundtrip" else None
    made: list[Call] = []
    for kind, start, most, name in re.findall(PART, "\n".join(rest)):
        path, records = Path(name), list[tuple[Call, ...]]()
        if numbers:
            records += round_trips(path, numbers)
        else:
            records += [(call,) for call in vectors(path) if kind in ("", call.kind)]
        first = int(start or 0)
        n = int(most or len(records) - first)
        if not 0 < n <= len(records) - first:
            raise Failure(f"{name}: {n} records from {first} on are not there")
        made += [call for record in records[first : first + n] for call in record]
    return made


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
    """The calls of a command of records/workload.py, and their file.
    Raises Failure and OSError."""
    todo, made = _prepared(tuple(map(str, arguments)), width)
    path = FOLDER / f"{hashlib.sha256(made.encode()).hexdigest()[:16]}.txt"
    files.replace(path, made)
    return todo, path


@cache
def _prepared(words: tuple[str, ...], width: int) -> tuple[list[Call], str]:
    """The same for many programs."""
    todo = calls(words)
    return todo, text(todo, width)


def command(arguments: Sequence[object], width: int, way: str = "call") -> list[str]:
    """The driver's arguments for such a command."""
    return [way, str(prepared(arguments, width)[1])]


def read(path: Path) -> list[Call]:
    """The calls of such a file, whose answers are not known: z is 0."""
    made = []
    for place, (function, kind, n, _, _, x, y) in fields(path, CALL, "a call"):
        numbers = int(n, 16), int(x.replace("=", "0"), 16), int(y, 16)
        made.append(Call(function, *numbers, 0, kind, place, x == "="))
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


def main(width: int, *files: Path) -> None:
    """Write the calls of files of vectors.  Raises Failure and OSError."""
    todo = [call for path in files for call in vectors(path)]
    print(write(FOLDER / f"debug-{width}.txt", todo, width))
