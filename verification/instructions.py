"""What each instruction does, of the core and of NEON, to a machine that holds symbols.

capstone says what an instruction is.  INSTRUCTIONS, at the end, has those that
are understood.
"""

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from verification.machine import LR, PC, State, text
from verification.symbols import MASK, Bits, Value, alike, bits, either, joined, pair, sum_of

# The places of a register's words in a machine's registers.
CORE = [*map("r{}".format, range(9)), "sb", "sl", "fp", "ip", "sp", "lr", "pc"]
REGISTERS = {name: range(i, i + 1) for i, name in enumerate(CORE)}
for kind, size in (("s", 1), ("d", 2), ("q", 4)):
    for place in range(16, 80, size):
        vector = f"{kind}{(place - 16) // size}"
        REGISTERS[vector] = range(place, place + size)
        REGISTERS |= {f"{vector}[{k}]": range(place + k, place + k + 1) for k in range(size)}
ADDRESS = re.compile(r"\[(\w+)(?::(\w+))?(?:, (.+))?\](!?)")  # base, alignment, offset, write back

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
MOVES = "vmov vmov.32 vmov.f64 vext.32 vswp".split()

# --- lanes of vectors -----------------------------------------------------------------------------

Lane = Callable[[Bits, Bits, Bits], Bits]


def by_register(a: Bits, b: Bits, z: Bits) -> Bits:
    """A lane shifted left by the lowest byte of another, or right where that is negative."""
    by = b[:8].signed(a.width)
    return either(by[a.width - 1 :], a >> (bits(0, a.width) - by), a << by)


def product(a: Bits, b: Bits) -> Bits:
    """Of two lanes, twice as wide."""
    wide: Bits = sum_of(64, a) * sum_of(64, b)
    return wide


# The bits of a lane of the result and of a lane of the operands, and what the former becomes: z
# was in it, a and b are the operands' lanes, or a number.
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
READS_Z = ("vmlal.u32", "vbic.i32", "vsra.u64", "vsra.s64", "vsli.32", "vbif", "vbit", "vbsl")


# --- what they do ---------------------------------------------------------------------------------


