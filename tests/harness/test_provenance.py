"""Row groups and their hashes, and what is found wrong with a results folder."""

import json
import shutil
from pathlib import Path

import pytest

from boards import validate
from harness.cells import Cell
from harness.collect import PROVENANCE
from records import ladder, machine, workload
from records.faults import Failure
from records.files import digest
from records.ladder import ROOT
from records.rows import LINE, OBSERVATION, read_rows, write_rows

REFERENCE = ROOT / "results" / "qemu-gcc12"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the ladder's part of the reference, without its charts."""
    copy = tmp_path / "other board"
    copy.mkdir()
    for name in ("counts.csv", "asm.csv"):
        head, *rows = (REFERENCE / name).read_text().splitlines(keepends=True)
        ours = [row for row in rows if row.startswith("iterations,")]
        (copy / name).write_text("".join([head, *ours]))
    facts = json.loads((REFERENCE / "machine.json").read_text())
    ours = {k: v for k, v in facts["programs"].items() if k.startswith("iterations/")}
    facts.update(programs=ours, git_clean=True)
    (copy / "machine.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")
    return copy


def changed(path: Path, find: str, old: str, new: str) -> int:
    """One change on the first line that has a text; returns the line, counted from 1."""
    lines = path.read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if find in line)
    assert old in lines[at]
    lines[at] = lines[at].replace(old, new, 1)
    path.write_text("\n".join(lines))
    return at + 1


@pytest.mark.parametrize("facts", sorted(REFERENCE.parent.glob("*-*/machine.json")))
def test_committed_results_are_whole(facts: Path) -> None:
    assert validate.validate(facts.parent) == []


ROWS = (  # file, column, text, what the fault names
    ("counts.csv", "study", "width-7", "'width-7'"),
    ("counts.csv", "snapshot", "v99", "'v99'"),
    ("counts.csv", "level", "fast", "fast"),
    ("counts.csv", "case", "mont_sqr", "'mont_sqr'"),
    ("counts.csv", "metric", "class_jump", "'class_jump'"),
    ("counts.csv", "symbol", "", "symbol"),
    ("counts.csv", "unit", "accesses", "instructions"),
    ("counts.csv", "value", "63.5", "value is '63.5'"),
    ("counts.csv", "value", "-1", "value is '-1'"),
    ("counts.csv", "n", "999", "1000"),
    ("asm.csv", "repeat", "0,0", "row"),
    ("counts.csv", "symbol", "<b>", "<b>"),
    ("asm.csv", "symbol", "\x1b[2J", "row"),
)


@pytest.mark.parametrize(("file", "column", "text", "fault"), ROWS)
def test_a_fault_of_a_row_is_named(
    folder: Path, file: str, column: str, text: str, fault: str
) -> None:
    head, first, *rest = (folder / file).read_text().split("\n")
    line = ",".join({**dict(zip(OBSERVATION.columns, first.split(","))), column: text}.values())
    (folder / file).write_text("\n".join([head, line, *rest]))
    found = validate.validate(folder, "given")
    assert found and found[0].startswith(f"given/{file}:2: ") and fault in found[0], found[:3]


FACTS = (  # line, text, other text, fault
    ('"git_revision"', ': "', ': "x', "'git_revision' is \"x"),
    ('"iterations/v0/O1"', ': "', ': "ff', "the hash of iterations/v0/O1 is not a SHA-256"),
    ('"messages"', "default", "some", "'messages' is \"some\""),
    ('"cpu"', '"cpu"', "cpu", "not whole: "),
    ('"counter"', '"plugin"', "[1]", "'counter' is [1]"),
    ('"cpu"', '"cpu"', '"timing": [], "cpu"', "'timing' is []"),
)


@pytest.mark.parametrize(("find", "old", "new", "fault"), FACTS)
def test_a_fault_of_machine_json_is_named(
    folder: Path, find: str, old: str, new: str, fault: str
) -> None:
    line = changed(folder / "machine.json", find, old, new)
    found = validate.validate(folder, "given")
    assert any(text.startswith(f"given/machine.json:{line}: {fault}") for text in found), found[:3]


@pytest.mark.parametrize("file", ["../../../../etc/passwd", "/etc/passwd", "..", "x.c"])
def test_a_file_of_lines_is_one_of_the_snapshot(folder: Path, file: str) -> None:
    """Refused at every reading where it climbs out, and here where there is none, too."""
    row = f"iterations,v8,O1,mont_mul,{file},1,mont_mul,0x0,mul,1,,,,1000"
    (folder / "lines.csv").write_text(",".join(LINE.columns) + f"\n{row}\n")
    (fault,) = validate.validate(folder, "given")
    assert fault.startswith("given/lines.csv:2: ") and repr(file) in fault
    if file != "x.c":
        with pytest.raises(Failure, match=r"lines\.csv:2: file"):
            read_rows(folder / "lines.csv")


@pytest.mark.parametrize("text", ["gcc <script>alert(1)</script>", "`id`", "\x1b]0;a\x07", "a\nb"])
def test_a_fact_is_plain_text(folder: Path, text: str) -> None:
    """Refused at every reading: what a page, a terminal or Markdown would take for more."""
    facts = json.loads((folder / "machine.json").read_text())
    (folder / "machine.json").write_text(json.dumps({**facts, "compiler": text}))
    (fault,) = validate.validate(folder, "given")
    assert fault.startswith("given/machine.json: ") and fault.isprintable()
    with pytest.raises(Failure):
        machine.read_machine(folder)


