"""Spoilt copies of a file, the same for the same seed."""

import random
from collections.abc import Iterator

PIECES = [
    b"", b"\n", b"\n\n", b"\r\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b" ", b"\t", b"#", b"---\n",
    b",", b'"', b"'", b":", b"|", b"  - ", b"..", b"/", b"../../../etc/passwd", b"%s", b"{}", b"0",
    b"-1", b"1e999", b"nan", b"inf", b"9" * 5000, b"x" * 200_000, "é".encode(),
    b"[" * 20_000, b"(" * 2000, b"<script>", b"$", b"\\", b"`" * 3, b"<!-- ", b"**Change.**",
]  # fmt: skip


def mutations(data: bytes, number: int, seed: object = 0) -> Iterator[bytes]:
    """Copies of the bytes with one to three faults each; the first one is
    empty, the second has its last byte missing."""
    yield b""
    yield data[:-1]
    source = random.Random(f"{seed}")
    for _ in range(number - 2):
        spoilt = data
        for _ in range(source.randint(1, 3)):
            spoilt = _fault(spoilt, source)
        yield spoilt


def _fault(data: bytes, source: random.Random) -> bytes:
    start = source.randint(0, len(data))
    end = min(len(data), start + source.choice((0, 1, 1, 8, 100)))
    kind = source.randrange(5)
    if kind == 0:  # a piece in place of some bytes
        return data[:start] + source.choice(PIECES) + data[end:]
    if kind == 1:  # some bytes a second time
        return data[:end] + data[start:]
    if kind == 2 and start < len(data):  # a bit
        return (
            data[:start]
            + bytes([data[start] ^ 1 << source.randrange(8)])
            + data[start + 1 :]
        )
    return data[:start] + data[end:]


NUMBERS = ("0", "1", "-1", "", "007", "9" * 15, "9" * 30)
WORDS = (
    "",
    "x",
    "total",
    "snapshot",
    "not supported",
    "v0",
    "v99",
    "O2",
    "mod_exp",
    "0x0",
)


def plausible(data: bytes, number: int, seed: object = 0) -> Iterator[bytes]:
    """Copies of a table whose rows are whole, but not what they should be:
    in one column some cells, or all, are others, or have no value, or rows
    are missing or come twice."""
    head, *rows = (line.split(",") for line in data.decode().splitlines())
    source = random.Random(f"{seed}")
    for _ in range(number):
        share, kind = source.choice((0.01, 0.3, 1)), source.randrange(8)
        column = source.randrange(len(head))
        known = NUMBERS if rows[0][column].isdigit() else (*WORDS, rows[-1][column])
        put = {column: source.choice(known)}
        if kind == 2 and "unit" in head:
            put = {head.index("value"): "", head.index("unit"): "not supported here"}
        made = [head]
        for row in rows:
            if source.random() >= share:
                made.append(row)
            elif kind == 0:  # twice
                made += [row, row]
            elif kind > 1:  # else it is missing
                made.append([put.get(at, cell) for at, cell in enumerate(row)])
        yield "".join(",".join(row) + "\n" for row in made).encode()
