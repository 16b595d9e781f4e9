"""Inside a rung: which instructions it executes, how often it goes to memory,
what one Montgomery product is made of, and which functions call which.

Every instruction executed in the snapshot has one class
(harness/plugin/a32.h), every class one group; what the compiler's run-time
executes is a group of its own.  So the groups of a rung and level add up to
its instructions exactly.

Calls are gprof's, which counts in a program of its own, built with -pg; an
inlined call is none.
"""

from collections.abc import Iterator

import pandas as pd
from IPython.display import SVG, Markdown

from records.faults import Failure
from records.ladder import LADDER, LEVELS, Snapshot
from records.results import FULL, Results
from records.tables import NONE, whole
from rsalab import markdown
from rsalab.charts import picture
from rsalab.charts.ladder import ALONE
from rsalab.charts.picture import COLOUR, PALE, WIDTH, Chart, asking, brief, facts_of
from rsalab.frames import as_table, ask, grid, ladder_table, levels, main_line
from rsalab.steps.spent import GROUPS, MOVES, OTHER

RUNTIME = "run-time"
OTHERS = {"system": "nop", "exclusive": "ldrex", "unknown": "unknown"}
PAINT = {  # a group's colour, Okabe and Ito's
    "loads": "#0072b2",
    "stores": "#56b4e9",
    "branches": "#d55e00",
    "adds": "#e69f00",
    "logic": "#f0e442",
    "compares": "#999999",
    "moves": "#c8c8c8",
    MOVES: "#b9dfb0",
    "NEON": "#009e73",
    "multiplies": "#cc79a7",
    RUNTIME: "#000000",
    OTHER: "#6e6e6e",
}
CLASSES = {**GROUPS, RUNTIME: {RUNTIME: RUNTIME}, OTHER: OTHERS}
GROUP_OF = {cls: group for group, words in CLASSES.items() for cls in words}
WORDS = {cls: word for words in CLASSES.values() for cls, word in words.items()}
# Functions' colours, which stand for no level; one without a colour here is pale grey.
HELPER = {"add": "#56b4e9", "shr": "#e69f00", "halve": "#f0e442", "less": "#cc79a7",
          "odd": "#b9dfb0", "mmm": "#707070", "mont_mul": "#404040",
          "mod_mul": "#bdb4a0"}  # fmt: skip
NO_CALLS = "no call graphs (gprof/calls.csv); `make gprof` makes them"
UNDRAWN = "*No picture here: `make gprof` draws it where graphviz is.*"


def classes(results: Results, study: str, case: str = FULL) -> pd.DataFrame:
    """Mean instructions an operation by class: index (snapshot, level), a
    column for each class that occurs, `run-time` with them.  Raises Failure
    where no classes were counted."""
    command = "make all-iterations" if study == LADDER else "make studies"
    rows = ask(
        results,
        'select snapshot, level, class, mean from classes where (study, "case") = (?, ?)',
        study, case, lacks=f"no opcode classes of {study} ({case}); `{command}` counts them",
    )  # fmt: skip
    return rows.pivot_table("mean", ["snapshot", "level"], "class", fill_value=0.0)


def groups(results: Results, study: str, case: str = FULL) -> pd.DataFrame:
    """The same by group: a column for each of CLASSES.  Raises Failure."""
    counts = classes(results, study, case)
    sums = counts.T.groupby(lambda cls: GROUP_OF.get(cls, OTHER)).sum().T
    return sums.reindex(columns=list(PAINT), fill_value=0.0)


def mix(results: Results, study: str = LADDER) -> Chart:
    """Shares of the groups, stacked to 100 %, a panel for each level,
    totals beside them.  Raises Failure where no classes were counted."""
    counts, names = groups(results, study), [rung.name for rung in results.rungs(study)]
    total, shown = counts.sum(axis=1), levels(counts.reset_index())
    shares = 100 * counts.div(total, axis=0)
    last = shares.loc[names[-1]].iloc[-1]
    answer = f"Most of {names[-1]} at -{shown[-1]}: {last.idxmax()}, {last.max():.0f} %"
    size = (WIDTH, 2.1 + len(shown) * (0.45 + 0.19 * len(names)))
    drawn = asking(
        "instruction-mix", answer, size, facts_of(results, study), nrows=len(shown), sharex=True
    )
    with drawn as (chart, panels):
        frames = {f"-{at}": shares.xs(at, level="level").reindex(names) for at in shown}
        for axes, level in zip(panels, shown):
            picture.beside(axes, map(brief, total.xs(level, level="level").reindex(names)))
        along = "% of the instructions of a round trip"
        picture.stacks(panels, frames, list(PAINT.values()), along, "{:.0f}".format)
    return chart


def in_numbers(results: Results, study: str = LADDER) -> str:
    """Instructions a round trip by group, a table for each level (Markdown).  Raises Failure."""
    counts, names = groups(results, study), [rung.name for rung in results.rungs(study)]
    counts["total"] = counts.sum(axis=1)
    used = counts.loc[:, counts.any()]
    blocks = []
    for level in levels(counts.reset_index()):
        here = used.xs(level, level="level").reindex(names).dropna()
        blocks.append(f"**-{level}**\n\n{as_table(here, whole)}")
    return "\n\n".join(blocks)


