"""NEON on bit vectors: the instructions that gcc makes of the numbers held in vectors.

The vector registers are 64 words: s5 is word 5, d3 are words 6 and 7, q1 are words 4 to 7.  Only a
proof that gives them values may use them, so it is for that proof to see that d8 to d15 are kept.
"""

from __future__ import annotations

from typing import Any

from verification.algebra import Bits, word
from verification.code import SP, Address, Beyond, Instruction, Shifted, Unproved, Vector
from verification.machine import Machine


def _shift(width: int) -> str:
    """A lane shifted left by the lowest byte of another, or right where that is negative."""
    by = f"((_ sign_extend {width - 8}) ((_ extract 7 0) {{b}}))"
    return f"(ite (bvslt {by} (_ bv0 {width})) (bvlshr {{a}} (bvneg {by})) (bvshl {{a}} {by}))"


ALL, NONE = "#xffffffff", "#x00000000"
# The bits of a lane of the result and of a lane of the operands, and what the former becomes: {z}
# was in it, {a} and {b} are the operands' lanes, or a number.
LANES = {
    "vadd.i32": (32, 32, "(bvadd {a} {b})"),
    "vsub.i32": (32, 32, "(bvsub {a} {b})"),
    "vaddl.u32": (64, 32, "(bvadd ((_ zero_extend 32) {a}) ((_ zero_extend 32) {b}))"),
    "vsubl.u32": (64, 32, "(bvsub ((_ zero_extend 32) {a}) ((_ zero_extend 32) {b}))"),
    "vmovn.i64": (32, 64, "((_ extract 31 0) {a})"),
    "vand": (32, 32, "(bvand {a} {b})"),
    "vorr": (32, 32, "(bvor {a} {b})"),
    "vceq.i32": (32, 32, f"(ite (= {{a}} {{b}}) {ALL} {NONE})"),
    "vcgt.u32": (32, 32, f"(ite (bvugt {{a}} {{b}}) {ALL} {NONE})"),
    "vshr.u32": (32, 32, "(bvlshr {a} {b})"),
    "vsra.u64": (64, 64, "(bvadd {z} (bvlshr {a} {b}))"),
    "vsra.s64": (64, 64, "(bvadd {z} (bvashr {a} {b}))"),
    "vsli.32": (32, 32, f"(bvor (bvshl {{a}} {{b}}) (bvand {{z}} (bvnot (bvshl {ALL} {{b}}))))"),
    "vshl.i32": (32, 32, "(bvshl {a} {b})"),
    "vshl.u32": (32, 32, _shift(32)),
    "vshl.u64": (64, 64, _shift(64)),
    "vneg.s32": (32, 32, "(bvneg {a})"),
    "vbif": (32, 32, "(bvor (bvand {z} {b}) (bvand {a} (bvnot {b})))"),
    "vbit": (32, 32, "(bvor (bvand {a} {b}) (bvand {z} (bvnot {b})))"),
    "vbsl": (32, 32, "(bvor (bvand {a} {z}) (bvand {b} (bvnot {z})))"),
}
MOVES = ("vmov", "vmov.32", "vmov.f64", "vext.32", "vdup.32", "vmov.i32", "vswp")
LOADS = ("vld1.32", "vld1.64", "vldr", "vpop")
STORES = ("vst1.32", "vst1.64", "vstr", "vpush")
NAMES = {*LANES, *MOVES, *LOADS, *STORES}
Place = tuple[list[Any], int]  # registers, and the number of one of them


class Vectors(Machine):
    """A machine that has NEON, too; `vectors` are its registers by words."""

    vectors: list[Any]

    def neon(self, i: Instruction) -> None:
        """One instruction.  Raises Unproved."""
        if i.name not in NAMES or not isinstance(self.algebra, Bits) or not self.vectors:
            raise Beyond(f"{i.text}: not understood")
        if i.name in LANES:
            _by_lanes(self, self.algebra, i)
        elif i.name in (*LOADS, *STORES):
            _transfer(self, i)
        else:
            _move(self, i)


