"""Where a step is best seen: the `look:` line of a README's front matter."""

from __future__ import annotations

import re
from typing import NamedTuple

# `O1 shr mmm_1 c 30-44`: level, function of the parent, of the child where it is another one, view,
# lines of the child's source.
FORM = (
    r"(?P<level>O[013]) (?P<before>\w+)(?: (?!(?:c|asm)\b)(?P<after>\w+))?"
    r"(?: (?:(?P<asm>asm)|c(?: (?P<lines>\d+-\d+))?))?"
)


class Look(NamedTuple):
    """A place: the level; the function in the parent and in the child; the view, `c` or `asm`; the
    child's lines in C (`30-44`), "" for the whole function."""

    level: str
    before: str
    after: str
    view: str
    lines: str


def parse(text: str) -> Look | None:
    """The place that a front matter names; None where it names none."""
    found = re.fullmatch(FORM, text)
    if not found:
        return None
    part = found.groupdict(default="")
    return Look(
        part["level"],
        part["before"],
        part["after"] or part["before"],
        part["asm"] or "c",
        part["lines"],
    )
