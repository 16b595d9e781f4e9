"""The snapshots of the ladder and of the studies: discovered folders, their front matter and their
step.toml."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from records import settings, step_file, typed
from records.c_functions import definition
from records.faults import Failure

ROOT = typed.ROOT
LADDER = "iterations"
SOURCES = ("nat.h", "rsa.c", "mont.S")  # of a snapshot, those that it has
EVERY_LEVEL = settings.EVERY_LEVEL
LEVELS = settings.LEVELS
# The keys of the front matter of a snapshot's README.md.
KEYS = ("idea", "parent", "source", "width", "gprof")
# The keys of an exercise's front matter.
LAB_KEYS = ("title", "starts-from", "leads-to", "best", "width", "variants", "may-vary")
DEFAULT_WIDTH = 128
WIDTH = "[1-9][0-9]{1,5}"  # in bits


@dataclass(frozen=True)
class Snapshot:
    """One snapshot: a folder with rsa.c in it, and what its README.md and
    its step.toml say of it.

    `study` is `iterations` or the folder's name under studies/; `parent` is
    a name in the same study, or `study/name` in another one; `width` is in
    bits.  `predicts` maps a level to the range in which parent / this was
    expected, in instructions; `disclosed` are the levels whose result was
    known when the range was written, and `written` the commit of a
    prediction in words from which the range was made later; `kind` is one of
    step_file.KINDS, and `causes` say by level why a prediction missed.  `exempt` says
    why the step may change more than diff.LIMIT lines.  `claims` are
    expressions over the results, see rsalab/steps/claims.py; `look` says
    where the step is best seen, and `shows` which functions of its diff
    stand in the open; `beside` names the snapshots whose product
    is shown between the parent's and this one's. `constant_time` says that
    no trace depends on an operand, see verification/traces.py. `role` is one
    of step_file.ROLES. Texts may be empty.
    """

    study: str
    name: str
    path: Path
    idea: str
    parent: str | None
    source: str
    width: int
    verdict: str = ""
    exempt: str = ""
    predicts: Mapping[str, tuple[float, float]] = field(
        default_factory=dict, hash=False
    )
    disclosed: tuple[str, ...] = ()
    kind: str = ""
    causes: Mapping[str, str] = field(default_factory=dict, hash=False)
    claims: tuple[str, ...] = ()
    look: str = ""
    shows: tuple[str, ...] = ()
    written: str = ""
    beside: tuple[str, ...] = ()
    constant_time: bool = False
    role: str = ""

    @property
    def label(self) -> str:
        """Return `v2`, and in a study `alone/limb-only`."""
        return self.name if self.study == LADDER else f"{self.study}/{self.name}"

    @property
    def parent_key(self) -> tuple[str, str]:
        """Return the parent's study and name; the name is "" where the ladder starts."""
        study, _, name = (self.parent or "").rpartition("/")
        return study or self.study, name

    @property
    def parent_name(self) -> str:
        """Return the parent's name without its study; "" where the ladder starts."""
        return self.parent_key[1]

    @property
    def page_names(self) -> tuple[str, str]:
        """Return what the snapshot's page calls the parent and the snapshot: two names, with their
        studies where the parent is in a study of its own."""
        parent = name_beside(self.study, *self.parent_key)
        return parent, self.label if "/" in parent else self.name

    @property
    def quotient(self) -> str:
        """Return what the snapshot's page calls the parent's count divided by its own: `v4/this`,
        and `parent/this` where the parent's name has a slash itself."""
        parent, _ = self.page_names
        return "parent/this" if "/" in parent else f"{parent}/this"

    @property
    def has_assembly(self) -> bool:
        """Return whether part of the snapshot is written in assembly by hand."""
        return (self.path / "mont.S").is_file()


def name_beside(study: str, other_study: str, name: str) -> str:
    """Return what the pages of a study call a snapshot of another study: with that study, unless it
    is the ladder or the same."""
    return name if other_study in (study, LADDER) else f"{other_study}/{name}"


def natural_key(name: str) -> tuple[list[object], str]:
    """Return a sorting key that takes runs of digits as numbers: v2 < v2neon < v3 < v10."""
    parts: list[object] = []
    for part in re.split(r"([0-9]+)", name):
        is_number = part.isascii() and part.isdecimal()
        parts.append(int(part) if is_number else part)
    return parts, name


