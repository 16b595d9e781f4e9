"""Two chapters of the report: calls by gprof, and cycles by model."""

from __future__ import annotations

import pandas as pd

from records.faults import Failure
from records.ladder import LADDER
from rsalab.models import models
from rsalab.models.model_table import percent
from rsalab.report import markdown, tables
from rsalab.report.sections import MISSING, Story
from rsalab.steps.table import whole

CALLS = "gprof/calls.csv"
BUSY = 10_000  # calls a round trip from which a function has a column
PRODUCTS = ("mmm", "mmm_1", "mont_mul")
GRAPHS = ("v0-O1", "v8-O1")


def called(tale: Story) -> pd.DataFrame:
    """Calls a round trip by rung, level and function.  A round trip is two exponentiations, so the
    calls of mod_exp say how many there were.  Raises Failure for a file that is not whole."""
    columns = ["rung", "level", "callee", "calls"]
    path = tale.results.folder / CALLS
    if not path.is_file():
        return pd.DataFrame(columns=columns)
    try:
        rows = pd.read_csv(path).rename(columns={"snapshot": "rung"})
        rows = rows[(rows["study"] == LADDER) & (rows["caller"] == "<total>")][columns]
        rows = rows.astype({"calls": int})
    except (ValueError, KeyError) as fault:
        raise Failure(f"{tale.results.label}/{CALLS}: not whole; `make gprof` ({fault})") from None
    powers = rows[rows["callee"] == "mod_exp"].set_index(["rung", "level"])["calls"]
    trips = [powers.get((row.rung, row.level), 0) / 2 for row in rows.itertuples()]
    return rows.assign(calls=rows["calls"] / trips)[[trip > 0 for trip in trips]]


def calls(tale: Story) -> dict[str, str]:
    """Exact calls a round trip, and the call graphs that there are."""
    found = called(tale)
    levels = [level for level in tale.levels if (found["level"] == level).any()]
    if not levels:
        return {"calls": MISSING, "calls_level": "the first level"}
    first = found[found["level"] == levels[0]]
    busy = first.groupby("callee")["calls"].max().sort_values(ascending=False)
    names = [name for name in busy.index[busy >= BUSY] if name not in PRODUCTS]
    rows = []
    for snapshot in tale.snapshots:
        own = first[first["rung"] == snapshot.name].set_index("callee")["calls"]
        if own.empty:
            continue
        every = [found[(found["rung"] == snapshot.name) & (found["level"] == level)]["calls"].sum()
                 for level in levels]  # fmt: skip
        numbers = [own.reindex(PRODUCTS).sum(), *own.reindex(names).fillna(0), *every]
        rows.append([snapshot.name, *(whole(n) if n else tables.NONE for n in numbers)])
    head = ["rung", "products", *(f"`{name}`" for name in names)]
    head += [f"all -{level}" for level in levels]
    text = "\n\n".join([markdown.table(head, rows), *graphs(tale)])
    return {"calls": text, "calls_level": f"-{levels[0]}"}


def graphs(tale: Story) -> list[str]:
    """The pictures of call graphs that the results folder has, those of GRAPHS shown."""
    folder, found = tale.results.folder.resolve() / "gprof", []
    for name in GRAPHS:
        found += tale.figure(folder / f"{name}.svg", f"Calls of {name.replace('-', ' at -')}")
    return found


def cycles(tale: Story) -> dict[str, str]:
    """A table for each model: cycles by rung, case and level, and the model's error; a word for the
    model that the results cannot feed."""
    metrics = set(tale.results.counts["metric"])
    found = models.frame(tale.results) if metrics.issuperset(models.LONG) else pd.DataFrame()
    parts = {}
    for model in models.MODELS:
        rows = found[found["model"] == model] if len(found) else found
        name = f"model_{model.replace('-', '_')}"
        parts[name] = by_model(tale, rows) if len(rows) else MISSING
    return parts


def by_model(tale: Story, found: pd.DataFrame) -> str:
    """What one model says: cycles a call of mont_mul and a round trip, the error beside them."""
    says = {(r.rung, r.level, r.case): r.cycles for r in found.itertuples()}
    errors = {r.rung: percent(r.error_low, r.error_high) for r in found.itertuples()}
    rows = []
    for rung in (s.name for s in tale.snapshots if s.name in errors):
        had = [says.get((rung, level, case)) for case in models.CASES for level in tale.levels]
        rows.append([rung, *(tables.NONE if n is None else whole(n) for n in had), errors[rung]])
    names = ("mont_mul", "round trip")
    head = ["rung", *(f"{name} -{level}" for name in names for level in tale.levels), "error"]
    return markdown.table(head, rows)
