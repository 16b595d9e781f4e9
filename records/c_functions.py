"""What a C function is: the one reader of C in this repository."""

import re
from collections.abc import Iterator
from typing import NamedTuple

# A head begins its line; the name, the parameters, and `{` of a definition or `;` of a declaration.
HEAD = re.compile(
    r"^(?P<result>[A-Za-z_][\w \t*()]*?[\s*])(?P<name>\w+)\s*\((?P<parameters>[^;{}()]*)\)"
    r"\s*(?P<mark>[;{])",
    re.M,
)
BRACE = re.compile("[{}]")


class Function(NamedTuple):
    """A function in a text of C: what stands before its name, such as
    `static nat `, its name and its parameters; whether it is defined there
    or only declared; and where in the text it begins."""

    result: str
    name: str
    parameters: str
    defined: bool
    start: int


def functions(text: str) -> Iterator[Function]:
    """Yield the functions of a text, in their order."""
    for head in HEAD.finditer(text):
        defined = head["mark"] == "{"
        yield Function(
            head["result"], head["name"], head["parameters"], defined, head.start()
        )


def definition(text: str, name: str) -> str:
    """Return the text of a function's definition, to its last brace; "" when there is none."""
    for one in functions(text):
        if one.name != name or not one.defined:
            continue
        depth = 0
        for brace in BRACE.finditer(text, one.start):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                return text[one.start : brace.end()]
    return ""
