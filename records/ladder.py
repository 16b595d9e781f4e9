"""The snapshots of the ladder and of the studies: discovered folders and their front matter."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from records.faults import Failure
from records.settings import LEVEL_TABLE

ROOT = Path(__file__).resolve().parent.parent
LADDER = "iterations"
SOURCES = ("nat.h", "rsa.c", "mont.S")  # of a snapshot, those that it has
EVERY_LEVEL = tuple(row.level for row in LEVEL_TABLE)  # that the compilers have
LEVELS = tuple(row.level for row in LEVEL_TABLE if row.measured == "yes")  # of the reference
KEYS_OF_A_STEP = "idea parent source exempt predicts disclosed claims look constant-time verdict"
KEYS = (*KEYS_OF_A_STEP.split(), "written", "beside", "width", "gprof")
DEFAULT_WIDTH = 128
LEVEL = f"(?:{'|'.join(LEVELS)})"
RANGE = rf"({LEVEL}) (\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)"
# `O1 shr mmm_1 c 30-44`: level, function of the parent, of the child where it is another one, view,
# lines of the child's source.
PLACE = rf"({LEVEL}) (\w+)(?: (?!(?:c|asm)\b)(\w+))?(?: (?:(asm)|c(?: (\d+-\d+))?))?"
FORMS = {  # key -> the form of its value, and an example
    "width": ("|[1-9][0-9]{1,5}", "128"),
    "exempt": ("|new (representation|algorithm)", "new algorithm"),
    "predicts": (rf"|{RANGE}(, *{RANGE})*", "O3 1.8..2.2"),
    "disclosed": (f"|{LEVEL}( {LEVEL})*", "O0 O1"),
    "look": (f"|{PLACE}", "O1 shr"),
    "written": ("|[0-9a-f]{7,40}", "3172b67"),
    "constant-time": ("|yes", "yes"),
}


class Look(NamedTuple):
    """A place: the level; the function in the parent and in the child; the
    view, `c` or `asm`; the child's lines in C (`30-44`), "" for the whole
    function."""

    level: str
    before: str
    after: str
    view: str
    lines: str


def parse(text: str) -> Look | None:
    """The place that a front matter names; None where it names none."""
    if not (place := re.fullmatch(PLACE, text)):
        return None
    level, before, after, asm, lines = (part or "" for part in place.groups())
    return Look(level, before, after or before, asm or "c", lines)


@dataclass(frozen=True)
class Snapshot:
    """One snapshot: a folder with rsa.c in it, and what its README.md says
    of it.

    `study` is `iterations` or the folder's name under studies/; `parent` is
    a name in the same study, or `study/name` in another one; `width` is in
    bits.  `predicts` maps a level to the range in which parent / this was
    expected, in instructions; `disclosed` are the levels whose result was
    known when the range was written, and `written` the commit of a
    prediction in words from which the range was made later.  `claims` are
    expressions over the results, see rsalab/steps/claims.py; `look` says
    where the step is best seen; `beside` names the snapshots whose product
    is shown between the parent's and this one's. `constant_time` says that
    no trace depends on an operand, see verification/traces.py. Texts may be
    empty.
    """

    study: str
    name: str
    path: Path
    idea: str
    parent: str | None
    source: str
    width: int
    verdict: str
    predicts: Mapping[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    disclosed: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    look: str = ""
    written: str = ""
    beside: tuple[str, ...] = ()
    constant_time: bool = False

    @property
    def label(self) -> str:
        """`v2`, and in a study `alone/limb-only`."""
        return self.name if self.study == LADDER else f"{self.study}/{self.name}"

    @property
    def parent_place(self) -> tuple[str, str]:
        """The parent's study and name; the name is "" where the ladder starts."""
        study, _, name = (self.parent or "").rpartition("/")
        return study or self.study, name

    @property
    def parent_name(self) -> str:
        """The parent without its study; "" where the ladder starts."""
        return self.parent_place[1]

    @property
    def has_assembly(self) -> bool:
        """Whether part of the snapshot is written in assembly by hand."""
        return (self.path / "mont.S").is_file()


def natural_key(name: str) -> tuple[list[object], str]:
    """Return a sorting key that takes runs of digits as numbers: v2 < v2neon < v3 < v10."""
    parts: list[object] = []
    for part in re.split(r"([0-9]+)", name):
        is_number = part.isascii() and part.isdecimal()
        parts.append(int(part) if is_number else part)
    return parts, name


def front_matter(path: Path, root: Path = ROOT, keys: tuple[str, ...] = KEYS) -> dict[str, str]:
    """The `key: value` lines between two `---` lines at the top of a file,
    ` # comments` dropped. A value may be a list: lines `  - item` below its
    key, joined here by line ends; YAML wants quotes around an item such as
    '[1] O0: ...'.

    Raises Failure when the file is missing or does not begin with lines of
    that form.
    """
    label = path.relative_to(root)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise Failure(f"{label}: cannot be read as UTF-8 text ({fault})") from None
    head = re.match(r"---[ \t]*\n(.*?)^---[ \t]*$", text, re.S | re.M)
    if not head:
        raise Failure(f"{label}:1: front matter expected between two lines '---'")
    values: dict[str, str] = {}
    last = ""
    for number, line in enumerate(head[1].splitlines(), start=2):
        line = re.sub(r"(^|\s)#.*", "", line).rstrip()
        item = re.fullmatch(r"  - '?(.*?)'?", line)
        key, colon, value = line.partition(":")
        if item and last:
            values[last] = f"{values[last]}\n{item[1]}".lstrip("\n")
        elif colon and key in keys and key not in values:
            values[key], last = value.strip(), key
        elif line:
            wanted = f"'key: value', once for each key of {', '.join(keys)}"
            raise Failure(f"{label}:{number}: expected {wanted}: {line[:80]!r}")
    return values


