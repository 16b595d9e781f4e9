"""NEON on bit vectors: the instructions that gcc makes of the numbers held in vectors.

The vector registers are 64 words: s5 is word 5, d3 are words 6 and 7, q1 are
words 4 to 7.  capstone's text says what an instruction is.
"""

import re
from collections.abc import Callable

from verification.machine import PC, Machine
from verification.mutations import text
from verification.symbols import Bits, alike, bits, either, pair, sum_of

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
MOVES = ("vmov", "vmov.32", "vmov.f64", "vext.32", "vdup.32", "vmov.i32", "vswp")
LOADS = ("vld1.32", "vld1.64", "vldr", "vpop")
STORES = ("vst1.32", "vst1.64", "vstr", "vpush")
NAMES = {*LANES, *MOVES, *LOADS, *STORES}
CORE = {f"r{i}": i for i in range(13)} | {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14}
VECTOR = re.compile(r"([sdq])(\d+)(?:\[(\d)\])?")
ADDRESS = re.compile(r"\[(\w+)(?::(\w+))?(?:, #(-?\w+))?\](!?)")


class Vectors(Machine):
    """A machine that has NEON, too."""

    def neon(self, w: int) -> None:
        name, operands = text(w)
        if name not in NAMES:
            raise self.unclear
        if name in LANES:
            self._by_lanes(name, operands)
        elif name in (*LOADS, *STORES):
            self._transfer_words(name, operands)
        else:
            self._move(name, operands)

    def _places(self, operands: list[str]) -> list[int]:
        """The words of registers, the lowest first.  Raises Unproved for what is none."""
        found: list[int] = []
        for name in operands:
            if named := VECTOR.fullmatch(name):
                words = {"s": 1, "d": 2, "q": 4}[named[1]]
                first = 16 + int(named[2]) * words + int(named[3] or 0)
                found += range(first, first + (1 if named[3] else words))
            elif name in CORE:
                found.append(CORE[name])
            else:
                raise self.unclear
        return found

    def _held(self, places: list[int]) -> list[Bits]:
        return [value for k in places for value in alike(32, self.get(k))]

    def _put(self, places: list[int], words: list[Bits]) -> None:
        for k, value in zip(places, words, strict=True):
            self.registers[k] = value

    def _lanes(self, operand: str, width: int, count: int) -> list[Bits]:
        """An operand's lanes; a number or a register of the core is the same in all of them."""
        if operand[0] == "#":
            return [bits(int(operand[1:], 0), width)] * count
        words = self._held(self._places([operand]))
        if width == 64:
            return list(map(pair, words[::2], words[1::2]))
        return words * (count // len(words))

    def _by_lanes(self, name: str, operands: list[str]) -> None:
        width, source, form = LANES[name]
        places = self._places(operands[:1])
        count = len(places) * 32 // width
        a, *more = (self._lanes(operand, source, count) for operand in operands[1:])
        (b,) = more or [a]
        z = self._lanes(operands[0], width, count) if name in READS_Z else [bits(0, width)] * count
        new = [form(*lanes) for lanes in zip(a, b, z, strict=True)]
        self._put(places, [lane[k : k + 32] for lane in new for k in range(0, width, 32)])

    def _move(self, name: str, operands: list[str]) -> None:
        """Words from registers to registers; vext takes those of two, from a number on."""
        if name in ("vmov.i32", "vdup.32"):
            places = self._places(operands[:1])
            return self._put(places, self._lanes(operands[1], 32, len(places)))
        first, parts = 0, 2
        if name == "vext.32":
            first, parts, operands = int(operands[-1][1:], 0), 3, operands[:-1]
        places = self._places(operands)
        size = len(places) // parts
        words = self._held(places[size + first :][:size])
        if name == "vswp":
            self._put(places[size:], self._held(places[:size]))
        return self._put(places[:size], words)

    def _transfer_words(self, name: str, operands: list[str]) -> None:
        """Words between memory and registers, one after the other."""
        *listed, last = [*operands, "[sp]!"] if name in ("vpush", "vpop") else operands
        if not (parsed := ADDRESS.fullmatch(last)) or parsed[1] not in (*CORE, "pc"):
            raise self.unclear
        places, base = self._places(listed), CORE.get(parsed[1], PC)
        size = 4 * len(places)
        address = int(bits(self.get(base))) + int(parsed[3] or "0", 0)
        address -= size if name == "vpush" else 0
        if address % (int(parsed[2] or "32", 0) // 8):
            raise self.unclear
        self._words(places, address, name in LOADS)
        if parsed[4]:
            self.registers[base] = address + (0 if name == "vpush" else size)
