"""Write data/inputs/: check vectors, keys and messages, the same bytes on every run.

Run as `python3 -m rsalab.inputs [--out ROOT]`. Everything is drawn from a
seed, and every expected result is Python's own arithmetic.
data/inputs/README.md has the formats and the reasons.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from string import ascii_letters

from harness import kinds
from harness.kinds import Stream, until
from harness.operands import Key
from records.commands import command
from records.ladder import ROOT
from rsalab.inputs import rsa_keys
from rsalab.inputs.rsa_keys import F4, draw, key_lines, write_lines

WIDTHS = (64, 96, 128)
# How many messages there are of each kind.
STRINGS = 2000
INTEGERS = 1000
SMALL = 2000
SMALL_LARGEST = 1000
Message = tuple[str, int]  # its text in the file, and its number below n


def make_keys(width: int) -> dict[str, Key]:
    """Return two keys with one modulus of exactly `width` bits, product of
    two primes of half of them.

    "full" has e and d of `width` bits each, "65537" has e = 65537 and d of
    `width` bits.
    """
    stream = Stream(f"width-{width} key")
    prime_bits = width // 2

    def is_full(key: Key) -> bool:
        return key.d.bit_length() == width

    def exponents() -> tuple[int, int]:
        e = stream.unit(phi)
        return e, pow(e, -1, phi)

    def are_full(pair: tuple[int, int]) -> bool:
        return all(number.bit_length() == width for number in pair)

    short = draw(stream, (prime_bits, prime_bits), lambda: F4, is_full)
    phi = (short.p - 1) * (short.q - 1)
    e, d = until(exponents, are_full)
    return {"full": short._replace(e=e, d=d), "65537": short}


def make_strings(width: int) -> list[Message]:
    """Return different texts of letters, the longest below every number of `width` bits."""
    letters = width // 8 - 1
    stream = Stream(f"width-{width} strings")
    texts: dict[str, None] = {}  # a set that keeps the order
    while len(texts) < STRINGS:
        text = "".join(stream.choice(ascii_letters) for _ in range(letters))
        texts[text] = None
    messages = []
    for text in texts:
        number = int.from_bytes(text.encode("ascii"), "big")
        messages.append((f'"{text}"', number))
    return messages


def make_messages(width: int, n: int) -> dict[str, list[Message]]:
    """Return messages by file.  Needs n of `width` bits, and 32 of them or more."""
    integers = Stream(f"width-{width} integers")
    small = Stream(f"width-{width} small")
    return {
        "strings": make_strings(width),
        "integers": as_messages(integers.below(n) for _ in range(INTEGERS)),
        "small": as_messages(small.between(1, SMALL_LARGEST + 1) for _ in range(SMALL)),
    }


def as_messages(numbers: Iterable[int]) -> list[Message]:
    """Return numbers as messages, whose texts are hexadecimal."""
    return [(f"{number:x}", number) for number in numbers]


def vector_lines(operation: str, width: int) -> list[str]:
    """Return what the file of an operation's vectors says."""
    lines = []
    for call in kinds.calls(operation, width):
        numbers = f"{call.n:x} {call.x:x} {call.y:x} {call.z:x}"
        lines.append(f"{operation} {call.kind} {numbers}")
    return lines


def message_lines(messages: Iterable[Message], key: Key) -> list[str]:
    """Return what a file of messages says: each with what it is encrypted to."""
    lines = []
    for text, number in messages:
        encrypted = pow(number, key.e, key.n)
        lines.append(f"{text} {encrypted:x}")
    return lines


def write(out: Path = ROOT) -> None:
    """Write all inputs, keys of studies included, the same bytes on every run.  Raises OSError."""
    rsa_keys.write(out)
    for width in WIDTHS:
        files: dict[str, list[str]] = {}
        for operation in ("mont_mul", "mod_exp"):
            files[f"vectors/{operation}.txt"] = vector_lines(operation, width)
        keys = make_keys(width)
        messages = make_messages(width, keys["full"].n)
        for name, key in keys.items():
            files[f"key-{name}/key.txt"] = key_lines(key)
            for file, its_messages in messages.items():
                files[f"key-{name}/{file}.txt"] = message_lines(its_messages, key)
        folder = out / f"data/inputs/width-{width}"
        for path, lines in files.items():
            write_lines(folder / path, lines, "rsalab.inputs")


if __name__ == "__main__":
    sys.exit(command("inputs", write))
