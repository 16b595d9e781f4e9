"""Dirk 2019: five 64-bit programs under perf, beside study width-64."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness import perf
from records.ladder import ROOT
from records.published import about, read_csv
from records.results import Results
from records.tables import factor, whole
from rsalab import markdown
from rsalab.charts import picture
from rsalab.charts.picture import COLOUR, GREY, Chart, drawing
from rsalab.sources.own import (
    MEASURED,
    MODELLED,
    NOT_AVAILABLE,
    NOT_MEASURED,
    Own,
    comparison,
    cycles,
    exact,
    said,
)

SOURCE, STUDY, TABLE = "Dirk 2019", "width-64", "dirk-2019-perf.csv"
LISTINGS, ROUNDS = "dirk-2019-listings.csv", 64
TRIPS = 1000  # what the published totals are over: encryptions and decryptions
PROGRAMS = {  # his column -> our rung and level
    "no-opt C": ("v0", "O0"),
    "optimized C": ("v1", "O0"),
    "optimized asm": ("v2", "O0"),
    "O3 no-opt C": ("v0", "O3"),
    "O3 optimized C": ("v1", "O3"),
}
COUNTED = {
    "instructions": ("instructions",),
    "branches": ("branches_taken",),
    "cache references": ("load_accesses", "store_accesses"),
}


def published(root: Path = ROOT) -> dict[str, dict[str, float]]:
    """Label -> program -> value of a round trip; rates as printed.  Time is in ms."""
    table: dict[str, dict[str, float]] = {}
    for row in read_csv(TABLE, root):
        label = row.pop("code being profiled")
        share = 1 if perf.ROWS[label][1] else TRIPS
        table[label] = {program: float(text) / share for program, text in row.items()}
    return table


def perf_cell(results: Results, rung: str, level: str) -> dict[str, float | str]:
    """What a board's perf.csv says of a cell of the study; empty without one."""
    asked = "select * from perf where (study, snapshot, level) = (?, ?, ?)"
    rows = results.query(asked, STUDY, rung, level)
    return perf.derive(map(dict, rows)) if rows else {}


def own(results: Results, label: str, program: str, root: Path = ROOT) -> Own:
    """Our number for one of his cells, of a round trip: from a board's perf.csv or times.csv, else
    an exact count, else the ARM1176 model, else none."""
    rung, level = PROGRAMS[program]
    there = exact(results, STUDY, rung, level, ("instructions",))
    measured = perf_cell(results, rung, level).get(label)
    if isinstance(measured, float):
        return Own(MEASURED, f"{label}, perf, user space", measured)
    if label in COUNTED:
        return exact(results, STUDY, rung, level, COUNTED[label])
    if there.value is None:
        return Own(NOT_MEASURED, label)
    if label == "runtime (ms)":
        asked = "select median_us from medians where (study, snapshot, level) = (?, ?, ?)"
        for row in results.query(asked, STUDY, rung, level):
            return Own(MEASURED, "ms, median", row["median_us"] / 1000)
        return Own(NOT_AVAILABLE, label)
    model = cycles(results, STUDY, rung, level, root=root)
    if label == "cycles":
        return model
    if label == "instructions / cycle" and model.value and model.error:
        low, high = (1 / (1 + end) - 1 for end in reversed(model.error))
        return Own(MODELLED, label, there.value / model.value, (low, high))
    return Own(NOT_AVAILABLE, label)


def printed(label: str, root: Path = ROOT) -> dict[str, str]:
    """Program -> his cell of a row: a rate as printed, a total in the digits of ours."""
    row = next(r for r in read_csv(TABLE, root) if r["code being profiled"] == label)
    if perf.ROWS[label][1]:
        return row
    values = published(root)[label]
    return {p: whole(v) if v >= 1000 else f"{v:.3g}" for p, v in values.items()}