def front_matter(
    path: Path, root: Path = ROOT, keys: tuple[str, ...] = KEYS
) -> dict[str, str]:
    """Return the values of the `key: value` lines between two `---` lines at the
    top of a file, by their keys, ` # comments` dropped.

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
    for number, line in enumerate(head[1].splitlines(), start=2):
        line = re.sub(r"(^|\s)#.*", "", line).rstrip()
        key, colon, value = line.partition(":")
        if colon and key in keys and key not in values:
            values[key] = value.strip()
        elif colon and key in step_file.KEYS:
            raise Failure(
                f"{label}:{number}: '{key}' belongs to {step_file.FILE} beside it"
            )
        elif line:
            wanted = f"'key: value', once for each key of {', '.join(keys)}"
            raise Failure(f"{label}:{number}: expected {wanted}: {line[:80]!r}")
    return values


def levels() -> tuple[str, ...]:
    """Return the levels of this run: those of the variable LEVELS (`make v8
    LEVELS='O2 Os'`), or those of the reference.  Raises Failure for a level
    that gcc does not have."""
    wanted = tuple(os.environ.get("LEVELS", "").split()) or LEVELS
    for level in wanted:
        if level not in EVERY_LEVEL:
            raise Failure(
                f"LEVELS: no level '{level}'; there are: {' '.join(EVERY_LEVEL)}"
            )
    return tuple(level for level in EVERY_LEVEL if level in wanted)


def study_path(study: str, root: Path = ROOT) -> Path:
    """Return the folder of a study, `iterations` being the ladder itself."""
    return root / LADDER if study == LADDER else root / "studies" / study


def studies(root: Path = ROOT) -> list[str]:
    """Return the names of the studies under studies/ that have a snapshot, in natural order."""
    names = {path.parent.parent.name for path in (root / "studies").glob("*/*/rsa.c")}
    return sorted(names, key=natural_key)


def snapshots(study: str = LADDER, root: Path = ROOT) -> list[Snapshot]:
    """Return a study's snapshots in ladder order: parents before children, natural
    order otherwise.

    Raises Failure for faulty front matter, an unknown parent or a cycle of
    parents.
    """
    folder = study_path(study, root)
    width = ""
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
    """Return all snapshots: those of the ladder, then of each study, in order."""
    found = snapshots(LADDER, root)
    for study in studies(root):
        found += snapshots(study, root)
    return found


def find(name: str, study: str = LADDER, root: Path = ROOT) -> Snapshot:
    """Return the snapshot of this name.  Raises Failure, which lists the names,
    where there is none."""
    if not study_path(study, root).is_dir():
        names = " ".join([LADDER, *studies(root)])
        raise Failure(f"no study '{study}'; there are: {names}")
    by_name = {snapshot.name: snapshot for snapshot in snapshots(study, root)}
    if name not in by_name:
        names = " ".join(by_name) or "none"
        raise Failure(f"no snapshot '{name}' in {study}; there are: {names}")
    return by_name[name]


def parent_of(snapshot: Snapshot, root: Path = ROOT) -> Snapshot | None:
    """Return the snapshot that this one is compared with, or None where the
    ladder starts."""
    study, name = snapshot.parent_key
    return find(name, study, root) if name else None


def _read(study: str, path: Path, width_of_study: str, root: Path) -> Snapshot:
    readme = path / "README.md"
    label = readme.relative_to(root)
    front = dict.fromkeys(KEYS, "") | front_matter(readme, root)
    width = front["width"] or width_of_study or str(DEFAULT_WIDTH)
    if not re.fullmatch(WIDTH, width) or int(width) % 32:
        raise Failure(
            f"{label}: width: '{width[:80]}' is no multiple of 32, such as 128"
        )
    parent = front["parent"]
    above, _, name = parent.rpartition("/")
    others = study_path(above or study, root)
    if parent and not (name and (others / name / "rsa.c").is_file()):
        names = " ".join(sorted(rsa.parent.name for rsa in others.glob("*/rsa.c")))
        raise Failure(
            f"{label}: parent '{parent}' is not a snapshot; there are: {names}"
        )
    step = step_file.read(path, root)
    look = step_file.parse(step.get("look", ""))
    if look:
        label = (path / step_file.FILE).relative_to(root)
        lines_of(look, path, str(label))
    ranges = step.get("predicts", {})
    return Snapshot(
        study=study,
        name=path.name,
        path=path,
        idea=front["idea"],
        parent=parent.removeprefix(f"{study}/") or None,
        source=front["source"],
        width=int(width),
        verdict=step.get("verdict", ""),
        exempt=step.get("exempt", ""),
        predicts={
            level: (float(low), float(high)) for level, (low, high) in ranges.items()
        },
        disclosed=tuple(step.get("disclosed", ())),
        kind=step.get("kind", ""),
        causes=step.get("cause", {}),
        claims=tuple(step.get("claims", ())),
        look=step.get("look", ""),
        shows=tuple(step.get("shows", ())),
        written=step.get("written", ""),
        beside=tuple(step.get("beside", ())),
        constant_time=step.get("constant-time", False),
        role=step.get("role", ""),
    )


def with_role(role: str, root: Path = ROOT) -> Snapshot | None:
    """Return the snapshot whose step.toml says that it has a role; None where there is none."""
    return next((one for one in every(root) if one.role == role), None)


def looked_at(snapshot: Snapshot) -> step_file.Look | None:
    """Return where a step is best seen; None where its step.toml names no place.  Raises Failure for
    a function that the snapshot does not define."""
    look = step_file.parse(snapshot.look)
    if look and not _defined(snapshot.path, look.after):
        raise Failure(
            f"{snapshot.label}: look in {step_file.FILE}: expected a function that it defines;"
            f" found '{look.after}'"
        )
    return look


def _defined(folder: Path, function: str) -> tuple[str, str, int] | None:
    """Return the file of a snapshot that defines a function, its text, and where in it the function
    begins; a routine in assembly begins with the macros above it."""
    for name in SOURCES:
        path = folder / name
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        in_c = definition(text, function)
        if in_c or re.search(rf"(?m)^{function}:", text):
            return name, text, text.index(in_c)
    return None


def lines_of(look: step_file.Look, folder: Path, label: str) -> str:
    """Return the numbers of the lines that `look` names by their texts, `36-42`; "" for none.
    Raises Failure where the file that defines the function has none of a text."""
    found = _defined(folder, look.after)
    if not found or not look.lines:
        return ""
    name, text, start = found
    lines = [" ".join(line.split()) for line in text.splitlines()]
    last = text.count("\n", 0, start)
    numbers = []
    for wanted in look.lines.split(" ... "):
        having = [
            number for number in range(last, len(lines)) if wanted in lines[number]
        ]
        if not having:
            raise Failure(
                f"{label}: look: expected a line with '{wanted}' in {name}, after the one before it;"
                " found none"
            )
        last = having[0]
        numbers.append(str(last + 1))
    return "-".join(numbers)
