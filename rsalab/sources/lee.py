"""Lee 2021: steps and calls of a 96-bit program, beside study width-96."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from records import ladder
from records.ladder import LEVELS, ROOT, natural_key
from records.published import about, read_csv
from records.results import Results
from records.tables import NONE, factor
from rsalab import markdown
from rsalab.charts import picture
from rsalab.charts.picture import GREY, Chart, drawing
from rsalab.sources.own import MEASURED, NOT_MEASURED, Own, comparison, exact, said

SOURCE, STUDY = "Lee 2021", "width-96"
TABLE, GPROF = "lee-2021-table-1.csv", "lee-2021-gprof.csv"
OUTPUTS = {"1": "v0", "2": "v2"}  # his gprof output -> our rung; both at GPROF_LEVEL
GPROF_LEVEL = "O1"
EXPONENTIATION = "modular_exponentiation_mont_32x3"
FUNCTIONS = {  # his function -> ours that do its work
    EXPONENTIATION: ("mod_exp",),
    "modular_multiplication_32x3": ("mmm",),
    "rshift_uint32x3": ("rshift", "rshift1", "rshift32"),
    "add_uint32x3": ("add",),
    "sub_uint32x3": ("sub",),
}


def ticks(root: Path = ROOT) -> pd.DataFrame:
    """What he calls cycles, ticks of clock(): a row for each version, a column for each level."""
    rows = {
        row["version"]: [float(row[level]) for level in LEVELS] for row in read_csv(TABLE, root)
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(LEVELS))


def own(results: Results, version: str, level: str) -> Own:
    """Instructions of a round trip of our rung of the same name."""
    return exact(results, STUDY, version, level, ("instructions",))


def both(results: Results, root: Path = ROOT) -> tuple[pd.DataFrame, pd.DataFrame]:
    """His ticks and our instructions: a row for each of his versions and then for our rungs that he
    has not, a column for each level; the same names mean the same step."""
    theirs = ticks(root)
    ours = {snapshot.name for snapshot in results.rungs(STUDY)}
    names = [*theirs.index, *sorted(ours - set(theirs.index), key=natural_key)]
    counts = {
        name: [results.means(STUDY, name, level).get("instructions") for level in LEVELS]
        for name in names
    }
    mine = pd.DataFrame.from_dict(counts, orient="index", columns=list(LEVELS), dtype=float)
    return theirs.reindex(names), mine


def table(results: Results, root: Path = ROOT) -> str:
    """His Table 1 beside our instructions, each with its factor against its own v0."""
    his, mine = both(results, root)
    ideas = {snapshot.name: snapshot.idea for snapshot in results.rungs(STUDY)}
    ideas |= {row["version"]: row["optimizations"] for row in read_csv(TABLE, root)}
    there, here = his.loc["v0"] / his, mine.loc["v0"] / mine
    rows = []
    for version in his.index:
        cells, owns = [version, ideas[version]], [own(results, version, at) for at in LEVELS]
        for level, ours in zip(LEVELS, owns):
            number = his.loc[version, level]
            cells += [NONE if pd.isna(number) else f"{number:,.1f}"]
            cells += [factor(there.loc[version, level]), ours.text]
            cells += [factor(here.loc[version, level])]
        rows.append([*cells, said(owns)])
    head = ["version", "optimisation"]
    for level in LEVELS:
        head += [f"-{level}: his ticks", "v0/this", "our instructions", "v0/this"]
    return markdown.table([*head, "status of ours"], rows, (0, 1, len(head)))


def our_calls(results: Results, rung: str) -> dict[str, int]:
    """Calls of each function of a rung of the study at GPROF_LEVEL; empty without gprof."""
    asked = "select * from calls where (study, snapshot, level, caller) = (?, ?, ?, '<total>')"
    rows = results.query(asked, STUDY, rung, GPROF_LEVEL)
    return {row["callee"]: row["calls"] for row in rows}


def calls_table(results: Results, root: Path = ROOT) -> str:
    """His calls and ours, both of a round trip, which is two exponentiations, of the functions that
    his first output has; 0 where all of ours were inlined."""
    his = {(row["output"], row["name"]): int(row["called"]) for row in read_csv(GPROF, root)
           if row["name"] in FUNCTIONS and row["role"] == "function"}  # fmt: skip
    rows = []
    for output, rung in OUTPUTS.items():
        ours = our_calls(results, rung)
        trips = ours.get("mod_exp", 0) / 2
        for name in (name for name in FUNCTIONS if ("1", name) in his):
            theirs = 2 * his.get((output, name), 0) / his[output, EXPONENTIATION]
            there = [function for function in FUNCTIONS[name] if function in ours]
            calls = sum(ours[function] for function in there)
            own = Own(MEASURED, "calls", calls / trips) if trips else Own(NOT_MEASURED, "calls")
            mine = ", ".join(there) or ("inlined" if trips else NONE)
            rows.append(([output, name, f"{theirs:,.1f}" if theirs else "inlined",
                          f"{rung}: {mine}"], [own]))  # fmt: skip
    head = ["output", "his function", "calls a round trip", "ours"]
    return comparison(head, rows, (0, 1, 3), ["calls a round trip"])


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


def chart(results: Results, root: Path = ROOT) -> Chart:
    """Factor against v0 by version and level: his times in one panel, our counts in the other."""
    his, mine = (numbers.loc["v0"] / numbers for numbers in both(results, root))
    answer = f"NEON addition, v2 to v2neon: {span(his)} in time there, "
    known = mine.loc[["v2", "v2neon"]].notna().all(axis=None)
    answer += f"{span(mine)} in instructions here" if known else f"ours {NOT_MEASURED}"
    caption = (
        f"Above: {SOURCE}, Table 1, as published: ticks of clock() in an emulator. Below: study"
        f" {STUDY}, {results.platform}, {results.compiler}, instructions of a round trip, exact"
        " mean. Factor against v0 of the same panel and level, logarithmic. Time under emulation"
        " and instructions are two things: compare the directions of the steps."
        " Dotted, in brackets: a branch that no version continues."
    )
    steps = ladder.snapshots(STUDY)
    with drawing(
        "beside-lee-2021", "Do Lee's steps help at the same levels here?", answer,
        caption, (11, 8), nrows=2, ncols=1, sharex=True, sharey=True,
    ) as (made, panels):  # fmt: skip
        picture.title(panels[0], "published: ticks of v0 / ticks")
        panels[1].set_title("here: instructions of v0 / instructions", color="black")
        for axes in panels:
            axes.axhline(1, color=GREY, linewidth=1)
        for axes, numbers in zip(panels, (his, mine)):
            picture.by_rung(axes, numbers, steps, factor, lambda y: f"x{y:g}")
        if mine.isna().all(axis=None):
            picture.label(panels[1], NOT_MEASURED, (0, 1), (4, 12), color=GREY, style="italic")
    return made


def span(factors: pd.DataFrame) -> str:
    """What v2neon is against v2, from the worst level to the best: `x0.29 to x0.88`."""
    ratio = factors.loc["v2neon"] / factors.loc["v2"]
    return " to ".join(dict.fromkeys(factor(end) for end in (ratio.min(), ratio.max())))
