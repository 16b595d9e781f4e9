"""add, sub, less, shr, halve and add_multiple of a nat.h against arithmetic at the full width.

A nat.h is compiled with a function around each operation that passes numbers as the contract does,
without inlining, and executed for all operands at once.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from verification.bits import Bits, number
from verification.code import LR, SP, Code, Unproved, built
from verification.machine import Machine, paths
from verification.state import FRAME, RETURN, STACK, X, Y, Z

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
        cases = [called(operation, width, code, bits, k, []) for k in range(width)]
        bits.prove(f"(and {' '.join(equal for _, equal in cases)})")
        return

    def make(decided: list[int]) -> Machine:
        bits = Bits()
        variables(bits, width)
        k = bits.variable("k") if operation.name == "halve" else Y
        machine, equal = called(operation, width, code, bits, k, decided)
        bits.prove(equal)
        return machine

    for _ in paths(make):
        pass


def variables(bits: Bits, width: int) -> None:
    """The operands x and y, and what the registers hold that have to be preserved."""
    for name in ["d", *(f"{x}{i}" for x in "xy" for i in range(width // 32))]:
        bits.variable(name)
    for name in [*KEPT, *KEPT_VECTORS]:
        bits.variable(name)


def called(
    operation: Operation, width: int, code: Code, bits: Bits, last: Any, decided: list[int]
) -> tuple[Machine, str]:
    """After a call with `last` as third argument: the machine, and the formula that the result is
    right.  Raises Unproved."""
    limbs, wide = width // 32, width + 32
    machine = Machine(bits, code, decided)
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
    x, y = (number([f"{name}{i}" for i in range(limbs)], wide) for name in "xy")
    k = number([last], wide)
    terms = []  # of x + d y, where it is wanted: (x_i + d y_i) 2^(32 i)
    for i in range(limbs):
        product = f"((_ zero_extend {wide - 64}) {bits.product(f'y{i}', 'd')})"
        term = f"(bvadd {number([f'x{i}'], wide)} {product})"
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
    z = number([machine.load(Z + 4 * i) for i in range(1 if operation.lowest else size)], wide)
    part = f"(_ extract {0 if operation.lowest else 32 * size - 1} 0)"
    return machine, f"(= ({part} {z}) ({part} {wanted}))"
