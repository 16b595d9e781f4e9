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
LIMB = 1 << 32


@dataclass(frozen=True)
class Call:
    """The call z := function(x, y) modulo n, y being the exponent of mod_exp;
    `z` is the right answer. `source_line` says where the operands stand, as
    `file:line`; `chained`: x is the result of the call before."""

    function: str  # mont_mul or mod_exp
    n: int
    x: int
    y: int
    z: int
    kind: str = "plain"
    source_line: str = ""
    chained: bool = False

    def constants(self, width: int) -> tuple[int, int]:
        """Return R^2 mod n and -n^-1 mod 2^32, for numbers of `width` bits."""
        rr = pow(2, 2 * width, self.n)
        inverse = pow(self.n, -1, LIMB)
        return rr, -inverse % LIMB

    def modulus(self, size: int) -> bytes:
        """Return `struct modulus` in memory, for numbers of `size` bytes."""
        rr, n0inv = self.constants(8 * size)
        n = self.n.to_bytes(size, "little")
        return n + rr.to_bytes(size, "little") + n0inv.to_bytes(4, "little")


class Key(NamedTuple):
    """An RSA key: x -> x^e mod n encrypts, x -> x^d mod n decrypts.  n = p
    q with q < p, and e d = 1 modulo (p - 1)(q - 1); what is not known is 0."""

    n: int
    e: int
    d: int = 0
    p: int = 0
    q: int = 0


def product(
    n: int, x: int, y: int, width: int, kind: str = "plain", source_line: str = ""
) -> Call:
    """Return a call of mont_mul."""
    z = x * y * pow(1 << width, -1, n) % n
    return Call("mont_mul", n, x, y, z, kind, source_line)


def power(n: int, x: int, e: int, kind: str = "plain", source_line: str = "") -> Call:
    """Return a call of mod_exp."""
    return Call("mod_exp", n, x, e, pow(x, e, n), kind, source_line)


# ---- files of vectors, keys and messages; every fault of theirs is a Failure that names the line


