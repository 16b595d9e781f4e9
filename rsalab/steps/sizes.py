"""Prints the size of each step of the ladder: what `make steps` shows.

Usage: python -m rsalab.steps.sizes [--study STUDY]
"""

import argparse
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from records.faults import Failure
from records.ladder import LADDER, ROOT, Snapshot, parent_of, snapshots, studies

# Lines inserted or deleted, whichever is more, that a reader still follows as one diff.
LIMITS = {"rsa.c": 40, "nat.h": 80}

# A comment, or a literal that could look like one.
COMMENT_OR_LITERAL = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


@dataclass(frozen=True)
class Change:
    """Lines of one file that a step inserts and deletes."""

    inserted: int
    deleted: int

    @property
    def size(self) -> int:
        """The larger of the two: a changed line counts once."""
        return max(self.inserted, self.deleted)


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


def code_lines(text: str) -> list[str]:
    """The lines of C source that hold more than white space and comments, as they stand."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return re.sub(r"[^\n]", "", found) if found.startswith("/") else found

    bare = COMMENT_OR_LITERAL.sub(blank, text).split("\n")
    return [line.rstrip() for line, code in zip(text.split("\n"), bare) if code.strip()]


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


def change_between(old: str, new: str) -> Change:
    """The change from one C source to another, blank and comment lines apart."""
    a, b = code_lines(old), code_lines(new)
    common = common_length(a, b)
    return Change(inserted=len(b) - common, deleted=len(a) - common)


def step_of(snapshot: Snapshot, root: Path = ROOT) -> Step:
    """Compares a snapshot with its parent.  Raises Failure when a file cannot be read."""
    parent = parent_of(snapshot, root)
    changes = {}
    if parent is not None:
        for name in LIMITS:
            changes[name] = change_between(_text(parent.path / name), _text(snapshot.path / name))
    return Step(snapshot, parent, changes)


def _text(path: Path) -> str:
    """A file's text; a snapshot need not have every file."""
    try:
        return path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as fault:
        raise Failure(f"{path}: cannot be read as UTF-8 text ({fault})") from None


def table(steps: list[Step], colour: bool = False) -> str:
    """The steps as aligned text, a line each; a change above its limit is followed by '!'."""
    header = [
        "rung",
        "parent",
        *(f"{name} +/- ({limit})" for name, limit in LIMITS.items()),
        "idea",
    ]
    rows = [header]
    for step in steps:
        row = [step.snapshot.name, step.snapshot.parent or "-"]
        for name in LIMITS:
            change = step.changes.get(name)
            text = f"+{change.inserted} -{change.deleted}" if change else "-"
            row.append(text + " !" * step.above_limit(name))
        note = " (brings mont.S: any size)" if step.exempt else ""
        rows.append([*row, step.snapshot.idea + note])
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    if colour:
        lines = [re.sub(r"(\+\d+ -\d+ !)", "\033[1;31m\\1\033[0m", line) for line in lines]
    return "\n".join(lines)


def main() -> int:
    """Prints the table; status 2 with one line on stderr when the ladder has a fault."""
    parser = argparse.ArgumentParser(prog="steps", description="Prints the size of each step.")
    parser.add_argument("--study", default=LADDER)
    study = parser.parse_args().study
    try:
        steps = [step_of(snapshot) for snapshot in snapshots(study)]
    except Failure as fault:
        print(f"steps: {fault}", file=sys.stderr)
        return 2
    if not steps:
        known = " ".join([LADDER, *studies()])
        print(f"steps: no snapshots in {study}; there are: {known}", file=sys.stderr)
        return 2
    print(table(steps, colour=sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
    print(
        "\nlines inserted and deleted, but for blank and comment ones; in brackets: a readable size"
    )
    large = [s.snapshot.name for s in steps if any(map(s.above_limit, LIMITS))]
    if large:
        print(f"\n! above the limit, a diff too long to read: {' '.join(large)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
