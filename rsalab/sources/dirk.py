"""The second source, Dirk 2019: five 64-bit programs under perf, beside study width-64."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from harness.time import perf_table
from records.ladder import ROOT
from rsalab.charts.picture import COLOUR, GREY, Chart, frame, settle, style
from rsalab.frames import Results
from rsalab.published import about, read_csv
from rsalab.report import markdown
from rsalab.sources.status import (
    MEASURED,
    MODELLED,
    NONE,
    NOT_AVAILABLE,
    NOT_MEASURED,
    TRIP,
    Own,
    cycles,
    exact,
    noisy_rows,
    said,
)
from rsalab.steps.table import factor, medians, whole

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
        _, below, _ = perf_table.ROWS[label]
        share = 1 if below else TRIPS
        table[label] = {program: float(text) / share for program, text in row.items()}
    return table


def perf_cell(results: Results, rung: str, level: str) -> dict[str, float | str]:
    """What a board's perf.csv says of a cell of the study; empty without one."""
    rows = [
        row
        for row in noisy_rows(results, "perf.csv")
        if (row["study"], row["snapshot"], row["level"]) == (STUDY, rung, level)
    ]
    return perf_table.derive(rows) if rows else {}


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
        time = medians(noisy_rows(results, "times.csv"), STUDY).get((rung, level))
        return Own(MEASURED, "ms, median", time / 1000) if time else Own(NOT_AVAILABLE, label)
    model = cycles(results, STUDY, rung, level, TRIP, root)
    if label == "cycles":
        return model
    if label == "instructions / cycle" and model.value and model.error:
        low, high = (1 / (1 + end) - 1 for end in reversed(model.error))
        return Own(MODELLED, label, there.value / model.value, (low, high))
    return Own(NOT_AVAILABLE, label)


def printed(label: str, root: Path = ROOT) -> dict[str, str]:
    """Program -> his cell of a row: a rate as printed, a total in the digits of ours."""
    row = next(r for r in read_csv(TABLE, root) if r["code being profiled"] == label)
    if perf_table.ROWS[label][1]:
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
        return Own(NOT_MEASURED, "instructions")
    return Own(MEASURED, "instructions of mont_mul a round", product.value / ROUNDS)


def listings(results: Results, root: Path = ROOT) -> str:
    """The lengths of his two listings beside what a round of ours executes."""
    rows = []
    for row, rung in zip(read_csv(LISTINGS, root), ("v1", "v2")):
        ours = loop(results, rung)
        rows.append([f"Listing {row['listing']}: {row['code']}", row["instructions"],
                     f"{rung} -O0", ours.text, ours.status])  # fmt: skip
    head = ["code", "his instructions", "ours", "instructions of mont_mul / 64 rounds", "status"]
    return markdown.table(head, rows, (0, 2, 4))


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


def bars(axes: Axes, values: list[float | None], own_colours: list[str] | None) -> None:
    """A bar for each program with its factor against the first one."""
    for at, value in enumerate(values):
        if value is None:
            axes.annotate(NOT_MEASURED, (0, at), (4, 0), textcoords="offset points",
                          va="center", color=GREY, style="italic", fontsize=8)  # fmt: skip
            continue
        axes.barh(at, value, color=own_colours[at] if own_colours else GREY, height=0.62)
        versus = factor(values[0] / value) if values[0] else NONE
        axes.annotate(f"{whole(value)}  {versus}", (value, at), (4, 0),
                      textcoords="offset points", va="center", fontsize=8)  # fmt: skip


def chart(results: Results, root: Path = ROOT) -> Chart:
    """Instructions and data accesses of his five programs and of ours, a panel each."""
    theirs, programs = published(root), list(PROGRAMS)
    shown = ("instructions", "cache references")
    ours = {
        n: [exact(results, STUDY, *PROGRAMS[p], COUNTED[n]).value for p in programs] for n in shown
    }
    base, best = theirs[shown[0]][programs[0]], theirs[shown[0]][programs[2]]
    here = ours[shown[0]]
    answer = f"Assembly against plain C at -O0: {factor(base / best)} in instructions there, "
    both = here[0] is not None and here[2] is not None
    answer += f"{factor(here[0] / here[2])} here" if both else f"ours {NOT_MEASURED}"
    caption = (
        f"Grey: {SOURCE}, published totals of perf over {TRIPS}. Coloured by level: study {STUDY},"
        f" {results.platform}, {results.compiler}, exact mean of a round trip. Data accesses are"
        " his cache references, our loads and stores by access. Factor against the first row of"
        " the same panel."
    )
    with style():
        figure, grid = frame(answer, caption, (11, 5.4), nrows=2, ncols=2, sharey=True)
        for line, name in zip(grid, shown):
            bars(line[0], [theirs[name][p] for p in programs], None)
            bars(line[1], ours[name], [COLOUR[PROGRAMS[p][1]] for p in programs])
            what = "data accesses" if name == shown[1] else name
            line[0].set_title(f"published: {what} a round trip", color=GREY)
            line[1].set_title(f"here: {what} a round trip", color="black")
            for axes in line:
                axes.set_yticks(range(len(programs)))
                labels = [f"{p}  ({PROGRAMS[p][0]} -{PROGRAMS[p][1]})" for p in programs]
                axes.set_yticklabels(labels, color="black", fontsize=8)
                axes.grid(False, axis="both" if not axes.patches else "y")
                axes.tick_params(axis="y", length=0)
                axes.set_xlim(0, max(axes.get_xlim()[1], 1) * 1.3)
                axes.xaxis.set_major_locator(MaxNLocator(4 if axes.patches else 1))
                axes.tick_params(axis="x", length=0, labelbottom=bool(axes.patches))
                axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
            line[0].set_ylim(len(programs) - 0.5, -0.5)
        settle(figure)
    question = "Do the second source's five programs and ours fall in the same places?"
    return Chart("beside-dirk-2019", question, answer, caption, figure)
