"""What a results folder answers, what it reads for it, and what it takes from the reference."""

import sqlite3
from pathlib import Path

import pytest

from records import ladder
from records.database import Database
from records.faults import Failure
from records.results import load, reference
from records.rows import COLUMNS, write_rows

CALLS = f"""{",".join(COLUMNS["calls.csv"])}
iterations,v0,O1,gcc 12.2.0,roundtrip-first,calls,mod_exp,2,calls,1,exact
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose reference has all, and whose own run the ladder alone."""
    made = reference(ladder.ROOT)
    own = tmp_path / "results" / "local"
    own.mkdir(parents=True)
    for path in (
        made,
        *(ladder.ROOT / name for name in ("iterations", "studies", "data")),
    ):
        (tmp_path / path.relative_to(ladder.ROOT)).symlink_to(path)
    (own / "machine.json").write_bytes((made / "machine.json").read_bytes())
    for name in ("counts.csv", "asm.csv"):
        head, *rows = (made / name).read_text().splitlines(keepends=True)
        own_rows = [row for row in rows if row.startswith("iterations,v")]
        (own / name).write_text("".join([head, *own_rows]))
    (own / "gprof").mkdir()
    (own / "gprof" / "calls.csv").write_text(CALLS)
    return tmp_path


def test_a_question_reads_only_the_files_that_it_needs(root: Path) -> None:
    (root / "results/local/lines.csv").write_text("spoilt\n")
    results = load("results/local", root)
    assert results.ladder()
    with pytest.raises(
        Failure, match=r"local/lines.csv:1: the first line must be study,"
    ):
        results.query("select * from spent")
    with pytest.raises(
        Failure, match=r"local/lines.csv:1: the first line must be study,"
    ):
        results.check()


def test_a_table_is_filled_wholly_or_not_at_all() -> None:
    def half() -> None:
        db.executemany("insert into numbers values (?)", [[1]])
        raise Failure("the second is missing")

    db = Database()
    db.executescript("create table numbers (n)")
    db.define("create table squares as select n * n as n from numbers;")
    db.fillers = {"numbers": half, **db.fillers}
    for _ in range(2):
        with pytest.raises(Failure, match="the second"):
            db.execute("select * from squares")
    db.fillers["numbers"] = lambda: db.executemany(
        "insert into numbers values (?)", [[3]]
    )
    assert [tuple(row) for row in db.execute("select * from squares")] == [(9,)]
    assert "numbers" in db.read_by("select * from squares")


def test_an_interrupted_view_is_computed_by_the_next_question() -> None:
    pressed = ["Ctrl-C"]

    def square(n: int) -> int:
        if pressed:
            raise KeyboardInterrupt(pressed.pop())
        return n * n

    db = Database()
    db.create_function("square", 1, square)
    db.define("create table squares as select square(3) as n;")
    with pytest.raises(sqlite3.OperationalError):
        db.execute("select n from squares")
    assert db.execute("select n from squares").fetchone()["n"] == 9


def test_no_file_is_written_that_cannot_be_read(tmp_path: Path) -> None:
    row = {"study": "iterations", "snapshot": "v0,1", "level": "O0", "n": 1, "value": 1}
    with pytest.raises(ValueError, match="cannot be read again"):
        write_rows(tmp_path / "counts.csv", [row])
    assert not (tmp_path / "counts.csv").exists()


def test_what_a_run_lacks_is_the_references(root: Path) -> None:
    own, both = load("results/local", root), load("results/local", root, reference=True)
    assert not own.borrowed and own.lender is None and both.lender is not None
    assert own.studies() == [] and "width-64" in both.studies()
    assert [tuple(row) for row in own.ladder()] == [tuple(row) for row in both.ladder()]
    assert both.is_borrowed("ladder", "width-64") and not both.is_borrowed(
        "ladder", ladder.LADDER
    )
    assert both.is_borrowed("ladder")  # some of it
    assert both.is_borrowed("operations") and both.is_borrowed("long")
    assert both.is_borrowed("traces", ladder.LADDER)
    assert not both.is_borrowed("calls", ladder.LADDER) and both.is_borrowed(
        "calls", "width-96"
    )
    assert {
        ("counts", "width-64"),
        ("lines", "width-64"),
        ("openssl", "openssl"),
    } <= both.borrowed
    assert ("lines", ladder.LADDER) not in both.borrowed  # its counts are one's own
    assert not both.query("select * from lines where study = 'iterations'")
    same = both.lender.query(
        "select * from cells where study = 'alone' order by 1, 2, 3, 4"
    )
    assert same == both.query(
        "select * from cells where study = 'alone' order by 1, 2, 3, 4"
    )


