"""harness/doctor.py on boards made of files and fake commands, and on this
machine."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import fake_boards
import pytest
from hangs import HANGS

from harness import doctor
from records.ladder import ROOT
from records.settings import TOOLCHAIN_TABLE

BUILD = "sh harness/setup/setup.sh build"


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable:
    """Makes a fake board and stands in its checkout, with its commands,
    and no others, on PATH."""

    def made(kind: Callable) -> fake_boards.Board:
        fake = kind(tmp_path)
        monkeypatch.setenv("PATH", str(fake.bin))
        monkeypatch.chdir(fake.checkout)
        monkeypatch.setattr(doctor, "find_spec", lambda name: True)
        monkeypatch.setattr(doctor, "no_unicorn", lambda: "not installed")
        return fake

    return made


def lines(fake: fake_boards.Board) -> dict[str, doctor.Line]:
    """What the doctor says, by name; every name once."""
    found = [*doctor.examine(fake.root)]
    named = {line.name: line for line in found}
    assert len(named) == len(found)
    return named


BOARDS = {  # kind, what is said and what is to be typed of a line, as a pattern
    fake_boards.pi3: {
        "platform": "note .*directly",
        "qemu": "note .*not installed.*Unicorn",
        "perf allowed": "note .* sudo sysctl kernel.perf_event_paranoid=2",
        "frequency": "note 1200 MHz, governor ondemand.* sudo tee /sys/.*/scaling_governor",
        "throttling": "note .*soft temperature",
    },
    fake_boards.pi4: {  # whose supply sagged
        **dict.fromkeys(("qemu", "perf", "perf allowed"), "ok"),
        "PMU": "ok armv8_cortex_a72 ",
        "frequency": "ok 1800 MHz, governor performance",
        "throttling": "note 0x50000: since the start, not now: under-voltage, .* sudo reboot",
        "temperature": "ok 48.3 °C",
        "width": r"ok kernel 64 bits \(aarch64\), programs 32 bits",
    },
    fake_boards.pi5: {  # with its stock kernel
        "page size": "note 16 KiB",
        "throttling": "ok 0x0",
        "qemu": "note .*plugin.*without Unicorn make venv",
        "unicorn": "note",
    },
    fake_boards.container: {
        **dict.fromkeys(("platform", "compiler", "tools", "qemu"), "fix"),
        **dict.fromkeys(
            ("perf", "perf allowed", "PMU", "frequency", "unicorn", ".venv"), "note"
        ),
        **dict.fromkeys(
            ("throttling", "temperature"), "ok"
        ),  # nothing to ask is no fault
    },
}


@pytest.mark.parametrize("kind", BOARDS, ids=lambda kind: kind.__name__)
def test_boards(make: Callable, kind: Callable) -> None:
    found = lines(make(kind))
    for name, wanted in BOARDS[kind].items():
        line = found[name]
        assert re.match(wanted, f"{line.kind} {line.says} {line.command}"), line
    fixes = {name for name, line in found.items() if line.kind == "fix"}
    assert fixes == {name for name, wanted in BOARDS[kind].items() if wanted == "fix"}


COMMANDS = (  # of a Pi 4: the command, what it does, the line, its kind, what to type
    ("arm-linux-gnueabihf-gcc", "echo libc.a", "compiler", "fix", BUILD),
    ("git", None, "tools", "fix", BUILD),
    ("perf", "echo WARNING: perf not found >&2; exit 2", "perf", "note",
     "sudo apt-get install linux-tools-$(uname -r)"),
    ("perf", None, "perf", "note", "sudo apt-get install linux-perf"),
    ("vcgencmd", "exit 255", "throttling", "note", "sudo usermod -aG video $USER"),
    ("id", "echo 0", "perf allowed", "ok", ""),
)  # fmt: skip


COMPILERS = (  # what is typed after CC=, and what installs it
    ("gcc", BUILD),
    ("armv6", "make setup CC=armv6"),
    ("clang", "make setup CC=clang"),
    ("gcc14", "make setup CC=gcc14"),
)


@pytest.mark.parametrize(("word", "typed"), COMPILERS)
def test_each_compiler_has_its_own_set_up(
    make: Callable, monkeypatch: pytest.MonkeyPatch, word: str, typed: str
) -> None:
    (toolchain,) = (one for one in TOOLCHAIN_TABLE if one.word == word)
    monkeypatch.setattr(doctor, "COMPILER", toolchain.command.split())
    fake = make(fake_boards.container)
    found = lines(fake)["compiler"]
    assert (found.kind, found.command) == ("fix", typed)
    assert toolchain.command in found.says
    name = toolchain.command.split()[0]
    fake.command(name, "echo libc.a")  # as a compiler answers that has no such file
    found = lines(fake)["compiler"]
    assert (found.kind, found.command) == ("fix", typed) and "libc.a" in found.says


def test_live_and_a_fix_is_status_1(make: Callable, capsys) -> None:
    command = [sys.executable, "-B", "-m", "harness", "doctor"]
    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=HANGS
    )
    assert ran.returncode in (0, 1) and ran.stderr == "" and "\033" not in ran.stdout
    assert len([line for line in ran.stdout.splitlines() if line[:4].strip()]) >= 15
    make(fake_boards.container)
    assert doctor.main() == 1
    shown = capsys.readouterr().out
    fix = f"fix   compiler      no arm-linux-gnueabihf-gcc\n{' ' * 20}type: {BUILD}\n"
    assert fix in shown and doctor.Line("a", "ok", "b").text(True).startswith(
        "\033[32mok"
    )
