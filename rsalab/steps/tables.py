"""Results as tables on a terminal: the ladder that a run ends with, its times,
two folders side by side.  Nothing but Python itself is needed."""

import textwrap
from itertools import product
from pathlib import Path
from typing import Any

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, LEVELS, ROOT, levels
from records.results import FULL, SIZES, Results, load, reference
from records.tables import NONE, aligned, factor, whole

# --- the ladder -----------------------------------------------------------------------------------

HEAD = ["rung", "idea", "instructions", "v0/this", "parent/this", "verdict", "asm lines", "bytes"]
TRIP = (
    "instructions: exact mean of a round trip (encrypt and decrypt one message, full-length"
    "\ne and d), counted in the snapshot and the run-time it calls"
)
UNCOUNTED = "instructions: not available here (no counter works, or COUNTER=none)"
SMALL = "workload: small (the first 8 strings and 2 integers); MESSAGES=default counts more"
OTHER_COMPILER = "README's numbers are of {}; compare these with results/{}, of this compiler"
UNCOMPARED = "-  the rung to compare with is not measured: make all-iterations{}"


def untimed(facts: dict[str, Any]) -> str:
    """Why there is no time, of machine.json."""
    tainted = ", ".join(facts.get("timing", {}).get("tainted", {})) or "not measured"
    why = "programs run under emulation" if facts.get("runner") else tainted
    return f"time: not available here ({why})"


def cells(row: Any, room: int, timed: bool) -> list[str]:
    """A row of the view `ladder` as text; `room` is the width of the idea."""
    idea = row["idea"] if len(row["idea"]) <= room else row["idea"][: room - 1] + "\u2026"
    factors = [factor(row["versus_base"]), factor(row["versus_parent"]), row["verdict"] or NONE]
    sizes = [whole(row["asm_lines"]), whole(row["code_bytes"])]
    time = [NONE if row["median_us"] is None else f"{row['median_us']:,.1f}"] * timed
    return [row["rung"], idea, whole(row["instructions"]), *factors, *sizes, *time]


def ladder_text(results: Results, study: str, only: list[str], width: int) -> str:
    """The tables of a study, one for each level; `only` names the snapshots
    to show, all when empty.  Raises Failure."""
    rows = results.query(
        'select * from ladder where study = ? and "case" = ? order by place', study, FULL
    )
    shown = [row for row in rows if not only or row["rung"] in only]
    timed = any(row["median_us"] is not None for row in rows)
    counted = any(row["instructions"] is not None for row in rows)
    room = max(20, width - 70 - max((len(row["rung"]) for row in rows), default=0) - 12 * timed)
    notes = [f"{study}, {results.platform}, {results.machine['compiler']}"]
    notes += [TRIP if counted else UNCOUNTED, *[untimed(results.machine)] * (not timed)]
    committed, seen = results.root / "results" / results.platform, reference(results.root)
    if results.folder != committed != seen and committed.is_dir():
        notes.append(OTHER_COMPILER.format(seen.name, committed.name))
    blocks = ["\n".join(notes + [SMALL] * results.small(study))]
    for level in levels():
        lines = [cells(row, room, timed) for row in shown if row["level"] == level]
        head = HEAD + ["median us"] * timed
        blocks.append("\n".join([f"-{level}", *aligned([head, *lines], (0, 1, 5))]))
    if counted and any(row["parent"] and row["versus_parent"] is None for row in shown):
        asked = f" LEVELS='{' '.join(levels())}'" if levels() != LEVELS else ""
        blocks.append(UNCOMPARED.format(asked))
    return "\n\n".join(blocks)


# --- times ----------------------------------------------------------------------------------------

NEXT = "next       make duel A=v2 B=v4 LEVEL=O1     do two of them differ?"
TIMES = """select snapshot as rung, level, kind as "of", clock,
           total, mean, minimum, maximum, median
    from time_summaries join snapshots using (study) where study = ? and snapshot = name
    order by level, place, kind desc, clock desc"""


def times_of(results: Results, study: str) -> list[str]:
    """The table of a study's times, by either clock."""
    rows = results.query(TIMES, study)
    lines = [[*row[:4], *(f"{number:,.1f}" for number in row[4:])] for row in rows]
    return aligned([rows[0].keys(), *lines] if rows else [], range(4))


def times_text(results: Results) -> str:
    """What the times were taken on, and the times.  Raises Failure where there are none."""
    metrics = [row["metric"] for row in results.query("select metric from times")]
    if not metrics:
        raise Failure(f"{results.label}/times.csv: no times; `make host` takes some")
    tainted = sum(metric.endswith("_tainted") for metric in metrics)
    studies = [row["study"] for row in results.query("select distinct study from times")]
    return "\n".join(
        [
            f"\n{results.platform}, {results.machine['cpu']}, {results.machine['compiler']}",
            f"microseconds; {tainted} of {len(metrics)} samples tainted and left out\n",
            *(line for study in studies for line in times_of(results, study)),
            f"\nresults    {results.label}/\n{NEXT}",
        ]
    )


# --- two folders ----------------------------------------------------------------------------------

FACTS = ("platform", "cpu", "kernel", "os", "compiler", "flags", "runner", "qemu")
TIME = "time"  # the metric that is the median of a round trip in microseconds
ASKED = "select * from means where study = ? and \"case\" in (?, 'static')"


