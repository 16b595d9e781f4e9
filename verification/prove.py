"""All proofs, what each is about, one line each.

Of a nat.h, here: add, sub, less, shr, halve and add_multiple against
arithmetic at the full width. It is compiled with a function around each
operation that passes numbers as the contract does, without inlining, and
executed for all operands at once.  Of a mont.S: products.py, columns.py and
rounds.py.
"""

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial, reduce
from operator import and_
from pathlib import Path
from typing import NamedTuple

from records import ladder
from records.ladder import LEVELS, Snapshot
from verification import columns, products, rounds
from verification.instructions import Machine
from verification.machine import RETURN, Code, X, Y, Z, built, operand
from verification.symbols import Beyond, Bits, Unproved, Value, Words, bits, joined, variable

# An operation of a nat.h; not one that has another number to write to than its result.
HEAD = re.compile(
    r"^static (?:inline )?\w+ (add|sub|less|shr|halve|add_multiple)\((?!.*int \*).*\)$", re.M
)
FORMS = {"nat load(": "BY_VALUE", "void load(nat *": "BY_POINTER"}  # by what nat.h has in it
AROUND = Path(__file__).with_name("around.c")


def compiled(
    folder: Path, width: int, text: str | None = None, level: str = "O1"
) -> tuple[list[str], Code]:
    """The operations of a snapshot's nat.h, or of another text in its
    place, each by the name of the function around it without `prove_`, and
    their code.  Raises Failure."""
    text = (folder / "nat.h").read_text(encoding="utf-8") if text is None else text
    names = HEAD.findall(text)
    if not names:
        return [], Code({}, {})
    with tempfile.TemporaryDirectory() as temporary:
        Path(temporary, "nat.h").write_text(text, encoding="utf-8")
        forms = [form for start, form in FORMS.items() if start in text]
        words = (f"WIDTH={width}", *forms, *(f"PROVE_{name}" for name in names))
        defined = (f"-D{word}" for word in words)
        code = built(AROUND, f"-{level}", "-fno-inline", f"-I{temporary}", *defined)
    return [name[6:] for name in code.functions if name.startswith("prove_")], code


def prove_operation(name: str, width: int, lowest: bool, code: Code) -> None:
    """An operation computes what its name says, or the lowest bit of it.  Raises Unproved."""
    if name.startswith("shr"):  # every k is a case of its own, and all are one question
        algebra = Words()
        machines = ((k, Machine(code, algebra, [])) for k in range(width))
        algebra.prove(reduce(and_, (called(name, width, lowest, m, k) for k, m in machines)))
        return
    for machine in Machine.paths(code):
        last = variable("k") if name.startswith("halve") else Y
        machine.algebra.prove(called(name, width, lowest, machine, last))


def called(name: str, width: int, lowest: bool, machine: Machine, last: Value) -> Bits:
    """That the result of a call with `last` as third argument is right.  Raises Unproved."""
    limbs = width // 32
    machine.enter(limbs)
    machine.memory.update(machine.code.words)  # constants
    machine.memory[Y + 4 * limbs] = variable("d")
    machine.writable.add(Z + 4 * limbs)
    machine.registers[:4] = [Z, X, last, None]
    machine.run(machine.code.functions[f"prove_{name}"][0], RETURN)
    z = machine.left({"less": 1, "add_multiple": limbs + 1}.get(name, limbs))
    wanted = result(name.partition("_in_")[0], width, machine.algebra, last)[: z.width]
    return z[:1].equals(wanted[:1]) if lowest else z.equals(wanted)


