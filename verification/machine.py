"""Executes A32 instructions on symbols: bit vectors or polynomials, see algebra.py.

Addresses have to be numbers.  Where a condition depends on a symbol, execution forks:
`on_every_path` checks each way through.  What is not understood raises Unproved, so a proof can
only fail for it and never succeed.  At the end: what a call of mont_mul begins with, and has to
leave as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verification.algebra import MASK, Bits, Polynomials
from verification.code import LR, PC, SP, Address, Beyond, Instruction, Shifted, Unproved, decode

# What words and bits are.  A method raises Unproved for what the algebra cannot express; None is a
# value that is not known.
Algebra = Bits | Polynomials
Word = Any  # an int, or a symbol of the algebra
Bit = Any  # 0, 1, or a symbol of the algebra
STEPS = 6_000


class Machine:
    """Registers, flags, memory by address, and code.  `words` outside `writable` are read
    only."""

    def __init__(self, algebra: Algebra, code: Callable[[int], int], decided: list[int]) -> None:
        self.algebra, self.code = algebra, code
        self.registers: list[Word] = [None] * 16
        self.carry: Bit = None
        self.overflow: Bit = None
        self.result: Word = None
        self.memory: dict[int, Word] = {}
        self.writable: set[int] = set()
        self.written: set[int] = set()
        self.decided, self.asked = decided, 0
        self.known: dict[Any, int] = {}

    def get(self, register: int) -> Word:
        """A register's value."""
        value = self.registers[register]
        if value is None:
            raise Unproved(f"register {register} is read before it is written")
        return value + 4 if register == PC else value

    def load(self, address: Word) -> Word:
        """A word from memory."""
        if not isinstance(address, int) or self.memory.get(address) is None:
            raise Unproved(f"a load from {address}")
        return self.memory[address]

    def store(self, address: Word, value: Word) -> None:
        """A word to memory."""
        if not isinstance(address, int) or address not in self.writable:
            raise Unproved(f"a store to {address}")
        self.memory[address] = value
        self.written.add(address)

    def decide(self, bit: Bit) -> bool:
        """Whether the bit is 1 on this path."""
        if isinstance(bit, int):
            return bool(bit)
        if bit is None:
            raise Unproved("a condition on a flag that is not known")
        if bit not in self.known:
            if self.asked == len(self.decided):
                self.decided.append(0)
            self.known[bit] = self.decided[self.asked]
            self.asked += 1
            self.algebra.assume(bit, self.known[bit])
        return bool(self.known[bit])

    def run(self, start: int, *stops: int) -> None:
        """Executes from one address until another is reached, at least one instruction."""
        self.registers[PC] = start
        for step in range(STEPS):
            pc = self.registers[PC]
            if pc in stops and step:
                return
            if not isinstance(pc, int):
                raise Unproved("a jump to an address that is no number")
            self.registers[PC] = pc + 4
            self.step(decode(self.code(pc), pc))
        raise Unproved("no end")

    def holds(self, condition: str) -> bool:
        """Whether a condition holds on this path."""
        a = self.algebra
        other = {"ne": "eq", "lo": "hs", "pl": "mi", "vc": "vs", "ls": "hi", "lt": "ge", "le": "gt"}
        if condition in other:
            return not self.holds(other[condition])
        if condition == "gt":
            return not self.holds("eq") and self.holds("ge")
        if condition == "hi":
            return self.holds("hs") and not self.holds("eq")
        if condition in ("eq", "mi", "ge") and self.result is None:
            raise Unproved("a condition on a flag that is not known")
        bits: dict[str, Callable[[], Bit]] = {
            "eq": lambda: a.zero(self.result),
            "hs": lambda: self.carry,
            "mi": lambda: a.top(self.result),
            "vs": lambda: self.overflow,
            "ge": lambda: a.differ(a.differ(a.top(self.result), self.overflow), 1),
        }
        return self.decide(bits[condition]())

    def step(self, i: Instruction) -> None:
        """Executes one instruction."""
        if i.name == "nop" or (i.condition and not self.holds(i.condition)):
            return
        if i.name in ARITHMETIC:
            self._arithmetic(i)
        elif i.name in LOGIC or i.name in SHIFTS:
            self._logic(i)
        elif i.name in ("mul", "umull", "umlal", "umaal", "mla"):
            self._multiply(i)
        elif i.name in ("ldr", "str", "ldrd", "strd", "ldrb"):
            self._transfer(i)
        elif i.name[:3] in ("ldm", "stm") or i.name in ("push", "pop"):
            self._block(i)
        elif i.name in ("ubfx", "sbfx", "uxtb", "movt"):
            self._field(i)
        elif i.name in ("b", "bl", "bx"):
            if i.name == "bl":
                self.registers[LR] = i.address + 4
            target = i.operands[0]
            self.registers[PC] = target if isinstance(target, int) else self.get(i.register(0))
        elif i.name.startswith("v"):
            self.neon(i)
        else:
            raise Unproved(f"{i.text}: not understood")

    def neon(self, i: Instruction) -> None:
        """An instruction of NEON.  Raises Unproved."""
        raise Beyond(f"{i.text}: not understood")

    def _set(self, register: int, value: Word) -> None:
        self.registers[register] = value

    def _value(self, operand: Any) -> tuple[Word, Bit]:
        """An operand's value, and the carry that its shift leaves."""
        if isinstance(operand, int):
            return operand, self.carry if operand < 256 else None
        if not isinstance(operand, Shifted):
            raise Unproved("an address as a number")
        value = self.get(operand.register)
        if not operand.kind:
            return value, self.carry
        amount = operand.amount if operand.by is None else self.get(operand.by)
        return self.algebra.shift(operand.kind, value, amount, self.carry)

    def _places(self, i: Instruction) -> tuple[int | None, list[Any]]:
        """The register of the result, if there is one, and the operands."""
        if i.name in ("cmp", "cmn", "tst", "teq"):
            return None, list(i.operands)
        return i.register(0), list(i.operands[1:])

    def _arithmetic(self, i: Instruction) -> None:
        a, (target, sources) = self.algebra, self._places(i)
        if len(sources) == 1:
            sources = [i.operands[0], *sources]
        x, y = (self._value(source)[0] for source in sources)
        with_carry = i.name in ("adc", "sbc", "rsc")
        if with_carry and self.carry is None:
            raise Unproved(f"{i.text}: the carry is not known")
        if i.name in ("rsb", "rsc"):
            x, y = y, x
        if i.name in ("add", "adc", "cmn"):
            value, carry, overflow = a.add(x, y, self.carry if with_carry else 0)
        else:
            value, carry, overflow = a.sub(x, y, self.carry if with_carry else 1)
        if i.sets_flags or target is None:
            self.result, self.carry, self.overflow = value, carry, overflow
        if target is not None:
            self._set(target, value)

    def _logic(self, i: Instruction) -> None:
        a, (target, sources) = self.algebra, self._places(i)
        if i.name in SHIFTS and len(sources) == 2:
            by = sources[1]
            amount = by if isinstance(by, int) else self._value(by)[0]
            value, carry = a.shift(i.name, self.get(i.register(1)), amount, self.carry)
        elif i.name == "rrx":
            value, carry = a.shift("rrx", self.get(i.register(1)), 1, self.carry)
        else:
            value, carry = self._value(sources[-1])
            if len(sources) == 1 and i.name in TWO:
                sources = [i.operands[0], *sources]
            if i.name in ("mvn", "bic"):
                value = a.logic("eor", value, MASK)
            if i.name in TWO:
                value = a.logic(TWO[i.name], self._value(sources[0])[0], value)
        if i.sets_flags or target is None:
            self.result, self.carry = value, carry
        if target is not None:
            self._set(target, value)

    def _multiply(self, i: Instruction) -> None:
        a, r = self.algebra, [i.register(k) for k in range(len(i.operands))]
        if i.sets_flags:
            raise Unproved(f"{i.text}: flags of a product")
        if i.name == "mul":
            return self._set(r[0], a.mul(self.get(r[1]), self.get(r[2])))
        if i.name == "mla":
            product = a.mul(self.get(r[1]), self.get(r[2]))
            return self._set(r[0], a.add(product, self.get(r[3]), 0)[0])
        if r[0] == r[1]:
            raise Unproved(f"{i.text}: two results in one register")
        old = (0, 0) if i.name == "umull" else (self.get(r[0]), self.get(r[1]))
        form = a.mlal if i.name == "umlal" else a.mull
        low, high = form(self.get(r[2]), self.get(r[3]), *old)
        self._set(r[0], low)
        return self._set(r[1], high)

    def _transfer(self, i: Instruction) -> None:
        double = i.name.endswith("d")
        place = i.operands[1 + double]
        if not isinstance(place, Address) or i.writes_back and place.base == i.register(0):
            raise Unproved(f"{i.text}: not understood")
        base = self.get(place.base)
        index = self.get(place.more) if place.more is not None else 0
        if not isinstance(base, int) or not isinstance(index, int):
            raise Unproved(f"{i.text}: the address is no number")
        moved = base + place.offset + (index << place.shift) & MASK
        address = moved
        if i.post_index:
            step = i.operands[2 + double] if len(i.operands) > 2 + double else 0
            if not isinstance(step, int):
                raise Unproved(f"{i.text}: not understood")
            address, moved = base, base + step & MASK
        for k in range(1 + double):
            if i.name == "ldrb":
                whole, lowest = self.load(address & ~3), 8 * (address & 3)
                self._set(i.register(k), self.algebra.field(whole, lowest, 8, False))
            elif i.name.startswith("ld"):
                self._set(i.register(k), self.load(address + 4 * k))
            else:
                self.store(address + 4 * k, self.get(i.register(k)))
        if i.writes_back:
            self._set(place.base, moved)

    def _block(self, i: Instruction) -> None:
        stack, name = i.name in ("push", "pop"), i.name
        base = SP if stack else i.register(0)
        listed = [i.register(k) for k in range(0 if stack else 1, len(i.operands))]
        address, size = self.get(base), 4 * len(listed)
        if not isinstance(address, int):
            raise Unproved(f"{i.text}: the address is no number")
        down = name == "push" or name[3:] in ("db", "da")
        end = address + (-size if down else size)
        lowest = end if down else address
        lowest += 4 * (name[3:] in ("ib", "da"))
        if name == "push" or name.startswith("stm"):
            for k, register in enumerate(listed):
                self.store(lowest + 4 * k, self.get(register))
        if stack or i.writes_back:
            self._set(base, end)
        if name == "pop" or name.startswith("ldm"):
            for k, register in enumerate(listed):
                self._set(register, self.load(lowest + 4 * k))

    def _field(self, i: Instruction) -> None:
        a = self.algebra
        if i.name == "movt":
            low = a.logic("and", self.get(i.register(0)), 0xFFFF)
            return self._set(i.register(0), a.logic("orr", low, int(i.operands[1]) << 16))  # type: ignore[arg-type]
        lowest, width = (0, 8) if i.name == "uxtb" else i.operands[2:4]
        if not isinstance(lowest, int) or not isinstance(width, int):
            raise Unproved(f"{i.text}: not understood")
        value = a.field(self.get(i.register(1)), lowest, width, i.name == "sbfx")
        return self._set(i.register(0), value)


