"""What operations.csv says of studies/width-1024, beside the tables of Markovic, Unkasevic and
Djordjevic.

`python3 -m rsalab.long_numbers RESULTS` prints the tables with which `make width-1024` ends; it
needs nothing but Python itself.
"""

import sys
from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from sqlite3 import Row
from typing import Any

from records.commands import command
from records.faults import Failure
from records.results import Results, load
from records.statistics import verdict
from records.tables import (
    Column,
    Table,
    factor,
    fitted,
    percent,
    tabulate,
    terminal_columns,
    whole,
)
from records.workloads import PATTERNS, RANDOM
from rsalab import models
from rsalab.cycles import rounded

OPERANDS = (*PATTERNS, RANDOM)  # of the source's Tables 1, 2 and 3, and of none of them
PROGRAMS = ("assembly", "plain")
C54X = "C54x"  # the source's processor
BEST = "assembly -O3"
MISSING = "no long numbers; `make width-1024` counts them"
NEVER = "none to 2048 bits"
# What the source's tables call a way of multiplying, and its column here.
WAYS = {
    "Stand.": "levels-0",
    "1Lr": "levels-1",
    "2Lr": "levels-2",
    "3Lr": "levels-3",
    "4Lr": "levels-4",
}
# A way of multiplying in the private operation, in the source's words; the last is not the source's.
MULTIPLICATIONS = {
    "product": "Ordinary multiplication",
    "square": "Squaring procedure",
    "karatsuba": "Squaring with one level of Karatsuba's method",
    "constant-time": "Squaring procedure, in constant time",
}
# What a technique is worth: a private operation without it over one with it.
TECHNIQUES = {
    "squares, standard": ("standard-product", "standard-square"),
    "squares, CRT": ("crt-product", "crt-square"),
    "Karatsuba's method, standard": ("standard-square", "standard-karatsuba"),
    "Karatsuba's method, CRT": ("crt-square", "crt-karatsuba"),
    "constant time, standard": ("standard-square", "standard-constant-time"),
    "constant time, CRT": ("crt-square", "crt-constant-time"),
    "CRT, product": ("standard-product", "crt-product"),
    "CRT, square": ("standard-square", "crt-square"),
    "CRT, karatsuba": ("standard-karatsuba", "crt-karatsuba"),
}
CORES = {"Pi Zero: ARM1176 at 1 GHz": 1000, "Pi 1: ARM1176 at 700 MHz": 700}  # MHz
TIMED = {
    "standard, product only: ms": "standard-product",
    "CRT with squares: ms": "crt-square",
    "the same in constant time: ms": "crt-constant-time",
}
# OpenSSL's code of the same kind, by which the model's error is known.
CODE = {"assembly": "assembly", "plain": "compiled C"}
Columns = dict[str, Column]


def measured(results: Results) -> Results:
    """Return the results, if they have long numbers.  Raises Failure."""
    if results.query("select 1 from operations limit 1"):
        return results
    raise Failure(f"{results.label}: {MISSING}")


def number(name: str, row: Mapping[str, float]) -> str:
    """Return a number as a cell shows it."""
    return whole(row.get(name))


def products(results: Results, program: str, operands: str) -> Table:
    """Return instructions of a product and a square, by size and way of multiplying, in the
    source's order."""
    sizes: dict[int, dict[str, float]] = defaultdict(dict)
    rows = results.rows(__file__, "products", program=program, operands=operands)
    for row in rows:
        column = f"{row['operation']}_{row['way']}"
        of_size = sizes[row["bits"]]
        of_size["bits"] = row["bits"]
        of_size[column] = row["instructions"]
    columns: Columns = {"bits": "bits"}
    for operation in ("product", "square"):
        for head, way in WAYS.items():
            columns[f"{operation} {head}"] = partial(number, f"{operation}_{way}")
    return tabulate(list(sizes.values()), columns)


def crossovers(results: Results) -> Table:
    """Return the sizes from which on Karatsuba's method pays, here and in the source."""

    def size(operation: str, row: Row) -> str:
        return f"{row[operation]} bits" if row[operation] else NEVER

    columns: Columns = {
        "program": lambda row: f"{row['implementation']} -{row['level']}"
    }
    for operation in ("product", "square"):
        columns[operation] = partial(size, operation)
    here = tabulate(results.rows(__file__, "crossovers"), columns)
    if here.rows:
        here.rows.append([f"{C54X} (source)", "512 bits", "1024 bits"])
    return here


def privates(results: Results) -> dict[str, dict[str, Row]]:
    """Return by way of multiplying, and by program, what the private operation needs, plain and
    by the Chinese remainder theorem."""
    ways: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in results.query("select * from privates order by place"):
        program = row["implementation"]
        if row["level"]:
            program = f"{program} -{row['level']}"
        of_way = ways[row["way"]]
        of_way[program] = row
    return ways