def result(name: str, width: int, algebra: Words, last: Value) -> Bits:
    """What an operation makes of x, y and `last`, with a limb more."""
    wide = width + 32
    xs, ys = operand("x", width // 32), operand("y", width // 32)
    x, y, k = joined(xs, wide), joined(ys, wide), joined([last], wide)
    if name == "add_multiple":  # (x_i + d y_i) 2^(32 i)
        pairs = [algebra.product(b, variable("d")) for b in ys]
        terms = (bits(a, wide) + bits(b, wide) << 32 * i for i, (a, b) in enumerate(zip(xs, pairs)))
        return sum(terms, bits(0, wide))
    if name == "less":
        return bits(x < y, wide)
    if name in ("add", "sub"):
        return x + y if name == "add" else x - y
    return x >> k if name == "shr" else (x | k << width) >> 1


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
        """Whether the proof goes through for this code."""
        try:
            self.check(changed)
        except Unproved:
            return False
        return True


# rsa.c wants only the lowest bit of a number that is shifted if nothing else mentions shr or s.
LOWEST = re.compile(r"/\*.*?\*/|nat [\w, ]*;|odd\(s\)|shr\(s, \w+, i\);|odd\(shr\(\w+, i\)\)", re.S)
SHIFTED = re.compile(r"\bs\b|\bshr\b")
WINDOWED = ("width-64", "v3")
# Of all other assembly word-serial products are shown.
PROVERS: dict[tuple[str, str], Callable[[Code, Code], None]] = {
    **{key: partial(rounds.prove_bit_serial, kind) for key, kind in rounds.ROUNDS.items()},
    **{("limit", name): partial(columns.prove_lanes, name) for name in columns.MOST},
    WINDOWED: products.prove_windowed,
}


def of_assembly(snapshot: Snapshot) -> Proof:
    """The proof of a snapshot's mont.S."""
    key = snapshot.study, snapshot.name
    prover = PROVERS.get(key, products.prove_product)
    code = built(snapshot.path / "mont.S", f"-DWIDTH={snapshot.width}")
    functions = code.functions if key == WINDOWED else ["mont_mul"]
    spans = [code.functions[name] for name in functions]
    if snapshot.name in columns.MOST:
        spans += [(piece.start, piece.end) for piece in columns.pieces(code, "mod_exp")]
    covered = {at for span in spans for at in range(*span, 4)}
    name = f"{snapshot.study}/{snapshot.name} mont.S"
    return Proof(name, code, frozenset(covered), partial(prover, code))


def of_numbers(snapshot: Snapshot, text: str | None = None, level: str = "O1") -> Iterator[Proof]:
    """A proof for each operation of a snapshot's nat.h, or of another text
    in its place: then shr needs to be right only in what rsa.c wants of it."""
    names, code = compiled(snapshot.path, snapshot.width, text, level)
    rsa = LOWEST.sub("", (snapshot.path / "rsa.c").read_text(encoding="utf-8"))
    for name in names:
        operation = name.partition("_in_")[0]
        lowest = text is not None and operation == "shr" and not SHIFTED.search(rsa)
        covered = frozenset(range(*code.functions[operation], 4))
        label = f"{snapshot.study}/{snapshot.name} nat.h -{level} {name}"
        check = partial(prove_operation, name, snapshot.width, lowest)
        yield Proof(label, code, covered, check)


def every_proof() -> Iterator[Proof]:
    """In the order of the snapshots."""
    for snapshot in ladder.every():
        if snapshot.has_assembly:
            yield of_assembly(snapshot)
        for level in LEVELS:
            yield from of_numbers(snapshot, level=level)


def main() -> int:
    """Tries all proofs; status 1 when one fails."""
    outcomes, start = [], time.monotonic()
    for proof in every_proof():
        try:
            proof.check(proof.code)
            outcomes.append("proved")
        except Unproved as fault:
            known = "beyond these proofs" if isinstance(fault, Beyond) else "NOT PROVED"
            outcomes.append(f"{known}: {fault}")
        print(f"{proof.name:<52}{outcomes[-1]}", flush=True)
    proved, failed, beyond = (sum(o[0] == first for o in outcomes) for first in "pNb")
    seconds = time.monotonic() - start
    print(f"{proved} proofs, {failed} failed, {beyond} not tried; {seconds:.0f} s")
    return int(failed > 0)
