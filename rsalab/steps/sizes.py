"""Prints the size of each step of the ladder: what `make steps` shows.

Usage: python -m rsalab.steps.sizes [--study STUDY]
"""

import argparse
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from records.columns import aligned
from records.faults import Failure, command_line
from records.ladder import LADDER, ROOT, Snapshot, parent_of, snapshots, studies
from rsalab.steps.diff import source_lines

# Lines inserted or deleted, whichever is more, that a reader still follows as one diff.
LIMITS = {"rsa.c": 40, "nat.h": 80}
NOTE = "\nlines inserted and deleted, but for blank and comment ones; in brackets: a readable size"

# A comment, or a literal that could look like one.
COMMENT_OR_LITERAL = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


class Change(NamedTuple):
    """Lines of one file that a step inserts and deletes."""

    inserted: int
    deleted: int

    @property
    def size(self) -> int:
        """The larger of the two: a changed line counts once."""
        return max(self)


@dataclass(frozen=True)
class Step:
    """A snapshot, the one it is compared with, and the change of each file in LIMITS."""

    snapshot: Snapshot
    parent: Snapshot | None
    changes: dict[str, Change]

    @property
    def exempt(self) -> bool:
        """Whether the step brings the assembly file, and so may be of any size."""
        return self.parent is not None and self.snapshot.has_assembly > self.parent.has_assembly

    def above_limit(self, name: str) -> bool:
        """Whether this file's change is too large to be read as one idea."""
        return not self.exempt and name in self.changes and self.changes[name].size > LIMITS[name]


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


def change_between(old: list[str], new: list[str]) -> Change:
    """The change from one C source to another, blank and comment lines apart."""
    a, b = code_lines(old), code_lines(new)
    common = common_length(a, b)
    return Change(len(b) - common, len(a) - common)


def step_of(snapshot: Snapshot, root: Path = ROOT) -> Step:
    """Compares a snapshot with its parent.  Raises Failure when a file cannot be read."""
    parent = parent_of(snapshot, root)
    changes = {}
    if parent:
        for name in LIMITS:
            old, new = source_lines(parent.path / name), source_lines(snapshot.path / name)
            changes[name] = change_between(old, new)
    return Step(snapshot, parent, changes)


def table(steps: list[Step], colour: bool = False) -> str:
    """The steps as aligned text, a line each; a change above its limit is followed by '!'."""
    sizes = [f"{name} +/- ({limit})" for name, limit in LIMITS.items()]
    rows = [["rung", "parent", *sizes, "idea"]]
    for step in steps:
        row = [step.snapshot.name, step.snapshot.parent or "-"]
        for name in LIMITS:
            change = step.changes.get(name)
            text = f"+{change.inserted} -{change.deleted}" if change else "-"
            row.append(text + " !" * step.above_limit(name))
        note = " (brings mont.S: any size)" if step.exempt else ""
        rows.append([*row, step.snapshot.idea + note])
    text = "\n".join(aligned(rows, range(len(rows[0]))))
    return re.sub(r"(\+\d+ -\d+ !)", "\033[1;31m\\1\033[0m", text) if colour else text


def show(study: str) -> None:
    """Prints the table of a study.  Raises Failure."""
    steps = [step_of(snapshot) for snapshot in snapshots(study)]
    if not steps:
        raise Failure(f"no snapshots in {study}; there are: {' '.join([LADDER, *studies()])}")
    print(table(steps, sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
    print(NOTE)
    large = [step.snapshot.name for step in steps if any(map(step.above_limit, LIMITS))]
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
