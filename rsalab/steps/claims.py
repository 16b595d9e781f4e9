"""Claims: what a README says came of a step, as expressions over the exact results.

A claim has a number, names levels and says a comparison:

    [1] O1 O3: saved(shr, halve) >= 0.6 * saved()

The sentences of *What came of it* that it supports end with the same `[1]`.  `own(...)` are the
instructions of the child, an operation, in the named functions, groups of classes or places (see
rsalab/steps/spent.py), all of them without a name; `parent(...)` are the parent's; `saved(...)` is
parent(...) - own(...); `gain(...)` is parent(...) / own(...), how many times fewer the child
executes.  An operation is a round trip, unless a case is named.  A name that is more than a word is
quoted: "mmm/VFP moves" is what is in both, "rsa.c:16/loads" the loads of a line, "class:umaal" a
class, "mont_mul:multiplies" a case and a metric of counts.csv, a mean, "calls:mmm" how often a
round trip calls a function of the source.

A claim that holds as well with parent and child exchanged proves nothing and is refused, unless it
is an equality.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from records import ladder
from records.faults import Failure
from records.ladder import LEVELS, Snapshot
from rsalab import markdown
from rsalab.steps.spent import Spent, Step, compared

COMPARISONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
}
SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
}
SIGNS = " ".join(SYMBOLS.values())
OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
KINDS = ("own", "parent", "saved", "gain")
NUMBER = re.compile(r"\[(\d+)\]")
# A sentence with one of these gives a cause, so it needs a claim.
CAUSE = re.compile(r"\b(because|since|therefore|causes?|comes? from|so that)\b|, so\b", re.I)
SENTENCE = re.compile(r"(?<=\.)\s+")


@dataclass(frozen=True)
class Claim:
    """One claim as it stands in the front matter: its number, its comparison as
    text, its levels and the comparison."""

    text: str
    number: str
    said: str
    levels: tuple[str, ...]
    body: ast.Compare

    @property
    def equality(self) -> bool:
        """Whether every comparison in it is one for equality."""
        return all(isinstance(op, ast.Eq) for op in self.body.ops)


def parse(text: str) -> Claim:
    """A claim.  Raises Failure that names what cannot be read."""
    before, colon, after = text.partition(":")
    number, *levels = before.split() or [""]
    if not NUMBER.fullmatch(number):
        raise Failure(f"claim '{text}': begin with the number of its sentence, such as [1]")
    if not colon or not levels or any(level not in LEVELS for level in levels):
        raise Failure(f"claim '{text}': after the number say levels and a colon, such as O1 O3:")
    try:
        body = ast.parse(after.strip(), mode="eval").body
    except SyntaxError as fault:
        raise Failure(f"claim '{text}': {fault.msg}") from None
    if not isinstance(body, ast.Compare) or any(type(op) not in COMPARISONS for op in body.ops):
        raise Failure(
            f"claim '{text}': say a comparison, such as own(add) < parent(add), with {SIGNS}"
        )
    return Claim(text, number, after.strip(), tuple(levels), body)


def value(node: ast.expr, made: Step) -> float:
    """What a part of a claim comes to.  Raises Failure for what the language does not have."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)](value(node.left, made), value(node.right, made))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _spent(node.func.id, [_name(word) for word in node.args], made)
    known = ", ".join(f"{kind}()" for kind in KINDS)
    raise Failure(f"claim: '{ast.unparse(node)}' is neither a number nor one of {known}")


def _spent(function: str, names: list[str], made: Step) -> float:
    """own(...), parent(...), saved(...) or gain()."""
    if function not in KINDS:
        raise Failure(f"claim: no function '{function}': say {', '.join(KINDS)}")
    own, parent = (_an_operation(side, names, made) for side in (made.child, made.parent))
    if function == "gain":
        return parent / own
    return {"own": own, "parent": parent, "saved": parent - own}[function]


def _an_operation(side: Spent, names: list[str], made: Step) -> float:
    """What one side executes of these names in an operation; all of it without a name."""
    for name in names:
        if not any(name in one.names or name in one.means for one in (made.parent, made.child)):
            raise Failure(f"claim: neither parent nor child executes anything called '{name}'")
    inside = side.of(names) if names else side.total
    return inside / side.n + sum(side.means.get(name, 0) for name in names)


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise Failure(f"claim: '{ast.unparse(node)}' is no name")


