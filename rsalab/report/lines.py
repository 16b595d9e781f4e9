"""The lines of a step that execute most, with exact counts before and after, from lines.csv."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pandas as pd

from records import ladder
from records.ladder import ROOT, Snapshot
from records.numbers import NONE, whole
from rsalab import markdown

ROWS = 6
WIDTH = 64  # columns of code that a table shows
Place = tuple[str, int]  # file in the snapshot's folder, line


def of_cell(lines: pd.Series, snapshot: Snapshot | None, level: str) -> dict[Place, float]:
    """(file, line) -> instructions an operation, of one snapshot at one level."""
    key = (snapshot.study, snapshot.name, level) if snapshot else ()
    return dict(lines.loc[key].to_dict()) if key in lines.index else {}


def code(snapshot: Snapshot, file: str) -> list[str]:
    """The lines of a file of the snapshot, without indentation, a function's braces with its name;
    [] where there is no such file."""
    path = snapshot.path / file
    if not file or not path.is_file():
        return []
    lines, name = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        head = re.match(r"[a-z].*?(\w+)\(", line)
        name = head[1] if head else name
        ends = {"{": f"{{ /* {name} begins */", "}": f"}} /* {name} ends */"}
        lines.append(ends.get(line) or re.sub(r"\s+", " ", line.strip()))
    return lines


def pairs(before: list[str], after: list[str]) -> list[tuple[int, int]]:
    """The lines, from 1, that stand in both texts; 0 for the text that lacks a line."""
    found: list[tuple[int, int]] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            found += zip(range(i + 1, j + 1), range(k + 1, m + 1))
        else:
            found += [(line, 0) for line in range(i + 1, j + 1)]
            found += [(0, line) for line in range(k + 1, m + 1)]
    return found


def shown(lines: list[str], line: int) -> str:
    """A line of code, from 1, as a cell of a table."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    text = text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}\u2026"
    if "|" not in text:
        return f"`{text}`"
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "&#124;")):
        text = text.replace(sign, name)
    return f"<code>{text}</code>"


def against_parent(lines: pd.Series, snapshot: Snapshot, level: str, root: Path = ROOT) -> str:
    """The table of a step: its lines whose counts changed most; empty without counts of both."""
    parent = ladder.parent_of(snapshot, root)
    before, after = of_cell(lines, parent, level), of_cell(lines, snapshot, level)
    if parent is None or not after or not before:
        return ""
    found = []
    for file in sorted({place[0] for place in (*before, *after)}):
        for i, j in pairs(code(parent, file), code(snapshot, file)):
            had, has = before.get((file, i), 0.0), after.get((file, j), 0.0)
            found.append((-abs(has - had), file, i, j, had, has))
    rows = []
    for _, file, i, j, had, has in sorted(found)[:ROWS]:
        place = f"{file}:{j}" if j else f"{file}:{i} of {parent.name}"
        text = shown(code(snapshot, file), j) if j else shown(code(parent, file), i)
        rows.append([whole(had) if i else NONE, whole(has) if j else NONE, place, text])
    return markdown.table([parent.name, snapshot.name, "line", "code"], rows, (2, 3))


def hottest(lines: pd.Series, snapshot: Snapshot, level: str) -> str:
    """The table of a rung that has no parent: its lines with the most instructions."""
    found = of_cell(lines, snapshot, level)
    total = sum(found.values())
    rows = []
    for (file, line), count in sorted(found.items(), key=lambda row: (-row[1], row[0]))[:ROWS]:
        share = f"{100 * count / total:.0f} %"
        rows.append([whole(count), share, f"{file}:{line}", shown(code(snapshot, file), line)])
    return markdown.table([snapshot.name, "share", "line", "code"], rows, (2, 3)) if rows else ""
