"""The sources' tables beside our numbers: theirs, ours, and what kind of number ours is.

The words are in words.md.
"""

import random
from collections import defaultdict
from collections.abc import Callable
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from sqlite3 import Row

from records.results import Results
from records.tables import (
    NONE,
    Column,
    Table,
    digits,
    factor,
    percent,
    pivot,
    tabulate,
    whole,
)
from rsalab import openssl
from rsalab.templates import Maker, Names

BISHOP = "Bishop & Austin 2021"
DIRK = "Dirk 2019"
LEE = "Lee 2021"
MARKOVIC = "Markovic et al."
OPENSSL = "OpenSSL ARM assembly"
UNKNOWN = "Nothing: the programs are not measured in these results."
NOT_MEASURED = "not measured in these results"
WORDS = Path(__file__).with_name("words.md")
Columns = dict[str, Column]


def with_unit(column: str, row: Row) -> str:
    """Return a number with its unit, if it has one."""
    return " ".join(filter(None, [row[column], row["unit"]]))


def worked_out(row: Row) -> str | None:
    """Return what follows from a source's own numbers."""
    return f"`{row['arithmetic']}` = {row['gives']}" if row["arithmetic"] else None


def bare(program: str) -> str:
    """Return a program's name without its study."""
    return program.rpartition("/")[2]


def gains(results: Results, slow: str, fast: str) -> dict[str, float]:
    """Return by level how many times fewer instructions one program executes than another."""
    asked = "select level, gain from gains where (slow, fast) = (?, ?)"
    return dict(map(tuple, results.query(asked, slow, fast)))


# --- of every source ------------------------------------------------------------------------------


def errata(results: Results, source: str = "") -> Table:
    """Return what does not follow from a source's own numbers."""
    columns: Columns = {
        "source": lambda row: None if source else row["source"],
        "where": lambda row: f"{row['file']}: {row['place']}",
        "published": "published",
        "what follows": lambda row: " ".join(
            filter(None, [worked_out(row), row["unit"]])
        ),
        "why": "why",
    }
    return tabulate(results.rows(__file__, "errata", source=source), columns)


def claims(results: Results, source: str) -> Table:
    """Return the numbers in a source's text, and what its tables say."""
    columns: Columns = {
        "the text says": "claim",
        "section": "section",
        "number": partial(with_unit, "value"),
        "from its tables": worked_out,
    }
    return tabulate(results.rows(__file__, "claims", source=source), columns)


def lessons(results: Results, source: str = "") -> str:
    """Return what our counts add, a line for each lesson of which all numbers are here."""
    rows = results.rows(__file__, "lessons", source=source)
    lines = []
    for _, group in groupby(rows, lambda row: row["place"]):
        found = list(group)
        lesson = found[0]
        gained = []
        for row in found:
            gain = factor(row["gain"])
            if not lesson["only"]:
                gain += f" at -{row['level']}"
            gained.append(gain)
        text = lesson["sentence"].replace("{}", ", ".join(gained))
        text = text.replace("{percent}", f"{100 * lesson['gain']:.2f}")
        if not source:
            text = f"**{lesson['source']}.** {text}"
        lines.append(f"- {text}")
    return "\n".join(lines)


# --- Bishop & Austin ------------------------------------------------------------------------------


def table_1(results: Results) -> Table:
    """Return their Table 1, and the factor against its first row."""
    columns: Columns = {
        "iteration": "iteration",
        "description": "description",
        "time, s": "seconds",
        "% increase": "percent_increase",
        "lines of assembly": "asm_lines",
        "0/this": lambda row: factor(row["versus_first"]),
    }
    return tabulate(results.rows(__file__, "bishop"), columns)


def reasons(results: Results) -> str:
    """Return which of our programs is like a row of theirs, and why, a line for each row."""
    lines = []
    for row in results.rows(__file__, "bishop"):
        ours = row["counterpart"]
        if ours == "rung":
            ours = f"rung {row['ours']}"
        lines.append(f"- **Row {row['iteration']}: {ours}.** {row['reason']}")
    return "\n".join(lines)


def steps(results: Results) -> Table:
    """Return their steps in time beside ours in instructions, by level."""
    levels = [level for (level,) in results.query("select distinct level from cells")]
    rows = []
    for row in results.rows(__file__, "bishop"):
        programs = (row["ours"] or "").split()
        named = [bare(program) for program in programs]
        if row["against"]:
            named = [f"{bare(row['against'])} to {name}" for name in named]
        found = [gains(results, row["against"], program) for program in programs]
        for level in levels:
            ratios = [factor(gained.get(level)) for gained in found] or [NONE]
            step = {"ours": ", ".join(named) or row["counterpart"], "level": level}
            rows.append({**dict(row), **step, "instructions": ", ".join(ratios)})
    by: Columns = {
        "iteration": "iteration",
        "their step, time": lambda row: factor(row["step"]),
        "our step": "ours",
    }
    return pivot(rows, by, "level", {"instructions": "instructions"})


def as_printed(table: str, results: Results) -> Table:
    """Return a published table as it is."""
    rows = results.query(f"select * from {table}")
    return tabulate(rows, {name: name for name in rows[0].keys()})