def private(results: Results) -> Table:
    """Return what the private operation needs by way of multiplying, here and in the source."""

    def needed(program: str, kind: str, row: dict[str, Row]) -> str | None:
        return whole(row[program][kind]) if program in row else None

    def ratio(program: str, row: dict[str, Row]) -> str | None:
        if program not in row:
            return None
        standard = row[program]["standard"]
        crt = row[program]["crt"]
        return factor(standard / crt) if standard and crt else None

    def name(row: dict[str, Row]) -> str:
        first, *_ = row.values()
        return MULTIPLICATIONS[first["way"]]

    columns: Columns = {"multiplication": name}
    for program, prefix in ((BEST, ""), (C54X, f"{C54X} ")):
        columns[f"{prefix}standard"] = partial(needed, program, "standard")
        columns[f"{prefix}CRT"] = partial(needed, program, "crt")
        columns[f"{prefix}standard/CRT"] = partial(ratio, program)
    return tabulate(privates(results).values(), columns)


def savings(results: Results) -> Table:
    """Return what each technique gains in the private operation, here and in the source."""
    needs: dict[str, dict[str, float]] = defaultdict(dict)
    for way, programs in privates(results).items():
        for program, row in programs.items():
            of_program = needs[program]
            of_program[f"standard-{way}"] = row["standard"]
            of_program[f"crt-{way}"] = row["crt"]

    def gain(program: str, technique: str) -> str | None:
        before, after = TECHNIQUES[technique]
        without = needs[program].get(before)
        within = needs[program].get(after)
        if not without or not within:
            return None
        return f"{factor(without / within)} {verdict(within, without)}"

    columns: Columns = {"technique": str}
    for program in (C54X, BEST, "plain -O3"):
        columns[program] = partial(gain, program)
    if not results.query("select 1 from long limit 1"):
        return tabulate([], columns)
    shown = []
    for technique in TECHNIQUES:
        if any(gain(program, technique) for program in needs):
            shown.append(technique)
    return tabulate(shown, columns)


def milliseconds(results: Results) -> Table:
    """Return how long the private operation takes by the model, with its error: of programs for
    ARMv6, which the core runs."""
    errors = {}
    for row in results.query("select * from errors"):
        errors[row["code"]] = row
    cycles: dict[str, dict[str, float]] = defaultdict(dict)
    for_armv6 = models.for_armv6(results)
    for row in for_armv6.rows(__file__, "cycles") if for_armv6 else ():
        of_program = cycles[row["implementation"]]
        of_program[row["way"]] = row["cycles"]
    rows = []
    for core, mhz in CORES.items():
        for program in PROGRAMS:
            error = errors.get(CODE[program])
            if not error or program not in cycles:
                continue
            line: dict[str, Any] = {"core": core, "program": program, "error": error}
            for way, spent in cycles[program].items():
                line[way] = spent / 1000 / mhz
            rows.append(line)

    def time(way: str, row: dict[str, float]) -> str | None:
        return rounded(row[way], models.DIGITS) if way in row else None

    columns: Columns = {"core": "core", "program": lambda row: f"{row['program']} -O3"}
    for head, way in TIMED.items():
        columns[head] = partial(time, way)
    columns["model compared on a Pi Zero with"] = lambda row: (
        f"OpenSSL's {CODE[row['program']]}"
    )
    columns["error"] = lambda row: percent(row["error"]["low"], row["error"]["high"])
    return tabulate(rows, columns)


def summary(results: Results) -> Table:
    """Return what the best program needs at each size."""
    names = {
        "product": "product",
        "square": "square",
        "power, exponent of full width": "power",
        "power, constant time": "constant_power",
        "RSA private by CRT": "private",
        "RSA private, constant time": "constant_private",
    }
    columns: Columns = {"bits": "bits"}
    for head, name in names.items():
        columns[head] = partial(number, name)
    rows = map(dict, results.rows(__file__, "needs"))
    return tabulate(rows, columns)


def text(results: Results) -> str:
    """Return all tables.  Raises Failure."""
    measured(results)
    parts = {}
    for program in PROGRAMS:
        for operands in OPERANDS:
            title = f"{program} -O3, operands {operands}: instructions of a Montgomery product"
            parts[title] = products(results, program, operands)
    parts["Karatsuba's method needs fewer instructions from"] = crossovers(results)
    parts[f"The private operation, 1024 bits, {BEST}"] = private(results)
    parts["What the private operation gains, 1024 bits"] = savings(results)
    parts["Model of its time, programs for ARMv6"] = milliseconds(results)
    blocks = []
    for title, table in parts.items():
        blocks.append("\n".join([title, *fitted(table, terminal_columns())]))
    return "\n\n".join(blocks)


def main(results: str) -> None:
    """Print all tables of a results folder.  Raises Failure."""
    print(text(load(results, counted=False)))


if __name__ == "__main__":
    sys.exit(command("long", main))