def table(results: Results, root: Path = ROOT) -> str:
    """His table and ours, row under row, each of a round trip."""
    rows = []
    for label in published(root):
        owns = [own(results, label, program, root) for program in PROGRAMS]
        rows.append([label, "Dirk", *(printed(label, root)[p] for p in PROGRAMS), "published"])
        metrics = dict.fromkeys(o.metric for o in owns if o.value is not None)
        name = "; ".join(metric for metric in metrics if metric != label)
        rows.append([name, "ours", *(o.text for o in owns), said(owns)])
    head = [f"{program}: {rung} -{level}" for program, (rung, level) in PROGRAMS.items()]
    return markdown.table(["a round trip", "whose", *head, "status"], rows, (0, 1, 7))


def loop(results: Results, rung: str) -> Own:
    """Instructions of a Montgomery product over its rounds, one for each bit; at -O0."""
    product = exact(results, STUDY, rung, "O0", ("instructions",), "mont_mul")
    if product.value is None:
        return product
    return Own(MEASURED, "instructions of mont_mul a round", product.value / ROUNDS)


def listings(results: Results, root: Path = ROOT) -> str:
    """The lengths of his two listings beside what a round of ours executes."""
    rows = [
        ([f"Listing {row['listing']}: {row['code']}", row["instructions"], f"{rung} -O0"],
         [loop(results, rung)])
        for row, rung in zip(read_csv(LISTINGS, root), ("v1", "v2"))
    ]  # fmt: skip
    ours = f"instructions of mont_mul / {ROUNDS} rounds"
    return comparison(["code", "his instructions", "our rung"], rows, (0, 2), [ours])


def text(results: Results, root: Path = ROOT) -> str:
    """Both tables, with what they are of."""
    facts = about(TABLE, root)
    return (
        f"{facts['section']}: {facts['workload']}, on {facts['platform']}; here divided by {TRIPS}."
        f" Ours: study {STUDY}, {results.platform}, {results.compiler}, a mean round trip."
        " Cache references are accesses of the data cache, branches those that change the program"
        " counter; perf counts his whole program, we count the snapshot. The ARM1176 model is of a"
        " Pi Zero, and so is its error: his board can run more than one instruction a cycle."
        f"\n\n{table(results, root)}\n\n{about(LISTINGS, root)['section']}: instructions of one"
        f" round.\n\n{listings(results, root)}"
    )


def chart(results: Results, root: Path = ROOT) -> Chart:
    """Instructions of his five programs and of ours, with the factor against the first."""
    theirs = list(published(root)["instructions"].values())
    ours = [exact(results, STUDY, *cell, ("instructions",)).value for cell in PROGRAMS.values()]

    def words(values: Sequence[float | None]) -> list[str]:
        first = values[0]
        return [f"{whole(value)}  {factor(first / value if first else None)}" if value else
                NOT_MEASURED for value in values]  # fmt: skip

    answer = f"Assembly against plain C at -O0: {factor(theirs[0] / theirs[2])} in instructions"
    here = f"{factor(ours[0] / ours[2])} here" if ours[0] and ours[2] else f"ours {NOT_MEASURED}"
    caption = (
        f"Grey: {SOURCE}, published totals of perf over {TRIPS}. Coloured by level: study {STUDY},"
        f" {results.platform}, {results.compiler}, exact mean of a round trip. Factor against the"
        " first row of the same panel."
    )
    names = [f"{program}  ({rung} -{level})" for program, (rung, level) in PROGRAMS.items()]
    colours = [COLOUR[level] for _, level in PROGRAMS.values()]
    with drawing(
        "beside-dirk-2019",
        "Do Dirk's five programs and ours fall in the same places?",
        f"{answer} there, {here}", caption, (11, 3.2), nrows=1, ncols=2, sharey=True,
    ) as (made, panels):  # fmt: skip
        there = ("published: instructions a round trip", theirs, words(theirs), GREY)
        mine = ("here: instructions a round trip", ours, words(ours), colours)
        picture.paired_bars(panels, names, there, mine)
    return made
