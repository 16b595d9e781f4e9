"""Claims: what a README says came of a step, as expressions over the exact results.

A claim has a number, names levels and says a comparison:

    [1] O1 O3: saved(shr, halve) >= 0.6 * saved()

The sentences of *What came of it* that it supports end with the same `[1]`.
`own(...)` are the instructions of the child, an operation, in the named
functions, kinds of instruction or places (see rsalab/steps/spent.py), all of them
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
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from operator import eq, ge, gt, le, lt
from pathlib import Path
from typing import NamedTuple

from records import ladder
from records.faults import Failure
from records.ladder import Snapshot
from records.results import Results
from rsalab import markdown
from rsalab.steps.spent import Spent, Step, compared

SIGNS = {"<=": le, ">=": ge, "==": eq, "<": lt, ">": gt}
GRAMMAR = (ast.Expression, ast.Call, ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.UnaryOp,
           ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub)  # fmt: skip
COMPARED = re.compile(f"({'|'.join(SIGNS)})")
FORM = re.compile(rf"(\[\d+\])((?: {ladder.LEVEL})+): *(.+)")
NUMBER = re.compile(r"\[(\d+)\]")
# A sentence with one of these gives a cause, so it needs a claim.
CAUSE = re.compile(r"\b(because|since|therefore|causes?|comes? from|so that)\b|, so\b", re.I)
SENTENCE = re.compile(r"(?<=\.)\s+")


class Claim(NamedTuple):
    """One claim as it stands in the front matter: its number, its levels, its
    comparison as text, the terms of that, and the signs between them."""

    text: str
    number: str
    levels: tuple[str, ...]
    said: str
    terms: list[str]
    signs: list[str]

    def true_of(self, values: list[float]) -> bool:
        """Whether its comparisons are true of these values."""
        return all(SIGNS[s](a, b) for a, s, b in zip(values, self.signs, values[1:]))


def sober(term: str) -> bool:
    """Whether a term is numbers and calls of names, and nothing else that Python knows."""
    try:
        parts = ast.walk(ast.parse(term.strip(), mode="eval"))
    except SyntaxError:
        return False
    return all(isinstance(part, GRAMMAR) for part in parts)


def parse(text: str) -> Claim:
    """A claim.  Raises Failure for what is none."""
    form = FORM.fullmatch(text)
    said = form[3] if form else ""
    terms, signs = COMPARED.split(said)[::2], COMPARED.split(said)[1::2]
    if not form or not signs or not all(map(sober, terms)):
        raise Failure(f"claim '{text}': not a comparison like [1] O1 O3: own(add) < parent(add)")
    return Claim(text, form[1], tuple(form[2].split()), said, terms, signs)


class Words(dict[str, object]):
    """The names in a term: the four functions, or else themselves."""

    def __missing__(self, name: str) -> str:
        return name


def values(claim: Claim, made: Step) -> list[float]:
    """What a claim compares, at one level.  Raises Failure."""

    def side(of: Spent) -> Callable[..., float]:
        def number(*names: str) -> float:
            for name in names:
                if name not in made.child.names and name not in made.parent.names:
                    raise Failure(f"nothing of '{name}' is counted here; try `make studies`")
            return of.of(*names)

        return number

    own, parent = side(made.child), side(made.parent)
    words = Words(own=own, parent=parent)
    words["saved"] = lambda *names: parent(*names) - own(*names)
    words["gain"] = lambda *names: parent(*names) / own(*names)
    try:
        return [round(eval(t, {"__builtins__": {}}, words) + 0, 6) for t in claim.terms]
    except (TypeError, ArithmeticError) as fault:
        known = "own(), parent(), saved(), gain()"
        raise Failure(f"claim '{claim.text}': {fault}; say numbers, {known}") from None


def holds(claim: Claim, made: Step) -> bool:
    """Whether a claim is true of a step at one level."""
    return claim.true_of(values(claim, made))


def proves(claim: Claim, made: Step) -> bool:
    """Whether it is an equality, or is not as true with parent and child exchanged."""
    try:
        return set(claim.signs) == {"=="} or not holds(claim, Step(made.child, made.parent))
    except Failure:
        return True


def faults(results: Results, child: Snapshot) -> Iterator[str]:
    """What is wrong with a snapshot's claims, one line each; nothing when all
    hold and prove something."""
    name = f"{child.study}/{child.name}"
    for text in child.claims:
        try:
            claim = parse(text)
            for level in claim.levels:
                made = compared(results, child, level)
                if not holds(claim, made):
                    yield f"{name} -{level}: false: {text}"
                elif not proves(claim, made):
                    yield f"{name} -{level}: proves nothing: {text}"
        except Failure as fault:
            yield f"{name}: {fault}"


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
        parts = []
        for level in (level for level in claim.levels if level in made):
            shown = "not counted here"
            with suppress(Failure):
                shown = with_values(claim, values(claim, made[level]))
            parts.append(f"-{level}: {shown}")
        lines.append(f"{claim.number} `{claim.said}`; {', '.join(parts)}")
    return lines


def with_values(claim: Claim, found: list[float]) -> str:
    """The comparison in numbers, with as many decimals as it takes to see what it says."""
    for decimals in range(9):
        texts = [number(value, decimals) for value in found]
        read = [float(text.replace(",", "")) for text in texts]
        if claim.true_of(read) == claim.true_of(found):
            break
    pairs = (f"{sign} {text}" for sign, text in zip(claim.signs, texts[1:]))
    return " ".join([texts[0], *pairs])


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
