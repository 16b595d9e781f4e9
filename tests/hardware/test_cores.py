"""The rungs in cycles: the page says what the results say, and a run gives them again."""

import sys
from collections import defaultdict

import pytest

from records.ladder import ROOT
from records.rows import read_rows

sys.path.insert(0, str(ROOT / "studies/hardware/cores"))
import cores

ROWS = {folder: read_rows(ROOT / "results" / folder / "cycles.csv") for folder in cores.FOLDERS}
# Clocks of an instruction of PicoRV32, whatever comes before and after it.
EACH = {"alu": 3, "shift": 3, "mul": 6, "load": 5, "store": 5, "passed": 3, "taken": 5}


def test_the_table_is_that_of_the_results() -> None:
    text = (ROOT / cores.HERE / "README.md").read_text()
    assert cores.table(cores.Ladder()) in text


@pytest.mark.parametrize("folder", cores.FOLDERS)
def test_events_are_all_of_the_cycles(folder: str) -> None:
    cells: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    for row in read_rows(ROOT / "results" / folder / "events.csv"):
        key = tuple(row[part] for part in ("core", "study", "snapshot", "level", "operation"))
        cells[key][0] += row["count"] if row["event"] != "miss" else 0
        cells[key][1] += row["cycles"]
        if row["core"] == "picorv32" and row["event"] in EACH:
            assert row["cycles"] == EACH[row["event"]] * row["count"]
    for row in ROWS[folder]:
        key = tuple(row[part] for part in ("core", "study", "snapshot", "level", "operation"))
        assert cells[key] == [row["instructions"], row["cycles"]]
        assert row["instructions"] <= row["cycles"] <= row["most"]


def test_both_cores_retire_the_same() -> None:
    counts = defaultdict(set)
    for row in sum(ROWS.values(), []):
        counts[row["study"], row["snapshot"], row["level"], row["operation"]].add(
            row["instructions"]
        )
    assert len(counts) == 48 and {len(each) for each in counts.values()} == {1}
