"""The three kinds of results that README's commands leave, cut from the reference; and what on a
page is empty."""

import html
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from records.results import reference

# `make all-iterations`; `make v8`; `make all-iterations MESSAGES=small`: the rows that each leaves.
KINDS: dict[str, Callable[[str], bool]] = {
    "whole": lambda row: row.startswith("iterations,"),
    "one": lambda row: row.startswith("iterations,v8,"),
    "small": lambda row: row.startswith("iterations,") and not LARGE.search(row),
}
LARGE = re.compile(",roundtrip-(full|65537),")
FILES = ("counts.csv", "asm.csv", "lines.csv")
# Without the definition of these words, which is bold.
LACKS = re.compile(
    r"(?<!<strong>)not measured in these results|not in these results|object&gt;|No picture",
    re.I,
)
HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1>", re.S)
SEEN = re.compile(r"<(img|svg|table|pre|math|input|select)\b")
TAG = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.S)


def make(kind: str, folder: Path) -> Path:
    """Write a results folder of a kind."""
    folder.mkdir(parents=True)
    source = reference()
    shutil.copy(source / "machine.json", folder)
    for name in FILES:
        head, *rows = (source / name).read_text().splitlines(keepends=True)
        if kind == "small" and name == "lines.csv":
            rows = [
                row.replace(",roundtrip-full,", ",roundtrip-small,") for row in rows
            ]
        (folder / name).write_text(head + "".join(filter(KINDS[kind], rows)))
    return folder


def empty_parts(page: str) -> list[str]:
    """Return the headings of an HTML page that have nothing below them, and
    what the page says it does not have."""
    body = page.partition("<main>")[2].partition("</main>")[0] or page
    found = [match[0] for match in LACKS.finditer(body)]
    headings = list(HEADING.finditer(body))
    ends = [match.start() for match in headings[1:]] + [len(body)]
    depths = [int(match[1]) for match in headings[1:]] + [1]
    for match, end, next_depth in zip(headings, ends, depths):
        below = body[match.end() : end]
        text = html.unescape(TAG.sub("", below)).strip()
        parts_follow = next_depth > int(match[1])
        if not text and not SEEN.search(below) and not parts_follow:
            found.append(TAG.sub("", match[2]).strip())
    return found
