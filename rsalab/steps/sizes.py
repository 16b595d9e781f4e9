"""How large each step is, and how a new one starts: `make steps` and `make new-iteration`."""

import re
import shutil
import tempfile
import textwrap
from pathlib import Path
from string import Template

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, ROOT, Snapshot, find, front_matter, parent_of, study_path
from records.tables import NONE, aligned
from rsalab.steps.diff import SOURCES, source_lines

LIMIT = 40  # lines inserted and deleted, together, that a reader still follows as one diff
EXEMPT = ("new representation", "new algorithm")  # front matter, `exempt:`: of any size
LARGE, FREE = " !", " *"  # behind a size above the limit, and behind an exempt one
NOTE = f"""lines inserted and deleted, without blank and comment lines; the limit is {LIMIT} in
all, but for {EXEMPT[0]}s and {EXEMPT[1]}s (*)"""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
TEMPLATE = Path(__file__).with_name("new_iteration.md")

# A comment of C or assembly, or a literal that could look like one.
COMMENT_OR_LITERAL = re.compile(
    r"""/\*.*?\*/|//[^\n]*|@[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL
)


def code_lines(lines: list[str]) -> list[str]:
    """The lines of C or assembly that hold more than white space and comments, as they stand."""

    def blank(match: re.Match[str]) -> str:
        text = match.group()
        return re.sub(r"[^\n]", "", text) if text[0] in "/@" else text

    bare = COMMENT_OR_LITERAL.sub(blank, "\n".join(lines)).split("\n")
    return [line.rstrip() for line, code in zip(lines, bare) if code.strip()]


def common_length(a: list[str], b: list[str]) -> int:
    """The length of the longest common subsequence: exact, where diff programs use heuristics."""
    row = [0] * (len(b) + 1)
    for x in a:
        corner = 0
        for j, y in enumerate(b, start=1):
            above = row[j]
            row[j] = corner + 1 if x == y else max(above, row[j - 1])
            corner = above
    return row[-1]


def change(old: list[str], new: list[str]) -> tuple[int, int]:
    """Lines inserted and deleted between two sources, blank and comment lines apart."""
    a, b = code_lines(old), code_lines(new)
    common = common_length(a, b)
    return len(b) - common, len(a) - common


def row_of(snapshot: Snapshot, root: Path = ROOT) -> list[str]:
    """A line of the table; a size above the limit is followed by LARGE.  Raises Failure when a file
    cannot be read or the front matter's `exempt` is none of EXEMPT."""
    parent, readme = parent_of(snapshot, root), snapshot.path / "README.md"
    exempt = front_matter(readme, root).get("exempt", "")
    if exempt and exempt not in EXEMPT:
        known = " or ".join(f"'{reason}'" for reason in EXEMPT)
        raise Failure(f"{readme.relative_to(root)}: exempt: expected {known}, not '{exempt}'")
    cells = [NONE] * (len(SOURCES) + 1)
    if parent:
        pairs = [[source_lines(one.path / name) for one in (parent, snapshot)] for name in SOURCES]
        changes = [change(*pair) for pair in pairs]
        size = sum(map(sum, changes))
        cells = ["+{} -{}".format(*both) if any(both) else NONE for both in changes]
        cells.append(f"{size}{FREE if exempt else LARGE * (size > LIMIT)}")
    return [snapshot.name, (snapshot.parent or NONE).removeprefix(f"{LADDER}/"), *cells]


def text(study: str, width: int, root: Path = ROOT) -> str:
    """The table of a study, its notes broken so that no line is wider.  Raises Failure."""
    rows = [row_of(snapshot, root) for snapshot in ladder.snapshots(study, root)]
    if not rows:
        known = " ".join([LADDER, *ladder.studies(root)])
        raise Failure(f"no snapshots in {study}; there are: {known}")
    large = [row[0] for row in rows if row[-1].endswith(LARGE)]
    notes = [NOTE] + [f"! too long to read as one idea: {' '.join(large)}"] * bool(large)
    table = aligned([["rung", "parent", *SOURCES, "lines"], *rows], range(len(rows[0])))
    return "\n\n".join(["\n".join(table), *(textwrap.fill(note, width) for note in notes)])


def new_iteration(parent: str, name: str, study: str = LADDER, root: Path = ROOT) -> Path:
    """Copies a snapshot's folder under a new name and empties its README.md.

    Returns the new folder.  Raises Failure when the parent is missing, or the name is taken,
    a target of make or a folder beside it, or not made of lower-case letters, digits, '_' and '-'.
    """
    if not NAME.fullmatch(name):
        raise Failure(f"'{name}' is not a name: lower-case letters, digits, '_' and '-' only")
    rules = "".join(path.read_text() for path in (*root.glob("Makefile"), *root.glob("mk/*.mk")))
    folders = ("build", *(path.name for path in root.iterdir()))
    if name in folders or re.search(rf"^{name}:", rules, re.MULTILINE):
        raise Failure(f"'{name}' is a target of make or a folder here; choose another name")
    old = find(parent, study, root)
    new = study_path(study, root) / name
    if new.exists():
        raise Failure(f"{new.relative_to(root)} exists already; say another NAME")
    width = front_matter(old.path / "README.md", root).get("width", "")
    # The folder appears under its name only when it is whole.
    with tempfile.TemporaryDirectory(prefix=".new-", dir=new.parent) as scratch:
        copy = Path(scratch) / name
        shutil.copytree(old.path, copy, copy_function=shutil.copy)  # dated now, for make
        words = {"name": name, "parent": parent, "width": f"width: {width}\n" * bool(width)}
        readme = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(words)
        (copy / "README.md").write_text(readme, encoding="utf-8")
        copy.rename(new)
    return new
