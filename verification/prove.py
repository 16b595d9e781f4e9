"""`make prove`: all proofs, what each is about, one line each.

Of a nat.h, here: add, sub, less, shr, halve and add_multiple against arithmetic at the full width.
It is compiled with a function around each operation that passes numbers as the contract does,
without inlining, and executed for all operands at once.  Of a mont.S: products.py and rounds.py.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from records import ladder
from records.faults import Failure, command_line
from records.ladder import LEVELS, Snapshot
from verification import products, rounds
from verification.algebra import Bits, vector
from verification.code import LR, SP, Beyond, Code, Unproved, built
from verification.machine import FRAME, RETURN, STACK, X, Y, Z, on_every_path
from verification.neon import Vectors

NAMES = "add|sub|less|shr|halve|add_multiple"
HEAD = re.compile(rf"^static (?:inline )?(\w+) ({NAMES})\((.*)\)$", re.M)
ARGUMENTS = {"shr": "int k", "halve": "int top"}  # the last, where it is no number

KEPT = [f"old{i}" for i in range(4, 12)]  # what r4 to r11 hold before a call
KEPT_VECTORS = [f"old.s{i}" for i in range(16, 32)]  # and d8 to d15


class Operation(NamedTuple):
    """An operation of a nat.h; `place` is the operand that z is ("" for none of them); `lowest` if
    only the lowest bit of its result is wanted."""

    name: str
    place: str
    lowest: bool = False

    @property
    def function(self) -> str:
        """The function around it."""
        return f"prove_{self.name}{self.place}"


def operations(text: str) -> Iterator[tuple[Operation, str]]:
    """What a nat.h defines of them, each with the source of a function around it."""
    for result, name, parameters in HEAD.findall(text):
        plain = re.sub(r"\b(const|register) ", "", parameters)
        plain = re.sub(r"uint64_t (k|top)$", r"int \1", plain)
        second = {"shr": "k", "halve": "top"}.get(name, "b")
        by_value = "nat x, nat y" if second == "b" else f"nat x, int {second}"
        at = "&" if "void load(nat *z" in text else ""
        if "void load(" in text:
            load = f"nat a, b, c; load({at}a, x)" + (f"; load({at}b, y)" if second == "b" else "")
        else:
            load = "nat a = load(x)" + ("; nat b = load(y)" if second == "b" else "")
        if at:
            plain, second = plain.replace("nat *", "nat "), "&b" if second == "b" else second
        if name == "less" and plain == by_value:
            yield _wrapped(name, "", f"{load}; *z = (uint32_t)less({at}a, {second});")
        elif result == "nat" and plain == by_value:
            yield _wrapped(name, "", f"{load}; store(z, {name}(a, {second}));")
        elif re.fullmatch(r"nat \*?x, uint32_t d, nat y", plain):  # d is in memory above y
            into = "&a" if "*" in plain else "a"
            body = f"{load}; z[LIMBS] = add_multiple({into}, y[LIMBS], b); store(z, a);"
            yield _wrapped(name, "", body)
        elif result == "void" and plain == f"nat z, {by_value}":
            for place, z in {"": "c", "_in_x": "a", "_in_y": "b"}.items():
                if place != "_in_y" or "b" in second:
                    call = f"{name}({at}{z}, {at}a, {second}); store(z, {at}{z});"
                    yield _wrapped(name, place, f"{load}; {call}")


def _wrapped(name: str, place: str, body: str) -> tuple[Operation, str]:
    operation = Operation(name, place)
    last = ARGUMENTS.get(name, "const uint32_t *y")
    prototype = f"void {operation.function}(uint32_t *z, const uint32_t *x, {last})"
    return operation, f"{prototype}\n{{\n    {body}\n}}\n"


def compiled(
    folder: Path, width: int, text: str | None = None, level: str = "O1"
) -> tuple[list[Operation], Code]:
    """The operations of a snapshot's nat.h, or of another text in its place, and their code.
    Raises Failure."""
    text = (folder / "nat.h").read_text(encoding="utf-8") if text is None else text
    found = list(operations(text))
    if not found:
        return [], Code({}, {})
    with tempfile.TemporaryDirectory() as temporary:
        (Path(temporary) / "nat.h").write_text(text, encoding="utf-8")
        source = Path(temporary) / "around.c"
        source.write_text('#include "nat.h"\n' + "".join(body for _, body in found))
        code = built(source, f"-{level}", "-fno-inline", f"-DWIDTH={width}")
    return [operation for operation, _ in found], code


def prove_operation(operation: Operation, width: int, code: Code) -> None:
    """It computes what its name says.  Raises Unproved."""
    if operation.name == "shr":  # every k is a case of its own, and all are one question
        bits = Bits()
        variables(bits, width)
        cases = (called(operation, width, code, bits, k, []) for k in range(width))
        bits.prove(f"(and {' '.join(cases)})")
        return

    def check(decided: list[int]) -> None:
        bits = Bits()
        variables(bits, width)
        k = bits.variable("k") if operation.name == "halve" else Y
        bits.prove(called(operation, width, code, bits, k, decided))

    on_every_path(check)


def variables(bits: Bits, width: int) -> None:
    """The operands x and y, and what the registers hold that have to be preserved."""
    operands = [f"{name}{i}" for name in "xy" for i in range(width // 32)]
    for name in ["d", *operands, *KEPT, *KEPT_VECTORS]:
        bits.variable(name)


def called(
    operation: Operation, width: int, code: Code, bits: Bits, last: Any, decided: list[int]
) -> str:
    """The formula that the result of a call with `last` as third argument is right.  Raises
    Unproved."""
    limbs, wide = width // 32, width + 32
    machine = Vectors(bits, code, decided)
    machine.memory.update(code.words)  # constants
    for i in range(limbs):
        machine.memory[X + 4 * i], machine.memory[Y + 4 * i] = f"x{i}", f"y{i}"
    machine.memory[Y + 4 * limbs] = "d"
    machine.writable.update(range(Z, Z + 4 * limbs + 4, 4), range(STACK - FRAME, STACK, 4))
    machine.registers[:3] = [Z, X, last]
    machine.registers[4:12] = KEPT
    machine.vectors = [None] * 16 + KEPT_VECTORS + [None] * 32
    machine.registers[SP], machine.registers[LR] = STACK, RETURN
    machine.run(code.functions[operation.function][0], RETURN)
    kept = machine.registers[4:12] + machine.vectors[16:32]
    if kept != KEPT + KEPT_VECTORS or machine.registers[SP] != STACK:
        raise Unproved("a register that has to be preserved is not")
    x, y = (vector([f"{name}{i}" for i in range(limbs)], wide) for name in "xy")
    k = vector([last], wide)
    terms = []  # of x + d y, where it is wanted: (x_i + d y_i) 2^(32 i)
    for i in range(limbs):
        product = f"((_ zero_extend {wide - 64}) {bits.product(f'y{i}', 'd')})"
        term = f"(bvadd {vector([f'x{i}'], wide)} {product})"
        terms.append(f"(bvshl {term} (_ bv{32 * i} {wide}))")
    wanted = {
        "add": f"(bvadd {x} {y})",
        "sub": f"(bvadd {x} (bvnot {y}) (_ bv1 {wide}))",
        "shr": f"(bvlshr {x} {k})",
        "halve": f"(bvlshr (bvor {x} (bvshl {k} (_ bv{width} {wide}))) (_ bv1 {wide}))",
        "less": f"(ite (bvult {x} {y}) (_ bv1 {wide}) (_ bv0 {wide}))",
        "add_multiple": f"(bvadd {' '.join(terms)})",
    }[operation.name]
    size = {"less": 1, "add_multiple": limbs + 1}.get(operation.name, limbs)
    z = vector([machine.load(Z + 4 * i) for i in range(1 if operation.lowest else size)], wide)
    part = f"(_ extract {0 if operation.lowest else 32 * size - 1} 0)"
    return f"(= ({part} {z}) ({part} {wanted}))"


# --- all proofs -----------------------------------------------------------------------------------


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
PROVERS: dict[tuple[str, str], Callable[[Code, Code], None]] = {
    **{key: partial(products.prove_product, t) for key, t in products.PRODUCTS.items()},
    **{key: partial(rounds.prove_bit_serial, kind) for key, kind in rounds.ROUNDS.items()},
    WINDOWED: products.prove_windowed,
}


def is_known(snapshot: Snapshot) -> bool:
    """Whether there is a proof of a snapshot's mont.S."""
    return (snapshot.study, snapshot.name) in PROVERS


def of_assembly(snapshot: Snapshot) -> Proof | None:
    """The proof of a snapshot's mont.S, if there is one."""
    key = snapshot.study, snapshot.name
    if not is_known(snapshot):
        return None
    code = built(snapshot.path / "mont.S", f"-DWIDTH={snapshot.width}")
    functions = code.functions if key == WINDOWED else ["mont_mul"]
    covered = {a for name in functions for a in range(*code.functions[name], 4)}
    name = f"{snapshot.study}/{snapshot.name} mont.S"
    return Proof(name, code, frozenset(covered), partial(PROVERS[key], code))


def of_numbers(snapshot: Snapshot, text: str | None = None, level: str = "O1") -> Iterator[Proof]:
    """A proof for each operation of a snapshot's nat.h, or of another text in its place: then shr
    needs to be right only in what rsa.c wants of it."""
    found, code = compiled(snapshot.path, snapshot.width, text, level)
    rsa = LOWEST.sub("", (snapshot.path / "rsa.c").read_text(encoding="utf-8"))
    for operation in found:
        lowest = text is not None and operation.name == "shr" and not SHIFTED.search(rsa)
        operation = operation._replace(lowest=lowest)
        check = partial(prove_operation, operation, snapshot.width)
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
