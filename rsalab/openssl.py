"""What openssl.csv says: RSA operations of OpenSSL with our Montgomery product, and without, of the
sizes of which every operation was counted with every build."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial

from records.results import Results
from records.tables import (
    NONE,
    Column,
    Row,
    Table,
    factor,
    fitted,
    percent,
    tabulate,
    terminal_columns,
    whole,
)
from rsalab.cycles import rounded

MISSING = "OpenSSL's operations are not counted here; `make openssl-speed` counts them"
OURS = "ours"
LANES = "lanes"  # not counted in folders of earlier versions
TITLES = {
    OURS: "bn_mul_mont.S",
    LANES: "two lanes",
    "assembly": "OpenSSL's assembly",
    "neon": "OpenSSL's NEON",
    "c": "OpenSSL's C",
}
# The heads of theirs over ours.
RATIOS = {
    OURS: "ours",
    LANES: "lanes / ours",
    "assembly": "assembly / ours",
    "neon": "NEON / ours",
    "c": "C / ours",
}
# Sizes in bits of which the model's error is also given by itself.
LONG = range(2048, 4097)
Columns = dict[str, Column]


def counted(results: Results) -> list[Row]:
    """Return for each operation its `operation`, its `bits`, and the instructions of each build."""
    operations: dict[tuple[str, int], Row] = {}
    for row in results.rows(__file__, "instructions"):
        of_none = {"operation": row["operation"], "bits": row["bits"]}
        counts = operations.setdefault((row["operation"], row["bits"]), of_none)
        counts[row["implementation"]] = row["instructions"]
    return list(operations.values())


def columns_of(
    rows: list[Row], cell: Callable[[str, Row], str], titles: dict[str, str]
) -> Columns:
    """Return the columns of a table of operations, with a cell for each build that was counted."""
    columns: Columns = {"operation": "operation", "bits": "bits"}
    for build, title in titles.items():
        if any(build in row for row in rows):
            columns[title] = partial(cell, build)
    return columns


def instructions(results: Results) -> Table:
    """Return the instructions of each operation with each build."""
    rows = counted(results)
    columns = columns_of(rows, lambda build, row: whole(row[build]), TITLES)
    return tabulate(rows, columns)


def compared(results: Results) -> Table:
    """Return the instructions of each operation with ours, and theirs over ours."""
    rows = counted(results)

    def cell(build: str, row: Row) -> str:
        if build == OURS:
            return whole(row[OURS])
        return factor(row[build] / row[OURS])

    return tabulate(rows, columns_of(rows, cell, RATIOS))


def milliseconds(value: float) -> str:
    """Return a time in milliseconds as a cell shows it."""
    return f"{value:.3f}" if value < 1000 else whole(value)


def times(results: Results, whose: str, ours: bool) -> Table:
    """Return the published times of ours or of theirs, and beside them the model's with its error,
    by whose counts: those made `here`, or those of the `record`."""
    operations: dict[tuple[str, int], dict[str, Row]] = defaultdict(dict)
    for row in results.rows(__file__, "times", whose=whose):
        build = row["implementation"]
        if (build == OURS) == ours:
            pair = operations[build, row["bits"]]
            pair[row["operation"]] = row
    head = ["implementation", "bits"]
    for operation in ("sign", "verify"):
        head += [f"{operation}, ms", "model, ms", "error"]
    rows = []
    for (build, bits), pair in operations.items():
        cells = [TITLES[build], str(bits)]
        for operation in ("sign", "verify"):
            published = pair[operation]["ms"]
            modelled = pair[operation]["modelled"]
            cells.append(milliseconds(published))
            cells.append(rounded(modelled))
            error = modelled / published - 1
            cells.append(percent(error, error))
        rows.append(cells)
    return Table(head, rows)


def validation(results: Results) -> Table:
    """Return the error of the model by build of theirs."""
    of_all: dict[str, list[float]] = defaultdict(list)
    of_long: dict[str, list[float]] = defaultdict(list)
    for row in results.rows(__file__, "times", whose="here"):
        build = row["implementation"]
        if build == OURS:
            continue
        error = row["modelled"] / row["ms"] - 1
        of_all[build].append(error)
        if row["bits"] in LONG:
            of_long[build].append(error)
    head = [
        "implementation",
        f"error, {LONG[0]} to {LONG[-1]} bits",
        "error, all sizes",
    ]
    rows = []
    for build, errors in of_all.items():
        rows.append([TITLES[build], span(of_long[build]), span(errors)])
    return Table(head, rows)


def span(errors: list[float]) -> str:
    """Return the lowest and the highest error; a dash where there is none."""
    return percent(min(errors), max(errors)) if errors else NONE


def text(results: Results) -> str:
    """Return what was counted, and the times of theirs and of ours by model, for a terminal."""
    theirs = times(results, "here", ours=False)
    ours = times(results, "here", ours=True)
    blocks = []
    for table in (instructions(results), compared(results), theirs, ours):
        blocks.append("\n".join(fitted(table, terminal_columns())))
    return "\n\n".join(blocks)
