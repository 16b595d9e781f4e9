"""The RSA keys of studies/width-1024, and lines of the private operation.

A key file has a line `NAME HEX` for each of n, e, d, p and q, with q < p.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.long.vectors import LIMB, METHODS, MOST, Setting
from records.faults import Failure
from records.ladder import ROOT

KEYS = ROOT / "data/inputs/rsa-keys"


class Key(NamedTuple):
    """An RSA key: n = p q, e d = 1 mod (p - 1)(q - 1)."""

    n: int
    e: int
    d: int
    p: int
    q: int

    @property
    def limbs(self) -> int:
        """Of n."""
        return -(-self.n.bit_length() // LIMB)

    def private(self, at: Setting, x: int) -> str:
        """The driver's line of the private operation on x, without its result."""
        p, q = self.p, self.q
        dp, dq, qinv = self.d % (p - 1), self.d % (q - 1), pow(q, -1, p)
        return at.line("private", self.n, p, q, dp, dq, qinv, self.e, x)


def read_key(path: Path) -> Key:
    """The key of a file.  Raises Failure with one line where it is no key that can be used here."""
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "not text"
        raise Failure(f"{path}: no key: {why}") from None
    found = dict(re.findall(r"^([nedpq]) ([0-9a-f]{1,512})$", text, re.M))
    missing = [name for name in Key._fields if name not in found]
    if missing:
        raise Failure(f"{path}: no key: no line `{missing[0]} HEX`")
    key = Key(*(int(found[name], 16) for name in Key._fields))
    if said := why_no_key(key):
        raise Failure(f"{path}: no key: {said}")
    return key


def why_no_key(key: Key) -> str:
    """Why the five numbers are no key that the driver takes; empty if they are one."""
    bits = key.n.bit_length()
    if bits % (2 * LIMB) or bits > LIMB * MOST:
        return f"n has {bits} bits, not a multiple of {2 * LIMB} up to {LIMB * MOST}"
    if key.n % 2 == 0:
        return "n is even"
    if key.p * key.q != key.n:
        return "n is not p q"
    if not 1 < key.q < key.p:
        return "q is not below p"
    if 2 * key.p.bit_length() > bits:
        return f"p has more than {bits // 2} bits"
    if key.e * key.d % (key.p - 1) != 1 or key.e * key.d % (key.q - 1) != 1:
        return "e d is not 1 modulo p - 1 and q - 1"
    if key.e.bit_length() > 2 * LIMB:
        return f"e has more than {2 * LIMB} bits"
    return ""


def private_lines(key: Key, rng: random.Random) -> Iterator[str]:
    """Private operations with a key: edges and a random message."""
    for x in (0, 1, key.n - 1, key.p, key.q, rng.randrange(key.n)):
        at = Setting(key.limbs, method=rng.choice(METHODS[1:]))
        yield f"{key.private(at, x)} {pow(x, key.d, key.n):x}"
