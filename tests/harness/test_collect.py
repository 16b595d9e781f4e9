"""What is kept, what a collection does first, and what stays in a results
folder."""

import shutil
from pathlib import Path
from unittest.mock import Mock

import pytest
from fake_programs import made_cell

from harness import check, collect, counters, counts, executed
from harness.cells import COUNTER, Task, on_all_cores
from records import faults, machine, workloads
from records.faults import Failure
from records.files import digest
from records.ladder import ROOT
from records.machine import Platform, read_machine, write_machine
from records.rows import EXACT, TIMED, Row, read_rows, write_rows

# ---- what is kept


def test_what_is_kept_is_not_computed_again(tmp_path: Path) -> None:
    computed, ended = [], []

    def task(name: str, key: str = "k") -> Task:
        return Task(tmp_path / name, key, lambda: computed.append(name) or [name])

    assert on_all_cores([task("a"), task("b")], ended.append) == [["a"], ["b"]]
    assert on_all_cores([task("a", "other"), task("b")], ended.append) == [["a"], ["b"]]
    assert sorted(computed) == ["a", "a", "b"] and len(ended) == 4


def test_what_changes_while_it_is_counted_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another make builds the program anew meanwhile: its counts are not those of the program."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "data" / "inputs", "data/inputs")
    cell = made_cell("v8")
    cell.messages = "small"

    def counted() -> str:
        with cell.program.open("ab") as program:
            program.write(b"another")
        return ""

    def task(run: workloads.Run, counter: counters.Counter) -> Task:
        return Task(cell.kept(run), cell.key(run), counted)

    monkeypatch.setattr(cell, "task", task)
    counter = Mock(name="plugin", slow=False)
    counter.seconds.return_value = 1.0
    with pytest.raises(
        Failure, match=r"^iterations/v8/\w+: .* changed while it was counted; the same"
    ):
        collect.count([cell], counter)
    assert "0.000 M" not in capsys.readouterr().out


def test_a_fault_ends_what_runs_and_begins_nothing_new(tmp_path: Path) -> None:
    def fail() -> None:
        raise Failure("a fault")

    waits = [lambda: faults.run(["sleep", "infinity"])] * 20
    tasks = [
        Task(tmp_path / f"{i}.json", "k", do) for i, do in enumerate([fail, *waits])
    ]
    with pytest.raises(Failure, match="^a fault$"):
        on_all_cores(tasks)
    assert not list(tmp_path.iterdir())


def test_groups_change_with_program_inputs_and_flags(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "data" / "inputs", "data/inputs")
    cell = made_cell("v0")
    first = list(cell.groups("gcc 12\n-marm\n"))
    assert [row["workload"] for row in first] == [*workloads.WORKLOADS]
    assert [row["n"] for row in first] == [1000, 20, 10, 100, 10]
    with Path("data/inputs/width-128/key-full/key.txt").open("a") as file:
        file.write("# another key\n")
    for old, new in zip(first, cell.groups("gcc 14\n-marm\n"), strict=True):
        assert old["flags"] != new["flags"] and old["program"] == digest(cell.program)
        changed = old["workload"] in ("roundtrip-small", "roundtrip-full")
        assert (old["inputs"] != new["inputs"]) == changed


# ---- what a collection does first, and how much

BOARD, EMULATED = Platform("pi-5", ()), Platform("qemu-gcc12", ("qemu-arm",))
CHOICES = (
    (EMULATED, "plugin", "default"),
    (EMULATED, "unicorn", "small"),
    (BOARD, "plugin", "small"),
    (BOARD, "", "default"),
)


# ---- what stays in a results folder

FACTS = {"platform": "qemu-gcc12", "compiler": "gcc 12", "flags": "-marm"}
MOMENT = {"date": "2026-01-02T03:04:05Z", "git_revision": "unknown"}
OLD, NEW = "0" * 64, "1" * 64


def row(name: str, value: int | None, case: str = "mont_mul") -> Row:
    """A row of counts.csv, or of perf.csv."""
    cell = {"study": "iterations", "snapshot": name, "level": "O1"}
    number = {"metric": "instructions", "symbol": "total", "value": value, "n": 1}
    return {
        **cell,
        "workload": case,
        **number,
        "compiler": "gcc 12.2.0",
        "kind": EXACT if value else TIMED,
        "unit": "instructions" if value else "not supported",
    }


