"""Pieces of Markdown: blocks between markers, a rung's
README.md, the ladder drawn."""

import re
from pathlib import Path

from records.faults import Failure
from records.ladder import ROOT, Snapshot

PARTS = ("Idea", "Change", "Why", "Measured")  # that every snapshot's has
GENERATED = re.compile(r"(?s)<!-- (\w+) -->.*?<!-- /\1 -->")
VERDICT = "What came of it"  # in words, once it is known
ESTIMATE = "Estimate"  # of a step, computed from its parent's counts
# What makes a text an address, for who reads Markdown.
ADDRESS = re.compile(r":(?=//)|(?<=www)\.|@", re.IGNORECASE)
# Behind a number that is filled in from results, see rsalab/steps/figures.py.
COMMENT = re.compile(r"<!-- O\w [^>]*?-->")


def plain(text: str) -> str:
    """Return a text of a results folder as Markdown that says just this; an address in it is no
    link."""
    escaped = re.sub(r"([\\`*\[\]<>|$&~])", r"\\\1", text)
    return ADDRESS.sub(lambda found: f"&#{ord(found[0])};", escaped)


def message(text: str) -> str:
    """Return a message as Markdown: what stands between backticks is code, the rest just this
    text."""
    parts = text.split("`")
    paired = len(parts) % 2 == 1
    if not paired or "``" in text:
        return plain(text)
    for index in range(0, len(parts), 2):
        parts[index] = plain(parts[index])
    return "`".join(parts)


def between(text: str, name: str, block: str, file: str) -> str:
    """Return the text with everything between `<!-- name -->` and `<!-- /name -->` replaced.

    Raises Failure unless each of the two stands there once, in this order.
    """
    start = f"<!-- {name} -->"
    end = f"<!-- /{name} -->"
    head, _, rest = text.partition(start)
    _, _, tail = rest.partition(end)
    once = text.count(start) == text.count(end) == 1
    if not once or end in head:
        raise Failure(f"{file}: expected one {start} and after it one {end}")
    return f"{head}{start}\n{block.strip()}\n{end}{tail}"


def parts(
    snapshot: Snapshot,
    root: Path = ROOT,
    *,
    references: bool = False,
    comments: bool = False,
) -> dict[str, str]:
    """Return the paragraphs of a snapshot's README.md by the name they begin with, without what
    is generated, without the numbers of its claims unless `references` are wanted, and without
    what numbers are filled in from unless `comments` are wanted.

    Raises Failure when one of PARTS is missing.
    """
    path = snapshot.path / "README.md"
    text = path.read_text(encoding="utf-8")
    text = GENERATED.sub("", text)
    if not comments:
        text = COMMENT.sub("", text)
    if not references:
        text = re.sub(r"\s\[\d+\]", "", text)
    pieces = re.split(r"^\*\*([A-Z][a-z ]+)\.\*\*", text, flags=re.M)
    found = {}
    for name, paragraph in zip(pieces[1::2], pieces[2::2]):
        found[name] = paragraph.strip()
    for name in PARTS:
        if name not in found:
            raise Failure(f"{path.relative_to(root)}: no paragraph '**{name}.**'")
    return found


def with_verdict(text: str, verdict: str, file: str) -> str:
    """Return a step.toml with its line `verdict = "..."` set.  Raises Failure."""
    line = f'verdict = "{verdict}"'
    new, times = re.subn(r"(?m)^verdict *=.*$", line, text, count=1)
    if not times:
        raise Failure(f"{file}: a line 'verdict = \"\"' expected")
    return new


def descents(snapshots: list[Snapshot]) -> list[list[str]]:
    """Return for each snapshot the names from where its line of parents begins down to itself."""
    found: dict[str, list[str]] = {}
    for snapshot in snapshots:
        above = found.get(snapshot.parent or "", [])
        found[snapshot.name] = [*above, snapshot.name]
    return list(found.values())


def tree(snapshots: list[Snapshot]) -> str:
    """Return the ladder as a drawing, the longest descent on the first line, each branch on a line
    of its own below the end of the rung that it leaves."""
    ends: dict[str, int] = {}
    lines = []
    for path in sorted(descents(snapshots), key=len, reverse=True):
        drawn = [name for name in path if name in ends]
        line = ""
        if drawn:
            indent = " " * ends[drawn[-1]]
            line = f"{indent}└─ "
        for name in path[len(drawn) :]:
            line += name
            ends[name] = len(line) - 1
            line += " ── "
        if len(drawn) < len(path):
            lines.append(line.removesuffix(" ── "))
    return "\n".join(lines)
