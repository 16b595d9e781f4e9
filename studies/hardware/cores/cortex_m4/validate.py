"""Holds the model against silicon: code of others, whose cycles were measured on a Cortex-M4.

P256-Cortex-M4 (Emil Lenngren; crate p256-cortex-m4-sys 0.1.0) states the cycles
of its functions in its source and in its README, measured on an nRF52840 at 64
MHz with its instruction cache on.  published.csv has them.

The model has one free number, the refill of the pipeline after a jump.  It is
the one that fits the functions marked `fitted` best; the others tell the error.
A function's cycles include its call: `bl` takes a cycle and a refill.
"""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from records.commands import command
from records.faults import Failure
from records.tables import Row, fitted, terminal_columns
from studies.hardware.cores.cortex_m4.core import RAM, Core
from studies.hardware.cores.cortex_m4.published import (
    Published,
    read_published,
    table,
)
from studies.hardware.cores.cortex_m4.timing import REFILL_CYCLES

PROGRAM = Path("build/cores/m4/p256.elf")
REFILLS = (1, 2, 3)  # cycles: what the manual allows
FITTED = "fitted"
# The largest errors that the pages state, in per cent, by the kind of code.
STATED_PERCENT = {"fitted": 1.0, "assembly": 4.0, "whole": 5.0}
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
SEED = 1

# Where the operands are, 64 bytes apart and more.
OUT, X, Y, SECRET, OTHER_SECRET, DIGEST, R, S, POINT, SHARED = (
    RAM + 0x1000 * i for i in range(10)
)


class Compared(NamedTuple):
    """A function with the model's cycles at each refill."""

    published: Published
    modelled: dict[int, int]

    def error(self, refill: int) -> float:
        """Return how much the model is above what was measured, in per cent."""
        return 100 * (self.modelled[refill] / self.published.cycles - 1)

    def row(self) -> Row:
        """Return the function as a row of the view `validations`."""
        published = self.published._asdict()
        measured = published.pop("cycles")
        modelled = self.modelled[REFILL_CYCLES]
        return {**published, "measured": measured, "modelled": modelled}


class P256:
    """The published code in memory, and how each of its functions is called."""

    def __init__(self, core: Core) -> None:
        self.core = core
        generator = random.Random(SEED)
        for address in (SECRET, OTHER_SECRET, DIGEST):
            self.put(address, generator.randrange(2**255))
        for address in (X, Y):
            self.put(address, generator.randrange(P))
        self.words = [generator.getrandbits(32) for _ in range(8)]
        self.calls: dict[str, Callable[[], int]] = {
            "P256_submod": self.on_numbers("P256_submod"),
            "P256_addmod": self.on_numbers("P256_addmod"),
            "P256_mulmod": self.on_numbers("P256_mulmod"),
            "P256_sqrmod": self.on_numbers("P256_sqrmod"),
            "P256_times2": lambda: core.call("P256_times2", self.words),
            "P256_sqrmod_many": self.ten_squares,
            "P256_matrix_mul_fg_9": self.on_matrix("P256_matrix_mul_fg_9"),
            "P256_matrix_mul_mod_n": self.on_matrix("P256_matrix_mul_mod_n"),
            "p256_keygen": lambda: core.call("p256_keygen", (X, Y, SECRET)),
            "p256_sign": self.sign,
            "p256_verify": self.verify,
            "p256_ecdh_calc_shared_secret": self.agree,
            "p256_octet_string_to_point": self.decompress,
        }

    def put(self, address: int, number: int) -> None:
        """Write a number of 256 bits into memory."""
        self.core.uc.mem_write(address, number.to_bytes(32, "little"))

    def get(self, address: int) -> int:
        """Return a number of 256 bits from memory."""
        return int.from_bytes(self.core.uc.mem_read(address, 32), "little")

    def on_numbers(self, function: str) -> Callable[[], int]:
        """Return a call of a function of two numbers below p."""
        return lambda: self.core.call(function, (OUT, X, Y))

    def on_matrix(self, function: str) -> Callable[[], int]:
        """Return a call of a function of two factors and two rows of numbers."""
        return lambda: self.core.call(function, (12345, 54321, X, OUT))

    def ten_squares(self) -> int:
        """Square the number in r0 to r7 ten times; r8 says how often."""
        return self.core.call("P256_sqrmod_many", [*self.words, 10])

    def sign(self) -> int:
        """Sign the digest with the secret; the nonce is the other secret."""
        stacked = words_in_memory(SECRET, OTHER_SECRET)
        return self.core.call("p256_sign", (R, S, DIGEST, 32), stacked)

    def verify(self) -> int:
        """Verify the signature with the public key."""
        return self.core.call("p256_verify", (X, Y, DIGEST, 32), words_in_memory(R, S))

    def agree(self) -> int:
        """Compute the secret that two keys share."""
        return self.core.call(
            "p256_ecdh_calc_shared_secret", (SHARED, OTHER_SECRET, X, Y)
        )

    def decompress(self) -> int:
        """Find y of the public key from x and the lowest bit of y."""
        form = 2 + self.get(Y) % 2
        x = self.get(X).to_bytes(32, "big")
        packed = bytes([form]) + x
        self.core.uc.mem_write(POINT, packed)
        return self.core.call("p256_octet_string_to_point", (OUT, OUT + 32, POINT, 33))

    def modelled(self, function: str) -> dict[int, int]:
        """Return the model's cycles of a call at each refill.  Raises Failure."""
        self.core.forget()
        succeeded = self.calls[function]()
        if function.startswith("p256_") and not succeeded:
            raise Failure(f"{function}: the published code refuses its operands")
        cycles = {}
        for refill in REFILLS:
            call = 1 + refill
            cycles[refill] = self.core.spent(refill).cycles + call
        return cycles


def words_in_memory(*words: int) -> bytes:
    """Return words as they are in memory."""
    return b"".join(word.to_bytes(4, "little") for word in words)


def best_refill(compared: list[Compared]) -> int:
    """Return the refill with the smallest sum of errors of the functions that fit it."""
    fitted = [one for one in compared if one.published.kind == FITTED]

    def errors(refill: int) -> float:
        return sum(abs(one.error(refill)) for one in fitted)

    return min(REFILLS, key=errors)


def validate(program: Path = PROGRAM) -> list[Compared]:
    """Return every published function with the model's cycles.  Raises Failure where the refill or
    an error is not the one that the pages state."""
    p256 = P256(Core(program))
    compared = [Compared(one, p256.modelled(one.function)) for one in read_published()]
    refill = best_refill(compared)
    if refill != REFILL_CYCLES:
        raise Failure(
            f"a refill of {refill} cycles fits best, timing.py says {REFILL_CYCLES}"
        )
    for one in compared:
        error = one.error(REFILL_CYCLES)
        stated = STATED_PERCENT[one.published.kind]
        if abs(error) > stated:
            name = one.published.function
            raise Failure(
                f"{name}: an error of {error:+.1f} %, the pages state {stated:g} %"
            )
    return compared


def main() -> None:
    """Print the table.  Raises Failure."""
    rows = [one.row() for one in validate()]
    print("\n".join(fitted(table(rows), terminal_columns())))


if __name__ == "__main__":
    sys.exit(command("cores-validate", main))
