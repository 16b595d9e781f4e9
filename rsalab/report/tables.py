"""The tables of texts about results, each in the place of its name: `$table:verdicts` is what
`verdicts` returns."""

from collections import defaultdict
from functools import partial
from sqlite3 import Row

from records import ladder
from records.ladder import LADDER, ROOT, Snapshot
from records.results import Results
from records.tables import Column, Table, factor, figures, pivot, tabulate, whole
from records.workloads import MULTIPLICATION
from rsalab import chapter, models
from rsalab import cycles as in_cycles
from rsalab.compilers import table as by_compilers
from rsalab.frames import main_line
from rsalab.report import sentences
from rsalab.report.sentences import (
    BY_HAND,
    IN_C,
    best,
    compared,
    counted,
    found,
    scores,
)
from rsalab.sources.tables import bare, gains
from rsalab.steps.scoreboard import expected, outcome
from rsalab.steps.shares import shares

TRACED = "mont_mul", "mod_exp"
HEADLINE_LEVEL = "O1"
Columns = dict[str, Column]


def number(column: str, row: Row) -> str:
    """Return a count as a cell shows it."""
    return whole(row[column])


def times(column: str, row: Row) -> str:
    """Return a factor as a cell shows it."""
    return factor(row[column])


def link(row: Row) -> str:
    """Return a link to a snapshot's README.md."""
    folder = ladder.study_path(row["study"]).relative_to(ROOT)
    return f"[{row['snapshot']}](/{folder}/{row['snapshot']}/README.md)"


def parent_of(row: Row) -> str | None:
    """Return what a row's snapshot is compared with; None where there is nothing."""
    return ladder.name_beside(row["study"], row["parent_study"], row["parent"]) or None


def step_name(row: Row) -> str:
    """Return what a step leads from and to."""
    return f"{row['parent']} to {row['snapshot']}"


# --- the ladder -----------------------------------------------------------------------------------


def overview(results: Results) -> Table:
    """Return the instructions of a round trip by rung and level."""
    by: Columns = {"rung": link, "idea": "idea"}
    return pivot(counted(results), by, "level", {"": partial(number, "instructions")})


def against_first(results: Results) -> Table:
    """Return how many times fewer instructions than the first rung each one executes, by level."""
    rows = [row for row in counted(results) if row["versus_base"]]
    return pivot(
        rows, {"rung": "snapshot"}, "level", {"": partial(times, "versus_base")}
    )


def headline(results: Results) -> Table:
    """Return the table of the front page, at one level: instructions and modelled cycles of a
    round trip, each with the factor against the first rung, and what studies say beside."""
    cycles = in_cycles.trips(HEADLINE_LEVEL, results.root)
    rows = [row for row in counted(results) if row["level"] == HEADLINE_LEVEL]
    first = main_line(results.rungs())[:1]
    rungs = {rung.name: rung for rung in results.rungs()}

    def cycles_of(row: Row) -> str | None:
        name = row["snapshot"]
        return in_cycles.rounded(cycles[name]) if name in cycles else None

    def fewer_cycles(row: Row) -> str | None:
        names = (*first, row["snapshot"])
        if not cycles.keys() >= set(names):
            return None
        return in_cycles.rounded_factor(cycles[names[0]] / cycles[names[-1]])

    def of_study(text: chapter.Column, row: Row) -> str | None:
        return text(results, rungs[row["snapshot"]], HEADLINE_LEVEL)

    columns: Columns = {"rung": lambda row: f"{link(row)} {row['idea']}"}
    columns["instructions"] = partial(number, "instructions")
    for name in first:
        columns[f"{name}/this"] = partial(times, "versus_base")
    columns["cycles"] = cycles_of
    for name in first:
        columns[f"{name}/this in cycles"] = fewer_cycles
    for head, text in chapter.columns().items():
        columns[head] = partial(of_study, text)
    return tabulate(rows, columns)


def product_alone(results: Results) -> Table:
    """Return the instructions of one Montgomery product by rung and level."""
    rows = counted(results, workload=MULTIPLICATION)
    return pivot(
        rows, {"rung": "snapshot"}, "level", {"": partial(number, "instructions")}
    )


