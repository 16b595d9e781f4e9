"""What crt.py has found, in counts.csv and stalls.csv: README and the report read it from there."""

from collections.abc import Sequence
from pathlib import Path

from records.files import replace, write_table
from records.tables import aligned
from records.typed import read_table
from rsalab.markdown import between

HERE = Path(__file__).resolve().parent
COUNTS = HERE / "counts.csv"
STALLS = HERE / "stalls.csv"


def instructions() -> int:
    """Return the instructions of private_crt, from c to m."""
    (row,) = read_table(COUNTS, "studies/limit/crt/counts.csv")
    return int(row["instructions"])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows of stalls.csv as text."""
    return "\n".join(aligned(rows, (0, 1, 4)))


def stalls() -> str:
    """Return the table of stalls, as Markdown."""
    rows = read_table(STALLS, "studies/limit/crt/stalls.csv")
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    return f"```text\n{table(lines)}\n```"


def write(spent: int, rows: Sequence[Sequence[str]]) -> None:
    """Write both files and README's table.  Raises OSError."""
    write_table(COUNTS, [("function", "instructions"), ("private_crt", str(spent))])
    write_table(STALLS, rows)
    readme = HERE / "README.md"
    page = readme.read_text("utf-8")
    replace(readme, between(page, "stalls", stalls(), str(readme)))
