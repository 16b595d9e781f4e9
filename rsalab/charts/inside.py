"""Inside a rung: which instructions it executes, how often it goes to memory,
what one Montgomery product is made of, and which functions call which.

Every instruction executed in the snapshot has one class
(harness/plugin/a32.h), every class one kind (records/kinds.csv); what the
compiler's run-time executes is a kind of its own.  So the kinds of a rung and
level add up to its instructions exactly.

Calls are gprof's, which counts in a program of its own, built with -pg; an
inlined call is none.
"""

from collections import defaultdict
from collections.abc import Iterator
from sqlite3 import Row

import pandas as pd
from IPython.display import SVG, Markdown

from records.ladder import LADDER, natural_key, studies
from records.results import FULL, NOT_YOURS, Results, measures
from records.tables import Column, pivot, questions, whole
from rsalab.charts import picture
from rsalab.charts.ladder import ALONE
from rsalab.charts.picture import (
    COLOUR,
    PALE,
    WIDTH,
    Chart,
    asking,
    brief,
    facts_of,
)
from rsalab.charts.theme import LOOKS
from rsalab.frames import as_table, ask, check_name, grid, levels, main_line

KINDS = {name: COLOUR[name] for name, look in LOOKS.items() if look["of"] == "kind"}
ASKED = questions(__file__)
NO_CALLS = "no call graphs (gprof/calls.csv); `make gprof` makes them"
GRAPHS = "*-O?.svg"  # in gprof/ of a results folder
UNDRAWN = "*No picture here: `make gprof` draws it where graphviz is.*"


def no_classes(study: str) -> str:
    """Return what is missing of a study, and the command that measures it."""
    return f"no instructions by class of {study}; {measures(study)} them"


