"""Results from another board: what is wrong with them is named, they are
taken over whole or not at all; and what a board's owner hands on."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_programs import script
from foreign import board_of
from representatives import mostly_long

from boards.exchange import check, contribute, take, validate
from records import ladder, machine
from records.faults import Failure
from records.ladder import ROOT
from records.machine import IMPORTED, read_machine, write_machine
from records.results import load, reference
from records.rows import COLUMNS
from rsalab.report import story
from rsalab.steps import tables

RESULTS = Path("results")


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results as they come from another board: v8 at -O3 of the reference;
    a checkout is here."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return board_of(tmp_path / "from a pi", "pi4-gcc12")


def data(folder: Path) -> dict[str, bytes]:
    """Every file but machine.json and pictures, which are made here."""
    paths = (
        p
        for p in folder.rglob("*")
        if p.is_file() and p.suffix not in (".json", ".svg")
    )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


# --- faults ---------------------------------------------------------------------------------------


COMMITTED = sorted(ROOT.glob("results/*-*/machine.json"))


@pytest.mark.parametrize(
    "facts", mostly_long(COMMITTED, [reference() / "machine.json"])
)
def test_committed_results_are_whole(facts: Path) -> None:
    assert validate(facts.parent) == []


ROWS = (  # file, column of its first row, text, fault
    ("lines.csv", "file", "../../etc/passwd", ":2: CHECK constraint failed: file "),
    ("counts.csv", "study", "width-7", ": no snapshot and level width-7/v8/O3 here"),
    ("counts.csv", "level", "fast", ": no snapshot and level iterations/v8/fast here"),
    ("counts.csv", "level", "O1", ": machine.json has no program for iterations/v8/O1"),
    ("counts.csv", "value", "63.5", ":2: cannot store REAL value in INTEGER column"),
    ("counts.csv", "symbol", "<b>", ":2: not a whole row"),
    ("counts.csv", "symbol", "http://a.example", ":2: not a whole row"),
    ("counts.csv", "metric", "class_sparkle", ": the class 'sparkle' has no line in "),
    (
        "lines.csv",
        "class",
        "sparkle",
        ": the class 'sparkle' has no line in records/kinds",
    ),
    ("asm.csv", "kind", "exact,0", ":2: not a whole row"),
    ("asm.csv", "symbol", "\x1b[2J", ":2: not a whole row"),
    ("asm.csv", "value", "1", ": total "),
    ("provenance.csv", "program", "0" * 64, ": machine.json has another program for"),
    (
        "gprof/calls.csv",
        "snapshot",
        "v99",
        ": no snapshot and level iterations/v99/O3 here",
    ),
)


@pytest.mark.parametrize(("file", "column", "text", "fault"), ROWS)
def test_a_fault_of_a_row_is_named(board, file, column, text, fault) -> None:
    head, first, *rest = (board / file).read_text().split("\n")
    line = ",".join(
        {**dict(zip(head.split(","), first.split(","))), column: text}.values()
    )
    (board / file).write_text("\n".join([head, line, *rest]))
    wanted = f"given/{Path(file).name}{fault}"
    assert any(said.startswith(wanted) for said in validate(board, "given"))


FACTS = [
    ("{", "{ cpu", ": not whole: "),
    ('"compiler"', '"kompiler"', ": no 'compiler'"),
    ('"compiler": "', '"compiler": "<b> ', ": '<' is more than text"),
    ('"compiler": "', '"compiler": "\\u001b]0;a\\u0007', ": "),
    ("{", "[" * 100_000, ": "),
]


@pytest.mark.parametrize(("old", "new", "fault"), FACTS)
def test_a_fault_of_machine_json_is_named(
    board: Path, old: str, new: str, fault: str
) -> None:
    text = (board / "machine.json").read_text()
    assert old in text
    (board / "machine.json").write_text(text.replace(old, new, 1))
    said, *_ = validate(board, "given")
    assert said.startswith(f"given/machine.json{fault}") and said.isprintable()


def test_what_is_cut_short_or_stands_twice(
    board: Path, capsys: pytest.CaptureFixture
) -> None:
    assert check(board) == 0 and capsys.readouterr().out == f"{board}: whole\n"
    whole = (board / "counts.csv").read_text()
    head, first, *rest = whole.split("\n")
    cut, line = whole[:5_001], whole[:5_001].count("\n") + 1
    for text, fault in (
        (cut, f":{line}: not a whole row"),
        ("\n".join([head, first, first, *rest]), ":3: this row stands twice"),
        (
            "\n".join([head.replace("symbol", "name"), first, *rest]),
            ":1: the first line must be",
        ),
    ):
        (board / "counts.csv").write_text(text)
        assert check(board) == 1
        assert capsys.readouterr().out.startswith(f"{board}/counts.csv{fault}")
    assert validate(board / "nowhere", "given") == [
        "given/machine.json: missing; `make all-iterations` measures again"
    ]


def test_a_counter_of_the_hardware_may_be_missing_or_below_zero(board: Path) -> None:
    place = "iterations,v8,O3,gcc 12.2.0,roundtrip-full"
    head = ",".join(COLUMNS["perf.csv"])
    lines = [head, f"{place},cycles,total,-12,cycles,100,timed,0"]
    lines += [f"{place},branches,total,,not supported,100,timed,0"]
    (board / "perf.csv").write_text("\n".join(lines) + "\n")
    assert validate(board, "given") == []
    lines += [f"{place},branches,total,,,100,timed,1"]
    (board / "perf.csv").write_text("\n".join(lines) + "\n")
    assert validate(board, "given")[0].startswith("given/perf.csv:4: ")


# --- import ---------------------------------------------------------------------------------------


def refused(board: Path, name: str = "") -> str:
    """What an import says that is refused and leaves nothing."""
    with pytest.raises((Failure, OSError)) as fault:
        take(board, name)
    assert os.listdir(RESULTS) == [] and os.listdir("build") == ["import.lock"]
    assert str(fault.value).isprintable()
    return str(fault.value)


def test_it_stands_under_its_platform_or_name(board: Path) -> None:
    """Without what is no part of it; a picture is drawn again."""
    wanted = data(board)
    (board / "notes.txt").write_text("mine")
    (board / "gprof" / "v8-O3.svg").write_text("<svg onload='alert(1)'/>")
    (board / "\x1b[2J").mkdir()
    take(board)
    take(board, "attic-pi")
    assert data(RESULTS / "pi4-gcc12") == data(RESULTS / "attic-pi") == wanted
    assert sorted(os.listdir(RESULTS)) == ["attic-pi", "pi4-gcc12"]
    assert IMPORTED in read_machine(RESULTS / "pi4-gcc12")
    assert validate(RESULTS / "pi4-gcc12") == []
    picture = RESULTS / "pi4-gcc12/gprof/v8-O3.svg"
    assert not picture.exists() or "alert" not in picture.read_text()


def test_what_a_killed_import_left_is_removed_by_the_next(board: Path) -> None:
    """One that is killed while it draws call graphs."""
    (board / "fake").mkdir()
    script(board / "fake/dot", "#!/bin/sh\nkill -9 $PPID\n")
    words = [sys.executable, "-m", "boards", "import", str(board)]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    killed = subprocess.run(words, env=path | {"PATH": f"{board}/fake:{path['PATH']}"})
    assert killed.returncode == -signal.SIGKILL
    assert os.listdir(RESULTS) == [] and len(os.listdir("build")) == 2
    assert subprocess.run(words, env=path).returncode == 0
    assert os.listdir(RESULTS) == ["pi4-gcc12"] and os.listdir("build") == [
        "import.lock"
    ]


def test_it_is_overwritten_only_with_force(board: Path) -> None:
    take(board)
    before = data(RESULTS)
    (board / "asm.csv").unlink()
    with pytest.raises(Failure, match="FORCE=1"):
        take(board)
    assert data(RESULTS) == before
    take(board, force=True)
    assert data(RESULTS / "pi4-gcc12") == data(board)
    (kept,) = (RESULTS / "earlier").iterdir()
    assert {f"pi4-gcc12/{name}": text for name, text in data(kept).items()} == before


def test_what_was_measured_here_is_not_replaced(board: Path) -> None:
    """Not even by force: the reference is such a folder."""
    shutil.copytree(board, RESULTS / "pi4-gcc12")
    before = data(RESULTS)
    with pytest.raises(Failure, match="NAME="):
        take(board, force=True)
    for folder, fault in (
        (RESULTS / "pi4-gcc12", "already"),
        (Path("nowhere"), "say DIR=FOLDER"),
    ):
        with pytest.raises(Failure, match=fault):
            take(folder)
    assert data(RESULTS) == before


@pytest.mark.parametrize(
    "name", ["local", "../escape", "A b", ".hidden", "x" * 65, "a\n"]
)
def test_a_name_is_a_plain_one(board: Path, name: str) -> None:
    assert refused(board, name).startswith("NAME=")
    facts = json.loads((board / "machine.json").read_text())
    (board / "machine.json").write_text(json.dumps({**facts, "platform": name}))
    refused(board)


def test_a_folder_of_texts_is_no_link(board: Path, tmp_path: Path) -> None:
    (board / "gprof").rename(tmp_path / "elsewhere")
    (board / "gprof").symlink_to(tmp_path / "elsewhere")
    assert refused(board) == f"{board}/gprof: not a plain folder"


def test_numbers_that_no_sum_holds(board: Path) -> None:
    text = (board / "counts.csv").read_text()
    (board / "counts.csv").write_text(
        re.sub(r",\d+,instructions,", f",{2**62},instructions,", text)
    )
    assert "CHECK constraint failed" in refused(board)


NAMES = ("v8-O3\n.txt", "<b>-O3.txt", "](http:a)-O3.txt", "\x1b[2J-O3.txt", "notes.txt")


@pytest.mark.parametrize("name", NAMES)
def test_a_text_of_gprof_has_a_name_of_its_pattern(board: Path, name: str) -> None:
    (board / "gprof" / name).write_text("v8 O3, built with -pg.\n")
    said = refused(board)
    assert said.startswith(f"{board}/gprof: expected names such as v0-O1.txt; found ")
    assert validate(board) == [said]


@pytest.mark.parametrize("text", ["\x1b[2J", "\x07", "\x7f", "caf\xe9", "\u202e", "\0"])
def test_a_text_of_gprof_has_only_what_is_printed(board: Path, text: str) -> None:
    path = board / "gprof/v8-O3.txt"
    path.write_text(f"v8 O3, built with -pg.\n\n{text}\n")
    said = refused(board)
    assert said.startswith(f"{board}/gprof/v8-O3.txt:3: the byte 0x")
    assert validate(board) == [said]


VALUES = (None, "", " ", "one", 5, True, [1], {"a": 1}, {"tainted": [1]}, float("nan"))


@pytest.mark.parametrize(
    "key",
    mostly_long(
        ["programs", "timing", "git_clean", *machine.NEEDED, *machine.MORE],
        ["programs", "timing"],
    ),
)
def test_what_is_called_whole_is_what_readers_take(board: Path, key: str) -> None:
    """Facts of every type: either a fault that names the key, or readers show them."""
    place = "iterations,v8,O3,gcc 12.2.0,roundtrip-full"
    sample = f"{place},encrypt,total,1000,ns,1,timed,0"
    head = ",".join(COLUMNS["times.csv"])
    (board / "times.csv").write_text(f"{head}\n{sample}\n")
    facts = json.loads((board / "machine.json").read_text())
    for value in (*VALUES, ...):
        changed = {**facts, key: value}
        if value is ...:
            del changed[key]
        (board / "machine.json").write_text(json.dumps(changed))
        faults = validate(board, "given")
        if faults:
            assert key in faults[0] or "machine.json has no program" in faults[0]
            continue
        results = load(board)
        assert results.compiler and tables.ladder_text(results, ladder.LADDER, [], 80)
        assert tables.times_text(results, 80)
        assert all(isinstance(said, str) for said in story.facts_of(results).values())


def link(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("plant", [link, os.mkfifo, Path.mkdir])
@pytest.mark.parametrize("name", ["machine.json", "gprof/v8-O3.txt"])
def test_only_plain_files(
    board: Path, plant: Callable[[Path], None], name: str
) -> None:
    """A pipe and a device would hang who opens them."""
    (board / name).unlink()
    plant(board / name)
    said = refused(board)
    assert said.startswith(f"{board}/{name}: ") and validate(board) == [said]


def test_what_is_handed_on_names_neither_machine_nor_home(
    board, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "annas-pi.example")
    monkeypatch.setenv("HOME", "/home/anna")
    facts = read_machine(board)
    write_machine(board, {**facts, "os": "Debian of annas-pi under /home/anna"})
    contribute(board)
    (packed,) = Path("build/contribute").iterdir()
    with tarfile.open(packed) as tar:
        owners = {(member.uid, member.gid, member.uname) for member in tar}
    assert owners <= {(0, 0, "root"), (0, 0, "")}
    (tmp_path / "there").mkdir()
    subprocess.run(["tar", "-xf", packed, "-C", tmp_path / "there"], check=True)
    (there,) = (tmp_path / "there").iterdir()
    said = (there / "machine.json").read_text()
    assert "annas-pi" not in said and "/home/anna" not in said
    take(there, "pi")
    assert validate(RESULTS / "pi") == []
    with (board / "counts.csv").open("a") as file:
        file.write("iterations,v1\n")
    with pytest.raises(Failure, match="counts.csv"):
        contribute(board)
    assert os.listdir("build/contribute") == [packed.name]
