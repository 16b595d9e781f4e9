"""What a cell keeps, and the clocks of a board that runs ARM programs directly."""

import json
import time
from pathlib import Path

import pytest
from clone import Clone

from harness import cells, clock, collect, counters, kept
from harness.kept import on_all_cores, recall
from harness.target import runs_directly
from records import command, ladder
from records.faults import Failure
from records.machine import write_machine
from records.platform import Platform
from records.rows import OBSERVATION, read_rows
from records.workload import Task


@pytest.fixture
def cell(measured: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> cells.Cell:
    """v8 O3 in a checkout of its own, where the program is a script that calls the emulator: to the
    harness it looks like a program that runs directly."""
    snapshot = ladder.find("v8", root=measured.path)
    made = cells.Cell(snapshot, "O3", "default")
    (tmp_path / made.folder).mkdir(parents=True)
    script = f'#!/bin/sh\nexec qemu-arm -cpu cortex-a7 "{measured.path / made.program}" "$@"\n'
    (tmp_path / made.program).write_text(script)
    (tmp_path / made.program).chmod(0o755)
    (tmp_path / "data").symlink_to(measured.path / "data")
    monkeypatch.chdir(tmp_path)
    return made


def test_every_message_has_its_samples(cell: cells.Cell) -> None:
    rows = clock.collect([cell])
    metrics = {
        ("encrypt_clock", "us"),
        ("encrypt", "ns"),
        ("decrypt_clock", "us"),
        ("decrypt", "ns"),
    }
    assert {(row["metric"], row["unit"]) for row in rows} == metrics
    assert len(rows) == 4 * 100 and {row["repeat"] for row in rows} == set(range(100))
    assert all(row["value"] > 0 for row in rows if row["unit"] == "ns")


def test_samples_are_kept_until_the_program_changes(cell: cells.Cell) -> None:
    first = clock.collect([cell])
    assert clock.collect([cell]) == first
    cell.program.write_text(cell.program.read_text() + "# another program\n")
    assert clock.collect([cell]) != first


def test_a_failing_program_is_one_line(cell: cells.Cell) -> None:
    cell.program.write_text("#!/bin/sh\necho wrong digit >&2\nexit 1\n")
    with pytest.raises(Failure, match="^iterations/v8/O3: not timed: .*wrong digit$"):
        clock.collect([cell])


def test_a_script_or_an_emulator_is_no_board(cell: cells.Cell) -> None:
    """The kernel runs something else in its place, so the platform is not taken for a board."""
    cell.program.write_text("#!/bin/sh\necho 18\nread line\n")
    assert not runs_directly(cell.program)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": "k"}', '{"key": "other", "what": 1}'])
def test_what_is_damaged_is_measured_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "kept.json").write_text(text)
    assert recall(tmp_path / "kept.json", "k") is None


