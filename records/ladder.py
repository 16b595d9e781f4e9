"""The snapshots of the ladder and of the studies: discovered folders and their front matter."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from records.faults import Failure

# `O1 shr mmm_1 c 30-44`: level, function of the parent, of the child where it is another one, view,
# lines of the child's source.
FORM = (
    r"(?P<level>O[013]) (?P<before>\w+)(?: (?!(?:c|asm)\b)(?P<after>\w+))?"
    r"(?: (?:(?P<asm>asm)|c(?: (?P<lines>\d+-\d+))?))?"
)


class Look(NamedTuple):
    """A place: the level; the function in the parent and in the child; the view, `c` or `asm`; the
    child's lines in C (`30-44`), "" for the whole function."""

    level: str
    before: str
    after: str
    view: str
    lines: str


def parse(text: str) -> Look | None:
    """The place that a front matter names; None where it names none."""
    found = re.fullmatch(FORM, text)
    if not found:
        return None
    part = found.groupdict(default="")
    return Look(
        part["level"],
        part["before"],
        part["after"] or part["before"],
        part["asm"] or "c",
        part["lines"],
    )


# --- ladder ---------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parent.parent
LADDER = "iterations"
LEVELS = ("O0", "O1", "O3")  # of the reference
EVERY_LEVEL = ("O0", "O1", "O2", "O3", "Os", "Og", "Oz", "Ofast")  # that gcc has
KEYS_OF_A_STEP = (
    "idea",
    "parent",
    "source",
    "exempt",
    "predicts",
    "disclosed",
    "claims",
    "look",
    "constant-time",
    "verdict",
)
KEYS = (*KEYS_OF_A_STEP, "written", "beside", "width")
DEFAULT_WIDTH = 128


@dataclass(frozen=True)
class Snapshot:
    """One snapshot: a folder with rsa.c in it, and what its README.md says of it.

    `study` is `iterations` or the folder's name under studies/; `parent` is a name in the same
    study, or `study/name` in another one; `width` is in bits.  `predicts` maps a level to the range
    in which parent / this was expected, in instructions; `disclosed` are the levels whose result
    was known when the range was written, and `written` the commit of a prediction in words from
    which the range was made later.  `claims` are expressions over the results, see
    rsalab/steps/claims.py; `look` says where the step is best seen; `beside` names the snapshots
    whose product is shown between the parent's and this one's.
    `constant_time` says that no trace depends on an operand, see verification/traces.py.
    Texts may be empty.
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
    def has_assembly(self) -> bool:
        """Whether part of the snapshot is written in assembly by hand."""
        return (self.path / "mont.S").is_file()


def natural_key(name: str) -> tuple[list[object], str]:
    """A sorting key that takes runs of digits as numbers: v2 < v2neon < v3 < v10."""
    parts: list[object] = list(re.split(r"([0-9]+)", name))
    parts[1::2] = [int(str(part)) for part in parts[1::2]]
    return parts, name


def front_matter(path: Path, root: Path = ROOT, keys: tuple[str, ...] = KEYS) -> dict[str, str]:
    """The `key: value` lines between two `---` lines at the top of a file, ` # comments` dropped.
    A value may be a list: lines `  - item` below its key, joined here by line ends; YAML
    wants quotes around an item such as '[1] O0: ...'.

    Raises Failure when the file is missing or does not begin with lines of that form.
    """
    label = path.relative_to(root)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Failure(f"{label}: missing") from None
    except (OSError, UnicodeDecodeError) as fault:
        raise Failure(f"{label}: cannot be read as UTF-8 text ({fault})") from None
    found = re.match(r"---[ \t]*\n(.*?)^---[ \t]*$", text, re.S | re.M)
    if not found:
        raise Failure(f"{label}:1: front matter expected between two lines '---'")
    values: dict[str, str] = {}
    for number, line in enumerate(found[1].splitlines(), start=2):
        line = re.sub(r"(^|\s)#.*", "", line).rstrip()
        if line.startswith("  - ") and values:  # one of a list, under its key
            key = next(reversed(values))
            item = line[4:].strip().removeprefix("'").removesuffix("'")  # quotes, as YAML needs
            values[key] = f"{values[key]}\n{item}".lstrip("\n")
            continue
        key, colon, value = line.partition(":")
        if line and (not colon or key not in keys or key in values):
            wanted = f"'key: value', once for each key of {', '.join(keys)}"
            raise Failure(f"{label}:{number}: expected {wanted}: {line[:80]!r}")
        if line:
            values[key] = value.strip()
    return values


def levels() -> tuple[str, ...]:
    """The levels of this run: those of the variable LEVELS (`make v8 LEVELS='O2 Os'`), or those of
    the reference.  Raises Failure for a level that gcc does not have."""
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
    """A study's snapshots in ladder order: parents before children, natural order otherwise.

    Raises Failure for faulty front matter, an unknown parent or a cycle of parents.
    """
    width = _study_width(study, root)
    folders = [path.parent for path in study_path(study, root).glob("*/rsa.c")]
    found = {path.name: _read(study, path, width, root) for path in folders}
    for snapshot in found.values():
        _check_parent(snapshot, root)
    return _in_order(found, root)


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
    if snapshot.parent is None:
        return None
    study, _, name = snapshot.parent.rpartition("/")
    return find(name, study or snapshot.study, root)


def _study_width(study: str, root: Path) -> int:
    """Bits, from the front matter of the study's own README.md where it has one."""
    readme = study_path(study, root) / "README.md"
    if not readme.is_file() or not readme.read_text(encoding="utf-8").startswith("---"):
        return DEFAULT_WIDTH
    return _width(front_matter(readme, root), DEFAULT_WIDTH, readme.relative_to(root))


