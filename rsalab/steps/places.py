"""Places in the sources of a snapshot, named by what stands there.

`mmm: for (i = 0` are the lines of the function `mmm` with this text.  In assembly a label that other
files see begins a function.  Lines are counted from where the function's code begins, so a name holds
when a comment moves the function; results that were counted before know other numbers for the same
lines.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from records.c_functions import definition
from records.faults import Failure

SEPARATOR = ": "
SOURCES = ("rsa.c", "nat.h", "mont.S")
# What stands before the first instruction of a routine, and takes no place in the program.
NO_CODE = re.compile(r"\s*(?:\.|/\*|\*|$)")

# The first line with code of a function, by the names of its file and of it.
Begins = Mapping[tuple[str, str], int]


def is_place(name: str) -> bool:
    """Return whether a name of a claim is one of a place."""
    return SEPARATOR in name


def keys(folder: Path, name: str, counted: Begins) -> list[str]:
    """Return what lines.csv calls the lines of a place, `rsa.c:16`, in a snapshot whose functions
    began at `counted` when it was counted.  Raises Failure where no line has the text."""
    function, _, text = name.partition(SEPARATOR)
    for file in SOURCES:
        path = folder / file
        if not path.exists():
            continue
        begin, lines = code_of(path.read_text(encoding="utf-8"), function)
        offset = counted.get((file, function), begin) - begin
        found = [number + offset for number, line in lines.items() if text in line]
        if found:
            return [f"{file}:{number}" for number in found]
    raise Failure(f"{folder.name}: no line of '{function}' has '{text}'")


def code_of(text: str, function: str) -> tuple[int, dict[int, str]]:
    """Return the number of the line at which a function's code begins, and its lines by their
    numbers; (0, {}) where the text has no such function."""
    in_c = definition(text, function)
    if in_c:
        head = text[: text.index(in_c)].count("\n") + 1
        lines = dict(enumerate(in_c.splitlines(), head))
        opening = in_c[: in_c.index("{")].count("\n")
        return head + opening, lines
    every = text.splitlines()
    if f"{function}:" not in every:
        return 0, {}
    label = every.index(f"{function}:")
    end = label
    while end < len(every) and not re.match(rf"\s*\.size\s+{function}\b", every[end]):
        end += 1
    lines = dict(enumerate(every[label + 1 : end], label + 2))
    code = [number for number, line in lines.items() if not NO_CODE.match(line)]
    return code[0], lines
