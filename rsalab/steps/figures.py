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
