"""The sources' tables beside our numbers: theirs, ours, and what kind of number ours is.

Every own cell has a status: measured, modelled, not measured in these results
(the study is not in this results folder, or not this part of it), or not
available here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import perf
from records.ladder import LADDER, LEVELS, ROOT, natural_key, study_path
from records.published import MAP, TABLE_1, Cells, about, read_csv
from records.results import FULL, Results
from records.tables import NONE, factor, percent, whole
from rsalab import markdown, models
from rsalab import openssl as counted
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
        if self.value is None:
            return NONE
        exact = isinstance(self.value, int) or self.value >= 1000 or not self.value
        return whole(self.value) if exact else f"{self.value:#.3g}".rstrip(".")


Line = tuple[Sequence[str], Sequence[Own]]  # cells of theirs, and ours


def exact(
    results: Results, study: str, rung: str, level: str, metrics: Sequence[str], case: str = FULL
) -> Own:
    """The sum of exact metrics, a mean of an operation, from counts.csv."""
    means = results.means(study, rung, level, case)
    name = " + ".join(metrics).replace("_", " ")
    if not set(metrics) <= set(means):
        return Own(NOT_MEASURED, name)
    return Own(MEASURED, name, sum(means[metric] for metric in metrics))


def cycles(results: Results, study: str, rung: str, level: str, root: Path = ROOT) -> Own:
    """Cycles of a round trip by the ARM1176 model, with its error for that kind of code."""
    name = "cycles, ARM1176 model"
    means = results.means(study, rung, level)
    if not means.keys() >= {"instructions", *models.LONG}:
        return Own(NOT_MEASURED, name)
    by_hand = (study_path(study, root) / rung / "mont.S").is_file()
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


def side_by_side(results: Results, levels: Sequence[str] = LEVELS, root: Path = ROOT) -> str:
    """Their steps in time beside ours in instructions, of rungs and of what
    was measured alone: two metrics, in columns of their own."""
    rows = []
    for row in iterations(root):
        names = [(row["against"], ours) for ours in row["ours"].split()]
        shown = [" to ".join(name.rpartition("/")[2] for name in pair if name) for pair in names]
        gains = [[factor(gain(results, *pair, level)) for pair in names] for level in levels]
        step = ", ".join(shown) or row["counterpart"]
        rows.append([row["iteration"], factor(row["step"]), step])
        rows[-1] += [", ".join(cells) or NONE for cells in gains]
    head = ["iteration", "their step, time", "our step"]
    return markdown.table([*head, *(f"instructions -{at}" for at in levels)], rows, (0, 2))


def gain(results: Results, slow: str, fast: str, level: str) -> float | None:
    """Instructions of one program over those of another, rungs or
    `alone/NAME`; None without both."""
    counts = []
    for name in (slow, fast):
        study, _, rung = name.rpartition("/")
        counts.append(results.means(study or LADDER, rung, level).get("instructions"))
    return counts[0] / counts[1] if counts[0] and counts[1] else None


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


def perf_table(root: Path = ROOT) -> dict[str, dict[str, float]]:
    """Label -> program -> value of a round trip; rates as printed.  Time is in ms."""
    table: dict[str, dict[str, float]] = {}
    for row in read_csv(PERF, root):
        label = row.pop("code being profiled")
        share = 1 if perf.ROWS[label][1] else TRIPS
        table[label] = {program: float(text) / share for program, text in row.items()}
    return table


def of_perf(results: Results, label: str, program: str, root: Path = ROOT) -> Own:
    """Our number for one of Dirk's cells, of a round trip: from a board's
    perf.csv or times.csv, else an exact count, else the ARM1176 model, else
    none."""
    place = BITS_64, *PROGRAMS[program]
    rows = results.query("select * from perf where (study, snapshot, level) = (?, ?, ?)", *place)
    measured = perf.derive(map(dict, rows)).get(label) if rows else None
    if isinstance(measured, float):
        return Own(MEASURED, f"{label}, perf, user space", measured)
    if label in COUNTED:
        return exact(results, *place, COUNTED[label])
    instructions = exact(results, *place, ("instructions",)).value
    if instructions is None:
        return Own(NOT_MEASURED, label)
    model = cycles(results, *place, root)
    if label == "cycles":
        return model
    if label == "instructions / cycle" and model.value and model.error:
        low, high = (1 / (1 + end) - 1 for end in reversed(model.error))
        return Own(MODELLED, label, instructions / model.value, (low, high))
    asked = "select median_us from medians where (study, snapshot, level) = (?, ?, ?)"
    times = results.query(asked, *place) if label == "runtime (ms)" else []
    if times:
        return Own(MEASURED, "ms, median", times[0]["median_us"] / 1000)
    return Own(NOT_AVAILABLE, label)


def perf_beside(results: Results, root: Path = ROOT) -> str:
    """Dirk's table and ours, row under row, each of a round trip: rates as
    printed, totals in the digits of ours."""
    rows, table = [], perf_table(root)
    for printed in read_csv(PERF, root):
        label = printed["code being profiled"]
        texts = {p: whole(v) if v >= 1000 else f"{v:.3g}" for p, v in table[label].items()}
        texts = printed if perf.ROWS[label][1] else texts
        owns = [of_perf(results, label, program, root) for program in PROGRAMS]
        rows.append([label, "Dirk", *(texts[program] for program in PROGRAMS), "published"])
        metrics = dict.fromkeys(own.metric for own in owns if own.value is not None)
        name = "; ".join(metric for metric in metrics if metric != label)
        rows.append([name, "ours", *(own.text for own in owns), status(owns)])
    head = [f"{program}: {rung} -{level}" for program, (rung, level) in PROGRAMS.items()]
    return markdown.table(["a round trip", "whose", *head, "status"], rows, (0, 1, 7))


def loop(results: Results, rung: str) -> Own:
    """Instructions of a Montgomery product over its rounds, one for each bit; at -O0."""
    product = exact(results, BITS_64, rung, "O0", ("instructions",), "mont_mul")
    if product.value is None:
        return product
    return Own(MEASURED, "instructions of mont_mul a round", product.value / ROUNDS)


def dirk(results: Results, root: Path = ROOT) -> str:
    """The table of perf and the lengths of two listings beside what a round of ours executes."""
    facts = about(PERF, root)
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
        f"\n\n{perf_beside(results, root)}\n\n{about(LISTINGS, root)['section']}: instructions of"
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


def ticks(root: Path = ROOT) -> dict[str, Cells]:
    """Version -> level -> what Lee calls cycles, ticks of clock(), as printed."""
    return {row["version"]: row for row in read_csv(TICKS, root)}


def of_lee(results: Results, version: str, level: str) -> Own:
    """Instructions of a round trip of our rung of the same name."""
    return exact(results, BITS_96, version, level, ("instructions",))


def versions(results: Results, root: Path = ROOT) -> list[str]:
    """His versions, then our rungs that he has not; the same names mean the same step."""
    ours = {snapshot.name for snapshot in results.rungs(BITS_96)}
    return [*ticks(root), *sorted(ours - set(ticks(root)), key=natural_key)]


def ticks_beside(results: Results, root: Path = ROOT) -> str:
    """Lee's Table 1 beside our instructions, a row for each level, each
    number with its factor against its own v0."""
    his, rows = ticks(root), []
    ideas = {snapshot.name: snapshot.idea for snapshot in results.rungs(BITS_96)}
    ideas |= {version: row["optimizations"] for version, row in his.items()}
    for version in versions(results, root):
        for level in LEVELS:
            number = float(his[version][level]) if version in his else None
            theirs = f"{number:,.1f}" if number else NONE
            there = float(his["v0"][level]) / number if number else None
            own, first = of_lee(results, version, level), of_lee(results, "v0", level).value
            here = factor(first / own.value if first and own.value else None)
            idea = ideas[version] * (level == LEVELS[0])
            cells = [version, idea, f"-{level}", theirs, factor(there), own.text, here]
            rows.append([*cells, status([own])])
    head = ["version", "optimisation", "level", "his ticks", "v0/this"]
    head += ["our instructions", "v0/this", "status of ours"]
    return markdown.table(head, rows, (0, 1, 2, 7))


def calls(results: Results, root: Path = ROOT) -> str:
    """Lee's calls and ours, both of a round trip, which is two
    exponentiations, of the functions that his first output has; 0 where all
    of ours were inlined."""
    his = {(row["output"], row["name"]): int(row["called"]) for row in read_csv(GPROF, root)
           if row["name"] in FUNCTIONS and row["role"] == "function"}  # fmt: skip
    asked = "select callee, calls from calls where (study, snapshot, level, caller) = (?, ?, ?, ?)"
    lines: list[Line] = []
    for output, rung in OUTPUTS.items():
        place = BITS_96, rung, GPROF_LEVEL, "<total>"
        ours: dict[str, int] = dict(map(tuple, results.query(asked, *place)))
        trips = ours.get("mod_exp", 0) / 2
        for name in (name for name in FUNCTIONS if ("1", name) in his):
            theirs = 2 * his.get((output, name), 0) / his[output, EXPONENTIATION]
            there = [function for function in FUNCTIONS[name] if function in ours]
            made = sum(ours[function] for function in there)
            own = Own(MEASURED, "calls", made / trips) if trips else Own(NOT_MEASURED, "calls")
            mine = ", ".join(there) or ("inlined" if trips else NONE)
            shown = f"{theirs:,.1f}" if theirs else "inlined"
            lines.append(([output, name, shown, f"{rung}: {mine}"], [own]))
    head = ["output", "his function", "calls a round trip", "ours"]
    return comparison(head, lines, (0, 1, 3), "calls a round trip")


def lee(results: Results, root: Path = ROOT) -> str:
    """Both tables, with what they are of."""
    facts = about(TICKS, root)
    return (
        f"{facts['section']}: {facts['workload']}, {facts['platform']}. Ours: study {BITS_96},"
        f" {results.platform}, {results.compiler}, instructions of a round trip, an exact mean."
        " Time and instructions are two metrics: compare the factors.\n\n"
        f"{ticks_beside(results, root)}\n\n{about(GPROF, root)['section']}: calls at"
        f" -{GPROF_LEVEL}, by gprof. Ours: five keys of the same sizes and sums, built without"
        " `static`, as his are; R is 2^96 for all, his has the bits of the key.\n\n"
        f"{calls(results, root)}"
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