ARITHMETIC = ("add", "adc", "sub", "sbc", "rsb", "rsc", "cmp", "cmn")
SHIFTS = ("lsl", "lsr", "asr", "ror")
TWO = {"and": "and", "orr": "orr", "eor": "eor", "bic": "and", "tst": "and", "teq": "eor"}
LOGIC = (*TWO, "mov", "mvn", "movw", "rrx")


def on_every_path(check: Callable[[list[int]], None]) -> None:
    """Runs `check`, which raises Unproved, for every way through, with the first decisions given;
    it adds those that it meets."""
    todo: list[list[int]] = [[]]
    while todo:
        given = todo.pop()
        decided = list(given)
        check(decided)
        todo += [decided[:k] + [1] for k in range(len(given), len(decided))]
        if len(todo) > 64:
            raise Unproved("more than 64 ways through")


# --- a call ---------------------------------------------------------------------------------------

Z, X, Y, M = 0x1000, 0x2000, 0x3000, 0x4000  # addresses of the operands
STACK, FRAME, RETURN = 0x10000, 1024, 0x70000000
# What z may be.  That x and y may be one place follows, because neither is written before both have
# been read.
ALIASES = {"": (Z, X, Y), "z = x": (X, X, Y), "z = y": (Y, X, Y)}


def enter(machine: Machine, limbs: int, unknown: Callable[[str], Any], alias: str = "") -> None:
    """mont_mul(z, x, y, m) is about to be called; `unknown` gives a word with a name."""
    z, x, y = ALIASES[alias]
    for base, name in ((y, "y"), (x, "x"), (M, "n"), (M + 4 * limbs, "rr")):
        for i in range(limbs):
            machine.memory[base + 4 * i] = unknown(f"{name}{i}")
    machine.memory[M + 8 * limbs] = unknown("n0inv")
    machine.writable.update(range(z, z + 4 * limbs, 4), range(STACK - FRAME, STACK, 4))
    machine.registers[:4] = [z, x, y, M]
    for register in range(4, 13):
        machine.registers[register] = unknown(f"old{register}")
    machine.registers[SP], machine.registers[LR] = STACK, RETURN


def left(machine: Machine, limbs: int, alias: str = "") -> list[Any]:
    """The words of z after the return.  Raises Unproved when something else was changed."""
    z = ALIASES[alias][0]
    stack = range(STACK - FRAME, STACK, 4)
    kept = [machine.registers[register] for register in range(4, 12)]
    if kept != [f"old{register}" for register in range(4, 12)]:
        raise Unproved("a register that has to be preserved is not")
    if machine.registers[SP] != STACK or machine.registers[PC] != RETURN:
        raise Unproved("the stack pointer is not what it was")
    where = set(range(z, z + 4 * limbs, 4))
    if where - machine.written or machine.written - where - set(stack):
        raise Unproved("z is not written, or more than z")
    return [machine.memory[address] for address in sorted(where)]
