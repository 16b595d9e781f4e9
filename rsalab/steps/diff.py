"""The lines of a step: what differs from its parent (`make diff`), how many change (`make
steps`), and a folder for the next step (`make new-iteration`).

Below the table of counts that says why the step gains stands the C, and below that gcc's assembly
by function; in colours on a terminal unless NO_COLOR is set.
"""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from records import ladder, machine, step_file
from records.faults import Failure
from records.ladder import (
    EVERY_LEVEL,
    LADDER,
    ROOT,
    SOURCES,
    Snapshot,
    find,
    parent_of,
)
from records.tables import NONE, aligned
from rsalab.steps import why
from rsalab.steps.change import (
    ADDED,
    HEADING,
    LIMIT,
    MOVED_AWAY,
    MOVED_HERE,
    REMOVED,
    Line,
    code_lines,
    differences,
    source_lines,
    sources,
)
from rsalab.templates import filled

CONTEXT = 4  # unchanged lines shown around a change
PIPE_COLUMNS = 160
# How a terminal shows a line by its mark: red, green, dim magenta, cyan, bold.
STYLES = {
    REMOVED: "31",
    ADDED: "32",
    MOVED_AWAY: "2;35",
    MOVED_HERE: "36",
    HEADING: "1",
}
KEY = f"""{REMOVED} before   {ADDED} after   {MOVED_AWAY} moved away from here
{MOVED_HERE} moved to here.  White space is ignored; SPACE=1 shows it."""
KEY_WITH_SPACE = KEY.partition("  White")[0]
LOCAL_LABEL = re.compile(r"\.L[A-Za-z]*[0-9]+\b")
# Of the directives only those that make bytes say something to a reader.
SHOWN = re.compile(r"\.L|\s*\.(word|short|byte|ascii|asciz|space)\b|\s*[^\s.]")
DATA = re.compile(r"\.type\s+([\w.$]+), *[%@]object")
FUNCTION = re.compile(r"([A-Za-z_][\w.$]*):")


def assembly_file(snapshot: Snapshot, level: str, root: Path = ROOT) -> Path:
    """Return where make writes gcc's -S output for a snapshot at a level, relative to the root."""
    folder = snapshot.path.relative_to(root)
    return Path("build", folder, level, "rsa.s")


def functions(assembly: str) -> dict[str, list[str]]:
    """Return gcc's -S output as instructions and constants by function, in order, without
    directives.

    Local labels are renumbered in each function, so that code which does
    not change reads the same; labels that nothing jumps to or loads from
    are dropped.
    """
    found: dict[str, list[str]] = {}
    body: list[str] = []
    data = set(DATA.findall(assembly))
    for line in assembly.splitlines():
        code, _, _ = line.partition("@")
        code = code.rstrip().expandtabs(8)
        label = FUNCTION.match(code)
        if label:
            name = label[1]
            body = [] if name in data else found.setdefault(name, [])
        elif SHOWN.match(code):
            body.append(code)
    return {name: _renumbered(lines) for name, lines in found.items()}


def _renumbered(lines: list[str]) -> list[str]:
    """Return a function's lines with the used local labels named .1, .2 ...
    in order of definition."""
    used: set[str] = set()
    for line in lines:
        if line[0].isspace():
            used.update(LOCAL_LABEL.findall(line))
    names: dict[str, str] = {}
    kept = []
    for line in lines:
        label = line[:-1]
        if line[0] == "." and label in used:
            names[label] = f".{len(names) + 1}"
        if line[0] != "." or label in names:
            kept.append(line)

    def renamed(match: re.Match[str]) -> str:
        return names.get(match.group(), match.group())

    return [LOCAL_LABEL.sub(renamed, line) for line in kept]


def assembly(snapshot: Snapshot, level: str, root: Path) -> dict[str, list[str]]:
    """Return the functions of a snapshot at a level.  Raises Failure where they are missing."""
    if level not in EVERY_LEVEL:
        every = ", ".join(EVERY_LEVEL)
        raise Failure(f"LEVEL={level}: say {every}")
    file = assembly_file(snapshot, level, root)
    path = root / file
    if not path.is_file():
        raise Failure(f"{file} is missing; `make {file}`")
    text = path.read_text(encoding="utf-8")
    return functions(text)


