"""What a compiler makes of the ladder, at the levels that programs are shipped with.

    python3 -m harness compilers FOLDER...      such as iterations/v4

`make compilers` calls it once for each compiler, after the programs of those folders have passed
their check.  The instructions of a product and of a round trip of the small workload go to
results/compilers/PLATFORM, which is committed; the platform names the compiler.  Counts with options that
CC adds go to results/options/PLATFORM: they are no other compiler.
"""

from pathlib import Path

from harness import counters
from harness.cells import cells_of, checked
from harness.collect import count, facts_of
from records import files, machine
from records.rows import write_rows
from records.workloads import TRIP_SMALL

OUT = Path("results/compilers")
WITH_OPTIONS = Path("results/options")
CASES = ("mont_mul", TRIP_SMALL)
WORKLOAD = "small"  # of MESSAGES


def main(*folders: Path) -> None:
    """Count checked snapshots and write the folder of their compiler.
    Raises Failure and OSError."""
    cells = checked(cells_of(folders, WORKLOAD))
    counter = counters.chosen()
    count(cells, counter)
    rows = []
    for cell in cells:
        for row in cell.count_rows():
            counted = (row["metric"], row["symbol"])
            if row["workload"] in CASES and counted == ("instructions", "total"):
                rows.append(row)
    platform = machine.read_platform()
    facts = facts_of(platform, machine.read_flags(), cells)
    facts["messages"] = WORKLOAD
    facts["counter"] = counter.name
    folder = (WITH_OPTIONS if platform.options else OUT) / platform.name
    with files.alone():
        write_rows(folder / "counts.csv", rows)
        machine.write_machine(folder, facts)
