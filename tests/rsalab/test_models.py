"""Cycle models: blocks, cycles, errors against the sources' measurements,
and what is shown."""

import csv
import re
import shutil
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest
from clone import Clone
from foreign import part

from boards import exchange as validate
from harness.counts import SIMULATED, Row
from records.faults import Failure
from records.ladder import ROOT
from records.results import Results, load
from records.rows import read_rows, write_rows
from rsalab import models
from rsalab.models import Cell, Cycles
from rsalab.report import readmes

REFERENCE = ROOT / "results" / "qemu-gcc12"
BRANCH, ADD, CALL = 0x1AFFFFFD, 0xE2811001, 0xEBFFFFFE


def row(address: int, executions: int, opcode: int = ADD, cls: str = "add_sub") -> Row:
    """An instruction that was executed so often; a branch branches."""
    does = "b" if opcode in (BRANCH, CALL) else ""
    return Row(address, 4, opcode, cls, does, executions, 0, 0, 0)


def llvm() -> None:
    """Skip where there is no llvm-mca."""
    try:
        models.tools()
    except Failure as why:
        pytest.skip(str(why))


@pytest.fixture(scope="module")
def reference() -> Results:
    return load("results/qemu-gcc12")


@pytest.fixture(scope="module")
def made(reference: Results) -> list[Cycles]:
    """The ARM1176 model of the reference, and one of the Cortex-A72 at two
    instructions a cycle."""
    rows = [row for row in reference.ladder() for _ in models.CASES]
    cells = (Cell(row["rung"], row["level"], c) for row, c in zip(rows, cycle(models.CASES)))
    totals = (round(50 * row["instructions"]) for row in rows)
    up = [Cycles("cortex-a72", cell, total, 100) for cell, total in zip(cells, totals)]
    return models.by_count(reference) + up


def test_blocks_end_at_branches_gaps_and_other_counts() -> None:
    program = [
        *(row(0, 1), row(4, 1)),  # entry
        *(row(8, 5), row(12, 5, BRANCH, "branch")),  # a loop
        *(row(16, 1, CALL, "call"), row(20, 1), row(24, 0), row(28, 1)),
    ]
    found = models.blocks(reversed(program))
    assert found == {(ADD, ADD): 1, (ADD, BRANCH): 5, (CALL,): 1, (ADD,): 2}
    assert sum(len(block) * n for block, n in found.items()) == sum(r.executions for r in program)
    with pytest.raises(Failure, match="Thumb code at 0x20"):
        models.blocks([row(32, 1, cls="thumb")])


def test_a_loop_takes_as_long_as_its_longest_chain(tmp_path: Path) -> None:
    llvm()
    chain = (ADD,) * 8  # add r1, r1, #1: each waits for the one before
    apart = tuple(0xE2800001 | n << 12 | n << 16 for n in range(8))  # add rn, rn, #1
    took = models.block_cycles([chain, apart], "cortex-a72", tmp_path)
    assert took[chain] == pytest.approx(8) and took[apart] < 5


def test_arm1176_is_instructions_multiplies_and_mispredictions(reference, made) -> None:
    totals: dict[tuple, dict[str, int]] = {}
    for counted in read_rows(reference.path("counts.csv")):
        if counted["symbol"] == "total" and counted["study"] == "iterations":
            key = counted["snapshot"], counted["level"], counted["case"]
            totals.setdefault(key, {})[counted["metric"]] = counted["value"]
    for one in (one for one in made if one.model == "arm1176"):
        had, small = totals[one.cell], totals[*one.cell[:2], "roundtrip-small"]
        long = had["multiplies_umaal"] + had["multiplies_long"]
        wrong = had.get(SIMULATED, round(small.get(SIMULATED, 0) * one.n / 10))
        assert one.total == had["instructions"] + 2 * long + 5 * wrong


def test_what_the_small_workload_mispredicts_stands_for_any_round_trip(tmp_path: Path) -> None:
    cell = {"study": "iterations", "snapshot": "v0", "level": "O0", "symbol": "total", "repeat": 0}
    full, small = ({**cell, "case": f"roundtrip-{case}"} for case in ("full", "small"))
    numbers = {"instructions": 900, "multiplies_long": 0, "multiplies_umaal": 0}
    counted = [{**full, "metric": m, "value": value, "n": 100} for m, value in numbers.items()]
    counted.append({**small, "metric": SIMULATED, "value": 20, "n": 10})
    write_rows(tmp_path / "counts.csv", counted)
    results = Results(tmp_path, "made", {})
    (modelled,) = models.by_count(results)
    assert (modelled.total, modelled.n) == (900 + 5 * 200, 100)
    assert results.means("iterations", "v0", "O0")[SIMULATED] == 2


