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


def test_a_user_whom_vcgencmd_refuses(make: Callable) -> None:
    fake = make(fake_boards.pi5)
    fake.command("vcgencmd", "echo VCHI initialization failed; exit 255")
    assert "throttled" not in target.state(fake.root)
    fake.file(target.FIRMWARE, "50005\n")
    assert target.state(fake.root)["throttled"] == 0x50005


def test_what_is_no_answer_is_absent(make: Callable) -> None:
    fake = make(fake_boards.container)
    assert target.state(fake.root) == {}
    fake.command("vcgencmd", "echo throttled=yes")
    fake.file("sys/class/thermal/thermal_zone0/temp", "error")
    assert target.state(fake.root) == {}
    fake.command("vcgencmd", "while :; do :; done")
    assert target.ask("vcgencmd", "get_throttled", timeout=0.1) == ""


def test_cores_are_in_order_and_may_differ(make: Callable) -> None:
    fake = make(fake_boards.container)
    fake.cores(1, "powersave", number=12)
    for core in range(12):
        fake.file(f"sys/devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq", f"{core}000\n")
    fake.file("sys/devices/system/cpu/cpu10/cpufreq/scaling_governor", "performance\n")
    state = target.state(fake.root)
    assert state["frequency"] == [1000 * core for core in range(12)]
    assert state["governor"] == "performance/powersave"


def test_the_processors_zone_is_taken(make: Callable) -> None:
    fake = make(fake_boards.container)
    fake.zone(0, "acpitz", 27_800)
    assert target.temperature(fake.root) == 27_800
    fake.zone(3, "x86_pkg_temp", 55_000)
    assert target.temperature(fake.root) == 55_000


TAINTED = (
    ({}, {}, ""),
    ({"throttled": 0x50000}, {"throttled": 0x50000}, ""),  # long ago
    ({"throttled": 0}, {"throttled": 0x1}, "under-voltage"),
    ({"throttled": 0x2}, {"throttled": 0x20000}, "frequency capped"),
    ({"throttled": 0}, {"throttled": 0x80008}, "soft temperature limit"),
    ({"throttled": 0}, {"throttled": 0x50000}, "under-voltage in between; throttled in between"),
    ({"frequency": [3_000_000, 800_000]}, {"frequency": [900_000, 3_001_000]}, ""),
    ({"frequency": [1_400_000]}, {"frequency": [1_200_000]},
     "frequency changed from 1400 to 1200 MHz"),
    ({"frequency": [600_000]}, {}, ""),
    ({"temperature": 80_000}, {"temperature": 90_000}, ""),  # heat alone slows nothing
)  # fmt: skip


@pytest.mark.parametrize(("before", "after", "reason"), TAINTED)
def test_what_spoils_a_sample(before: dict, after: dict, reason: str) -> None:
    assert target.tainted(before, after) == reason