def _places(machine: Vectors, operand: Any) -> list[Place]:
    """The words of a register, the lowest first.  Raises Unproved for what is none."""
    if isinstance(operand, Vector):
        return [(machine.vectors, operand.first + k) for k in range(operand.words)]
    if isinstance(operand, Shifted) and not operand.kind:
        return [(machine.registers, operand.register)]
    raise Unproved("not a register")


def _get(registers: list[Any], k: int) -> Any:
    if registers[k] is None:
        raise Unproved("a register is read before it is written")
    return registers[k]


def _put(places: list[Place], words: list[Any]) -> None:
    for (registers, k), value in zip(places, words, strict=True):
        registers[k] = value


def _lanes(machine: Vectors, operand: Any, width: int, count: int) -> list[str]:
    """An operand's lanes; a number or a register of the core is the same in all of them."""
    if isinstance(operand, int):
        return [f"(_ bv{operand} {width})"] * count
    words = [word(_get(*place)) for place in _places(machine, operand)]
    if width == 64:
        return [f"(concat {high} {low})" for low, high in zip(words[::2], words[1::2])]
    return words * (count // len(words))


def _by_lanes(machine: Vectors, bits: Bits, i: Instruction) -> None:
    width, source, form = LANES[i.name]
    places = _places(machine, i.operands[0])
    count = len(places) * 32 // width
    lanes = [_lanes(machine, operand, source, count) for operand in i.operands[1:]]
    lanes += [["?"] * count] * (2 - len(lanes))
    old = _lanes(machine, i.operands[0], width, count) if "{z}" in form else ["?"] * count
    found: list[str] = []
    for z, a, b in zip(old, *lanes, strict=True):
        lane = bits.define(form.format(z=z, a=a, b=b), width)
        found += bits.halves(lane) if width == 64 else [lane]
    _put(places, found)


def _move(machine: Vectors, i: Instruction) -> None:
    """Words from registers to registers; vext takes those of two, from a number on."""
    *registers, first = i.operands if i.name == "vext.32" else (*i.operands, 0)
    if i.name in ("vdup.32", "vmov.i32"):
        places, source = _places(machine, registers[0]), registers[1]
        one = source if isinstance(source, int) else _get(*_places(machine, source)[0])
        return _put(places, [one] * len(places))
    places = [place for operand in registers for place in _places(machine, operand)]
    size = len(places) // (3 if i.name == "vext.32" else 2)
    if not isinstance(first, int):
        raise Unproved(f"{i.text}: not understood")
    words = [_get(*place) for place in places[size + first :][:size]]
    if i.name == "vswp":
        _put(places[size:], [_get(*place) for place in places[:size]])
    return _put(places[:size], words)


def _transfer(machine: Vectors, i: Instruction) -> None:
    """Words between memory and registers, one after the other."""
    stack = i.name in ("vpush", "vpop")
    *listed, last = (*i.operands, Address(SP, None, 0, 0)) if stack else i.operands
    if not isinstance(last, Address):
        raise Unproved(f"{i.text}: not understood")
    places = [place for operand in listed for place in _places(machine, operand)]
    size, address, aligned = 4 * len(places), machine.get(last.base), 4
    if "1." in i.name:  # capstone gives the alignment, in bits, as the offset
        aligned, last = last.offset // 8 or 4, last._replace(offset=0)
    if not isinstance(address, int) or address % aligned:
        raise Unproved(f"{i.text}: the address is no number, or not aligned")
    address += last.offset - (size if i.name == "vpush" else 0)
    for k, place in enumerate(places):
        if i.name in LOADS:
            _put([place], [machine.load(address + 4 * k)])
        else:
            machine.store(address + 4 * k, _get(*place))
    if i.writes_back:
        machine.registers[last.base] = address + (0 if i.name == "vpush" else size)
