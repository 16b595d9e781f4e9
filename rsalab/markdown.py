"""Pieces of Markdown: blocks between markers, a rung's
README.md, the ladder drawn."""

import re
from pathlib import Path

from records.faults import Failure
from records.ladder import ROOT, Snapshot

PARTS = ("Change", "Why", "Measured")  # that every snapshot's has
VERDICT = "What came of it"  # in words, once it is known


def plain(text: str) -> str:
    """A text of a results folder as Markdown that says just this."""
    return re.sub(r"([\\`*\[\]<>|$&~])", r"\\\1", text)


def said(text: str) -> str:
    """A message as Markdown: what stands between backticks is code, the rest just this text."""
    parts = text.split("`")
    if len(parts) % 2 == 0 or "``" in text:
        return plain(text)
    return "`".join(part if i % 2 else plain(part) for i, part in enumerate(parts))


def between(text: str, name: str, block: str, file: str) -> str:
    """The text with everything between `<!-- name -->` and `<!-- /name -->`
    replaced.

    Raises Failure unless each of the two stands there once, in this order.
    """
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if text.count(start) != 1 or text.count(end) != 1 or text.index(start) > text.index(end):
        raise Failure(f"{file}: expected one {start} and after it one {end}")
    head, _, rest = text.partition(start)
    return f"{head}{start}\n{block.strip()}\n{end}{rest.partition(end)[2]}"


def parts(snapshot: Snapshot, root: Path = ROOT, *, references: bool = False) -> dict[str, str]:
    """The paragraphs of a snapshot's README.md by the name they begin with,
    unless they are asked for without the numbers of its claims.

    Raises Failure when one of PARTS is missing.
    """
    path = snapshot.path / "README.md"
    text = path.read_text(encoding="utf-8")
    text = text if references else re.sub(r"\s\[\d+\]", "", text)
    pieces = re.split(r"^\*\*([A-Z][a-z ]+)\.\*\*", text, flags=re.M)
    found = {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2])}
    for name in PARTS:
        if name not in found:
            raise Failure(f"{path.relative_to(root)}: no paragraph '**{name}.**'")
    return found


def with_verdict(text: str, verdict: str, file: str) -> str:
    """A README.md with the `verdict:` line of its front matter set.  Raises Failure."""
    new, found = re.subn(r"(?m)^verdict:.*$", f"verdict: {verdict}".rstrip(), text, count=1)
    if not found:
        raise Failure(f"{file}: front matter with a 'verdict:' line expected")
    return new


def descents(snapshots: list[Snapshot]) -> list[list[str]]:
    """For each snapshot the names from where its line of parents begins down to itself."""
    found: dict[str, list[str]] = {}
    for snapshot in snapshots:
        found[snapshot.name] = [*found.get(snapshot.parent or "", []), snapshot.name]
    return list(found.values())


def tree(snapshots: list[Snapshot]) -> str:
    """The ladder as a drawing, the longest descent on the first line, each
    branch on a line of its own below the end of the rung that it leaves."""
    ends: dict[str, int] = {}
    lines = []
    for path in sorted(descents(snapshots), key=len, reverse=True):
        drawn = [name for name in path if name in ends]
        line = " " * ends[drawn[-1]] + "└─ " if drawn else ""
        for name in path[len(drawn) :]:
            line += name
            ends[name] = len(line) - 1
            line += " ── "
        if len(drawn) < len(path):
            lines.append(line.removesuffix(" ── "))
    return "\n".join(lines)