def test_a_results_file_that_is_cut_short_is_named(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(",".join(OBSERVATION.columns) + "\niterations,v0,O0,mont_mul,instr")
    with pytest.raises(Failure, match=r"counts.csv:2: not a whole row"):
        read_rows(path)
    path.write_text(",".join(OBSERVATION.columns) + "\ni,v0,O0,mont_mul,loads,total,1,a,0,0\n")
    with pytest.raises(Failure, match=r"counts.csv:2: .*n is 0"):
        read_rows(path)


# ---- What a collection does first, and how much ----

BOARD, EMULATED = Platform("pi-5", ()), Platform("qemu-gcc12", ("qemu-arm",))


@pytest.mark.parametrize(
    ("platform", "counter", "wanted"),
    [
        (EMULATED, "plugin", "default"),
        (EMULATED, "unicorn", "small"),
        (BOARD, "plugin", "small"),
        (BOARD, "unicorn", "small"),
        (BOARD, "", "default"),
    ],
)
def test_the_small_workload_where_counting_would_take_long(
    platform: Platform, counter: str, wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = counters.COUNTERS.get(counter)
    assert collect.choose_messages("", platform, chosen) == wanted
    assert ("MESSAGES=default" in capsys.readouterr().out) == (wanted == "small")
    for word in ("small", "default", "all"):
        assert collect.choose_messages(word, platform, chosen) == word


def test_a_board_is_timed_before_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []
    monkeypatch.setattr(collect, "read_platform", lambda: BOARD)
    monkeypatch.setattr(collect.counters, "choose", lambda name: (counters.COUNTERS["plugin"], ""))
    monkeypatch.setattr(cells.Cell, "checked", True)
    monkeypatch.setattr(collect, "time_rows", lambda known: done.append("times") or {})
    monkeypatch.setattr(collect, "count", lambda known, counter: done.append("counts"))
    monkeypatch.setattr(collect, "write", lambda *arguments: done.append("files"))
    collect.collect([ladder.find("v8").path], "", tmp_path, sizes=False)
    assert done == ["times", "counts", "files"]


def test_waiting_is_announced_and_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    v0, v1 = (cells.Cell(ladder.find(name), "O1", "small") for name in ("v0", "v1"))
    runs = [collect.Run(v0, Task("mont_mul", "p", 1, ()), 10)]
    runs += [collect.Run(v0, Task("mod_exp", "p", 1, ()), 30)]
    runs += [collect.Run(v1, Task("mod_exp", "p", 1, ()), 80)]
    monkeypatch.setattr(collect, "summary", lambda cell: f"{cell.name} is done")
    following = collect.Progress(runs, workers=2)
    assert following.remaining() == pytest.approx(60, abs=5)
    assert "3 runs of 2 programs: about 60 s" in capsys.readouterr().out
    tasks = [kept.Task(run.cell.kept(run.task), "key", lambda: "answer") for run in runs]
    assert on_all_cores(tasks, following.look) == ["answer"] * 3
    said = "COUNT v0 O1 is done COUNT v1 O1 is done".split()
    assert sorted(capsys.readouterr().out.split()) == sorted(said)
    assert following.done == following.total == 120


def test_what_is_kept_is_not_computed_again(tmp_path: Path) -> None:
    computed = []

    def task(name: str, key: str = "k") -> kept.Task:
        return kept.Task(tmp_path / name, key, lambda: computed.append(name) or [name])

    assert on_all_cores([task("a"), task("b")]) == [["a"], ["b"]]
    assert on_all_cores([task("a", "other"), task("b")]) == [["a"], ["b"]]
    assert sorted(computed) == ["a", "a", "b"]


def test_a_fault_ends_what_runs_and_begins_nothing_new(tmp_path: Path) -> None:
    def fail() -> None:
        raise Failure("a fault")

    waits = [lambda: command.run(["sleep", "60"])] * 20
    tasks = [kept.Task(tmp_path / f"{i}.json", "k", do) for i, do in enumerate([fail, *waits])]
    begun = time.monotonic()
    with pytest.raises(Failure, match="^a fault$"):
        on_all_cores(tasks)
    assert time.monotonic() - begun < 10 and not list(tmp_path.iterdir())


def test_machine_json_changes_only_with_the_facts(tmp_path: Path) -> None:
    facts = {"platform": "qemu", "compiler": "a", "git_revision": "unknown"}
    for date, compiler, stays in (("1", "a", "1"), ("2", "a", "1"), ("3", "b", "3")):
        write_machine(tmp_path, {**facts, "date": date, "compiler": compiler})
        assert json.loads((tmp_path / "machine.json").read_text())["date"] == stays


@pytest.mark.parametrize(
    ("before", "counted", "said"),
    [
        ("", False, "unicorn"),
        ("plugin", False, "plugin"),
        ("plugin", True, "plugin and unicorn"),
        ("plugin and unicorn", False, "plugin and unicorn"),
        ("unicorn", True, "unicorn"),
        (["plugin"], True, "unicorn"),
    ],
)
def test_a_counter_that_has_not_counted_is_not_named(
    tmp_path: Path, before: object, counted: bool, said: str
) -> None:
    facts = {"platform": "qemu", "compiler": "a", "git_revision": "unknown", "date": "1"}
    write_machine(tmp_path, {**facts, "counter": before})
    unicorn = counters.COUNTERS["unicorn"]
    options = collect.Options(tmp_path, True, EMULATED, unicorn, "small")
    assert collect.counters_of(options, counted) == said
