"""What `make import DO=check` finds wrong with a results folder, and its table of calls."""

import json
from pathlib import Path

import pytest
from foreign import board_of

from boards.exchange import check, validate
from records import machine
from records.faults import Failure
from records.ladder import ROOT
from records.rows import OBSERVATION, read_rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """v8 at -O3 of the reference, with provenance and calls."""
    return board_of(tmp_path / "other board", "pi4-gcc12")


def changed(path: Path, find: str, old: str, new: str) -> int:
    """One change on the first line that has a text; returns the line, counted from 1."""
    lines = path.read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if find in line)
    assert old in lines[at]
    lines[at] = lines[at].replace(old, new, 1)
    path.write_text("\n".join(lines))
    return at + 1


@pytest.mark.parametrize("facts", sorted(ROOT.glob("results/*-*/machine.json")))
def test_committed_results_are_whole(facts: Path) -> None:
    assert validate(facts.parent) == []


ROWS = (  # file, column, text, fault
    ("lines.csv", "file", "../../etc/passwd", ":2: file is '../../etc/passwd', not a file of the"),
    ("counts.csv", "study", "width-7", ": no snapshot and level width-7/v8/O3 here"),
    ("counts.csv", "snapshot", "v99", ": no snapshot and level iterations/v99/O3 here"),
    ("counts.csv", "level", "fast", ": no snapshot and level iterations/v8/fast here"),
    ("counts.csv", "level", "O1", ": machine.json has no program for iterations/v8/O1"),
    ("counts.csv", "value", "63.5", ":2: not a whole row: value is '63.5'"),
    ("asm.csv", "repeat", "0,0", ":2: not a whole row"),
    ("counts.csv", "symbol", "<b>", ":2: markup is no result"),
    ("asm.csv", "symbol", "\x1b[2J", ":2: not a whole row"),
    ("provenance.csv", "program", "0" * 64, ": machine.json has another program for"),
)


@pytest.mark.parametrize(("file", "column", "text", "fault"), ROWS)
def test_a_fault_of_a_row_is_named(
    folder: Path, file: str, column: str, text: str, fault: str
) -> None:
    head, first, *rest = (folder / file).read_text().split("\n")
    line = ",".join({**dict(zip(head.split(","), first.split(","))), column: text}.values())
    (folder / file).write_text("\n".join([head, line, *rest]))
    assert any(said.startswith(f"given/{file}{fault}") for said in validate(folder, "given"))


@pytest.mark.parametrize(
    ("find", "old", "new", "fault"),
    [
        ('"iterations/v8/O3"', ': "', ': "ff', ": the hash of iterations/v8/O3 is not a SHA-256"),
        ('"cpu"', '"cpu"', "cpu", ":6: not whole: "),
        ('"cpu"', '"cpu"', '"ccpu"', ": no 'cpu'"),
        ('"compiler"', "compiler", "kompiler", ": no 'compiler'"),
        ('"cpu"', '"cpu"', '"timing": [], "cpu"', ": no 'programs', or 'timing' is no object"),
    ],
)
def test_a_fault_of_machine_json_is_named(
    folder: Path, find: str, old: str, new: str, fault: str
) -> None:
    line = changed(folder / "machine.json", find, old, new)
    said, *_ = validate(folder, "given")
    assert said.startswith(f"given/machine.json{fault.replace(':6:', f':{line}:')}"), said


@pytest.mark.parametrize("text", ["gcc <script>alert(1)</script>", "`id`", "\x1b]0;a\x07", "a\nb"])
def test_a_fact_is_plain_text(folder: Path, text: str) -> None:
    """Refused at every reading: what a page, a terminal or Markdown would take for more."""
    facts = json.loads((folder / "machine.json").read_text())
    (folder / "machine.json").write_text(json.dumps({**facts, "compiler": text}))
    (fault,) = validate(folder, "given")
    assert fault.startswith("given/machine.json: ") and fault.isprintable()
    with pytest.raises(Failure):
        machine.read_machine(folder)


def test_what_is_cut_short_or_stands_twice(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(folder) == 0 and capsys.readouterr().out == f"{folder}: whole\n"
    whole = (folder / "counts.csv").read_text()
    changed(folder / "counts.csv", ",instructions,total,", ",total,", ",total,1")
    assert check(folder) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"{folder}/counts.csv: total 1") and "is not the sum" in said
    (folder / "counts.csv").write_text(whole[:5_001])
    line = whole[:5_001].count("\n") + 1
    assert validate(folder, "given")[0].startswith(f"given/counts.csv:{line}: not a whole row")
    lines = whole.split("\n")
    (folder / "counts.csv").write_text("\n".join([*lines[:2], *lines[1:]]))
    assert validate(folder, "given")[0].startswith("given/counts.csv:3: the same row as line 2")
    changed(folder / "counts.csv", "symbol", "symbol", "name")
    assert validate(folder, "given")[0].startswith("given/counts.csv:1: the first line must be")
    (fault,) = validate(folder / "nowhere", "given")
    assert fault.startswith("given: no such folder; ")


def test_a_counter_of_the_hardware_may_be_missing_or_below_zero(folder: Path) -> None:
    place = "iterations,v8,O3,roundtrip-full"
    lines = [",".join(OBSERVATION.columns), f"{place},cycles,total,-12,cycles,100,0"]
    lines += [f"{place},branches,total,,not supported,100,0"]
    (folder / "perf.csv").write_text("\n".join(lines) + "\n")
    assert validate(folder, "given") == []
    lines += [f"{place},branches,total,,,100,1"]
    (folder / "perf.csv").write_text("\n".join(lines) + "\n")
    assert validate(folder, "given")[0].startswith("given/perf.csv:4: ")


def test_calls_are_of_a_snapshot_here(folder: Path) -> None:
    table = folder / "gprof/calls.csv"
    assert read_rows(table)
    changed(table, ",v8,", ",v8,", ",v99,")
    (fault,) = validate(folder, "given")
    assert fault.startswith("given/calls.csv: no snapshot and level iterations/v99/O3 here")
