"""What crt.py has found, in counts.csv and stalls.csv: README and the report read it from there."""

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from records.files import replace
from records.tables import aligned
from rsalab.markdown import between

HERE = Path(__file__).resolve().parent
COUNTS = HERE / "counts.csv"
STALLS = HERE / "stalls.csv"


def read(path: Path) -> list[list[str]]:
    """Return the lines of a file, the head too."""
    with path.open(encoding="utf-8") as file:
        return list(csv.reader(file))


def instructions() -> int:
    """Return the instructions of private_crt, from c to m."""
    _, (_, number) = read(COUNTS)
    return int(number)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows of stalls.csv as text."""
    return "\n".join(aligned(rows, (0, 1, 4)))


def stalls() -> str:
    """Return the table of stalls, as Markdown."""
    return f"```text\n{table(read(STALLS))}\n```"


def write(spent: int, rows: Sequence[Sequence[str]]) -> None:
    """Write both files and README's table.  Raises OSError."""
    replace(COUNTS, f"function,instructions\nprivate_crt,{spent}\n")
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    replace(STALLS, text.getvalue())
    readme = HERE / "README.md"
    page = readme.read_text("utf-8")
    replace(readme, between(page, "stalls", stalls(), str(readme)))
