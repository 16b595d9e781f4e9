"""Walks the stack out of a function by its call frame information, as gdb and perf do."""

from pathlib import Path

from elftools.elf.elffile import ELFFile

SP, LR = 13, 14
PRESERVED = range(4, 12)


class Frames:
    """The call frame information of a program."""

    def __init__(self, program: Path) -> None:
        self.rows: dict[int, dict] = {}
        with program.open("rb") as file:
            dwarf = ELFFile(file).get_dwarf_info()
            for entry in dwarf.CFI_entries():
                if type(entry).__name__ != "FDE":
                    continue
                table, end = entry.get_decoded().table, entry["initial_location"]
                end += entry["address_range"]
                for row, after in zip(table, [*(later["pc"] for later in table[1:]), end]):
                    self.rows.update(dict.fromkeys(range(row["pc"], after, 4), row))

    def caller(self, at: int, registers: dict[int, int], memory) -> dict[int, int] | None:
        """What r4-r11, sp and lr of the caller were, before the instruction at this address; None
        where nothing is said about it.  `memory(address)` is a word."""
        row = self.rows.get(at)
        if row is None:
            return None
        frame = registers[row["cfa"].reg] + row["cfa"].offset
        found = {SP: frame}
        for register in (*PRESERVED, LR):
            rule = row.get(register)
            saved = rule is not None and rule.type == "OFFSET"
            found[register] = memory(frame + rule.arg) if saved else registers[register]
        return found
