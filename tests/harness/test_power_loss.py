"""A farm of two emulated computers over their own sshd; one of them loses its power in mid-run."""

import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone, environment
from needs import needs

from harness.board import machine
from harness.exchange.validate import validate
from harness.kept import sealed
from records.ladder import LEVELS, ROOT
from records.rows import read_rows

IMAGE = ROOT / "build/board/armhf"
RUNGS = ("v6", "v7", "v8")
CELLS = {f"{rung}/{level}" for rung in RUNGS for level in LEVELS}
pytestmark = [
    pytest.mark.long,
    needs("qemu-system-aarch64", "parallel"),
    pytest.mark.skipif(
        not (IMAGE / "disk.img").exists(), reason="no board; `make board` builds it"
    ),
]


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[list[machine.Board]]:
    """Two of them, each with a disk of its own."""
    disks = [tmp_path / name for name in ("one.img", "two.img")]
    for disk in disks:
        subprocess.run(["cp", "--sparse=always", IMAGE / "disk.img", disk], check=True)
    with (
        machine.booted(IMAGE, disks[0], False) as one,
        machine.booted(IMAGE, disks[1], False) as two,
    ):
        yield [one, two]


def start(clone: Clone, known: Path, lines: list[str]) -> subprocess.Popen:
    """`make farm` on the boards of these lines, in the background."""
    (clone.path / "hosts.txt").write_text("\n".join(lines))
    ssh = f"ssh -i {IMAGE}/key -o IdentitiesOnly=yes -o UserKnownHostsFile={known}"
    return subprocess.Popen(
        ["make", "farm", f"SSH={ssh} -o StrictHostKeyChecking=accept-new"]
        + [f"FARM={' '.join(f'iterations/{rung}' for rung in RUNGS)}"],
        cwd=clone.path,
        env=environment(),
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def ended(process: subprocess.Popen) -> tuple[list[str], int]:
    """What a farm that did all of its work complains of, as lines of hosts.txt; and how many
    programs its boards have checked."""
    said, _ = process.communicate(timeout=1800)
    assert process.returncode == 0, said
    checked = said.partition("  BOARD ")[2].count("  CHECK ")
    return sorted(re.findall(r"^farm: hosts.txt:(\d): ", said, re.M)), checked


def at_work(process: subprocess.Popen, boards: list[machine.Board]) -> machine.Board:
    """The first board that has measured anything."""
    while process.poll() is None:
        for board in boards:
            kept = [*board.ssh(), "ls rsa-farm/build/times/round-0.json"]
            if not subprocess.run(kept, capture_output=True).returncode:
                return board
    raise AssertionError(process.communicate()[0])


def measured(clone: Clone, board: machine.Board) -> set[str]:
    """The cells in a board's results, which are valid and have no row twice."""
    folder = clone.path / f"results/farm/127.0.0.1-{board.port}"
    rows = read_rows(folder / "times.csv")
    assert len(rows) == len({tuple({**row, "value": 0}.items()) for row in rows})
    assert not rows or validate(folder) == []
    return {f"{row['snapshot']}/{row['level']}" for row in rows}


def whole(folder: Path) -> int:
    """How many sealed files there are of what a board has written; every file is whole."""
    found = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert all(found.values()), [path for path in found if not found[path]]
    tables = [read_rows(path) for path in found if path.suffix == ".csv"]
    assert all(tables)
    facts = [json.loads(found[path]) for path in found if path.suffix == ".json"]
    kept = [fact for fact in facts if "seal" in fact]
    assert all(fact["seal"] == sealed(fact["key"], fact["what"]) for fact in kept)
    return len(kept)


def test_a_board_loses_its_power(
    first_clone: Clone, boards: list[machine.Board], tmp_path: Path
) -> None:
    """It falls silent, with its disk as it is.  A third one is off from the start, and a fourth has
    another key than before."""
    known, clone = tmp_path / "known", first_clone.copy(tmp_path / "clone")
    known.write_text(f"[localhost]:{boards[0].port} {(IMAGE / 'key.pub').read_text()}")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        lines = [f"pi@127.0.0.1:{board.port} pi" for board in boards]
        lines += [f"pi@127.0.0.1:{silent.getsockname()[1]} pi"]
        lines += [f"pi@localhost:{boards[0].port} pi"]
        process = start(clone, known, lines)
        dead = at_work(process, boards)
        dead.process.send_signal(signal.SIGSTOP)
        assert ended(process)[0] == sorted([str(1 + boards.index(dead)), "3", "4"])
    dead.cut()
    cells = [cell for board in boards for cell in measured(clone, board)]
    assert sorted(cells) == sorted(CELLS)

    disk = dead.console.with_suffix(".img")
    with machine.booted(IMAGE, disk, False, port=dead.port) as again:
        again.run("dmesg | grep -q 'vda.*recovery complete'", "root")
        written = "build/token build/platform build/times build/iterations/*/*/check.ok results"
        again.fetch(f"-C rsa-farm $(cd rsa-farm && ls -d {written})", tmp_path / "disk")
        assert whole(tmp_path / "disk")
        assert ended(start(clone, known, lines[:2])) == ([], 0)
        missing = len(CELLS - measured(clone, dead))
        assert ended(start(clone, known, [lines[boards.index(dead)]])) == ([], missing)
        assert measured(clone, dead) == CELLS
