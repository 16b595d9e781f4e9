"""What a step changes: the lines that differ between two versions of files, by git; white space
is ignored, and a block that only moved is told from one that changed.

`make diff` prints them (diff.py); pages and slides show an excerpt, without comments.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from records import ladder
from records.faults import Failure
from records.ladder import SOURCES, Snapshot

SAME = " "
REMOVED = "-"
ADDED = "+"
MOVED_AWAY = "<"
MOVED_HERE = ">"
HEADING = "@"  # where a part begins: the line of the code that it stands below
# The colours in which git is told to print, by their numbers on a terminal.
MARKS = {"31": REMOVED, "32": ADDED, "35": MOVED_AWAY, "36": MOVED_HERE, "33": HEADING}
COLOURS = {
    "old": "red",
    "new": "green",
    "oldMoved": "magenta",
    "newMoved": "cyan",
    "frag": "yellow",
    "meta": "bold",
    "context": "normal",
    "func": "normal",
}
GIT = """diff --no-index --no-ext-diff --no-prefix --histogram
--color=always --color-moved=blocks --ws-error-highlight=none"""
WITHOUT_SPACES = ("--ignore-all-space", "--color-moved-ws=ignore-all-space")
ANSI = re.compile(r"\033\[([0-9;]*)m")

Texts = Mapping[str, list[str]]  # the lines of files by their names


class Line(NamedTuple):
    """A line of a difference: its mark, and its text."""

    mark: str
    text: str


Part = list[Line]  # lines that stand together in a file


def differences(
    old: Texts, new: Texts, context: int = 3, spaces: bool = False
) -> dict[str, list[Part]]:
    """Return by file the parts that differ, each with so many lines around it; a file without a
    difference is left out.  With `spaces` white space counts.

    Raises Failure without git.
    """
    with tempfile.TemporaryDirectory() as scratch:
        for side, texts in (("old", old), ("new", new)):
            folder = Path(scratch, side)
            folder.mkdir()
            for name, lines in texts.items():
                text = "".join(f"{line}\n" for line in lines)
                (folder / name).write_text(text, encoding="utf-8")
        printed = by_git(Path(scratch), context, spaces)
    found: dict[str, list[Part]] = {}
    name = ""
    for line in printed.splitlines():
        text = ANSI.sub("", line)
        colour = ANSI.match(line)
        if colour and colour[1] == "1":
            name = (
                re.sub(r"^diff .* new/", "", text) if text.startswith("diff ") else name
            )
            continue
        mark = MARKS.get(colour[1], SAME) if colour else SAME
        if mark == HEADING:
            below = text.rpartition("@@")[2].strip()
            found.setdefault(name, []).append([Line(HEADING, below)])
        elif name in found:
            found[name][-1].append(Line(mark, text[1:]))
    return found


def by_git(folder: Path, context: int, spaces: bool) -> str:
    """Return what git prints of the folders `old` and `new`.  Raises Failure without git."""
    colours = []
    for what, colour in COLOURS.items():
        colours += ["-c", f"color.diff.{what}={colour}"]
    options = [*GIT.split(), f"--unified={context}"]
    if not spaces:
        options += WITHOUT_SPACES
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    words = ["git", *colours, *options, "old", "new"]
    try:
        ran = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, **settings},
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise Failure("git compares the files; `make setup` installs it") from None
    if ran.returncode > 1:  # 1: they differ
        raise Failure(f"git diff: {ran.stderr.decode(errors='replace').strip()}")
    return ran.stdout.decode(errors="replace")


# --- the lines of a snapshot ----------------------------------------------------------------------

# A comment of C or assembly, or a literal that could look like one.
COMMENT_OR_LITERAL = re.compile(
    r"""/\*.*?\*/|//[^\n]*|@[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)
INCLUDE = re.compile(r"\s*#\s*include\b")
# Of assembly: what makes no instruction, and names of registers.
DIRECTIVE = re.compile(r"#|\s*\.(?!macro|endm)\w+|\s*\w+\s+\.req\b")


def source_lines(path: Path) -> list[str]:
    """Return the lines of a source; none where the snapshot lacks it."""
    if not path.exists():
        return []
    return path.read_text("utf-8", "replace").splitlines()