def answers(results: Results) -> Table:
    """Return how many times fewer instructions the second program of each pair executes."""
    line = main_line(results.rungs()) or [""]
    c = best(results, IN_C)
    assembly = best(results, BY_HAND)
    best_c = c["snapshot"] if c else ""
    best_assembly = assembly["snapshot"] if assembly else ""
    by = compared(results)
    pairs = {
        "The whole ladder": (line[0], line[-1]),
        "Arithmetic: words instead of bits, both in C": (by.bits, by.words),
        "Assembly by hand instead of C, both with bits": (by.bits, by.bits_by_hand),
        "Arithmetic against assembly: words in C instead of bits in assembly": (
            by.bits_by_hand,
            by.words,
        ),
        "Best C against assembly, both with words": (best_c, best_assembly),
        "One product instead of four, both in C": (by.four_products, by.bits),
    }
    rows = []
    for what, (slow, fast) in pairs.items():
        programs = f"{bare(slow)} / {bare(fast)}"
        ratios = gains(results, slow, fast) if slow and fast and slow != fast else {}
        if not ratios:
            continue
        for level in found(results):
            ratio = ratios.get(level)
            rows.append(
                {"what": what, "programs": programs, "level": level, "ratio": ratio}
            )
    heads = {"what": "what", "programs": "programs"}
    return pivot(rows, heads, "level", {"": partial(times, "ratio")})


def verdicts(results: Results) -> Table:
    """Return the verdict on each step and its gain, by level."""

    def cell(row: Row) -> str:
        return f"{row['verdict']} {factor(row['gain'])}"

    by: Columns = {"step": step_name, "idea": "idea"}
    return pivot(scores(results), by, "level", {"": cell})


def predictions(results: Results) -> Table:
    """Return what was predicted of each step of the ladder, what was found, and what became of
    it, by level."""
    by: Columns = {"step": step_name, "kind": "kind"}
    return pivot(scores(results), by, "level", {"predicted; found": predicted})


def every_prediction(results: Results) -> Table:
    """Return the same of each step of a study that was predicted."""
    rows = []
    for study in ladder.studies(results.root):
        rows += [row for row in scores(results, study) if row["low"] is not None]

    def name(row: Row) -> str:
        return f"{row['study']}/{row['snapshot']}"

    by: Columns = {"step": name, "kind": "kind"}
    return pivot(rows, by, "level", {"predicted; found": predicted})


def predicted(row: Row) -> str | None:
    """Return a prediction, what was found, and what became of it; None where there is none."""
    if row["low"] is None:
        return None
    return f"{expected(row)}; {factor(row['gain'])}: {outcome(row)}"


def leaks(results: Results) -> Table:
    """Return what the traces of both functions say: of every rung, and of each other snapshot that
    has a function without a leak."""
    traced: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in results.rows(__file__, "traced"):
        traced[row["study"], row["snapshot"], row["function"]].append(row)
    head = ["snapshot", *TRACED]
    if not traced:
        return Table(head, [])
    rows = []
    for one in ladder.every(results.root):
        folder = one.path.relative_to(results.root).as_posix()
        cells = [f"[{one.label}](/{folder}/README.md)"]
        shown = one.study == LADDER
        for function in TRACED:
            of_function = traced.get((one.study, one.name, function), [])
            text = sentences.leak(of_function)
            shown = shown or text not in ("", "leaks")
            cells.append(text or sentences.MISSING)
        if shown:
            rows.append(cells)
    return Table(head, rows)


# --- a snapshot -----------------------------------------------------------------------------------


def step(results: Results, snapshot: Snapshot) -> Table:
    """Return instructions of a snapshot, and beside it of its parent, by level."""
    parent, own = snapshot.page_names
    first = (main_line(results.rungs()) or [""])[0]

    def of_parent(row: Row) -> str | None:
        gain = row["versus_parent"]
        return whole(row["instructions"] * gain) if gain else None

    columns: Columns = {
        "level": lambda row: f"-{row['level']}",
        parent: of_parent,
        f"{own} (this)": partial(number, "instructions"),
    }
    if snapshot.study == LADDER:
        columns[f"{first}/this"] = partial(times, "versus_base")
    columns[snapshot.quotient] = partial(times, "versus_parent")
    columns["verdict"] = lambda row: row["verdict"] or None
    rows = [
        row
        for row in counted(results, snapshot.study)
        if row["snapshot"] == snapshot.name
    ]
    return tabulate(rows, columns)