def by_level(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return for each level a row for each rung that `rows` has at some level, in their order."""
    rungs = rows["snapshot"].unique()
    panels = {}
    for level in levels(rows):
        of_level = rows[rows["level"] == level].set_index("snapshot")
        panels[f"-{level}"] = of_level.reindex(rungs)
    return panels


def by_kind(results: Results, study: str) -> pd.DataFrame:
    """Return instructions of a round trip, a row for each snapshot and level,
    a column for each kind and `total`.  Raises Failure."""
    rows = ask(results, ASKED["kinds"], study, lacks=no_classes(study))
    cells = ["place", "snapshot", "level"]
    wide = rows.pivot_table("mean", cells, "kind", aggfunc="sum", fill_value=0.0)
    wide = wide.reindex(columns=list(KINDS), fill_value=0.0)
    return wide.assign(total=wide.sum(axis=1)).reset_index()


def mix(results: Results, study: str = LADDER) -> Chart:
    """Return the shares of the kinds, stacked to 100 %, a panel for each level,
    totals beside them.  Raises Failure where no classes were counted."""
    check_name("study", study, [LADDER, *studies(results.root)])
    counts = by_kind(results, study)
    counts[list(KINDS)] = counts[list(KINDS)].mul(100).div(counts["total"], axis=0)
    panels = by_level(counts.assign(beside=counts["total"].map(brief)))
    last = counts.iloc[-1]
    share = last[list(KINDS)].astype(float)
    answer = f"Most of {last['snapshot']} at -{last['level']}: {share.idxmax()}, {share.max():.0f} %"
    size = WIDTH, 2.1 + len(panels) * (0.45 + 0.19 * counts["snapshot"].nunique())
    return picture.stacked(
        "instruction-mix", answer, size, facts_of(results, study),
        "% of the instructions of a round trip", "{:.0f}".format, KINDS, panels,
        nrows=len(panels), sharex=True,
    )  # fmt: skip


def in_numbers(results: Results, study: str = LADDER) -> str:
    """Return the instructions of a round trip by kind, a table for each level
    (Markdown).  Raises Failure where no classes were counted."""
    counts = by_kind(results, study)
    parts = []
    for level in levels(counts):
        of_level = counts[counts["level"] == level].set_index("snapshot")
        numbers = of_level[[*KINDS, "total"]]
        occurring = numbers.loc[:, numbers.any()]
        parts.append(f"**-{level}**\n\n{as_table(occurring, whole)}")
    return "\n\n".join(parts)


def memory_accesses(results: Results, study: str = LADDER) -> Chart:
    """Return the memory accesses by rung, a line for each level, logarithmic;
    branches off the line.  Raises Failure where no accesses were counted."""
    lacks = "no memory accesses; `make all-iterations` counts them"
    counts = ask(results, ASKED["lines_of_memory"], study, lacks=lacks)
    return _lines(results, "memory-accesses", counts, brief, study)


def calls_by_rung(results: Results) -> Chart:
    """Return all calls of a round trip, by rung, a line for each level; branches
    off the line.  Raises Failure where none were counted."""
    counts = ask(results, ASKED["lines_of_calls"], LADDER, lacks=NO_CALLS)
    return _lines(results, "calls", counts, whole, LADDER)


def _lines(results: Results, name: str, counts: pd.DataFrame, form: picture.Form, study: str
           ) -> Chart:  # fmt: skip
    """Return a line for each level over the rungs; the title has the numbers of the last one."""
    rungs = results.rungs(study)
    wide = grid(counts, rungs, "count").dropna(how="all")
    last = [rung for rung in main_line(rungs) if rung in wide.index][-1]
    answer = f"{last}: {picture.at_levels(wide.loc[last], form)}"
    with asking(name, answer, (11, 5.4), facts_of(results, study)) as (chart, axes):
        picture.by_rung(axes, wide, rungs, form, form)
        picture.title(axes, f"{name.replace('-', ' ')}, in a round trip")
    return chart


def loads_and_stores(results: Results, study: str = LADDER) -> Chart:
    """Return what each step removed or added, split into loads, stores and the
    rest, a panel a level; a pop into pc is a load here.  Raises Failure
    where no step was measured together with its parent."""
    steps = ask(results, ASKED["changes"], study, lacks=ALONE)
    both = steps["loads"] + steps["stores"]
    most = steps.loc[both.idxmin()]
    answer = f"Most: {both.min():+.0f} of {most['whole']:+.0f} %, {most['snapshot']} at -{most['level']}"
    rows = steps.assign(
        idea=steps["idea"].str.partition(":")[0],
        beside=steps["whole"].map("{:+.0f} %".format),
    )
    panels = by_level(rows.assign(snapshot=picture.step_names(rows)))
    colours = {
        "loads": COLOUR["loads"],
        "stores": COLOUR["stores"],
        "rest": COLOUR["moves"],
    }
    size = 11, 1.7 + len(panels) * (0.45 + 0.25 * steps["snapshot"].nunique())
    return picture.stacked(
        "loads-and-stores", answer,
        size, facts_of(results, study),
        "instructions removed (-) or added (+), % of the parent's", "{:+.0f}".format, colours,
        panels, nrows=len(panels), sharex=True,
    )  # fmt: skip


def product(results: Results, study: str = LADDER) -> Chart:
    """Return the instructions of one product by class at the highest level
    counted, in C and by hand, a panel with a scale of its own for each
    rung.  Raises Failure where none was counted by class."""
    lacks = "no product by hand; `make all-iterations` counts it"
    rows = ask(results, ASKED["product"], study, lacks=lacks)
    parts = rows.pivot_table(
        "mean", ["usual", "kind"], "snapshot", fill_value=0, sort=False
    )
    parts = parts[rows.sort_values("place")["snapshot"].unique()]
    words, kinds = zip(*parts.index)
    colours = [COLOUR.get(kind) for kind in kinds]
    total = parts.sum()
    last = parts.columns[-1]
    counts = parts[last]
    most, _ = counts.idxmax()
    answer = f"{last}: {brief(counts.max())} of {brief(total[last])} are {most}"
    size = 11, 1.8 + 0.25 * len(parts)
    facts = facts_of(results, study, "mont_mul", level=rows["level"].iloc[0])
    drawn = asking(
        "montgomery-product", answer, size, facts, ncols=len(total), sharey=True
    )
    with drawn as (chart, panels):
        for axes, (name, counts) in zip(panels, parts.items()):
            texts = [brief(count) for count in counts]
            picture.bars(axes, words, counts, texts, colours)
            picture.title(axes, f"{name}: {brief(total[name])} instructions")
    return chart


def by_function(results: Results, level: str = "O0") -> str:
    """Return the calls of each function in a round trip by rung, the busiest
    first (Markdown).  Raises Failure where no calls were counted."""
    asked = "select * from trip_calls where (study, level) = (?, ?) order by calls desc, callee"
    counts = ask(results, asked, LADDER, level, lacks=NO_CALLS)
    wide = counts.pivot_table("calls", "callee", "snapshot", sort=False)
    names = [rung.name for rung in results.rungs() if rung.name in wide]
    return as_table(wide[names].rename("`{}`".format), whole, f"calls at -{level}")


def inlined(results: Results) -> str:
    """Return the calls that are left at each level, and of which functions
    (Markdown).  Raises Failure where no calls were counted."""
    ask(results, ASKED["lines_of_calls"], LADDER, lacks=NO_CALLS)
    functions: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in results.rows(__file__, "inlined", study=LADDER):
        functions[row["snapshot"], row["level"]].append(row)
    rows = []
    for (rung, level), called in functions.items():
        calls = 0
        names = []
        for row in called:
            calls += row["calls"]
            names.append(f"`{row['callee']}` {whole(row['calls'])}")
        left = ", ".join(names) if level > "O0" else None
        rows.append(
            {"rung": rung, "level": level, "calls": whole(calls), "functions": left}
        )
    cells: dict[str, Column] = {"calls": "calls", "functions at": "functions"}
    return pivot(rows, {"rung": "rung"}, "level", cells).markdown


def products(results: Results, level: str = "O0") -> Chart:
    """Return the Montgomery products of a round trip, by rung: those of two
    operands and those by 1.  Raises Failure where no calls were counted."""
    rows = ask(results, ASKED["products"], LADDER, level, lacks=NO_CALLS).set_index(
        "snapshot"
    )
    every = rows["every"].map(whole)
    first = every.index[0]
    last = every.index[-1]
    answer = f"{every[first]} in {first}, {every[last]} in {last}"

    def by_one(products: float) -> str:
        return f", {whole(products)} by 1" if products else ""

    parts = {"of two operands": rows["every"] - rows["one"], "by 1": rows["one"]}
    colours = dict(zip(parts, (COLOUR[level], PALE)))
    beside = every + rows["one"].map(by_one)
    panel = pd.DataFrame({**parts, "beside": beside})
    size = (11, 1.8 + 0.3 * len(rows))
    facts = facts_of(results, level=level)
    axis = "Montgomery products a round trip"
    return picture.stacked(
        "products", answer, size, facts, axis, lambda _: "", colours, {"": panel}
    )


def call_graph(results: Results, rung: str, level: str) -> Iterator[SVG | Markdown]:
    """Yield heading and call graph of a rung at a level, as the results folder or
    its lender has it.  Raises Failure where there are graphs, but none of
    this name."""
    own = results.folder / "gprof"
    drawn = sorted(own.glob(GRAPHS))
    if results.lender:
        drawn += sorted((results.lender.folder / "gprof").glob(GRAPHS))
    names = [path.stem.rpartition("-") for path in drawn]
    if drawn:
        check_name(
            "rung", rung, sorted({name for name, _, _ in names}, key=natural_key)
        )
        check_name("level", level, sorted({at for _, _, at in names}))
    heading = f"**{rung} at -{level}**"
    for path in drawn:
        if path.stem == f"{rung}-{level}":
            origin = "" if path.parent == own else f", {NOT_YOURS}"
            yield Markdown(heading + origin)
            yield SVG(path.read_text())
            return
    yield Markdown(heading)
    yield Markdown(UNDRAWN)


def shares(results: Results, case: str = FULL) -> Chart:
    """Return the share of the instructions in each function, by rung, a panel for
    each level.  Raises Failure where no functions were counted."""
    asked = "select * from shares where (study, workload) = (?, ?) order by place"
    rows = ask(results, asked, LADDER, case,
               lacks="no counts by function; `make all-iterations` has them")  # fmt: skip
    most = (
        rows.groupby(["level", "snapshot"])["symbol"].nunique().groupby("level").max()
    )
    answer = f"Functions, at most: {picture.at_levels(most[levels(rows)], whole)}"
    largest = (
        rows.groupby("symbol")["share"]
        .max()
        .sort_values(ascending=False, kind="stable")
    )
    wide = rows.pivot_table(
        "share", ["snapshot", "level"], "symbol", fill_value=0, sort=False
    )
    return picture.stacked(
        "instruction-shares", answer, (11, 4.8), facts_of(results, trips=results.trips(case)),
        "% of the instructions", lambda _: "",
        {name: COLOUR.get(name.partition(".")[0], PALE) for name in largest.index},
        by_level(wide.reset_index()), ncols=len(most), sharey=True,
    )  # fmt: skip