def code_lines(lines: list[str]) -> list[str]:
    """Return the lines of C or assembly that hold more than white space and comments, as they
    stand."""

    def blank(match: re.Match[str]) -> str:
        text = match.group()
        is_comment = text.startswith(("/", "@"))
        return "\n" * text.count("\n") if is_comment else text

    text = "\n".join(lines)
    bare = COMMENT_OR_LITERAL.sub(blank, text).split("\n")
    kept = []
    for line, code in zip(lines, bare):
        if code.strip():
            kept.append(line.rstrip())
    return kept


def sources(snapshot: Snapshot) -> dict[str, list[str]]:
    """Return the lines of a snapshot's files."""
    files = {}
    for name in SOURCES:
        if (snapshot.path / name).is_file():
            files[name] = source_lines(snapshot.path / name)
    return files


def instructions(snapshot: Snapshot) -> dict[str, list[str]]:
    """Return the lines of a snapshot's files that are code, without what only declares or names
    something in assembly."""
    files = {}
    for name, lines in sources(snapshot).items():
        code = [line for line in code_lines(lines) if not INCLUDE.match(line)]
        if name.endswith(".S"):
            code = [line for line in code if not DIRECTIVE.match(line)]
        files[name] = code
    return files


# --- an excerpt -----------------------------------------------------------------------------------

# The heading of a part, as a page shows it.
PART = re.compile(r"@@ (.+) @@")
# The first line of a function in C.
FUNCTION = re.compile(r"(?!_Static_assert)\w[^;]*?\b(\w+)\(")
# Where a function begins in C, or a macro or a function in assembly.
DEFINITION = re.compile(rf"{FUNCTION.pattern}|\s*\.macro\s+(\w+)|([A-Za-z_]\w*):$")
# What stands in no function.
DECLARATION = re.compile(r"#(?!endif)|typedef\b|_Static_assert\b|struct \w+ \{")
LIMIT = 40  # lines that a reader still follows as one diff


def parts_of(child: Snapshot, parent: Snapshot) -> Iterator[tuple[str, Part]]:
    """Yield the parts of a step in code, each with its file: first those of the file that shows
    the step best.  A block that only moved is no change."""
    found = differences(instructions(parent), instructions(child), context=2)
    for name in in_order(child, found):
        for part in found.get(name, []):
            kept = settled(part)
            if any(line.mark in (ADDED, REMOVED) for line in kept):
                yield name, kept


def in_order(child: Snapshot, files: Iterable[str]) -> list[str]:
    """Return the names of a step's files, the first one that which has the function to look at;
    but a new algorithm is seen in the algorithm, not in nat.h."""
    look = ladder.looked_at(child)
    names = [name for name in ("rsa.c", "mont.S", "nat.h") if name in files]
    if look:
        begins = re.compile(rf"(?m)^(?:static|void) .*\b{look.after}\(|^{look.after}:")
        for name in names:
            if name == "nat.h" and child.exempt == "new algorithm":
                continue
            path = child.path / name
            if path.is_file() and begins.search(path.read_text("utf-8", "replace")):
                return [name, *(other for other in names if other != name)]
    return names


def settled(part: Part) -> Part:
    """Return a part in which a moved block stands where it is now, and is no change."""
    lines = []
    for line in part:
        if line.mark == MOVED_HERE:
            lines.append(Line(SAME, line.text))
        elif line.mark != MOVED_AWAY:
            lines.append(line)
    return lines


def shown(name: str, part: Part) -> list[str]:
    """Return a part as lines of a diff, its heading with the file and the function."""
    function = ""
    for mark, text in part:
        begins = FUNCTION.match(text)
        if begins:
            function = begins[1]
        if mark in (ADDED, REMOVED):
            break
    where = f"{name}: {function}" if function else name
    lines = [f"@@ {where} @@"]
    for mark, text in part[1:]:
        lines.append(f"{mark}{text}".rstrip())
    return lines


def lines_of(child: Snapshot, parent: Snapshot) -> list[str]:
    """Return what a step changes in code, as lines of a diff."""
    lines: list[str] = []
    for name, part in parts_of(child, parent):
        lines += shown(name, part)
    return lines


class Piece(NamedTuple):
    """Lines of a diff that stand together, and in what: `nat.h: add`, or `nat.h` where in no
    function and no macro."""

    place: str
    lines: list[str]


