"""Inside a rung: which instructions it executes, how often it goes to memory,
what one Montgomery product is made of, and which functions call which.

Every instruction executed in the snapshot has one class
(harness/plugin/a32.h), every class one group; what the compiler's run-time
executes is a group of its own.  So the groups of a rung and level add up to
its instructions exactly, which `classes` checks.

Calls are gprof's, which counts in a program of its own, built with -pg; an
inlined call is none.
"""

from collections.abc import Callable, Iterator

import pandas as pd
from IPython.display import SVG, Markdown
from matplotlib.ticker import MaxNLocator

from records.faults import Failure
from records.ladder import LADDER, LEVELS, Snapshot
from records.results import FULL, Results
from records.tables import NONE, whole
from rsalab import markdown
from rsalab.charts import picture
from rsalab.charts.ladder import ALONE
from rsalab.charts.picture import COLOUR, GREY, PALE, WIDTH, Chart, drawing
from rsalab.frames import grid, ladder_table, levels, main_line
from rsalab.steps.spent import GROUPS, MOVES, OTHER

CLASS, RUNTIME = "class_", "run-time"
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
PARTS = ("loads", "stores", "rest")
# Functions' colours, which stand for no level; one without a colour here is pale grey.
HELPER = {"add": "#56b4e9", "shr": "#e69f00", "halve": "#f0e442", "less": "#cc79a7",
          "odd": "#b9dfb0", "mmm": "#707070", "mont_mul": "#404040",
          "mod_mul": "#bdb4a0"}  # fmt: skip
NO_CALLS = "no call graphs (gprof/calls.csv); `make gprof` makes them"
UNDRAWN = "*No picture here: `make gprof` draws it where graphviz is.*"


def classes(results: Results, study: str, case: str = FULL) -> pd.DataFrame:
    """Mean instructions an operation by class: index (snapshot, level), a
    column for each class that occurs, `run-time` and `total`.  Empty where
    no classes were counted.  Raises Failure when the classes of a cell do
    not add up to its instructions."""
    rows = pd.read_sql(
        "select snapshot, level, symbol, metric, value, n from counts where study = ? and"
        " \"case\" = ? and symbol in ('snapshot', 'total')", results.db, params=[study, case],
    )  # fmt: skip
    cell = ["snapshot", "level"]
    wide = rows.pivot_table("value", cell, ["symbol", "metric"], aggfunc="sum")
    inside = wide.get("snapshot", pd.DataFrame()).filter(regex=f"^{CLASS}")
    if inside.empty:
        return pd.DataFrame()
    counts = inside.fillna(0).rename(columns=lambda name: name.removeprefix(CLASS))
    total = wide["total", "instructions"]
    counts[RUNTIME] = total - wide["snapshot", "instructions"]
    wrong = (counts.sum(axis=1) != total) | (counts[RUNTIME] < 0)
    if wrong.any():
        name, level = counts.index[wrong][0]
        raise Failure(
            f"{results.label}/counts.csv: the classes of {study}/{name} -{level} ({case}) do not"
            " add up to its instructions; measure again"
        )
    n = rows[rows["metric"] == "instructions"].groupby(cell)["n"].max()
    return counts.assign(total=total).div(n.reindex(counts.index), axis=0)


def groups(results: Results, study: str, case: str = FULL) -> pd.DataFrame:
    """Mean instructions an operation by group: index (snapshot, level), a
    column for each of CLASSES and `total`, which is their sum.  Raises
    Failure where no classes were counted."""
    counts = classes(results, study, case)
    if counts.empty:
        command = "make all-iterations" if study == LADDER else "make studies"
        raise Failure(f"{results.label}: no opcode classes of {study}; `{command}` counts them")
    parts = counts.drop(columns="total").T
    sums = parts.groupby(lambda cls: GROUP_OF.get(cls, OTHER)).sum().T
    return sums.reindex(columns=list(PAINT), fill_value=0.0).assign(total=counts["total"])


