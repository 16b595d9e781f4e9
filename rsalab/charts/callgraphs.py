"""Who calls whom: exact calls from gprof/calls.csv of a results folder, and their pictures.

gprof counts in a program of its own, built with -pg, in a few round trips; numbers here are a round
trip's (two exponentiations, so half the calls of mod_exp say how many there were) or one
exponentiation's.  An inlined call is none.
"""

from collections.abc import Iterator

import pandas as pd
from IPython.display import SVG, Markdown

from records.faults import Failure
from records.ladder import LADDER, Snapshot
from rsalab.frames import Results
from rsalab.report import markdown
from rsalab.report.tables import NONE
from rsalab.steps.table import LEVELS, whole

FILE = "gprof/calls.csv"
COLUMNS = ["rung", "level", "caller", "callee", "calls"]
TOTAL = "<total>"
MISSING = f"*Not available here: the results have no {FILE}; `make gprof` makes it.*"
UNDRAWN = "*No picture here: `make gprof` draws it where gprof2dot and graphviz are.*"


def calls(results: Results) -> pd.DataFrame:
    """Calls a round trip of the ladder: rung, level, caller, callee, calls; caller `<total>` is the
    callee's sum.  Empty without the file.  Raises Failure for one that is not whole."""
    path = results.folder / FILE
    if not path.is_file():
        return pd.DataFrame(columns=COLUMNS)
    try:
        rows = pd.read_csv(path).rename(columns={"snapshot": "rung"})
        rows = rows[rows["study"] == LADDER][COLUMNS].astype({"calls": int})
    except (ValueError, KeyError):
        raise Failure(f"{results.label}/{FILE}: not whole; `make gprof` writes it again") from None
    cell = [rows["rung"], rows["level"]]
    powers = rows["calls"].where((rows["caller"] == TOTAL) & (rows["callee"] == "mod_exp"), 0)
    trips = powers.groupby(cell).transform("sum") / 2
    return rows.assign(calls=rows["calls"] / trips)[trips > 0].reset_index(drop=True)


def totals(found: pd.DataFrame, level: str) -> pd.DataFrame:
    """Calls a round trip at a level: a row for each function, a column for each rung."""
    rows = found[(found["caller"] == TOTAL) & (found["level"] == level)]
    return rows.pivot(index="callee", columns="rung", values="calls")


def by_function(found: pd.DataFrame, rungs: list[Snapshot], level: str = "O0") -> str:
    """Calls a round trip of each function by rung, the busiest first."""
    if found.empty:
        return MISSING
    table = totals(found, level)
    names = [rung.name for rung in rungs if rung.name in table]
    busiest = table.max(axis=1).sort_values(ascending=False, kind="stable").index
    rows = [
        [f"`{name}`", *(NONE if pd.isna(n) else whole(n) for n in table.loc[name, names])]
        for name in busiest
    ]
    return markdown.table([f"calls at -{level}", *names], rows)


def inlined(found: pd.DataFrame, rungs: list[Snapshot]) -> str:
    """Calls that are left at each level, and whom they are of."""
    if found.empty:
        return MISSING
    rows = []
    for rung in rungs:
        own = found[(found["rung"] == rung.name) & (found["caller"] == TOTAL)]
        by = {level: part.set_index("callee")["calls"] for level, part in own.groupby("level")}
        every = [by[level].sum() if level in by else None for level in LEVELS]
        cells = [NONE if n is None else whole(n) for n in every]
        for level in LEVELS[1:]:
            kept = by.get(level, pd.Series(dtype=float)).sort_values(ascending=False, kind="stable")
            cells.append(", ".join(f"`{name}` {whole(n)}" for name, n in kept.items()) or NONE)
        rows.append([rung.name, *cells])
    head = ["rung", *(f"calls -{level}" for level in LEVELS)]
    head += [f"whom at -{level}" for level in LEVELS[1:]]
    return markdown.table(head, rows, (0, 4, 5))


def picture(results: Results, rung: str, level: str) -> Iterator[SVG | Markdown]:
    """Heading and call graph of a rung at a level, as the results folder has it."""
    yield Markdown(f"**{rung} at -{level}**")
    path = results.folder / "gprof" / f"{rung}-{level}.svg"
    if path.is_file():
        yield SVG(path.read_text(encoding="utf-8"))
    else:
        yield Markdown(UNDRAWN)
