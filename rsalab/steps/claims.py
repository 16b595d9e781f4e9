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
"mmm: for (i/loads" the loads of a place (rsalab/steps/places.py), "class:umaal" a class,
"mont_mul:multiplies" a case and a metric of counts.csv, a mean, "calls:mmm"
how often a round trip calls a function of the source.  After "armv6:" each is
a number of the program for ARMv6, by the committed results.

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

from records import ladder, step_file
from records.faults import Failure
from records.ladder import Snapshot
from records.results import Results
from rsalab import markdown
from rsalab.steps.spent import Spent, Step, compared

SIGNS = {"<=": le, ">=": ge, "==": eq, "<": lt, ">": gt}
GRAMMAR = (ast.Expression, ast.Call, ast.Name, ast.Load, ast.Constant, ast.BinOp, ast.UnaryOp,
           ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub)  # fmt: skip
COMPARED = re.compile(f"({'|'.join(SIGNS)})")
FORM = re.compile(rf"(\[\d+\])((?: {step_file.LEVEL})+): *(.+)")
NUMBER = re.compile(r"\[\d+\]")
COMPILER = re.compile(r"\b(?:gcc|clang)\b(?: \d+)?")
# A sentence with one of these gives a cause, so it needs a claim.
CAUSE = re.compile(
    r"\b(because|since|therefore|causes?|comes? from|so that)\b|, so\b", re.I
)
SENTENCE = re.compile(r"(?<=\.)\s+")


class Claim(NamedTuple):
    """One claim as it stands in step.toml: its number, its levels, its
    comparison as text, the terms of that, and the signs between them."""

    text: str
    number: str
    levels: tuple[str, ...]
    comparison: str
    terms: list[str]
    signs: list[str]

    def true_of(self, values: list[float]) -> bool:
        """Return whether its comparisons are true of these values."""
        for left, sign, right in zip(values, self.signs, values[1:]):
            compare = SIGNS[sign]
            if not compare(left, right):
                return False
        return True


def sober(term: str) -> bool:
    """Return whether a term is numbers and calls of names, and nothing else that Python knows."""
    try:
        tree = ast.parse(term.strip(), mode="eval")
    except SyntaxError:
        return False
    return all(isinstance(part, GRAMMAR) for part in ast.walk(tree))


def parse(text: str) -> Claim:
    """Return a claim.  Raises Failure for what is none."""
    fault = f"claim '{text}': not a comparison like [1] O1 O3: own(add) < parent(add)"
    form = FORM.fullmatch(text)
    if not form:
        raise Failure(fault)
    number, levels, comparison = form.groups()
    pieces = COMPARED.split(comparison)
    terms = pieces[::2]
    signs = pieces[1::2]
    if not signs or not all(map(sober, terms)):
        raise Failure(fault)
    return Claim(text, number, tuple(levels.split()), comparison, terms, signs)


class Words(dict[str, object]):
    """The names in a term: the four functions, or else themselves."""

    def __missing__(self, name: str) -> str:
        return name


def values(claim: Claim, made: Step) -> list[float]:
    """Return what a claim compares, at one level.  Raises Failure."""
    words = words_of(made)
    return [evaluated(term, words, claim.text) for term in claim.terms]


def value(term: str, made: Step) -> float:
    """Return what a term such as `saved() / 386` says of a step at one level.  Raises Failure."""
    if not sober(term):
        raise Failure(f"'{term}': not a term like own(add) / parent(add)")
    return evaluated(term, words_of(made), term)


def words_of(made: Step) -> Words:
    """Return the four functions of a term, of a step at one level."""
    counted = made.child.names.keys() | made.parent.names.keys()

    def side(of: Spent) -> Callable[..., float]:
        def number(*names: str) -> float:
            for name in names:
                if counted.isdisjoint(of.keys(name)):
                    raise Failure(
                        f"nothing of '{name}' is counted here; try `make studies`"
                    )
            return of.of(*names)

        return number

    own = side(made.child)
    parent = side(made.parent)
    words = Words(own=own, parent=parent)
    words["saved"] = lambda *names: parent(*names) - own(*names)
    words["gain"] = lambda *names: parent(*names) / own(*names)
    return words


def evaluated(term: str, words: Words, text: str) -> float:
    """Return what a term of a text says.  Raises Failure, naming the text."""
    try:
        found = eval(term.strip(), {"__builtins__": {}}, words)
        return float(round(found + 0, 6))
    except (TypeError, ArithmeticError) as fault:
        known = "own(), parent(), saved(), gain()"
        raise Failure(f"claim '{text}': {fault}; say numbers, {known}") from None


def holds(claim: Claim, made: Step) -> bool:
    """Return whether a claim is true of a step at one level."""
    return claim.true_of(values(claim, made))


def proves(claim: Claim, made: Step) -> bool:
    """Return whether it is an equality, or is not as true with parent and child exchanged."""
    if set(claim.signs) == {"=="}:
        return True
    exchanged = Step(made.child, made.parent)
    try:
        return not holds(claim, exchanged)
    except Failure:
        return True


