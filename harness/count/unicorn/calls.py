"""The driver's command line as a list of calls, for whoever calls a snapshot without the driver.

Understands `count` and `roundtrip` as records/workload.py writes them, for files that the driver
has accepted: what it would refuse is not looked for here a second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from records.faults import Failure

FIELD = re.compile(r'"[^"]*"|[^ ]+')


@dataclass(frozen=True)
class Call:
    """z := function(x, y) modulo n, y being the exponent of mod_exp; `z` is the right answer."""

    function: str  # mont_mul or mod_exp
    n: int
    x: int
    y: int
    z: int

    def modulus(self, size: int) -> bytes:
        """`struct modulus` in memory, for numbers of `size` bytes: n, R^2 mod n, -n^-1 mod 2^32."""
        n0inv = -pow(self.n, -1, 1 << 32) % (1 << 32)
        numbers = self.n.to_bytes(size, "little") + pow(2, 16 * size, self.n).to_bytes(
            size, "little"
        )
        return numbers + n0inv.to_bytes(4, "little")


def calls(arguments: Sequence[str]) -> list[Call]:
    """What the driver would call with these arguments, in its order.  Raises Failure."""
    command, *rest = arguments
    try:
        if command == "count":
            return _vectors(rest)
        if command == "roundtrip":
            return _round_trips(Path(rest[0]), rest[1:])
    except Failure:
        raise
    except (IndexError, KeyError, TypeError, ValueError) as fault:
        said = f"{command} {' '.join(rest)}: a line that the driver would refuse"
        raise Failure(f"{said} ({type(fault).__name__}: {fault})") from None
    raise Failure(f"'{command}' is no command that can be counted: count or roundtrip")


def _lines(path: Path) -> list[list[str]]:
    """Fields of the lines that are neither blank nor a comment."""
    lines = path.read_text(encoding="ascii").splitlines()
    return [FIELD.findall(line) for line in lines if line and not line.startswith("#")]


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


def _part(records: list[list[str]], options: dict[str, str], path: Path) -> list[list[str]]:
    """The records from -s on, as many as -n says.  Raises Failure when they are not there."""
    first = int(options.get("-s", 0))
    n = int(options.get("-n", len(records) - first))
    if not 0 < n <= len(records) - first:
        raise Failure(f"{path}: {n} records from {first} on are not there")
    return records[first : first + n]


def _vectors(arguments: Sequence[str]) -> list[Call]:
    ((options, path),) = _parts(arguments)
    kind = options.get("-k")
    records = [fields for fields in _lines(path) if kind in (None, fields[1])]
    return [_call(function, words, z) for function, _, *words, z in _part(records, options, path)]


def _call(function: str, words: list[str], z: str) -> Call:
    """Of a vector's fields.  Where nobody has worked out z, n has the full width."""
    n, x, y = (int(word, 16) for word in words)
    if z != "?":
        return Call(function, n, x, y, int(z, 16))
    if function == "mod_exp":
        return Call(function, n, x, y, pow(x, y, n))
    inverse = pow(1 << (n.bit_length() + 31) // 32 * 32, -1, n)
    return Call(function, n, x, y, x * y * inverse % n)


def _number(text: str) -> int:
    """Hexadecimal, or a quoted string whose characters are the bytes, highest first."""
    if text.startswith('"'):
        return int.from_bytes(text[1:-1].encode("ascii"), "big")
    return int(text, 16)


def _round_trips(key: Path, arguments: Sequence[str]) -> list[Call]:
    values = {name: int(number, 16) for name, number in _lines(key)}
    n, e, d = (values[name] for name in "ned")
    made = []
    for options, path in _parts(arguments):
        for plain, cipher in _part(_lines(path), options, path):
            x, z = _number(plain), _number(cipher)
            made += [Call("mod_exp", n, x, e, z), Call("mod_exp", n, z, d, x)]
    return made
