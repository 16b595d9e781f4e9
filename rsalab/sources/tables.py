"""The sources' tables beside our numbers: theirs, ours, and what kind of number ours is.

Ours are measured, modelled, not measured in these results (the study is not in
this results folder, or not this part of it), or not available here.  The words
around the tables are in words.md.
"""

import re
from collections.abc import Callable, Sequence
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd

from harness import perf
from records.ladder import LADDER, LEVELS, ROOT
from records.published import MAP, TABLE_1, about, read_csv
from records.results import FULL, Results
from records.tables import NONE, digits, factor, percent
from rsalab import markdown, models
from rsalab import openssl as counted
from rsalab.frames import ask
from rsalab.models import PERF, PROGRAMS

BISHOP, DIRK, LEE = "Bishop & Austin 2021", "Dirk 2019", "Lee 2021"
MARKOVIC, OPENSSL = "Markovic et al.", "OpenSSL ARM assembly"
MEASURED, MODELLED = "measured", "modelled"
NOT_MEASURED, NOT_AVAILABLE = "not measured in these results", "not available here"
MARKS = (
    "**measured**: counted or timed in these results. **modelled**: worked out from counts by a"
    " cycle model whose error stands beside it. **not measured in these results**: this folder"
    " holds no such number. **not available here**: nothing here yields it."
)
PROGRAM = re.compile(r"(?:(.+)/)?([^:/ ]+)(?::(\w+))?(?: -(\w+))?")


def told(name: str, **places: object) -> str:
    """The words of one source, with what belongs in their places."""
    return "\n\n".join(markdown.words(Path(__file__).with_name("words.md"), name, places))


def status(*values: float | None) -> str:
    """What kind of number counts of ours are, each kind once."""
    kinds = (MEASURED if value is not None and value > 0 else NOT_MEASURED for value in values)
    return "; ".join(dict.fromkeys(kinds))


def executed(results: Results, program: str, level: str) -> float | None:
    """Instructions of a round trip, None where they were not counted: of a
    rung `v6`, of another study's `alone/NAME`, of one function `v6:mmm_1`,
    at a level of its own `width-64/v2 -O0`."""
    study, rung, function, own = PROGRAM.fullmatch(program).groups()  # type: ignore[union-attr]
    asked = (
        "select 1.0 * value / n from counts where metric = 'instructions'"
        ' and (study, snapshot, level, symbol, "case") = (?, ?, ?, ?, ?)'
    )
    place = study or LADDER, rung, own or level, function or "total", FULL
    return next((row[0] for row in results.query(asked, *place)), None)


def gain(results: Results, slow: str, fast: str, level: str) -> float | None:
    """Instructions of one program over those of another; None without both."""
    above, below = (executed(results, program, level) for program in (slow, fast))
    return above / below if above and below else None


# --- Bishop & Austin 2021 -------------------------------------------------------------------------

FIGURES, UNIT = "bishop-austin-2021-figures-6-8.csv", "bishop-austin-2021-hardware-unit.csv"


def iterations(root: Path = ROOT) -> list[dict[str, Any]]:
    """Table 1 with our map of its rows; `ms`, and the factors of time
    `factor` (against its own row 0) and `step` (against the row before)."""
    rows = [row | where for row, where in zip(read_csv(TABLE_1, root), read_csv(MAP, root))]
    times = [float(row["seconds"]) for row in rows]
    factors = [{"ms": 1000 * t, "factor": times[0] / t, "step": last and last / t}
               for t, last in zip(times, (None, *times))]  # fmt: skip
    return [row | more for row, more in zip(rows, factors)]


def table_1(root: Path = ROOT) -> str:
    """Table 1 as published, with the factor that its times give."""
    columns = {
        "iteration": "{iteration}",
        "description": "{description}",
        "time, s": "{seconds}",
        "% increase": "{percent_increase}",
        "lines of assembly": "{asm_lines}",
        "0/this": "x{factor:.2f}",
    }
    return markdown.formed(iterations(root), columns, (0, 1))


def side_by_side(results: Results, levels: Sequence[str] = LEVELS) -> str:
    """Their steps in time beside ours in instructions, of rungs and of what
    was measured alone: two metrics, in columns of their own."""
    rows = []
    for row in iterations(results.root):
        pairs = [(row["against"], ours) for ours in row["ours"].split()]
        shown = [" to ".join(name.rpartition("/")[2] for name in pair if name) for pair in pairs]
        rows.append([row["iteration"], factor(row["step"]), ", ".join(shown) or row["counterpart"]])
        for level in levels:
            gains = [factor(gain(results, *pair, level)) for pair in pairs if all(pair)]
            rows[-1].append(", ".join(gains) or NONE)
    head = ["iteration", "their step, time", "our step"]
    return markdown.table([*head, *(f"instructions -{at}" for at in levels)], rows, (0, 2))


def reasons(root: Path = ROOT) -> str:
    """What corresponds to each of their rows, and why: a list."""
    lines = []
    for row in read_csv(MAP, root):
        what = f"rung {row['ours']}" if row["counterpart"] == "rung" else row["counterpart"]
        lines.append(f"- **Row {row['iteration']}: {what}.** {row['reason']}")
    return "\n".join(lines)


