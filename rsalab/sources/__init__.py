"""The sources' tables beside our numbers: theirs, ours, and what kind of number ours is.

Of the first source only the hardware unit: its Table 1 stands in rsalab.report.tables
and rsalab.charts.charts.
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
    third order.  `ladder` is the ladder table.  Raises ValueError for published files that cannot
    be read."""
    parts = [
        MARKS,
        f"### {dirk.SOURCE}\n\n{dirk.text(results, root)}",
        f"### {lee.SOURCE}\n\n{lee.text(results, root)}",
        f"### {markovic.SOURCE}\n\n{markovic.text(results, root)}",
        f"### {openssl.SOURCE}\n\n{openssl.text(root)}",
        f"### What the sources say and the numbers do not\n\n{lessons.table(root)}",
        lessons.text(lessons.found(results, ladder, root)),
    ]
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


def charts(results: Results, root: Path = ROOT) -> list[Chart]:
    """A chart for each of these sources."""
    return [
        dirk.chart(results, root),
        lee.chart(results, root),
        markovic.chart(root),
        openssl.chart(root),
    ]