def mix(results: Results, study: str = LADDER) -> Chart:
    """Shares of the groups, stacked to 100 %, a panel for each level,
    totals beside them.  Raises Failure where no classes were counted."""
    counts, names = groups(results, study), [rung.name for rung in results.rungs(study)]
    shown = levels(ladder_table(results, study))
    shares = 100 * counts[list(PAINT)].div(counts["total"], axis=0)
    last = shares.loc[names[-1]].iloc[-1]
    note = (
        f"{picture.caption(results, study)} Right of a bar: all instructions. A conditional"
        " instruction counts whether its condition holds or not; NEON loads are loads; a pop into"
        " pc is a branch; dark grey: nop; black: the compiler's run-time."
    )
    with drawing(
        picture.named("instruction-mix", study), "Where do the instructions of each rung go?",
        f"Most of {names[-1]} at -{shown[-1]}: {last.idxmax()}, {last.max():.0f} %", note,
        (WIDTH, 2.1 + len(shown) * (0.45 + 0.19 * len(names))), nrows=len(shown), sharex=True,
    ) as (chart, panels):  # fmt: skip
        for axes, level in zip(panels, shown):
            here = [(name, level) for name in names]
            axes.set_xlim(0, 109)
            axes.set_xticks(range(0, 101, 20))
            axes.set_title(f"-{level}", fontweight="bold")
            for y, total in enumerate(counts["total"].reindex(here)):
                axes.text(101, y, "" if pd.isna(total) else picture.brief(total), va="center")
            picture.stacked(axes, shares.reindex(here).set_axis(names), list(PAINT.values()))
            picture.name_parts(axes, "{:.0f}".format, 1.1)
        panels[-1].set_xlabel("% of the instructions of a round trip")
    return chart


def in_numbers(results: Results, study: str = LADDER) -> str:
    """Instructions a round trip by group, a table for each level (Markdown).  Raises Failure."""
    counts = groups(results, study)
    used = counts.loc[:, (counts > 0).any()]
    blocks = []
    for level, part in used.groupby("level"):
        here = part.droplevel("level")
        names = [rung.name for rung in results.rungs(study) if rung.name in here.index]
        rows = [[name, *map(whole, here.loc[name])] for name in names]
        blocks.append(f"**-{level}**\n\n{markdown.table(['rung', *used.columns], rows)}")
    return "\n\n".join(blocks)


def memory_accesses(results: Results, study: str = LADDER) -> Chart:
    """Memory accesses by rung, a line for each level, logarithmic; branches
    off the line.  Raises Failure where no accesses were counted."""
    table = ladder_table(results, study)
    table["accesses"] = table["load_accesses"] + table["store_accesses"]
    wide = grid(table, results.rungs(study), "accesses")
    if wide.isna().all(axis=None):
        raise Failure(f"{results.label}: no memory accesses; `make all-iterations` counts them")
    note = (
        f"{picture.caption(results, study)} Memory accesses, logarithmic. One instruction may make"
        " several: a pop of four registers makes four, ldrd two."
    )
    words = picture.named("memory-accesses", study), "How often does each rung go to memory?"
    return _lines(*words, wide, results.rungs(study), picture.brief, note)


def _lines(name: str, question: str, wide: pd.DataFrame, rungs: list[Snapshot],
           form: Callable[[float], str], note: str) -> Chart:  # fmt: skip
    """A line for each level over the rungs; the title has the numbers of the last one."""
    last = [rung for rung in main_line(rungs) if rung in wide.index][-1]
    answer = f"{last}: {picture.at_levels(wide.loc[last], form)}"
    with drawing(name, question, answer, note, (11, 5.4)) as (chart, axes):
        picture.by_rung(axes, wide, rungs, form, form)
        picture.title(axes, f"{name.replace('-', ' ')}, in a round trip")
    return chart


