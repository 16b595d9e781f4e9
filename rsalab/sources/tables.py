"""The sources' tables beside our numbers: theirs, ours, and what kind of number ours is.

Every own cell has a status: measured, modelled, not measured in these results
(the study is not in this results folder, or not this part of it), or not
available here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from harness import perf
from records.ladder import LADDER, LEVELS, ROOT, natural_key, study_path
from records.published import MAP, TABLE_1, about, read_csv
from records.results import FULL, Results
from records.tables import NONE, factor, percent, whole
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


@dataclass(frozen=True)
class Own:
    """One number of ours.  `value` is None where there is none; `metric`
    says what it is, with its unit; `error` is a model's lowest and highest
    relative error."""

    status: str
    metric: str
    value: float | None = None
    error: models.Range | None = None

    @property
    def text(self) -> str:
        """The number as tables show it."""
        return digits(self.value)


def digits(value: float | None) -> str:
    """Three digits, and of a large number all before the point."""
    if value is None or value != value or isinstance(value, int) or value >= 1000 or not value:
        return whole(value)
    return f"{value:#.3g}".rstrip(".")


Line = tuple[Sequence[str], Sequence[Own]]  # cells of theirs, and ours


def exact(results: Results, place: Sequence[str], *metrics: str) -> Own:
    """The sum of exact metrics, a mean of an operation; `place` is study,
    snapshot, level and perhaps a case."""
    means, name = results.means(*place), " + ".join(metrics).replace("_", " ")
    if not set(metrics) <= set(means):
        return Own(NOT_MEASURED, name)
    return Own(MEASURED, name, sum(means[metric] for metric in metrics))


def cycles(results: Results, study: str, rung: str, level: str) -> Own:
    """Cycles of a round trip by the ARM1176 model, with its error for that kind of code."""
    name = "cycles, ARM1176 model"
    means = results.means(study, rung, level)
    if not means.keys() >= {"instructions", *models.LONG}:
        return Own(NOT_MEASURED, name)
    by_hand = (study_path(study, results.root) / rung / "mont.S").is_file()
    kind = models.ASSEMBLY if by_hand else models.C
    error = models.ranges(models.arm1176_checks()).get(("arm1176", kind))
    if error is None:
        return Own(NOT_AVAILABLE, name)
    return Own(MODELLED, name, models.arm1176_of(means), error)


def status(owns: Iterable[Own]) -> str:
    """Each status of several cells once, beside `modelled` the widest error."""
    cells = list(owns)
    ends = [end for own in cells if own.error for end in own.error]
    error = f", error {percent(min(ends), max(ends))}" if ends else ""
    words = dict.fromkeys(own.status for own in cells)
    return "; ".join(f"{word}{error}" if word == MODELLED else word for word in words)


def comparison(
    head: Sequence[str], rows: Iterable[Line], left: tuple[int, ...], ours: str = "ours"
) -> str:
    """A table (Markdown): in each row cells of theirs, then ours, then what ours are."""
    cells = [[*theirs, *(own.text for own in owns), status(owns)] for theirs, owns in rows]
    return markdown.table([*head, ours, "status of ours"], cells, (*left, len(head) + 1))


# --- Bishop & Austin 2021 -------------------------------------------------------------------------

FIGURES, UNIT = "bishop-austin-2021-figures-6-8.csv", "bishop-austin-2021-hardware-unit.csv"


def iterations(root: Path = ROOT) -> list[dict[str, Any]]:
    """Table 1 with our map of its rows; `ms`, and the factors of time
    `factor` (against its own row 0) and `step` (against the row before)."""
    rows: list[dict[str, Any]] = read_csv(TABLE_1, root)
    rows = [row | where for row, where in zip(rows, read_csv(MAP, root))]
    times = [float(row["seconds"]) for row in rows]
    factors = [{"ms": 1000 * t, "factor": times[0] / t, "step": last and last / t}
               for t, last in zip(times, (None, *times))]  # fmt: skip
    return [row | more for row, more in zip(rows, factors)]


def table_1(root: Path = ROOT) -> str:
    """Table 1 as published, with the factor that its times give."""
    rows = [
        [row["iteration"], row["description"], row["seconds"], row["percent_increase"] or NONE,
         whole(int(row["asm_lines"])), factor(row["factor"])]
        for row in iterations(root)
    ]  # fmt: skip
    head = ["iteration", "description", "time, s", "% increase", "lines of assembly", "0/this"]
    return markdown.table(head, rows, (0, 1))


def side_by_side(results: Results, levels: Sequence[str] = LEVELS) -> str:
    """Their steps in time beside ours in instructions, of rungs and of what
    was measured alone: two metrics, in columns of their own."""
    rows = []
    for row in iterations(results.root):
        names = [(row["against"], ours) for ours in row["ours"].split()]
        shown = [" to ".join(name.rpartition("/")[2] for name in pair if name) for pair in names]
        gains = [[factor(gain(results, *pair, level)) for pair in names] for level in levels]
        cells = [", ".join(cell) or NONE for cell in gains]
        step = ", ".join(shown) or row["counterpart"]
        rows.append([row["iteration"], factor(row["step"]), step, *cells])
    head = ["iteration", "their step, time", "our step"]
    return markdown.table([*head, *(f"instructions -{at}" for at in levels)], rows, (0, 2))


def gain(results: Results, slow: str, fast: str, level: str) -> float | None:
    """Instructions of one program over those of another, rungs or
    `alone/NAME`; None without both."""
    places = [(name.rpartition("/")[0] or LADDER, name.rpartition("/")[2]) for name in (slow, fast)]
    before, after = (results.means(*place, level).get("instructions") for place in places)
    return before / after if before and after else None


def reasons(root: Path = ROOT) -> str:
    """What corresponds to each of their rows, and why: a list."""
    lines = []
    for row in iterations(root):
        what = f"rung {row['ours']}" if row["counterpart"] == "rung" else row["counterpart"]
        lines.append(f"- **Row {row['iteration']}: {what}.** {row['reason']}")
    return "\n".join(lines)


def estimates(root: Path = ROOT) -> str:
    """Both tables of estimates of a hardware unit; nothing here runs such a unit."""
    parts, nothing = [], [Own(NOT_AVAILABLE, "")]
    for file, head, left in (
        (FIGURES, ["where", "code", "instructions", "cycles, estimated"], (0, 1)),
        (UNIT, ["component", "cycles, estimated"], (0,)),
    ):
        facts, rows = about(file, root), read_csv(file, root)
        for row in rows:
            row |= {"figure": f"Figure {row['figure']}"} if "figure" in row else {}
        lines = [([cell or NONE for cell in row.values()], nothing) for row in rows]
        parts += [f"{facts['section']}: {facts['title']}.", comparison(head, lines, left)]
    return "\n\n".join(parts)


# --- Dirk 2019 ------------------------------------------------------------------------------------

BITS_64, LISTINGS, ROUNDS = "width-64", "dirk-2019-listings.csv", 64
TRIPS = 1000  # what the published totals are over: encryptions and decryptions
COUNTED = {
    "instructions": ("instructions",),
    "branches": ("branches_taken",),
    "cache references": ("load_accesses", "store_accesses"),
}


def perf_table(root: Path = ROOT) -> pd.DataFrame:
    """Dirk's values of a round trip, a row for each label, a column for
    each program; rates as printed.  Time is in ms."""
    table = pd.DataFrame(read_csv(PERF, root)).set_index("code being profiled").astype(float)
    totals = [label for label in table.index if not perf.ROWS[label][1]]
    table.loc[totals] /= TRIPS
    return table


def of_dirk(results: Results, program: str) -> dict[str, Own]:
    """Our numbers for a column of Dirk's table, by label, of a round trip:
    exact counts and the ARM1176 model, before these a board's times, before
    all its perf."""
    place = BITS_64, *PROGRAMS[program]
    where = "where (study, snapshot, level) = (?, ?, ?)"
    owns = {label: exact(results, place, *metrics) for label, metrics in COUNTED.items()}
    owns["cycles"] = model = cycles(results, *place)
    if model.value and model.error:
        low, high = (1 / (1 + end) - 1 for end in reversed(model.error))
        rate, label = (owns["instructions"].value or 0) / model.value, "instructions / cycle"
        owns[label] = Own(MODELLED, label, rate, (low, high))
    for row in results.query(f"select median_us from medians {where}", *place):
        owns["runtime (ms)"] = Own(MEASURED, "ms, median", row["median_us"] / 1000)
    if rows := results.query(f"select * from perf {where}", *place):
        for label, value in perf.derive(map(dict, rows)).items():
            if isinstance(value, float):
                owns[label] = Own(MEASURED, f"{label}, perf, user space", value)
    without = NOT_AVAILABLE if owns["instructions"].value else NOT_MEASURED
    return {label: owns.get(label, Own(without, label)) for label in perf.ROWS}


def perf_beside(results: Results) -> str:
    """Dirk's table and ours, row under row, each of a round trip: rates as
    printed, totals in the digits of ours."""
    rows, table = [], perf_table(results.root)
    ours = [of_dirk(results, program) for program in PROGRAMS]
    for printed in read_csv(PERF, results.root):
        label, *rates = printed.values()
        texts = rates if perf.ROWS[label][1] else list(map(digits, table.loc[label]))
        owns = [of[label] for of in ours]
        metrics = dict.fromkeys(own.metric for own in owns if own.value is not None)
        name = "; ".join(metric for metric in metrics if metric != label)
        rows.append([label, "Dirk", *texts, "published"])
        rows.append([name, "ours", *(own.text for own in owns), status(owns)])
    head = [f"{program}: {rung} -{level}" for program, (rung, level) in PROGRAMS.items()]
    return markdown.table(["a round trip", "whose", *head, "status"], rows, (0, 1, 7))


def loop(results: Results, rung: str) -> Own:
    """Instructions of a Montgomery product over its rounds, one for each bit; at -O0."""
    product = exact(results, (BITS_64, rung, "O0", "mont_mul"), "instructions")
    value = None if product.value is None else product.value / ROUNDS
    return replace(product, value=value)


def dirk(results: Results) -> str:
    """The table of perf and the lengths of two listings beside what a round of ours executes."""
    root, facts = results.root, about(PERF, results.root)
    listings: list[Line] = [
        ([f"Listing {row['listing']}: {row['code']}", row["instructions"], f"{rung} -O0"],
         [loop(results, rung)])
        for row, rung in zip(read_csv(LISTINGS, root), ("v1", "v2"))
    ]  # fmt: skip
    ours = f"instructions of mont_mul / {ROUNDS} rounds"
    head = ["code", "his instructions", "our rung"]
    return (
        f"{facts['section']}: {facts['workload']}, on {facts['platform']}; here divided by {TRIPS}."
        f" Ours: study {BITS_64}, {results.platform}, {results.compiler}, a mean round trip."
        " Cache references are accesses of the data cache, branches those that change the program"
        " counter; perf counts his whole program, we count the snapshot. The ARM1176 model is of a"
        " Pi Zero, and so is its error: his board can run more than one instruction a cycle."
        f"\n\n{perf_beside(results)}\n\n{about(LISTINGS, root)['section']}: instructions of"
        f" one round.\n\n{comparison(head, listings, (0, 2), ours)}"
    )


# --- Lee 2021 -------------------------------------------------------------------------------------

BITS_96, TICKS, GPROF = "width-96", "lee-2021-table-1.csv", "lee-2021-gprof.csv"
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


def of_lee(results: Results) -> tuple[pd.DataFrame, pd.DataFrame]:
    """By version and level what Lee calls cycles, ticks of clock(), and
    instructions of a round trip of our rung of the same name, which is the
    same step; rungs that he has not come last."""
    his = pd.DataFrame(read_csv(TICKS, results.root)).set_index("version")
    asked = 'select * from cells where (study, "case") = (?, ?)'
    cells = ask(results, asked, BITS_96, FULL)
    ours = cells.pivot(index="snapshot", columns="level", values="instructions").astype(float)
    names = [*his.index, *sorted(set(ours.index) - set(his.index), key=natural_key)]
    levels = list(LEVELS)
    return his[levels].astype(float).reindex(names), ours.reindex(index=names, columns=levels)


def ticks_beside(results: Results) -> str:
    """Lee's Table 1 beside our instructions, a row for each level, each
    number with its factor against its own v0."""
    (his, ours), rows = of_lee(results), []
    there, here = his.loc["v0"] / his, ours.loc["v0"] / ours
    ideas = {snapshot.name: snapshot.idea for snapshot in results.rungs(BITS_96)}
    ideas |= {row["version"]: row["optimizations"] for row in read_csv(TICKS, results.root)}
    for version, level in product(his.index, LEVELS):
        printed = f"{his.loc[version, level]:,.1f}" if version in his.dropna().index else NONE
        idea, own = ideas[version] * (level == LEVELS[0]), ours.loc[version, level]
        said = MEASURED if own > 0 else NOT_MEASURED
        ratios = [factor(numbers.loc[version, level]) for numbers in (there, here)]
        rows.append([version, idea, f"-{level}", printed, ratios[0], digits(own), ratios[1], said])
    head = ["version", "optimisation", "level", "his ticks", "v0/this"]
    head += ["our instructions", "v0/this", "status of ours"]
    return markdown.table(head, rows, (0, 1, 2, 7))


def calls(results: Results) -> str:
    """Lee's calls and ours, both of a round trip, which is two
    exponentiations, of the functions that his first output has; 0 where all
    of ours were inlined."""
    his = {(row["output"], row["name"]): int(row["called"])
           for row in read_csv(GPROF, results.root)
           if row["name"] in FUNCTIONS and row["role"] == "function"}  # fmt: skip
    asked = "select callee, calls from trip_calls where (study, rung, level) = (?, ?, ?)"
    lines: list[Line] = []
    for output, rung in OUTPUTS.items():
        ours = dict(map(tuple, results.query(asked, BITS_96, rung, GPROF_LEVEL)))
        for name in (name for name in FUNCTIONS if ("1", name) in his):
            theirs = 2 * his.get((output, name), 0) / his[output, EXPONENTIATION]
            there = [function for function in FUNCTIONS[name] if function in ours]
            made = float(sum(ours[function] for function in there))
            own = Own(MEASURED, "calls", made) if ours else Own(NOT_MEASURED, "calls")
            mine = ", ".join(there) or ("inlined" if ours else NONE)
            shown = f"{theirs:,.1f}" if theirs else "inlined"
            lines.append(([output, name, shown, f"{rung}: {mine}"], [own]))
    head = ["output", "his function", "calls a round trip", "ours"]
    return comparison(head, lines, (0, 1, 3), "calls a round trip")


def lee(results: Results) -> str:
    """Both tables, with what they are of."""
    root, facts = results.root, about(TICKS, results.root)
    return (
        f"{facts['section']}: {facts['workload']}, {facts['platform']}. Ours: study {BITS_96},"
        f" {results.platform}, {results.compiler}, instructions of a round trip, an exact mean."
        " Time and instructions are two metrics: compare the factors.\n\n"
        f"{ticks_beside(results)}\n\n{about(GPROF, root)['section']}: calls at"
        f" -{GPROF_LEVEL}, by gprof. Ours: five keys of the same sizes and sums, built without"
        " `static`, as his are; R is 2^96 for all, his has the bits of the key.\n\n"
        f"{calls(results)}"
    )


# --- Markovic et al., OpenSSL ---------------------------------------------------------------------

KARATSUBA = "markovic-table-{}.csv"


def markovic(root: Path = ROOT) -> str:
    """What the five tables are of, and where ours stand."""
    facts, rows = about(KARATSUBA.format(1), root), read_csv(KARATSUBA.format(5), root)
    columns = ("standard_ms", "optimized_crt_ms")
    slow, fast = (
        " or ".join(sorted({f"{float(r[column]) / float(r['cycle_ns']):.1f}" for r in rows}))
        for column in columns
    )
    return (
        f"{facts['section'].partition(',')[0]}, Tables 1 to 5: cycles on a {facts['platform']};"
        " standard, or 1 to 4 levels of Karatsuba.  Notebook 06 has Tables 1 to 4 beside our exact"
        " counts of the same operations: cycles there and instructions here are two metrics."
        f"  Table 5 is two numbers at {len(rows)} clocks: {slow} million cycles for the standard"
        f" private operation, {fast} million for the optimised one by CRT.  They are not those of"
        " Table 4."
    )


def openssl(root: Path = ROOT) -> str:
    """The table of times, with what it is of.  Raises Failure."""
    facts = about(counted.PUBLISHED, root)
    return (
        f"{facts['section']}: {facts['platform']}, {facts['compiler']}; times are elapsed time over"
        " operations. Modelled: instructions + 2 x long multiplies of the whole operation, with"
        " padding and blinding, at 1 GHz. The model knows no cache and no misprediction."
        " Notebook 07 has the times of the new assembly beside ours.\n\n"
        f"{counted.times(counted.committed(root), root)}"
    )