def pair(
    name: str, study: str, parent: str, root: Path = ROOT
) -> tuple[Snapshot, Snapshot]:
    """Return the snapshots to compare, old and new.  Raises Failure when there are not two."""
    if not name:
        raise Failure("say which rung to compare with its parent: make diff B=v4")
    new = find(name, study, root)
    old = find(parent, study, root) if parent else parent_of(new, root)
    if old is None:
        raise Failure(f"{study}/{name} has no parent; say which to compare with: A=...")
    return old, new


def coloured() -> bool:
    """Return whether to print in colours."""
    if os.environ.get("NO_COLOR"):
        return False
    return sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))


def columns() -> int:
    """Return how wide the terminal is; without one there is more room."""
    usual = 80 if sys.stdout.isatty() else PIPE_COLUMNS
    return shutil.get_terminal_size((usual, 24)).columns


def printed(line: Line, colour: bool) -> str:
    """Return a line as a terminal shows it."""
    whole = f"{line.mark}{line.text}".rstrip()
    if line.mark == HEADING:
        whole = f"@@ {line.text or '...'} @@"
    if not colour or line.mark not in STYLES:
        return whole
    return f"\033[{STYLES[line.mark]}m{whole}\033[m"


def compared(
    old: dict[str, list[str]],
    new: dict[str, list[str]],
    title: str,
    space: bool,
    colour: bool,
) -> Iterator[str]:
    """Yield what differs between two versions of files, a block a file, with its title; then in
    which of them nothing does."""
    found = differences(old, new, CONTEXT, space)
    for name, parts in found.items():
        lines = [f"--- {name}{title}"]
        for part in parts:
            for line in part:
                lines.append(printed(line, colour))
        yield "\n".join(lines)
    same = [f"{name}{title}" for name in old if name in new and name not in found]
    if same:
        yield f"no change in {', '.join(same)}"


def show(name: str, parent: str, study: str, level: str, space: str) -> None:
    """Print how a snapshot differs from its parent, or from the one named."""
    old, new = pair(name, study, parent)
    before = assembly(old, level, ROOT)
    after = assembly(new, level, ROOT)
    colour = coloured()
    width = max(columns(), 40)
    label = new.name
    if new.study != old.study:
        label = f"{new.study}/{new.name}"
    head = f"{old.study}/{old.name} -> {label}: {new.idea}"
    reasons = why.beside(old, new, level, width)
    key = KEY_WITH_SPACE if space else KEY
    blocks = [head, reasons, textwrap.fill(key, width)]
    counts_space = bool(space)
    in_sources = compared(sources(old), sources(new), "", counts_space, colour)
    blocks.extend(in_sources)
    compiler = machine.read_flags().partition("\n")[0]
    blocks.append(f"the assembly is {compiler}'s:")
    in_assembly = compared(before, after, f" -{level}", counts_space, colour)
    blocks.extend(in_assembly)
    print("\n\n".join(blocks))


# --- sizes ----------------------------------------------------------------------------------------

LARGE = " !"  # behind a size above the limit
FREE = " *"  # behind one that may be above it
NOTE = f"""lines inserted and deleted, without blank and comment lines; the limit is {LIMIT} in
all, but for new representations, algorithms and orders (*)"""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
TEMPLATE = Path(__file__).with_name("new_iteration.md")
STEP_TEMPLATE = Path(__file__).with_name("new_step.toml")


def common_length(a: list[str], b: list[str]) -> int:
    """Return the length of the longest common subsequence: exact, where diff programs use
    heuristics."""
    row = [0] * (len(b) + 1)
    for x in a:
        corner = 0
        for j, y in enumerate(b, start=1):
            above = row[j]
            row[j] = corner + 1 if x == y else max(above, row[j - 1])
            corner = above
    return row[-1]


def change(old: list[str], new: list[str]) -> tuple[int, int]:
    """Return the lines inserted and deleted between two sources, blank and
    comment lines apart."""
    before = code_lines(old)
    after = code_lines(new)
    common = common_length(before, after)
    return len(after) - common, len(before) - common


