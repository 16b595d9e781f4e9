"""What lanes.py has counted, in lanes/counts.csv, and the table of it in lanes/README.md."""

from collections.abc import Sequence
from pathlib import Path

from records.files import read_table, replace, write_table
from records.tables import NONE, Table, whole
from rsalab.markdown import between

FOLDER = Path(__file__).resolve().parent / "lanes"
COUNTS = FOLDER / "counts.csv"
README = FOLDER / "README.md"
SIZES = (512, 1024, 1536, 2048)  # bits of p and q


def read() -> list[dict[str, str]]:
    """Return the rows of counts.csv.  Raises OSError."""
    head, *lines = read_table(COUNTS)
    return [dict(zip(head, line)) for line in lines]


def products(rows: Sequence[dict[str, str]]) -> str:
    """Return the instructions of a product and a square of a pair by step, as Markdown."""
    counted: dict[tuple[str, str], dict[int, int]] = {}
    for row in rows:
        if row["operation"] != "private":
            by_size = counted.setdefault((row["step"], row["operation"]), {})
            by_size[int(row["bits"])] = int(row["instructions"])
    lines = []
    for (step, operation), by_size in counted.items():
        cells = [whole(by_size[bits]) if bits in by_size else NONE for bits in SIZES]
        lines.append([f"`{step}`", operation, *cells])
    head = ["step", "of a pair", *(f"{bits} bits" for bits in SIZES)]
    return Table(head, lines).markdown


def privates(rows: Sequence[dict[str, str]]) -> str:
    """Return the instructions of the private operation by size of n and level, as Markdown."""
    counted: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["operation"] == "private":
            by_level = counted.setdefault(row["bits"], {})
            by_level[row["level"]] = int(row["instructions"])
    lines = []
    for bits, by_level in counted.items():
        lines.append([bits, *map(whole, by_level.values())])
    head = ["bits of n", *(f"C at -{level}" for level in by_level)]
    return Table(head, lines).markdown


def page(text: str) -> str:
    """Return README with the tables of counts.csv."""
    rows = read()
    text = between(text, "products", products(rows), str(README))
    return between(text, "privates", privates(rows), str(README))


def write(rows: Sequence[Sequence[str]]) -> None:
    """Write counts.csv and README's tables.  Raises OSError."""
    write_table(COUNTS, rows)
    replace(README, page(README.read_text("utf-8")))
