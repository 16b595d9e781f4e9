"""A chapter of the report: the five sources' own numbers beside ours."""

from __future__ import annotations

import re

import pandas as pd

from rsalab import sources as beside
from rsalab.frames import cell, published
from rsalab.report import tables
from rsalab.report.sections import UNKNOWN, Story
from rsalab.steps.table import factor, whole


def lines_of(row: pd.Series | None) -> str:
    """Lines of assembly of a rung at a level."""
    return UNKNOWN if row is None else whole(row["asm_lines"])


def comparison(tale: Story) -> dict[str, str]:
    """The first source's table beside our rungs."""
    theirs = published(tale.root)
    return {
        "table_1": tables.table_1(theirs),
        "reasons": tables.reasons(theirs),
        "side_by_side": tables.side_by_side(tale.ladder, theirs),
        "beside": tale.picture("beside-bishop-austin-2021"),
        "their_last": factor(theirs["step"].iloc[-1]),
        "their_lines_before": whole(theirs["asm_lines"].iloc[-2]),
        "their_lines_after": whole(theirs["asm_lines"].iloc[-1]),
        "our_lines_before": lines_of(cell(tale.ladder, "v5", "O0")),
        "our_lines_after": lines_of(cell(tale.ladder, "v6", "O0")),
        "sources": with_charts(tale, beside.section(tale.results, tale.ladder, tale.root)),
    }


def with_charts(tale: Story, text: str) -> str:
    """A text whose sections end with their source's chart, which is named after its first word."""
    parts = re.split(r"(?m)^(?=### )", text)
    for place, part in enumerate(parts):
        source = re.match(r"### (\w+)", part)
        for name in (
            n for n in tale.charts if source and n.startswith(f"beside-{source[1].lower()}")
        ):
            parts[place] = f"{part.rstrip()}\n\n{tale.picture(name)}\n\n"
    return "".join(parts).strip()
