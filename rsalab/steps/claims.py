"""Claims: what a README says came of a step, as expressions over the exact results.

A claim has a number, names levels and says a comparison:

    [1] O1 O3: saved(shr, halve) >= 0.6 * saved()

The sentences of *What came of it* that it supports end with the same `[1]`.
`own(...)` are the instructions of the child, an operation, in the named
functions, groups of classes or places (see rsalab/steps/spent.py), all of them
without a name; `parent(...)` are the parent's; `saved(...)` is parent(...) -
own(...); `gain(...)` is parent(...) / own(...), how many times fewer the child
executes.  An operation is a round trip, unless a case is named.  A name that
is more than a word is quoted: "mmm/VFP moves" is what is in both,
"rsa.c:16/loads" the loads of a line, "class:umaal" a class,
"mont_mul:multiplies" a case and a metric of counts.csv, a mean, "calls:mmm"
how often a round trip calls a function of the source.

A claim that holds as well with parent and child exchanged proves nothing and
is refused, unless it is an equality.
"""

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

COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[float, float], bool]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq),
}
ARITHMETIC = (ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div)
TERMS = (ast.Call, ast.Name, ast.Load, ast.Constant)
LANGUAGE: tuple[type, ...] = (ast.Compare, *COMPARISONS, *ARITHMETIC, *TERMS)
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

    def true_of(self, values: list[float]) -> list[bool]:
        """Which of its comparisons are true of these values."""
        signs = [COMPARISONS[type(op)][1] for op in self.body.ops]
        return [sign(a, b) for a, sign, b in zip(values, signs, values[1:])]


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
        signs = " ".join(sign for sign, _ in COMPARISONS.values())
        raise Failure(
            f"claim '{text}': say a comparison, such as own(add) < parent(add), with {signs}"
        )
    if strange := [node for node in ast.walk(body) if not isinstance(node, LANGUAGE)]:
        raise Failure(f"claim '{text}': {type(strange[0]).__name__} is not part of the language")
    return Claim(text, number, after.strip(), tuple(levels), body)


class Words(dict[str, object]):
    """What the names of a claim mean: a function of KINDS, or else themselves."""

    def __missing__(self, name: str) -> str:
        return name


def terms(claim: Claim, made: Step) -> list[float]:
    """The values that a claim compares, at one level.  Raises Failure."""

    def executed(side: Spent) -> Callable[..., float]:
        def instructions(*names: str) -> float:
            for name in names:
                if not any(name in one.names or name in one.means for one in sides):
                    raise Failure(f"nothing of '{name}' is counted here; try `make studies`")
            inside = side.of(names) if names else side.total
            return inside / side.n + sum(side.means.get(name, 0) for name in names)

        return instructions

    sides = made.child, made.parent
    own, parent = map(executed, sides)
    saved, gain = (lambda *of: parent(*of) - own(*of)), (lambda *of: parent(*of) / own(*of))
    words = Words(zip(KINDS, (own, parent, saved, gain)))
    parts = [ast.Expression(term) for term in (claim.body.left, *claim.body.comparators)]
    try:
        return [eval(compile(p, "claim", "eval"), {"__builtins__": {}}, words) + 0 for p in parts]
    except ZeroDivisionError:
        raise Failure(f"claim '{claim.text}': divides by zero") from None
    except TypeError:
        known = ", ".join(f"{kind}()" for kind in KINDS)
        raise Failure(f"claim '{claim.text}': say numbers and {known}") from None


def holds(claim: Claim, made: Step) -> bool:
    """Whether a claim is true of a step at one level."""
    return all(claim.true_of(terms(claim, made)))


def proves(claim: Claim, made: Step) -> bool:
    """Whether it is an equality, or is not as true with parent and child exchanged."""
    if all(isinstance(op, ast.Eq) for op in claim.body.ops):
        return True
    try:
        return not holds(claim, Step(made.child, made.parent))
    except Failure:
        return True


def faults(folder: Path, child: Snapshot, root: Path = ladder.ROOT) -> list[str]:
    """What is wrong with a snapshot's claims, one line each; [] when all
    hold and prove something."""
    lines, name = [], f"{child.study}/{child.name}"
    for text in child.claims:
        try:
            claim = parse(text)
            for level in claim.levels:
                made = compared(folder, child, level, root)
                if not holds(claim, made):
                    lines.append(f"{name} -{level}: false: {text}")
                elif not proves(claim, made):
                    lines.append(f"{name} -{level}: proves nothing: {text}")
        except Failure as fault:
            lines.append(f"{name}: {fault}")
    return lines


def missed(child: Snapshot, level: str, made: Step) -> list[str]:
    """The numbers of the claims that are false of a step at a level; what a
    claim names and nobody counted there is passed over."""
    numbers = []
    for claim in map(parse, child.claims):
        with suppress(Failure):
            if level in claim.levels and not holds(claim, made):
                numbers.append(claim.number)
    return list(dict.fromkeys(numbers))


def listing(child: Snapshot, made: Mapping[str, Step]) -> list[str]:
    """Each claim with what it compares at its levels, in Markdown."""
    lines = []
    for claim in map(parse, child.claims):
        signs = [COMPARISONS[type(op)][0] for op in claim.body.ops]
        parts = []
        for level in (level for level in claim.levels if level in made):
            try:
                first, *others = shown_terms(claim, terms(claim, made[level]))
            except Failure:
                parts.append(f"-{level}: not counted here")
                continue
            shown = [f"{sign} {other}" for sign, other in zip(signs, others)]
            parts.append(f"-{level}: {' '.join([first, *shown])}")
        lines.append(f"{claim.number} `{claim.said}`; {', '.join(parts)}")
    return lines


def shown_terms(claim: Claim, values: list[float]) -> list[str]:
    """The values as text, with as many decimals as it takes to see what the claim says."""
    for decimals in range(9):
        texts = [number(value, decimals) for value in values]
        read = [float(text.replace(",", "")) for text in texts]
        if claim.true_of(read) == claim.true_of(values):
            break
    return texts


def number(value: float, decimals: int = 0) -> str:
    """A value: whole from a hundred on, else with four digits; with so many decimals more."""
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.{decimals}f}" if abs(value) >= 100 else f"{value:.{4 + decimals}g}"


def untied(child: Snapshot, root: Path = ladder.ROOT) -> list[str]:
    """What is wrong between the claims and the sentences of *What came of
    it*, one line each: a reference without a claim, a claim without a
    reference, a cause without a reference; of a rung every sentence after
    the first, which says what it gains."""
    text = markdown.parts(child, root, references=True).get(markdown.VERDICT, "")
    own = [parse(claim).number for claim in child.claims]
    there = [f"[{number}]" for number in NUMBER.findall(text)]
    lines = [f"no claim {one}" for one in dict.fromkeys(there) if one not in own]
    lines += [f"no sentence ends with {one}" for one in own if one not in there]
    for place, sentence in enumerate(SENTENCE.split(text)):
        wanted = CAUSE.search(sentence) or (child.study == ladder.LADDER and place)
        if wanted and not NUMBER.search(sentence):
            lines.append(f"a sentence without a claim: {' '.join(sentence.split())}")
    return [f"{child.study}/{child.name}: {line}" for line in lines]