def memory_accesses(results: Results, study: str = LADDER) -> Chart:
    """Memory accesses by rung, a line for each level, logarithmic; branches
    off the line.  Raises Failure where no accesses were counted."""
    rows = ask(
        results,
        'select rung, level, load_accesses + store_accesses as "memory-accesses" from ladder'
        ' where (study, "case") = (?, ?) and load_accesses is not null', study, FULL,
        lacks="no memory accesses; `make all-iterations` counts them",
    )  # fmt: skip
    return _lines("memory-accesses", rows, results.rungs(study), brief, facts_of(results, study))


def _lines(name: str, counts: pd.DataFrame, rungs: list[Snapshot], form: picture.Form,
           facts: picture.Facts) -> Chart:  # fmt: skip
    """A line for each level over the rungs; the title has the numbers of
    the last one.  `name` is a column of `counts`, too."""
    wide = grid(counts, rungs, name).dropna(how="all")
    last = [rung for rung in main_line(rungs) if rung in wide.index][-1]
    answer = f"{last}: {picture.at_levels(wide.loc[last], form)}"
    with asking(name, answer, (11, 5.4), facts) as (chart, axes):
        picture.by_rung(axes, wide, rungs, form, form)
        picture.title(axes, f"{name.replace('-', ' ')}, in a round trip")
    return chart


def loads_and_stores(results: Results, study: str = LADDER) -> Chart:
    """What each step removed or added, split into loads, stores and the
    rest, a panel a level; a pop into pc is a load here.  Raises Failure
    where no step was measured together with its parent."""
    pairs = ask(results, "select * from changes where study = ?", study, lacks=ALONE)
    both = pairs["loads"] + pairs["stores"]
    most = pairs.loc[both.idxmin()]
    steps = [rung for rung in results.rungs(study) if (pairs["step"] == rung.name).any()]
    labels = [f"{s.idea.partition(':')[0]}   {s.parent_name} to {s.name}" for s in steps]
    shown = levels(pairs)
    answer = (
        f"Most: {both.min():+.0f} of {most['whole']:+.0f} %, {most['step']} at -{most['level']}"
    )
    size = (11, 1.7 + len(shown) * (0.45 + 0.25 * len(steps)))
    drawn = asking(
        "loads-and-stores", answer, size, facts_of(results, study), nrows=len(shown), sharex=True
    )
    with drawn as (chart, panels):
        frames = {}
        for axes, level in zip(panels, shown):
            rows = pairs[pairs["level"] == level].set_index("step").reindex([s.name for s in steps])
            picture.beside(axes, (NONE if pd.isna(n) else f"{n:+.0f} %" for n in rows["whole"]))
            frames[f"-{level}"] = rows[["loads", "stores", "rest"]].set_axis(labels)
        along = "instructions removed (-) or added (+), % of the parent's"
        colours = [PAINT["loads"], PAINT["stores"], PAINT["moves"]]
        picture.stacks(panels, frames, colours, along, "{:+.0f}".format)
    return chart


def one_product(results: Results, study: str = LADDER) -> pd.DataFrame:
    """Mean instructions of one mont_mul at the highest level counted: a
    column for each rung that has assembly, after the parent of the first of
    them, a row for each opcode class that occurs, in the order of CLASSES.
    Raises Failure where it was not counted."""
    counts = classes(results, study, "mont_mul")
    by_hand = [rung for rung in results.rungs(study) if rung.has_assembly]
    names = [*(s.parent_name for s in by_hand[:1]), *(s.name for s in by_hand)]
    level = levels(counts.reset_index())[-1]
    wide = counts.xs(level, level="level").reindex(names).dropna().T
    if wide.empty:
        raise Failure(f"{results.label}: no product by hand; `make all-iterations` counts it")
    rows = [*WORDS, *wide.index.difference(list(WORDS))]
    return wide[(wide > 0).any(axis=1)].reindex(rows).dropna()


def product(results: Results, study: str = LADDER) -> Chart:
    """The instructions of one product by class, a panel with a scale of its
    own for each rung. Raises Failure where none was counted by class."""
    parts = one_product(results, study)
    total, level = parts.sum(), levels(ladder_table(results, study))[-1]
    words = [WORDS.get(cls, cls) for cls in parts.index]
    last, most = parts.columns[-1], parts[parts.columns[-1]].idxmax()
    number = f"{brief(parts.loc[most, last])} of {brief(total[last])}"
    answer = f"{last}: {number} are {WORDS.get(most, most)}"
    size, facts = (11, 1.8 + 0.25 * len(parts)), facts_of(results, study, "mont_mul", level=level)
    drawn = asking("montgomery-product", answer, size, facts, ncols=len(parts.columns), sharey=True)
    with drawn as (chart, panels):
        colours = [PAINT[GROUP_OF.get(cls, OTHER)] for cls in parts.index]
        for axes, name in zip(panels, parts):
            picture.bars(axes, words, parts[name], map(brief, parts[name]), colours)
            picture.title(axes, f"{name}: {brief(total[name])} instructions")
    return chart