def product(results: Results, snapshot: Snapshot) -> Table:
    """Return the instructions of one product of a snapshot, above it those of its parent and of
    the snapshots that its step.toml names."""
    parent, own = snapshot.page_names
    beside = []
    for label in snapshot.beside:
        study, _, name = label.rpartition("/")
        beside.append((study, name, name))
    rows = []
    for study, name, called in (
        (*snapshot.parent_key, parent),
        *beside,
        (snapshot.study, snapshot.name, own),
    ):
        cell = {"study": study, "snapshot": name, "called": called}
        rows += results.rows(__file__, "product", **cell)
    return pivot(rows, {"": "snapshot"}, "level", {"": partial(number, "instructions")})


def account(results: Results, snapshot: Snapshot) -> Table:
    """Return calls times instructions a call, parent above child, of the functions that change
    most."""
    study, parent = snapshot.parent_key
    above, own = snapshot.page_names
    cell = {"study": snapshot.study, "snapshot": snapshot.name}
    rows = results.rows(__file__, "account", **cell, parent_study=study, parent=parent)

    def product_of(row: Row) -> str:
        if not row["calls"]:
            return whole(row["own"])
        return f"x {figures(row['own'] / row['calls'])} = {whole(row['own'])}"

    by: Columns = {
        "function": lambda row: f"`{row['function']}`",
        "in": lambda row: own if row["side"] else above,
        "calls": partial(number, "calls"),
    }
    return pivot(rows, by, "level", {"": product_of})


def simulated(results: Results, snapshot: Snapshot) -> Table:
    """Return mispredictions and cycles of a snapshot and its parent, as simulated and modelled."""
    cell = {"study": snapshot.study, "snapshot": snapshot.name}
    columns: Columns = {
        "level": lambda row: f"-{row['level']}",
        "snapshot": "snapshot",
        "instructions": partial(number, "instructions"),
        "simulated mispredictions, ARM1176": partial(number, "wrong"),
        "model cycles, ARM1176, millions": partial(models.millions, "cycles"),
    }
    return tabulate(results.rows(__file__, "simulated", **cell), columns)


# --- studies, boards, sources ---------------------------------------------------------------------


def of_study(results: Results, study: str, sorted_by: str) -> Table:
    """Return a row for each snapshot of a study: its folder, its parent, parent/this with its
    verdict by level; the techniques measured alone that gain most at a level first."""
    rows = counted(results, study)
    if study == "alone":
        gains = {}
        for row in rows:
            if row["level"] == sorted_by:
                gains[row["snapshot"]] = row["versus_parent"] or 0
        rows.sort(key=lambda row: gains.get(row["snapshot"], 0), reverse=True)

    def cell(row: Row) -> str | None:
        gain = row["versus_parent"]
        return f"{factor(gain)} {row['verdict']}" if gain else None

    by: Columns = {
        "folder": link,
        "idea": "idea",
        "parent": parent_of,
    }
    return pivot(rows, by, "level", {"": cell})


def counters(results: Results) -> Table:
    """Return the instructions of the same calls as both counters say, by snapshot and level."""

    def cell(row: Row) -> str:
        numbers = dict.fromkeys([whole(row["plugin"]), whole(row["unicorn"])])
        return " or ".join(numbers)

    return pivot(
        results.query("select * from agreements"), {"": "snapshot"}, "level", {"": cell}
    )


def sources(results: Results) -> Table:
    """Return the tables of the sources."""
    columns: Columns = {
        "source": "source",
        "place": "section",
        "table": lambda row: f"[{row['title']}](/data/published/{row['file']})",
    }
    question = "select * from sources_index where source not in ('ours', 'all')"
    return tabulate(results.query(question), columns)


def cycles(results: Results, snapshot: Snapshot) -> Table:
    """Return what a step gains in instructions and in cycles of three cores, by level; no row
    where no core ran it."""
    found = in_cycles.in_cycles(in_cycles.gains(snapshot, results.root))
    made = in_cycles.table([snapshot] if found else [], results.root)
    without_step = [row[1:] for row in made.rows]
    return Table(made.head[1:], without_step)


def steps_in_cycles(results: Results) -> Table:
    """Return the same of every step of the ladder."""
    return in_cycles.table_with_verdicts(in_cycles.steps(results.root), results.root)


def compilers(results: Results, snapshot: Snapshot) -> Table:
    """Return the gain of a step by compiler and level."""
    return by_compilers(snapshot, results.root)


OF_RESULTS = (
    overview, against_first, product_alone, answers, verdicts, predictions, every_prediction, leaks, counters,
    sources, steps_in_cycles, headline,
)  # fmt: skip
OF_SNAPSHOT = step, product, shares, account, simulated, compilers, cycles