# --- Dirk -----------------------------------------------------------------------------------------

PROGRAMS = ("no-opt C: v0 -O0", "optimized C: v1 -O0", "optimized asm: v2 -O0",
            "O3 no-opt C: v0 -O3", "O3 optimized C: v1 -O3")  # fmt: skip
# What is ours beside a label of his, without perf: its name, and the metrics that it is the sum of.
COUNTED = {
    "runtime (ms)": ("ms, median", ["median_ms"]),
    "instructions": ("", ["instructions"]),
    "branches": ("branches taken", ["branches_taken"]),
    "cache references": (
        "load accesses + store accesses",
        ["load_accesses", "store_accesses"],
    ),
    "cycles": ("cycles, ARM1176 model", ["model_cycles_arm1176"]),
}
RATE = "instructions / cycle"
Numbers = dict[int, float]  # of his programs, from 1 on


def perf(results: Results) -> Table:
    """Return his table of perf, and below each line ours, where one is known."""
    ours = our_counts(results)
    lines: dict[str, list[str]] = {}
    for row in results.query("select * from dirk order by line, place"):
        cells = lines.setdefault(row["label"], [row["label"], "Dirk"])
        cells.append(row["printed"] if row["is_rate"] else digits(row["number"]))
    rows = []
    for label, theirs in lines.items():
        rows.append([*theirs, "published"])
        if label in ours:
            words, numbers, status = ours[label]
            cells = [digits(numbers.get(place)) for place, _ in enumerate(PROGRAMS, 1)]
            if len(numbers) < len(PROGRAMS) and status == "measured":
                status = f"{status}; {NOT_MEASURED}"
            rows.append([words, "ours", *cells, status])
    return Table(["a round trip", "whose", *PROGRAMS, "status"], rows)


def our_counts(results: Results) -> dict[str, tuple[str, Numbers, str]]:
    """Return what is ours beside a label of his: its name, its numbers, and what kind they are.
    What perf counted comes first."""
    found: dict[str, tuple[str, Numbers, str]] = {}
    means: dict[str, Numbers] = defaultdict(dict)
    for row in results.rows(__file__, "known"):
        numbers = means[row["metric"]]
        numbers[row["place"]] = row["mean"]
    for label, (words, metrics) in COUNTED.items():
        sums = sums_of([means[metric] for metric in metrics])
        if sums:
            found[label] = words, sums, "measured"
    if "cycles" in found:
        words, cycles, _ = found.pop("cycles")
        for error in results.rows(__file__, "error"):
            low = error["low"]
            high = error["high"]
            found["cycles"] = words, cycles, f"modelled, error {percent(low, high)}"
            rates = {
                place: means["instructions"][place] / n for place, n in cycles.items()
            }
            of_rate = percent(1 / (1 + high) - 1, 1 / (1 + low) - 1)
            found[RATE] = "by the ARM1176 model", rates, f"modelled, error {of_rate}"
    perf: dict[str, Numbers] = defaultdict(dict)
    for row in results.rows(__file__, "perf"):
        numbers = perf[row["label"]]
        numbers[row["place"]] = row["number"]
    for label, numbers in perf.items():
        found[label] = f"{label}, perf, user space", numbers, "measured"
    return found


def sums_of(several: list[Numbers]) -> Numbers:
    """Return the sums of several numbers of each program that has all of them."""
    first, *others = several
    sums = dict(first)
    for numbers in others:
        for place in list(sums):
            if place in numbers:
                sums[place] += numbers[place]
            else:
                del sums[place]
    return sums


def status_of(row: Row) -> str:
    """Return what kind of number ours is."""
    return NOT_MEASURED if row["instructions"] is None else "measured"


def listings(results: Results) -> Table:
    """Return the instructions of one round, his and ours."""

    def in_a_round(row: Row) -> str | None:
        return digits(row["instructions"] / 64) if row["instructions"] else None

    columns: Columns = {
        "code": lambda row: f"Listing {row['listing']}: {row['code']}",
        "his instructions": "theirs",
        "our rung": lambda row: f"v{int(row['listing']) - 6} -O0",
        "instructions of mont_mul / 64 rounds": in_a_round,
        "status of ours": status_of,
    }
    return tabulate(results.rows(__file__, "listings"), columns)


# --- Lee ------------------------------------------------------------------------------------------

# A function of his, and those of ours that do the same.
FUNCTIONS = {
    "modular_exponentiation_mont_32x3": ["mod_exp"],
    "modular_multiplication_32x3": ["mmm"],
    "rshift_uint32x3": ["rshift", "rshift1", "rshift32"],
    "add_uint32x3": ["add"],
    "sub_uint32x3": ["sub"],
}
OUTPUTS = {"1": "v0", "2": "v2"}  # of gprof: the version


