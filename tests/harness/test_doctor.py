"""harness/doctor.py on boards made of files and fake commands, and on this machine."""

import hashlib
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import fake_boards
import pytest
from needs import needs

from harness import doctor
from records.ladder import ROOT


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable:
    """Makes a fake board and stands in its checkout, with its commands, and no others, on PATH."""

    def made(kind: Callable) -> fake_boards.Board:
        fake = kind(tmp_path)
        monkeypatch.setenv("PATH", str(fake.bin))
        monkeypatch.chdir(fake.checkout)
        monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "unicorn" else True)
        return fake

    return made


def lines(fake: fake_boards.Board) -> dict[str, doctor.Line]:
    """What the doctor says, by name; every name once."""
    found = doctor.examine(fake.root)
    named = {line.name: line for line in found}
    assert len(named) == len(found)
    return named


def kinds(fake: fake_boards.Board) -> dict[str, str]:
    """Kind of every line by name."""
    return {name: line.kind for name, line in lines(fake).items()}


def test_a_hot_pi_3(make: Callable) -> None:
    found = lines(make(fake_boards.pi3))
    assert found["platform"].kind == "note" and "directly" in found["platform"].says
    assert "not installed" in found["qemu"].says and "Unicorn" in found["qemu"].says
    assert found["perf allowed"].kind == "note"
    assert found["perf allowed"].command == "sudo sysctl kernel.perf_event_paranoid=2"
    assert found["PMU"].says == "armv7_cortex_a7"
    assert found["frequency"].says.startswith("1200 MHz, governor ondemand")
    assert found["frequency"].command == doctor.GOVERNOR
    assert found["throttling"].kind == "note"
    assert "soft temperature" in found["throttling"].says
    assert found["temperature"].says == "61.2 °C"
    assert found["width"].says == "kernel 32 bits (armv7l), programs 32 bits"
    assert all(line.kind != "fix" for line in found.values())


def test_a_pi_4_whose_supply_sagged(make: Callable) -> None:
    found = lines(make(fake_boards.pi4))
    assert found["qemu"].kind == found["perf"].kind == found["perf allowed"].kind == "ok"
    assert found["PMU"].says == "armv8_cortex_a72"
    assert found["frequency"] == doctor.Line("ok", "frequency", "1800 MHz, governor performance")
    says = "0x50000: since the start, not now: under-voltage, throttled"
    assert found["throttling"] == doctor.Line("note", "throttling", says, "sudo reboot")
    assert found["temperature"].says == "48.3 °C"
    assert found["width"].says == "kernel 64 bits (aarch64), programs 32 bits"


def test_a_pi_5_with_its_stock_kernel(make: Callable) -> None:
    fake = make(fake_boards.pi5)
    found = lines(fake)
    assert found["page size"].kind == "note" and "16 KiB" in found["page size"].says
    assert found["throttling"].kind == "ok" and "0x0" in found["throttling"].says
    assert "plugin" in found["qemu"].says
    assert (found["qemu"].kind, found["qemu"].command) == ("note", "make venv")
    fake.file("usr/lib/aarch64-linux-gnu/libunicorn.so.2", "")
    found = lines(fake)
    assert "Unicorn" in found["qemu"].says and not found["qemu"].command
    assert found["unicorn"].kind == "ok"


def test_a_container_with_nothing(make: Callable) -> None:
    found = kinds(make(fake_boards.container))
    fixes = {name for name, kind in found.items() if kind == "fix"}
    assert fixes == {"platform", "compiler", "tools", "qemu"}
    assert {name for name, kind in found.items() if kind == "note"} >= {
        "perf", "perf allowed", "PMU", "frequency", "unicorn", ".venv"}  # fmt: skip
    assert found["throttling"] == found["temperature"] == "ok"  # nothing to ask is no fault


def test_a_board_that_runs_no_armv7(make: Callable) -> None:
    """A Pi Zero needs the emulator."""
    fake = make(fake_boards.pi3)
    fake.system("armv6l", 32, 4096)
    assert {name for name, kind in kinds(fake).items() if kind == "fix"} == {"platform", "qemu"}
    fake.command("qemu-arm", fake_boards.QEMU)
    assert "under qemu-arm" in lines(fake)["platform"].says


