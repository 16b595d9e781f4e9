"""What openssl.csv says: RSA operations of OpenSSL with our Montgomery product, and without, of the
sizes of which every operation was counted with every build."""

from collections import defaultdict
from functools import partial
from sqlite3 import Row

from records.results import Results
from records.tables import (
    NONE,
    Column,
    Table,
    factor,
    fitted,
    percent,
    tabulate,
    terminal_columns,
    whole,
)

MISSING = "OpenSSL's operations are not counted here; `make openssl-speed` counts them"
OURS = "ours"
LANES = "lanes"  # not counted in folders of earlier versions
TITLES = {
    OURS: "bn_mul_mont.S",
    LANES: "halves in two lanes",
    "assembly": "OpenSSL's own assembly",
    "neon": "OpenSSL's own assembly, with NEON",
    "c": "OpenSSL's own C",
}
# Sizes in bits of which the model's error is also given by itself.
LONG = range(2048, 4097)
Columns = dict[str, Column]


def instructions(results: Results) -> Table:
    """Return the instructions of each operation with each build, and theirs over ours."""
    builds: dict[tuple[str, int], dict[str, int]] = defaultdict(dict)
    titles = dict(TITLES)
    for row in results.rows(__file__, "instructions"):
        counts = builds[row["operation"], row["bits"]]
        counts[row["implementation"]] = row["instructions"]
    if not any(LANES in counts for counts in builds.values()):
        del titles[LANES]
    rows = []
    for (operation, bits), counts in builds.items():
        rows.append({"operation": operation, "bits": bits, **counts})

    def count(build: str, row: dict[str, int]) -> str:
        return whole(row[build])

    def ratio(build: str, row: dict[str, int]) -> str:
        return factor(row[build] / row[OURS])

    columns: Columns = {"operation": "operation", "bits": "bits"}
    for build, title in titles.items():
        columns[title] = partial(count, build)
    for build, title in titles.items():
        if build != OURS:
            columns[f"{title} / ours"] = partial(ratio, build)
    return tabulate(rows, columns)


def milliseconds(value: float) -> str:
    """Return a time in milliseconds as a cell shows it."""
    return f"{value:.3f}" if value < 1000 else whole(value)


def times(results: Results, whose: str, ours: bool) -> Table:
    """Return the published times of ours or of theirs, and beside them the model's, by whose
    counts: those made `here`, or those of the `record`."""
    operations: dict[tuple[str, int], dict[str, Row]] = defaultdict(dict)
    for row in results.rows(__file__, "times", whose=whose):
        build = row["implementation"]
        if (build == OURS) == ours:
            pair = operations[build, row["bits"]]
            pair[row["operation"]] = row
    head = ["implementation", "bits"]
    for operation in ("sign", "verify"):
        head += [f"{operation}, ms", "by model", "published / model"]
    rows = []
    for (build, bits), pair in operations.items():
        cells = [TITLES[build], str(bits)]
        for operation in ("sign", "verify"):
            published = pair[operation]["ms"]
            modelled = pair[operation]["modelled"]
            cells.append(milliseconds(published))
            cells.append(milliseconds(modelled))
            cells.append(factor(published / modelled))
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
    for table in (instructions(results), theirs, ours):
        blocks.append("\n".join(fitted(table, terminal_columns())))
    return "\n\n".join(blocks)
