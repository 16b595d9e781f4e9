"""The sources' tables beside our numbers: theirs, ours, and what kind of number ours is.

Of the first source only the chart and the hardware unit: rsalab.report.tables has its Table 1.
Every own cell has a status: measured, modelled, not measured in these results (the study is not in
this results folder, or not this part of it), or not available here.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from records.ladder import ROOT
from rsalab.charts.picture import Chart
from rsalab.frames import Results
from rsalab.sources import bishop, dirk, lee, lessons, markovic, openssl

__all__ = ["bishop", "charts", "dirk", "lee", "lessons", "markovic", "openssl", "section", "wrong"]

MARKS = (
    "**measured**: counted or timed in these results. **modelled**: worked out from counts by a"
    " cycle model whose error stands beside it. **not measured in these results**: this folder"
    " holds no such number. **not available here**: nothing here yields it."
)


def section(results: Results, ladder: pd.DataFrame, root: Path = ROOT) -> str:
    """The second to the fifth source beside ours, as a chapter of the report, its headings of the
    third order.  `ladder` is the ladder table.  Raises Failure for published files that cannot
    be read."""
    texts = {
        dirk.SOURCE: dirk.text(results, root),
        lee.SOURCE: lee.text(results, root),
        markovic.SOURCE: markovic.text(results, root),
        openssl.SOURCE: openssl.text(root),
        "What the sources say and the numbers do not": lessons.table(root),
    }
    found = lessons.found(results, ladder, root)
    said = "\n".join(f"- **{source}.** {one}" for source, all_ in found.items() for one in all_)
    parts = [MARKS, *(f"### {head}\n\n{text}" for head, text in texts.items()), said]
    return "\n\n".join(part for part in parts if part)


def wrong(source: str, results: Results, ladder: pd.DataFrame, root: Path = ROOT) -> str:
    """What one source says in words, what does not follow there, and what our counts add."""
    said = lessons.found(results, ladder, root).get(source, [])
    headed = {
        "In words:": lessons.claims(source, root),
        "What does not follow from its own numbers:": lessons.table(root, source),
        "What our counts add:": "\n".join(f"- {one}" for one in said),
    }
    return "\n\n".join(f"{head}\n\n{text}" for head, text in headed.items() if text)


def charts(results: Results, ladder: pd.DataFrame, root: Path = ROOT) -> list[Chart]:
    """A chart for each source."""
    return [
        bishop.chart(results, ladder, root),
        dirk.chart(results, root),
        lee.chart(results, root),
        markovic.chart(root),
        openssl.chart(root),
    ]