def fields(path: Path, form: str, what: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield source line (`file:line`) and fields of the lines that are neither
    blank nor a comment, all of which have this form; a fault says that one
    is not `what`.  Raises Failure and OSError."""
    lines = path.read_text("ascii", "backslashreplace").split("\n")
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        words = re.fullmatch(form, line.strip(" "))
        if not words:
            raise Failure(f"{path}:{number}: {line[:40]!r} is not {what}")
        yield f"{path}:{number}", words.groups()


def sound(call: Call) -> Call:
    """Return the call, if it keeps the contract.  Raises Failure, which names its line."""
    below = [call.x, call.z]
    if call.function == "mont_mul":
        below.append(call.y)
    if call.n < 3 or call.n % 2 == 0 or max(below) >= call.n:
        rule = "the modulus is odd, from 3 on, and operands and result are below it"
        raise Failure(f"{call.source_line}: {rule}")
    return call


HEX = "([0-9a-fA-F]+)"
KIND = '(mont_mul|mod_exp) +([^ "]{1,40})'
VECTOR = f"{KIND} +{HEX} +{HEX} +{HEX} +{HEX}"
KEY_LINE = f"([ned]) +{HEX}"
MESSAGE = rf'("[^"\\]+"|[0-9a-fA-F]+) +{HEX}'
CALL = f"{KIND} {HEX} {HEX} {HEX} (=|[0-9a-f]+) {HEX}"  # as text() writes it


def vectors(path: Path) -> list[Call]:
    """Return the calls of a file of vectors, at least one."""
    what = (
        "a vector: mont_mul or mod_exp, a kind, and four hexadecimal numbers: n x y z"
    )
    found = []
    for source_line, (function, kind, *words) in fields(path, VECTOR, what):
        n, x, y, z = (int(word, 16) for word in words)
        call = Call(function, n, x, y, z, kind, source_line)
        found.append(sound(call))
    if not found:
        raise Failure(
            f"{path}: no vectors; `git checkout data/inputs` brings them back"
        )
    return found


def key(path: Path) -> Key:
    """Return n, e and d of a file."""
    what = "a line of a key: n, e or d, and a hexadecimal number"
    numbers = dict.fromkeys("ned", 0)
    for _, (name, text) in fields(path, KEY_LINE, what):
        numbers[name] = int(text, 16)
    found = Key(**numbers)
    if found.n < 3 or pow(2, found.e * found.d, found.n) != 2:
        why = "n, e and d are of no key: d does not decrypt what e encrypts"
        raise Failure(f"{path}: {why}; `git checkout data/inputs` brings the key back")
    return found


def round_trips(path: Path, key: Key) -> Iterator[tuple[Call, Call]]:
    """Yield encryption and decryption of each message of a file: a
    hexadecimal number, or a quoted string whose characters are the bytes,
    highest first."""
    what = "a message, a hexadecimal number or a string in quotation marks, and its ciphertext"
    for source_line, (text, ciphertext) in fields(path, MESSAGE, what):
        if text.startswith('"'):
            x = int.from_bytes(text[1:-1].encode(), "big")
        else:
            x = int(text, 16)
        z = int(ciphertext, 16)
        yield (
            sound(Call("mod_exp", key.n, x, key.e, z, "encrypt", source_line)),
            Call("mod_exp", key.n, z, key.d, x, "decrypt", source_line, chained=True),
        )


# ---- the calls of a command: `count [-k KIND] [-n COUNT] FILE`, or
# ---- `roundtrip KEY {[-s FIRST] [-n COUNT] FILE}...`


PART = r"(?:-k\n(.+)\n)?(?:-s\n(\d+)\n)?(?:-n\n(\d+)\n)?(.+)"  # a word a line


def calls(arguments: Sequence[str]) -> list[Call]:
    """Return what a command of records/workloads.py calls.  Raises Failure,
    too, where a file has fewer records than are asked for."""
    command, *rest = arguments
    rsa_key = key(Path(rest.pop(0))) if command == "roundtrip" else None
    found: list[Call] = []
    for kind, start, most, name in re.findall(PART, "\n".join(rest)):
        records: list[tuple[Call, ...]] = []
        if rsa_key:
            records += round_trips(Path(name), rsa_key)
        else:
            every = vectors(Path(name))
            records += [(call,) for call in every if kind in ("", call.kind)]
        first = int(start or 0)
        left = len(records) - first
        n = int(most or left)
        if not 0 < n <= left:
            raise Failure(f"{name}: {n} records from {first} on are not there")
        for record in records[first : first + n]:
            found += record
    return found


# ---- the file that a program reads, and the results that it prints


def text(todo: Iterable[Call], width: int) -> str:
    """Return a line for each call.  Raises Failure where a number has more than `width` bits."""
    number = f"0{width // 4}x"  # its format: hexadecimal, with all digits
    lines = []
    for call in todo:
        rr, n0inv = call.constants(width)
        if max(call.n, call.x, call.y) >> width:
            raise Failure(f"{call.source_line}: a number of more than {width} bits")
        modulus = f"{call.n:{number}} {rr:{number}} {n0inv:08x}"
        x = "=" if call.chained else f"{call.x:{number}}"
        y = f"{call.y:{number}}"
        lines.append(f"{call.function} {call.kind} {modulus} {x} {y}\n")
    return "".join(lines)


def write(path: Path, todo: Iterable[Call], width: int) -> Path:
    """Write the file of these calls.  Raises Failure and OSError."""
    files.replace(path, text(todo, width))
    return path


def prepared(arguments: Sequence[object], width: int) -> tuple[list[Call], Path]:
    """Return the calls of a command of records/workloads.py, and their file,
    which is written.  Raises Failure and OSError."""
    todo, lines = _prepared(tuple(map(str, arguments)), width)
    return todo, kept(lines)


def kept(lines: str) -> Path:
    """Write the lines of calls to the file whose name is made of them.  Raises OSError."""
    name = hashlib.sha256(lines.encode()).hexdigest()[:16]
    path = FOLDER / f"{name}.txt"
    files.replace(path, lines)
    return path


@cache
def _prepared(arguments: tuple[str, ...], width: int) -> tuple[list[Call], str]:
    """Return the calls of a command and their lines, computed once for all programs."""
    todo = calls(arguments)
    return todo, text(todo, width)


def command(arguments: Sequence[object], width: int, way: str = "call") -> list[str]:
    """Return the driver's arguments for such a command."""
    _, path = prepared(arguments, width)
    return [way, str(path)]


def read(path: Path) -> list[Call]:
    """Return the calls of such a file, whose answers are not known: z is 0."""
    found = []
    for source_line, (function, kind, modulus, _, _, first, second) in fields(
        path, CALL, "a call"
    ):
        chained = first == "="
        x = 0 if chained else int(first, 16)
        n = int(modulus, 16)
        y = int(second, 16)
        found.append(Call(function, n, x, y, 0, kind, source_line, chained))
    return found


def results(printed: str) -> list[int]:
    """Return what a program has printed: the first word of each whole line.  Raises Failure."""
    lines = printed.split("\n")[:-1]
    try:
        return [int(line.split(" ")[0], 16) for line in lines]
    except ValueError:
        raise Failure("it printed something else than results") from None


def wrong(todo: Sequence[Call], found: Sequence[int]) -> str:
    """Return the first wrong result in one line, or that there are too few;
    "" when all are right."""
    for call, z in zip(todo, found):
        if z != call.z:
            what = f"{call.function} ({call.kind})"
            return f"{call.source_line}: {what}: expected {call.z:x}, got {z:x}"
    if len(todo) != len(found):
        return f"{len(found)} results of {len(todo)} calls"
    return ""


def main(width: int, *files: Path) -> None:
    """Write the calls of files of vectors.  Raises Failure and OSError."""
    todo: list[Call] = []
    for path in files:
        todo += vectors(path)
    print(write(FOLDER / f"debug-{width}.txt", todo, width))