def ticks(results: Results) -> Table:
    """Return his ticks beside our instructions, by version and level."""
    rows = results.query("select * from lee order by place, level")
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(row["level"], row)

    def ratio(row: Row, column: str) -> str:
        number = row[column]
        base = first[row["level"]][column]
        if not number or not base:
            return NONE
        return factor(float(base) / float(number))

    head = ["version", "optimisation", "level", "his ticks", "v0/this", "our instructions",
            "v0/this", "status of ours"]  # fmt: skip
    lines = []
    for row in rows:
        idea = row["optimisation"] if row["level"] == "O0" else ""
        his = [row["ticks"] or NONE, ratio(row, "ticks")]
        ours = [whole(row["instructions"]), ratio(row, "instructions"), status_of(row)]
        lines.append([row["snapshot"], idea, f"-{row['level']}", *his, *ours])
    return Table(head, lines)


def calls(results: Results) -> Table:
    """Return the calls of a round trip at -O1, by his gprof and by ours."""
    his = {}
    for row in results.rows(__file__, "calls"):
        his[row["output"], row["name"]] = row["called"]
    counted: dict[str, dict[str, float]] = defaultdict(dict)
    asked = "select * from trip_calls where (study, level) = ('width-96', 'O1')"
    for row in results.query(asked):
        of_version = counted[row["snapshot"]]
        of_version[row["callee"]] = row["calls"]
    rows = []
    for output, version in OUTPUTS.items():
        ours = counted[version]
        for name, functions in FUNCTIONS.items():
            found = [function for function in functions if function in ours]
            number = digits(sum(ours[function] for function in found)) if ours else NONE
            words = ", ".join(found) or ("inlined" if ours else NONE)
            theirs = str(his.get((output, name), "inlined"))
            status = "measured" if ours else NOT_MEASURED
            rows.append([output, name, theirs, f"{version}: {words}", number, status])
    head = ["output", "his function", "calls a round trip", "ours", "calls a round trip",
            "status of ours"]  # fmt: skip
    return Table(head, rows)


# --- Markovic et al. ------------------------------------------------------------------------------


def million_cycles(column: str, results: Results) -> str:
    """Return the distinct products of time and clock in a column of their Table 5."""
    found = set()
    for row in results.query("select * from markovic_table_5"):
        milliseconds = float(row[column])
        nanoseconds = float(row["cycle_ns"])  # of a cycle
        found.add(round(milliseconds / nanoseconds, 1))
    return "\n".join(map(str, sorted(found)))


def clocks(results: Results) -> str:
    """Return how many clocks their Table 5 has."""
    return str(len(results.query("select * from markovic_table_5")))


# --- words ----------------------------------------------------------------------------------------

TABLES: dict[str, Callable[[Results], Table]] = {
    "table_1": table_1,
    "steps": steps,
    "figures": partial(as_printed, "bishop_austin_2021_figures_6_8"),
    "unit": partial(as_printed, "bishop_austin_2021_hardware_unit"),
    "perf": perf,
    "listings": listings,
    "ticks": ticks,
    "calls": calls,
    "times": partial(openssl.times, whose="record", ours=False),
}
FACTS: dict[str, Callable[[Results], str]] = {
    "clocks": clocks,
    "standard": partial(million_cycles, "standard_ms"),
    "optimised": partial(million_cycles, "optimized_crt_ms"),
}


def told(results: Results, source: str) -> str:
    """Return all that words.md says of a source, in Markdown."""
    names = Names(WORDS)
    names.know({"here": f"{results.platform}, {results.compiler}"})
    files = results.query("select * from sources_index where source = ?", source)
    for number, row in enumerate(files, 1):
        for what in row.keys():
            names.know({f"{what}_{number}": row[what]})
    made: dict[str, Maker] = {
        "errata": lambda: errata(results, source).markdown,
        "claims": lambda: claims(results, source).markdown,
    }

    def shown(table: Callable[[Results], Table]) -> str:
        return table(results).markdown

    names.add("table", made)
    names.add("table", {name: partial(shown, table) for name, table in TABLES.items()})
    names.add("fact", {name: partial(fact, results) for name, fact in FACTS.items()})
    names.add("text", {"lessons": lambda: lessons(results, source) or UNKNOWN})
    return names.section(source)


# --- what the sources' programs lose --------------------------------------------------------------

PRODUCTS = 20_000  # random ones


@cache
def right_without_carries(bits: int, products: int = PRODUCTS, width: int = 128) -> int:
    """Return how many of so many random Montgomery products, bit by bit with random moduli of
    exactly `bits` bits, are right where the sum loses every bit from `width` on."""
    pick = random.Random(bits)
    right = 0
    for _ in range(products):
        n = pick.getrandbits(bits) | 1 << bits - 1 | 1
        x = pick.randrange(n)
        y = pick.randrange(n)
        t = 0
        for i in range(width):
            t += y * (x >> i & 1)
            t += n * (t & 1)
            t = t % (1 << width) >> 1
        product = t - n if t >= n else t
        right += product == x * y * pow(1 << width, -1, n) % n
    return right


def dropped() -> str:
    """Return how many random products are right in a program whose sum has no room for a carry."""
    parts = []
    for bits in (127, 128):
        right = right_without_carries(bits)
        parts.append(f"{whole(right)} ({100 * right / PRODUCTS:.2f} %) at {bits} bits")
    return ", ".join(parts)
