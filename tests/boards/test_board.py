"""The emulated board without starting it: its process, its question, what it is taken for; and what
a board's owner hands on."""

import os
import select
import signal
import socket
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from foreign import board_of
from needs import needs

from boards import agreement, emulated, exchange
from boards.exchange import take
from harness import counters, target
from records import ladder
from records.faults import Failure
from records.machine import read_machine, write_machine
from records.rows import CELL, read_rows, write_rows

READY = "echo $$ >pid.new && mv pid.new pid\necho board: ready\nexec sleep 1000\n"
BOOT = """
import sys
from pathlib import Path
from boards import emulated
with emulated.booted(Path(sys.argv[1])) as board:
    print("up", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def emulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script in place of the emulator; it ends at once until it is written anew."""
    script = tmp_path / "bin/qemu-system-aarch64"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho no such kernel\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    return script


def test_a_board_that_stops_at_once_is_a_fault(emulator: Path, tmp_path: Path) -> None:
    with pytest.raises(Failure, match="disk.log"), emulated.booted(tmp_path):
        pass


def test_a_killed_command_leaves_no_board(emulator: Path, tmp_path: Path) -> None:
    emulator.write_text("#!/bin/sh\n" + READY)
    words = [sys.executable, "-c", BOOT, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ladder.ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, **pipes, cwd=tmp_path, env=environment) as process:
        assert process.stdout and process.stdout.readline() == b"up\n"
        board = int((tmp_path / "pid").read_text())
        waiting = os.pidfd_open(board)
        os.kill(board, 0)
        process.send_signal(signal.SIGKILL)
    assert select.select([waiting], [], [], 60)[0]  # the board has ended, too
    os.close(waiting)


def test_nothing_is_downloaded_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("YES", raising=False)
    monkeypatch.setattr(sys, "stdin", open(os.devnull))
    with pytest.raises(Failure, match="YES=1"):
        emulated.build(tmp_path, "armhf")
    assert list(tmp_path.iterdir()) == []


def test_virtual_time_is_no_time(tmp_path: Path) -> None:
    model = tmp_path / target.MODEL
    model.parent.mkdir(parents=True)
    model.write_text("linux,dummy-virt\0")
    now = target.state(tmp_path)
    assert now == {"virtual": True}
    assert target.tainted(now, now)
    model.write_text("Raspberry Pi 3 Model B Plus Rev 1.3\0")
    assert not target.tainted({}, target.state(tmp_path))


class Measured(emulated.Board):
    """A board that has measured v8, and hands over what it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fetch(self, paths: str, place: Path) -> None:
        given = board_of(place / "results/local", "board-gcc12")
        row = {**dict(zip(CELL, ("iterations", "v8", "O3"))), "case": "mont_mul", "n": 400}
        kernel = {"metric": "instructions", "unit": "instructions", "symbol": "kernel"}
        write_rows(given / agreement.FILE, [{**row, **kernel, "value": 7, "repeat": 0}])


def test_results_come_back_without_a_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ours(name: str, program: Path) -> int:
        if name == "unicorn":
            raise Failure("Unicorn is not installed")
        return 5

    monkeypatch.setattr(agreement, "ours", ours)
    monkeypatch.chdir(tmp_path)
    place = emulated.take_over(Measured(tmp_path), "board-armhf", "results/local", "build")
    assert read_rows(place / "counts.csv")
    assert [row["symbol"] for row in read_rows(place / agreement.FILE)] == ["kernel", "plugin"]
    assert "Unicorn is not installed" in capsys.readouterr().out
    with pytest.raises(Failure, match="could not be compared"):
        agreement.summary(place)


@needs("qemu-arm", "arm-linux-gnueabihf-gcc")
@pytest.mark.parametrize(("core", "status"), [("cortex-a7", 0), ("arm1176", -signal.SIGILL)])
def test_the_probe_tells_an_armv6_board(tmp_path: Path, core: str, status: int) -> None:
    flags = "-std=c11 -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard -static".split()
    target.build(["arm-linux-gnueabihf-gcc", *flags], tmp_path / "probe")
    words = ["qemu-arm", "-cpu", core, tmp_path / "probe"]
    ran = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (status, b"18\n" if status == 0 else b"")


def test_no_counter_by_that_name() -> None:
    assert counters.choose("none")[0] is None


def test_what_is_handed_on_names_neither_machine_nor_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = board_of(tmp_path / "given", "pi-3")
    monkeypatch.setattr(socket, "gethostname", lambda: "annas-pi.example")
    monkeypatch.setenv("HOME", "/home/anna")
    facts = read_machine(given)
    facts["os"] = "Debian of annas-pi under /home/anna"
    write_machine(given, facts)
    archive = exchange.pack(given, tmp_path / "out")
    with tarfile.open(archive) as tar:
        assert {member.uname for member in tar} == {""}
        tar.extractall(tmp_path / "there")
    (there,) = (tmp_path / "there").iterdir()
    said = (there / "machine.json").read_text()
    assert "annas-pi" not in said and "/home/anna" not in said
    assert take(there, "pi", results=tmp_path / "results").name == "pi"


def test_faulty_results_are_not_handed_on(tmp_path: Path) -> None:
    given = board_of(tmp_path / "given", "pi-3")
    with (given / "counts.csv").open("a") as file:
        file.write("iterations,v1\n")
    with pytest.raises(Failure, match="counts.csv"):
        exchange.pack(given, tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.tar.gz"))


@pytest.mark.parametrize("path", sorted(ladder.ROOT.glob("results/board-*")), ids=lambda p: p.name)
def test_three_counters_agree(path: Path) -> None:
    """Plugin and Unicorn count the same; the kernel as much more in every cell."""
    table: dict[tuple[str, ...], dict[str, int]] = {}
    for row in read_rows(path / agreement.FILE):
        cell = table.setdefault(tuple(row[name] for name in CELL), {})
        cell[row["symbol"]] = row["value"]
    every = [(ladder.LADDER, f"v{rung}", level) for rung in range(9) for level in ladder.LEVELS]
    assert sorted(table) == (every[-3:] if path.name.endswith("-native") else every)
    assert all(cell["plugin"] == cell["unicorn"] for cell in table.values())
    shares = Counter(cell[agreement.KERNEL] - cell["plugin"] for cell in table.values())
    assert len(shares) == 1, shares