def sentences(
    child: Snapshot, root: Path = ladder.ROOT, *, comments: bool = False
) -> list[str]:
    """Return the sentences of *What came of it*, with the numbers of their claims."""
    paragraphs = markdown.parts(child, root, references=True, comments=comments)
    return SENTENCE.split(paragraphs.get(markdown.VERDICT, ""))


def concerns(claim: Claim, compiler: str, told: list[str]) -> bool:
    """Return whether a claim is about a compiler such as `arm-linux-gnueabihf-gcc 12.2.0`: whether
    the sentences that it supports name this one, or none."""
    names = named(claim, told)
    return not names or any(is_of(compiler, name) for name in names)


def named(claim: Claim, told: list[str]) -> list[str]:
    """Return the compilers that the sentences with a claim's number name, such as `clang 14`."""
    names = []
    for sentence in told:
        if claim.number in sentence:
            names += COMPILER.findall(sentence)
    return list(dict.fromkeys(names))


def is_of(compiler: str, name: str) -> bool:
    """Return whether a compiler, `arm-linux-gnueabihf-gcc 12.2.0`, has a name, `gcc` or `gcc 12`."""
    plain = compiler.rpartition("-")[2]
    return f"{plain} ".startswith((f"{name} ", f"{name}."))


def faults(results: Results, child: Snapshot) -> Iterator[str]:
    """Yield what is wrong with a snapshot's claims, one line each; nothing when all
    that are about the compiler of these results hold and prove something."""
    name = f"{child.study}/{child.name}"
    told = sentences(child, results.root)
    for text in child.claims:
        try:
            claim = parse(text)
            if not concerns(claim, results.compiler, told):
                continue
            for level in claim.levels:
                made = compared(results, child, level)
                if not holds(claim, made):
                    yield f"{name} -{level}: false: {text}"
                elif not proves(claim, made):
                    yield f"{name} -{level}: proves nothing: {text}"
        except Failure as fault:
            yield f"{name}: {fault}"


def missed(
    results: Results, child: Snapshot, level: str, made: Step
) -> tuple[list[str], list[str]]:
    """Return the numbers of the claims about the compiler of these results that are false of a
    step at a level, and of those that cannot be tested there: they name what nobody counted."""
    told = sentences(child, results.root)
    false = []
    uncounted = []
    for claim in map(parse, child.claims):
        if level not in claim.levels or not concerns(claim, results.compiler, told):
            continue
        try:
            if not holds(claim, made):
                false.append(claim.number)
        except Failure:
            uncounted.append(claim.number)
    return list(dict.fromkeys(false)), list(dict.fromkeys(uncounted))


def listing(results: Results, child: Snapshot, made: Mapping[str, Step]) -> list[str]:
    """Return each claim about the compiler of these results with what it compares at its levels,
    in Markdown; of another one only which compilers it is about."""
    told = sentences(child, results.root)
    lines = []
    for claim in map(parse, child.claims):
        if not concerns(claim, results.compiler, told):
            shown = f"{claim.number} `{claim.comparison}`"
            lines.append(f"{shown}; about {' and '.join(named(claim, told))} only")
            continue
        parts = []
        for level in claim.levels:
            if level not in made:
                continue
            shown = "not counted here"
            with suppress(Failure):
                shown = with_values(claim, values(claim, made[level]))
            parts.append(f"-{level}: {shown}")
        lines.append(f"{claim.number} `{claim.comparison}`; {', '.join(parts)}")
    return lines


def with_values(claim: Claim, found: list[float]) -> str:
    """Return the comparison in numbers, with as many decimals as it takes to see what it says."""
    for decimals in range(9):
        texts = [number(value, decimals) for value in found]
        rounded = [float(text.replace(",", "")) for text in texts]
        if claim.true_of(rounded) == claim.true_of(found):
            break
    first, *others = texts
    words = [first]
    for sign, text in zip(claim.signs, others):
        words += [sign, text]
    return " ".join(words)


def number(value: float, decimals: int = 0) -> str:
    """Return a value: whole from a hundred on, else with four digits; with so many decimals
    more."""
    if value == int(value):
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.{decimals}f}"
    digits = 4 + decimals
    return f"{value:.{digits}g}"


def untied(child: Snapshot, root: Path = ladder.ROOT) -> list[str]:
    """Return what is wrong between the claims and the sentences of *What came of it*, one line
    each: a reference without a claim, a claim without a reference, a cause without a reference; of
    a rung every sentence after the first, which says what it gains."""
    parts = markdown.parts(child, root, references=True)
    text = parts.get(markdown.VERDICT, "")
    claimed = [parse(claim).number for claim in child.claims]
    referred = NUMBER.findall(text)
    lines = []
    for reference in dict.fromkeys(referred):
        if reference not in claimed:
            lines.append(f"no claim {reference}")
    for claim in claimed:
        if claim not in referred:
            lines.append(f"no sentence ends with {claim}")
    for index, sentence in enumerate(SENTENCE.split(text)):
        gives_cause = CAUSE.search(sentence)
        later_of_rung = index > 0 and child.study == ladder.LADDER
        if (gives_cause or later_of_rung) and not NUMBER.search(sentence):
            one_line = " ".join(sentence.split())
            lines.append(f"a sentence without a claim: {one_line}")
    return [f"{child.study}/{child.name}: {line}" for line in lines]
