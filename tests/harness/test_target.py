"""What harness/target.py reads of boards, and which samples it calls tainted."""

from collections.abc import Callable
from pathlib import Path

import fake_boards
import pytest

from harness import target


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable:
    """Makes one of the fake boards and puts its commands, and no others, on PATH."""

    def made(kind: Callable) -> fake_boards.Board:
        fake = kind(tmp_path)
        monkeypatch.setenv("PATH", str(fake.bin))
        return fake

    return made


def test_a_board_is_read_whole(make: Callable) -> None:
    assert target.state(make(fake_boards.pi3).root) == {
        "frequency": [1_200_000] * 4,
        "throttled": 0x80008,
        "temperature": 61_224,
        "governor": "ondemand",
    }


def test_the_firmware_tells_the_temperature_that_the_kernel_does_not(make: Callable) -> None:
    assert target.state(make(fake_boards.pi4).root)["temperature"] == 48_300


def test_what_is_unknown_is_absent(make: Callable) -> None:
    assert target.state(make(fake_boards.container).root) == {}


def test_a_user_whom_vcgencmd_refuses(make: Callable) -> None:
    fake = make(fake_boards.pi5)
    fake.command("vcgencmd", "echo VCHI initialization failed; exit 255")
    assert "throttled" not in target.state(fake.root)
    fake.file(target.FIRMWARE, "50005\n")
    assert target.state(fake.root)["throttled"] == 0x50005


@pytest.mark.parametrize("text", ["", "throttled=", "throttled=yes", "error=1"])
def test_words_that_are_no_answer(make: Callable, text: str) -> None:
    fake = make(fake_boards.container)
    fake.command("vcgencmd", f"echo '{text}'")
    fake.zone(0, "cpu-thermal", 0)
    fake.file("sys/class/thermal/thermal_zone0/temp", text)
    assert target.state(fake.root) == {}


def test_cores_are_in_order_and_may_differ(make: Callable) -> None:
    fake = make(fake_boards.container)
    fake.cores(1, "powersave", number=12)
    for core in range(12):
        fake.file(f"sys/devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq", f"{core}000\n")
    fake.file("sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "performance\n")
    found = target.state(fake.root)
    assert found["frequency"] == [1000 * core for core in range(12)]
    assert found["governor"] == "performance/powersave"


def test_the_processors_zone_is_taken(make: Callable) -> None:
    fake = make(fake_boards.container)
    fake.zone(0, "acpitz", 27_800)
    assert target.temperature(fake.root) == 27_800
    fake.zone(3, "x86_pkg_temp", 55_000)
    assert target.temperature(fake.root) == 55_000


def test_a_command_that_hangs_is_left(make: Callable) -> None:
    fake = make(fake_boards.container)
    fake.command("vcgencmd", "while :; do :; done")
    assert target.ask("vcgencmd", "get_throttled", timeout=0.1) == ""


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ({}, {}, ""),
        ({"throttled": 0}, {"throttled": 0}, ""),
        ({"throttled": 0x50000}, {"throttled": 0x50000}, ""),  # long ago
        ({"throttled": 0}, {"throttled": 0x1}, "under-voltage"),
        ({"throttled": 0x2}, {"throttled": 0x20000}, "frequency capped"),
        ({"throttled": 0x4}, {"throttled": 0x4}, "throttled"),
        ({"throttled": 0}, {"throttled": 0x80008}, "soft temperature limit"),
        (
            {"throttled": 0},
            {"throttled": 0x50000},
            "under-voltage in between; throttled in between",
        ),
        ({"frequency": [600_000] * 4}, {"frequency": [600_000] * 4}, ""),
        ({"frequency": [3_000_000, 800_000]}, {"frequency": [900_000, 3_001_000]}, ""),
        (
            {"frequency": [1_400_000]},
            {"frequency": [1_200_000]},
            "frequency changed from 1400 to 1200 MHz",
        ),
        ({"frequency": [600_000]}, {}, ""),
        ({"temperature": 80_000}, {"temperature": 90_000}, ""),  # heat alone slows nothing
    ],
)
def test_what_spoils_a_sample(before: dict, after: dict, reason: str) -> None:
    assert target.tainted(before, after) == reason


def test_this_machine_is_read() -> None:
    found = target.state()
    assert set(found) <= {"frequency", "throttled", "temperature", "governor"}
