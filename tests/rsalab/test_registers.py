"""A register that a README names for a variable: where the debug
information says that it is."""

import re
import subprocess
from pathlib import Path

import pytest
from elftools.dwarf.descriptions import describe_DWARF_expr, set_global_machine_arch
from elftools.dwarf.die import DIE
from elftools.dwarf.locationlists import LocationParser
from elftools.elf.elffile import ELFFile
from needs import absent

from records import ladder
from records.faults import first_line
from records.ladder import LADDER, ROOT
from rsalab import markdown

STACK = "fbreg"
# Rung, level, function and variable, and what its location list names: this register and no other,
# or a place on the stack, among others.
PLACES = (
    ("v1", "O0", "shr", "i", "(r4)"),
    ("v1", "O0", "add", "s", "(r6)"),
    ("v1", "O0", "add", "s", "(r7)"),
    ("v1", "O0", "mmm", "top", "(r4)"),
    ("v1", "O0", "mmm", "i", "(r5)"),
    ("v1", "O0", "mmm", "xi", "(r6)"),
    ("v1", "O0", "mmm", "q", "(r7)"),
    ("v4", "O1", "mmm", "i", "(r5)"),
    ("v5", "O1", "mmm", "limb", "(r7)"),
    ("v5", "O1", "mmm", "i", STACK),
)
# The same of a number whose limbs are in these registers together, in one place of its list.
NUMBERS = (
    ("v2", "O1", "mmm", "z", ("(r14)", "(r0)", "(r2)", "(r3)")),
    ("v4", "O1", "mmm_1", "n", ("(r10)", "(r9)", "(r8)", "(r7)")),
)
FUNCTIONS = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine")
GCC = "arm-linux-gnueabihf-gcc"
FLAGS = "-std=c11 -g -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard -c".split()


def places(path: Path, function: str, variable: str) -> list[str]:
    """The expressions of a variable's location list, as pyelftools writes
    them."""
    with path.open("rb") as file:
        set_global_machine_arch("ARM")
        debug = ELFFile(file).get_dwarf_info()
        parser = LocationParser(debug.location_lists())
        for unit in debug.iter_CUs():
            for die in unit.iter_DIEs():
                if die.tag not in FUNCTIONS or name_of(die) != function:
                    continue
                for inner in (one for one in within(die) if name_of(one) == variable):
                    where = inner.attributes.get("DW_AT_location")
                    if where is None:
                        continue
                    found = parser.parse_from_attribute(where, unit["version"], inner)
                    every = found if isinstance(found, list) else [found]
                    return [
                        describe_DWARF_expr(one.loc_expr, debug.structs, unit.cu_offset)
                        for one in every
                        if hasattr(one, "loc_expr")
                    ]
    return []


def name_of(die: DIE) -> str:
    """What a debugging entry, or the one that it is a copy of, names; "" for
    none."""
    while "DW_AT_abstract_origin" in die.attributes:
        die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
    found = die.attributes.get("DW_AT_name")
    return found.value.decode() if found else ""


def within(die: object) -> list:
    """The entries below one."""
    return [one for child in die.iter_children() for one in (child, *within(child))]


def found_of(
    folder: Path, rung: str, level: str, function: str, variable: str
) -> list[str]:
    """The places in a variable's location list that name a register."""
    if absent(GCC) or not first_line(GCC, "-dumpfullversion").startswith("12.2"):
        pytest.skip("the READMEs speak of gcc 12.2's registers")
    source, made = ROOT / LADDER / rung / "rsa.c", folder / "rsa.o"
    compile_it = [GCC, *FLAGS, f"-{level}", f"-I{ROOT}/harness", source, "-o", made]
    subprocess.run(compile_it, check=True)
    return [one for one in places(made, function, variable) if "reg" in one]


def test_a_variable_is_where_the_readme_says(tmp_path: Path) -> None:
    for rung, level, function, variable, place in PLACES:
        found = found_of(tmp_path, rung, level, function, variable)
        assert found and any(place in one for one in found), (rung, variable, found)
        assert place == STACK or all(place in one for one in found), (
            rung,
            variable,
            found,
        )


def test_a_numbers_limbs_are_where_the_readme_says(tmp_path: Path) -> None:
    for rung, level, function, variable, registers in NUMBERS:
        found = found_of(tmp_path, rung, level, function, variable)
        together = [one for one in found if all(name in one for name in registers)]
        assert together, (rung, variable, found)


def test_every_register_that_a_readme_names_is_looked_at() -> None:
    limbs = {register for *_, registers in NUMBERS for register in registers}
    looked_at = {place.strip("()") for place in limbs | {place for *_, place in PLACES}}
    for rung in ladder.snapshots(LADDER):
        said = markdown.parts(rung).get(markdown.VERDICT, "")
        named = re.findall(r"\b(r\d+)\b", re.sub(r"`[^`]*`", "", said))
        assert set(named) <= looked_at, rung.name
