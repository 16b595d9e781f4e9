"""One Montgomery product in detail: its instructions by opcode class, in C and by hand."""

from __future__ import annotations

import pandas as pd
from matplotlib.ticker import MaxNLocator

from records.faults import Failure
from records.ladder import Snapshot
from records.results import Results
from records.tables import whole
from rsalab import markdown
from rsalab.charts import marks
from rsalab.charts.mix import GROUP_OF, GROUPS, OTHER, WORDS, classes
from rsalab.charts.picture import Chart, drawing
from rsalab.frames import levels

CASE = "mont_mul"


def product(results: Results, snapshots: list[Snapshot]) -> pd.DataFrame:
    """Mean instructions of one mont_mul at the highest level counted: a column for each rung that
    has assembly, after the parent of the first of them, a row for each opcode class that occurs, in
    the order of mix.GROUPS, then `total`.  Empty where it was not counted.  Raises Failure."""
    found = classes(results, snapshots[0].study, CASE)
    by_hand = [s for s in snapshots if s.has_assembly]
    names = [*(s.parent for s in by_hand[:1] if s.parent), *(s.name for s in by_hand)]
    names = [name for name in names if not found.empty and name in found.index]
    if not names:
        return pd.DataFrame()
    wide = pd.DataFrame({name: found.loc[name].sort_index().iloc[-1] for name in names})
    order = [*WORDS, *(cls for cls in wide.index if cls not in WORDS)]
    wide = wide.loc[[cls for cls in order if cls in wide.index]]
    return wide[(wide > 0).any(axis=1)]


def same_everywhere(results: Results, snapshots: list[Snapshot]) -> dict[str, bool]:
    """Rung with assembly -> whether its product counts the same, class by class, at every level."""
    found = classes(results, snapshots[0].study, CASE)
    names = [s.name for s in snapshots if s.has_assembly and s.name in found.index]
    return {name: bool((found.loc[name].nunique() == 1).all()) for name in names}


def number(value: float) -> str:
    """A mean: whole where it is, else with one decimal."""
    return whole(value) if float(value).is_integer() else f"{value:,.1f}"


def chart(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """The instructions of one product by class, a panel with a scale of its own for each rung.

    Raises Failure where none was counted by class.
    """
    wide = product(results, snapshots)
    if wide.empty:
        raise Failure(f"{results.label}: no Montgomery product was counted by class there")
    level, parts = levels(table)[-1], wide.drop(index="total")
    answer = "; ".join(_answer(name, wide[name]) for name in wide.columns)
    fixed = ", ".join(name for name, same in same_everywhere(results, snapshots).items() if same)
    note = (
        f"{marks.caption(results, snapshots, CASE)} Instructions of one product, -{level}; each"
        " panel has its own scale. The same at every level, class by class:"
        f" {fixed or 'none of them'}."
    )
    with drawing(
        marks.named("montgomery-product", snapshots),
        "What is one Montgomery product made of, in C and by hand?", answer, note,
        (11, 1.8 + 0.25 * len(parts)), nrows=1, ncols=len(wide.columns), sharey=True, squeeze=False,
    ) as (drawn, panels):  # fmt: skip
        for axes, name in zip(panels[0], wide.columns):
            here = parts[name]
            colours = [GROUPS[GROUP_OF.get(cls, OTHER)].colour for cls in here.index]
            bars = axes.barh(range(len(here)), here, color=colours, height=0.74)
            axes.bar_label(bars, [number(value) for value in here], padding=4, fontsize=8)
            axes.margins(x=0.2)
            axes.xaxis.set_major_locator(MaxNLocator(4))
            marks.numbers(axes, "x", whole)
            marks.no_rows(axes)
            axes.set_title(f"{name}: {number(wide[name]['total'])} instructions", color="black")
        marks.rows(panels[0][0], [WORDS.get(cls, cls) for cls in parts.index])
    return drawn


def _answer(name: str, here: pd.Series) -> str:
    """`v8: 28 of 62 are umaal`."""
    most = here.drop("total").idxmax()
    words = WORDS.get(most, most)
    return f"{name}: {number(here[most])} of {number(here['total'])} are {words}"


def by_class(results: Results, snapshots: list[Snapshot]) -> str:
    """The same in numbers (Markdown)."""
    wide = product(results, snapshots)
    rows = [[WORDS.get(cls, cls), *map(number, row)] for cls, row in wide.iterrows()]
    return markdown.table(["instructions of one product", *wide.columns], rows)