def estimates(root: Path = ROOT) -> str:
    """Both tables of estimates of a hardware unit as published."""
    parts = [f"Nothing here runs such a unit: numbers of ours are {NOT_AVAILABLE}."]
    for file, left in ((FIGURES, (0, 1)), (UNIT, (0,))):
        rows = read_csv(file, root)
        columns = {name: f"{{{name}}}" for name in rows[0]}
        parts.append("{section}: {title}; {unit}.".format_map(about(file, root)))
        parts.append(markdown.formed(rows, columns, left))
    return "\n\n".join(parts)


# --- Dirk 2019 ------------------------------------------------------------------------------------

BITS_64, LISTINGS, ROUNDS = "width-64", "dirk-2019-listings.csv", 64
TRIPS = 1000  # what the published totals are over: encryptions and decryptions
Known = dict[str, float]  # metric -> number of a round trip
WAYS: dict[str, tuple[str, Callable[[Known], float]]] = {  # his label -> what ours is, and how made
    "runtime (ms)": ("ms, median", itemgetter("median_ms")),
    "cycles": ("cycles, ARM1176 model", models.arm1176_of),
    "instructions": ("", itemgetter("instructions")),
    "instructions / cycle": (
        "by the ARM1176 model",
        lambda known: known["instructions"] / models.arm1176_of(known),
    ),
    "branches": ("branches taken", itemgetter("branches_taken")),
    "cache references": (
        "load accesses + store accesses",
        lambda known: known["load_accesses"] + known["store_accesses"],
    ),
}


def perf_table(root: Path = ROOT) -> pd.DataFrame:
    """Dirk's values of a round trip, a row for each label, a column for
    each program; rates as printed.  Time is in ms."""
    table = pd.DataFrame(read_csv(PERF, root)).set_index("code being profiled").astype(float)
    totals = [label for label in table.index if not perf.ROWS[label][1]]
    table.loc[totals] /= TRIPS
    return table


def ours(results: Results, label: str) -> tuple[str, str, list[float | None]]:
    """What stands below a row of Dirk's: words, status, and a number of a
    round trip of each program; from a board's perf.csv or times.csv, else
    exact counts, else the ARM1176 model."""
    where = "where (study, snapshot, level) = (?, ?, ?)"
    perfed: list[float | None] = []
    numbers: list[float | None] = []
    words, of = WAYS.get(label, ("", itemgetter(label)))
    for place in ((BITS_64, *program) for program in PROGRAMS.values()):
        rows = results.query(f"select * from perf {where}", *place)
        value = perf.derive(map(dict, rows))[label]
        perfed.append(value if isinstance(value, float) else None)
        known = dict(map(tuple, results.query(f"select metric, mean from known {where}", *place)))
        try:
            numbers.append(of(known))
        except KeyError:
            numbers.append(None)
    if any(perfed):
        return f"{label}, perf, user space", status(*perfed), perfed
    if "model" not in words and any(numbers):
        return words, status(*numbers), numbers
    errors = [check.error for check in models.arm1176_checks()]
    if not any(numbers) or not errors:
        return "", NOT_AVAILABLE if known else NOT_MEASURED, [None] * len(numbers)
    errors = errors if label == "cycles" else [1 / (1 + error) - 1 for error in errors]
    return words, f"{MODELLED}, error {percent(min(errors), max(errors))}", numbers


def perf_beside(results: Results) -> str:
    """Dirk's table and ours, row under row, each of a round trip: rates as
    printed, totals in the digits of ours."""
    rows, theirs = [], perf_table(results.root)
    for label, *printed in map(dict.values, read_csv(PERF, results.root)):
        texts = printed if perf.ROWS[label][1] else map(digits, theirs.loc[label])
        words, kind, numbers = ours(results, label)
        rows.append([label, "Dirk", *texts, "published"])
        rows.append([words, "ours", *map(digits, numbers), kind])
    head = [f"{program}: {rung} -{level}" for program, (rung, level) in PROGRAMS.items()]
    return markdown.table(["a round trip", "whose", *head, "status"], rows, (0, 1, 7))


def listings(results: Results) -> str:
    """The lengths of two listings, which are the round of a bit, beside
    what a round of ours executes at -O0."""
    rows = []
    for row, rung in zip(read_csv(LISTINGS, results.root), ("v1", "v2")):
        rounds = results.means(BITS_64, rung, "O0", "mont_mul").get("instructions")
        cells = [f"Listing {row['listing']}: {row['code']}", row["instructions"], f"{rung} -O0"]
        rows.append([*cells, digits(rounds and rounds / ROUNDS), status(rounds)])
    head = ["code", "his instructions", "our rung", f"instructions of mont_mul / {ROUNDS} rounds"]
    return markdown.table([*head, "status of ours"], rows, (0, 2, 4))


def dirk(results: Results) -> str:
    """The table of perf and the two listings."""
    facts, listed = about(PERF, results.root), about(LISTINGS, results.root)["section"]
    tables = {"perf": perf_beside(results), "listings": listings(results)}
    return told("dirk", **facts, **tables, here=_here(results), listed=listed)


