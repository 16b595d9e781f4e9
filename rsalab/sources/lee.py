"""The third source, Lee 2021: steps and calls of a 96-bit program, beside study width-96."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from records.ladder import ROOT, natural_key
from rsalab.charts.picture import COLOUR, GREY, MARKER, Chart, frame, settle, style
from rsalab.frames import Results, rungs
from rsalab.published import about, read_csv
from rsalab.report import markdown
from rsalab.sources.status import MEASURED, NONE, NOT_MEASURED, Own, exact, said
from rsalab.steps.table import LEVELS, factor

SOURCE, STUDY = "Lee 2021", "width-96"
TABLE, GPROF = "lee-2021-table-1.csv", "lee-2021-gprof.csv"
OUTPUTS = {"1": "v0", "2": "v2"}  # his gprof output -> our rung; both at GPROF_LEVEL
GPROF_LEVEL = "O1"
FUNCTIONS = {  # his function -> ours that do its work
    "modular_exponentiation_mont_32x3": ("mod_exp",),
    "modular_multiplication_32x3": ("mmm",),
    "rshift_uint32x3": ("rshift", "rshift1", "rshift32"),
    "add_uint32x3": ("add",),
    "sub_uint32x3": ("sub",),
}
SIDE = {"v2neon": "v2", "v5by16": "v4"}  # not pursued -> what it was made from
ROOM = 1.12  # least ratio of the heights of two labels
EXPONENTIATION = "modular_exponentiation_mont_32x3"


def versions(results: Results, root: Path = ROOT) -> list[str]:
    """His versions and then our rungs that he has not; the same names mean the same step."""
    theirs = [row["version"] for row in read_csv(TABLE, root)]
    ours = [snapshot.name for snapshot in rungs(results, STUDY, root)]
    return theirs + sorted(set(ours) - set(theirs), key=natural_key)


def ideas(results: Results, root: Path = ROOT) -> dict[str, str]:
    """Version -> what it changes, in his words where he has it."""
    ours = {snapshot.name: snapshot.idea for snapshot in rungs(results, STUDY, root)}
    theirs = {row["version"]: row["optimizations"] for row in read_csv(TABLE, root)}
    return {**ours, **theirs}


def ticks(root: Path = ROOT) -> dict[tuple[str, str], float]:
    """(version, level) -> what he calls cycles: ticks of clock()."""
    rows = read_csv(TABLE, root)
    return {(row["version"], level): float(row[level]) for row in rows for level in LEVELS}


def own(results: Results, version: str, level: str) -> Own:
    """Instructions of a round trip of our rung of the same name."""
    return exact(results, STUDY, version, level, ("instructions",))


def versus(first: float | None, this: float | None) -> str:
    """A factor, or a dash."""
    return factor(first / this) if first and this else NONE


def table(results: Results, root: Path = ROOT) -> str:
    """His Table 1 beside our instructions, each with its factor against its own v0."""
    theirs, idea, rows = ticks(root), ideas(results, root), []
    for version in versions(results, root):
        cells, owns = [version, idea[version]], []
        for level in LEVELS:
            his, ours = theirs.get((version, level)), own(results, version, level)
            first = own(results, "v0", level).value
            cells += [f"{his:,.1f}" if his else NONE, versus(theirs["v0", level], his)]
            cells += [ours.text, versus(first, ours.value)]
            owns.append(ours)
        rows.append([*cells, said(owns)])
    head = ["version", "optimisation"]
    for level in LEVELS:
        head += [f"-{level}: his ticks", "v0/this", "our instructions", "v0/this"]
    return markdown.table([*head, "status of ours"], rows, (0, 1, len(head)))


def his_calls(root: Path = ROOT) -> dict[str, dict[str, int]]:
    """gprof output -> function -> calls of it, main apart."""
    found: dict[str, dict[str, int]] = {}
    for row in read_csv(GPROF, root):
        if row["role"] == "function" and row["name"] in FUNCTIONS:
            found.setdefault(row["output"], {})[row["name"]] = int(row["called"])
    return found


def our_calls(results: Results) -> dict[str, dict[str, int]]:
    """Rung -> function -> calls of it, of the study at GPROF_LEVEL; empty without gprof."""
    path = results.folder / "gprof" / "calls.csv"
    if not path.is_file():
        return {}
    found: dict[str, dict[str, int]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            place = (row["study"], row["level"], row["caller"])
            if place == (STUDY, GPROF_LEVEL, "<total>"):
                found.setdefault(row["snapshot"], {})[row["callee"]] = int(row["calls"])
    return found


def our_call(calls: dict[str, int], function: str) -> tuple[Own, str]:
    """Calls of our functions that do the work of one of his, and their names; 0 where all of
    them were inlined.  `calls` is empty where the rung was not profiled."""
    if not calls:
        return Own(NOT_MEASURED, "calls"), NONE
    there = [name for name in FUNCTIONS[function] if name in calls]
    return Own(MEASURED, "calls", sum(calls[n] for n in there)), ", ".join(there) or "inlined"


def calls_table(results: Results, root: Path = ROOT) -> str:
    """His calls and ours, in all and for one exponentiation."""
    ours, rows = our_calls(results), []
    for output, theirs in his_calls(root).items():
        rung = OUTPUTS[output]
        calls = ours.get(rung, {})
        ordered = [name for name in FUNCTIONS if name in his_calls(root)["1"]]
        for name in ordered:
            cell, names = our_call(calls, name)
            exponentiations = sum(calls.get(n, 0) for n in FUNCTIONS[EXPONENTIATION])
            mine = versus_one(cell.value, exponentiations)
            his = theirs.get(name)
            rows.append([
                output, name, f"{his:,}" if his else "inlined",
                versus_one(his or 0, theirs[EXPONENTIATION]), f"{rung}: {names}",
                NONE if cell.value is None else f"{cell.value:,.0f}", mine, cell.status,
            ])  # fmt: skip
    head = ["output", "his function", "calls", "an exponentiation", "ours", "calls",
            "an exponentiation", "status"]  # fmt: skip
    return markdown.table(head, rows, (0, 1, 4, 7))


def versus_one(calls: float | None, exponentiations: int) -> str:
    """Calls in one exponentiation."""
    return NONE if calls is None or not exponentiations else f"{calls / exponentiations:,.1f}"


def text(results: Results, root: Path = ROOT) -> str:
    """Both tables, with what they are of."""
    facts = about(TABLE, root)
    return (
        f"{facts['section']}: {facts['workload']}, {facts['platform']}. Ours: study {STUDY},"
        f" {results.platform}, {results.compiler}, instructions of a round trip, an exact mean."
        " Time and instructions are two metrics: compare the factors.\n\n"
        f"{table(results, root)}\n\n{about(GPROF, root)['section']}: calls at -{GPROF_LEVEL}, by"
        " gprof. Ours: five keys of the same sizes and sums, built without `static`, as his are;"
        f" R is 2^96 for all, his has the bits of the key.\n\n{calls_table(results, root)}"
    )


def lines(axes: Axes, names: list[str], factors: pd.DataFrame, colours: dict[str, str]) -> None:
    """A line for each level, its name at the end; what was not pursued hangs off it, dotted."""
    ends: dict[str, tuple[int, float]] = {}
    for level in LEVELS:
        ratio = factors[level].dropna()
        if ratio.empty:
            continue
        mark = {"color": colours[level], "marker": MARKER[level]}
        main = ratio.drop([name for name in SIDE if name in ratio])
        place = [names.index(name) for name in main.index]
        axes.plot(place, main, linewidth=1.8, **mark)
        for name in (name for name in SIDE if name in ratio and SIDE[name] in ratio):
            pair = [SIDE[name], name]
            axes.plot([names.index(n) for n in pair], ratio[pair], linestyle=":", markevery=[1],
                      markerfacecolor="white", **mark)  # fmt: skip
        ends[level] = place[-1], main.iloc[-1]
    height = 0.0
    for level, (x, y) in sorted(ends.items(), key=lambda end: end[1][1]):
        height = max(y, height * ROOM)
        axes.annotate(f"-{level}  {factor(y)}", (x, y), (x + 0.25, height), va="center",
                      textcoords="data", color=colours[level], fontweight="bold")  # fmt: skip


def factors(values: dict[tuple[str, str], float], names: list[str]) -> pd.DataFrame:
    """A row for each version, a column for each level: v0 divided by it."""
    cells = {
        level: [
            values["v0", level] / values[name, level]
            if (name, level) in values and ("v0", level) in values
            else None
            for name in names
        ]
        for level in LEVELS
    }
    return pd.DataFrame(cells, index=names, dtype=float)


def chart(results: Results, root: Path = ROOT) -> Chart:
    """Factor against v0 by version and level: his times in one panel, our counts in the other."""
    names, theirs = versions(results, root), ticks(root)
    cells = {(n, level): own(results, n, level).value for n in names for level in LEVELS}
    ours = {cell: value for cell, value in cells.items() if value is not None}
    his, mine = factors(theirs, names), factors(ours, names)
    answer = f"NEON addition, v2 to v2neon: {span(his)} in time there, "
    known = mine.loc[["v2", "v2neon"]].notna().all(axis=None)
    answer += f"{span(mine)} in instructions here" if known else f"ours {NOT_MEASURED}"
    caption = (
        f"Left: {SOURCE}, Table 1, as published: ticks of clock() in an emulator. Right: study"
        f" {STUDY}, {results.platform}, {results.compiler}, instructions of a round trip, exact"
        " mean. Factor against v0 of the same panel and level, logarithmic. Time under emulation"
        " and instructions are two things: compare the directions of the steps."
        " Dotted: not pursued."
    )
    with style():
        figure, panels = frame(answer, caption, (11, 5), nrows=1, ncols=2, sharey=True)
        lines(panels[0], names, his, dict.fromkeys(LEVELS, GREY))
        lines(panels[1], names, mine, COLOUR)
        panels[0].set_title("published: ticks of v0 / ticks", color=GREY)
        panels[1].set_title("here: instructions of v0 / instructions", color="black")
        for axes in panels:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"x{y:g}"))
            axes.yaxis.set_major_locator(LogLocator(2))
            axes.yaxis.set_minor_locator(NullLocator())
            axes.axhline(1, color=GREY, linewidth=1)
            axes.set_xticks(range(len(names)))
            axes.set_xticklabels(names, color="black")
            axes.set_xlim(-0.3, len(names) + 0.4)
            axes.grid(False, axis="x")
        if not ours:
            panels[1].text(0.5, 0.5, NOT_MEASURED, transform=panels[1].transAxes, ha="center",
                           color=GREY, style="italic")  # fmt: skip
        settle(figure)
    question = "Do the third source's steps help at the same levels here?"
    return Chart("beside-lee-2021", question, answer, caption, figure)


def span(factors: pd.DataFrame) -> str:
    """What v2neon is against v2, from the worst level to the best: `x0.29 to x0.88`."""
    ratio = factors.loc["v2neon"] / factors.loc["v2"]
    return " to ".join(dict.fromkeys(factor(end) for end in (ratio.min(), ratio.max())))
