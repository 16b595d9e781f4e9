"""The ladder table, which charts, notebooks and report are made from: a row
for each rung and level that was counted, as a data frame.

results = records.results.load(records.results.reference())
ladder = frames.ladder_table(results)
"""

from collections.abc import Iterable

import pandas as pd

from records.faults import Failure
from records.ladder import LADDER, LEVELS, Snapshot, studies
from records.results import FULL, Results
from rsalab import markdown

# The columns that are texts.
WORDS = "study workload snapshot level idea code parent_study parent verdict".split()


def check_name(what: str, name: str, names: Iterable[str]) -> None:
    """Raise Failure, which says what there is, where no `what` has this name."""
    existing = list(names)
    if name not in existing:
        raise Failure(f"no {what} {name!r}; there are: {', '.join(existing)}")


def ladder_table(
    results: Results, study: str = LADDER, workload: str = FULL
) -> pd.DataFrame:
    """Return the rows of the view `ladder` of a study, in ladder order; what is
    not known is NaN.  Raises Failure when there is no such study, or nothing
    of it was counted."""
    check_name("study", study, [LADDER, *studies(results.root)])
    rows = [dict(row) for row in results.ladder(study, workload)]
    table = of_levels(pd.DataFrame(rows))
    numeric = table.columns.difference(WORDS)
    return table.astype(dict.fromkeys(numeric, float))


def ask(
    results: Results, question: str, *values: object, lacks: str = ""
) -> pd.DataFrame:
    """Return the rows of a question in SQL, `?` standing for `values`.  Raises
    Failure where there are none and `lacks` says what measures them."""
    rows = of_levels(results.frame_of(question, *values))
    if rows.empty and lacks:
        raise Failure(f"{results.label}: {lacks}")
    return rows


def of_levels(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows without those of levels that no picture shows (LEVELS='O2' of make)."""
    if "level" not in rows:
        return rows
    shown = rows["level"].isin(LEVELS)
    return rows[shown].reset_index(drop=True)


def levels(table: pd.DataFrame) -> list[str]:
    """Return the levels that a ladder table has."""
    counted = set(table["level"])
    return [level for level in LEVELS if level in counted]


def grid(
    table: pd.DataFrame, snapshots: Iterable[Snapshot], metric: str
) -> pd.DataFrame:
    """Return a column of the ladder table: a row for each snapshot, a column
    for each level.  Raises Failure where it has no such column of numbers."""
    metrics = table.columns.difference([*WORDS, "place"], sort=False)
    check_name("metric", metric, metrics)
    names = [snapshot.name for snapshot in snapshots]
    wide = table.pivot(index="snapshot", columns="level", values=metric)
    wide = wide.rename_axis("rung")
    return wide.reindex(index=names, columns=levels(table))


def main_line(snapshots: list[Snapshot]) -> list[str]:
    """Return the rungs from the first to the end of the longest descent, the
    last of several; all others are branches.  [] without rungs."""
    descents = markdown.descents(snapshots)
    return max(reversed(descents), key=len, default=[])
