"""The excerpt of a step's assembly: which instructions it shows."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from records import ladder
from records.faults import Failure
from records.files import digest
from records.results import Results, load
from records.rows import COLUMNS
from rsalab.explorer.listing import Function, Listing
from rsalab.report import readmes
from rsalab.report.readmes import Line, busiest

REFERENCE = load("results/qemu-gcc12")

ROUND = [
    Line(0, 1, "mmm", "mov r0, #0"),
    Line(4, 8, "halve", "lsr r1, r1, #1"),
    Line(8, 8, "mmm", "tst r1, #1"),
    Line(
        16, 9, "add", "adds r2, r2, r3"
    ),  # behind an instruction that is never executed
    Line(20, 2, "mmm", "bx lr"),
]


def offsets(name: str, most: int) -> list[int]:
    return [line.offset for line in busiest(ROUND, name, most)]


def test_the_run_in_which_the_function_executes_most() -> None:
    assert offsets("mmm", 2) == [
        4,
        8,
    ]  # 8 of its own, and 8 beside them instead of none
    assert offsets("mmm", 3) == [0, 4, 8]
    assert offsets("add", 3) == [16, 20]  # no run goes over a gap
    assert offsets("less", 3) == []


def test_counts_are_those_of_the_program_on_disk(tmp_path: Path, monkeypatch) -> None:
    program, label = tmp_path / "rsa", "iterations/v4/O1"
    program.write_text("the program")
    cell = SimpleNamespace(program=program, label=label, folder=tmp_path)
    words = {0: "mov r0, #0", 4: "b +0", 8: "bx lr"}
    code = Listing([Function("mont_mul", 0, words)], "", 12)
    monkeypatch.setattr(readmes, "Cell", lambda *_: cell)
    monkeypatch.setattr(readmes.listing, "read", lambda *_: code)
    results = Results(tmp_path, "made", {"programs": {label: digest(program)}})
    rows = [
        "iterations,v4,O1,roundtrip-full,rsa.c,2,add,0x0008,return,5,,,,100",
        "iterations,v4,O1,roundtrip-full,rsa.c,1,mmm,0x0000,move,7,,,,100",
        "iterations,v4,O3,roundtrip-full,rsa.c,1,mmm,0x0004,branch,9,,,,100",
    ]
    (tmp_path / "lines.csv").write_text(
        "\n".join([",".join(COLUMNS["lines.csv"]), *rows, ""])
    )
    v4 = ladder.find("v4")
    assert readmes.executed(results, v4, "O1") == [
        Line(0, 7, "mmm", "mov r0, #0"),
        Line(8, 5, "add", "bx lr"),
    ]
    program.write_text("another one")
    with pytest.raises(Failure, match="rsa"):
        readmes.executed(results, v4, "O1")
