"""Files that a user gives: keys of RSA, messages, and numbers in hexadecimal.

A key file has a line `NAME HEX` for each of n, e, d, p and q; a public key's has n and e alone.
Blank lines and lines that begin with # say nothing.
"""

import re
from pathlib import Path

from harness.kinds import is_prime
from harness.operands import Key
from records.faults import Failure
from records.ladder import ROOT

KEYS = ROOT / "data/inputs/rsa-keys"
LIMB_BITS = 32
MOST_LIMBS = 64
SIZE_STEP_BITS = 2 * LIMB_BITS  # p and q have whole limbs, too
LARGEST_BITS = LIMB_BITS * MOST_LIMBS
LARGEST_E_BITS = 64  # of nat.h
PUBLIC = "ne"
PRIVATE = "nedpq"
LINE = re.compile(r"([nedpq])\s+([0-9a-fA-F]+)")
OTHER_FORMATS = {
    b"-----BEGIN": "a PEM file",
    b"ssh-": "an OpenSSH file",
    b"0\x81": "a DER file",
    b"0\x82": "a DER file",
}
CONVERT = "`openssl rsa -noout -text -in FILE` prints the numbers of a key"


def content(path: Path) -> bytes:
    """Return what a file holds.  Raises Failure."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise Failure(f"{path}: there is no such file; is its name right?") from None
    except IsADirectoryError:
        raise Failure(f"{path}: a folder; name a file in it") from None
    except OSError as fault:
        raise Failure(
            f"{path}: {fault.strerror}; name a file that can be read"
        ) from None


def from_hexadecimal(path: Path) -> bytes:
    """Return the bytes that a file says in hexadecimal, as `sign` and `seal` print them.  Raises
    Failure."""
    text = "".join(content(path).decode("ascii", "replace").split())
    if not re.fullmatch("[0-9a-fA-F]*", text):
        raise Failure(f"{path}: not hexadecimal, as `sign` and `seal` print it")
    if len(text) % 2:
        digits = f"{len(text)} hexadecimal digits, and a byte has two"
        raise Failure(f"{path}: {digits}: is it whole, as `sign` and `seal` print it?")
    return bytes.fromhex(text)


def read_key(path: Path, public: bool = False) -> Key:
    """Return the key of a file, p being the larger prime, or its public half alone.  Raises Failure
    that names the file, what is wrong with it and what would be right."""
    data = content(path)
    try:
        numbers = read_numbers(data)
        check_names(numbers, PUBLIC if public else PRIVATE)
        if public:
            key = Key(numbers["n"], numbers["e"])
        else:
            key = Key(**numbers)
        check_public(key)
        if public:
            return key
        if key.p < key.q:
            key = key._replace(p=key.q, q=key.p)
        check_private(key)
    except Failure as fault:
        raise Failure(f"{path}: no key: {fault}") from None
    return key


def read_numbers(data: bytes) -> dict[str, int]:
    """Return the numbers of a key file by name.  Raises Failure."""
    if not data.strip():
        raise Failure(
            "the file is empty; lines `NAME HEX` for n, e, d, p and q are needed"
        )
    for beginning, name in OTHER_FORMATS.items():
        if data.startswith(beginning):
            raise Failure(f"{name}; {CONVERT}, write them as lines `NAME HEX`")
    numbers: dict[str, int] = {}
    for number, line in enumerate(
        data.decode("ascii", "backslashreplace").splitlines(), 1
    ):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        match = LINE.fullmatch(words)
        if match is None:
            what = "a name (n, e, d, p or q) and a hexadecimal number"
            raise Failure(f"line {number}, {words[:30]!r}, is not {what}")
        name, digits = match.groups()
        if name in numbers:
            raise Failure(f"line {number} says {name} again")
        numbers[name] = int(digits, 16)
    return numbers


def check_names(numbers: dict[str, int], needed: str) -> None:
    """Raise Failure unless every number is there that is needed."""
    if set(numbers) == set(PUBLIC) != set(needed):
        raise Failure("a public key, n and e alone; a private key has d, p and q, too")
    for name in needed:
        if name not in numbers:
            raise Failure(f"no line `{name} HEX`")


def check_public(key: Key) -> None:
    """Raise Failure unless n and e can be used here."""
    bits = key.n.bit_length()
    if bits % SIZE_STEP_BITS or not 0 < bits <= LARGEST_BITS:
        sizes = f"a multiple of {SIZE_STEP_BITS} up to {LARGEST_BITS}"
        raise Failure(f"n has {bits} bits; here a key has {sizes}")
    if key.n % 2 == 0:
        raise Failure("n is even; it is the product of two odd primes")
    if key.e % 2 == 0 or not 3 <= key.e < 1 << LARGEST_E_BITS:
        raise Failure(f"e has to be odd, from 3 up to {LARGEST_E_BITS} bits")


def check_private(key: Key) -> None:
    """Raise Failure unless d, p and q belong to n and e."""
    half = key.n.bit_length() // 2
    p_bits = key.p.bit_length()
    q_bits = key.q.bit_length()
    if key.p * key.q != key.n:
        raise Failure("n is not p q")
    if p_bits != half or q_bits != half:
        raise Failure(
            f"p has {p_bits} bits and q {q_bits}; here both have {half}, half of n"
        )
    if key.p == key.q:
        raise Failure("p and q are equal")
    for name, prime in (("p", key.p), ("q", key.q)):
        if not is_prime(prime):
            raise Failure(f"{name} is no prime")
        if key.e * key.d % (prime - 1) != 1:
            raise Failure(f"e d is not 1 modulo {name} - 1, so d does not undo e")