def _width(values: dict[str, str], default: int, label: Path) -> int:
    text = values.get("width") or str(default)
    if not re.fullmatch(r"[1-9][0-9]{1,5}", text) or int(text) % 32:
        raise Failure(f"{label}: width must be a positive multiple of 32, not {text[:80]!r}")
    return int(text)


def _predicts(text: str, label: Path) -> dict[str, tuple[float, float]]:
    """Level -> (low, high) from `O0 0.9..1.1, O3 1.8..2.2`."""
    found = {}
    for part in filter(None, map(str.strip, text.split(","))):
        said = re.fullmatch(r"(O\w+) (\d+\.?\d*?)\.\.(\d+\.?\d*)", part)
        if not said or said[1] not in LEVELS or float(said[2]) > float(said[3]):
            raise Failure(f"{label}: predicts: '{part}' is not like 'O3 1.8..2.2'")
        found[said[1]] = float(said[2]), float(said[3])
    return found


def _like(values: Mapping[str, str], key: str, form: str, example: str, label: Path) -> str:
    """A value that has a form, or "".  Raises Failure."""
    text = values.get(key, "")
    if text and not re.fullmatch(form, text):
        raise Failure(f"{label}: {key}: '{text}' is not like '{example}'")
    return text


def _read(study: str, path: Path, width: int, root: Path) -> Snapshot:
    label = (path / "README.md").relative_to(root)
    values = front_matter(path / "README.md", root)
    if "idea" not in values:
        raise Failure(f"{label}: front matter without 'idea'")
    parent = values.get("parent", "").removeprefix(f"{study}/") or None
    level = f"({'|'.join(LEVELS)})"
    texts = {key: values.get(key, "") for key in ("idea", "source", "verdict")}
    return Snapshot(
        study=study,
        name=path.name,
        path=path,
        parent=parent,
        width=_width(values, width, label),
        predicts=_predicts(values.get("predicts", ""), label),
        disclosed=tuple(_like(values, "disclosed", f"{level}( {level})*", "O0 O1", label).split()),
        look=_like(values, "look", FORM, "O1 shr", label),
        written=_like(values, "written", "[0-9a-f]{7,40}", "3172b67", label),
        beside=tuple(filter(None, re.split(r",\s*", values.get("beside", "")))),
        claims=tuple(filter(None, values.get("claims", "").split("\n"))),
        constant_time=_like(values, "constant-time", "yes", "yes", label) == "yes",
        **texts,
    )


def _check_parent(snapshot: Snapshot, root: Path) -> None:
    """Raises Failure unless the parent is the folder of another snapshot."""
    if snapshot.parent is None:
        return
    study, _, name = snapshot.parent.rpartition("/")
    if not name or not (study_path(study or snapshot.study, root) / name / "rsa.c").is_file():
        label = (snapshot.path / "README.md").relative_to(root)
        there = [path.parent.name for path in study_path(snapshot.study, root).glob("*/rsa.c")]
        names = " ".join(sorted(there, key=natural_key))
        raise Failure(f"{label}: parent '{snapshot.parent}' is not a snapshot; there are: {names}")


def _in_order(found: dict[str, Snapshot], root: Path) -> list[Snapshot]:
    """Parents first; of those whose parent has its place, the first in natural order."""
    # A parent may be in another study, which is in no order here.
    above = {name: {found[name].parent or ""} & found.keys() for name in found}
    sorter = TopologicalSorter(above)
    try:
        sorter.prepare()
    except CycleError as fault:
        stuck = sorted(set(fault.args[1]), key=natural_key)
        label = (found[stuck[0]].path / "README.md").relative_to(root)
        circle = f"the parents run in a circle ({', '.join(stuck)})"
        raise Failure(f"{label}: {circle}; give one of them another 'parent:'") from None
    ready: list[str] = []
    order: list[Snapshot] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()], key=natural_key)
        order.append(found[ready.pop(0)])
        sorter.done(order[-1].name)
    return order
