"""Results as tables on a terminal: the ladder that a run ends with, its times,
two folders side by side.  Nothing but Python itself is needed.

A table fits the terminal's width.  The column that answers comes first; what has no room is
printed below, or left out.
"""

import math
import statistics
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby, product
from pathlib import Path
from typing import Any

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, LEVELS, ROOT, Snapshot, levels
from records.results import FULL, SIZES, Results, load, reference
from records.statistics import median_interval
from records.tables import (
    NONE,
    Column,
    Row,
    Table,
    aligned,
    digits,
    factor,
    figures,
    fitted,
    pivot,
    tabulate,
    whole,
)

# --- widths ---------------------------------------------------------------------------------------


def shown(form: Callable[[float], str], name: str) -> Column:
    """Return what makes a cell of a column of numbers, None where there is no number."""

    def cell(row: Row) -> str | None:
        return None if row[name] is None else form(row[name])

    return cell


def narrowed(
    rows: Iterable[Row],
    columns: Mapping[str, Column],
    optional: Sequence[str],
    width: int,
) -> dict[str, Column]:
    """Return the columns of a table of these rows; of the optional ones, in
    this order, only those without which it does not fit the width."""
    rows = list(rows)
    kept = dict(columns)
    for head in optional:
        table = tabulate(rows, kept)
        if widest(table.lines) <= width:
            break
        kept.pop(head)
    return kept


def widest(lines: Iterable[str]) -> int:
    """Return the length of the longest line."""
    return max(map(len, lines), default=0)


def folded(lines: Iterable[str], width: int) -> list[str]:
    """Return lines of words, each broken where it is wider."""
    filled = []
    for line in lines:
        text = textwrap.fill(line, width, break_on_hyphens=False)
        filled.append(text)
    return filled


# --- the ladder -----------------------------------------------------------------------------------

TRIP = (
    "instructions: exact mean of a round trip (encrypt and decrypt one message, full-length"
    " e and d), counted in the snapshot and the run-time it calls"
)
UNCOUNTED = "instructions: not available here (no counter works, or COUNTER=none)"
SMALL = (
    "workload: small (the first 8 strings and 2 integers); MESSAGES=default counts more"
)
OTHER_COMPILER = (
    "README's numbers are of {}; compare these with results/{}, of this compiler"
)
UNCOMPARED = "-  the rung to compare with is not measured: make all-iterations{}"


def untimed(facts: dict[str, Any]) -> str:
    """Return why there is no time, by the facts of machine.json."""
    timing = facts.get("timing", {})
    tainted = timing.get("tainted", {})
    why = ", ".join(tainted) or "not measured"
    if facts.get("runner"):
        why = "programs run under emulation"
    return f"time: not available here ({why})"


# What is said of a snapshot at a level, and what gives way in a narrow terminal.
LADDER_COLUMNS: dict[str, Column] = {
    "rung": "snapshot",
    "level": lambda row: f"-{row['level']}",
    "instructions": shown(whole, "instructions"),
    "v0/this": shown(factor, "versus_base"),
    "parent/this": shown(factor, "versus_parent"),
    "verdict": lambda row: row["verdict"] or NONE,
    "asm lines": shown(whole, "asm_lines"),
    "bytes": shown(whole, "code_bytes"),
    "median us": shown(digits, "median_us"),
}
GIVES_WAY = ("asm lines", "bytes")


