"""Calls between functions: exact numbers from gprof/calls.csv, and pictures.

gprof counts in a program of its own, built with -pg; numbers here are a round trip's (two
exponentiations, so half the calls of mod_exp say how many there were).  An inlined call is none.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from IPython.display import SVG, Markdown

from records.ladder import LEVELS, Snapshot
from records.results import Results
from records.tables import NONE, whole
from rsalab import markdown
from rsalab.charts import marks
from rsalab.charts.picture import COLOUR, Chart, drawing
from rsalab.frames import levels, main_line

MISSING = "*Not available here: the results have no gprof/calls.csv; `make gprof` makes it.*"
UNDRAWN = "*No picture here: `make gprof` draws it where gprof2dot and graphviz are.*"
FULL, WITH_ONE = ("mmm", "mont_mul"), ("mmm_1",)  # Montgomery products, and those by 1


def calls(results: Results) -> pd.DataFrame:
    """Calls of each function in a round trip of the ladder: rung, level, callee, calls.  Empty
    without the file."""
    asked = "select rung, level, callee, calls from trip_calls where study = 'iterations'"
    return pd.read_sql(asked, results.db)


def totals(found: pd.DataFrame, level: str) -> pd.DataFrame:
    """Calls a round trip at a level: a row for each function, a column for each rung."""
    rows = found[found["level"] == level]
    return rows.pivot(index="callee", columns="rung", values="calls")


def all_calls(found: pd.DataFrame) -> pd.DataFrame:
    """All calls a round trip: a row for each rung, a column for each level."""
    wide = found.pivot_table(index="rung", columns="level", values="calls", aggfunc="sum")
    return wide.reindex(columns=levels(found))


def by_function(found: pd.DataFrame, rungs: list[Snapshot], level: str = "O0") -> str:
    """Calls a round trip of each function by rung, the busiest first."""
    if found.empty:
        return MISSING
    table = totals(found, level)
    names = [rung.name for rung in rungs if rung.name in table]
    busiest = table.max(axis=1).sort_values(ascending=False, kind="stable").index
    rows = [[f"`{name}`", *map(whole, table.loc[name, names])] for name in busiest]
    return markdown.table([f"calls at -{level}", *names], rows)


def inlined(found: pd.DataFrame, rungs: list[Snapshot]) -> str:
    """Calls that are left at each level, and whom they are of."""
    if found.empty:
        return MISSING
    every = all_calls(found).reindex(index=[rung.name for rung in rungs], columns=list(LEVELS))
    rows = []
    for rung, numbers in every.iterrows():
        cells = [whole(n) for n in numbers]
        for level in LEVELS[1:]:
            kept = found[(found["rung"] == rung) & (found["level"] == level)]
            kept = kept.sort_values("calls", ascending=False, kind="stable")
            names = [f"`{row.callee}` {whole(row.calls)}" for row in kept.itertuples()]
            cells.append(", ".join(names) or NONE)
        rows.append([str(rung), *cells])
    head = ["rung", *(f"calls -{level}" for level in LEVELS)]
    head += [f"whom at -{level}" for level in LEVELS[1:]]
    return markdown.table(head, rows, (0, 4, 5))


def picture(results: Results, rung: str, level: str) -> Iterator[SVG | Markdown]:
    """Heading and call graph of a rung at a level, as the results folder has it.  Raises Failure
    for a picture that does more than to draw."""
    yield Markdown(f"**{rung} at -{level}**")
    path = results.folder / "gprof" / f"{rung}-{level}.svg"
    yield SVG(path.read_text()) if path.is_file() else Markdown(UNDRAWN)


def provenance(results: Results, what: str) -> str:
    """Platform, compiler and metric."""
    return (
        f"{results.platform}, {results.compiler}; {what}: exact, counted by gprof in a build with"
        " -pg, in a round trip (encrypt and decrypt the first message with a 128-bit key,"
        " full-length exponents). An inlined call is none."
    )


def by_rung(results: Results, found: pd.DataFrame, rungs: list[Snapshot]) -> Chart | Markdown:
    """All calls a round trip, by rung, a line for each level; branches off the line."""
    if found.empty:
        return Markdown(MISSING)
    every = all_calls(found)
    line = [rung for rung in main_line(rungs) if rung in every.dropna().index]
    first, last = line[0], line[-1]
    said = [f"{whole(n[first])} to {whole(n[last])} at -{level}" for level, n in every.items()]
    caption = provenance(results, "calls a round trip") + " Logarithmic."
    if len(line) < len(rungs):
        caption += " Dotted, in brackets: a branch that no rung continues."
    question = "How many calls does a round trip make at each rung?"
    answer = f"From {first} to {last}: {', '.join(said)}"
    with drawing("calls-by-rung", question, answer, caption, (11, 5.4)) as (chart, axes):
        marks.grey_title(axes, "calls a round trip")
        marks.by_rung(axes, every, rungs, whole, whole)
    return chart


def products(
    results: Results, found: pd.DataFrame, rungs: list[Snapshot], level: str = "O0"
) -> Chart | Markdown:
    """Montgomery products of a round trip, by rung: those of two operands and those by 1."""
    if found.empty or level not in set(found["level"]):
        return Markdown(MISSING)
    table = totals(found, level).fillna(0)
    shown = [rung for rung in rungs if rung.name in table]
    names = [rung.name for rung in shown]
    full, one = (table.reindex(list(part))[names].sum() for part in (FULL, WITH_ONE))
    every = full + one
    answer = f"Products: {runs(every[[name for name in main_line(rungs) if name in every]])}"
    caption = provenance(results, "Montgomery products a round trip") + (
        f" At -{level}, where no product is inlined. Pale: mmm_1, one operand is known to be 1."
    )
    question = "How many Montgomery products does a round trip take?"
    with drawing("products", question, answer, caption, (11, 4.4)) as (chart, axes):
        at, colour = range(len(shown)), COLOUR[level]
        axes.bar(at, full, color=colour, width=0.62)
        bars = axes.bar(at, one, bottom=full, color=marks.pale(colour), width=0.62)
        words = [f"{whole(every[name])}" + f"\n{whole(one[name])} by 1" * bool(one[name])
                 for name in names]  # fmt: skip
        axes.bar_label(bars, words, padding=3)
        axes.set_ylim(0, every.max() * 1.18)
        marks.rung_columns(axes, shown)
        axes.set_xlim(-0.5, len(names) - 0.5)
        marks.grey_title(axes, "Montgomery products a round trip")
    return chart


def runs(numbers: pd.Series) -> str:
    """`772 from v0 to v5, 196 from v6 to v8`: neighbours that are equal said once."""
    parts = []
    for _, part in numbers.groupby((numbers != numbers.shift()).cumsum(), sort=False):
        first, last = part.index[0], part.index[-1]
        where = f"from {first} to {last}" if first != last else f"in {first}"
        parts.append(f"{whole(part.iloc[0])} {where}")
    return ", ".join(parts)