def changes(table: pd.DataFrame) -> pd.DataFrame:
    """What each step of a ladder table added (negative: removed), in per
    cent of its parent's instructions: columns step, level, parent, loads,
    stores, rest and whole.  `rest` is instructions that are neither, `whole`
    the sum.  A pop into pc is a load here."""
    own = table[["rung", "level", "parent", "loads", "stores", "instructions"]]
    own = own.rename(columns={"rung": "step", "instructions": "whole"})
    above = own.drop(columns="parent").rename(columns={"step": "parent"})
    pairs = own.merge(above, on=["parent", "level"], suffixes=("", "_above"))
    for part in ("loads", "stores", "whole"):
        pairs[part] = 100 * (pairs[part] - pairs[f"{part}_above"]) / pairs["whole_above"]
    pairs["rest"] = pairs["whole"] - pairs["loads"] - pairs["stores"]
    return pairs[["step", "level", "parent", *PARTS, "whole"]]


def loads_and_stores(results: Results, study: str = LADDER) -> Chart:
    """What each step removed or added, split into loads, stores and the
    rest, a panel a level.

    Raises Failure where no step was measured together with its parent.
    """
    pairs = changes(ladder_table(results, study))
    if pairs.empty:
        raise Failure(f"{results.label}: {ALONE}")
    steps = [rung for rung in results.rungs(study) if (pairs["step"] == rung.name).any()]
    labels = [f"{s.idea.partition(':')[0]}   {s.parent} to {s.name}" for s in steps]
    shown = [level for level in LEVELS if (pairs["level"] == level).any()]
    both = pairs["loads"] + pairs["stores"]
    most = pairs.loc[both.idxmin()]
    where = f"{most['step']} at -{most['level']}"
    note = (
        f"{picture.caption(results, study)} Beside a bar: the sum of its parts, the whole change."
        " A pop into pc is a load here."
    )
    with drawing(
        picture.named("loads-and-stores", study),
        "How much of what each step removed was loads and stores?",
        f"Most: {both.min():+.0f} of {most['whole']:+.0f} %, {where}", note,
        (11, 1.7 + len(shown) * (0.45 + 0.25 * len(steps))), nrows=len(shown), sharex=True,
    ) as (chart, panels):  # fmt: skip
        parts = pairs[list(PARTS)]
        low, high = parts.clip(upper=0).sum(axis=1).min(), parts.clip(lower=0).sum(axis=1).max()
        for axes, level in zip(panels, shown):
            axes.set_title(f"-{level}", fontweight="bold")
            axes.set_xlim(low * 1.02, high + 0.12 * (high - low))
            rows = pairs[pairs["level"] == level].set_index("step").reindex([s.name for s in steps])
            for y, all_of_it in enumerate(rows["whole"]):
                text = NONE if pd.isna(all_of_it) else f"{all_of_it:+.0f} %"
                axes.text(high + 0.02 * (high - low), y, text, va="center_baseline")
            colours = [PAINT["loads"], PAINT["stores"], PAINT["moves"]]
            picture.stacked(axes, rows[list(PARTS)].set_axis(labels), colours)
            picture.name_parts(axes, "{:+.0f}".format, 0.009 * (high - low))
            axes.axvline(0, color=GREY, linewidth=1)
        panels[-1].set_xlabel("instructions removed (-) or added (+), % of the parent's")
    return chart


def one_product(results: Results, study: str = LADDER) -> pd.DataFrame:
    """Mean instructions of one mont_mul at the highest level counted: a
    column for each rung that has assembly, after the parent of the first of
    them, a row for each opcode class that occurs, in the order of CLASSES,
    then `total`.  Raises Failure where it was not counted."""
    counts = classes(results, study, "mont_mul")
    by_hand = [rung for rung in results.rungs(study) if rung.has_assembly]
    names = [*(s.parent for s in by_hand[:1] if s.parent), *(s.name for s in by_hand)]
    names = [name for name in names if name in counts.index]
    if not names:
        raise Failure(f"{results.label}: no product by hand; `make all-iterations` counts them")
    wide = pd.DataFrame({name: counts.loc[name].sort_index().iloc[-1] for name in names})
    order = [*WORDS, *wide.index.difference([*WORDS, "total"]), "total"]
    wide = wide.loc[[cls for cls in order if cls in wide.index]]
    return wide[(wide > 0).any(axis=1)]


def mean(value: float) -> str:
    """Whole where it is, else with one decimal."""
    return whole(value) if float(value).is_integer() else f"{value:,.1f}"


