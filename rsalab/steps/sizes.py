"""Prints the size of each step of the ladder: what `make steps` shows.

Usage: python -m rsalab.steps.sizes [--study STUDY]
"""

import argparse
import os
import re
import sys
from pathlib import Path

from records.faults import Failure, command_line
from records.ladder import LADDER, ROOT, Snapshot, front_matter, parent_of, snapshots, studies
from records.tables import NONE, aligned
from rsalab.steps.diff import SOURCES, source_lines

LIMIT = 40  # lines inserted and deleted, together, that a reader still follows as one diff
EXEMPT = ("new representation", "new algorithm")  # front matter, `exempt:`: of any size
NOTE = f"\nlines inserted and deleted, without blank and comment lines; the limit is {LIMIT} in all"

# A comment of C or assembly, or a literal that could look like one.
COMMENT_OR_LITERAL = re.compile(
    r"""/\*.*?\*/|//[^\n]*|@[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


def code_lines(lines: list[str]) -> list[str]:
    """The lines of C or assembly that hold more than white space and comments, as they stand."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        return re.sub(r"[^\n]", "", found) if found[0] in "/@" else found

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
    """Lines inserted and deleted between two sources, blank and comment lines apart."""
    a, b = code_lines(old), code_lines(new)
    common = common_length(a, b)
    return len(b) - common, len(a) - common


def row_of(snapshot: Snapshot, root: Path = ROOT) -> list[str]:
    """A line of the table; a size above the limit is followed by '!'.  Raises Failure when a file
    cannot be read or the front matter's `exempt` is none of EXEMPT."""
    parent, readme = parent_of(snapshot, root), snapshot.path / "README.md"
    exempt = front_matter(readme, root).get("exempt", "")
    if exempt and exempt not in EXEMPT:
        known = " or ".join(f"'{reason}'" for reason in EXEMPT)
        raise Failure(f"{readme.relative_to(root)}: exempt: expected {known}, not '{exempt}'")
    cells = [NONE] * (len(SOURCES) + 1)
    if parent:
        changes = [
            change(source_lines(parent.path / name), source_lines(snapshot.path / name))
            for name in SOURCES
        ]
        size = sum(map(sum, changes))
        cells = ["+{} -{}".format(*both) if any(both) else NONE for both in changes]
        cells.append(f"{size}{' !' * (size > LIMIT and not exempt)}")
    idea = snapshot.idea + f" ({exempt}: exempt)" * bool(exempt)
    return [snapshot.name, snapshot.parent or NONE, *cells, idea]


def show(study: str) -> None:
    """Prints the table of a study.  Raises Failure."""
    rows = [row_of(snapshot) for snapshot in snapshots(study)]
    if not rows:
        raise Failure(f"no snapshots in {study}; there are: {' '.join([LADDER, *studies()])}")
    head = ["rung", "parent", *SOURCES, "lines", "idea"]
    text = "\n".join(aligned([head, *rows], range(len(head))))
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        text = re.sub(r"(\d+ !)", "\033[1;31m\\1\033[0m", text)
    print(f"{text}\n{NOTE}")
    large = [row[0] for row in rows if row[-2].endswith("!")]
    if large:
        print(f"\n! above the limit, a diff too long to read as one idea: {' '.join(large)}")


def main() -> int:
    """Status 2 with one line on stderr when the ladder has a fault."""
    parser = argparse.ArgumentParser(prog="steps", description="Prints the size of each step.")
    parser.add_argument("--study", default=LADDER)
    study = parser.parse_args().study
    return command_line("steps", lambda: show(study))


if __name__ == "__main__":
    sys.exit(main())
