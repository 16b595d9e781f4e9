"""Writes data/inputs/: check vectors, keys and messages, the same bytes on every run.

Run as `python3 -m rsalab.inputs [--out ROOT]`. Everything is drawn from a
seed, and every expected result is Python's own arithmetic.
data/inputs/README.md has the formats and the reasons.
"""

import sys
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
STRINGS, INTEGERS, SMALL = 2000, 1000, 2000
SMALL_LARGEST = 1000


def make_keys(width: int) -> dict[str, Key]:
    """Two keys with one modulus of exactly `width` bits, product of two
    primes of half of them.

    "full" has e and d of `width` bits each, "65537" has e = 65537 and d of
    `width` bits.
    """
    s = Stream(f"width-{width} key")
    sizes = width // 2, width // 2
    short = draw(s, sizes, lambda: F4, lambda key: key.d.bit_length() == width)
    phi = (short.p - 1) * (short.q - 1)
    e, d = until(
        lambda: (e := s.unit(phi), pow(e, -1, phi)),
        lambda pair: {number.bit_length() for number in pair} == {width},
    )
    return {"full": short._replace(e=e, d=d), "65537": short}


def make_messages(width: int, n: int) -> dict[str, list[tuple[str, int]]]:
    """Messages by file, each as its text in the file and its number below
    n. Needs n of `width` bits, and 32 of them or more."""
    letters = width // 8 - 1  # the longest strings that are all below n
    s = Stream(f"width-{width} strings")
    strings: dict[str, None] = {}
    while len(strings) < STRINGS:
        strings["".join(s.choice(ascii_letters) for _ in range(letters))] = None
    integers, small = Stream(f"width-{width} integers"), Stream(f"width-{width} small")
    numbers = {
        "integers": [integers.below(n) for _ in range(INTEGERS)],
        "small": [small.between(1, SMALL_LARGEST + 1) for _ in range(SMALL)],
    }
    return {
        "strings": [(f'"{text}"', int.from_bytes(text.encode("ascii"), "big")) for text in strings],
        **{name: [(f"{number:x}", number) for number in some] for name, some in numbers.items()},
    }


def write(out: Path = ROOT) -> None:
    """Writes all inputs, keys of studies included, the same bytes on every run.  Raises OSError."""
    rsa_keys.write(out)
    for width in WIDTHS:
        files: dict[str, list[str]] = {}
        for operation in ("mont_mul", "mod_exp"):
            files[f"vectors/{operation}.txt"] = [
                f"{operation} {call.kind} {call.n:x} {call.x:x} {call.y:x} {call.z:x}"
                for call in kinds.calls(operation, width)
            ]
        keys = make_keys(width)
        messages = make_messages(width, keys["full"].n)
        for name, key in keys.items():
            files[f"key-{name}/key.txt"] = key_lines(key)
            for file, pairs in messages.items():
                lines = [f"{text} {pow(number, key.e, key.n):x}" for text, number in pairs]
                files[f"key-{name}/{file}.txt"] = lines
        for path, lines in files.items():
            write_lines(out / f"data/inputs/width-{width}" / path, lines, "rsalab.inputs")


if __name__ == "__main__":
    sys.exit(command("inputs", write))