def levels() -> tuple[str, ...]:
    """The levels of this run: those of the variable LEVELS (`make v8
    LEVELS='O2 Os'`), or those of the reference.  Raises Failure for a level
    that gcc does not have."""
    asked = tuple(os.environ.get("LEVELS", "").split()) or LEVELS
    for level in asked:
        if level not in EVERY_LEVEL:
            raise Failure(f"LEVELS: no level '{level}'; there are: {' '.join(EVERY_LEVEL)}")
    return tuple(level for level in EVERY_LEVEL if level in asked)


def study_path(study: str, root: Path = ROOT) -> Path:
    """The folder of a study, `iterations` being the ladder itself."""
    return root / LADDER if study == LADDER else root / "studies" / study


def studies(root: Path = ROOT) -> list[str]:
    """The names of the studies under studies/ that have a snapshot, in natural order."""
    names = {path.parent.parent.name for path in (root / "studies").glob("*/*/rsa.c")}
    return sorted(names, key=natural_key)


def snapshots(study: str = LADDER, root: Path = ROOT) -> list[Snapshot]:
    """A study's snapshots in ladder order: parents before children, natural
    order otherwise.

    Raises Failure for faulty front matter, an unknown parent or a cycle of
    parents.
    """
    folder, width = study_path(study, root), ""
    readme = folder / "README.md"
    if readme.is_file() and readme.read_text(encoding="utf-8").startswith("---"):
        width = front_matter(readme, root).get("width", "")
    read = [_read(study, path.parent, width, root) for path in folder.glob("*/rsa.c")]
    left = sorted(read, key=lambda snapshot: natural_key(snapshot.name))
    order: list[Snapshot] = []
    while left:
        names = [snapshot.name for snapshot in left]
        ready = [snapshot for snapshot in left if snapshot.parent not in names]
        if not ready:
            label = (left[0].path / "README.md").relative_to(root)
            circle = f"the parents run in a circle ({', '.join(names)})"
            raise Failure(f"{label}: {circle}; give one of them another 'parent:'")
        order.append(ready[0])
        left.remove(ready[0])
    return order


def every(root: Path = ROOT) -> list[Snapshot]:
    """All snapshots: those of the ladder, then of each study, in order."""
    return [one for study in (LADDER, *studies(root)) for one in snapshots(study, root)]


def find(name: str, study: str = LADDER, root: Path = ROOT) -> Snapshot:
    """The snapshot of this name.  Raises Failure, listing the names, when there is none."""
    if not study_path(study, root).is_dir():
        names = " ".join([LADDER, *studies(root)])
        raise Failure(f"no study '{study}'; there are: {names}")
    known = {snapshot.name: snapshot for snapshot in snapshots(study, root)}
    if name not in known:
        names = " ".join(known) or "none"
        raise Failure(f"no snapshot '{name}' in {study}; there are: {names}")
    return known[name]


def parent_of(snapshot: Snapshot, root: Path = ROOT) -> Snapshot | None:
    """The snapshot that this one is compared with, or None where the ladder starts."""
    study, name = snapshot.parent_place
    return find(name, study, root) if name else None


def _read(study: str, path: Path, width: str, root: Path) -> Snapshot:
    readme = path / "README.md"
    text, label = dict.fromkeys(KEYS, "") | front_matter(readme, root), readme.relative_to(root)
    for key, (form, example) in FORMS.items():
        if not re.fullmatch(form, text[key]):
            raise Failure(f"{label}: {key}: '{text[key][:80]}' is not like '{example}'")
    above, _, name = text["parent"].rpartition("/")
    others = study_path(above or study, root)
    if text["parent"] and not (name and (others / name / "rsa.c").is_file()):
        there = " ".join(sorted(rsa.parent.name for rsa in others.glob("*/rsa.c")))
        raise Failure(f"{label}: parent '{text['parent']}' is not a snapshot; there are: {there}")
    ranges = re.findall(RANGE, text["predicts"])
    wide = int(text["width"] or width or DEFAULT_WIDTH)
    if wide % 32 or any(float(low) > float(high) for _, low, high in ranges):
        raise Failure(f"{label}: a width is a multiple of 32, a range from low to high")
    return Snapshot(
        study=study,
        name=path.name,
        path=path,
        idea=text["idea"],
        parent=text["parent"].removeprefix(f"{study}/") or None,
        source=text["source"],
        width=wide,
        verdict=text["verdict"],
        predicts={level: (float(low), float(high)) for level, low, high in ranges},
        disclosed=tuple(text["disclosed"].split()),
        claims=tuple(text["claims"].splitlines()),
        look=text["look"],
        written=text["written"],
        beside=tuple(text["beside"].replace(",", " ").split()),
        constant_time=bool(text["constant-time"]),
    )
