"""The main job, from a clean clone in a path with a space to the table,
and its guards."""

import csv
import itertools
import json
import re
import subprocess
from pathlib import Path

import pytest
from clone import Clone

RUNGS = [f"v{i}" for i in range(9)]
LEVELS = ("O0", "O1", "O3")
CASES = ("mont_mul", "mod_exp", "roundtrip-small")


def rows(clone: Clone, name: str = "counts.csv") -> list[dict[str, str]]:
    """A results file of the clone's own run."""
    with (clone.path / "results" / "local" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def mean(
    clone: Clone, snapshot: str, level: str, case: str, symbol: str = "total"
) -> float:
    """Mean instructions of a case."""
    columns = ("snapshot", "level", "workload", "symbol", "metric")
    place = (snapshot, level, case, symbol, "instructions")
    (row,) = (
        row for row in rows(clone) if tuple(row[column] for column in columns) == place
    )
    return int(row["value"]) / int(row["n"])


def test_every_cell_has_every_case(measured: Clone) -> None:
    counted = (row for row in rows(measured) if row["symbol"] == "total")
    found = {(row["snapshot"], row["level"], row["workload"]) for row in counted}
    assert found == set(itertools.product(RUNGS, LEVELS, CASES))
    sizes = {(row["snapshot"], row["level"]) for row in rows(measured, "asm.csv")}
    assert sizes == set(itertools.product(RUNGS, LEVELS))


def test_the_table_is_the_end(measured: Clone) -> None:
    head = re.search(r"(?m)^rung .*$", measured.said)
    assert head, measured.said
    for level in LEVELS:
        assert f"-{level}" in head[0]
    table = measured.said[head.start() :]
    for rung in RUNGS:
        assert len(re.findall(rf"^{rung} ", table, re.M)) == 1
    value = f"{mean(measured, 'v8', 'O3', 'roundtrip-small'):,.0f}"
    assert re.search(rf"^v8 .* {value} ", table, re.M)
    assert "results/local/" in table and "make diff" in table


def test_one_line_a_cell_without_a_terminal(measured: Clone) -> None:
    lines = re.findall(r"^  COUNT   (v\d O\d) ", measured.said, re.M)
    assert sorted(lines) == sorted(f"{s} {level}" for s in RUNGS for level in LEVELS)
    assert "\x1b" not in measured.said and "\r" not in measured.said


def test_no_tracked_file_changes(measured: Clone) -> None:
    git = ["git", "status", "--porcelain"]
    assert (
        subprocess.run(git, cwd=measured.path, capture_output=True, check=True).stdout
        == b""
    )


def test_the_second_run_does_nothing(measured: Clone) -> None:
    before = (measured.path / "results/local/counts.csv").stat().st_mtime_ns
    ran = measured.make("all-iterations")
    assert ran.returncode == 0 and ran.stderr == ""
    assert not re.search(r"^  (CC|AS|LD|HOSTCC|CHECK|COUNT) ", ran.stdout, re.M)
    assert (measured.path / "results/local/counts.csv").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "messages", ["default", pytest.param("all", marks=pytest.mark.long)]
)
def test_larger_workloads(measured: Clone, tmp_path: Path, messages: str) -> None:
    """They are checked and counted, too, v7's parent with them, and the results say so."""
    copy = measured.copy(tmp_path / "copy")
    ran = copy.make("v7", "v8", f"MESSAGES={messages}", "LEVELS=O1")
    assert ran.returncode == 0, ran.stderr
    trips = [
        row
        for row in rows(copy)
        if row["workload"] in ("roundtrip-full", "roundtrip-65537")
    ]
    assert {row["workload"] for row in trips} == {"roundtrip-full", "roundtrip-65537"}
    assert {row["snapshot"] for row in trips} == {"v6", "v7", "v8"}
    simulated = {
        row["workload"] for row in rows(copy) if row["metric"].startswith("simulated_")
    }
    assert simulated == {"mont_mul", "roundtrip-small"}
    facts = json.loads((copy.path / "results/local/machine.json").read_text())
    assert facts["messages"] == messages


def test_machine_json_says_with_what(measured: Clone) -> None:
    facts = json.loads((measured.path / "results/local/machine.json").read_text())
    assert facts.keys() >= {
        "cpu",
        "kernel",
        "os",
        "compiler",
        "git_revision",
        "qemu",
        "date",
    }
    assert facts["git_clean"] is True and len(facts["git_revision"]) == 40
    assert len(facts["programs"]) == 27 and "-marm" in facts["flags"]


def test_a_new_rung_is_in_every_table(measured: Clone, tmp_path: Path) -> None:
    grown = measured.copy(tmp_path / "grown")
    assert grown.make("new-iteration", "FROM=v8", "NAME=v9").returncode == 0
    ran = grown.make("v9", "LEVELS=O3")
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"^v9 .* no difference ", ran.stdout, re.M)
    assert mean(grown, "v9", "O3", "mont_mul") == mean(grown, "v8", "O3", "mont_mul")
    assert re.search(r"^v9 ", grown.make("steps").stdout, re.M)
