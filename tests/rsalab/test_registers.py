"""A register that a README names for a variable: where the debug
information says that it is."""

import re
import subprocess
from pathlib import Path

import pytest
from elftools.dwarf.descriptions import describe_DWARF_expr, set_global_machine_arch
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
    ("v4", "O1", "mmm", "i", "(r5)"),
    ("v5", "O1", "mmm", "limb", "(r7)"),
    ("v5", "O1", "mmm", "i", STACK),
)
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
                if die.tag != "DW_TAG_subprogram" or name_of(die) != function:
                    continue
                for inner in (one for one in within(die) if name_of(one) == variable):
                    where = inner.attributes.get("DW_AT_location")
                    found = parser.parse_from_attribute(where, unit["version"], inner)
                    return [
                        describe_DWARF_expr(one.loc_expr, debug.structs, unit.cu_offset)
                        for one in found
                        if hasattr(one, "loc_expr")
                    ]
    return []


def name_of(die: object) -> str:
    """What a debugging entry names; "" for none."""
    found = die.attributes.get("DW_AT_name")
    return found.value.decode() if found else ""


def within(die: object) -> list:
    """The entries below one."""
    return [one for child in die.iter_children() for one in (child, *within(child))]


def test_a_variable_is_where_the_readme_says(tmp_path: Path) -> None:
    if absent(GCC) or not first_line(GCC, "-dumpfullversion").startswith("12.2"):
        pytest.skip("the READMEs speak of gcc 12.2's registers")
    for rung, level, function, variable, place in PLACES:
        source, made = ROOT / LADDER / rung / "rsa.c", tmp_path / "rsa.o"
        compile_it = [GCC, *FLAGS, f"-{level}", f"-I{ROOT}/harness", source, "-o", made]
        subprocess.run(compile_it, check=True)
        found = [one for one in places(made, function, variable) if "reg" in one]
        assert found and any(place in one for one in found), (rung, variable, found)
        assert place == STACK or all(place in one for one in found), (
            rung,
            variable,
            found,
        )


def test_every_register_that_a_readme_names_is_looked_at() -> None:
    for rung in ladder.snapshots(LADDER):
        said = markdown.parts(rung).get(markdown.VERDICT, "")
        named = re.findall(r"\b(r\d+)\b", re.sub(r"`[^`]*`", "", said))
        known = {place.strip("()") for _, _, _, _, place in PLACES}
        assert set(named) <= known, rung.name
