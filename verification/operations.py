"""The operations of each nat.h: add, sub, less, shr, halve and add_multiple.

Each is compared with arithmetic at the full width.  The nat.h is compiled with
a function around each operation that passes numbers as the contract does,
without inlining, and executed for all operands at once; or, for a
counterexample, on numbers.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness import kinds
from harness.unicorn import NoEnd
from records import c_functions
from records.faults import Failure
from verification.instructions import Machine
from verification.machine import RETURN, Code, X, Y, Z, built, operand, operand_in
from verification.symbols import Bits, Value, Words, bits, joined, variable
from verification.trials import Bench, words_of

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


class Given(NamedTuple):
    """What an operation is given: the words of x and y, the digit d, and a third argument: how far
    it shifts, the bit that it shifts in, or the address of y."""

    x: Sequence[Value]
    y: Sequence[Value]
    d: Value
    last: Value


DRAWN = 20  # operands that are tried beside those of the solver


@dataclass(frozen=True)
class Operation:
    """A function around an operation: its name, with `_in_x` or `_in_y` where the result takes the
    place of an operand.  `lowest`: only the lowest bit of the result has to be right."""

    name: str
    width: int
    lowest: bool = False

    @property
    def kind(self) -> str:
        """Return which of OPERATIONS it is."""
        return self.name.partition("_in_")[0]

    @property
    def limbs(self) -> int:
        """Return how many limbs an operand has."""
        return self.width // 32

    @property
    def size(self) -> int:
        """Return how many words the result has."""
        sizes = {"less": 1, "add_multiple": self.limbs + 1}
        return sizes.get(self.kind, self.limbs)

    def result(self, algebra: Words, given: Given) -> Bits:
        """Return the right result."""
        wide = self.width + 32
        x = joined(given.x, wide)
        y = joined(given.y, wide)
        k = joined([given.last], wide)
        if self.kind == "add_multiple":
            total = self.sum_with_multiple(algebra, given)
        elif self.kind == "less":
            total = bits(x < y, wide)
        elif self.kind == "add":
            total = x + y
        elif self.kind == "sub":
            total = x - y
        elif self.kind == "shr":
            total = x >> k
        else:  # halve: k is the bit above the top limb
            total = (x | k << self.width) >> 1
        return total[: 1 if self.lowest else 32 * self.size]

    def sum_with_multiple(self, algebra: Words, given: Given) -> Bits:
        """Return the sum of (x_i + d y_i) 2^(32 i)."""
        wide = self.width + 32
        total = bits(0, wide)
        for i, (x_i, y_i) in enumerate(zip(given.x, given.y)):
            d_y_i = algebra.product(y_i, given.d)
            total = total + (bits(x_i, wide) + bits(d_y_i, wide) << 32 * i)
        return total

    # --- its proof

    def prove(self, code: Code) -> None:
        """Prove that it computes what its name says.  Raises Unproved."""
        if self.kind == "shr":  # every k is a case of its own, and all are one question
            algebra = Words()
            every_k = bits(1, 1)
            for k in range(self.width):
                machine = Machine(code, algebra, [])
                every_k = every_k & self.is_right(machine, k)
            algebra.prove(every_k)
            return
        for machine in Machine.paths(code):
            last = variable("k") if self.kind == "halve" else Y
            machine.algebra.prove(self.is_right(machine, last))

    def is_right(self, machine: Machine, last: Value) -> Bits:
        """Return whether the result of a call with `last` as third argument is right.

        Raises Unproved.
        """
        machine.enter(self.limbs)
        machine.memory.update(machine.code.words)  # constants
        d = machine.memory[Y + 4 * self.limbs] = variable("d")
        machine.writable.add(Z + 4 * self.limbs)
        machine.registers[:4] = [Z, X, last, None]
        entry, _ = machine.code.functions[f"prove_{self.name}"]
        machine.run(entry, RETURN)
        z = machine.left(self.size)
        given = Given(operand("x", self.limbs), operand("y", self.limbs), d, last)
        wanted = self.result(machine.algebra, given)
        return z[: wanted.width].equals(wanted)

    # --- its trial

    def counterexample(self, code: Code, operands: Mapping[str, int]) -> str:
        """Return operands for which the code is wrong, and how; "" where none is found."""
        bench = Bench(code, operands)
        for given in self.tried(operands):
            if wrong := self.wrong(bench, given):
                return f"{self.name} of {self.text(given)}: {wrong}"
        return ""

    def text(self, given: Given) -> str:
        """Return the operands, those that this operation has."""
        x = int(joined(given.x))
        y = int(joined(given.y))
        texts = {
            "shr": f"x = {x:#x}, k = {given.last}",
            "halve": f"x = {x:#x}, k = {given.last:#x}",
            "add_multiple": f"x = {x:#x}, y = {y:#x}, d = {given.d:#x}",
        }
        return texts.get(self.kind, f"x = {x:#x}, y = {y:#x}")

    def wrong(self, bench: Bench, given: Given) -> str:
        """Return what is wrong with the result for these numbers, "" if nothing is."""
        numbers = {X: given.x, Y: [*given.y, given.d]}
        try:
            words = bench.call(
                f"prove_{self.name}", [Z, X, given.last], numbers, Z, self.size
            )
        except NoEnd:
            return ""
        except Failure as fault:
            return str(fault)
        right = self.result(Words(), given)
        z = joined(words)[: right.width]
        return "" if z == right else f"got {int(z):#x}, not {int(right):#x}"

    def tried(self, operands: Mapping[str, int]) -> Iterator[Given]:
        """Yield the solver's operands, and such as a mistake stumbles over."""
        source = kinds.Stream(self.name)
        x = operand_in(operands, "x", self.limbs)
        y = operand_in(operands, "y", self.limbs)
        d = operands.get("d", 0)
        k = operands.get("k", 0)
        yield from self.with_last(x, y, d, k)
        for i in range(DRAWN):
            draw = source.bits if i % 2 else partial(kinds.edges, source)
            yield from self.with_last(
                draw(self.width), draw(self.width), draw(32), draw(32)
            )

    def with_last(self, x: int, y: int, d: int, k: int) -> Iterator[Given]:
        """Yield the operands with each third argument that there may be."""
        every_last: Sequence[int] = [Y]
        if self.kind == "shr":
            every_last = range(self.width)
        elif self.kind == "halve":
            every_last = [k, 0, 1]
        for last in every_last:
            yield Given(words_of(x, self.limbs), words_of(y, self.limbs), d, last)
