"""Walks the stack out of a function by its call frame information, as gdb
and perf do."""

from collections.abc import Callable
from pathlib import Path

from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.elf.elffile import ELFFile

from harness.unicorn import HOOK_CODE, R0, Engine, package

SP, LR = 13, 14
PRESERVED = range(4, 12)
REGISTER = {**{i: R0 + i for i in range(13)}, SP: 12, LR: 10}  # as Unicorn numbers them
Registers = dict[int, int]
Memory = Callable[[int], int]  # the word at an address


class Frames:
    """The call frame information of a program."""

    def __init__(self, program: Path) -> None:
        self.rows: dict[int, dict] = {}
        with program.open("rb") as file:
            dwarf = ELFFile(file).get_dwarf_info()
            self.parser = DWARFExprParser(dwarf.structs)
            for entry in dwarf.CFI_entries():
                if type(entry).__name__ != "FDE":
                    continue
                table, end = entry.get_decoded().table, entry["initial_location"]
                end += entry["address_range"]
                for row, after in zip(
                    table, [*(later["pc"] for later in table[1:]), end]
                ):
                    self.rows.update(dict.fromkeys(range(row["pc"], after, 4), row))

    def caller(self, at: int, registers: Registers, memory: Memory) -> Registers | None:
        """What r4-r11, sp and lr of the caller were, before the instruction
        at this address; None where nothing is said about it."""
        row = self.rows.get(at)
        if row is None:
            return None
        if row["cfa"].expr is None:
            frame = registers[row["cfa"].reg] + row["cfa"].offset
        else:
            frame = self._value(row["cfa"].expr, registers, memory)
        found = {SP: frame}
        for register in (*PRESERVED, LR):
            rule = row.get(register)
            saved = rule is not None and rule.type == "OFFSET"
            found[register] = memory(frame + rule.arg) if saved else registers[register]
        return found

    def _value(
        self, expression: list[int], registers: Registers, memory: Memory
    ) -> int:
        """What a DWARF expression of register + offset, words in memory
        and additions says."""
        value = 0
        for operation in self.parser.parse_expr(expression):
            name, arguments = operation.op_name, operation.args
            if name.startswith("DW_OP_breg"):
                value = registers[int(name.removeprefix("DW_OP_breg"))] + arguments[0]
            elif name == "DW_OP_deref":
                value = memory(value)
            elif name == "DW_OP_plus_uconst":
                value += arguments[0]
            else:
                raise NotImplementedError(name)
        return value


def lost(
    program: Path, engine: Engine, stack: int, back: int, call: Callable[[], object]
) -> list:
    """The addresses of a call, from `stack` on and back to `back`, from
    which the stack cannot be walked."""
    frames, found = Frames(program), []
    entry = {register: 0x1010101 * register for register in PRESERVED} | {
        SP: stack,
        LR: back,
    }
    for register in PRESERVED:
        engine.uc.reg_write(REGISTER[register], entry[register])

    def memory(address: int) -> int:
        return int.from_bytes(engine.uc.mem_read(address, 4), "little")

    def look(_uc: object, address: int, _size: int, _data: object) -> None:
        registers = {
            number: engine.uc.reg_read(place) for number, place in REGISTER.items()
        }
        try:
            above = frames.caller(address, registers, memory)
            while (
                above and above[LR] != back
            ):  # a function that the other one has called
                above = frames.caller(above[LR], above, memory)
            good = above == entry
        except package().UcError:  # no memory there
            good = False
        if not good:
            found.append(address)

    engine.uc.hook_add(HOOK_CODE, look)
    call()
    return found