def ladder_text(results: Results, study: str, only: Collection[str], width: int) -> str:
    """Return the table of a study, a row a snapshot with a number and a bar a level; of the
    snapshots that `only` names, if any, all that is known.  Raises Failure."""
    rows = results.query(
        "select * from ladder where (study, workload) = (?, ?)", study, FULL
    )
    counted = any(row["instructions"] is not None for row in rows)
    notes = textwrap.wrap(TRIP, min(width, 87)) if counted else [UNCOUNTED]
    head = heading(results, study, rows, notes)
    blocks = ["\n".join(folded(head, width))]
    if only:
        rows = [row for row in rows if row["snapshot"] in only]
    widths = by_width(ladder.snapshots(study, results.root), only)
    for bits, names in widths.items():
        of_width = [row for row in rows if row["snapshot"] in names]
        if not of_width:
            continue
        if len(widths) > 1:
            blocks.append(f"Numbers of {bits} bits")
        if only or not counted:
            blocks.append("\n".join(ideas(of_width, width)))
            columns = narrowed(of_width, LADDER_COLUMNS, GIVES_WAY, width)
            blocks.append("\n".join(tabulate(of_width, columns).lines))
            continue
        blocks += overviews(of_width, width)
    uncompared = [row for row in rows if row["parent"] and row["versus_parent"] is None]
    if counted and uncompared:
        blocks.append(UNCOMPARED.format(other_levels()))
    return "\n\n".join(blocks)


def other_levels() -> str:
    """Return the word of make that asks for the levels of these results, ` LEVELS='O2 Os'`; ""
    where they are the usual ones."""
    asked = levels()
    return "" if asked == LEVELS else f" LEVELS='{' '.join(asked)}'"


# ---- One table with a bar a level

BAR_LETTERS = range(4, 13)  # how long the longest bar may be
PARTS = " ▏▎▍▌▋▊▉█"  # eighths of a letter
BARS = "A bar: logarithmic, from {} to {} {}. x: parent/this."


def bar(part: float, letters: int) -> str:
    """Return a bar that is this part of so many letters."""
    eighths = round(8 * letters * part)
    full, rest = divmod(eighths, 8)
    last = PARTS[rest] if rest else ""
    return PARTS[8] * full + last


def overviews(rows: Sequence[Row], width: int) -> list[str]:
    """Return the table of instructions and, where there are times, that of times, as text."""
    parts = ["\n".join(overview(rows, "instructions", "instructions", width))]
    if any(row["median_us"] is not None for row in rows):
        parts.append("\n".join(overview(rows, "median_us", "us, the median", width)))
    return parts


def overview(rows: Sequence[Row], metric: str, unit: str, width: int) -> list[str]:
    """Return a row a snapshot with a number, a factor over its parent and a bar for each level, in
    as much width as there is."""
    lines: list[str] = []
    for letters in reversed(BAR_LETTERS):
        table = with_bars(rows, metric, letters)
        lines = fitted(table, width)
        if widest(table.lines) <= width:
            break
    least, most = ends_of_scale(rows, metric)
    note = BARS.format(digits(least), digits(most), unit)
    return [*ideas(rows, width), "", *lines, "", *textwrap.wrap(note, width)]


def ends_of_scale(rows: Iterable[Row], metric: str) -> tuple[float, float]:
    """Return the power of ten below all numbers of a metric, and the largest of them."""
    numbers = [row[metric] for row in rows if row[metric]]
    power = math.ceil(math.log10(min(numbers))) - 1
    least = 10.0**power
    return least, max(numbers)


def with_bars(rows: Sequence[Row], metric: str, letters: int) -> Table:
    """Return the table: a column a level, whose cells are as wide as one another."""
    least, most = ends_of_scale(rows, metric)
    names = list(dict.fromkeys(row["snapshot"] for row in rows))
    columns = {}
    for level in dict.fromkeys(row["level"] for row in rows):
        cells = {}
        for row in rows:
            number = row[metric]
            if row["level"] != level or not number:
                continue
            part = math.log(number / least) / math.log(most / least)
            gain = NONE
            if metric == "instructions":
                gain = factor(row["versus_parent"])
            cells[row["snapshot"]] = [digits(number), gain, bar(part, letters)]
        found = [cells.get(name, [NONE, NONE, ""]) for name in names]
        columns[f"-{level}"] = padded(found, letters)
    lines = []
    for i, name in enumerate(names):
        lines.append([name, *(column[i] for column in columns.values())])
    return Table(["rung", *columns], lines)


