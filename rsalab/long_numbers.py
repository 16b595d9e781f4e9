"""What operations.csv says of studies/width-1024, beside the tables of
Markovic, Unkasevic and Djordjevic; long_numbers.sql has the tables.

`python3 -m rsalab.long_numbers RESULTS` prints the tables with which `make
width-1024` ends; it needs nothing but Python itself.
"""

import sys
from functools import partial

from records.commands import command
from records.faults import Failure
from records.results import Results, load
from records.workload import PATTERNS, RANDOM

OPERANDS = (*PATTERNS, RANDOM)  # of the source's Tables 1, 2 and 3, and of none of them
PROGRAMS = ("assembly", "plain")
MISSING = "no long numbers; `make width-1024` counts them"


def measured(results: Results) -> Results:
    """The results, if they have long numbers.  Raises Failure."""
    if results.query("select 1 from operations limit 1"):
        return results
    raise Failure(f"{results.label}: {MISSING}")


def text(results: Results) -> str:
    """All tables.  Raises Failure."""
    ask = partial(measured(results).table, __file__)
    parts = {
        f"{program} -O3, operands {operands}: instructions of a Montgomery product":
        ask("products", program=program, operands=operands)
        for program in PROGRAMS for operands in OPERANDS
    }  # fmt: skip
    parts["Karatsuba's method needs fewer instructions from"] = ask("crossovers")
    parts["The private operation, 1024 bits, assembly -O3"] = ask("private")
    parts["What the private operation gains, 1024 bits"] = ask("savings")
    parts["Model of its time"] = ask("milliseconds")
    return "\n\n".join("\n".join([title, *table.lines]) for title, table in parts.items())


def main(results: str) -> None:
    """Prints all tables of a results folder.  Raises Failure."""
    print(text(load(results, counted=False)))


if __name__ == "__main__":
    sys.exit(command("long", main))
