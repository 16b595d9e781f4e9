"""The tables that `make width-1024` ends with, and the claims of the study's README.md:
`python3 -m rsalab.steps.long RESULTS`.

It needs nothing but Python itself.  The study's claims are those of rsalab/steps/claims.py, with C
as the parent and assembly as the child; the names are "OPERATION BITS WAY" of operations.csv.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from records.faults import Failure, command_line
from records.ladder import ROOT, front_matter
from records.tables import aligned
from rsalab import long_numbers as long
from rsalab.steps.claims import NUMBER, holds, parse
from rsalab.steps.spent import Spent, Step

README = ROOT / "studies/width-1024/README.md"


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
    parts.append(("What the private operation gains, 1024 bits", long.savings(counts)))
    parts.append(("Model of its time", long.milliseconds(counts)))
    return "\n\n".join("\n".join([title, *aligned([head, *rows])]) for title, (head, rows) in parts)


def step(counts: long.Counts, level: str) -> Step:
    """What C and assembly execute at a level, in the form that claims are evaluated on."""
    sides = {kind: Spent(1, Counter()) for kind in ("plain", "assembly")}
    for (kind, at, operation, bits, operands, way), found in counts.items():
        if (at, operands) == (level, long.RANDOM):
            sides[kind].means[f"{operation} {bits} {way}"] = found["instructions"]
    return Step(sides["plain"], sides["assembly"])


def false_claims(folder: Path, readme: Path = README) -> list[str]:
    """What is wrong with the claims of the study's README.md: one that does not hold, one without a
    sentence, a sentence's reference without a claim.  Raises Failure."""
    counts, text = long.load(folder), readme.read_text(encoding="utf-8").split("\n---\n")[1]
    claims = [parse(one) for one in front_matter(readme, readme.parent)["claims"].splitlines()]
    found = [
        f"-{level}: false: {claim.text}"
        for claim in claims
        for level in claim.levels
        if not holds(claim, step(counts, level))
    ]
    numbers = {claim.number for claim in claims}
    there = {f"[{number}]" for number in NUMBER.findall(text)}
    return found + [f"{one}: a claim or a sentence alone" for one in sorted(numbers ^ there)]


def main() -> None:
    """The command line.  Raises Failure."""
    print(text(Path(sys.argv[1])))


if __name__ == "__main__":
    sys.exit(command_line("long", main))
