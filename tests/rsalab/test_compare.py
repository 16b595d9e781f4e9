"""`make compare`: what differs is said first, then the numbers stand side by side."""

import json
import re
import shutil
from pathlib import Path

import pytest

from records.faults import Failure
from records.ladder import ROOT
from records.rows import write_rows
from rsalab.steps.tables import compare_text


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with the reference and the same results from another compiler, one count
    doubled."""
    results = tmp_path / "results"
    for name in ("qemu-gcc12", "pi4"):
        reference = ROOT / "results" / "qemu-gcc12"
        shutil.copytree(reference, results / name, ignore=shutil.ignore_patterns("charts"))
    facts = json.loads((results / "pi4/machine.json").read_text())
    facts.update(compiler="arm-linux-gnueabihf-gcc (Debian 14.2) 14.2.0", runner="", qemu="")
    facts["flags"] = facts["flags"].replace("-marm", "-mthumb")
    facts["programs"]["iterations/v8/O3"] = "0" * 64
    (results / "pi4/machine.json").write_text(json.dumps(facts))
    text = (results / "pi4/counts.csv").read_text()
    row = r"(iterations,v8,O3,roundtrip-full,instructions,total),([0-9]+),"
    text = re.sub(row, lambda found: f"{found[1]},{2 * int(found[2])},", text)
    (results / "pi4/counts.csv").write_text(text)
    return tmp_path


def table(said: str) -> dict[tuple[str, str], list[str]]:
    """(rung, level) -> the other columns."""
    lines = said[said.index("\nrung ") :].splitlines()[2:]
    return {(line.split()[0], line.split()[1]): line.split()[2:] for line in lines}


def test_differences_come_first(root: Path) -> None:
    said = compare_text("qemu-gcc12,pi4", "instructions", "roundtrip-full", root)
    before = said[: said.index("instructions, mean of roundtrip-full")]
    found = {line.split()[0]: line for line in before.splitlines()[3:] if line}
    assert set(found) == {"compiler", "flags", "runner", "qemu", "programs"}
    assert found["flags"].split() == ["flags", "-marm", "-mthumb"]
    assert "12.2.0" in found["compiler"] and "14.2.0" in found["compiler"]
    assert re.search("1 of [0-9]+ ", found["programs"])


def test_a_folder_that_does_not_know_its_inputs_says_so(root: Path) -> None:
    (root / "results/pi4/provenance.csv").unlink()
    said = compare_text("qemu-gcc12,pi4", "instructions", "roundtrip-full", root)
    assert re.search(r"^inputs .*no provenance\.csv", said, re.M)


@pytest.mark.slow
def test_the_ratio_is_the_second_over_the_first(root: Path) -> None:
    rows = table(compare_text("qemu-gcc12,pi4", "instructions", "roundtrip-full", root))
    assert len(rows) >= 27
    one, other, ratio = rows["v8", "-O3"]
    assert int(other.replace(",", "")) == 2 * int(one.replace(",", "")) and ratio == "x2.00"
    assert rows["v0", "-O0"][0] == rows["v0", "-O0"][1] and rows["v0", "-O0"][2] == "x1.00"
    back = table(compare_text("pi4,qemu-gcc12", "instructions", "roundtrip-full", root))
    assert back["v8", "-O3"] == [other, one, "x0.50"]


@pytest.mark.slow
def test_other_metrics_and_cases(root: Path) -> None:
    said = compare_text("qemu-gcc12,pi4", "code_bytes", "roundtrip-full", root)
    assert "\ncode_bytes\n" in said and len(table(said)) >= 27
    assert len(table(compare_text("qemu-gcc12,pi4", "loads", "mont_mul", root))) >= 27


def test_inputs_are_compared_group_by_group(root: Path) -> None:
    place = {"study": "iterations", "snapshot": "v0", "level": "O0", "n": 1}
    for name, inputs in (("qemu-gcc12", "ab"), ("pi4", "ac")):
        groups = [
            {**place, "case": c, "inputs": h * 64, "program": "0" * 64, "flags": "0" * 64}
            for c, h in zip(("mont_mul", "mod_exp"), inputs)
        ]
        write_rows(root / "results" / name / "provenance.csv", groups)
    said = compare_text("qemu-gcc12,pi4", "instructions", "roundtrip-full", root)
    assert "1 of 2 groups" in said


@pytest.mark.parametrize(
    ("asked", "metric", "fault"),
    [
        ("", "loads", "M=: say two of pi4, qemu-gcc12: M=A,B"),
        ("pi4", "loads", "M=pi4: say two of pi4, qemu-gcc12: M=A,B"),
        ("pi4,pi4", "loads", "M=pi4,pi4: the same folder twice"),
        ("pi4,local", "loads", "M=pi4,local: no results/local; there is pi4, qemu-gcc12"),
        ("pi4,../x", "loads", "M=pi4,../x: no results/../x; there is pi4, qemu-gcc12"),
        (
            "pi4,qemu-gcc12",
            "sparkle",
            "no sparkle of mont_mul in results/pi4 and results/qemu-gcc12",
        ),
        ("pi4,qemu-gcc12", "time", "no time of mont_mul in results/pi4 and results/qemu-gcc12"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    root: Path, asked: str, metric: str, fault: str
) -> None:
    with pytest.raises(Failure) as said:
        compare_text(asked, metric, "mont_mul", root)
    assert str(said.value).startswith(fault)


def test_different_workloads_are_not_compared(root: Path) -> None:
    path = root / "results/pi4/machine.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "messages": "all"}))
    with pytest.raises(Failure, match="^different workloads: .*MESSAGES=all$"):
        compare_text("qemu-gcc12,pi4", "instructions", "roundtrip-full", root)
