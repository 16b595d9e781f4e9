"""Inside a rung: which instructions it executes, how often it goes to memory,
what one Montgomery product is made of, and which functions call which.

Every instruction executed in the snapshot has one class
(harness/plugin/a32.h), every class one kind (records/kinds.csv); what the
compiler's run-time executes is a kind of its own.  So the kinds of a rung and
level add up to its instructions exactly.

Calls are gprof's, which counts in a program of its own, built with -pg; an
inlined call is none.
"""

import re
from collections.abc import Iterator

import pandas as pd
from IPython.display import SVG, Markdown

from records import settings
from records.ladder import LADDER, natural_key, studies
from records.profiles import pictures
from records.results import NOT_YOURS, Results, measures
from records.tables import questions
from rsalab.charts import picture
from rsalab.charts.picture import (
    COLOUR,
    WIDTH,
    Chart,
    brief,
    facts_of,
)
from rsalab.frames import ask, check_name, levels

KINDS = {kind: COLOUR[kind] for kind in settings.KINDS}
ASKED = questions(__file__)
CELL_WIDTH = 740  # points that a cell of JupyterLab has on a screen of 1,440 pixels
SIZE = re.compile(r'width="([\d.]+)pt" height="([\d.]+)pt"')
UNDRAWN = "*No picture here: `make gprof` draws it where graphviz is.*"


def no_classes(study: str) -> str:
    """Return what is missing of a study, and the command that measures it."""
    return f"no instructions by class of {study}; {measures(study)} them"


def by_level(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return for each level a row for each rung that `rows` has at some level, in their order."""
    rungs = rows["snapshot"].unique()
    panels = {}
    for level in levels(rows):
        of_level = rows[rows["level"] == level].set_index("snapshot")
        panels[f"-{level}"] = of_level.reindex(rungs)
    return panels


def by_kind(results: Results, study: str) -> pd.DataFrame:
    """Return instructions of a round trip, a row for each snapshot and level,
    a column for each kind and `total`.  Raises Failure."""
    rows = ask(results, ASKED["kinds"], study, lacks=no_classes(study))
    cells = ["place", "snapshot", "level"]
    wide = rows.pivot_table("mean", cells, "kind", aggfunc="sum", fill_value=0.0)
    wide = wide.reindex(columns=list(KINDS), fill_value=0.0)
    return wide.assign(total=wide.sum(axis=1)).reset_index()


def mix(results: Results, study: str = LADDER) -> Chart:
    """Return the shares of the kinds, stacked to 100 %, a panel for each level,
    totals beside them.  Raises Failure where no classes were counted."""
    check_name("study", study, [LADDER, *studies(results.root)])
    counts = by_kind(results, study)
    counts[list(KINDS)] = counts[list(KINDS)].mul(100).div(counts["total"], axis=0)
    panels = by_level(counts.assign(beside=counts["total"].map(brief)))
    last = counts.iloc[-1]
    share = last[list(KINDS)].astype(float)
    answer = f"Most of {last['snapshot']} at -{last['level']}: {share.idxmax()}, {share.max():.0f} %"
    size = WIDTH, 2.1 + len(panels) * (0.45 + 0.19 * counts["snapshot"].nunique())
    return picture.stacked(
        "instruction-mix", answer, size, facts_of(results, study),
        "% of the instructions of a round trip", "{:.0f}".format, KINDS, panels,
        nrows=len(panels), sharex=True,
    )  # fmt: skip


def fitted(svg: str) -> str:
    """Return a drawing that is no wider than a cell of JupyterLab, which shows every
    drawing at its own size."""

    def size(found: re.Match[str]) -> str:
        width = float(found[1])
        height = float(found[2])
        scale = min(1, CELL_WIDTH / width)
        fitted_width = scale * width
        fitted_height = scale * height
        return f'width="{fitted_width:.0f}pt" height="{fitted_height:.0f}pt"'

    return SIZE.sub(size, svg, count=1)


def call_graph(results: Results, rung: str, level: str) -> Iterator[SVG | Markdown]:
    """Yield heading and call graph of a rung at a level, as the results folder or
    its lender has it.  Raises Failure where there are graphs, but none of
    this name."""
    own = pictures(results.folder)
    lent = pictures(results.lender.folder) if results.lender else []
    drawn = [*own, *lent]
    names = [path.stem.rpartition("-") for path in drawn]
    if drawn:
        check_name(
            "rung", rung, sorted({name for name, _, _ in names}, key=natural_key)
        )
        check_name("level", level, sorted({at for _, _, at in names}))
    heading = f"**{rung} at -{level}**"
    for path in drawn:
        if path.stem == f"{rung}-{level}":
            origin = "" if path in own else f", {NOT_YOURS}"
            yield Markdown(heading + origin)
            yield SVG(fitted(path.read_text()))
            return
    yield Markdown(heading)
    yield Markdown(UNDRAWN)