def calls(results: Results) -> pd.DataFrame:
    """Calls of each function in a round trip of the ladder: rung, level,
    callee, calls; the busiest first.  Raises Failure where there are none."""
    asked = "select rung, level, callee, calls from trip_calls where study = ?"
    counts = ask(results, asked, LADDER, lacks=NO_CALLS)
    return counts.sort_values("calls", ascending=False, kind="stable")


def by_function(results: Results, level: str = "O0") -> str:
    """Calls a round trip of each function by rung, the busiest first (Markdown)."""
    counts = calls(results)
    wide = counts[counts["level"] == level].pivot(index="callee", columns="rung", values="calls")
    wide = wide.loc[wide.max(axis=1).sort_values(ascending=False, kind="stable").index]
    names = [rung.name for rung in results.rungs() if rung.name in wide]
    return as_table(wide[names].rename("`{}`".format), whole, f"calls at -{level}")


def inlined(results: Results) -> str:
    """Calls that are left at each level, and of which functions (Markdown).  Raises Failure."""
    counts = calls(results)
    counts["functions"] = "`" + counts["callee"] + "` " + counts["calls"].map(whole)
    left = counts.groupby(["rung", "level"]).agg({"calls": "sum", "functions": ", ".join})
    places = [[(rung.name, level) for level in LEVELS] for rung in results.rungs()]
    rows = []
    for place in places:
        here = left.reindex(pd.MultiIndex.from_tuples(place))
        rows.append([place[0][0], *map(whole, here["calls"]), *here["functions"].fillna(NONE)[1:]])
    head = ["rung", *(f"calls -{level}" for level in LEVELS)]
    head += [f"functions at -{level}" for level in LEVELS[1:]]
    return markdown.table(head, rows, (0, 4, 5))


def calls_by_rung(results: Results) -> Chart:
    """All calls a round trip, by rung, a line for each level; branches off
    the line.  Raises Failure where none were counted."""
    sums = calls(results).groupby(["rung", "level"], as_index=False)["calls"].sum()
    return _lines("calls", sums, results.rungs(), whole, facts_of(results))


def products(results: Results, level: str = "O0") -> Chart:
    """Montgomery products of a round trip, by rung: those of two operands
    and those by 1.  Raises Failure where no calls were counted."""
    counts = calls(results)
    counts = counts[counts["level"] == level]
    wide = counts.pivot(index="rung", columns="callee", values="calls").fillna(0)
    rungs = [rung for rung in results.rungs() if rung.name in wide.index]
    names = [rung.name for rung in rungs]
    wide = wide.reindex(index=names, columns=["mmm", "mont_mul", "mmm_1"], fill_value=0)
    every, one = wide.sum(axis=1), wide["mmm_1"]
    parts = pd.DataFrame({"of two operands": every - one, "by 1": one})
    answer = f"{whole(every.iloc[0])} in {names[0]}, {whole(every.iloc[-1])} in {names[-1]}"
    size, facts = (11, 1.8 + 0.3 * len(names)), facts_of(results, level=level)
    with asking("products", answer, size, facts) as (chart, axes):
        words = (whole(n) + f", {whole(few)} by 1" * bool(few) for n, few in zip(every, one))
        picture.beside(axes, words)
        colours, along = [COLOUR[level], PALE], "Montgomery products a round trip"
        picture.stacks([axes], {"": parts}, colours, along, lambda _: "")
    return chart


def call_graph(results: Results, rung: str, level: str) -> Iterator[SVG | Markdown]:
    """Heading and call graph of a rung at a level, as the results folder has it."""
    yield Markdown(f"**{rung} at -{level}**")
    path = results.folder / "gprof" / f"{rung}-{level}.svg"
    yield SVG(path.read_text()) if path.is_file() else Markdown(UNDRAWN)


def shares(results: Results, case: str = FULL) -> Chart:
    """Share of the instructions in each function, by rung, a panel for each
    level.  Raises Failure where no functions were counted."""
    rows = ask(
        results, 'select * from shares where (study, "case") = (?, ?)', LADDER, case,
        lacks="no counts by function; `make all-iterations` has them",
    )  # fmt: skip
    most = rows.groupby(["level", "snapshot"])["symbol"].nunique().groupby("level").max()
    wide = rows.pivot_table("share", ["level", "snapshot"], "symbol", fill_value=0.0)
    names, shown = [rung.name for rung in results.rungs()], levels(rows)
    answer = f"Functions, at most: {picture.at_levels(most[shown], whole)}"
    facts = facts_of(results, trips=results.trips(case))
    drawn = asking("instruction-shares", answer, (11, 4.8), facts, ncols=len(shown), sharey=True)
    with drawn as (chart, panels):
        wide = wide[wide.max().sort_values(ascending=False, kind="stable").index]
        colours = [HELPER.get(str(name).partition(".")[0], PALE) for name in wide]
        frames = {f"-{level}": wide.loc[level].reindex(names) for level in shown}
        picture.stacks(panels, frames, colours, "% of the instructions", lambda _: "")
    return chart