def test_the_reference_takes_nothing_from_itself(root: Path) -> None:
    assert load(reference(root), root, reference=True).lender is None
    assert reference(root).name.startswith("qemu")


def test_a_view_is_a_frame(root: Path) -> None:
    pandas = pytest.importorskip("pandas")
    results = load("results/local", root)
    frame = results.frame("ladder", snapshot="v0", workload="roundtrip-full")
    assert isinstance(frame, pandas.DataFrame) and set(frame["snapshot"]) == {"v0"}
    rows = [row for row in results.ladder() if row["snapshot"] == "v0"]
    assert [row["instructions"] for row in rows] == list(frame["instructions"])
    with pytest.raises(
        Failure, match="no view or table 'ladders'; there are: .* ladder "
    ):
        results.frame("ladders")
    with pytest.raises(Failure, match="has no column 'rung'; it has: "):
        results.frame("ladder", rung="v0")


# Questions, and what the one line says of them.
REFUSED = {
    "insert into counts select * from counts": "results are not changed: ",
    "with x as (select 1) delete from counts": "results are not changed: ",
    "with x as (select 1) insert into asm select * from counts": "results are not ",
    "drop view ladder": "results are not changed: ",
    "pragma query_only = 0": "results are not changed: ",
    "vacuum into '/tmp/copy'": "results are not changed: ",
    "attach '/tmp/copy' as copy": "results are not changed: ",
    "select 1; drop table counts": "You can only execute one statement at a time: ",
    "select speed from counts": "no such column: speed: select speed from counts",
    "select * from\n  nowhere": "no such table: nowhere: select * from nowhere",
    "select sum(9223372036854775807) from (select 1 union all select 2)": "integer over",
    "select ?": "Incorrect number of bindings ",
    "": "results are not changed: a question begins with ",
}


@pytest.mark.parametrize("question", REFUSED)
def test_a_question_changes_nothing_and_its_fault_is_one_line(
    root: Path, question: str
) -> None:
    results = load("local", root)
    before = results.query("select count(*) from counts")
    for ask in (results.query, results.frame_of):
        with pytest.raises(Failure) as caught:
            ask(question)
        said = str(caught.value)
        assert said.startswith(REFUSED[question]) and "\n" not in said
    assert results.query("select count(*) from counts") == before
    assert len(results.query("with x(i) as (values (1), (2)) select i from x")) == 2
    assert "ladder" in results.names() and "study" in results.columns("ladder")


def test_a_folder_has_a_name_and_a_path(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = reference(ladder.ROOT).name
    for asked in ("local", "results/local", root / "results/local", "local/"):
        assert load(asked, root).label == "results/local"
    assert load(f"results/{name}", root).label == load(name, root).label
    (root / "results/farm/pi").mkdir(parents=True)
    (root / "results/farm/pi/machine.json").symlink_to(
        root / "results/local/machine.json"
    )
    assert load("farm/pi", root, counted=False).label == "results/farm/pi"
    monkeypatch.setenv("RSALAB_RESULTS", name)
    assert reference(root) == root / "results" / name
    there = rf"; there are: local {name}$"
    with pytest.raises(Failure, match=f"^results/nope: no such folder{there}"):
        load("nope", root)
    with pytest.raises(Failure, match=f"^results/nope: no such folder{there}"):
        load("results/nope", root)
    with pytest.raises(Failure, match=f"^iterations: no machine.json in it{there}"):
        load("iterations", root)
    with pytest.raises(
        Failure, match="^results/a: no such folder; there are none yet; "
    ):
        load("a", root / "iterations")
