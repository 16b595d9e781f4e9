"""What was published of code on a Cortex-M4, and a table of it beside the model's cycles."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from records.tables import Row, Table, whole
from records.typed import read_table
from rsalab.cycles import rounded

CORE = "cortex-m4"
STUDY = "published"  # of the rows with the model's cycles
PUBLISHED = Path(__file__).resolve().parents[1] / "published.csv"


class Published(NamedTuple):
    """A function with the cycles that were measured of it."""

    function: str
    operation: str
    cycles: int
    kind: str


def read_published(core: str = CORE) -> list[Published]:
    """Return the rows of published.csv of a core."""
    found = []
    for row in read_table(PUBLISHED):
        if row["core"] == core:
            cycles = int(row["cycles"])
            one = Published(row["function"], row["operation"], cycles, row["kind"])
            found.append(one)
    return found


def error_percent(row: Row) -> float:
    """Return how much the model is above what was measured, of a row of the view `validations`."""
    ratio: float = row["modelled"] / row["measured"]
    return 100 * (ratio - 1)


def table(rows: Iterable[Row]) -> Table:
    """Return a row for each row of that view: measured cycles, the model's, and its error."""
    head = ["function", "operation (kind)", "measured", "model", "error"]
    lines = []
    for row in rows:
        names = [row["function"], f"{row['operation']} ({row['kind']})"]
        error = error_percent(row)
        modelled = row["modelled"]
        shown = rounded(modelled) if modelled >= 1000 else whole(modelled)
        numbers = [whole(row["measured"]), shown, f"{error:+.1f} %"]
        lines.append([*names, *numbers])
    return Table(head, lines)
