"""The tables that `make width-1024` ends with: `python3 -m rsalab.steps.long RESULTS`.

It needs nothing but Python itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

from records.columns import aligned
from records.faults import Failure, command_line
from rsalab import long_numbers as long


def text(folder: Path) -> str:
    """All tables.  Raises Failure."""
    counts = long.load(folder)
    if not counts:
        raise Failure(f"{folder}/{long.FILE} is missing; make width-1024 counts")
    parts = []
    for kind, level in long.PROGRAMS[::2]:
        for operands in long.PATTERNS:
            title = f"{kind} -{level}, operands {operands}: instructions of a Montgomery product"
            parts.append((title, long.products(counts, (kind, level), operands)))
    parts.append(("Karatsuba's method needs fewer instructions from", long.crossovers(counts)))
    parts.append(
        ("The private operation, 1024 bits, assembly -O3", long.private(counts, long.BEST))
    )
    parts.append(("Model of its time", long.milliseconds(counts)))
    return "\n\n".join("\n".join([title, *aligned([head, *rows])]) for title, (head, rows) in parts)


def main() -> None:
    """The command line.  Raises Failure."""
    print(text(Path(sys.argv[1])))


if __name__ == "__main__":
    sys.exit(command_line("long", main))