def padded(cells: Sequence[Sequence[str]], letters: int) -> list[str]:
    """Return number, factor and bar of each row as one text, all of one length."""
    numbers, gains, _ = zip(*cells)
    wide = widest(numbers)
    wide_gain = widest(gains)
    texts = []
    for number, gain, of_row in cells:
        columns = [number.rjust(wide), gain.rjust(wide_gain), of_row.ljust(letters)]
        texts.append(" ".join(columns))
    return texts


def heading(
    results: Results, study: str, rows: Sequence[Row], counted: Sequence[str]
) -> list[str]:
    """Return what stands above the tables of a study: what was measured, and
    what was not; `counted` says it of instructions."""
    notes = [f"{study}, {results.platform}, {results.machine['compiler']}", *counted]
    timed = [row for row in rows if row["median_us"] is not None]
    if not timed:
        notes.append(untimed(results.machine))
    committed = results.root / "results" / results.platform
    seen = reference(results.root)
    if results.folder != committed != seen and committed.is_dir():
        notes.append(OTHER_COMPILER.format(seen.name, committed.name))
    if results.small(study):
        notes.append(SMALL)
    return notes


def ideas(rows: Iterable[Row], width: int) -> list[str]:
    """Return each snapshot with its idea, for whose column there is no room."""
    found = {row["snapshot"]: row["idea"] for row in rows}
    room = widest(found) + 2
    fill = textwrap.TextWrapper(width, subsequent_indent=" " * room)
    lines = []
    for name, idea in found.items():
        label = name.ljust(room)
        lines.append(fill.fill(label + idea))
    return lines


def by_width(
    snapshots: Sequence[Snapshot], only: Collection[str]
) -> dict[int, list[str]]:
    """Return the names of the snapshots of each width in bits, whose counts
    are not comparable; only those of `only`, unless it is empty."""
    widths: dict[int, list[str]] = {}
    for snapshot in snapshots:
        if not only or snapshot.name in only:
            widths.setdefault(snapshot.width, []).append(snapshot.name)
    return widths


# --- times ----------------------------------------------------------------------------------------

NEXT = "next       make duel A=v2 B=v4 LEVEL=O1     do two of them differ?"
TIMED = (
    "microseconds of a round trip: the median and its 95 % interval; {tainted} of {every} samples"
    " tainted and left out; results.frame('time_summaries') has both clocks, means and extremes"
)


def times_text(results: Results, width: int) -> str:
    """Return what the times were taken on, and one table of them.  Raises Failure where there are
    none."""
    rows = timed(results)
    if not rows:
        raise Failure(f"{results.label}/times.csv: no times; `make host` takes some")
    ((every, tainted),) = results.query(
        "select count(*), sum(metric like '%tainted') from times"
    )
    machine = results.machine
    cpu = machine.get("cpu", "a processor without a name")
    lines = ["", f"{results.platform}, {cpu}, {machine['compiler']}"]
    lines.append(TIMED.format(tainted=tainted, every=every))
    lines = [*folded(lines, width), ""]
    base = rows[0]["base"]
    table = pivot(rows, {"rung": "rung"}, "level", {"": "time", f"{base}/this": "gain"})
    lines += fitted(table, width)
    lines += ["", f"results    {results.label}/", NEXT]
    return "\n".join(lines)


def timed(results: Results) -> list[dict[str, str]]:
    """Return for each rung and level its time with the interval, and how many times less it is
    than that of the first rung."""
    found = []
    samples = results.rows(__file__, "times")
    for (study, name, level), group in groupby(samples, key=cell_of):
        of_cell = list(group)
        times = [row["us"] for row in of_cell]
        median = statistics.median(times)
        text = digits(median)
        with suppress(Failure):  # too few samples for an interval
            interval = median_interval(times)
            text += f" ({digits(interval.low)} to {digits(interval.high)})"
        base_us = of_cell[0]["base_us"]
        found.append(
            {
                "rung": name if study == LADDER else f"{study}/{name}",
                "level": level,
                "base": of_cell[0]["base"],
                "time": text,
                "gain": f"x{digits(base_us / median)}" if base_us else NONE,
            }
        )
    return found


