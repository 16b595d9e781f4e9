"""The emulated board without starting it: its process, its question, what
it is taken for."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from clone import Clone
from fake_programs import script
from foreign import board_of
from needs import needs

from boards import emulated
from harness import target
from harness.compiler import identified
from records import ladder
from records.faults import Failure
from records.results import load
from records.rows import CELL, read_rows, write_rows

SSH = (
    '#!/bin/sh\nfor word; do script=$word; done\ncd "$BOARD" && exec sh -c "$script"\n'
)
DEAD = "#!/bin/sh\necho no such kernel\n"
READY = "#!/bin/sh\necho $$ >pid.new && mv pid.new pid\necho board: ready\nexec sleep 1000\n"
BOOT = """
import sys
from pathlib import Path
from boards import emulated
with emulated.booted(Path()):
    print("up", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Scripts in place of ssh, which reaches the folder `there`, and of the
    emulator, which ends at once until it is written anew.  The folder above
    them is the current one."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "bin"
    folder.mkdir()
    (tmp_path / "there").mkdir()
    for name, text in (("qemu-system-aarch64", DEAD), ("ssh", SSH)):
        script(folder / name, text)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("BOARD", str(tmp_path / "there"))
    return folder


def test_a_board_that_stops_at_once_is_a_fault(programs: Path) -> None:
    with pytest.raises(Failure, match="disk.log"), emulated.booted(Path()):
        pass
    assert "no such kernel" in Path("disk.log").read_text()


def test_a_killed_command_leaves_no_board(programs: Path) -> None:
    (programs / "qemu-system-aarch64").write_text(READY)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    environment = {**os.environ, "PYTHONPATH": str(ladder.ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", BOOT], **pipes, env=environment
    ) as process:
        assert process.stdout and process.stdout.readline() == b"up\n"
        waiting = os.pidfd_open(int(Path("pid").read_text()))
        process.send_signal(signal.SIGKILL)
    assert select.select([waiting], [], [], 60)[0]  # the board has ended, too
    os.close(waiting)


def test_nothing_is_downloaded_without_a_word(tmp_path: Path, monkeypatch) -> None:
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
    assert now == {"virtual": True} and target.tainted(now, now)
    model.write_text("Raspberry Pi 3 Model B Plus Rev 1.3\0")
    assert not target.tainted({}, target.state(tmp_path))


def test_what_is_sent_and_what_comes_back(programs: Path, monkeypatch, capsys) -> None:
    """A program goes there, the results that the kernel has counted come
    back; of our counters one works."""
    program = Path("build/iterations/v8/O3/rsa")
    program.parent.mkdir(parents=True)
    program.write_text("program")
    board = object.__new__(emulated.Board)
    board.folder, board.port = Path(), 22
    board.send("cd build && tar -cz iterations", "rsa-lab/build")
    given = board_of(Path("there/rsa-lab/results/local"), "board-gcc12")
    row = {
        **dict(zip(CELL, ("iterations", "v8", "O3"))),
        "workload": "mont_mul",
        "n": 400,
    }
    kernel = {
        "metric": "instructions",
        "unit": "instructions",
        "symbol": "kernel",
        "value": 7,
    }
    write_rows(given / emulated.FILE, [{**row, **kernel, "kind": "exact"}])

    def difference(name: str, program: Path) -> int:
        assert program.read_text() == "program"
        if name == "unicorn":
            raise Failure("Unicorn is not installed")
        return 5

    monkeypatch.setattr(emulated, "difference", difference)
    place = emulated.take_over(board, "board-armhf", "results/local", "build")
    assert read_rows(place / "counts.csv")
    assert [row["symbol"] for row in read_rows(place / emulated.FILE)] == [
        "kernel",
        "plugin",
    ]
    assert "Unicorn is not installed" in capsys.readouterr().out
    with pytest.raises(Failure, match="could not be compared"):
        emulated.summary(place.resolve())
    with pytest.raises(Failure, match="nowhere"):
        board.fetch("nowhere", Path("fetched"))


ARMV7 = "arm-linux-gnueabihf-gcc -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard"
ARMV6 = "arm-linux-gnueabi-gcc -march=armv6 -mfpu=vfp -mfloat-abi=softfp"
PROBED = (  # the compiler, the core, how the probe ends, what is said of the compiler
    (ARMV7, "cortex-a7", 0, "gcc"),
    (ARMV7, "arm1176", -signal.SIGILL, "gcc"),
    (ARMV6, "arm1176", 0, "armv6-gcc"),
)


@needs("qemu-arm", "arm-linux-gnueabihf-gcc", "arm-linux-gnueabi-gcc")
@pytest.mark.parametrize(("compiler", "core", "status", "name"), PROBED)
def test_the_probe_tells_an_armv6_board(
    tmp_path: Path, compiler: str, core: str, status: int, name: str
) -> None:
    command = [*compiler.split(), "-std=c11", "-marm", "-static"]
    target.build(command, tmp_path / "probe")
    assert identified(command).rstrip("0123456789") == name
    ran = subprocess.run(
        ["qemu-arm", "-cpu", core, tmp_path / "probe"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=tmp_path,
    )
    assert (ran.returncode, ran.stdout) == (status, b"18\n" if status == 0 else b"")


@needs("qemu-arm", "plugins")
def test_the_plugin_counts_the_calls_alone(measured: Clone, monkeypatch) -> None:
    """As many instructions a call as counts.csv has."""
    monkeypatch.chdir(measured.path)
    n = emulated.difference("plugin", Path("build/iterations/v8/O3/rsa"))
    wanted = {"study": "iterations", "snapshot": "v8", "level": "O3"}
    wanted |= {"workload": "mont_mul", "metric": "instructions", "symbol": "total"}
    (mean,) = [
        row["value"] / row["n"]
        for row in read_rows(Path("results/local/counts.csv"))
        if wanted.items() <= row.items()
    ]
    assert abs(n / emulated.CALLS - mean) < 5


@pytest.mark.parametrize(
    "path", sorted(ladder.ROOT.glob("results/board-*")), ids=lambda p: p.name
)
def test_three_counters_agree(path: Path) -> None:
    """Plugin and Unicorn count the same; the kernel more, by the driver's
    part of a call, which differs between cells by less than a tenth of
    an instruction."""
    cells = load(path, counted=False).query("select * from agreements")
    every = [
        (ladder.LADDER, f"v{rung}", level)
        for rung in range(9)
        for level in ladder.LEVELS
    ]
    wanted = every[-3:] if path.name.endswith("-native") else every
    assert sorted(tuple(cell[:3]) for cell in cells) == wanted
    assert all(cell["plugin"] == cell["unicorn"] for cell in cells)
    more = [(cell["kernel"] - cell["plugin"]) / cell["n"] for cell in cells]
    assert max(more) - min(more) < 0.1 < min(more)
    assert "cells, " in emulated.summary(path)
