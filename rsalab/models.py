"""Cycles of an ARM1176 by model: worked out from exact counts, never measured, and how far the
model is from what a source measured.

The view `arm1176` (records/views.sql) says what an instruction takes; `modelled`, `comparisons` and
`errors` (rsalab/views.sql) have the cycles of the ladder, OpenSSL's operations beside the times
published for a Pi Zero, and the error that comes of them.
"""

import textwrap
from functools import partial
from sqlite3 import Row

from records.machine import ARMV6, is_imported
from records.results import NOT_YOURS, Results, load
from records.tables import Column, Table, digits, percent, pivot, tabulate
from rsalab.cycles import rounded

NAME = "ARM1176"
DIGITS = 2  # of a number of this model, whose error is up to a third
NOTE = (
    "M: millions of cycles.  Error: modelled / measured - 1, lowest and highest of the same kind of"
    " code, compiled C or assembly.  It is the error without simulated mispredictions, which nobody"
    " counted in OpenSSL."
)
OTHERS = (
    f"has programs for ARMv7, which an {NAME} does not run; `make all-iterations CC=armv6`"
    " counts those for ARMv6."
)
NO_CORE = "The Cortex-M4 has a model of its own: make cores."


def for_armv6(results: Results) -> Results | None:
    """Return results of programs that an ARM1176 runs: these, or else the committed ones; None
    where there are none."""
    if results.is_armv6:
        return results
    for folder in sorted(results.root.glob(f"results/qemu-{ARMV6}*")):
        if not is_imported(folder):
            return load(folder, results.root)
    return None


Columns = dict[str, Column]


def error_of(row: Row) -> str:
    """Return the range of the model's error."""
    return percent(row["low"], row["high"])


def number(column: str, row: Row) -> str:
    """Return cycles as a cell shows them."""
    return rounded(row[column], DIGITS)


def millions(column: str, row: Row) -> str:
    """Return cycles in millions as a cell shows them."""
    return rounded(row[column] / 1e6, DIGITS)


CYCLES: Columns = {
    "mont_mul": partial(number, "mont_mul"),
    "round trip, M": partial(millions, "round_trip"),
}


def modelled(results: Results) -> list[Row]:
    """Return the cycles of each rung and level of which the model's error is known."""
    return results.rows(__file__, "modelled")


def option(row: Row) -> str:
    """Return the level as the option of the compiler."""
    return f"-{row['level']}"


def rungs(results: Results) -> Table:
    """Return a row for each level and rung."""
    rows = modelled(results)
    rows.sort(key=lambda row: (row["level"], row["place"]))
    columns: Columns = {
        "rung": "snapshot",
        "level": option,
        **CYCLES,
        "error": error_of,
    }
    return tabulate(rows, columns)


def by_level(results: Results) -> Table:
    """Return a row for each rung, with columns by level."""
    by: Columns = {"rung": "snapshot", "error": error_of}
    return pivot(modelled(results), by, "level", CYCLES)


def compared(results: Results, code: str) -> Table:
    """Return the published times beside the model's, for a kind of code."""
    question = (
        "select * from comparisons where code = ? order by program, operation, bits"
    )
    columns: Columns = {
        "compared with": lambda row: f"{row['program']}, {row['operation']}",
        "bits": "bits",
        "measured, Mcycles": lambda row: digits(row["measured"]),
        "model, Mcycles": lambda row: rounded(row["modelled"]),
        "error": percent_off,
    }
    return tabulate(results.query(question, code), columns)


def percent_off(row: Row) -> str:
    """Return how far the model is from what a source measured."""
    error = row["modelled"] / row["measured"] - 1
    return f"{100 * error:+.1f} %"


def text(results: Results, width: int = 80) -> str:
    """Return what the model says of every rung, with its error beside it, and how it compares
    with what a source measured."""
    lines = textwrap.TextWrapper(width, break_on_hyphens=False)
    parts = [f"Cycles of an {NAME}, by model, not measured"]
    counted = for_armv6(results)
    if counted:
        where = f"{counted.label}: {counted.platform}, {counted.machine['compiler']}"
        whose = "" if counted is results else f" ({NOT_YOURS})"
        parts.append(lines.fill(f"Programs for ARMv6: {where}{whose}"))
        parts.append("\n".join(rungs(counted).lines))
    if counted is not results:
        parts.append(lines.fill(f"{results.label} {OTHERS}"))
    parts.append(lines.fill(NOTE))
    for (code,) in results.query("select distinct code from comparisons"):
        parts.append(f"{NAME} model, {code}:")
        parts.append("\n".join(compared(results, code).lines))
    parts.append(lines.fill(NO_CORE))
    return "\n\n".join(parts)
