"""One Montgomery product in detail: its instructions by opcode class, in C and by hand."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from records.faults import Failure
from records.ladder import Snapshot
from rsalab.charts.levels import caption, named
from rsalab.charts.mix import CLASS_WORDS, GROUP_OF, GROUPS, OTHER, RUNTIME, classes
from rsalab.charts.picture import GREY, Chart, frame, settle, style
from rsalab.frames import Results
from rsalab.report import markdown, tables
from rsalab.steps.table import whole

CASE = "mont_mul"


def columns(snapshots: list[Snapshot]) -> list[str]:
    """The rungs that have assembly, after the parent of the first of them."""
    by_hand = [s for s in snapshots if s.has_assembly]
    return [*(s.parent for s in by_hand[:1] if s.parent), *(s.name for s in by_hand)]


def product(results: Results, snapshots: list[Snapshot]) -> pd.DataFrame:
    """Mean instructions of one mont_mul at the highest level counted: a column for each of
    `columns`, a row for each opcode class that occurs, in the order of mix.GROUPS, then `total`.
    Empty where it was not counted.  Raises Failure."""
    found = classes(results, snapshots[0].study, CASE)
    names = [name for name in columns(snapshots) if not found.empty and name in found.index]
    if not names:
        return pd.DataFrame()
    wide = pd.DataFrame({name: found.loc[name].sort_index().iloc[-1] for name in names})
    known = [cls for cls in CLASS_WORDS if cls in wide.index]
    rest = [cls for cls in wide.index if cls not in known and cls != "total"]
    wide = wide.loc[[*known, *rest, "total"]]
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
    level, parts = tables.levels(table)[-1], wide.drop(index="total")
    answer = "; ".join(_answer(name, wide[name]) for name in wide.columns)
    same = same_everywhere(results, snapshots)
    fixed = ", ".join(name for name in same if same[name])
    note = (
        f"{caption(results, snapshots, CASE)} Instructions of one product, -{level}; each panel has"
        f" its own scale. The same at every level, class by class: {fixed or 'none of them'}."
    )
    with style():
        figure, panels = frame(answer, note, (11, 1.8 + 0.25 * len(parts)), nrows=1,
                               ncols=len(wide.columns), sharey=True, squeeze=False)  # fmt: skip
        for axes, name in zip(panels[0], wide.columns):
            _bars(axes, parts[name])
            axes.set_title(f"{name}: {number(wide[name]['total'])} instructions", color="black")
        labels = [CLASS_WORDS.get(cls, cls) for cls in parts.index]
        panels[0][0].set_yticks(range(len(parts)), labels, color="black")
        panels[0][0].set_ylim(len(parts) - 0.5, -0.5)
        settle(figure)
    question = "What is one Montgomery product made of, in C and by hand?"
    return Chart(named("montgomery-product", snapshots), question, answer, note, figure)


def _answer(name: str, here: pd.Series) -> str:
    """`v8: 31 of 68 are umaal`."""
    most = here.drop("total").idxmax()
    words = CLASS_WORDS.get(most, most)
    return f"{name}: {number(here[most])} of {number(here['total'])} are {words}"


def _bars(axes: Axes, here: pd.Series) -> None:
    """A bar and a number for each class, in the colour of its group."""
    for y, (cls, value) in enumerate(here.items()):
        group = RUNTIME if cls == RUNTIME else GROUP_OF.get(cls, OTHER)
        axes.barh(y, value, color=GROUPS[group].colour, height=0.74)
        text = number(value) if value else "0"
        axes.annotate(text, (value, y), (4, 0), textcoords="offset points",
                      va="center_baseline", fontsize=8,
                      color="black" if value else GREY)  # fmt: skip
    axes.set_xlim(0, here.max() * 1.2)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: whole(x)))
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)


def by_class(results: Results, snapshots: list[Snapshot]) -> str:
    """The same in numbers (Markdown)."""
    wide = product(results, snapshots)
    rows = [[CLASS_WORDS.get(cls, cls), *(number(value) for value in row)]
            for cls, row in wide.iterrows()]  # fmt: skip
    return markdown.table(["instructions of one product", *wide.columns], rows)
