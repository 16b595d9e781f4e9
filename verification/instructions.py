"""What each instruction does, of the core and of NEON, to a machine that holds symbols.

capstone says what an instruction is.  INSTRUCTIONS, at the end, has those that
are understood.
"""

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from verification.machine import LR, PC, State, text
from verification.symbols import (
    MASK,
    Bits,
    Value,
    alike,
    bits,
    either,
    joined,
    pair,
    sum_of,
)

# A machine holds its registers as a list of words: 16 of the core, then 64 of vectors.  REGISTERS
# says which words of that list a register has: r3, d1 (two), q1 (four), d1[0] (one).
CORE = [*map("r{}".format, range(9)), "sb", "sl", "fp", "ip", "sp", "lr", "pc"]
REGISTERS = {name: range(i, i + 1) for i, name in enumerate(CORE)}
for letter, size in (("s", 1), ("d", 2), ("q", 4)):
    for first in range(16, 80, size):
        vector = f"{letter}{(first - 16) // size}"
        REGISTERS[vector] = range(first, first + size)
        for lane in range(size):
            REGISTERS[f"{vector}[{lane}]"] = range(first + lane, first + lane + 1)
# An address: base, alignment, offset, write back.
ADDRESS = re.compile(r"\[(\w+)(?::(\w+))?(?:, (.+))?\](!?)")

SHIFTS: dict[str, Callable[[Bits, Bits], Bits]] = {
    "lsl": operator.lshift,
    "lsr": operator.rshift,
    "asr": Bits.asr,
    "ror": lambda value, by: value >> by | value << bits(32) - by,
}
LOGIC: dict[str, Callable[[Value, Value], Value]] = {
    "and": lambda x, y: bits(y) & x,
    "bic": lambda x, y: ~bits(y) & x,
    "orr": lambda x, y: bits(y) | x,
    "eor": lambda x, y: bits(y) ^ x,
    "mvn": lambda x, y: ~bits(y),
    "mov": lambda x, y: y,
    "movw": lambda x, y: y,
    "movt": lambda x, y: bits(x) & 0xFFFF | y << 16,
}
SUMS = "add adc sub sbc rsb rsc".split()
COMPARES = {"cmn": "add", "cmp": "sub", "tst": "and", "teq": "eor"}
TRANSFERS = "ldr ldrb ldrd str strd vldr vstr vld1.32 vld1.64 vst1.32 vst1.64".split()
BLOCKS = "push pop vpush vpop ldm ldmib ldmda ldmdb stm stmib stmda stmdb".split()
MOVES = "vmov vmov.32 vmov.f64 vswp".split()
ALWAYS = 14  # the condition of an instruction without one

# --- lanes of vectors -----------------------------------------------------------------------------

Lane = Callable[[Bits, Bits, Bits], Bits]


def by_register(a: Bits, b: Bits, z: Bits) -> Bits:
    """Return lane a shifted left by the lowest byte of b, or right where that is negative."""
    by = b[:8].signed(a.width)
    negative = by[a.width - 1 :]
    right: Bits = a >> (bits(0, a.width) - by)
    return either(negative, right, a << by)


def product(a: Bits, b: Bits) -> Bits:
    """Return the product of two lanes, which has twice their bits."""
    wide: Bits = sum_of(64, a) * sum_of(64, b)
    return wide


# name: (bits of a lane of the result, bits of a lane of the operands, the new lane of the result).
# z is the lane's value before, a and b are the operands' lanes; b may be a number.
LANES: dict[str, tuple[int, int, Lane]] = {
    "vadd.i32": (32, 32, lambda a, b, z: a + b),
    "vsub.i32": (32, 32, lambda a, b, z: a - b),
    "vaddl.u32": (64, 32, lambda a, b, z: bits(a, 64) + bits(b, 64)),
    "vsubl.u32": (64, 32, lambda a, b, z: bits(a, 64) - bits(b, 64)),
    "vmull.u32": (64, 32, lambda a, b, z: product(a, b)),
    "vmlal.u32": (64, 32, lambda a, b, z: z + product(a, b)),
    "vmul.i32": (32, 32, lambda a, b, z: a * b),
    "vmovn.i64": (32, 64, lambda a, b, z: a[:32]),
    "vshrn.i64": (32, 64, lambda a, b, z: (a >> b)[:32]),
    "vbic.i32": (32, 32, lambda a, b, z: z & ~a),
    "vmov.i32": (32, 32, lambda a, b, z: a),
    "vdup.32": (32, 32, lambda a, b, z: a),
    "vand": (32, 32, lambda a, b, z: a & b),
    "vorr": (32, 32, lambda a, b, z: a | b),
    "vceq.i32": (32, 32, lambda a, b, z: a.equals(b).signed(32)),
    "vcgt.u32": (32, 32, lambda a, b, z: (b < a).signed(32)),
    "vshr.u32": (32, 32, lambda a, b, z: a >> b),
    "vsra.u64": (64, 64, lambda a, b, z: z + (a >> b)),
    "vsra.s64": (64, 64, lambda a, b, z: z + a.asr(b)),
    "vsli.32": (32, 32, lambda a, b, z: a << b | z & ~(bits(-1) << b)),
    "vshl.i32": (32, 32, lambda a, b, z: a << b),
    "vshl.u32": (32, 32, by_register),
    "vshl.u64": (64, 64, by_register),
    "vneg.s32": (32, 32, lambda a, b, z: bits(0) - a),
    "vbif": (32, 32, lambda a, b, z: z & b | a & ~b),
    "vbit": (32, 32, lambda a, b, z: a & b | z & ~b),
    "vbsl": (32, 32, lambda a, b, z: a & z | b & ~z),
}
READS_Z = (
    "vmlal.u32",
    "vbic.i32",
    "vsra.u64",
    "vsra.s64",
    "vsli.32",
    "vbif",
    "vbit",
    "vbsl",
)