def test_what_is_cut_short_or_stands_twice(folder: Path) -> None:
    number = changed(folder / "counts.csv", ",instructions,total,", ",total,", ",total,1")
    (fault,) = validate.validate(folder, "given")
    assert fault.startswith(f"given/counts.csv:{number}: total 1") and "sum" in fault
    text = (folder / "counts.csv").read_text()
    (folder / "counts.csv").write_text(text[:100_001])
    line = text[:100_001].count("\n") + 1
    assert validate.validate(folder, "given")[0] == f"given/counts.csv:{line}: not a whole row"
    lines = (folder / "asm.csv").read_text().split("\n")
    (folder / "asm.csv").write_text("\n".join([*lines[:2], *lines[1:]]))
    assert "given/asm.csv:3: the same row as line 2" in validate.validate(folder, "given")
    changed(folder / "asm.csv", "symbol", "symbol", "name")
    said = "given/asm.csv:1: the first line must be study,snapshot,"
    assert any(fault.startswith(said) for fault in validate.validate(folder, "given"))


def test_what_is_missing_is_named(folder: Path) -> None:
    facts = json.loads((folder / "machine.json").read_text())
    del facts["programs"]["iterations/v0/O0"]
    (folder / "machine.json").write_text(json.dumps(facts, indent=2))
    found = validate.validate(folder, "given")
    assert found == ["given/asm.csv:2: machine.json has no program for iterations/v0/O0"]
    changed(folder / "machine.json", '"compiler"', "compiler", "kompiler")
    (fault,) = validate.validate(folder, "given")
    assert fault.startswith("given/machine.json: no 'compiler'")
    (fault,) = validate.validate(folder / "nowhere", "given")
    assert fault.startswith("given: no such folder; there are: ")


def test_groups_change_with_program_inputs_and_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "data" / "inputs", "data/inputs")
    cell = Cell(ladder.find("v0"), "O1", "default")
    cell.folder.mkdir(parents=True)
    cell.program.write_bytes(b"program")

    def made(text: str = "gcc 12\n-marm\n") -> dict[str, dict]:
        return {g["case"]: g for g in cell.groups(text)}

    first = made()
    assert tuple(first) == workload.CASES
    assert [g["n"] for g in first.values()] == [1000, 20, 10, 100, 10]
    assert first["mod_exp"]["program"] == digest(cell.program)
    assert made() == first
    other = made("gcc 14\n-marm\n")
    assert all(other[c]["flags"] != g["flags"] for c, g in first.items())
    with Path("data/inputs/width-128/key-full/key.txt").open("a") as file:
        file.write("# another key\n")
    differ = {c for c, g in made().items() if g["inputs"] != first[c]["inputs"]}
    assert differ == {"roundtrip-small", "roundtrip-full"}


def test_groups_are_checked_against_the_rows(folder: Path) -> None:
    facts = json.loads((folder / "machine.json").read_text())
    made = []
    for label, program in facts["programs"].items():
        study, snapshot, level = label.split("/")
        place = {"study": study, "snapshot": snapshot, "level": level, "program": program}
        for case, n in validate.operations(128, "default").items():
            made.append({**place, "case": case, "n": n, "inputs": "0" * 64, "flags": "1" * 64})
    write_rows(folder / PROVENANCE, made)
    assert validate.validate(folder, "given") == []
    line = changed(folder / PROVENANCE, made[0]["program"], made[0]["program"], "0" * 64)
    fault = f"given/provenance.csv:{line}: machine.json has another program for iterations/v0/O0"
    assert validate.validate(folder, "given") == [fault]
    write_rows(folder / PROVENANCE, made[1:])
    assert validate.validate(folder, "given") == [
        "given/counts.csv:2: provenance.csv has no group iterations/v0/O0 mont_mul"
    ]


def test_a_counter_of_the_hardware_may_be_missing_or_below_zero(folder: Path) -> None:
    place = "iterations,v0,O0,roundtrip-full"
    lines = [",".join(OBSERVATION.columns), f"{place},cycles,total,-12,cycles,100,0"]
    lines += [f"{place},branches,total,,not supported,100,0"]
    (folder / "perf.csv").write_text("\n".join(lines) + "\n")
    assert validate.validate(folder, "given") == []
    lines += [f"{place},branches,total,,,100,1"]
    (folder / "perf.csv").write_text("\n".join(lines) + "\n")
    assert validate.validate(folder, "given")[0].startswith("given/perf.csv:4: ")


@pytest.mark.parametrize(
    ("row", "faults"),
    [
        ("iterations,v0,O0,mmm,add,5", 0),
        ("iterations,v0,O0,mmm,add,0", 1),
        ("iterations,v99,O0,mmm,add,5", 1),
        ("iterations,v0,O0,mmm,add", 1),
    ],
)
def test_the_table_of_calls_is_checked(folder: Path, row: str, faults: int) -> None:
    (folder / "gprof").mkdir()
    text = f"study,snapshot,level,caller,callee,calls\n{row}\n"
    (folder / "gprof" / "calls.csv").write_text(text)
    found = validate.validate(folder, "given")
    assert [said.startswith("given/gprof/calls.csv:2: ") for said in found] == [True] * faults
