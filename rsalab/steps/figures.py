"""Numbers in the sentences of a README: the generator fills each of them in from the results.

A number that comes from results has a comment behind it, which no page shows:

    gains 1.29<!-- O0 gain() --> at -O0

The comment names a level and a term in the language of claims (rsalab/steps/claims.py).  The number
keeps the decimals that its author gave it.  A level of which nothing was counted leaves it as it is.
"""

import re
from collections.abc import Mapping
from contextlib import suppress

from records import step_file
from records.faults import Failure
from records.ladder import Snapshot
from records.results import Results
from rsalab.steps import claims
from rsalab.steps.spent import Step

FIGURE = re.compile(
    rf"(-?\d[\d,]*(?:\.(\d+))?)(\s?%)?<!-- ({step_file.LEVEL}) (.+?) -->"
)


def filled(text: str, steps: Mapping[str, Step]) -> str:
    """Return a text in which each number with a comment is what its term says of the step at its
    level.  Raises Failure for what is no term."""

    def figure(found: re.Match[str]) -> str:
        number, decimals, per_cent, level, term = found.groups()
        if level in steps:
            value = claims.value(term, steps[level])
            number = f"{value:,.{len(decimals or '')}f}"
        return f"{number}{per_cent or ''}<!-- {level} {term} -->"

    return FIGURE.sub(figure, text)


def refilled(text: str, steps: Mapping[str, Step]) -> str:
    """Return the text of filled() for a reader, without comments; a number that was not counted
    in these results becomes `?`."""

    def figure(found: re.Match[str]) -> str:
        shown = "?"
        with suppress(Failure):
            shown = filled(found[0], steps).partition("<!--")[0]
        return shown

    return FIGURE.sub(figure, text)


def told_here(
    results: Results, child: Snapshot, steps: Mapping[str, Step]
) -> list[str]:
    """Return the sentences of *What came of it* with the numbers of these results.  One whose
    claim is false in them begins with NOT HERE, and one that names what was not counted in them
    with NOT COUNTED HERE."""
    lines = []
    for sentence in claims.sentences(child, results.root, comments=True):
        wrong: list[str] = []
        unknown: list[str] = []
        for claim in map(claims.parse, child.claims):
            if claim.number not in sentence:
                continue
            for level in claim.levels:
                try:
                    if not claims.holds(claim, steps[level]):
                        wrong.append(f"-{level}")
                except Failure:
                    unknown.append(f"-{level}")
        marks = ""
        for mark, levels in (("NOT HERE", wrong), ("NOT COUNTED HERE", unknown)):
            if levels:
                marks += f"{mark} ({', '.join(dict.fromkeys(levels))}): "
        words = " ".join(refilled(sentence, steps).split())
        lines.append(f"{marks}{words}")
    return lines