def product(results: Results, study: str = LADDER) -> Chart:
    """The instructions of one product by class, a panel with a scale of its
    own for each rung. Raises Failure where none was counted by class."""
    wide = one_product(results, study)
    level, parts = levels(ladder_table(results, study))[-1], wide.drop(index="total")
    last, most = wide.columns[-1], parts[wide.columns[-1]].idxmax()
    with drawing(
        picture.named("montgomery-product", study),
        "What is one Montgomery product made of, in C and by hand?",
        f"{last}: {mean(wide.loc[most, last])} of {mean(wide.loc['total', last])} are"
        f" {WORDS.get(most, most)}",
        f"{picture.caption(results, study, 'mont_mul')} Instructions of one product, -{level}; each"
        " panel has its own scale.",
        (11, 1.8 + 0.25 * len(parts)), ncols=len(wide.columns), sharey=True,
    ) as (chart, panels):  # fmt: skip
        for axes, name in zip(panels, wide):
            colours = [PAINT[GROUP_OF.get(cls, OTHER)] for cls in parts.index]
            bars = axes.barh(range(len(parts)), parts[name], color=colours, height=0.74)
            axes.bar_label(bars, [mean(value) for value in parts[name]], padding=4, fontsize=8)
            axes.margins(x=0.2)
            axes.xaxis.set_major_locator(MaxNLocator(4))
            picture.numbers(axes, "x", whole)
            picture.names(axes, "y", [WORDS.get(cls, cls) for cls in parts.index])
            axes.set_title(f"{name}: {mean(wide[name]['total'])} instructions", color="black")
    return chart


def calls(results: Results) -> pd.DataFrame:
    """Calls of each function in a round trip of the ladder: rung, level,
    callee, calls.  Raises Failure where there are none."""
    asked = "select rung, level, callee, calls from trip_calls where study = ?"
    counts = pd.read_sql(asked, results.db, params=[LADDER])
    if counts.empty:
        raise Failure(f"{results.label}: {NO_CALLS}")
    return counts


def _of_gprof(results: Results) -> str:
    return (
        f"{results.platform}, {results.compiler}; exact, counted by gprof in a build with -pg, in a"
        " round trip (encrypt and decrypt the first message with a 128-bit key, full-length"
        " exponents). An inlined call is none."
    )


def by_function(results: Results, level: str = "O0") -> str:
    """Calls a round trip of each function by rung, the busiest first (Markdown)."""
    counts = calls(results)
    wide = counts[counts["level"] == level].pivot(index="callee", columns="rung", values="calls")
    names = [rung.name for rung in results.rungs() if rung.name in wide]
    busiest = wide.max(axis=1).sort_values(ascending=False, kind="stable").index
    rows = [[f"`{name}`", *map(whole, wide.loc[name, names])] for name in busiest]
    return markdown.table([f"calls at -{level}", *names], rows)


def inlined(results: Results) -> str:
    """Calls that are left at each level, and of which functions (Markdown).  Raises Failure."""
    counts = calls(results).sort_values("calls", ascending=False, kind="stable")
    rows = []
    for rung in results.rungs():
        here = [counts[(counts["rung"] == rung.name) & (counts["level"] == at)] for at in LEVELS]
        names = [
            ", ".join(f"`{row.callee}` {whole(row.calls)}" for row in left.itertuples()) or NONE
            for left in here[1:]
        ]
        sums = [whole(left["calls"].sum(min_count=1)) for left in here]
        rows.append([rung.name, *sums, *names])
    head = ["rung", *(f"calls -{level}" for level in LEVELS)]
    head += [f"functions at -{level}" for level in LEVELS[1:]]
    return markdown.table(head, rows, (0, 4, 5))


def calls_by_rung(results: Results) -> Chart:
    """All calls a round trip, by rung, a line for each level; branches off
    the line.  Raises Failure where none were counted."""
    counts = calls(results)
    wide = counts.pivot_table(index="rung", columns="level", values="calls", aggfunc="sum")
    question = "How many calls does a round trip make at each rung?"
    note = f"{_of_gprof(results)} Dotted, in brackets: a branch that no rung continues."
    wide = wide.reindex(columns=levels(counts))
    return _lines("calls", question, wide, results.rungs(), whole, note)