def two_folders(asked: str, root: Path = ROOT) -> list[Results]:
    """The two folders that M names.  Raises Failure."""
    names = [name.strip() for name in asked.split(",") if name.strip()]
    there = sorted(path.parent.name for path in (root / "results").glob("*/machine.json"))
    if len(names) != 2:
        raise Failure(f"M={asked}: say two of {', '.join(there) or 'no results'}: M=A,B")
    for name in names:
        if name not in there:
            raise Failure(f"M={asked}: no results/{name}; there is {', '.join(there) or 'none'}")
    if names[0] == names[1]:
        raise Failure(f"M={asked}: the same folder twice")
    return [load(root / "results" / name, root, counted=False) for name in names]


def differences(one: Results, other: Results) -> list[list[str]]:
    """What differs between two folders: what, here, there.  Raises Failure
    when the workloads do."""
    here, there = one.machine, other.machine
    workloads = [facts.get("messages", "") for facts in (here, there)]
    if workloads[0] != workloads[1]:
        pair = f"{one.label} has MESSAGES={workloads[0]}, {other.label}"
        raise Failure(f"different workloads: {pair} MESSAGES={workloads[1]}")
    rows = []
    for key in FACTS:
        texts = [str(facts.get(key, "")) for facts in (here, there)]
        if key == "flags":  # those that only one of the two has
            flags = [text.split() for text in texts]
            both = set(flags[0]) & set(flags[1])
            texts = [" ".join(flag for flag in side if flag not in both) for side in flags]
        if texts[0] != texts[1]:
            rows.append([key, *(text or "none" for text in texts)])
    asked = 'select study, snapshot, level, "case", inputs from provenance'
    inputs = [{tuple(r)[:4]: r["inputs"] for r in side.query(asked)} for side in (one, other)]
    if not inputs[0].keys() & inputs[1].keys():
        without = [side.folder.name for side, had in zip((one, other), inputs) if not had]
        rows.append(["inputs", "unknown", f"no provenance.csv in {' and '.join(without)}"])
    programs: tuple[Any, Any] = (here["programs"], there["programs"])
    for what, of, (a, b) in (("programs", "", programs), ("inputs", " groups", inputs)):
        shared = a.keys() & b.keys()
        if changed := sum(a[key] != b[key] for key in shared):
            rows.append([what, f"{changed} of {len(shared)}{of}", "differ from these"])
    return rows


def values(results: Results, study: str, metric: str, case: str) -> dict[tuple[str, str], float]:
    """A metric of every cell, a mean per operation."""
    if metric == TIME:
        rows = results.query("select * from medians where study = ?", study)
        return {(row["snapshot"], row["level"]): row["median_us"] for row in rows}
    rows = results.query(f"{ASKED} and metric = ?", study, case, metric)
    return {(row["snapshot"], row["level"]): row["mean"] for row in rows}


def number(value: float | None) -> str:
    """A value; small ones keep their decimals."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:,.1f}"


def beside(one: Results, other: Results, study: str, metric: str, case: str) -> list[str]:
    """The metric side by side, a row for each snapshot and level.  Raises
    Failure when no cell has it in both."""
    sides = one, other
    here, there = (values(side, study, metric, case) for side in sides)
    if not here.keys() & there.keys():
        without = [side.label for side, had in zip(sides, (here, there)) if not had]
        rows = [row for side in sides for row in side.query(ASKED, study, case)]
        known = sorted({row["metric"] for row in rows if not row["metric"].startswith("class_")})
        raise Failure(
            f"no {metric} of {case} in {' and '.join(without) or 'the same rungs of both'};"
            f" METRIC is one of {', '.join([*known, TIME])}"
        )
    names = one.folder.name, other.folder.name
    table = [["rung", "level", *names, "/".join(reversed(names))]]
    for level, snapshot in product(LEVELS, ladder.snapshots(study)):
        a, b = here.get((snapshot.name, level)), there.get((snapshot.name, level))
        if a is not None or b is not None:
            ratio = factor(b / a if a and b is not None else None)
            table.append([snapshot.name, f"-{level}", number(a), number(b), ratio])
    return aligned(table, (0, 1))


def title(metric: str, case: str) -> str:
    """What the table shows."""
    if metric == TIME:
        return "median time of a round trip, us"
    if metric.startswith("model_"):
        return f"{metric} of {case}: model, not measured; `make models` prints its error"
    return metric if metric in SIZES else f"{metric}, mean of {case}"


def in_columns(head: list[str], rows: list[list[str]], width: int) -> list[str]:
    """A table of words; where it is wider than `width`, each row one above the other, wrapped."""
    lines = aligned([head, *rows], range(len(head)))
    if max(map(len, lines)) <= width:
        return lines
    room, lines = max(map(len, head[1:])), head[:1]
    for name, *texts in rows:
        lines.append(name)
        for side, text in zip(head[1:], texts):
            marks = f"  {side:<{room}}  ", " " * (room + 4)
            lines += textwrap.wrap(text, width, initial_indent=marks[0], break_long_words=False,
                                   subsequent_indent=marks[1], break_on_hyphens=False)  # fmt: skip
    return lines


def compare_text(
    asked: str, metric: str, case: str, root: Path = ROOT, study: str = LADDER, width: int = 999
) -> str:
    """All that `make compare` prints, in a terminal of this width: what
    differs between two folders, then the metric, one of counts.csv,
    models.csv or asm.csv or TIME.  Raises Failure."""
    one, other = two_folders(asked, root)
    rows = differences(one, other)
    lines = ["nothing differs but the moment: the same machine, compiler, flags and inputs"]
    if rows:
        lines = in_columns(["differs", one.folder.name, other.folder.name], rows, width)
    head = f"{one.label} and {other.label}"
    side = beside(one, other, study, metric, case)
    return "\n".join([head, "", *lines, "", title(metric, case), "", *side])
