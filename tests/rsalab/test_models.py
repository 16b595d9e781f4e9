"""Cycle models: blocks, cycles, errors against the sources' measurements,
and what is shown."""

import csv
import re
import shutil
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import made_results
import pytest
from clone import Clone
from foreign import part
from made_results import publish
from made_snapshot import add

from boards import exchange as validate
from harness.counts import SIMULATED, Instruction
from records import ladder
from records.faults import Failure
from records.ladder import ROOT
from records.results import Results, load
from records.rows import read_rows, write_rows
from rsalab import models
from rsalab.report import readmes

BRANCH, ADD, CALL = 0x1AFFFFFD, 0xE2811001, 0xEBFFFFFE


def row(
    address: int, executions: int, opcode: int = ADD, cls: str = "add_sub"
) -> Instruction:
    """An instruction that was executed so often; a branch branches."""
    does = "b" if opcode in (BRANCH, CALL) else ""
    return Instruction(address, 4, opcode, cls, does, executions, 0, 0, 0)


def llvm() -> None:
    """Skip where there is no llvm-mca."""
    if not all(map(shutil.which, models.TOOLS)):
        pytest.skip("llvm-mca is not installed")


@pytest.fixture
def reference() -> Results:
    return load("results/qemu-gcc12")


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """The reference without its studies, where a Cortex-A72 executes two
    instructions a cycle."""
    folder = part(tmp_path / "results" / "made", "iterations/")
    shutil.copytree(ROOT / "iterations", tmp_path / "iterations")
    publish(tmp_path)
    results = load(folder, tmp_path)
    half = (
        "insert into means select study, snapshot, level, workload, ?, mean / 2, n from means"
        " where metric = 'instructions'"
    )
    results.query("select 1 from means")  # computes them
    results.db.execute(half, [models.BY_BLOCK])
    return results


def test_blocks_end_at_branches_gaps_and_other_counts() -> None:
    program = [
        *(row(0, 1), row(4, 1)),  # entry
        *(row(8, 5), row(12, 5, BRANCH, "branch")),  # a loop
        *(row(16, 1, CALL, "call"), row(20, 1), row(24, 0), row(28, 1)),
    ]
    found = models.blocks(reversed(program))
    assert found == {(ADD, ADD): 1, (ADD, BRANCH): 5, (CALL,): 1, (ADD,): 2}
    assert sum(len(block) * n for block, n in found.items()) == sum(
        r.executions for r in program
    )
    with pytest.raises(Failure, match="Thumb code at 0x20"):
        models.blocks([row(32, 1, cls="thumb")])


def test_a_loop_takes_as_long_as_its_longest_chain() -> None:
    llvm()
    chain = (ADD,) * 8  # add r1, r1, #1: each waits for the one before
    apart = tuple(0xE2800001 | n << 12 | n << 16 for n in range(8))  # add rn, rn, #1
    took = models.block_cycles([chain, apart])
    assert took[chain] == pytest.approx(8) and took[apart] < 5


def test_arm1176_is_instructions_multiplies_and_mispredictions(reference) -> None:
    totals: dict[tuple, dict[str, int]] = {}
    for counted in read_rows(reference.path("counts.csv")):
        if counted["symbol"] == "total" and counted["study"] == "iterations":
            key = counted["snapshot"], counted["level"], counted["case"]
            totals.setdefault(key, {})[counted["metric"]] = counted["value"]
    asked = "select snapshot, level, workload, cycles, n from modelled where model = 'arm1176'"
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
        "repeat": 0,
    }
    full, small = ({**cell, "case": f"roundtrip-{case}"} for case in ("full", "small"))
    numbers = {"instructions": 900, "multiplies_long": 0, "multiplies_umaal": 0}
    counted = [
        {**full, "metric": m, "value": value, "n": 100} for m, value in numbers.items()
    ]
    counted.append({**small, "metric": SIMULATED, "value": 20, "n": 10})
    write_rows(tmp_path / "counts.csv", counted)
    means = Results(tmp_path, "made", {}).means("iterations", "v0", "O0")
    assert means[SIMULATED] == 2 and means["model_cycles_arm1176"] == 9 + 5 * 2


def test_arm1176_errors_are_those_of_the_published_times(reference) -> None:
    with (ROOT / "data/published/openssl-arm-speed.csv").open(newline="") as file:
        times = {(t["implementation"], t["bits"]): t for t in csv.DictReader(file)}
    asked = "select program, operation, bits, measured, modelled from comparisons"
    every = reference.query(f"{asked} where model = 'arm1176'")
    checks = [check for check in every if check["bits"] != 15360]
    assert len(checks) == 24 and len(every) == 28
    for name, operation, bits, measured, modelled in checks:
        seconds = float(times[name, str(bits)][f"{operation}_s"])
        assert measured == pytest.approx(seconds * 1000, rel=0.01)  # Mcycles at 1 GHz
        if bits >= 2048 and name == "OpenSSL assembly":
            assert abs(modelled / measured - 1) < 0.05
        if name == "OpenSSL C":
            assert -0.40 < modelled / measured - 1 < -0.25