def test_arm1176_errors_are_those_of_the_published_times() -> None:
    with (ROOT / "data/published/openssl-arm-speed.csv").open(newline="") as file:
        times = {(t["implementation"], t["bits"]): t for t in csv.DictReader(file)}
    every = list(models.arm1176_checks())
    checks = [check for check in every if not check.what.endswith(" 15360 bits")]
    assert len(checks) == 24 and len(every) == 28
    for check in checks:
        name, operation, bits = check.what.removesuffix(" bits").split(", ")
        seconds = float(times[name, bits][f"{operation}_s"])
        assert check.measured == pytest.approx(seconds * 1000, rel=0.01)  # Mcycles at 1 GHz
        if int(bits) >= 2048 and name == "OpenSSL assembly":
            assert abs(check.error) < 0.05
        if name == "OpenSSL C":
            assert -0.40 < check.error < -0.25


def test_errors_are_ranges_by_kind_of_code(reference, made) -> None:
    checks = models.checks(made, reference)
    ranges = models.ranges(checks)
    assert {(c.model, c.kind) for c in checks} == set(ranges)
    assert {kind for model, kind in ranges if model == "cortex-a72"} == {"compiled C"}
    (dirk,) = [c for c in checks if c.what.endswith("Dirk 2019, no-opt C")]
    theirs = 783403009 / 736375911  # cycles an instruction; those made up have one half
    assert dirk.error == pytest.approx(0.5 / theirs - 1)
    own = [c.error for c in checks if (c.model, c.kind) == ("arm1176", "compiled C")]
    assert ranges["arm1176", "compiled C"] == (min(own), max(own))
    factors = [c for c in checks if c.unit == "x"]
    first, last = (
        reference.means("iterations", rung, "O0")["instructions"] for rung in ("v0", "v6")
    )
    assert factors[-1].error == pytest.approx(first / last / (0.047478 / 0.005510) - 1)


def test_what_has_no_known_error_is_not_shown(reference, made) -> None:
    cells = {(one.cell.rung, one.model) for one in models.known(made, reference)}
    assert ("v8", "arm1176") in cells and ("v6", "cortex-a72") in cells
    assert not cells & {("v7", "cortex-a72"), ("v8", "cortex-a72")}  # no source multiplied words
    said = models.text(reference, made, "")
    assert "Not shown: the Cortex-A72 model of v7, v8" in said
    alone = [one for one in made if one.cell.rung == "v2"]  # like nothing that was measured
    assert {one.model for one in models.known(alone, reference)} == {"arm1176"}


def test_a_model_is_printed_with_its_error_and_its_name(reference) -> None:
    said = models.text(reference, models.by_count(reference), "llvm-mca is not installed")
    assert "not available here: llvm-mca" in said
    lines = re.findall(r"(?m)^v[0-9]+ +-O. .* %$", said)
    assert len(lines) >= 27 and all(re.search(r"[+-][0-9]+ to [+-][0-9]+ %", x) for x in lines)
    assert said.startswith("Cycle models (model, not measured)")


def test_without_llvm_the_other_model_serves(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    rows, why = models.modelled(load(part(tmp_path / "results", "iterations/v0")))
    assert "llvm-mca" in why
    assert {row.model for row in rows} == {"arm1176"}


def test_rows_of_an_earlier_program_are_not_shown(tmp_path: Path, reference, made) -> None:
    results = load(part(tmp_path / "results", "iterations/"))
    models.write(results, made)
    now = [one._replace(total=one.total + (one.cell.rung == "v5")) for one in made]
    results = load(results.folder)
    assert {one.cell.rung for one in models.kept(results, made)} == {f"v{n}" for n in range(7)}
    assert "v5" not in {one.cell.rung for one in models.kept(results, now)}


def test_models_of_a_first_run(measured: Clone) -> None:
    """What is kept is part of the results folder."""
    command = [sys.executable, "-m", "rsalab.steps", "models", "results/local", "keep"]
    ran = subprocess.run(command, cwd=measured.path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    kept = read_rows(measured.path / "results/local/models.csv")
    told = {row["metric"].removeprefix(models.METRIC) for row in kept}
    assert "arm1176" in told
    for model, name in models.MODELS.items():  # a model that is not kept is named with its reason
        assert model in told or re.search(rf"{name}.*(not available|no source)", ran.stdout)
    faults = validate.validate(measured.path / "results/local")
    assert not [fault for fault in faults if "models.csv" in fault]


# --- steps that take branches away ----------------------------------------------------------------


def counted(instructions: float, wrong: float, long: float = 0) -> dict[str, float]:
    zero = {"multiplies_long": long, "multiplies_umaal": 0}
    return {"instructions": instructions, SIMULATED: wrong, **zero}


@pytest.mark.parametrize(
    ("parent", "child", "words"),
    [  # (1000 + 20 + 500) / (1880 + 20 + 100)
        ((1000, 100, 10), (1880, 20, 10), "x0.76 by model cycles: b is slower, also with"),
        ((1000, 100, 10), (1880, 20, 10), "take as long: 11 cycles"),
        ((1000, 100), (1480, 0), "not at both ends"),
        ((1000, 100), (900, 20), "take as long: - cycles"),
        ((1000, 100), (1100, 100), "take as long: - cycles"),
    ],
)
def test_the_slower_one_is_that_of_the_model(parent: tuple, child: tuple, words: str) -> None:
    assert words in readmes.slower("a", "b", counted(*parent), counted(*child))
