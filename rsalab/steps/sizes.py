"""Prints the size of each step of the ladder: what `make steps` shows.

Usage: python -m rsalab.steps.sizes [--study STUDY]
"""

import argparse
import os
import re
import sys
from pathlib import Path

from records.columns import aligned
from records.faults import Failure, command_line
from records.ladder import LADDER, ROOT, Snapshot, parent_of, snapshots, studies
from records.numbers import NONE
from rsalab.steps.diff import source_lines

# Lines inserted or deleted, whichever is more, that a reader still follows as one diff.
LIMITS = {"rsa.c": 40, "nat.h": 80}
NOTE = "\nlines inserted and deleted, but for blank and comment ones; in brackets: a readable size"

# A comment, or a literal that could look like one.
COMMENT_OR_LITERAL = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


def code_lines(lines: list[str]) -> list[str]:
    """The lines of C source that hold more than white space and comments, as they stand."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return re.sub(r"[^\n]", "", found) if found.startswith("/") else found

    bare = COMMENT_OR_LITERAL.sub(blank, "\n".join(lines)).split("\n")
    return [line.rstrip() for line, code in zip(lines, bare) if code.strip()]


def common_length(a: list[str], b: list[str]) -> int:
    """The length of the longest common subsequence: exact, where diff programs use heuristics."""
    row = [0] * (len(b) + 1)
    for x in a:
        corner = 0
        for j, y in enumerate(b, start=1):
            above = row[j]
            row[j] = corner + 1 if x == y else max(above, row[j - 1])
            corner = above
    return row[-1]


def change(old: list[str], new: list[str]) -> tuple[int, int]:
    """Lines inserted and deleted between two C sources, blank and comment lines apart."""
    a, b = code_lines(old), code_lines(new)
    common = common_length(a, b)
    return len(b) - common, len(a) - common


def row_of(snapshot: Snapshot, root: Path = ROOT) -> list[str]:
    """A line of the table; a change above its limit is followed by '!'.  A step that brings the
    assembly file may be of any size.  Raises Failure when a file cannot be read."""
    parent = parent_of(snapshot, root)
    exempt = parent is not None and snapshot.has_assembly > parent.has_assembly
    cells = []
    for name, limit in LIMITS.items():
        if parent:
            old, new = (source_lines(one.path / name) for one in (parent, snapshot))
            both = change(old, new)  # a changed line is in both numbers and counts once
            large = " !" * (max(both) > limit and not exempt)
            cells.append("+{} -{}".format(*both) + large)
    idea = snapshot.idea + " (brings mont.S: any size)" * exempt
    return [snapshot.name, snapshot.parent or NONE, *(cells or [NONE] * len(LIMITS)), idea]


def show(study: str) -> None:
    """Prints the table of a study.  Raises Failure."""
    rows = [row_of(snapshot) for snapshot in snapshots(study)]
    if not rows:
        raise Failure(f"no snapshots in {study}; there are: {' '.join([LADDER, *studies()])}")
    sizes = [f"{name} +/- ({limit})" for name, limit in LIMITS.items()]
    text = "\n".join(aligned([["rung", "parent", *sizes, "idea"], *rows], range(len(rows[0]))))
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        text = re.sub(r"(\+\d+ -\d+ !)", "\033[1;31m\\1\033[0m", text)
    print(f"{text}\n{NOTE}")
    large = [row[0] for row in rows if any(cell.endswith("!") for cell in row[2:-1])]
    if large:
        print(f"\n! above the limit, a diff too long to read: {' '.join(large)}")


def main() -> int:
    """Status 2 with one line on stderr when the ladder has a fault."""
    parser = argparse.ArgumentParser(prog="steps", description="Prints the size of each step.")
    parser.add_argument("--study", default=LADDER)
    study = parser.parse_args().study
    return command_line("steps", lambda: show(study))


if __name__ == "__main__":
    sys.exit(main())
