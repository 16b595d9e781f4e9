"""What makes a program: its compiler and every option are in the key of what is kept, in the name of
the platform, and in the program's own record."""

from pathlib import Path

import pytest
import two_rungs
from clone import Clone
from elftools.elf.elffile import ELFFile
from needs import needs
from representatives import mostly_long

from records.faults import run
from records.machine import FLAGS, FLAGS_OF_HOST, read_machine, read_recorded
from records.rows import read_rows
from records.settings import USUAL_TOOLCHAIN

GCC = "arm-linux-gnueabihf-gcc"
# What Ubuntu's compilers do unasked, and one that is built without --enable-default-pie.
DISTRIBUTIONS = {
    "ubuntu": "-fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=3 -Wformat",
    "without-pie": "-fno-pie",
}
OTHER_HEADERS = "#error 'a header of somebody else'\n"

pytestmark = [pytest.mark.slow, needs(GCC)]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_rungs.checkout(tmp_path_factory.mktemp("lab") / "rsa lab")


def measure(lab: Path, *words: str) -> tuple[str, int]:
    """What v7 at -O3 counts, and as which platform it is filed."""
    ran = two_rungs.make(lab, "v7", "LEVELS=O3", *words)
    assert ran.returncode == 0, ran.stderr
    local = lab / "results/local"
    (total,) = [
        int(row["value"])
        for row in read_rows(local / "counts.csv")
        if (row["snapshot"], row["workload"], row["metric"], row["symbol"])
        == ("v7", "roundtrip-small", "instructions", "total")
    ]
    return read_machine(local)["platform"], total


@pytest.fixture(scope="module")
def plain(lab: Path) -> tuple[str, int]:
    return measure(lab)


def test_an_option_in_cc_makes_another_program_with_another_name(
    lab: Path, plain: tuple[str, int]
) -> None:
    platform, total = measure(lab, f"CC={GCC} -funroll-loops")
    assert platform == f"{plain[0]}-funroll-loops" and total != plain[1]
    assert measure(lab) == plain


@pytest.mark.parametrize("name", mostly_long(DISTRIBUTIONS, ["ubuntu"]))
def test_what_a_distribution_decides_changes_nothing(
    lab: Path, plain: tuple[str, int], name: str
) -> None:
    wrapper = lab / f"{name}-gcc"
    wrapper.write_text(f'#!/bin/sh\nexec {GCC} {DISTRIBUTIONS[name]} "$@"\n')
    wrapper.chmod(0o755)
    assert measure(lab, f"CC=./{wrapper.name}") == plain


@pytest.mark.long
def test_an_option_hidden_in_a_wrapper_is_in_the_name(lab: Path) -> None:
    wrapper = lab / "hidden-gcc"
    wrapper.write_text(f'#!/bin/sh\nexec {GCC} -funroll-loops "$@"\n')
    wrapper.chmod(0o755)
    platform, _ = measure(lab, "CC=./hidden-gcc")
    assert platform.endswith("-funroll-loops")


@pytest.mark.long
def test_the_environment_changes_nothing(
    lab: Path, plain: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab / "elsewhere").mkdir()
    (lab / "elsewhere/stdint.h").write_text(OTHER_HEADERS)
    for name in ("CPATH", "C_INCLUDE_PATH", "COMPILER_PATH"):
        monkeypatch.setenv(name, str(lab / "elsewhere"))
    (lab / "build/iterations/v7/O3/rsa.o").unlink()
    assert measure(lab) == plain


def test_the_option_that_breaks_the_contract_is_named(lab: Path) -> None:
    options = "-fomit-frame-pointer -fstack-protector-all"
    ran = two_rungs.make(lab, "v7", "LEVELS=O3", f"CC={GCC} {options}")
    assert ran.returncode == 2
    assert "without -fstack-protector-all in CC it does not" in ran.stderr


def test_a_level_in_cc_is_refused(lab: Path) -> None:
    ran = two_rungs.make(lab, "v7", f"CC={GCC} -O2")
    assert ran.returncode == 2 and "LEVELS='O1 O2'" in ran.stderr


# ---- what -fPIE costs, as docs/measuring.md says


def compiled(folder: Path, source: Path, *options: str) -> tuple[str, str]:
    """The assembly of a file, and what the register allocator said."""
    command = [GCC, *USUAL_TOOLCHAIN.architecture.split(), "-marm", "-w", "-DWIDTH=128"]
    dump = folder / "allocated"
    made = [*options, f"-fdump-rtl-ira={dump}", "-S", source, "-o", folder / "made.s"]
    run([*command, *made])
    return (folder / "made.s").read_text(), dump.read_text()


# ---- the programs' own record

# A program of each kind, what describes its compiler, and what this kind adds.
KINDS = {
    "build/iterations/v7/O1/rsa": (FLAGS, set()),
    "build/studies/alone/masked-addition/O1/rsa": (FLAGS, set()),
    "build/gprof/iterations/v7/O1/rsa": (FLAGS, {"-p"}),
    "build/studies/width-1024/assembly/O1/long": (FLAGS, set()),
    "build/studies/width-1024/lanes/O1/private": (FLAGS, set()),
    "build/studies/width-1024/lanes/O3/two-lanes": (FLAGS, set()),
    "build/host/iterations/v7/O1/rsa": (FLAGS_OF_HOST, set()),
}


def makers(program: Path) -> set[str]:
    """What compilers have recorded of themselves in a program; an assembler has no options."""
    found = set()
    with program.open("rb") as file:
        for unit in ELFFile(file).get_dwarf_info().iter_CUs():
            record = unit.get_top_DIE().attributes["DW_AT_producer"]
            found.add(record.value.decode())
    return {one for one in found if not one.startswith("GNU AS")}


@pytest.fixture(scope="module")
def built(clone: Clone) -> Path:
    ran = clone.make(*KINDS, f"CC={GCC} -fno-tree-ter", "HOSTCC=gcc -fno-tree-ter")
    assert ran.returncode == 0, ran.stderr
    return clone.path


@pytest.mark.parametrize("program", KINDS)
def test_a_program_records_the_options_that_are_said_of_it(
    built: Path, program: str
) -> None:
    flags, added = KINDS[program]
    said = {*read_recorded(built / flags)}
    recorded = makers(built / program)
    assert "-fno-tree-ter" in said and recorded
    for one in recorded:
        levels = {word for word in one.split() if word.startswith("-O")}
        assert {*one.split()} - levels - added == said
