"""All proofs, what each is about, one line each.

Of a nat.h, here: add, sub, less, shr, halve and add_multiple against
arithmetic at the full width. It is compiled with a function around each
operation that passes numbers as the contract does, without inlining, and
executed for all operands at once.  Of a mont.S: products.py, columns.py and
rounds.py.  Of digits.c: digits.py.
"""

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from records import c_functions, ladder
from records.ladder import LEVELS, Snapshot
from verification import columns, digits, products, rounds
from verification.instructions import Machine
from verification.machine import RETURN, Code, X, Y, Z, built, operand
from verification.symbols import (
    Beyond,
    Bits,
    Unproved,
    Value,
    Words,
    bits,
    joined,
    variable,
)

OPERATIONS = ("add", "sub", "less", "shr", "halve", "add_multiple")
OTHER_RESULT = "int *"  # a parameter of an operation that writes another number, too
# What nat.h has in it -> the macro that around.c needs.
FORMS = {"nat load(": "BY_VALUE", "void load(nat *": "BY_POINTER"}
AROUND = Path(__file__).with_name("around.c")


def operations_of(text: str) -> list[str]:
    """Return the operations that a nat.h defines and that can be proved."""
    found = []
    for one in c_functions.functions(text):
        if one.name in OPERATIONS and OTHER_RESULT not in one.parameters:
            found.append(one.name)
    return found


def compiled(
    folder: Path, width: int, text: str | None = None, level: str = "O1"
) -> tuple[list[str], Code]:
    """Return the operations of a snapshot's nat.h, or of another text in its
    place, each by the name of the function around it without `prove_`, and
    their code.  Raises Failure."""
    if text is None:
        text = (folder / "nat.h").read_text(encoding="utf-8")
    operations = operations_of(text)
    if not operations:
        return [], Code({}, {})
    defined = [f"-DWIDTH={width}"]
    defined += [f"-D{form}" for start, form in FORMS.items() if start in text]
    defined += [f"-DPROVE_{name}" for name in operations]
    with tempfile.TemporaryDirectory() as temporary:
        Path(temporary, "nat.h").write_text(text, encoding="utf-8")
        code = built(AROUND, f"-{level}", "-fno-inline", f"-I{temporary}", *defined)
    around = [name for name in code.functions if name.startswith("prove_")]
    return [name.removeprefix("prove_") for name in around], code


def prove_operation(name: str, width: int, lowest: bool, code: Code) -> None:
    """Prove that an operation computes what its name says, or the lowest bit of it.

    Raises Unproved.
    """
    if name.startswith("shr"):  # every k is a case of its own, and all are one question
        algebra = Words()
        every_k = bits(1, 1)
        for k in range(width):
            machine = Machine(code, algebra, [])
            every_k = every_k & called(name, width, lowest, machine, k)
        algebra.prove(every_k)
        return
    for machine in Machine.paths(code):
        last = variable("k") if name.startswith("halve") else Y
        machine.algebra.prove(called(name, width, lowest, machine, last))


def called(name: str, width: int, lowest: bool, machine: Machine, last: Value) -> Bits:
    """Return whether the result of a call with `last` as third argument is right.

    Raises Unproved.
    """
    limbs = width // 32
    machine.enter(limbs)
    machine.memory.update(machine.code.words)  # constants
    machine.memory[Y + 4 * limbs] = variable("d")
    machine.writable.add(Z + 4 * limbs)
    machine.registers[:4] = [Z, X, last, None]
    entry, _ = machine.code.functions[f"prove_{name}"]
    machine.run(entry, RETURN)
    size = {"less": 1, "add_multiple": limbs + 1}.get(name, limbs)
    z = machine.left(size)
    operation = name.partition("_in_")[0]
    wanted = result(operation, width, machine.algebra, last)[: z.width]
    if lowest:
        return z[:1].equals(wanted[:1])
    return z.equals(wanted)


def result(name: str, width: int, algebra: Words, last: Value) -> Bits:
    """Return what an operation makes of x, y and `last`, with a limb more."""
    wide = width + 32
    x_words = operand("x", width // 32)
    y_words = operand("y", width // 32)
    x = joined(x_words, wide)
    y = joined(y_words, wide)
    if name == "add_multiple":  # the sum of (x_i + d y_i) 2^(32 i)
        total = bits(0, wide)
        for i, (x_i, y_i) in enumerate(zip(x_words, y_words)):
            d_y_i = algebra.product(y_i, variable("d"))
            total = total + (bits(x_i, wide) + bits(d_y_i, wide) << 32 * i)
        return total
    if name == "less":
        return bits(x < y, wide)
    if name == "add":
        return x + y
    if name == "sub":
        return x - y
    k = joined([last], wide)
    if name == "shr":
        return x >> k
    return (x | k << width) >> 1  # halve: k is the bit above the top limb


# --- all proofs -----------------------------------------------------------------------------------


class Proof(NamedTuple):
    """`check` raises Unproved for code, the original or a mutant, that it
    does not accept; it looks at the instructions at the addresses
    `covered`, and at no other."""

    name: str
    code: Code
    covered: frozenset[int]
    check: Callable[[Code], None]

    def accepts(self, changed: Code) -> bool:
        """Return whether the proof goes through for this code."""
        try:
            self.check(changed)
        except Unproved:
            return False
        return True


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
    return Proof(name, code, frozenset(covered), partial(prover, code))


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
        operation = name.partition("_in_")[0]
        lowest = is_mutant and operation == "shr" and wants_lowest_bit
        covered = frozenset(code.addresses(operation))
        label = f"{snapshot.study}/{snapshot.name} nat.h -{level} {name}"
        check = partial(prove_operation, name, snapshot.width, lowest)
        yield Proof(label, code, covered, check)


def of_digits(level: str) -> Iterator[Proof]:
    """Yield the proofs of digits with a sign, for two lanes, at each length."""
    code = digits.compiled(level)
    covered = {*code.addresses("pair_set"), *code.addresses("pair_bits")}
    for limbs in digits.LENGTHS:
        label = f"lanes/digits.c -{level} pair_set, {limbs} limbs"
        check = partial(digits.prove_conversion, limbs)
        yield Proof(label, code, frozenset(covered), check)


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
    """Try all proofs; return 1 when one fails."""
    start = time.monotonic()
    proved = failed = beyond = 0
    for proof in every_proof():
        try:
            proof.check(proof.code)
            proved += 1
            outcome = "proved"
        except Beyond as limit:
            beyond += 1
            outcome = f"beyond these proofs: {limit}"
        except Unproved as fault:
            failed += 1
            outcome = f"NOT PROVED: {fault}"
        print(f"{proof.name:<52}{outcome}", flush=True)
    seconds = time.monotonic() - start
    print(f"{proved} proofs, {failed} failed, {beyond} not tried; {seconds:.0f} s")
    return 1 if failed else 0