def cell_of(row: Row) -> tuple[str, str, str]:
    """Return the study, the snapshot and the level of a row."""
    return row["study"], row["snapshot"], row["level"]


PERF_LABEL = "a round trip, user space, median"


def perf_number(row: Row) -> str:
    """Return a number of the hardware's counters; a dash where there is none."""
    number = row["number"]
    if number is None:
        return NONE
    if number >= 1000:
        return whole(number)
    return f"{number:.4g}"


def perf_text(results: Results, width: int) -> str:
    """Return the hardware's counters as Dirk (2019) prints them, a table for
    each study and level, and why numbers are missing.  Raises Failure."""
    cells = results.query(
        "select distinct study, level from perf order by study, level"
    )
    if not cells:
        raise Failure(
            f"no {results.label}/perf.csv: programs are measured where they run directly"
        )
    blocks = []
    for study, level in cells:
        rows = results.rows(__file__, "perf", study=study, level=level)
        table = pivot(rows, {PERF_LABEL: "label"}, "snapshot", {"": perf_number})
        lines = [f"{study} -{level}", *fitted(table, width)]
        for why, labels in absent(rows).items():
            named = ", ".join(labels)
            note = f"  - {why}: {named}"
            lines.append(textwrap.fill(note, width))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def absent(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Return the labels that have no number, by the reason."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row["number"] is None:
            labels = reasons.setdefault(why_absent(row), [])
            if row["label"] not in labels:
                labels.append(row["label"])
    return reasons


def why_absent(row: Row) -> str:
    """Return why a line of the table has no number."""
    if row["measured"]:
        return "below the noise"
    if row["reason"] == "tainted":
        return "tainted; make doctor"
    return row["reason"] or "not measured"


# --- two folders ----------------------------------------------------------------------------------

FACTS = ("platform", "cpu", "kernel", "os", "compiler", "flags", "runner", "qemu")
Pair = tuple[Results, Results]


def two_folders(asked: str, root: Path = ROOT) -> Pair:
    """Return the two folders that M names.  Raises Failure."""
    names = [name.strip() for name in asked.split(",")]
    are_two = len(names) == 2 and names[0] != names[1]
    if not are_two:
        paths = root.glob("results/*/machine.json")
        folders = sorted(path.parent.name for path in paths)
        choice = ", ".join(folders) or "no results"
        raise Failure(f"M={asked}: say two of {choice}: M=A,B")
    first, second = names
    one = load(first, root, counted=False)
    other = load(second, root, counted=False)
    workload = one.machine.get("messages", "")
    other_workload = other.machine.get("messages", "")
    if workload != other_workload:
        pair = f"MESSAGES={workload} and MESSAGES={other_workload}"
        raise Failure(f"{one.label} and {other.label}: different workloads: {pair}")
    return one, other


def differences(pair: Pair) -> list[list[str]]:
    """Return what differs between two folders: what, here, there."""
    here, there = pair
    one = here.machine
    other = there.machine
    rows = []
    for fact in FACTS:
        words = str(one.get(fact, "")).split()
        others = str(other.get(fact, "")).split()
        if fact == "flags":  # those that only one of the two has
            both = set(words) & set(others)
            words = [flag for flag in words if flag not in both]
            others = [flag for flag in others if flag not in both]
        if words != others:
            text = " ".join(words) or "none"
            other_text = " ".join(others) or "none"
            rows.append([fact, text, other_text])
    rows += changed("programs", one["programs"], other["programs"])
    rows += changed("inputs", inputs_of(here), inputs_of(there))
    return rows


def inputs_of(results: Results) -> dict[tuple[str, ...], str]:
    """Return the hash of the inputs of each cell and workload."""
    hashes = {}
    rows = results.query(
        "select study, snapshot, level, workload, inputs from provenance"
    )
    for *cell, inputs in rows:
        hashes[tuple(cell)] = inputs
    return hashes


def changed(
    what: str, one: Mapping[Any, str], other: Mapping[Any, str]
) -> list[list[str]]:
    """Return a row on how many hashes of two folders differ, or none."""
    both = one.keys() & other.keys()
    if not both:
        return [[what, "unknown", "these folders have none in common"]]
    differing = [key for key in both if one[key] != other[key]]
    if not differing:
        return []
    share = f"{len(differing)} of {len(both)}"
    return [[what, share, "differ from these"]]


def values_of(rows: Iterable[Row], metric: str) -> dict[tuple[str, str], float]:
    """Return the value of a metric by level and snapshot."""
    values = {}
    for row in rows:
        if row["metric"] == metric:
            values[row["level"], row["snapshot"]] = row["value"]
    return values


def beside(
    pair: Pair, metric: str, workload: str, width: int, study: str = LADDER
) -> list[str]:
    """Return the metric side by side, a row for each snapshot and level.
    Raises Failure when no cell has it in both."""
    question = "select * from comparable where study = ? and workload in (?, 'static')"
    one, other = pair
    rows = one.query(question, study, workload)
    other_rows = other.query(question, study, workload)
    values = values_of(rows, metric)
    other_values = values_of(other_rows, metric)
    in_both = values.keys() & other_values.keys()
    if not in_both:
        both = f"{one.label} and {other.label}"
        metrics = metrics_of([*rows, *other_rows])
        choice = ", ".join(metrics)
        raise Failure(
            f"no {metric} of {workload} in both {both}; METRIC is one of {choice}"
        )
    lines = []
    for level, snapshot in product(LEVELS, ladder.snapshots(study)):
        value = values.get((level, snapshot.name))
        other_value = other_values.get((level, snapshot.name))
        if value is None and other_value is None:
            continue
        ratio = NONE
        if value and other_value is not None:
            ratio = factor(other_value / value)
        here = number(value)
        there = number(other_value)
        lines.append([snapshot.name, f"-{level}", here, there, ratio])
    names = (one.folder.name, other.folder.name)
    for first, second in (names, ("first", "second")):
        table = aligned(
            [["rung", "level", first, second, f"{second}/{first}"], *lines], (0, 1)
        )
        if widest(table) <= width:
            break
    return table


def metrics_of(rows: Iterable[Row]) -> list[str]:
    """Return the metrics that can be compared, without those of single classes."""
    metrics = {"time"}
    for row in rows:
        if not row["metric"].startswith("class_"):
            metrics.add(row["metric"])
    return sorted(metrics)


def number(value: float | None) -> str:
    """Return a value as a cell shows it."""
    return NONE if value is None else figures(value)


def title(metric: str, workload: str) -> str:
    """Return what the table shows."""
    if metric == "time":
        return "median time of a round trip, us"
    if metric in SIZES:
        return metric
    return f"{metric}, mean of {workload}"


def stacked(rows: list[list[str]], names: Sequence[str], width: int) -> list[str]:
    """Return what differs, the text of one folder above that of the other, wrapped to a width."""
    room = widest(names) + 4
    fill = textwrap.TextWrapper(
        width, subsequent_indent=" " * room, break_on_hyphens=False
    )
    lines: list[str] = []
    for what, *texts in rows:
        lines.append(what)
        for name, text in zip(names, texts):
            label = f"  {name}".ljust(room)
            lines.append(fill.fill(label + text))
    return lines


def compare_text(
    asked: str, metric: str, workload: str, width: int, root: Path = ROOT
) -> str:
    """Return all that `make compare` prints, in a terminal of this width:
    what differs between two folders, then the metric, one of counts.csv
    or asm.csv or `time`.  Raises Failure."""
    pair = two_folders(asked, root)
    names = [side.folder.name for side in pair]
    lines = [
        "nothing differs but the moment: the same machine, compiler, flags and inputs"
    ]
    rows = differences(pair)
    if rows:
        lines = stacked(rows, names, width)
    labels = " and ".join(side.label for side in pair)
    table = beside(pair, metric, workload, width)
    return "\n".join([labels, "", *lines, "", title(metric, workload), "", *table])
