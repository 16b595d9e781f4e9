"""Which function of the snapshot's own files an instruction belongs to, from the program's DWARF.

The answer is the innermost scope that is declared in the snapshot's folder: an inlined `add` is
`add` at every level, and the compiler's intrinsics, which are inlined functions of its own headers,
belong to the function that uses them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.ranges import RangeEntry
from elftools.elf.elffile import ELFFile

FUNCTIONS = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine")


def functions(program: Path, folder: Path) -> dict[int, str]:
    """Address -> function, for every instruction of the C files in `folder`, a path from the root
    of the repository.  Addresses of assembly files are not in it: their symbols name them."""
    with program.open("rb") as file:
        dwarf = ELFFile(file).get_dwarf_info()
        found: dict[int, str] = {}
        for unit in dwarf.iter_CUs():
            top = unit.get_top_DIE()
            if own(_text(top, "DW_AT_name"), folder):
                files = _files(dwarf, unit)
                for child in top.iter_children():
                    _walk(child, "", folder, files, found)
        return found


def own(name: str, folder: Path) -> bool:
    """Whether a file's name, as the compiler has it, is of the snapshot's folder."""
    return Path(name).parent.as_posix().endswith(folder.as_posix())


def _walk(die: DIE, outer: str, folder: Path, files: list[str], found: dict[int, str]) -> None:
    """Note the addresses of a scope, then, over these, of the scopes inside it."""
    name = outer
    if die.tag in FUNCTIONS:
        origin = _origin(die)
        place = origin.attributes.get("DW_AT_decl_file")
        if place is not None and own(files[place.value], folder):
            name = _text(origin, "DW_AT_name")
        for start, stop in _ranges(die):
            found.update(dict.fromkeys(range(start, stop, 4), name))
    for child in die.iter_children():
        _walk(child, name, folder, files, found)


def _origin(die: DIE) -> DIE:
    """The declaration that an inlined or cloned function comes from."""
    while "DW_AT_abstract_origin" in die.attributes or "DW_AT_specification" in die.attributes:
        link = "DW_AT_abstract_origin"
        link = link if link in die.attributes else "DW_AT_specification"
        die = die.get_DIE_from_attribute(link)
    return die


def _ranges(die: DIE) -> Iterator[tuple[int, int]]:
    """First address and first beyond of each stretch of code of a scope."""
    low, high = die.attributes.get("DW_AT_low_pc"), die.attributes.get("DW_AT_high_pc")
    if "DW_AT_ranges" in die.attributes:
        base = die.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
        start = base.value if base else 0
        lists: Any = die.dwarfinfo.range_lists()
        offset = die.attributes["DW_AT_ranges"].value
        for entry in lists.get_range_list_at_offset(offset, cu=die.cu):
            if isinstance(entry, RangeEntry):
                shift = 0 if entry.is_absolute else start
                yield entry.begin_offset + shift, entry.end_offset + shift
            else:
                start = entry.base_address
    elif low is not None and high is not None:
        stop = high.value if high.form == "DW_FORM_addr" else low.value + high.value
        yield low.value, stop


def _files(dwarf: Any, unit: CompileUnit) -> list[str]:
    """The names of a unit's files by the number that DW_AT_decl_file gives them."""
    program = dwarf.line_program_for_CU(unit).header
    folders = [name.decode() for name in program["include_directory"]]
    names = [entry.name.decode() for entry in program["file_entry"]]
    indices = [entry.dir_index for entry in program["file_entry"]]
    if program["version"] < 5:  # numbers begin with 1; folder 0 is the compiler's own
        folders = ["", *folders]
        return ["", *(f"{folders[at]}/{name}" for name, at in zip(names, indices))]
    return [f"{folders[at]}/{name}" for name, at in zip(names, indices)]


def _text(die: DIE, attribute: str) -> str:
    """An attribute that is a string; "" where it is missing."""
    found = die.attributes.get(attribute)
    return found.value.decode() if found else ""
