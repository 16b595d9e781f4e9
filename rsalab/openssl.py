"""What openssl.csv says: RSA operations of OpenSSL with our Montgomery product, and without, of the
sizes of which every operation was counted with every build."""

from collections import defaultdict
from functools import partial
from sqlite3 import Row

from records.results import Results
from records.tables import Column, Table, factor, percent, tabulate, whole

MISSING = "OpenSSL's operations are not counted here; `make openssl-speed` counts them"
OURS = "ours"
TITLES = {
    OURS: "bn_mul_mont.S",
    "assembly": "OpenSSL's own assembly",
    "neon": "OpenSSL's own assembly, with NEON",
    "c": "OpenSSL's own C",
}
LONG = range(2048, 4097)  # bits; the sizes of which the model's error is also given by itself
Columns = dict[str, Column]


def instructions(results: Results) -> Table:
    """Return the instructions of each operation with each build, and theirs over ours."""
    builds: dict[tuple[str, int], dict[str, int]] = defaultdict(dict)
    for row in results.rows(__file__, "instructions"):
        builds[row["operation"], row["bits"]][row["implementation"]] = row["instructions"]
    rows = [{"operation": operation, "bits": bits, **counts}
            for (operation, bits), counts in builds.items()]  # fmt: skip

    def count(build: str, row: dict[str, int]) -> str:
        return whole(row[build])

    def ratio(build: str, row: dict[str, int]) -> str:
        return factor(row[build] / row[OURS])

    columns: Columns = {"operation": "operation", "bits": "bits"}
    for build, title in TITLES.items():
        columns[title] = partial(count, build)
    for build, title in TITLES.items():
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
        if (row["implementation"] == OURS) == ours:
            operations[row["implementation"], row["bits"]][row["operation"]] = row
    head = ["implementation", "bits"]
    for operation in ("sign", "verify"):
        head += [f"{operation}, ms", "by model", "published / model"]
    rows = []
    for (build, bits), pair in operations.items():
        cells = [TITLES[build], str(bits)]
        for operation in ("sign", "verify"):
            published, modelled = pair[operation]["ms"], pair[operation]["modelled"]
            ratio = factor(published / modelled)
            cells += [milliseconds(published), milliseconds(modelled), ratio]
        rows.append(cells)
    return Table(head, rows)


def validation(results: Results) -> Table:
    """Return the error of the model by build of theirs."""
    errors: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row in results.rows(__file__, "times", whose="here"):
        if row["implementation"] != OURS:
            error = row["modelled"] / row["ms"] - 1
            errors[row["implementation"]].append((row["bits"], error))
    head = ["implementation", f"error, {LONG[0]} to {LONG[-1]} bits", "error, all sizes"]
    rows = []
    for build, found in errors.items():
        every = [error for _, error in found]
        some = [error for bits, error in found if bits in LONG]
        of_long = percent(min(some), max(some)) if some else "-"
        rows.append([TITLES[build], of_long, percent(min(every), max(every))])
    return Table(head, rows)


def text(results: Results) -> str:
    """Return what was counted, and the times of theirs and of ours by model (Markdown)."""
    theirs = times(results, "here", ours=False)
    ours = times(results, "here", ours=True)
    return "\n\n".join(table.markdown for table in (instructions(results), theirs, ours))