def test_errors_are_ranges_by_kind_of_code(results) -> None:
    checks = results.query(
        "select *, modelled / measured - 1 as error from comparisons"
    )
    ranges = {
        tuple(row)[:2]: tuple(row)[2:] for row in results.query("select * from errors")
    }
    assert {(c["model"], c["code"]) for c in checks} == set(ranges)
    assert {code for model, code in ranges if model == "cortex-a72"} == {"compiled C"}
    (dirk,) = [c for c in checks if c["program"] == "no-opt C"]
    theirs = 783403009 / 736375911  # cycles an instruction; those made up have one half
    assert dirk["error"] == pytest.approx(0.5 / theirs - 1)
    own = [
        c["error"]
        for c in checks
        if (c["model"], c["code"]) == ("arm1176", "compiled C")
    ]
    assert ranges["arm1176", "compiled C"] == pytest.approx((min(own), max(own)))
    (last,) = [c for c in checks if (c["unit"], c["snapshot"]) == ("x", "v6")]
    first, sixth = (
        results.means("iterations", v, "O0")["instructions"] for v in ("v0", "v6")
    )
    assert last["error"] == pytest.approx(first / sixth / (0.047478 / 0.005510) - 1)


def test_what_has_no_known_error_is_not_shown(results) -> None:
    said = models.text(results, "")
    assert "Not shown: the Cortex-A72 model of v7, v8: nothing like it" in " ".join(
        said.split()
    )
    shown = {model: models.rungs(results, model) for model in models.MODELS}
    rungs = {model: {row[0] for row in table.rows} for model, table in shown.items()}
    assert rungs["cortex-a72"] == {
        f"v{n}" for n in range(7)
    }  # no source multiplied words
    assert rungs["arm1176"] == rungs["cortex-a72"] | {"v7", "v8"}
    results.db.execute(
        "delete from means where snapshot in ('v0', 'v1', 'v3', 'v4', 'v6')"
    )
    said = models.text(results, "")  # what is left is like nothing that was measured
    assert (
        "Cortex-A72 model of v2, v5, v7, v8" in said and "ARM1176 model, cycles" in said
    )


def test_a_model_is_printed_with_its_error_and_its_name(reference) -> None:
    said = models.text(reference, "llvm-mca is not installed")
    assert "not available here: llvm-mca" in said
    lines = re.findall(r"(?m)^v[0-9]+ +-O. +[0-9].* %$", said)
    assert len(lines) >= 27 and all(
        re.search(r"[+-][0-9]+ to [+-][0-9]+ %", x) for x in lines
    )
    assert said.startswith("Cycle models (model, not measured)")


def test_without_llvm_the_other_model_serves(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    results = load(part(tmp_path / "results", "iterations/v0"))
    assert "llvm-mca" in models.update(results)
    assert {row["model"] for row in results.query("select model from modelled")} == {
        "arm1176"
    }


def test_rows_of_an_earlier_program_are_not_shown(results) -> None:
    models.write(results)
    asked = "select distinct snapshot from modelled where model = 'cortex-a72' order by snapshot"
    for change, rungs in ((0, "v0 v1 v2 v3 v4 v5 v6"), (1, "v0 v1 v2 v3 v4 v6")):
        rows = read_rows(results.path("counts.csv"))
        for row in rows:
            row["value"] += change * (
                row["snapshot"] == "v5" and row["metric"] == "instructions"
            )
        write_rows(results.path("counts.csv"), rows)
        now = load(results.folder, results.root)
        assert " ".join(row["snapshot"] for row in now.query(asked)) == rungs


def test_models_of_a_first_run(measured: Clone) -> None:
    """What is kept is part of the results folder."""
    command = [
        sys.executable,
        "-m",
        "rsalab.steps",
        "models",
        "results/local",
        "--keep",
    ]
    ran = subprocess.run(
        command, cwd=measured.path, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    kept = read_rows(measured.path / "results/local/models.csv")
    told = {row["metric"].removeprefix("model_cycles_") for row in kept}
    assert "arm1176" in told
    for (
        model,
        name,
    ) in models.MODELS.items():  # a model that is not kept is named with its reason
        assert model in told or re.search(
            rf"{name}.*(not available|no source)", ran.stdout
        )
    faults = validate.validate(measured.path / "results/local")
    assert not [fault for fault in faults if "models.csv" in fault]


# --- steps that take branches away ----------------------------------------------------------------


SLOW = ("instructions", SIMULATED, "multiplies_long", "multiplies_umaal")


@pytest.mark.parametrize(
    ("parent", "child", "words"),
    [  # (1000 + 20 + 500) / (1880 + 20 + 100)
        (
            (1000, 100, 10),
            (1880, 20, 10),
            "x0.76 by model cycles: b is slower, also with",
        ),
        ((1000, 100, 10), (1880, 20, 10), "take as long: 11 cycles"),
        ((1000, 100), (1480, 0), "not at both ends"),
        ((1000, 100), (900, 20), "take as long: - cycles"),
        ((1000, 100), (1100, 100), "take as long: - cycles"),
    ],
)
def test_the_slower_one_is_that_of_the_model(
    tmp_path: Path, parent, child, words: str
) -> None:
    counts = []
    for name, above, numbers in (("a", "", parent), ("b", "a", child)):
        add(tmp_path, name, above)
        for metric, value in zip_longest(SLOW, numbers, fillvalue=0):
            counts.append(made_results.row(f"iterations,{name},O1", metric, value))
    story = readmes.story_of(
        made_results.results(tmp_path, counts), ladder.find("b", root=tmp_path)
    )
    assert words in story.get("text:slower")