def save(folder: Path, rows: list[Row]) -> None:
    """Writes a folder as collect does."""
    groups = [{**made, "program": OLD, "inputs": OLD, "flags": OLD} for made in rows]
    write_rows(folder / collect.PROVENANCE, groups)
    write_rows(folder / "counts.csv", rows)
    programs = {collect.label(made): OLD for made in rows}
    write_machine(folder, {**FACTS, **MOMENT, "programs": programs})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results of v2 and v4, of v4 in two cases."""
    monkeypatch.setattr(collect, "EARLIER", tmp_path / "earlier")
    save(
        tmp_path / "local",
        [row("v2", 2), row("v4", 4), row("v4", 44, "roundtrip-full")],
    )
    return tmp_path / "local"


def merged(
    folder: Path,
    rows: list[Row],
    program: str = NEW,
    file: str = "counts.csv",
    **facts: str,
) -> dict[str, int | None]:
    """`v4 mont_mul` -> value of what is to be written when these rows are
    made."""
    programs = {collect.label(made): program for made in rows}
    tables, said = collect.merged(
        folder, {file: rows}, {**FACTS, **facts, "programs": programs}
    )
    there = {collect.label(one) for table in tables.values() for one in table}
    assert (
        programs.items() <= said["programs"].items()
        and said["programs"].keys() == there
    )
    return {f"{r['snapshot']} {r['workload']}": r["value"] for r in tables[file]}


def test_other_cells_stay_and_cases_while_the_program_does(folder: Path) -> None:
    found = merged(folder, [row("v3", 3)])
    assert found == {
        "v2 mont_mul": 2,
        "v3 mont_mul": 3,
        "v4 mont_mul": 4,
        "v4 roundtrip-full": 44,
    }
    (folder / "mine.csv").write_text(
        "a table of the user's own\n"
    )  # which stays, unread
    same = merged(folder, [row("v4", 5)], OLD)
    assert same == {"v2 mont_mul": 2, "v4 mont_mul": 5, "v4 roundtrip-full": 44}
    assert merged(folder, [row("v4", 5)], NEW) == {"v2 mont_mul": 2, "v4 mont_mul": 5}
    write_rows(folder / "perf.csv", [{**row("v2", None), "repeat": 0}])
    assert list(merged(folder, [row("v4", 4)], file="perf.csv").values()) == [None, 4]


@pytest.mark.parametrize("key", [*collect.SAME, "unreadable"])
def test_what_cannot_stand_beside_new_rows_is_set_aside(
    folder: Path, key: str, capsys
) -> None:
    """Rows of another compiler, or of nobody knows which."""
    if key == "unreadable":
        (folder / "machine.json").write_text("{")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    other = {} if key == "unreadable" else {key: "another"}
    assert merged(folder, [row("v4", 5)], **other) == {"v4 mont_mul": 5}
    (kept,) = collect.EARLIER.iterdir()
    assert before == {path.name: path.read_bytes() for path in kept.iterdir()}
    assert str(kept) in capsys.readouterr().out and not folder.exists()


def test_a_table_of_another_command_does_not_join_rows_of_another_compiler(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of `make traces`, `make gprof`, `make width-1024`."""
    monkeypatch.setattr(collect, "LOCAL", folder)
    here = Platform("qemu-clang14", ())
    monkeypatch.setattr(machine, "read_platform", lambda: here)
    monkeypatch.setattr(machine, "read_flags", lambda: "clang 14\n-g\n")
    collect.prepare(folder)
    assert [path.name for path in folder.iterdir()] == ["machine.json"]
    assert read_machine(folder)["platform"] == here.name


def test_rows_of_a_folder_that_is_gone_are_set_aside(folder: Path) -> None:
    save(folder, [row("v2", 2), row("v77", 77)])
    assert merged(folder, []) == {"v2 mont_mul": 2}
    (kept,) = collect.EARLIER.iterdir()
    assert len(read_rows(kept / "counts.csv")) == 2 and folder.exists()


def test_machine_json_changes_only_with_the_facts(tmp_path: Path) -> None:
    for date, compiler, stays in (("1", "a", "1"), ("2", "a", "1"), ("3", "b", "3")):
        write_machine(tmp_path, {**FACTS, **MOMENT, "date": date, "compiler": compiler})
        assert read_machine(tmp_path)["date"] == stays


def test_an_equal_program_in_its_place_has_passed_too(tmp_path: Path) -> None:
    """As another make puts it there, younger than the check; another program has not."""
    program = tmp_path / "rsa"
    program.write_bytes(b"code")
    check.stamp(program, digest(program), "1 vector")
    other = tmp_path / "rsa.new"
    for code, has_passed in ((b"code", True), (b"other code", False)):
        other.write_bytes(code)
        other.replace(program)
        assert check.passed(program) == has_passed


def test_another_metric_recounts_nothing() -> None:
    """What is kept of a run depends on who reads the counter's file, not on who adds it up."""
    assert Path(executed.__file__) in COUNTER
    assert Path(counts.__file__) not in COUNTER
