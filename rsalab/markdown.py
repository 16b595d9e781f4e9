"""Pieces of Markdown: tables, blocks between markers, a rung's README.md, the ladder drawn."""

import re
from pathlib import Path

from records.faults import Failure
from records.ladder import ROOT, Snapshot

PARTS = ("Change", "Why", "Measured")  # that every snapshot's has
VERDICT = "What came of it"  # in words, once it is known


def table(head: list[str], rows: list[list[str]], left: tuple[int, ...] = (0,)) -> str:
    """A table; the columns in `left` are set to the left, all others to the right."""
    rule = [":--" if column in left else "--:" for column in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *rows])


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


def read(path: Path, root: Path = ROOT) -> str:
    """A text file.  Raises Failure when there is none or it is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise Failure(f"{path.relative_to(root)}: missing or not UTF-8 text") from None


def parts(snapshot: Snapshot, root: Path = ROOT, *, references: bool = False) -> dict[str, str]:
    """The paragraphs of a snapshot's README.md by the name they begin with,
    unless they are asked for without the numbers of its claims.

    Raises Failure when one of PARTS is missing.
    """
    path = snapshot.path / "README.md"
    text = read(path, root)
    text = text if references else re.sub(r"\s\[\d+\]", "", text)
    pieces = re.split(r"^\*\*([A-Z][a-z ]+)\.\*\*", text, flags=re.M)
    found = {name: text.strip() for name, text in zip(pieces[1::2], pieces[2::2])}
    for name in PARTS:
        if name not in found:
            raise Failure(f"{path.relative_to(root)}: no paragraph '**{name}.**'")
    return found


def with_verdict(text: str, verdict: str, file: str) -> str:
    """A README.md with the `verdict:` line of its front matter set.  Raises Failure."""
    head, fence, rest = text.partition("\n---\n")
    new, found = re.subn(r"(?m)^verdict:.*$", f"verdict: {verdict}".rstrip(), head)
    if found != 1 or not fence:
        raise Failure(f"{file}: front matter with one 'verdict:' line expected")
    return new + fence + rest


def tree(snapshots: list[Snapshot]) -> str:
    """The ladder as a drawing, the longest descent on the first line and each branch below it."""
    children: dict[str | None, list[str]] = {}
    names = {snapshot.name for snapshot in snapshots}
    for snapshot in snapshots:
        above = snapshot.parent if snapshot.parent in names else None
        children.setdefault(above, []).append(snapshot.name)

    def depth(name: str) -> int:
        return 1 + max(map(depth, children.get(name, [])), default=0)

    def draw(name: str) -> list[str]:
        below = sorted(children.get(name, []), key=depth, reverse=True)
        lines: list[str] = []
        for place, child in enumerate(below):
            last = place == len(below) - 1
            joint = " ── " if len(below) == 1 else "  └─ " if last else "  ├─ "
            bar = "    " if len(below) == 1 else "     " if last else "  │  "
            before = name if place == 0 else " " * len(name)
            first, *more = draw(child)
            lines.append(before + (" ─┬─ " if place == 0 < len(below) - 1 else joint) + first)
            lines += [" " * len(name) + bar + line for line in more]
        return lines or [name]

    return "\n".join(line.rstrip() for top in children.get(None, []) for line in draw(top))
