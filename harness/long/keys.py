"""The RSA keys of studies/width-1024, and lines of the private operation.

A key file has a line `NAME HEX` for each of n, e, d, p and q; a public key's has n and e alone.
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
    """An RSA key: n = p q with q < p, e d = 1 mod (p - 1)(q - 1).  Of a public key n and e alone
    are known, and the others are 0."""

    n: int
    e: int
    d: int = 0
    p: int = 0
    q: int = 0

    @property
    def limbs(self) -> int:
        """Of n."""
        return -(-self.n.bit_length() // LIMB)

    def private(self, at: Setting, x: int) -> str:
        """The driver's line of the private operation on x, without its result."""
        p, q = self.p, self.q
        dp, dq, qinv = self.d % (p - 1), self.d % (q - 1), pow(q, -1, p)
        return at.line("private", self.n, p, q, dp, dq, qinv, self.e, x)


def read_key(path: Path, public: bool = False) -> Key:
    """The key of a file, or its public half.  Raises Failure with one line where it is no key that
    can be used here."""
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "not text"
        raise Failure(f"{path}: no key: {why}") from None
    found = dict(re.findall(r"^([nedpq]) ([0-9a-fA-F]{1,512})$", text, re.M))
    wanted = Key._fields[: 2 if public else 5]
    if missing := [name for name in wanted if name not in found]:
        raise Failure(f"{path}: no key: no line `{missing[0]} HEX`")
    key = Key(*(int(found[name], 16) for name in wanted))
    if key.p < key.q:
        key = key._replace(p=key.q, q=key.p)
    if said := why_not_public(key) or ("" if public else why_not_private(key)):
        raise Failure(f"{path}: no key: {said}")
    return key


def why_not_public(key: Key) -> str:
    """Why n and e are no key that the driver takes; empty if they are one."""
    bits = key.n.bit_length()
    if bits % (2 * LIMB) or not 0 < bits <= LIMB * MOST:
        return f"n has {bits} bits, not a multiple of {2 * LIMB} up to {LIMB * MOST}"
    if key.n % 2 == 0:
        return "n is even"
    if key.e.bit_length() > 2 * LIMB or key.e % 2 == 0:
        return f"e is even or has more than {2 * LIMB} bits"
    return ""


def why_not_private(key: Key) -> str:
    """The same of d, p and q."""
    if key.p * key.q != key.n:
        return "n is not p q"
    if not 1 < key.q < key.p:
        return "p and q are not two primes"
    if 2 * key.p.bit_length() > key.n.bit_length():
        return f"p has more than {key.n.bit_length() // 2} bits"
    if key.e * key.d % (key.p - 1) != 1 or key.e * key.d % (key.q - 1) != 1:
        return "e d is not 1 modulo p - 1 and q - 1"
    return ""


def private_lines(key: Key, rng: random.Random) -> Iterator[str]:
    """Private operations with a key: edges and a random message."""
    for x in (0, 1, key.n - 1, key.p, key.q, rng.randrange(key.n)):
        at = Setting(key.limbs, method=rng.choice(METHODS[1:]))
        yield f"{key.private(at, x)} {pow(x, key.d, key.n):x}"
