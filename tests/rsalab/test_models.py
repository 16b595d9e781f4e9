"""The model of an ARM1176: its cycles, its error against the published times,
and what is shown."""

import csv
import re
from pathlib import Path

import pytest
from foreign import part

from harness.counts import SIMULATED
from records import ladder
from records.ladder import ROOT
from records.results import Results, load
from records.rows import read_rows, write_rows
from rsalab import models
from rsalab.cycles import rounded, rounded_factor
from rsalab.report import readmes


@pytest.fixture
def reference() -> Results:
    return load("results/qemu-gcc12")


def test_arm1176_is_instructions_multiplies_and_mispredictions(reference) -> None:
    totals: dict[tuple, dict[str, int]] = {}
    for counted in read_rows(reference.path("counts.csv")):
        if counted["symbol"] == "total" and counted["study"] == "iterations":
            key = counted["snapshot"], counted["level"], counted["workload"]
            totals.setdefault(key, {})[counted["metric"]] = counted["value"]
    asked = "select snapshot, level, workload, cycles, n from modelled where study = 'iterations'"
    for *cell, cycles, n in reference.query(asked):
        had, small = totals[tuple(cell)], totals[*cell[:2], "roundtrip-small"]
        long = had["multiplies_umaal"] + had["multiplies_long"]
        wrong = had.get(SIMULATED, round(small.get(SIMULATED, 0) * n / 10))
        assert round(cycles * n) == had["instructions"] + 2 * long + 5 * wrong


def test_what_the_small_workload_mispredicts_stands_for_any_round_trip(
    tmp_path: Path,
) -> None:
    cell = {
        "study": "iterations",
        "snapshot": "v0",
        "level": "O0",
        "symbol": "total",
        "kind": "exact",
    }
    full, small = (
        {**cell, "workload": f"roundtrip-{case}"} for case in ("full", "small")
    )
    numbers = {"instructions": 900, "multiplies_long": 0, "multiplies_umaal": 0}
    counted = [
        {**full, "metric": m, "value": value, "n": 100} for m, value in numbers.items()
    ]
    counted.append({**small, "metric": SIMULATED, "value": 20, "n": 10})
    write_rows(tmp_path / "counts.csv", counted)
    made = Results(tmp_path, "made", {})
    assert made.means("iterations", "v0", "O0")[SIMULATED] == 2
    ((cycles,),) = made.query("select cycles from modelled")
    assert cycles == 9 + 5 * 2


def test_arm1176_errors_are_those_of_the_published_times(reference) -> None:
    with (ROOT / "data/published/openssl-arm-speed.csv").open(newline="") as file:
        times = {(t["implementation"], t["bits"]): t for t in csv.DictReader(file)}
    asked = "select program, operation, bits, measured, modelled from comparisons"
    every = reference.query(asked)
    checks = [check for check in every if check["bits"] != 15360]
    assert len(checks) == 24 and len(every) == 28
    for name, operation, bits, measured, modelled in checks:
        seconds = float(times[name, str(bits)][f"{operation}_s"])
        assert measured == pytest.approx(seconds * 1000, rel=0.01)  # Mcycles at 1 GHz
        if bits >= 2048 and name == "OpenSSL assembly":
            assert abs(modelled / measured - 1) < 0.05
        if name == "OpenSSL C":
            assert -0.40 < modelled / measured - 1 < -0.25


def test_every_rung_is_printed_with_the_error_of_its_kind_of_code(reference) -> None:
    """But v3, which this core does not run."""
    printed = models.text(reference)
    errors = {}
    for row in reference.query("select * from errors"):
        errors[row["code"]] = models.error_of(row)
    assert len(errors) == 2
    lines = re.findall(r"(?m)^(v[0-9]) +-O. +[0-9,]+ +[0-9.]+ +(.* %)$", printed)
    assert len(lines) == 24 and "v3" not in dict(lines)
    for rung, error in lines:
        assert error == errors["assembly" if rung == "v8" else "compiled C"]
    assert printed.startswith("Cycles of an ARM1176, by model, not measured")


def test_the_programs_are_those_that_the_core_runs(reference, tmp_path) -> None:
    """The record's beside programs for ARMv7; one's own where they are for ARMv6."""
    record = load("results/qemu-armv6-gcc12")
    assert models.rungs(record).rows != models.rungs(reference).rows
    printed = models.text(reference)
    assert "\n".join(models.rungs(record).lines) in printed
    assert "(reference, not yours)" in printed and "has programs for ARMv7" in printed
    own = part(
        tmp_path / "results" / "own", "iterations/v7", platform="qemu-armv6-gcc12"
    )
    printed = models.text(load(own))
    assert "not yours" not in printed and "ARMv7" not in printed


# --- steps that take branches away ----------------------------------------------------------------


BRANCHLESS = ("alone/masked-addition", "dead-ends/predicated-addition")


@pytest.mark.parametrize("name", BRANCHLESS)
def test_cycles_of_a_page_are_of_programs_for_armv6(
    reference: Results, name: str
) -> None:
    """And each factor has the model's error beside it, and the factors that it allows."""
    study, snapshot = name.split("/")
    child = ladder.find(snapshot, study)
    page = readmes.mispredictions(reference, child)
    record = load("results/qemu-armv6-gcc12")
    cycles = {}
    for row in record.query("select study, snapshot, level, cycles from simulated"):
        cycles[tuple(row)[:3]] = row["cycles"]
    (error,) = reference.query("select * from errors where code = ?", code_of(child))
    lines = re.findall(r"(?m)^- -(O.): .* by model cycles \((.*?)\):", page)
    assert len(lines) == 3 == page.count("by model cycles")
    for level, said in lines:
        own = cycles[study, snapshot, level]
        parent = cycles[*child.parent_key, level]
        assert f"| {rounded(parent / 1e6, models.DIGITS)} |" in page
        least = parent / (1 + error["high"]) / (own / (1 + error["low"]))
        greatest = parent / (1 + error["low"]) / (own / (1 + error["high"]))
        assert said.startswith(f"the model errs by {models.error_of(error)} for")
        ends = [rounded_factor(end, models.DIGITS) for end in (least, greatest)]
        assert said.endswith(f": {' to '.join(ends)} is possible")


def code_of(snapshot: ladder.Snapshot) -> str:
    return "assembly" if snapshot.has_assembly else "compiled C"
