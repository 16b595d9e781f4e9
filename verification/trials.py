"""Code that a proof does not accept is run, in Unicorn: is there a counterexample?

A proof that does not go through says nothing yet: it may not understand the
code, the solver may have met a limit, or found numbers for a sum that no
operands give.  Code is refuted when it is wrong for operands that can be named.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Protocol

from harness import kinds
from harness.elf import Elf
from harness.operands import Call, power, product
from harness.unicorn import EXECUTE, PRESERVED, R0, READ, WRITE, Engine
from records.faults import Failure
from records.ladder import Snapshot
from verification.court import Court, Mutant, committed, program, to_bytes
from verification.machine import STACK, Code, operand_in
from verification.symbols import MASK


class Trial(Protocol):
    """What runs the code that a proof is about."""

    def counterexample(self, code: Code, operands: Mapping[str, int]) -> str:
        """Return operands for which the code is wrong, and how; "" where none is found.  The first
        that it tries are `operands`, the solver's words by their names.  Raises Failure."""


def words_of(number: int, count: int) -> list[int]:
    """Return the words of a number, the lowest first."""
    return [number >> 32 * i & MASK for i in range(count)]


# --- a function alone -----------------------------------------------------------------------------

MEMORY = 0x100000  # bytes from address 0 on: operands, stack, code
OPERANDS = 0x8000  # bytes that a call may change only where its result is
JUNK = b"\xa5\xc3\xf0\x0d"
CALL_INSTRUCTIONS = 1_000_000  # that a call may execute


class Bench:
    """The memory of an emulator with code that machine.py has built.  `operands` say what r4 to r12
    hold before a call, where the solver says it."""

    def __init__(self, code: Code, operands: Mapping[str, int]) -> None:
        self.functions = code.functions
        self.preserved = dict(PRESERVED)
        for i in range(4, 12):
            self.preserved[R0 + i] = operands.get(f"old{i}", PRESERVED[R0 + i])
        self.before = {**self.preserved, R0 + 12: operands.get("old12", 0)}
        self.engine = Engine()
        self.engine.map(0, MEMORY, READ | WRITE | EXECUTE)
        for segment in code.segments:
            self.engine.uc.mem_write(segment.start, segment.data)
        for address, word in code.words.items():
            self.engine.uc.mem_write(address, to_bytes(word))

    def call(
        self,
        function: str,
        arguments: Sequence[int],
        numbers: Mapping[int, Sequence[int]],
        z: int,
        size: int,
    ) -> list[int]:
        """Call a function with words in memory, by their address, and return the `size` words that
        it leaves at z.  Raises NoEnd, and Failure if it crashes or changes what it must not."""
        uc = self.engine.uc
        uc.mem_write(0, JUNK * (OPERANDS // len(JUNK)))
        for address, words in numbers.items():
            uc.mem_write(address, to_bytes(*words))
        before = uc.mem_read(0, OPERANDS)
        entry, _ = self.functions[function]
        self.engine.set_registers(self.before)
        self.engine.call(entry, STACK, *arguments, instructions=CALL_INSTRUCTIONS)
        self.engine.check_preserved(self.preserved)
        after = uc.mem_read(0, OPERANDS)
        end = z + 4 * size
        if after[:z] != before[:z] or after[end:] != before[end:]:
            raise Failure("it changes other memory than its result")
        return [int.from_bytes(after[at : at + 4], "little") for at in range(z, end, 4)]


# --- the program of a snapshot --------------------------------------------------------------------

PAIRS = 50  # of x and y that are drawn for a sum of the solver


class OfAssembly:
    """A mont.S with the rest of its snapshot; `code` is its own, without a mutation."""

    def __init__(self, snapshot: Snapshot, code: Code) -> None:
        self.snapshot = snapshot
        self.code = code

    @cached_property
    def program(self) -> Elf:
        """Return the program without a mutation.  Raises Failure."""
        folder = self.snapshot.path
        width = f"-DWIDTH={self.snapshot.width}"
        return program("-O1", width, folder / "rsa.c", folder / "mont.S")

    def mutant(self, code: Code) -> Mutant:
        """Return the program with the words of this code in the place of its own."""
        entry, _ = self.code.functions["mont_mul"]
        moved = self.program.entry("mont_mul") - entry
        words = {}
        for address, word in code.words.items():
            if word != self.code.words.get(address):
                words[address + moved] = word
        return Mutant(self.program, words)

    @cached_property
    def original(self) -> Mutant:
        """Return the program as it is."""
        return self.mutant(self.code)

    @cached_property
    def court(self) -> Court:
        """Return the court of the committed vectors."""
        width = self.snapshot.width
        return Court(committed(width), width, self.original)

    def counterexample(self, code: Code, operands: Mapping[str, int]) -> str:
        """Return a call of mont_mul or mod_exp for which the code is wrong; see Trial."""
        mutant = self.mutant(code)
        courts = [self.court]
        calls = calls_of(operands, self.snapshot.width)
        if calls:
            courts.append(Court(calls, self.snapshot.width, self.original))
        for court in courts:
            finding = court.find(mutant)
            if finding and not finding.late:
                call = court.calls[finding.vector]
                numbers = f"n = {call.n:#x}, x = {call.x:#x}, y = {call.y:#x}"
                return f"{call.function} of {numbers}: wrong, {call.z:#x} is right"
        return ""


def calls_of(operands: Mapping[str, int], width: int) -> list[Call]:
    """Return calls with the solver's n, x and y; and, where it has a sum t of the product before
    its final subtraction, x and y that give it modulo n.  None where n is no modulus."""
    limbs = width // 32
    n, x, y = (operand_in(operands, name, limbs) for name in "nxy")
    if n < 3 or n % 2 == 0:
        return []
    calls = [product(n, x % n, y % n, width)]
    if "t" in operands:
        source = kinds.Stream(f"{n}")
        z = operands["t"] % n
        for _ in range(PAIRS):
            n, x, y = kinds.giving(source, width, n, z)
            calls.append(product(n, x, y, width))
    return [*calls, power(n, x, y)]
