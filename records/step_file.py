"""What step.toml, beside a README.md, says of a step: what was predicted, what is claimed, where
it is best seen.

A snapshot of which nothing is said needs no such file.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from records.faults import Failure
from records.settings import LEVELS
from records.typed import Kind, check, like, shown, text_of

FILE = "step.toml"
LEVEL = f"(?:{'|'.join(LEVELS)})"
# `O1 shr mmm_1 c for (i ... y = halve`: level, function of the parent, of the child where it is another
# one, view, lines of the child's source: from the one with a text to the next one with another.
LINES = r"\S.* \.\.\. .*\S"
LOOK = rf"({LEVEL}) (\w+)(?: (?!(?:c|asm)\b)(\w+))?(?: (?:(asm)|c(?: ({LINES}))?))?"

# A guess; an estimate, computed from the parent's counts before the code was written; a count of the
# finished code.
KINDS = ("guess", "estimate", "count")
# A factor beyond these is a slip of the pen.
LOWEST = 0.001
HIGHEST = 1000
# Why a prediction missed.
CAUSES = (
    "wrong share",
    "the compiler had done it",
    "a cost left out",
    "another unit",
    "a part forgotten",
)


# What a snapshot is in the report's answers; one snapshot has each role.
WORDS_IN_C = "first word-serial rung"
BITS_BY_HAND = "bit-serial assembly"
ROLES = (WORDS_IN_C, BITS_BY_HAND)


def list_like(expected: str, pattern: str) -> Kind:
    """Return the kind of lists of texts of a form."""
    item = like(expected, pattern)

    def fits(value: Any) -> bool:
        return isinstance(value, list) and all(map(item.fits, value))

    return Kind(expected, fits)


def is_range(value: Any) -> bool:
    """Return whether a value is two factors, the lower one first."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    if not all(type(end) in (int, float) for end in value):
        return False
    low, high = value
    return bool(LOWEST <= low <= high <= HIGHEST)


KEYS = {
    "predicts": Kind(
        f"two factors from {LOWEST} to {HIGHEST}, the lower one first, such as [1.8, 2.2]",
        is_range,
    ),
    "kind": Kind(f"one of {', '.join(KINDS)}", KINDS.__contains__),
    "cause": Kind(f"one of {', '.join(CAUSES)}", CAUSES.__contains__),
    "disclosed": list_like(
        f'a list of levels, of {" ".join(LEVELS)}, such as ["{LEVELS[0]}"]', LEVEL
    ),
    "written": like('a commit, such as "3172b67"', "[0-9a-f]{7,40}"),
    "exempt": like(
        '"new representation", "new algorithm" or "new order"',
        "new (representation|algorithm|order)",
    ),
    "look": like(
        f'a level, of {" ".join(LEVELS)}, and a function, such as "{LEVELS[0]} shr"',
        LOOK,
    ),
    "shows": list_like(
        'a list of functions, such as ["nat.h: add"]', r"[\w.]+(: \w+)?"
    ),
    "beside": list_like(
        'a list of snapshots, such as ["alone/limb-only"]', r"[\w-]+/[\w-]+"
    ),
    "role": Kind(f"one of {', '.join(ROLES)}", ROLES.__contains__),
    "constant-time": Kind("true or false", lambda value: isinstance(value, bool)),
    "verdict": like('a text such as "O1 helps"; it is generated', ".*"),
    "claims": list_like(
        "a list of texts such as '[1] O3: saved(add) > 0'", r"\[\d+\] .+"
    ),
}
# Keys with a value for each level, such as predicts.O3.
BY_LEVEL = ("predicts", "cause")
MEASURED = Kind(
    f"a level that records/levels.csv calls measured, {' '.join(LEVELS)}",
    LEVELS.__contains__,
)


def read(folder: Path, root: Path) -> Mapping[str, Any]:
    """Return the values of a folder's step.toml by their keys; nothing where there is none.

    Raises Failure, naming the file and the key, for what is not as KEYS says.
    """
    path = folder / FILE
    label = path.relative_to(root).as_posix()
    if not path.exists():
        return {}
    try:
        values = tomllib.loads(text_of(path, label))
    except (ValueError, RecursionError) as fault:
        raise Failure(f"{label}: cannot be read as TOML ({fault})") from None
    for name, value in values.items():
        if name not in KEYS:
            raise Failure(
                f"{label}: there is no key '{name}'; there are: {', '.join(KEYS)}"
            )
        place = f"{label}: {name}"
        if name in BY_LEVEL:
            check_levels(place, value, KEYS[name])
        else:
            check(place, value, KEYS[name])
    return values


def check_levels(place: str, value: Any, kind: Kind) -> None:
    """Raise Failure unless a value is a table of levels, each with a value of this kind."""
    if not isinstance(value, dict):
        raise Failure(f"{place}: expected a value for each level; found {shown(value)}")
    for level, one in value.items():
        check(place, level, MEASURED)
        check(f"{place}.{level}", one, kind)


class Look(NamedTuple):
    """Where a step is best seen: the level; the function in the parent and in the child; the
    view, `c` or `asm`; the texts of the child's first and last line in C
    (`for (i ... y = halve`), "" for the whole function."""

    level: str
    before: str
    after: str
    view: str
    lines: str


def parse(text: str) -> Look | None:
    """Return where `look` says that the step is best seen; None where it names none."""
    match = re.fullmatch(LOOK, text)
    if not match:
        return None
    level, before, after, asm, lines = (part or "" for part in match.groups())
    return Look(level, before, after or before, asm or "c", lines)