# --- what they do ---------------------------------------------------------------------------------


class Machine(State):
    """A machine that executes instructions: each method executes those of one kind."""

    def step(self, word: int) -> None:
        """Execute the instruction that this word encodes."""
        self.word = word
        self.registers[PC] += 4
        condition = word >> 28
        if condition < ALWAYS and not self.holds(condition):
            return
        name, operands = text(word)
        self.sets = name not in INSTRUCTIONS and name.endswith("s")
        if self.sets:
            name = name[:-1]
        if name not in INSTRUCTIONS or (name[0] == "v" and "pc" in operands):
            raise self.unclear
        INSTRUCTIONS[name](self, name, operands)

    def indices(self, operands: Sequence[str]) -> list[int]:
        """Return which words of `registers` these have, the lowest first.  Raises Unproved."""
        indices: list[int] = []
        for name in operands:
            if name not in REGISTERS:
                raise self.unclear
            indices += REGISTERS[name]
        return indices

    def read(self, *operands: str) -> Any:
        """Return the words of registers."""
        return [self.get(index) for index in self.indices(operands)]

    def write(self, operands: Sequence[str], words: Sequence[Value]) -> None:
        """Write as many words as the registers have."""
        for index, value in zip(self.indices(operands), words, strict=True):
            self.set(index, value)

    def second(self, operands: Sequence[str]) -> tuple[Value, Value]:
        """Return the last operand, shifted or not, and the carry that its shift leaves."""
        first, *shift = operands
        if first[0] == "#":
            return self.immediate(first, shift)
        (word,) = self.read(first)
        if not shift:
            return word, self.carry
        kind, *by = shift
        return self.shifted(bits(word), kind, by)

    def immediate(self, number: str, turn: Sequence[str]) -> tuple[Value, Value]:
        """Return a number turned right, and the carry, which is its top bit if it was turned."""
        value = int(number[1:], 0) & MASK
        if turn:
            by = int(turn[0][1:])
            left = value << 32 - by
            value = (value >> by | left) & MASK
        if turn or value > 255:
            return value, value >> 31
        return value, self.carry

    def shifted(self, value: Bits, kind: str, by: Sequence[str]) -> tuple[Value, Value]:
        """Return a word shifted by a number or register, and the carry, the last bit out of it."""
        if kind == "rrx":
            return joined([value[1:], bits(self.carry, 1)]), value[:1]
        distance, _ = self.second(by)
        lowest_byte = bits(distance)[:8]
        amount = bits(lowest_byte, 32)
        is_number = amount.term.is_value()
        if kind == "ror" and not (is_number and int(amount) < 32):
            raise self.unclear
        result = SHIFTS[kind](value, amount)
        if not is_number:
            return result, None
        count = int(amount)
        if count == 0:
            return result, self.carry
        last = 32 - count if kind == "lsl" else count - 1
        carry = value[last : last + 1] if 0 <= last < 32 else None
        return result, carry

    def sum(self, name: str, x: Value, y: Value) -> tuple[Value, Value, Any]:
        """Return of one of SUMS the value, the carry, and the sum that it is: (a, b, a + b).

        A difference z = x - y is the sum z + y = x.
        """
        if name in ("rsb", "rsc"):
            x, y = y, x
        if name in ("add", "adc"):
            carry = self.carry if name == "adc" else 0
            value, carry = self.algebra.add(x, y, carry)
            return value, carry, (x, y, value)
        carry = 1 if name in ("sub", "rsb") else self.carry
        value, carry = self.algebra.sub(x, y, carry)
        return value, carry, (value, y, x)

    def compute(self, name: str, operands: list[str]) -> None:
        """Execute a sum, a logical operation, a move or a shift."""
        target, *sources = operands
        if name in (*SHIFTS, "rrx"):  # lsl r0, r1, #2 is mov r0, r1, lsl #2
            sources.insert(1, name)
            name = "mov"
        elif name == "movt":  # keeps the low half of its target
            sources.insert(0, target)
        value, carry, added = self.computed(name, sources)
        if self.sets:
            if target == "pc":
                raise self.unclear
            self.set_flags(value, carry, added)
        self.write([target], [value])

    def set_flags(self, result: Value, carry: Value, added: Any) -> None:
        """Keep what the flags follow from: N and Z from the result, V from the sum."""
        self.result = result
        self.carry = carry
        self.added = added

    def compare(self, name: str, operands: list[str]) -> None:
        """Execute a comparison, which computes and keeps the flags alone."""
        self.set_flags(*self.computed(COMPARES[name], operands))

    def computed(self, name: str, sources: list[str]) -> tuple[Value, Value, Any]:
        """Return the value that an operation gives, the carry, and the sum that gives V."""
        x = None
        if name not in ("mov", "movw", "mvn"):
            first, *sources = sources
            (x,) = self.read(first)
        y, carry = self.second(sources)
        if name in SUMS:
            return self.sum(name, x, y)
        return LOGIC[name](x, y), carry, self.added

    def field(self, name: str, operands: list[str]) -> None:
        """Execute ubfx, sbfx or uxtb."""
        target, source, *numbers = operands
        if name == "uxtb":
            numbers = ["#0", "#8", *numbers]
        if len(numbers) != 2:
            raise self.unclear
        lowest, width = (int(number[1:], 0) for number in numbers)
        if lowest + width > 32:
            raise self.unclear
        (word,) = self.read(source)
        part = bits(word)[lowest : lowest + width]
        value = part.signed(32) if name == "sbfx" else bits(part, 32)
        self.write([target], [value])

    def multiply(self, name: str, operands: list[str]) -> None:
        """Execute mul or mla; the flags, if they are set, are not known."""
        target, *sources = operands
        x, y, *addends = self.read(*sources)
        value = self.algebra.mul(x, y)
        for addend in addends:
            value, _ = self.algebra.add(value, addend, 0)
        self.write([target], [value])
        self.forget_result()

    def multiply_long(self, name: str, operands: list[str]) -> None:
        """Execute umull, umlal or umaal; the flags, if they are set, are not known."""
        *targets, x_name, y_name = operands
        low, high = targets
        if low == high:
            raise self.unclear
        x, y = self.read(x_name, y_name)
        old = (0, 0) if name == "umull" else self.read(low, high)
        if name == "umlal":
            new = self.algebra.mlal(x, y, *old)
        else:
            new = self.algebra.mull(x, y, *old)
        self.write(targets, new)
        self.forget_result()

    def forget_result(self) -> None:
        """Take N and Z as not known where the instruction sets the flags."""
        if self.sets:
            self.result = None

    def branch(self, name: str, operands: list[str]) -> None:
        """Execute b, bl or bx."""
        behind = self.registers[PC]
        if name == "bl":
            self.set(LR, behind)
        if name == "bx":
            (target,) = self.read(*operands)
        else:
            target = behind - 4 + int(operands[0][1:], 0)
        self.set(PC, target)

    def block(self, name: str, operands: list[str]) -> None:
        """Execute ldm, stm, push or pop, which transfer many registers."""
        if name.endswith(("push", "pop")):
            operands = ["sp!", *operands]
        written_base, *listed = operands
        base = written_base.rstrip("!")
        writes_back = written_base != base
        if base == "pc" or (writes_back and base in listed):
            raise self.unclear
        indices = self.indices(listed)
        (address,) = self.read(base)
        lowest = int(bits(address))
        size = 4 * len(indices)
        # The lowest word of a block that grows down is `size` lower; before means that the base is
        # moved first, so that the block lies a word higher (up) or begins at the new base (down).
        down = name.endswith(("da", "db", "push"))
        before = name.endswith(("ib", "db", "push"))
        moved = lowest - size if down else lowest + size
        if down:
            lowest = moved
        if before != down:
            lowest += 4
        if writes_back:
            self.write([base], [moved])
        self.copy(name, indices, lowest)

    def transfer(self, name: str, operands: list[str]) -> None:
        """Execute a load or store of one register, or a few: ldr r0, [r1, #4]!"""
        at = next(i for i, operand in enumerate(operands) if operand[0] == "[")
        listed = operands[:at]
        after = operands[at + 1 :]
        address = ADDRESS.fullmatch(operands[at])
        indices = self.indices(listed)
        if not address or (name.endswith("d") and indices[0] not in range(0, 14, 2)):
            raise self.unclear
        base, alignment, inside, writes_back = address.groups()
        if writes_back and not inside:
            after = [f"#{4 * len(indices)}"]
        (word,) = self.read(base)
        start = bits(word)
        offset = after or (inside or "#0").replace(",", "").split()
        moved = self.moved(start, offset)
        if after or writes_back:
            if base in ("pc", *listed):
                raise self.unclear
            self.write([base], [moved])
        lowest = start if after else moved
        if alignment and int(lowest) % (int(alignment, 0) // 8):
            raise self.unclear
        self.copy(name, indices, lowest)

    def moved(self, start: Bits, offset: Sequence[str]) -> Value:
        """Return an address with an offset added, or subtracted where it begins with a minus."""
        first, *shift = offset
        unsigned = first.removeprefix("-")
        distance, _ = self.second([unsigned, *shift])
        if first == unsigned:
            return start + distance
        return start - distance

    def copy(self, name: str, indices: list[int], address: Value) -> None:
        """Copy words between registers and memory, one after the other; of ldrb a byte."""
        if name == "ldrb":
            byte = int(bits(address))
            word = bits(self.load(byte & ~3))
            shift = 8 * (byte & 3)
            self.set(indices[0], word >> shift & 255)
            return
        loads = "ld" in name or "pop" in name
        for i, index in enumerate(indices):
            if loads:
                self.set(index, self.load(address + 4 * i))
            else:
                self.store(address + 4 * i, self.get(index))

    def move(self, name: str, operands: list[str]) -> None:
        """Execute a move of words from registers to registers."""
        indices = self.indices(operands)
        size = len(indices) // 2
        targets = indices[:size]
        sources = indices[size:]
        words = [self.get(index) for index in sources]
        if name == "vswp":
            words += [self.get(index) for index in targets]
        for index, word in zip(indices, words):
            self.set(index, word)

    def extract(self, name: str, operands: list[str]) -> None:
        """Execute vext: words of two registers, one behind the other, from a number on."""
        target, low, high, number = operands
        first = int(number[1:], 0)
        size = len(self.indices([target]))
        sources = self.indices([low, high])
        words = [self.get(index) for index in sources[first : first + size]]
        self.write([target], words)

    def lanes(self, name: str, operands: list[str]) -> None:
        """Give each lane of the result its value, from the same lanes of the operands."""
        width, source_width, form = LANES[name]
        target, first, *seconds = operands
        count = 32 * len(self.indices([target])) // width
        a = self.in_lanes(first, source_width, count)
        b = a
        for second in seconds:
            b = self.in_lanes(second, source_width, count)
        z = [bits(0, width)] * count
        if name in READS_Z:
            z = self.in_lanes(target, width, count)
        words = []
        for before in zip(a, b, z, strict=True):
            lane = form(*before)
            words += [lane[bit : bit + 32] for bit in range(0, width, 32)]
        self.write([target], words)

    def in_lanes(self, operand: str, width: int, count: int) -> list[Bits]:
        """Return an operand's lanes; a number or a register of the core is the same in all."""
        if operand[0] == "#":
            number = int(operand[1:], 0)
            return [bits(number, width)] * count
        words: list[Bits] = []
        for word in self.read(operand):
            words += alike(32, word)
        if width == 64:
            return list(map(pair, words[::2], words[1::2]))
        return words * (count // len(words))


# What is understood.
INSTRUCTIONS: dict[str, Callable[[Machine, str, list[str]], None]] = {
    **dict.fromkeys((*SUMS, *LOGIC, *SHIFTS, "rrx"), Machine.compute),
    **dict.fromkeys(COMPARES, Machine.compare),
    **dict.fromkeys(("ubfx", "sbfx", "uxtb"), Machine.field),
    **dict.fromkeys(("mul", "mla"), Machine.multiply),
    **dict.fromkeys(("umull", "umlal", "umaal"), Machine.multiply_long),
    **dict.fromkeys(("b", "bl", "bx"), Machine.branch),
    **dict.fromkeys(BLOCKS, Machine.block),
    **dict.fromkeys(TRANSFERS, Machine.transfer),
    **dict.fromkeys(LANES, Machine.lanes),
    **dict.fromkeys(MOVES, Machine.move),
    "vext.32": Machine.extract,
    "nop": lambda machine, name, operands: None,
}
