"""`python3 -m verification.prove`: all proofs, what each is about, one line each; `make prove`."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import NamedTuple

from records import ladder
from records.faults import Failure, command_line
from records.ladder import LEVELS, Snapshot
from verification import numbers, products, rounds, windowed
from verification.code import Beyond, Code, Unproved, built


class Proof(NamedTuple):
    """`check` raises Unproved for code, the original or a mutant, that it does not accept; it looks
    at the instructions at the addresses `covered`, and at no other."""

    name: str
    code: Code
    covered: frozenset[int]
    check: Callable[[Code], None]


def why_not() -> str:
    """Why nothing can be proved here, or an empty string."""
    for name in ("capstone", "bitwuzla"):
        if not find_spec(name):
            return f"{name} is not installed: make prove installs it where there is a wheel"
    return ""


def every_snapshot() -> list[Snapshot]:
    """Those of the ladder, then those of the studies."""
    studies = [ladder.LADDER, *(study for study in ladder.studies() if study != ladder.LADDER)]
    return [snapshot for study in studies for snapshot in ladder.snapshots(study)]


# rsa.c wants only the lowest bit of a number that is shifted if nothing else mentions shr or s.
LOWEST = re.compile(r"/\*.*?\*/|nat [\w, ]*;|odd\(s\)|shr\(s, \w+, i\);|odd\(shr\(\w+, i\)\)", re.S)
SHIFTED = re.compile(r"\bs\b|\bshr\b")
WINDOWED = ("width-64", "v3")


def is_known(snapshot: Snapshot) -> bool:
    """Whether there is a proof of a snapshot's mont.S."""
    return (snapshot.study, snapshot.name) in {*products.PRODUCTS, *rounds.ROUNDS, WINDOWED}


def of_assembly(snapshot: Snapshot) -> Proof | None:
    """The proof of a snapshot's mont.S, if there is one."""
    key = snapshot.study, snapshot.name
    if not is_known(snapshot):
        return None
    code = built(snapshot.path / "mont.S", f"-DWIDTH={snapshot.width}")
    functions = code.functions if key == WINDOWED else ["mont_mul"]
    covered = {a for name in functions for a in range(*code.functions[name], 4)}

    def check(changed: Code) -> None:
        if key in products.PRODUCTS:
            products.prove_product(products.PRODUCTS[key], code, changed)
        elif key == WINDOWED:
            windowed.prove_windowed(code, changed)
        else:
            rounds.prove_bit_serial(rounds.ROUNDS[key], code, changed)

    name = f"{snapshot.study}/{snapshot.name} mont.S"
    return Proof(name, code, frozenset(covered), check)


def of_numbers(snapshot: Snapshot, text: str | None = None, level: str = "O1") -> Iterator[Proof]:
    """A proof for each operation of a snapshot's nat.h, or of another text in its place: then shr
    needs to be right only in what rsa.c wants of it."""
    found, code = numbers.compiled(snapshot.path, snapshot.width, text, level)
    rsa = LOWEST.sub("", (snapshot.path / "rsa.c").read_text(encoding="utf-8"))
    for operation in found:
        lowest = text is not None and operation.name == "shr" and not SHIFTED.search(rsa)
        operation = operation._replace(lowest=lowest)

        def check(changed: Code, operation: numbers.Operation = operation) -> None:
            numbers.prove_operation(operation, snapshot.width, changed)

        covered = frozenset(range(*code.functions[operation.name], 4))
        name = f"{snapshot.study}/{snapshot.name} nat.h -{level} {operation.name}{operation.place}"
        yield Proof(name, code, covered, check)


def accepts(proof: Proof, changed: Code) -> bool:
    """Whether the proof goes through for this code."""
    try:
        proof.check(changed)
    except Unproved:
        return False
    return True


def main() -> int:
    """Status 1 when a proof fails.  Raises Failure where none can be tried."""
    if why_not():
        raise Failure(why_not())
    failed = beyond = count = 0
    start = time.monotonic()
    for snapshot in every_snapshot():
        assembly = of_assembly(snapshot) if snapshot.has_assembly else None
        in_c = (proof for level in LEVELS for proof in of_numbers(snapshot, level=level))
        for proof in [*([assembly] if assembly else []), *in_c]:
            count += 1
            try:
                proof.check(proof.code)
                said = "proved"
            except Beyond as fault:
                beyond += 1
                said = f"beyond these proofs: {fault}"
            except Unproved as fault:
                failed += 1
                said = f"NOT PROVED: {fault}"
            print(f"{proof.name:<52}{said}", flush=True)
    seconds = time.monotonic() - start
    print(f"{count - failed - beyond} proofs, {failed} failed, {beyond} not tried; {seconds:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(command_line("prove", main))