def row_of(snapshot: Snapshot, root: Path = ROOT) -> list[str]:
    """Return a line of the table; a size above the limit is followed by
    LARGE.  Raises Failure when a file cannot be read."""
    parent = parent_of(snapshot, root)
    if parent is None:
        return [snapshot.name, NONE, *[NONE] * len(SOURCES), NONE]
    cells = []
    size = 0
    for name in SOURCES:
        old = source_lines(parent.path / name)
        new = source_lines(snapshot.path / name)
        inserted, deleted = change(old, new)
        size += inserted + deleted
        cells.append(f"+{inserted} -{deleted}" if inserted or deleted else NONE)
    mark = LARGE if size > LIMIT else ""
    if snapshot.exempt:
        mark = FREE
    called = (snapshot.parent or NONE).removeprefix(f"{LADDER}/")
    return [snapshot.name, called, *cells, f"{size}{mark}"]


def sizes(study: str, width: int, root: Path = ROOT) -> str:
    """Return the table of a study, its notes broken so that no line is wider.  Raises Failure."""
    rows = []
    large = []
    for snapshot in ladder.snapshots(study, root):
        row = row_of(snapshot, root)
        rows.append(row)
        if row[-1].endswith(LARGE):
            large.append(snapshot.name)
    if not rows:
        every = " ".join([LADDER, *ladder.studies(root)])
        raise Failure(f"no snapshots in {study}; there are: {every}")
    head = ["rung", "parent", *SOURCES, "lines"]
    every_column = range(len(head))
    table = aligned([head, *rows], every_column)
    blocks = ["\n".join(table), textwrap.fill(NOTE, width)]
    if large:
        names = " ".join(large)
        warning = f"! too long to read as one idea: {names}"
        blocks.append(textwrap.fill(warning, width))
    return "\n\n".join(blocks)


# --- a new step -----------------------------------------------------------------------------------


def new_iteration(
    parent: str, name: str, study: str = LADDER, root: Path = ROOT
) -> Path:
    """Copy a snapshot's folder under a new name and empty its README.md and its step.toml.

    `parent` is a name, or `STUDY/NAME` of a snapshot elsewhere.  Return the new folder.  Raises
    Failure when the parent is missing, or the name is taken, a target of make or a folder beside
    it, or not made of lower-case letters, digits, '_' and '-'.
    """
    if not NAME.fullmatch(name):
        raise Failure(
            f"'{name}' is not a name: lower-case letters, digits, '_' and '-' only"
        )
    if is_taken(name, root):
        raise Failure(
            f"'{name}' is a target of make or a folder here; choose another name"
        )
    old = copied(parent, study, root)
    home = ladder.study_path(study, root)
    new = home / name
    if new.exists():
        raise Failure(f"{new.relative_to(root)} exists already; say another NAME")
    width = ladder.front_matter(old.path / "README.md", root).get("width", "")
    if old.study != study:
        width = str(old.width)  # of its study, maybe
    facts = {
        "name": name,
        "parent": old.name if old.study == study else f"{old.study}/{old.name}",
        "width": f"width: {width}\n" if width else "",
    }
    readme = filled(TEMPLATE, facts)
    shutil.copytree(old.path, new, copy_function=shutil.copy)  # dated now, for make
    (new / "README.md").write_text(readme, encoding="utf-8")
    shutil.copy(STEP_TEMPLATE, new / step_file.FILE)
    header = new / "nat.h"
    upwards = "../" * len(new.relative_to(root).parts)
    text = header.read_text(encoding="utf-8")
    text = re.sub(r'"(\.\./)+harness/', f'"{upwards}harness/', text)
    header.write_text(text, encoding="utf-8")
    return new


def copied(name: str, study: str, root: Path) -> Snapshot:
    """Return the snapshot that a new one of a study begins as: of the study, or of the ladder where
    the study has none of that name, or of the study that stands in front, `iterations/v8`.  Raises
    Failure."""
    elsewhere, _, last = name.removeprefix("studies/").rpartition("/")
    if elsewhere:
        return find(last, elsewhere, root)
    home = ladder.study_path(study, root)
    in_ladder = ladder.study_path(LADDER, root) / name
    if home.is_dir() and not (home / name).is_dir() and in_ladder.is_dir():
        return find(name, LADDER, root)
    return find(name, study, root)


def is_taken(name: str, root: Path) -> bool:
    """Return whether a name is that of a target of make, or of a folder in the root."""
    if name == "build" or (root / name).exists():
        return True
    for path in (
        *root.glob("Makefile"),
        *root.glob("mk/*.mk"),
        *root.glob("studies/*/*.mk"),
    ):
        if re.search(rf"^{name}:", path.read_text(), re.MULTILINE):
            return True
    return False
