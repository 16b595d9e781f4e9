"""`make compare`: what differs is said first, then the numbers stand side
by side."""

import json
import re
from pathlib import Path

import pytest
from foreign import part

from records.faults import Failure
from records.rows import write_rows
from records.workloads import TRIP_FULL
from rsalab.steps.tables import compare_text


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with the reference and the same results from another
    compiler, one count doubled."""
    results = tmp_path / "results"
    for name in ("qemu-gcc12", "pi4"):
        part(
            results / name,
            "iterations/",
            tables=("asm.csv", "counts.csv", "provenance.csv"),
        )
    facts = json.loads((results / "pi4/machine.json").read_text())
    facts.update(
        compiler="arm-linux-gnueabihf-gcc (Debian 14.2) 14.2.0", runner="", qemu=""
    )
    facts["flags"] = facts["flags"].replace("-marm", "-mthumb")
    facts["programs"]["iterations/v8/O3"] = "0" * 64
    (results / "pi4/machine.json").write_text(json.dumps(facts))
    text = (results / "pi4/counts.csv").read_text()
    row = r"(iterations,v8,O3,[^,]+,roundtrip-full,instructions,total),([0-9]+),"
    text = re.sub(row, lambda found: f"{found[1]},{2 * int(found[2])},", text)
    (results / "pi4/counts.csv").write_text(text)
    return tmp_path


def compared(root: Path, metric: str = "instructions", case: str = TRIP_FULL) -> str:
    return compare_text("qemu-gcc12,pi4", metric, case, 999, root)


def table(said: str) -> dict[tuple[str, str], list[str]]:
    """(rung, level) -> the other columns."""
    lines = said[said.index("\nrung ") :].splitlines()[2:]
    return {(line.split()[0], line.split()[1]): line.split()[2:] for line in lines}


def test_differences_come_first(root: Path) -> None:
    said = compared(root)
    before = said[: said.index("instructions, mean of roundtrip-full")]
    lines = before.splitlines()[2:]
    found = {what: (a.split()[1:], b.split()[1:])
             for what, a, b in zip(lines[::3], lines[1::3], lines[2::3])}  # fmt: skip
    assert set(found) == {"compiler", "flags", "runner", "qemu", "programs"}
    assert found["flags"] == (["-marm"], ["-mthumb"])
    assert "12.2.0" in found["compiler"][0] and "14.2.0" in found["compiler"][1]
    assert found["programs"][0][:2] == ["1", "of"]


@pytest.mark.slow
def test_the_ratio_is_the_second_over_the_first(root: Path) -> None:
    rows = table(compared(root))
    assert len(rows) >= 27
    one, other, ratio = rows["v8", "-O3"]
    assert (
        int(other.replace(",", "")) == 2 * int(one.replace(",", ""))
        and ratio == "x2.00"
    )
    assert (
        rows["v0", "-O0"][0] == rows["v0", "-O0"][1] and rows["v0", "-O0"][2] == "x1.00"
    )
    for words in (("code_bytes",), ("loads", "mont_mul")):
        assert len(table(compared(root, *words))) >= 27


def test_inputs_are_compared_group_by_group(root: Path) -> None:
    place = {"study": "iterations", "snapshot": "v0", "level": "O0", "n": 1}
    for name, inputs in (("qemu-gcc12", "ab"), ("pi4", "ac")):
        groups = [
            {
                **place,
                "workload": c,
                "inputs": h * 64,
                "program": "0" * 64,
                "flags": "0" * 64,
            }
            for c, h in zip(("mont_mul", "mod_exp"), inputs)
        ]
        write_rows(root / "results" / name / "provenance.csv", groups)
    said = compared(root)
    assert re.search("inputs\n.*1 of 2\n.*differ", said)


def test_a_metric_that_is_0_has_no_ratio(root: Path) -> None:
    assert table(compared(root, "neon"))["v8", "-O3"] == ["0", "0", "-"]


FAULTS = {
    "": "M=: say two of pi4, qemu-gcc12: M=A,B",
    "pi4": "M=pi4: say two of pi4, qemu-gcc12: M=A,B",
    "pi4,pi4": "M=pi4,pi4: say two of pi4, qemu-gcc12: M=A,B",
    "pi4,x": "results/x: no such folder; there are: pi4 qemu-gcc12",
    "pi4,qemu-gcc12": "no sparkle of mont_mul in both results/pi4 and results/qemu-gcc12",
}


def test_what_cannot_be_compared_is_one_line(root: Path) -> None:
    for asked, fault in FAULTS.items():
        with pytest.raises(Failure, match=f"^{re.escape(fault)}"):
            compare_text(asked, "sparkle", "mont_mul", 999, root)


def test_different_workloads_are_not_compared(root: Path) -> None:
    path = root / "results/pi4/machine.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "messages": "all"}))
    with pytest.raises(Failure, match="different workloads: .*MESSAGES=all"):
        compared(root)