def by_function(lines: list[str]) -> list[Piece]:
    """Return a diff in pieces, each of one function or macro in one part of the diff; what has no
    changed line is left out."""
    pieces: list[Piece] = []
    part: dict[str, Piece] = {}
    # Where the last line stands, in the parent and in the step.
    before = after = file = ""
    for line in lines:
        mark = line[:1]
        text = line[1:]
        heading = PART.fullmatch(line)
        if heading:
            before = after = heading[1]
            file = after.partition(": ")[0]
            part = {}
            continue
        place = place_of(text, file, before if mark == REMOVED else after)
        if mark != ADDED:
            before = place
        if mark != REMOVED:
            after = place
        if place not in part:
            part[place] = Piece(place, [f"@@ {place} @@"])
            pieces.append(part[place])
        part[place].lines.append(line)
    return [piece for piece in pieces if is_changed(piece)]


def place_of(text: str, file: str, last: str) -> str:
    """Return in what a line of code stands, when the one before it stands in `last`."""
    begins = DEFINITION.match(text)
    if begins:
        name = next(filter(None, begins.groups()))
        return f"{file}: {name}"
    return file if DECLARATION.match(text) else last


def is_changed(piece: Piece) -> bool:
    """Return whether a line of a piece is added or removed."""
    return any(line.startswith((ADDED, REMOVED)) for line in piece.lines)


def excerpt(child: Snapshot, parent: Snapshot) -> str:
    """Return what a step changes in code as Markdown.  At most LIMIT lines stand in the open, the
    others are folded.  Raises Failure as `chosen` does."""
    lines = lines_of(child, parent)
    if not lines:
        return "No instruction changes in the text, but constants that the assembler computes with."
    if len(lines) <= LIMIT:
        return fenced(lines)
    if child.shows:
        first, rest = chosen(child, by_function(lines))
    else:
        end = first_cut(lines)
        first = lines[:end]
        rest = [last_heading(lines[: end + 1]), *lines[end:]]
    return f"{fenced(first)}\n\n{summary(rest, 'The other ')}"


def last_heading(lines: list[str]) -> str:
    """Return the last heading among the lines of a diff."""
    headings = [line for line in lines if PART.fullmatch(line)]
    return headings[-1]


def summary(lines: list[str], title: str) -> str:
    """Return a diff as Markdown that a reader opens by its title, which is continued by the number
    of its lines.  Functions that it only removes are named behind it."""
    kept: list[str] = []
    removed: dict[str, list[str]] = {}
    for piece in by_function(lines):
        file, _, function = piece.place.partition(": ")
        if is_removed(piece):
            removed.setdefault(file, []).append(f"`{function}`")
        else:
            kept += piece.lines
    text = fenced(kept)
    for file, functions in removed.items():
        text += f"\n\nRemoved from {file}: {', '.join(functions)}."
    return folded(f"{title}{len(kept)} lines", text)


def is_removed(piece: Piece) -> bool:
    """Return whether a piece removes a function, and has no line of the step."""
    if any(line.startswith(ADDED) for line in piece.lines):
        return False
    return any(
        line.startswith(REMOVED) and DEFINITION.match(line[1:]) for line in piece.lines
    )


def chosen(child: Snapshot, pieces: list[Piece]) -> tuple[list[str], list[str]]:
    """Return the lines that a step shows in the open, and the others.

    Raises Failure where nothing changes in what its step.toml names, or more than LIMIT lines do.
    """
    where = f"{child.label}: step.toml: shows"
    places = [piece.place for piece in pieces]
    first: list[str] = []
    for place in child.shows:
        if place not in places:
            there = ", ".join(dict.fromkeys(places))
            raise Failure(f"{where}: nothing changes in '{place}'; but in: {there}")
        for piece in pieces:
            if piece.place == place:
                first += piece.lines
    if len(first) > LIMIT:
        raise Failure(f"{where}: {len(first)} lines; at most {LIMIT}")
    rest = []
    for piece in pieces:
        if piece.place not in child.shows:
            rest += piece.lines
    return first, rest


def first_cut(lines: list[str]) -> int:
    """Return how many lines of a long diff stand in the open: up to the last end of a part or a
    function within LIMIT, or LIMIT where there is none in its second half."""
    for end in range(LIMIT, LIMIT // 2, -1):
        ends_part = lines[end].startswith("@@ ")
        ends_function = lines[end - 1] in (" }", "+}")
        if ends_part or ends_function:
            return end
    return LIMIT


def fenced(lines: list[str]) -> str:
    """Return lines of a diff as a block of Markdown."""
    text = "\n".join(lines)
    return f"```diff\n{text}\n```"


def folded(title: str, text: str) -> str:
    """Return Markdown that a reader opens by its title."""
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"
