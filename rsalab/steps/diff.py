"""Prints a step of the ladder side by side, C and assembly, below the table of counts that says
why it gains: what `make diff B=v4` shows.

Usage: python -m rsalab.steps diff B [--parent A] [--level O1] [--study STUDY]

Colours on a terminal unless NO_COLOR is set; elsewhere a bar marks each changed row.
"""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from records.faults import Failure
from records.ladder import EVERY_LEVEL, ROOT, Snapshot, find, parent_of
from rsalab.steps import why

SOURCES = ("nat.h", "rsa.c", "mont.S")
CONTEXT = 4  # unchanged lines shown around a change
PIPE_COLUMNS = 160

ANSI = re.compile(r"\033\[[0-9;]*m")
LOCAL_LABEL = re.compile(r"\.L[A-Za-z]*[0-9]+\b")
# Of the directives only those that make bytes say something to a reader.
SHOWN = re.compile(r"\.L|\s*\.(word|short|byte|ascii|asciz|space)\b|\s*[^\s.]")
DATA = re.compile(r"\.type\s+([\w.$]+), *[%@]object")
FUNCTION = re.compile(r"([A-Za-z_][\w.$]*):")


def assembly_file(snapshot: Snapshot, level: str, root: Path = ROOT) -> Path:
    """Where make writes gcc's -S output for a snapshot at a level, relative to the root."""
    return Path("build", snapshot.path.relative_to(root), level, "rsa.s")


def functions(assembly: str) -> dict[str, list[str]]:
    """gcc's -S output as instructions and constants by function, in order, directives dropped.

    Local labels are renumbered in each function, so that code which does not change reads the
    same; labels that nothing jumps to or loads from are dropped.
    """
    found: dict[str, list[str]] = {}
    body: list[str] = []
    data = set(DATA.findall(assembly))
    for line in assembly.splitlines():
        line = line.split("@")[0].rstrip().expandtabs(8)
        name = FUNCTION.match(line)
        if name:
            body = [] if name.group(1) in data else found.setdefault(name.group(1), [])
        elif SHOWN.match(line):
            body.append(line)
    return {name: _renumbered(lines) for name, lines in found.items()}


def _renumbered(lines: list[str]) -> list[str]:
    """A function's lines with the used local labels named .1, .2 ... in order of definition."""
    used = {label for line in lines for label in LOCAL_LABEL.findall(line) if line[0].isspace()}
    defined = [line[:-1] for line in lines if line[0] == "." and line[:-1] in used]
    names = {label: f".{number}" for number, label in enumerate(defined, start=1)}
    kept = [line for line in lines if line[0] != "." or line[:-1] in names]
    return [LOCAL_LABEL.sub(lambda m: names.get(m.group(), m.group()), line) for line in kept]


def side_by_side(
    old: list[str], new: list[str], titles: tuple[str, str], width: int, colour: bool
) -> Iterator[str]:
    """The rows of two texts around their changes, at most `width` columns; none when they agree."""
    if old == new:
        return
    try:
        from icdiff import ConsoleDiff
    except ImportError:
        raise Failure("icdiff is missing from this Python; type `make venv`") from None
    columns = width if colour else width - 2
    console = ConsoleDiff(cols=columns)
    old, new = (broken(side, columns // 2 - 2) for side in (old, new))
    rows = console.make_table(old, new, *titles, context=True, numlines=CONTEXT)
    for number, row in enumerate(rows):
        text = ANSI.sub("", row)
        changed = number > 0 and row != text and set(text.rstrip()) != set("- ")
        yield row if colour else f"{'|' if changed else ' '} {text}".rstrip()


def broken(lines: list[str], room: int) -> list[str]:
    """The lines, those that are too long for a column broken between words."""
    found = []
    for line in lines:
        line = line.expandtabs(8).rstrip()
        indent = " " * min(len(line) - len(line.lstrip()) + 4, room // 2)
        parts = textwrap.wrap(line, room, subsequent_indent=indent, break_on_hyphens=False)
        found += parts or [""]
    return found


def source_lines(path: Path) -> list[str]:
    """The lines of a source; none where the snapshot lacks it.  Raises Failure."""
    try:
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    except UnicodeDecodeError:
        raise Failure(f"{path}: not UTF-8 text") from None


def sections(
    old: Snapshot, new: Snapshot, level: str, root: Path = ROOT
) -> Iterator[tuple[str, list[str], list[str]]]:
    """What there is to compare: (title, old lines, new lines) for each source and each function.
    Raises Failure."""
    for name in SOURCES:
        yield name, source_lines(old.path / name), source_lines(new.path / name)
    if level not in EVERY_LEVEL:
        raise Failure(f"LEVEL={level}: say {', '.join(EVERY_LEVEL)}")
    files = [assembly_file(snapshot, level, root) for snapshot in (old, new)]
    for file in files:
        if not (root / file).is_file():
            raise Failure(f"{file} is missing; `make {file}`")
    before, after = (functions((root / file).read_text(encoding="utf-8")) for file in files)
    for name in [*after, *(name for name in before if name not in after)]:
        yield f"{name} -{level}", before.get(name, []), after.get(name, [])


def pair(name: str, study: str, parent: str, root: Path = ROOT) -> tuple[Snapshot, Snapshot]:
    """The snapshots to compare, old and new.  Raises Failure when there are not two."""
    if not name:
        raise Failure("say which rung to compare with its parent: make diff B=v4")
    new = find(name, study, root)
    old = find(parent, study, root) if parent else parent_of(new, root)
    if old is None:
        raise Failure(f"{study}/{name} has no parent; say which to compare with: A=...")
    return old, new


def show(old: Snapshot, new: Snapshot, level: str) -> None:
    """Writes the comparison to stdout."""
    colour = not os.environ.get("NO_COLOR") and (
        sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))
    )
    fallback = (80 if sys.stdout.isatty() else PIPE_COLUMNS, 24)
    width = max(shutil.get_terminal_size(fallback).columns, 40)
    compared = list(sections(old, new, level))
    name = new.name if new.study == old.study else f"{new.study}/{new.name}"
    print(f"{old.study}/{old.name} -> {name}: {new.idea}\n")
    print(why.beside(old, new, level, width, ROOT))
    same = []
    for title, before, after in compared:
        titles = (f"{old.name} {title}", f"{new.name} {title}")
        rows = list(side_by_side(before, after, titles, width, colour))
        if rows:
            print("", *rows, sep="\n")
        elif before:
            same.append(title)
    if same:
        print(f"\nno change in {', '.join(same)}")