def _here(results: Results) -> str:
    return f"{results.platform}, {results.compiler}"


# --- Lee 2021 -------------------------------------------------------------------------------------

BITS_96, TICKS, GPROF = "width-96", "lee-2021-table-1.csv", "lee-2021-gprof.csv"
OUTPUTS = {"1": "v0", "2": "v2"}  # his gprof output -> our rung; both at GPROF_LEVEL
GPROF_LEVEL, INLINED = "O1", "inlined"
EXPONENTIATION = "modular_exponentiation_mont_32x3"
FUNCTIONS = {  # his function -> ours that do its work
    EXPONENTIATION: ("mod_exp",),
    "modular_multiplication_32x3": ("mmm",),
    "rshift_uint32x3": ("rshift", "rshift1", "rshift32"),
    "add_uint32x3": ("add",),
    "sub_uint32x3": ("sub",),
}


def of_lee(results: Results) -> tuple[pd.DataFrame, pd.DataFrame]:
    """By version and level what Lee calls cycles, ticks of clock(), and
    instructions of a round trip of our rung of the same name, which is the
    same step; rungs that he has not come last."""
    his = pd.DataFrame(read_csv(TICKS, results.root)).set_index("version")[list(LEVELS)]
    asked = 'select * from cells where (study, "case") = (?, ?)'
    cells = ask(results, asked, BITS_96, FULL)
    own = cells.pivot(index="snapshot", columns="level", values="instructions").astype(float)
    names = [*his.index, *own.index.difference(his.index)]
    return his.astype(float).reindex(names), own.reindex(index=names, columns=his.columns)


def ticks_beside(results: Results) -> str:
    """Lee's Table 1 beside our instructions, a row for each level, each
    number with its factor against its own v0."""
    his, own = of_lee(results)
    ideas = {snapshot.name: snapshot.idea for snapshot in results.rungs(BITS_96)}
    ideas |= {row["version"]: row["optimizations"] for row in read_csv(TICKS, results.root)}
    rows = []
    for version, level in product(his.index, LEVELS):
        rows.append([version, ideas[version] * (level == LEVELS[0]), f"-{level}"])
        for numbers, form in ((his, "{:,.1f}"), (own, "{:,.0f}")):
            number = numbers.loc[version, level]
            ratio = factor(numbers.loc["v0", level] / number)
            rows[-1] += [form.format(number).replace("nan", NONE), ratio]
        rows[-1].append(status(own.loc[version, level]))
    head = ["version", "optimisation", "level", "his ticks", "v0/this"]
    head += ["our instructions", "v0/this", "status of ours"]
    return markdown.table(head, rows, (0, 1, 2, 7))


def calls(results: Results) -> str:
    """Lee's calls and ours, both of a round trip, which is two
    exponentiations; no call is left of a function that was inlined everywhere."""
    asked = "select callee, calls from trip_calls where (study, rung, level) = (?, ?, ?)"
    printed = {(row["output"], row["name"]): row["called"]
               for row in read_csv(GPROF, results.root) if row["role"] == "function"}  # fmt: skip
    rows = []
    for (output, rung), name in product(OUTPUTS.items(), FUNCTIONS):
        own = dict(map(tuple, results.query(asked, BITS_96, rung, GPROF_LEVEL)))
        powers = int(printed[output, EXPONENTIATION])
        theirs = 2 * int(printed.get((output, name), 0)) / powers
        there = [function for function in FUNCTIONS[name] if function in own]
        made = sum(own[function] for function in there) if own else None
        mine = ", ".join(there) or (INLINED if own else NONE)
        cells = [output, name, f"{theirs:,.1f}" if theirs else INLINED, f"{rung}: {mine}"]
        rows.append([*cells, digits(made), NOT_MEASURED if made is None else MEASURED])
    head = ["output", "his function", "calls a round trip", "ours", "calls a round trip"]
    return markdown.table([*head, "status of ours"], rows, (0, 1, 3, 5))


def lee(results: Results) -> str:
    """Both tables, with what they are of."""
    facts, graphs = about(TICKS, results.root), about(GPROF, results.root)["section"]
    tables = {"ticks": ticks_beside(results), "calls": calls(results)}
    return told("lee", **facts, **tables, here=_here(results), graphs=graphs)


# --- Markovic et al., OpenSSL ---------------------------------------------------------------------

KARATSUBA = "markovic-table-{}.csv"


def markovic(root: Path = ROOT) -> str:
    """What the five tables are of, and where ours stand."""
    table = pd.DataFrame(read_csv(KARATSUBA.format(5), root)).astype(float)
    cycles = table.div(table["cycle_ns"], axis=0).round(1)
    places = {name: " or ".join(map(str, sorted(set(cycles[name])))) for name in cycles}
    return told("markovic", **about(KARATSUBA.format(1), root), clocks=len(table), **places)


def openssl(root: Path = ROOT) -> str:
    """The table of times, with what it is of.  Raises Failure."""
    times = counted.times(counted.committed(root), root)
    return told("openssl", **about(counted.PUBLISHED, root), times=times)