def terms(claim: Claim, made: Step) -> list[float]:
    """The values that a claim compares, at one level.  Raises Failure."""
    try:
        return [value(term, made) for term in (claim.body.left, *claim.body.comparators)]
    except ZeroDivisionError:
        raise Failure(f"claim '{claim.text}': divides by zero") from None


def holds(claim: Claim, made: Step) -> bool:
    """Whether a claim is true of a step at one level."""
    return all(_true(claim, terms(claim, made)))


def exchanged(claim: Claim, made: Step) -> bool:
    """Whether it is as true with parent and child exchanged; False where it cannot be said then."""
    try:
        return holds(claim, Step(made.child, made.parent))
    except Failure:
        return False


def _true(claim: Claim, found: list[float]) -> list[bool]:
    """Which of a claim's comparisons are true of these values."""
    pairs = zip(found, claim.body.ops, found[1:])
    return [COMPARISONS[type(op)](a, b) for a, op, b in pairs]


def faults(folder: Path, child: Snapshot, root: Path = ladder.ROOT) -> list[str]:
    """What is wrong with a snapshot's claims, one line each; [] when all hold and prove
    something."""
    found = []
    for text in child.claims:
        try:
            claim = parse(text)
            for level in claim.levels:
                made = compared(folder, child, level, root)
                if not holds(claim, made):
                    found.append(f"{child.study}/{child.name} -{level}: false: {text}")
                elif not claim.equality and exchanged(claim, made):
                    found.append(f"{child.study}/{child.name} -{level}: proves nothing: {text}")
        except Failure as fault:
            found.append(f"{child.study}/{child.name}: {fault}")
    return found


def missed(child: Snapshot, level: str, made: Step) -> list[str]:
    """The numbers of the claims that are false of a step at a level; what a claim names and nobody
    counted there is passed over."""
    found = []
    for claim in map(parse, child.claims):
        with suppress(Failure):
            if level in claim.levels and not holds(claim, made):
                found.append(claim.number)
    return list(dict.fromkeys(found))


def listing(child: Snapshot, made: Mapping[str, Step]) -> list[str]:
    """Each claim with what it compares at its levels, in Markdown.  Raises Failure."""
    found = []
    for text in child.claims:
        claim = parse(text)
        signs = [SYMBOLS[type(op)] for op in claim.body.ops]
        parts = []
        for level in claim.levels:
            if level in made:
                first, *others = shown_terms(claim, terms(claim, made[level]))
                shown = [f"{sign} {other}" for sign, other in zip(signs, others)]
                parts.append(f"-{level}: {' '.join([first, *shown])}")
        found.append(f"{claim.number} `{claim.said}`; {', '.join(parts)}")
    return found


def shown_terms(claim: Claim, found: list[float]) -> list[str]:
    """The values as text, with as many decimals as it takes to see what the claim says."""
    for decimals in range(9):
        said = [number(value, decimals) for value in found]
        read = [float(value.replace(",", "")) for value in said]
        if _true(claim, read) == _true(claim, found):
            break
    return said


def number(found: float, decimals: int = 0) -> str:
    """A value: whole from a hundred on, else with four digits; with so many decimals more."""
    if found == int(found):
        return f"{found:,.0f}"
    return f"{found:,.{decimals}f}" if abs(found) >= 100 else f"{found:.{4 + decimals}g}"


def untied(child: Snapshot, root: Path = ladder.ROOT) -> list[str]:
    """What is wrong between the claims and the sentences of *What came of it*, one line each: a
    reference without a claim, a claim without a reference, a cause without a reference; of a rung
    every sentence after the first, which says what it gains."""
    said = markdown.parts(child, root, references=True).get(markdown.VERDICT, "")
    own = [parse(text).number for text in child.claims]
    there = [f"[{number}]" for number in NUMBER.findall(said)]
    name = f"{child.study}/{child.name}"
    found = [f"{name}: no claim {one}" for one in dict.fromkeys(there) if one not in own]
    found += [f"{name}: no sentence ends with {one}" for one in own if one not in there]
    for place, sentence in enumerate(SENTENCE.split(said)):
        wanted = CAUSE.search(sentence) or (child.study == ladder.LADDER and place)
        if wanted and not NUMBER.search(sentence):
            found.append(f"{name}: a sentence without a claim: {' '.join(sentence.split())}")
    return found
