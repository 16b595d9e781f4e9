"""Hardware counters: what a cell keeps, perf.csv, and Dirk's table."""

import subprocess
import sys
from pathlib import Path

import fake_perf
import pytest
from needs import source

from harness import cells
from harness.time import hardware_counters, perf_stat, perf_table
from records.ladder import ROOT, Snapshot
from records.rows import read_rows, write_rows

SAMPLES = Path(__file__).resolve().parents[1] / "support/perf"
DIRK = dict(zip(perf_table.ROWS, (561.44, 783403009, 736375911, 0.94, 10899710, 314035, 2.88,
                                 347532554, 1660, 0.000478)))  # fmt: skip


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a perf on PATH."""
    fake_perf.install(tmp_path, monkeypatch)
    return tmp_path


class Cell(cells.Cell):
    """A cell whose inputs and program are made up."""

    folder = program = inputs = name = None  # type: ignore[assignment]

    def __init__(self, place: Path) -> None:
        object.__setattr__(self, "folder", place)
        object.__setattr__(self, "program", place / "rsa")
        object.__setattr__(self, "inputs", place / "inputs")
        object.__setattr__(self, "name", "v8 O3")
        object.__setattr__(
            self, "snapshot", Snapshot("iterations", "v8", place, "", None, "", 128, "")
        )

    def row(self, **columns: object) -> dict:
        """As in cells.Cell."""
        return {"study": "iterations", "snapshot": "v8", "level": "O3", **columns}


@pytest.fixture
def cell(fake: Path) -> Cell:
    """Its program's work is the messages it is given, and a little for each file."""
    made = Cell(fake)
    (fake / "inputs/key-full").mkdir(parents=True)
    (fake / "inputs/key-full/key.txt").write_text("n f\ne 3\nd 3\n")
    for name, lines in (("strings", 2000), ("integers", 150)):
        (fake / f"inputs/key-full/{name}.txt").write_text("# a file\n" + "0 1\n" * lines)
    made.program.write_text('#!/bin/sh\necho $((9 + ${3:-$(wc -l <"$2")} / 2)) >&3\n')
    made.program.chmod(0o755)
    return made


def test_the_runs_differ_by_the_default_workload(cell: Cell) -> None:
    n, words = hardware_counters.commands(cell, 1)
    assert n == 100
    names = [Path(word).name for word in words[1:]]
    assert names == "key.txt -n 81 strings.txt -n 20 integers.txt".split()
    short, long = hardware_counters.programs(cell, words)
    assert short == [*long, "2"] and len(Path(long[2]).read_text().splitlines()) == 2 * 101
    assert hardware_counters.commands(cell, 10)[0] == 800 + 149  # all but one of the integers


def test_measurements_are_kept(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(hardware_counters.rows(cell))
    assert {row["n"] for row in rows} == {949} and {row["case"] for row in rows} == {
        "roundtrip-full"
    }
    assert [row["value"] for row in rows if row["metric"] == "branches"] == [""]
    runs = (cell.folder / "runs").read_text()
    assert list(hardware_counters.rows(cell)) == rows and (cell.folder / "runs").read_text() == runs
    monkeypatch.setattr(hardware_counters, "SHORT", 0)
    cell.program.write_text(cell.program.read_text() + "# another\n")
    assert {row["n"] for row in hardware_counters.rows(cell)} == {100}


def test_a_perf_that_starts_slowly_is_no_change(cell: Cell) -> None:
    """From a card, its first start takes longer than the later ones."""
    perf = cell.folder / "perf"
    slow = '[ -e "$STATE/started" ] || { : >"$STATE/started"; sleep 0.8; }'
    perf.write_text(perf.read_text().replace("case", f"{slow}\ncase", 1))
    assert hardware_counters.measure(cell, 1)["n"]


def test_a_permission_given_measures_again(cell: Cell) -> None:
    (cell.folder / "refuse").write_text("Access to performance monitoring is limited\n")
    assert hardware_counters.measure(cell, 1)["samples"][0][1] is None
    (cell.folder / "refuse").unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hardware_counters, "read", lambda path: "2 now")
        assert hardware_counters.measure(cell, 1)["samples"][0][1] is not None


def test_rows_come_back_from_the_results_file(cell: Cell) -> None:
    rows = list(hardware_counters.rows(cell))
    write_rows(cell.folder / "perf.csv", rows)
    read = read_rows(cell.folder / "perf.csv")
    missing = [row["metric"] for row in read if row["value"] is None]
    assert missing == ["branches"] and len(read) == len(rows)
    derived = perf_table.derive(read)
    assert derived["cycles"] == pytest.approx(1000, rel=0.01)
    assert derived["branch miss %"] == derived["branches"] == "not supported"


def dirk() -> list[dict]:
    """The source's column as rows of perf.csv."""
    return [
        {"metric": name, "value": one.value, "unit": perf_stat.UNITS[name], "n": 1, "repeat": 0}
        for name, one in perf_stat.parse(
            (SAMPLES / "dirk-derived.json").read_text(), perf_stat.UNITS
        ).items()
    ]


def test_the_sources_table_row_for_row() -> None:
    """Its rates are rounded to two or three figures."""
    assert perf_table.derive(dirk()) == {k: pytest.approx(v, rel=4e-3) for k, v in DIRK.items()}


def test_the_source_has_these_rows() -> None:
    text = source("001_5fc88ab7435f12ed.txt")
    start = next(i for i, line in enumerate(text) if line.startswith("code being profiled"))
    theirs = [line.split("\t")[:2] for line in text[start + 1 : start + 11]]
    assert [name for name, _ in theirs] == list(DIRK)
    assert [float(value) for _, value in theirs] == list(DIRK.values())


def test_rates_are_of_single_runs() -> None:
    rows = dirk() + [dict(row, repeat=n, value=n * row["value"]) for row in dirk() for n in (2, 3)]
    assert perf_table.derive(rows)["instructions / cycle"] == pytest.approx(0.94, rel=4e-3)
    assert perf_table.derive(rows)["cycles"] == 2 * DIRK["cycles"]


def test_differences_below_the_noise_are_not_shown() -> None:
    rows = [dict(row, value=-row["value"]) for row in dirk() if row["metric"] == "cache-misses"]
    found = perf_table.derive(rows)
    assert found["cache misses"] == "below the noise" and found["cycles"] == "not measured"


def test_the_table_says_why_a_number_is_missing() -> None:
    without = [row for row in dirk() if row["metric"] not in ("branches", "task-clock")]
    without.append(
        {"metric": "branches", "value": None, "unit": "not supported", "n": 1, "repeat": 0}
    )
    spoilt = {"metric": "task-clock_tainted", "value": 5, "unit": "ns", "n": 1, "repeat": 0}
    columns = {"v0": perf_table.derive(dirk()), "v1": perf_table.derive([*without, spoilt])}
    lines = perf_table.table(columns)
    assert lines[2].split() == ["cycles", "783,403,009", "783,403,009"]
    assert lines[5].split() == ["branches", "10,899,710", "-"]
    assert lines[-2:] == [
        "  - tainted; make doctor: runtime (ms)",
        "  - not supported: branches, branch miss %",
    ]


def test_a_folder_without_perf_csv(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "harness.time.perf_table", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 2 and ran.stderr.startswith("perf: no ") and ran.stdout == ""


def test_no_perf_is_one_line(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hardware_counters.note() == ""
    (fake / "perf").unlink()
    monkeypatch.setenv("PATH", str(fake))
    assert hardware_counters.note() == f"no perf here, recorded as such; type: {perf_stat.INSTALL}"
