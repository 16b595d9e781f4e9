"""All proofs, what each is about, one line each.

Of the operations of a nat.h: operations.py.  Of a mont.S: products.py,
columns.py and rounds.py.  Of digits.c: digits.py.

There are three answers.  Proved: the code is right for all operands.  Refuted:
it is wrong for those that the answer names, and trials.py has run it on them.
Not decided: neither, and the answer says why, for example which limit was met.
Every limit is a number of steps, the same on a machine that is busy.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from records import ladder
from records.ladder import LEVELS, Snapshot
from verification import columns, digits, products, rounds
from verification.machine import Code, built
from verification.operations import Operation, compiled
from verification.symbols import Beyond, Unproved
from verification.trials import OfAssembly, Trial

PROVED = "proved"
REFUTED = "refuted"
NOT_DECIDED = "not decided"
BEYOND = "beyond these proofs"
VERDICTS = (PROVED, REFUTED, NOT_DECIDED, BEYOND)


class Answer(NamedTuple):
    """Of a proof: PROVED, REFUTED with the counterexample, NOT_DECIDED or, where the code is not
    understood, BEYOND with the reason."""

    verdict: str
    why: str = ""

    def __str__(self) -> str:
        return f"{self.verdict}: {self.why}" if self.why else self.verdict


class Proof(NamedTuple):
    """`check` raises Unproved for code, the original or a mutant, that it
    does not accept; it looks at the instructions at the addresses
    `covered`, and at no other.  `trial` then runs the code."""

    name: str
    code: Code
    covered: frozenset[int]
    check: Callable[[Code], None]
    trial: Trial

    def accepts(self, changed: Code) -> bool:
        """Return whether the proof goes through for this code."""
        try:
            self.check(changed)
        except Unproved:
            return False
        return True

    def answer(self, code: Code) -> Answer:
        """Return whether this code, the original or a mutant, is right."""
        try:
            self.check(code)
        except Unproved as fault:
            found = self.trial.counterexample(code, fault.operands)
            if found:
                return Answer(REFUTED, found)
            verdict = BEYOND if isinstance(fault, Beyond) else NOT_DECIDED
            tried = "; the code is right for the solver's numbers"
            return Answer(verdict, f"{fault}{tried if fault.operands else ''}")
        return Answer(PROVED)


# rsa.c wants only the lowest bit of a number that is shifted if nothing else mentions shr or s.
LOWEST = re.compile(
    r"/\*.*?\*/|nat [\w, ]*;|odd\(s\)|shr\(s, \w+, i\);|odd\(shr\(\w+, i\)\)", re.S
)
SHIFTED = re.compile(r"\bs\b|\bshr\b")
WINDOWED = ("width-64", "v3")
# Of all other assembly word-serial products are shown.
PROVERS: dict[tuple[str, str], Callable[[Code, Code], None]] = {
    **{
        key: partial(rounds.prove_bit_serial, kind)
        for key, kind in rounds.ROUNDS.items()
    },
    **{("limit", name): partial(columns.prove_lanes, name) for name in columns.MOST},
    WINDOWED: products.prove_windowed,
}


def of_assembly(snapshot: Snapshot) -> Proof:
    """Return the proof of a snapshot's mont.S."""
    key = snapshot.study, snapshot.name
    prover = PROVERS.get(key, products.prove_product)
    code = built(snapshot.path / "mont.S", f"-DWIDTH={snapshot.width}")
    covered: set[int] = set()
    for function in code.functions if key == WINDOWED else ["mont_mul"]:
        covered.update(code.addresses(function))
    if snapshot.name in columns.MOST:
        for piece in columns.pieces(code, "mod_exp"):
            covered.update(range(piece.start, piece.end, 4))
    name = f"{snapshot.study}/{snapshot.name} mont.S"
    trial = OfAssembly(snapshot, code)
    return Proof(name, code, frozenset(covered), partial(prover, code), trial)


def of_numbers(
    snapshot: Snapshot, text: str | None = None, level: str = "O1"
) -> Iterator[Proof]:
    """Yield a proof for each operation of a snapshot's nat.h, or of another text
    in its place: then shr needs to be right only in what rsa.c wants of it."""
    names, code = compiled(snapshot.path, snapshot.width, text, level)
    rsa = (snapshot.path / "rsa.c").read_text(encoding="utf-8")
    wants_lowest_bit = not SHIFTED.search(LOWEST.sub("", rsa))
    is_mutant = text is not None
    for name in names:
        lowest = is_mutant and name.startswith("shr") and wants_lowest_bit
        operation = Operation(name, snapshot.width, lowest)
        covered = frozenset(code.addresses(operation.kind))
        label = f"{snapshot.study}/{snapshot.name} nat.h -{level} {name}"
        yield Proof(label, code, covered, operation.prove, operation)


def of_digits(level: str) -> Iterator[Proof]:
    """Yield the proofs of digits with a sign, for two lanes, at each length."""
    code = digits.compiled(level)
    covered = {*code.addresses("pair_set"), *code.addresses("pair_bits")}
    for limbs in digits.LENGTHS:
        label = f"lanes/digits.c -{level} pair_set, {limbs} limbs"
        conversion = digits.Conversion(limbs)
        yield Proof(label, code, frozenset(covered), conversion.prove, conversion)


def every_proof() -> Iterator[Proof]:
    """Yield all proofs: in the order of the snapshots, then those of digits."""
    for snapshot in ladder.every():
        if snapshot.has_assembly:
            yield of_assembly(snapshot)
        for level in LEVELS:
            yield from of_numbers(snapshot, level=level)
    for level in LEVELS:
        yield from of_digits(level)


def main() -> int:
    """Try all proofs; return 1 unless each goes through or is about code beyond them."""
    start = time.monotonic()
    counts: Counter[str] = Counter()
    for proof in every_proof():
        answer = proof.answer(proof.code)
        counts[answer.verdict] += 1
        print(f"{proof.name:<52}{answer}", flush=True)
    seconds = time.monotonic() - start
    found = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS]
    print(f"{', '.join(found)}; {seconds:.0f} s")
    return 1 if counts[REFUTED] or counts[NOT_DECIDED] else 0
