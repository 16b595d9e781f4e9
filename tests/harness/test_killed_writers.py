"""Killed at each moment at which a writer changes a results folder: no row is lost, and the same
command then finishes.

Each writer runs in a fork of this process that kills itself at its n-th rename, removal, or opening
for writing; tests/support/killed has the same for whole commands.
"""

import base64
import io
import os
import shutil
import signal
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from foreign import board_of

from harness import cells, collect, merge
from harness.calls import gprof
from harness.cells import Cell
from harness.exchange import import_results
from harness.farm import delivery, hosts
from harness.time import host, rounds
from records import ladder
from records.machine import machine_facts, write_machine
from records.platform import Platform
from records.rows import CELL, SCHEMAS, Row, read_rows, write_rows

FLAGS = "arm-gcc (Test) 99.1\n-marm\n"
PLATFORM = Platform("qemu-gcc99", ("qemu-arm",))
CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate")
LOCAL = Path("results/local")
METRICS = ("instructions", "multiplies_long", "multiplies_umaal")


def counted(name: str, value: int, study: str = "iterations") -> list[Row]:
    """Rows of counts.csv."""
    cell = {"study": study, "snapshot": name, "level": "O1", "repeat": 0, "case": "mont_mul"}
    number = {"symbol": "total", "value": value, "unit": "instructions", "n": 10}
    return [{**cell, **number, "metric": metric} for metric in METRICS]


def called(name: str) -> Row:
    """A row of calls.csv."""
    cell = {"study": "iterations", "snapshot": name, "level": "O1"}
    return {**cell, "caller": "main", "callee": "mod_exp", "calls": 2}


def collected() -> None:
    """A collection that has counted v8, and writes."""
    options = collect.Options(LOCAL, False, PLATFORM, None, "small")
    collect.write(options, [], {"counts.csv": counted("v8", 8)}, False)


def profiled() -> None:
    """gprof has run v8."""
    v8 = Cell(ladder.find("v8"), "O1", "default")
    gprof.write(LOCAL, [v8], PLATFORM.name, PLATFORM.runner)


def imported() -> None:
    """A board's results in place of those that an import brought before."""
    import_results.take(Path("board"), force=True)


def timed_here() -> None:
    """`make host` has timed v8."""
    timed = {**counted("v8", 8)[0], "metric": "encrypt", "unit": "ns", "n": 1}
    rounds.collect = lambda *_: [timed]
    rounds.facts = lambda *_: {}
    cells.Cell.checked = True
    host.digest = lambda _: "1" * 64
    sys.argv[1:] = ["iterations/v8"]
    host.main()


def delivered() -> None:
    """A board of a farm sends what it has measured since."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name in ("machine.json", "counts.csv", "provenance.csv"):
            archive.add(Path("board") / name, name)
    board = hosts.Board("hosts.txt:1", "pi@a", 22, "pi4")
    delivery.sizes = lambda _: []
    delivery.accept(board, base64.b64encode(packed.getvalue()).decode(), ("0" * 40, True))


WRITERS: dict[str, Callable[[], None]] = {
    "collect": collected,
    "gone": collected,
    "gprof": profiled,
    "import": imported,
    "host": timed_here,
    "farm": delivered,
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A folder with results of v0 and v1 of this machine, and of a board, to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gprof, "profile", lambda *_: {"text": "", "calls": [["a", "b", 1]]})
    monkeypatch.setattr(gprof, "workload", lambda _: ("a round trip", []))
    Path("build").mkdir()
    Path("build/flags").write_text(FLAGS)
    write_rows(LOCAL / "gprof/calls.csv", [called("v0"), called("v8")])
    rows = [*counted("v0", 5), *counted("v1", 6)]
    if "gone" in request.node.name:  # then the folder is kept as it is, too
        rows += counted("v77", 7)
    write_rows(LOCAL / "counts.csv", rows)
    programs = {merge.label(row): "0" * 64 for row in rows}
    write_machine(LOCAL, machine_facts(PLATFORM.name, PLATFORM.runner, FLAGS, programs))
    (tmp_path / "build/host").mkdir()
    Path("build/host/flags").write_text(FLAGS)
    Path("build/host/platform").write_text("platform=host-gcc99\nrunner=''\n")
    for folder, name in ((LOCAL / "host", "host-gcc99"), (Path("results/farm/a"), "pi4-gcc12")):
        write_rows(folder / "times.csv", [{**row, "n": 1} for row in counted("v0", 5)])
        write_machine(folder, machine_facts(name, (), FLAGS, {"iterations/v0/O1": "0" * 64}))
    board_of(Path("board"), "pi4-gcc12")
    import_results.take(Path("board"))
    return tmp_path


def rows_in(results: Path) -> set[tuple[str, ...]]:
    """Every row of every results folder that a reader finds, as text."""
    found = set()
    for path in results.rglob("*.csv"):
        if path.name in SCHEMAS:
            read_rows(path)
            found |= {(path.name, *line.split(",")) for line in path.read_text().split("\n")[1:-1]}
    return found


def run(writer: Callable[[], None], at: int, log: Path | None = None) -> int:
    """The status of a fork that runs the writer and is killed at the `at`-th change; 0 lets it
    live.  A line of `log` is a change."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    seen = []

    def watch(event: str, words: tuple) -> None:
        writes = event == "open" and (words[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (writes or event in CHANGES) and "results" in f"{words[:2]}":
            seen.append(f"{event} {words[0]}")
            if len(seen) == at:
                os.kill(os.getpid(), signal.SIGKILL)

    status = 3
    try:
        sys.addaudithook(watch)
        writer()
        status = 0
    finally:
        if log:
            log.write_text("\n".join(seen))
        os._exit(status)


@pytest.mark.parametrize("name", WRITERS)
def test_killed_at_each_change(place: Path, name: str) -> None:
    results, before, writer = Path("results"), Path("before"), WRITERS[name]
    safe = {row for row in rows_in(results) if name != "gprof" or row[len(CELL) - 1] != "v8"}
    shutil.copytree(results, before)
    assert run(writer, 0, Path("log")) == 0
    truth, changes = rows_in(results), Path("log").read_text().splitlines()
    assert len(changes) >= 2 and safe <= truth
    for at, change in enumerate(changes, start=1):
        shutil.rmtree(results)
        shutil.copytree(before, results)
        assert run(writer, at) == -signal.SIGKILL, change
        there = rows_in(results) | (rows_in(Path("build")) if name.endswith("steps") else set())
        assert safe <= there, change
        assert run(writer, 0) == 0, change
        assert truth <= rows_in(results), change
