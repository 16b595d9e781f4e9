"""The sources' tables beside our numbers: theirs, ours, and what kind of number ours is.

Of Bishop & Austin 2021 the chart and the hardware unit are here; rsalab.report.tables has Table 1.
Every own cell has a status: measured, modelled, not measured in these results (the study is not in
this results folder, or not this part of it), or not available here.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from records.ladder import ROOT
from records.results import Results
from rsalab.sources import bishop, dirk, lee, lessons, markovic, openssl

__all__ = ["bishop", "dirk", "lee", "lessons", "markovic", "openssl", "wrong"]

MARKS = (
    "**measured**: counted or timed in these results. **modelled**: worked out from counts by a"
    " cycle model whose error stands beside it. **not measured in these results**: this folder"
    " holds no such number. **not available here**: nothing here yields it."
)


def wrong(source: str, results: Results, ladder: pd.DataFrame, root: Path = ROOT) -> str:
    """What one source says in words, what does not follow there, and what our counts add."""
    said = lessons.found(results, ladder, root).get(source, [])
    headed = {
        "In words:": lessons.claims(source, root),
        "What does not follow from its own numbers:": lessons.table(root, source),
        "What our counts add:": "\n".join(f"- {one}" for one in said),
    }
    return "\n\n".join(f"{head}\n\n{text}" for head, text in headed.items() if text)
