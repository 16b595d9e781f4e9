"""The tables of lanes/README.md: what lanes_counts.py has counted, in lanes/counts.csv; the cycles for which
a multiplication keeps the multiplier busy, in lanes/issue.csv; and the cycles that a model of a core
gives, in lanes/modelled.csv."""

from collections.abc import Sequence
from pathlib import Path

from records.files import replace, write_table
from records.tables import NONE, Table, whole
from records.typed import read_table
from rsalab.markdown import between

FOLDER = Path(__file__).resolve().parent / "lanes"
COUNTS = FOLDER / "counts.csv"
# Cycles from the start of an instruction to the next of its kind that does not wait for its result,
# as the authors of compilers assume them, each with its source.
ISSUE = FOLDER / "issue.csv"
# Cycles of whole products and squares by LLVM's model of a core: what lanes_cycles.py has written.
MODELLED = FOLDER / "modelled.csv"
README = FOLDER / "README.md"
SIZES = (512, 1024, 1536, 2048)  # bits of p and q


# Of 1,024 bits: two numbers of 32 limbs, two products of limbs for each pair of limbs; and 36 digits
# of both numbers at once.
PRODUCTS_OF_LIMBS = 2 * 2 * 32**2
PRODUCTS_OF_DIGITS = 2 * 36**2


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


def issues() -> str:
    """Return the cycles of all multiplications of a pair of products by core, as Markdown."""
    lines = []
    for row in read_table(ISSUE):
        one_lane = PRODUCTS_OF_LIMBS * int(row["umaal"])
        two_lanes = PRODUCTS_OF_DIGITS * int(row["vmlal"])
        gain = f"x{one_lane / two_lanes:.2f}"
        core = f"{row['core']} ({row['boards']})"
        cycles = [row["umaal"], row["vmlal"], whole(one_lane), whole(two_lanes)]
        lines.append([core, *cycles, gain])
    head = ["core", "`umaal`", "`vmlal.s32`", "by `umaal`", "in two lanes", "fewer"]
    return Table(head, lines).markdown


def modelled() -> str:
    """Return the modelled cycles of two numbers, one after the other and in two lanes, as Markdown."""
    cycles: dict[str, dict[str, int]] = {}
    for row in read_table(MODELLED):
        by_lanes = cycles.setdefault(row["operation"], {})
        by_lanes[row["lanes"]] = int(row["cycles"])
    lines = []
    for operation, by_lanes in cycles.items():
        one_by_one = 2 * by_lanes["one lane"]
        together = by_lanes["two lanes"]
        gain = f"x{one_by_one / together:.2f}"
        lines.append([f"two {operation}s", whole(one_by_one), whole(together), gain])
    return Table(["", "by `umaal`", "in two lanes", "fewer"], lines).markdown


def page(text: str) -> str:
    """Return README with its tables."""
    rows = read_table(COUNTS)
    text = between(text, "modelled", modelled(), str(README))
    text = between(text, "issues", issues(), str(README))
    text = between(text, "products", products(rows), str(README))
    return between(text, "privates", privates(rows), str(README))


def write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """Write counts.csv or modelled.csv, and README's tables.  Raises OSError."""
    write_table(path, rows)
    replace(README, page(README.read_text("utf-8")))
