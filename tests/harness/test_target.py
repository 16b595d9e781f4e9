"""What harness/target.py reads of boards, and which samples it calls
tainted."""

import re
import shutil
from pathlib import Path

import fake_boards
import pytest
import two_rungs
from fake_programs import script
from needs import needs

from harness import compiler, target
from records.faults import Failure
from records.ladder import ROOT
from records.machine import read_machine
from records.rows import read_rows
from records.settings import TOOLCHAIN_TABLE


def test_what_a_board_says_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fastest core and the hottest zone count; what is no answer is
    absent."""
    fake = fake_boards.container(tmp_path)
    monkeypatch.setenv("PATH", str(fake.bin))
    assert target.state(fake.root) == {}
    fake.command("vcgencmd", "echo throttled=yes")
    fake.zone(0, "acpitz", "error")
    assert target.state(fake.root) == {}
    fake.command("vcgencmd", "while :; do :; done")
    assert target.ask("vcgencmd", "get_throttled", timeout=0.1) == ""
    fake.command("vcgencmd", "echo VCHI initialization failed; exit 255")
    fake.file(target.FIRMWARE, "50005\n")
    assert target.state(fake.root) == {"throttled": 0x50005}
    fake.command("vcgencmd", "echo throttled=0x80008")
    fake.cores(1000, "powersave", number=12)
    fake.file("sys/devices/system/cpu/cpu10/cpufreq/scaling_cur_freq", "2000\n")
    fake.file("sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "performance\n")
    for number, heat in enumerate((27_800, 55_000)):
        fake.zone(number, "zone", heat)
    assert target.state(fake.root) == {
        "frequency": 2000,
        "throttled": 0x80008,
        "temperature": 55_000,
        "governor": "performance/powersave",
    }


def test_a_program_that_may_not_run(tmp_path: Path) -> None:
    """As on a file system that is mounted noexec, or has no right to execute."""
    probe = tmp_path / "build/probe"
    probe.parent.mkdir()
    probe.touch(0o600)
    with pytest.raises(Failure, match="no program may run there; BUILD="):
        target.runs_directly(probe)


TAINTED = (
    ({}, {}, ""),
    ({"throttled": 0x50000}, {"throttled": 0x50000}, ""),  # long ago
    ({"throttled": 0}, {"throttled": 0x1}, "under-voltage"),
    ({"throttled": 0x2}, {"throttled": 0x20000}, "frequency capped"),
    ({"throttled": 0}, {"throttled": 0x80008}, "soft temperature limit"),
    ({"throttled": 0}, {"throttled": 0x50000}, "under-voltage in between; throttled in between"),
    ({"frequency": 3_000_000}, {"frequency": 3_001_000}, ""),
    ({"frequency": 1_400_000}, {"frequency": 1_200_000},
     "frequency changed from 1400 to 1200 MHz"),
    ({"frequency": 600_000}, {}, ""),
    ({"temperature": 80_000}, {"temperature": 90_000}, ""),  # heat alone slows nothing
)  # fmt: skip


@pytest.mark.parametrize(("before", "after", "reason"), TAINTED)
def test_what_spoils_a_sample(before: dict, after: dict, reason: str) -> None:
    assert target.tainted(before, after) == reason


COMPILERS = (
    ("__GNUC__ 12", "gcc12"),
    ("__GNUC__ 12\n#define __ARM_ARCH 6", "armv6-gcc12"),
    ("__GNUC__ 4\n#define __clang_major__ 14", "clang14"),
)


@pytest.mark.parametrize(("macros", "name"), COMPILERS)
def test_a_compiler_says_its_name(tmp_path: Path, macros: str, name: str) -> None:
    """Whatever stands before it on the command line."""
    command = script(tmp_path / "cc", f"printf '#define {macros}\\n'")
    assert compiler.identified(["env", str(command)]) == name


USUAL = "-std=c11 -march=armv7-a -fPIE -fno-stack-protector -Wall".split()
ADDED = (  # asked for beside the usual ones, recorded unasked, what the platform's name ends with
    ("", "-march=armv7-a+neon -mtls-dialect=gnu -fPIE", ""),
    ("", "-fstack-protector-strong", ""),  # it is taken back
    ("", "-funroll-loops -mtune=cortex-a8", "-funroll-loops-mtune-cortex-a8"),
    ("-funroll-loops", "-funroll-loops", "-funroll-loops"),
    ("-w -Wpedantic -pipe", "", ""),
    ("-Wa,-mimplicit-it=always", "", "-Wa-mimplicit-it-always"),
    ("--param max-unroll-times=2", "--param=max-unroll-times=2", "-param-max-unroll-times-2"),
    ("-DFOLDER=../1", "", "-DFOLDER-..-1"),
)  # fmt: skip


@pytest.mark.parametrize(("asked", "recorded", "end"), ADDED)
def test_options_are_part_of_the_name(asked: str, recorded: str, end: str) -> None:
    """Those of the reader and those of the distribution."""
    words = [*USUAL, *asked.split()]
    assert compiler.suffix(compiler.added(words, USUAL, recorded.split())) == end


@pytest.mark.long
@needs("clang", "arm-linux-gnueabihf-gcc", "plugins")
def test_a_word_names_the_compiler(tmp_path: Path) -> None:
    path = two_rungs.checkout(tmp_path / "lab")
    assert (
        two_rungs.make(path, "v7", "LEVELS=O1").returncode == 0
    )  # by gcc, and kept apart
    ran = two_rungs.make(path, "v8", "CC=clang", "LEVELS=O1")
    assert ran.returncode == 0, ran.stderr
    assert {
        row["snapshot"] for row in read_rows(path / "results/local/counts.csv")
    } == {"v8"}
    facts = read_machine(path / "results/local")
    assert (
        re.fullmatch(r"qemu-clang\d+", facts["platform"])
        and "clang" in facts["compiler"]
    )


def test_another_command_is_asked_for_as_it_is_said(tmp_path: Path) -> None:
    """Not the usual compiler instead of it."""
    path = two_rungs.checkout(tmp_path)
    shutil.copy(ROOT / "harness/setup/setup.sh", path / "harness/setup/setup.sh")
    ran = two_rungs.make(path, "check", "CC=env arm-nowhere-gcc")
    said = ran.stderr.splitlines()[0]
    words = " ".join(toolchain.word for toolchain in TOOLCHAIN_TABLE)
    asked_for = "setup: CC='env arm-nowhere-gcc'"
    assert said == f"{asked_for}: there is no such compiler here; words are {words}"