def products(results: Results, level: str = "O0") -> Chart:
    """Montgomery products of a round trip, by rung: those of two operands
    and those by 1.  Raises Failure where no calls were counted."""
    counts = calls(results)
    counts = counts[counts["level"] == level]
    wide = counts.pivot(index="rung", columns="callee", values="calls").fillna(0)
    rungs = [rung for rung in results.rungs() if rung.name in wide.index]
    names, colour = [rung.name for rung in rungs], COLOUR[level]
    wide = wide.reindex(index=names, columns=["mmm", "mont_mul", "mmm_1"], fill_value=0)
    every, one = wide.sum(axis=1), wide["mmm_1"]
    with drawing(
        "products", "How many Montgomery products does a round trip take?",
        f"{whole(every.iloc[0])} in {names[0]}, {whole(every.iloc[-1])} in {names[-1]}",
        f"{_of_gprof(results)} At -{level}, where no product is inlined. Pale: mmm_1, one operand"
        " is known to be 1.", (11, 4.4),
    ) as (chart, axes):  # fmt: skip
        axes.bar(range(len(names)), every - one, color=colour, width=0.62)
        bars = axes.bar(range(len(names)), one, bottom=every - one, color=colour, alpha=0.35,
                        width=0.62)  # fmt: skip
        words = [whole(n) + f"\n{whole(few)} by 1" * bool(few) for n, few in zip(every, one)]
        axes.bar_label(bars, words, padding=3)
        axes.set_ylim(0, every.max() * 1.25)
        picture.rungs_along(axes, rungs)
        axes.set_xlim(-0.5, len(names) - 0.5)
        picture.title(axes, "Montgomery products a round trip")
    return chart


def call_graph(results: Results, rung: str, level: str) -> Iterator[SVG | Markdown]:
    """Heading and call graph of a rung at a level, as the results folder has it."""
    yield Markdown(f"**{rung} at -{level}**")
    path = results.folder / "gprof" / f"{rung}-{level}.svg"
    yield SVG(path.read_text()) if path.is_file() else Markdown(UNDRAWN)


def shares(results: Results, case: str = FULL) -> Chart:
    """Share of the instructions in each function, by rung, a panel for each
    level.  Raises Failure where no functions were counted."""
    rows = pd.read_sql(
        "select snapshot, level, symbol, value from counts where study = ? and \"case\" = ?"
        " and metric = 'instructions' and symbol not in ('total', 'snapshot')",
        results.db, params=[LADDER, case],
    )  # fmt: skip
    if rows.empty:
        raise Failure(f"{results.label}: no counts by function; `make all-iterations` has them")
    most = rows.groupby(["level", "snapshot"])["symbol"].nunique().groupby("level").max()
    shown = levels(rows)
    note = (
        f"{results.platform}, {results.compiler}; share of the instructions of"
        f" {results.trips(case)} round trips by function: exact, in the measured build, without"
        " -pg. A function holds what was inlined into it, and has its name where there is room."
    )
    with drawing(
        "instruction-shares", "In which functions are the instructions?",
        f"Functions, at most: {picture.at_levels(most[shown], whole)}", note, (11, 4.8),
        ncols=len(shown), sharey=True,
    ) as (chart, panels):  # fmt: skip
        for axes, level in zip(panels, shown):
            picture.title(axes, f"-{level}", COLOUR[level])
            axes.set_xlim(0, 100)
            picture.numbers(axes, "x", lambda x: f"{x:.0f} %")
            wide = rows[rows["level"] == level].pivot(
                index="snapshot", columns="symbol", values="value"
            )
            wide = wide.reindex([rung.name for rung in results.rungs()]).fillna(0)
            wide = 100 * wide.div(wide.sum(axis=1), axis=0)
            wide = wide[wide.max().sort_values(ascending=False, kind="stable").index]
            colours = [HELPER.get(str(name).partition(".")[0], PALE) for name in wide]
            picture.stacked(axes, wide, colours)
            picture.name_parts(axes, lambda _: "", 2.4)
    return chart
