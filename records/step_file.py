"""What step.toml, beside a README.md, says of a step: what was predicted, what is claimed, where
it is best seen.

A snapshot of which nothing is said needs no such file.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from records.faults import Failure
from records.settings import LEVELS

FILE = "step.toml"
LEVEL = f"(?:{'|'.join(LEVELS)})"
# `O1 shr mmm_1 c 30-44`: level, function of the parent, of the child where it is another one, view,
# lines of the child's source.
LOOK = rf"({LEVEL}) (\w+)(?: (?!(?:c|asm)\b)(\w+))?(?: (?:(asm)|c(?: (\d+-\d+))?))?"

# A guess; an estimate, computed from the parent's counts before the code was written; a count of the
# finished code.
KINDS = ("guess", "estimate", "count")
# Why a prediction missed.
CAUSES = (
    "wrong share",
    "the compiler had done it",
    "a cost left out",
    "another unit",
    "a part forgotten",
)


class Key(NamedTuple):
    """A key of step.toml: what is expected of its value, in words, and whether a value is that."""

    expected: str
    fits: Callable[[Any], bool]


def text_like(pattern: str) -> Callable[[Any], bool]:
    """Return what says whether a value is a text of this form."""

    def fits(value: Any) -> bool:
        return isinstance(value, str) and re.fullmatch(pattern, value) is not None

    return fits


def list_like(pattern: str) -> Callable[[Any], bool]:
    """Return what says whether a value is a list of texts of this form."""
    item_fits = text_like(pattern)

    def fits(value: Any) -> bool:
        return isinstance(value, list) and all(map(item_fits, value))

    return fits


def is_range(value: Any) -> bool:
    """Return whether a value is two numbers, the lower one first."""
    if not isinstance(value, list) or len(value) != 2:
        return False
    if not all(type(end) in (int, float) for end in value):
        return False
    low, high = value
    return bool(0 < low <= high)


def by_level(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return what says whether a value is a table of levels, each with a value that fits."""

    def all_fit(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        return set(value) <= set(LEVELS) and all(map(fits, value.values()))

    return all_fit


KEYS = {
    "predicts": Key(
        "a level and a range, such as predicts.O3 = [1.8, 2.2]", by_level(is_range)
    ),
    "kind": Key(f"one of {', '.join(KINDS)}", KINDS.__contains__),
    "cause": Key(
        f"a level and one of {', '.join(CAUSES)}", by_level(CAUSES.__contains__)
    ),
    "disclosed": Key('a list of levels, such as ["O0", "O1"]', list_like(LEVEL)),
    "written": Key('a commit, such as "3172b67"', text_like("[0-9a-f]{7,40}")),
    "exempt": Key(
        '"new representation", "new algorithm" or "new order"',
        text_like("new (representation|algorithm|order)"),
    ),
    "look": Key('a level and a function, such as "O1 shr"', text_like(LOOK)),
    "shows": Key(
        'a list of functions, such as ["nat.h: add"]', list_like(r"[\w.]+(: \w+)?")
    ),
    "beside": Key(
        'a list of snapshots, such as ["alone/limb-only"]', list_like(r"[\w-]+/[\w-]+")
    ),
    "constant-time": Key("true or false", lambda value: isinstance(value, bool)),
    "verdict": Key('a text such as "O1 helps"; it is generated', text_like(".*")),
    "claims": Key(
        "a list of texts such as '[1] O3: saved(add) > 0'", list_like(r"\[\d+\] .+")
    ),
}


def read(folder: Path, root: Path) -> Mapping[str, Any]:
    """Return the values of a folder's step.toml by their keys; nothing where there is none.

    Raises Failure, naming the file and the key, for what is not as KEYS says.
    """
    path = folder / FILE
    label = path.relative_to(root)
    if not path.exists():
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise Failure(f"{label}: cannot be read as TOML ({fault})") from None
    for name, value in values.items():
        if name not in KEYS:
            raise Failure(
                f"{label}: there is no key '{name}'; there are: {', '.join(KEYS)}"
            )
        expected, fits = KEYS[name]
        if not fits(value):
            raise Failure(
                f"{label}: {name}: expected {expected}; found {str(value)[:80]!r}"
            )
    return values


class Look(NamedTuple):
    """Where a step is best seen: the level; the function in the parent and in the child; the
    view, `c` or `asm`; the child's lines in C (`30-44`), "" for the whole
    function."""

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
