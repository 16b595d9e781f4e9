"""Pieces of Markdown: texts with places, blocks between markers, a rung's
README.md, the ladder drawn."""

import re
from collections.abc import Mapping
from pathlib import Path
from string import Template

from records.faults import Failure
from records.ladder import ROOT, Snapshot
from records.results import Results
from records.tables import questions

PARTS = ("Change", "Why", "Measured")  # that every snapshot's has
VERDICT = "What came of it"  # in words, once it is known


def words(file: Path, name: str, facts: Mapping[str, object]) -> list[str]:
    """The paragraphs below `## name` in a file of words, each a line, with
    facts in the places that begin with `$`.  One that is empty is left out,
    and so is the one before it if it ends with a colon."""
    text = file.read_text(encoding="utf-8").partition(f"\n## {name}\n\n")[2]
    parts = text.partition("\n\n## ")[0].split("\n\n")
    full = [Template(" ".join(part.split())).substitute(facts) for part in parts]
    return [a for a, b in zip(full, [*full[1:], ""]) if a and (b or not a.endswith(":"))]


def filled(file: Path, facts: Mapping[str, object]) -> str:
    """A file's text, with facts in the places that begin with `$`."""
    return Template(file.read_text(encoding="utf-8")).substitute(facts)


class Places(dict[str, str]):
    """What stands in the places of the texts of a module, which says its
    `__file__`: what is given; or else the words in words.md beside it, which
    have places themselves, or the answer to its question of this name, to
    which what is given are the values; `missing` where there is none."""

    def __init__(self, results: Results, module: str, missing: str, **given: str) -> None:
        super().__init__(given, missing=missing)
        self.results, self.module = results, module

    def __missing__(self, name: str) -> str:
        if text := words(Path(self.module).with_name("words.md"), name, self):
            return "\n\n".join(text)
        if name not in questions(self.module):
            return self["missing"]
        table = self.results.table(self.module, name, **self)
        return table.markdown if table.rows else self["missing"]


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
