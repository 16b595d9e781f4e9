"""The ladder table, which charts, notebooks and report are made from: a row
for each rung and level that was counted, as a data frame.

results = records.results.load(records.results.reference())
ladder = frames.ladder_table(results)
"""

from collections.abc import Callable, Iterable

import pandas as pd

from records.faults import Failure
from records.ladder import LADDER, LEVELS, Snapshot, studies
from records.results import FULL, Results
from records.tables import Table
from rsalab import markdown

# The columns that are texts.
WORDS = "study workload snapshot level idea code parent_study parent verdict".split()


def check_name(what: str, name: str, names: Iterable[str]) -> None:
    """Raise Failure, which says what there is, where no `what` has this name."""
    existing = list(names)
    if name not in existing:
        raise Failure(f"no {what} {name!r}; there are: {', '.join(existing)}")


def ladder_table(results: Results, study: str = LADDER, case: str = FULL) -> pd.DataFrame:
    """The rows of the view `ladder` of a study, in ladder order; what is
    not known is NaN.  Raises Failure when there is no such study, or nothing
    of it was counted."""
    check_name("study", study, [LADDER, *studies(results.root)])
    table = of_levels(pd.DataFrame(map(dict, results.ladder(study, case))))
    return table.astype(dict.fromkeys(table.columns.difference(WORDS), float))


def ask(results: Results, question: str, *values: object, lacks: str = "") -> pd.DataFrame:
    """The rows of a question in SQL, `?` standing for `values`.  Raises
    Failure where there are none and `lacks` says what measures them."""
    rows = of_levels(results.frame_of(question, *values))
    if rows.empty and lacks:
        raise Failure(f"{results.label}: {lacks}")
    return rows


def of_levels(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without those of levels that no picture shows (LEVELS='O2' of make)."""
    if "level" not in rows:
        return rows
    return rows[rows["level"].str.lstrip("-").isin(LEVELS)].reset_index(drop=True)


def as_table(wide: pd.DataFrame, form: Callable[[float], str], what: str = "rung") -> str:
    """A row for each name and a column for each column (Markdown); `what` heads the names."""
    rows = [[str(name), *map(form, row)] for name, row in zip(wide.index, wide.to_numpy())]
    return Table([what, *wide], rows).markdown


def levels(table: pd.DataFrame) -> list[str]:
    """The levels that a ladder table has."""
    return [level for level in LEVELS if (table["level"] == level).any()]


def grid(table: pd.DataFrame, snapshots: Iterable[Snapshot], metric: str) -> pd.DataFrame:
    """A column of the ladder table: a row for each snapshot, a column for
    each level.  Raises Failure where it has no such column of numbers."""
    check_name("metric", metric, table.columns.difference([*WORDS, "place"], sort=False))
    wide = table.pivot(index="snapshot", columns="level", values=metric).rename_axis("rung")
    return wide.reindex(index=[s.name for s in snapshots], columns=levels(table))


def row_of(grid: pd.DataFrame, name: str) -> pd.Series:
    """One rung's row.  Raises Failure where these results have none."""
    check_name("rung", name, grid.index)
    return grid.loc[name]


def main_line(snapshots: list[Snapshot]) -> list[str]:
    """The rungs from the first to the end of the longest descent, the last
    of several; all others are branches.  [] without rungs."""
    return max(reversed(markdown.descents(snapshots)), key=len, default=[])
