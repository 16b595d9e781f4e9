"""Claims: what a README says came of a step, as expressions over the exact results.

A claim names levels and a comparison:

    O1 O3: saved(shr, halve) >= 0.6 * saved()

`own(...)` are the instructions of the child in the named functions or groups of classes (see
rsalab/steps/spent.py), all of them without a name; `parent(...)` are the parent's; `saved(...)` is
parent(...) - own(...); `gain()` is parent() / own().  A name that is more than a word is quoted,
such as "mmm/VFP moves" for what is in both, or "class:umaal".  A claim that holds as well with
parent and child exchanged proves nothing and is refused, unless it is an equality.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from records import ladder
from records.faults import Failure
from records.ladder import LEVELS, Snapshot
from rsalab.steps.spent import Step, step

COMPARISONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
}
OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
KINDS = ("own", "parent", "saved", "gain")


@dataclass(frozen=True)
class Claim:
    """One claim as it stands in the front matter, its levels and its comparison."""

    text: str
    levels: tuple[str, ...]
    body: ast.Compare

    @property
    def equality(self) -> bool:
        """Whether every comparison in it is one for equality."""
        return all(isinstance(op, ast.Eq) for op in self.body.ops)


def parse(text: str) -> Claim:
    """A claim.  Raises Failure that names what cannot be read."""
    before, colon, after = text.partition(":")
    levels = tuple(before.split())
    if not colon or not levels or any(level not in LEVELS for level in levels):
        raise Failure(f"claim '{text}': begin with levels and a colon, such as O1 O3:")
    try:
        body = ast.parse(after.strip(), mode="eval").body
    except SyntaxError as fault:
        raise Failure(f"claim '{text}': {fault.msg}") from None
    if not isinstance(body, ast.Compare):
        raise Failure(f"claim '{text}': say a comparison, such as own(add) < parent(add)")
    return Claim(text, levels, body)


def value(node: ast.expr, made: Step) -> float:
    """What a part of a claim comes to.  Raises Failure for what the language does not have."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)](value(node.left, made), value(node.right, made))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _spent(node.func.id, [_name(word) for word in node.args], made)
    raise Failure(f"claim: '{ast.unparse(node)}' is neither a number nor own(), parent(), saved()")


def _spent(function: str, names: list[str], made: Step) -> float:
    """own(...), parent(...), saved(...) or gain()."""
    if function not in KINDS:
        raise Failure(f"claim: no function '{function}': say {', '.join(KINDS)}")
    known = {word for side in (made.parent, made.child) for word in side.names}
    for name in names:
        if name not in known:
            raise Failure(f"claim: neither parent nor child executes anything called '{name}'")
    own, parent = (side.of(names) if names else side.total for side in (made.child, made.parent))
    if function == "gain":
        return parent / own
    return {"own": own, "parent": parent, "saved": parent - own}[function]


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise Failure(f"claim: '{ast.unparse(node)}' is no name")


def holds(claim: Claim, made: Step) -> bool:
    """Whether a claim is true of a step at one level."""
    terms = [value(term, made) for term in (claim.body.left, *claim.body.comparators)]
    pairs = zip(terms, claim.body.ops, terms[1:])
    return all(COMPARISONS[type(op)](a, b) for a, op, b in pairs)


def faults(folder: Path, child: Snapshot, root: Path = ladder.ROOT) -> list[str]:
    """What is wrong with a snapshot's claims, one line each; [] when all hold and prove
    something."""
    found = []
    for text in child.claims:
        try:
            claim = parse(text)
            for level in claim.levels:
                made = step(folder, child, level, root)
                if not holds(claim, made):
                    found.append(f"{child.study}/{child.name} -{level}: false: {text}")
                elif not claim.equality and holds(claim, Step(made.child, made.parent)):
                    found.append(f"{child.study}/{child.name} -{level}: proves nothing: {text}")
        except (Failure, ZeroDivisionError) as fault:
            found.append(f"{child.study}/{child.name}: {fault}")
    return found
