"""Row groups and their hashes, and what is found wrong with a results folder."""

import json
import shutil
from pathlib import Path

import pytest

from boards import validate
from harness.cells import PROVENANCE, Cell
from records import ladder, machine, workload
from records.faults import Failure
from records.files import digest
from records.ladder import ROOT
from records.rows import LINE, OBSERVATION, read_rows, write_rows

REFERENCE = ROOT / "results" / "qemu-gcc12"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the reference, without its charts."""
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


@pytest.mark.parametrize(
    ("file", "column", "text", "fault"),
    [
        ("counts.csv", "study", "width-7", "'width-7'"),
        ("counts.csv", "snapshot", "v99", "'v99'"),
        ("counts.csv", "level", "fast", "fast"),
        ("counts.csv", "case", "mont_sqr", "'mont_sqr'"),
        ("counts.csv", "metric", "cycles", "'cycles'"),
        ("counts.csv", "metric", "class_jump", "'class_jump'"),
        ("counts.csv", "symbol", "", "symbol"),
        ("counts.csv", "unit", "accesses", "instructions"),
        ("counts.csv", "value", "63.5", "value is '63.5'"),
        ("counts.csv", "value", "-1", "value is '-1'"),
        ("counts.csv", "n", "999", "1000"),
        ("counts.csv", "n", "", "n is ''"),
        ("asm.csv", "repeat", "x", "repeat is 'x'"),
        ("asm.csv", "repeat", "0,0", "row"),
        ("counts.csv", "symbol", "<b>", "<b>"),
        ("counts.csv", "symbol", '"add"', "add"),
        ("asm.csv", "symbol", "\x1b[2J", "row"),
        ("asm.csv", "symbol", "m\u00fcl", "row"),
    ],
)
def test_a_fault_of_a_row_is_named(
    folder: Path, file: str, column: str, text: str, fault: str
) -> None:
    head, first, *rest = (folder / file).read_text().split("\n")
    fields = dict(zip(OBSERVATION.columns, first.split(",")))
    if file == "counts.csv":
        assert fields["case"] == "mont_mul" and fields["metric"] == "branches"
    line = ",".join({**fields, column: text}.values())
    (folder / file).write_text("\n".join([head, line, *rest]))
    found = validate.validate(folder, "given")
    assert found and found[0].startswith(f"given/{file}:2: ") and fault in found[0], found[:3]


@pytest.mark.parametrize(
    ("find", "old", "new", "fault"),
    [
        ('"git_revision"', ': "', ': "x', "'git_revision' is \"x"),
        ('"iterations/v0/O1"', ': "', ': "ff', "the hash of iterations/v0/O1 is not a SHA-256"),
        ('"messages"', "default", "some", "'messages' is \"some\""),
        ('"git_clean"', "true", "1", "'git_clean' is 1"),
        ('"cpu"', '"cpu"', "cpu", "not whole: "),
        ('"counter"', '"plugin"', "[1]", "'counter' is [1]"),
        ('"cpu"', '"cpu"', '"board": {}, "cpu"', "'board' is {}"),
        ('"cpu"', '"cpu"', '"imported": 2026, "cpu"', "'imported' is 2026"),
        ('"cpu"', '"cpu"', '"timing": [], "cpu"', "'timing' is []"),
    ],
)
def test_a_fault_of_machine_json_is_named(
    folder: Path, find: str, old: str, new: str, fault: str
) -> None:
    line = changed(folder / "machine.json", find, old, new)
    found = validate.validate(folder, "given")
    assert any(text.startswith(f"given/machine.json:{line}: {fault}") for text in found), found[:3]


def test_what_machine_json_lacks_is_named(folder: Path) -> None:
    changed(folder / "machine.json", '"compiler"', "compiler", "kompiler")
    (fault,) = validate.validate(folder, "given")
    assert fault.startswith("given/machine.json: no 'compiler'")
    (folder / "machine.json").unlink()
    (fault,) = validate.validate(folder, "given")
    assert fault.startswith("given/machine.json: missing")


@pytest.mark.parametrize(
    "file", ["../../../../etc/passwd", "/etc/passwd", "a/../../b.c", "..", ".git", "rsa.c/", "x.c"]
)
def test_a_file_of_lines_is_one_of_the_snapshot(folder: Path, file: str) -> None:
    """Refused at every reading where it climbs out, and here where there is none, too."""
    row = f"iterations,v8,O1,mont_mul,{file},1,mont_mul,0x0,mul,1,,,,1000"
    (folder / "lines.csv").write_text(",".join(LINE.columns) + f"\n{row}\n")
    (fault,) = validate.validate(folder, "given")
    assert fault.startswith("given/lines.csv:2: ") and repr(file) in fault
    if file != "x.c":
        with pytest.raises(Failure, match=r"lines\.csv:2: file"):
            read_rows(folder / "lines.csv")


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("compiler", "gcc <script>alert(1)</script>"),
        ("flags", "`id`"),
        ("cpu", "\x1b]0;a title\x07"),
        ("os", "a\nb"),
        ("kernel", "\u202ereversed"),
        ("anything", ["\ud800"]),
        ("<b>", 1),
    ],
)
def test_a_fact_is_plain_text(folder: Path, key: str, text: object) -> None:
    """Refused at every reading: what a page, a terminal or Markdown would take for more."""
    facts = json.loads((folder / "machine.json").read_text())
    (folder / "machine.json").write_text(json.dumps({**facts, key: text}))
    (fault,) = validate.validate(folder, "given")
    assert fault.startswith("given/machine.json: ") and fault.isprintable()
    with pytest.raises(Failure):
        machine.read_machine(folder)


def test_the_first_line_is_the_columns(folder: Path) -> None:
    changed(folder / "counts.csv", "symbol", "symbol", "name")
    assert validate.validate(folder, "given")[0].startswith(
        "given/counts.csv:1: the first line must be study,snapshot,"
    )


def test_a_total_is_the_sum_of_its_symbols(folder: Path) -> None:
    number = changed(folder / "counts.csv", ",instructions,total,", ",total,", ",total,1")
    (fault,) = validate.validate(folder, "given")
    assert fault.startswith(f"given/counts.csv:{number}: total 1")
    assert "sum" in fault


def test_a_row_stands_once(folder: Path) -> None:
    lines = (folder / "asm.csv").read_text().split("\n")
    (folder / "asm.csv").write_text("\n".join([*lines[:2], *lines[1:]]))
    assert "given/asm.csv:3: the same row as line 2" in validate.validate(folder, "given")


def test_a_file_cut_short_is_named(folder: Path) -> None:
    text = (folder / "counts.csv").read_text()
    (folder / "counts.csv").write_text(text[:100_001])
    line = text[:100_001].count("\n") + 1
    assert validate.validate(folder, "given")[0] == f"given/counts.csv:{line}: not a whole row"


def test_a_cell_has_its_program(folder: Path) -> None:
    facts = json.loads((folder / "machine.json").read_text())
    del facts["programs"]["iterations/v0/O0"]
    (folder / "machine.json").write_text(json.dumps(facts, indent=2))
    found = validate.validate(folder, "given")
    assert found == ["given/asm.csv:2: machine.json has no program for iterations/v0/O0"]


def test_a_folder_that_is_not_there(folder: Path) -> None:
    (said,) = validate.validate(folder / "nowhere", "given")
    assert said.startswith("given: no such folder; there are: ")


def cell(tmp_path: Path, messages: str = "default") -> Cell:
    """v0 at -O1 with something for a program, in the current folder."""
    made = Cell(ladder.find("v0"), "O1", messages)
    made.program.parent.mkdir(parents=True, exist_ok=True)
    made.program.write_bytes(b"program")
    return made


def test_groups_change_with_program_inputs_and_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "data" / "inputs", "data/inputs")
    flags = "gcc 12\n-marm\n"

    def made(text: str = flags) -> dict[str, dict]:
        return {g["case"]: g for g in cell(tmp_path).groups(text)}

    first = made()
    assert tuple(first) == workload.CASES
    assert [g["n"] for g in first.values()] == [1000, 20, 10, 100, 10]
    assert first["mod_exp"]["program"] == digest(Path("build/iterations/v0/O1/rsa"))
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
    assert read_rows(folder / PROVENANCE)[0]["n"] == 1000
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
    lines += [f"{place},branches,total,,,100,1", f"{place},branches,total,1.5,branches,100,2"]
    (folder / "perf.csv").write_text("\n".join(lines) + "\n")
    assert [fault.split(": ")[0] for fault in validate.validate(folder, "given")] == [
        "given/perf.csv:4",
        "given/perf.csv:5",
    ]


@pytest.mark.parametrize(
    ("row", "faults"),
    [
        ("iterations,v0,O0,mmm,add,5", 0),
        ("iterations,v0,O0,mmm,add,0", 1),
        ("iterations,v0,O0,,add,5", 1),
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