class Machine(State):
    """A machine that executes instructions: each method does what those of one kind do."""

    def step(self, word: int) -> None:
        """Executes one instruction, which is this word."""
        self.word, self.registers[PC] = word, self.registers[PC] + 4
        if word >> 28 < 14 and not self.holds(word >> 28):
            return
        name, operands = text(word)
        self.sets = name not in INSTRUCTIONS and name.endswith("s")
        if self.sets:
            name = name[:-1]
        if name not in INSTRUCTIONS or (name[0] == "v" and "pc" in operands):
            raise self.unclear
        INSTRUCTIONS[name](self, name, operands)

    def places(self, operands: Sequence[str]) -> list[int]:
        """Those of the words of registers, the lowest first.  Raises Unproved for what is none."""
        if not REGISTERS.keys() >= {*operands}:
            raise self.unclear
        return [place for name in operands for place in REGISTERS[name]]

    def read(self, *operands: str) -> Any:
        """The words of registers."""
        return [self.get(place) for place in self.places(operands)]

    def write(self, operands: Sequence[str], words: Sequence[Value]) -> None:
        """The same number of words to registers."""
        for place, value in zip(self.places(operands), words, strict=True):
            self.set(place, value)

    def second(self, operands: Sequence[str]) -> tuple[Value, Value]:
        """The last operand, shifted or not, and the carry that its shift leaves."""
        first, *shift = operands
        if first[0] == "#":
            turn = int(shift[0][1:]) if shift else 0
            number = (int(first[1:], 0) & MASK) * ((1 << 32) + 1) >> turn & MASK
            return number, number >> 31 if shift or number > 255 else self.carry
        (value,) = self.read(first)
        if not shift:
            return value, self.carry
        kind, *by, value = *shift, bits(value)
        if kind == "rrx":
            return joined([value[1:], bits(self.carry, 1)]), value[:1]
        amount = bits(bits(self.second(by)[0])[:8], 32)
        known = int(amount) if amount.term.is_value() else 256
        if kind == "ror" and known > 31:
            raise self.unclear
        last = known - 1 if kind != "lsl" else 32 - known
        carry = value[last : last + 1] if 0 <= last < 32 else None
        return SHIFTS[kind](value, amount), carry if known else self.carry

    def sum(self, name: str, x: Value, y: Value) -> tuple[Value, Value, Any]:
        """Of one of SUMS: the value, the carry, and what was added to what, with the sum."""
        x, y = (y, x) if name in ("rsb", "rsc") else (x, y)
        adds = name in ("add", "adc")
        before = self.carry if name.endswith("c") else int(not adds)
        value, carry = (self.algebra.add if adds else self.algebra.sub)(x, y, before)
        return value, carry, (x, y, value) if adds else (value, y, x)

    def compute(self, name: str, operands: list[str]) -> None:
        """Sums, bits, moves and comparisons."""
        if name in (*SHIFTS, "rrx"):
            name, operands = "mov", [*operands[:2], name, *operands[2:]]
        elif name == "movt":
            operands = [*operands[:1], *operands]
        target, x, added = operands[: name not in COMPARES], None, self.added
        rest, name = operands[len(target) :], COMPARES.get(name, name)
        if name not in ("mov", "movw", "mvn"):
            (x,), rest = self.read(rest[0]), rest[1:]
        y, carry = self.second(rest)
        if name in SUMS:
            value, carry, added = self.sum(name, x, y)
        else:
            value = LOGIC[name](x, y)
        if self.sets or not target:
            if target == ["pc"]:
                raise self.unclear
            self.result, self.carry, self.added = value, carry, added
        self.write(target, [value] * len(target))

    def field(self, name: str, operands: list[str]) -> None:
        """ubfx, sbfx and uxtb."""
        target, source, *more = operands
        lowest, width = (0, 8) if name == "uxtb" else (int(number[1:], 0) for number in more)
        if lowest + width > 32 or (name == "uxtb" and more):
            raise self.unclear
        part = bits(*self.read(source))[lowest : lowest + width]
        self.write([target], [part.signed(32) if name == "sbfx" else bits(part, 32)])

    def multiply(self, name: str, operands: list[str]) -> None:
        """mul, mla, umull, umlal and umaal; the flags, if they are set, are not known."""
        if self.sets:
            self.result = None
        if name in ("mul", "mla"):
            x, y, *added = self.read(*operands[1:])
            value = self.algebra.mul(x, y)
            value = self.algebra.add(value, added[0], 0)[0] if added else value
            return self.write(operands[:1], [value])
        if operands[0] == operands[1]:
            raise self.unclear
        x, y = self.read(*operands[2:])
        old = (0, 0) if name == "umull" else self.read(*operands[:2])
        form = self.algebra.mlal if name == "umlal" else self.algebra.mull
        return self.write(operands[:2], form(x, y, *old))

    def branch(self, name: str, operands: list[str]) -> None:
        """b, bl and bx."""
        behind = self.registers[PC]
        if name == "bl":
            self.set(LR, behind)
        there = self.read(*operands)[0] if name == "bx" else behind - 4 + int(operands[0][1:], 0)
        self.set(PC, there)

    def block(self, name: str, operands: list[str]) -> None:
        """ldm, stm, push and pop: many registers."""
        base, *listed = ["sp!", *operands] if name.endswith(("push", "pop")) else operands
        places, n = self.places(listed), base.rstrip("!")
        start, size = int(bits(*self.read(n))), 4 * len(places)
        down, early = name.endswith(("da", "db", "push")), name.endswith(("ib", "db", "push"))
        if n == "pc" or (base != n and n in listed):
            raise self.unclear
        if base != n:
            self.write([n], [start - size if down else start + size])
        self.copy(name, places, start - size * down + 4 * (early != down))

    def transfer(self, name: str, operands: list[str]) -> None:
        """Loads and stores of one register, or a few."""
        at = next(i for i, operand in enumerate(operands) if operand[0] == "[")
        listed, after, parsed = operands[:at], operands[at + 1 :], ADDRESS.fullmatch(operands[at])
        if not parsed or (name.endswith("d") and self.places(listed)[0] not in range(0, 14, 2)):
            raise self.unclear
        base, aligned, inside, back = parsed.groups()
        start, places = bits(*self.read(base)), self.places(listed)
        if back and not inside:
            after = [f"#{4 * len(places)}"]
        first, *shift = after or (inside or "#0").replace(",", "").split()
        by, _ = self.second([first.removeprefix("-"), *shift])
        moved = start - by if first[0] == "-" else start + by
        if after or back:
            if base in ("pc", *listed):
                raise self.unclear
            self.write([base], [moved])
        self.copy(name, places, start if after else moved, int(aligned or "0", 0) // 8)

    def copy(self, name: str, places: list[int], address: Value, aligned: int = 0) -> None:
        """Words between registers and memory, one after the other; of ldrb a byte."""
        if aligned and int(bits(address)) % aligned:
            raise self.unclear
        if name == "ldrb":
            byte = int(bits(address))
            word = bits(self.load(byte & ~3))
            return self.set(places[0], word >> 8 * (byte & 3) & 255)
        for i, place in enumerate(places):
            if "ld" in name or "pop" in name:
                self.set(place, self.load(address + 4 * i))
            else:
                self.store(address + 4 * i, self.get(place))
        return None

    def move(self, name: str, operands: list[str]) -> None:
        """Words from registers to registers; vext takes those of two, from a number on."""
        first, parts = 0, 2
        if name == "vext.32":
            first, parts, operands = int(operands[-1][1:], 0), 3, operands[:-1]
        places = self.places(operands)
        size = len(places) // parts
        words = [*map(self.get, places[size + first :][:size])]
        if name == "vswp":
            words += map(self.get, places[:size])
        for place, value in zip(places, words):
            self.set(place, value)

    def lanes(self, name: str, operands: list[str]) -> None:
        """Each lane of the result, of the same lanes of the operands."""
        width, source, form = LANES[name]
        target, *others = operands
        count = len(self.places([target])) * 32 // width
        a, *more = (self.in_lanes(operand, source, count) for operand in others)
        (b,) = more or [a]
        z = self.in_lanes(target, width, count) if name in READS_Z else [bits(0, width)] * count
        new = [form(*lanes) for lanes in zip(a, b, z, strict=True)]
        self.write([target], [lane[k : k + 32] for lane in new for k in range(0, width, 32)])

    def in_lanes(self, operand: str, width: int, count: int) -> list[Bits]:
        """An operand's lanes; a number or a register of the core is the same in all of them."""
        if operand[0] == "#":
            return [bits(int(operand[1:], 0), width)] * count
        words = [value for word in self.read(operand) for value in alike(32, word)]
        if width == 64:
            return list(map(pair, words[::2], words[1::2]))
        return words * (count // len(words))


# What is understood.
INSTRUCTIONS: dict[str, Callable[[Machine, str, list[str]], None]] = {
    **dict.fromkeys((*SUMS, *LOGIC, *SHIFTS, *COMPARES, "rrx"), Machine.compute),
    **dict.fromkeys(("ubfx", "sbfx", "uxtb"), Machine.field),
    **dict.fromkeys(("mul", "mla", "umull", "umlal", "umaal"), Machine.multiply),
    **dict.fromkeys(("b", "bl", "bx"), Machine.branch),
    **dict.fromkeys(BLOCKS, Machine.block),
    **dict.fromkeys(TRANSFERS, Machine.transfer),
    **dict.fromkeys(LANES, Machine.lanes),
    **dict.fromkeys(MOVES, Machine.move),
    "nop": lambda machine, name, operands: None,
}