def test_what_make_has_found_is_believed(make: Callable) -> None:
    fake = make(fake_boards.pi4)
    (fake.checkout / "build").mkdir()
    (fake.checkout / "build/platform").write_text("platform=pi-4-model-b-gcc12\nrunner=''\n")
    assert lines(fake)["platform"] == doctor.Line("ok", "platform", "pi-4-model-b-gcc12")


COMMANDS = (  # of a Pi 4: the command, what it does, the line, its kind, what to type
    ("arm-linux-gnueabihf-gcc", "echo libc.a", "compiler", "fix", doctor.BUILD),
    ("git", None, "tools", "fix", doctor.BUILD),
    ("perf", "echo WARNING: perf not found >&2; exit 2", "perf", "note",
     "sudo apt-get install linux-tools-$(uname -r)"),
    ("perf", None, "perf", "note", "sudo apt-get install linux-perf"),
    ("vcgencmd", "exit 255", "throttling", "note", "sudo usermod -aG video $USER"),
    ("id", "echo 0", "perf allowed", "ok", ""),
)  # fmt: skip


@pytest.mark.parametrize(("command", "body", "name", "kind", "typed"), COMMANDS)
def test_commands(make: Callable, command: str, body: str, name: str, kind: str, typed) -> None:
    fake = make(fake_boards.pi4)
    if body:
        fake.command(command, body)
    else:
        (fake.bin / command).unlink()
    found = lines(fake)[name]
    assert (found.kind, found.command) == (kind, typed)


@pytest.mark.parametrize(("free", "kind"), [(10, "fix"), (500, "note"), (5000, "ok")])
def test_heat_and_room_on_the_disk(make: Callable, monkeypatch, free: int, kind: str) -> None:
    fake = make(fake_boards.pi5)
    fake.zone(0, "cpu-thermal", 84_000)
    usage = type("Usage", (), {"free": free * 1_000_000})
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage)
    assert lines(fake)["disk"].kind == kind and lines(fake)["temperature"].kind == "note"


def test_python_and_its_modules(make: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = make(fake_boards.pi5)
    assert lines(fake)["python"].kind == "ok" and lines(fake)[".venv"].command == "make venv"
    (fake.checkout / ".venv/bin").mkdir(parents=True)
    (fake.checkout / ".venv/bin/python").symlink_to(sys.executable)
    assert lines(fake)[".venv"].kind == "note"  # half made: the stamp comes last
    (fake.checkout / ".venv/stamp").touch()
    assert lines(fake)[".venv"].kind == "ok"
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    assert lines(fake)["tqdm"].command == "sudo apt-get install python3-tqdm"


def test_a_fix_is_status_1(make: Callable, capsys) -> None:
    make(fake_boards.container)
    assert doctor.main() == 1
    shown = capsys.readouterr().out
    fix = f"fix   compiler      no arm-linux-gnueabihf-gcc\n{' ' * 20}type: {doctor.BUILD}\n"
    assert fix in shown


def contents(folder: Path) -> dict[str, str]:
    """Every file of the checkout but git's and the tools' own, with a hash."""
    skip = {".git", ".venv", ".pytest_cache", ".ruff_cache", "__pycache__"}
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not skip & set(path.parts)
    }


COMMAND = [sys.executable, "-B", "-m", "harness.doctor"]


def test_live_and_nothing_changes(tmp_path: Path) -> None:
    """In a copy, since others may be writing here; no cache of compiled Python appears either."""
    for name in ("records", "harness", "rsalab"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    before = contents(tmp_path)
    ran = subprocess.run(COMMAND, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ran.returncode in (0, 1) and ran.stderr == "" and "\033" not in ran.stdout
    names = [line[6:18].strip() for line in ran.stdout.splitlines() if line[:4].strip()]
    assert len(names) >= 15 and len(set(names)) == len(names)
    assert contents(tmp_path) == before and not list(tmp_path.rglob("__pycache__"))


@needs("terminals")
@pytest.mark.parametrize("extra", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_live_colour_only_on_a_terminal(extra: dict[str, str]) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment.update({"TERM": "xterm", **extra})
    outer, inner = pty.openpty()
    process = subprocess.Popen(COMMAND, cwd=ROOT, env=environment, stdout=inner, stderr=inner)
    process.wait(timeout=300)
    os.close(inner)
    shown = os.read(outer, 100_000).decode()
    os.close(outer)
    assert ("\033[32mok" in shown) == (extra == {})
