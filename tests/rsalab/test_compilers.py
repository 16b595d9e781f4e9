"""What each compiler makes of a step."""

import csv
import shutil
from pathlib import Path

import pytest

from records import ladder
from records.faults import Failure
from records.ladder import ROOT
from records.results import load, reference
from rsalab import compilers
from rsalab.charts.compilers import compilers as heat_map


def cell(table: list[list[str]], compiler: str, column: int) -> str:
    """Return what the row of a compiler says in a column."""
    (row,) = [row for row in table if row[0] == compiler]
    return row[column]


def test_a_step_is_its_parents_count_divided_by_its_own() -> None:
    with (ROOT / "results/compilers/qemu-gcc12/counts.csv").open() as file:
        counted = {
            (row["snapshot"], row["level"], row["workload"]): int(row["value"])
            / int(row["n"])
            for row in csv.DictReader(file)
        }
    parent = counted["v2", "Os", "roundtrip-small"]
    rung = counted["v4", "Os", "roundtrip-small"]
    table = compilers.table(ladder.find("v4"))
    assert table.head == ["compiler", "-O1", "-O2", "-O3", "-Os"]
    assert cell(table.rows, "gcc 12.2.0", 4) == f"x{parent / rung:.2f}"


def test_without_counts_there_is_no_chart(tmp_path: Path) -> None:
    shutil.copytree(reference(), tmp_path / "results/qemu-gcc12")
    with pytest.raises(Failure, match="make compilers"):
        heat_map(load("results/qemu-gcc12", tmp_path))
