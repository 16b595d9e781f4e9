"""Results as tables on a terminal: the ladder that a run ends with, its times,
two folders side by side.  Nothing but Python itself is needed."""

import textwrap
from collections.abc import Collection
from itertools import groupby, product
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


def ladder_text(results: Results, study: str, only: Collection[str], width: int) -> str:
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
TIMES = """select study, snapshot as rung, level, kind as "of", clock,
           total, mean, minimum, maximum, median
    from time_summaries join snapshots using (study) where snapshot = name
    order by study, level, place, kind desc, clock desc"""


def times_text(results: Results) -> str:
    """What the times were taken on, and the times of each study.  Raises
    Failure where there are none."""
    rows = results.query(TIMES)
    if not rows:
        raise Failure(f"{results.label}/times.csv: no times; `make host` takes some")
    ((every, tainted),) = results.query("select count(*), sum(metric like '%tainted') from times")
    lines = [
        f"\n{results.platform}, {results.machine['cpu']}, {results.machine['compiler']}",
        f"microseconds; {tainted} of {every} samples tainted and left out\n",
    ]
    for _, of_study in groupby(rows, key=lambda row: str(row["study"])):
        texts = ([*row[1:5], *(f"{number:,.1f}" for number in row[5:])] for row in of_study)
        lines += aligned([rows[0].keys()[1:], *texts], range(4))
    return "\n".join([*lines, f"\nresults    {results.label}/\n{NEXT}"])


# --- two folders ----------------------------------------------------------------------------------

FACTS = ("platform", "cpu", "kernel", "os", "compiler", "flags", "runner", "qemu")
Pair = tuple[Results, Results]


def two_folders(asked: str, root: Path = ROOT) -> Pair:
    """The two folders that M names.  Raises Failure."""
    names = [name.strip() for name in asked.split(",")]
    if len(set(names)) != 2 or len(names) != 2:
        there = ", ".join(sorted(path.parent.name for path in root.glob("results/*/machine.json")))
        raise Failure(f"M={asked}: say two of {there or 'no results'}: M=A,B")
    one, other = (load(f"results/{name}", root, counted=False) for name in names)
    workloads = [side.machine.get("messages", "") for side in (one, other)]
    if workloads[0] != workloads[1]:
        pair = " and ".join(f"MESSAGES={word}" for word in workloads)
        raise Failure(f"{one.label} and {other.label}: different workloads: {pair}")
    return one, other


def differences(pair: Pair) -> list[list[str]]:
    """What differs between two folders: what, here, there."""
    rows, facts = [], [side.machine for side in pair]
    for key in FACTS:
        texts = [str(fact.get(key, "")).split() for fact in facts]
        if key == "flags":  # those that only one of the two has
            both = set(texts[0]) & set(texts[1])
            texts = [[flag for flag in text if flag not in both] for text in texts]
        if texts[0] != texts[1]:
            rows.append([key, *(" ".join(text) or "none" for text in texts)])
    asked = 'select study, snapshot, level, "case", inputs from provenance'
    inputs = [{tuple(row)[:4]: row["inputs"] for row in side.query(asked)} for side in pair]
    for what, (a, b) in (("programs", [fact["programs"] for fact in facts]), ("inputs", inputs)):
        shared = a.keys() & b.keys()
        if changed := sum(a[key] != b[key] for key in shared):
            rows.append([what, f"{changed} of {len(shared)}", "differ from these"])
        elif not shared:
            rows.append([what, "unknown", "these folders have none in common"])
    return rows


def number(value: float | None) -> str:
    """A value; small ones keep their decimals."""
    return whole(value) if not value or value >= 1000 or value % 1 == 0 else f"{value:,.1f}"


def beside(pair: Pair, metric: str, case: str, study: str = LADDER) -> list[str]:
    """The metric side by side, a row for each snapshot and level.  Raises
    Failure when no cell has it in both."""
    asked = "select * from comparable where study = ? and \"case\" in (?, 'static')"
    rows = [side.query(asked, study, case) for side in pair]
    here, there = ({(row["level"], row["snapshot"]): row["value"]
                    for row in side if row["metric"] == metric} for side in rows)  # fmt: skip
    if not here.keys() & there.keys():
        known = {row["metric"] for side in rows for row in side} | {"time"}
        named = ", ".join(sorted(name for name in known if not name.startswith("class_")))
        both = " and ".join(side.label for side in pair)
        raise Failure(f"no {metric} of {case} in both {both}; METRIC is one of {named}")
    names = [side.folder.name for side in pair]
    table = [["rung", "level", *names, "/".join(reversed(names))]]
    for cell in product(LEVELS, [snapshot.name for snapshot in ladder.snapshots(study)]):
        a, b = here.get(cell), there.get(cell)
        if a is not None or b is not None:
            ratio = factor(b / a if a and b is not None else None)
            table.append([cell[1], f"-{cell[0]}", number(a), number(b), ratio])
    return aligned(table, (0, 1))


def title(metric: str, case: str) -> str:
    """What the table shows."""
    if metric == "time":
        return "median time of a round trip, us"
    if metric.startswith("model_"):
        return f"{metric} of {case}: model, not measured; `make models` prints its error"
    return metric if metric in SIZES else f"{metric}, mean of {case}"


def in_columns(table: list[list[str]], width: int) -> list[str]:
    """A table of words; where it is wider than `width`, each row one above the other, wrapped."""
    lines = aligned(table, range(len(table[0])))
    if max(map(len, lines)) <= width:
        return lines
    (head, *sides), *rows = table
    room, lines = max(map(len, sides)) + 4, [head]
    fill = textwrap.TextWrapper(width, subsequent_indent=" " * room, break_on_hyphens=False)
    for name, *texts in rows:
        sided = (f"  {side}".ljust(room) + text for side, text in zip(sides, texts))
        lines += [name, *map(fill.fill, sided)]
    return lines


def compare_text(asked: str, metric: str, case: str, width: int, root: Path = ROOT) -> str:
    """All that `make compare` prints, in a terminal of this width: what
    differs between two folders, then the metric, one of counts.csv,
    models.csv or asm.csv or `time`.  Raises Failure."""
    pair = two_folders(asked, root)
    labels, names = zip(*((side.label, side.folder.name) for side in pair))
    lines = ["nothing differs but the moment: the same machine, compiler, flags and inputs"]
    if rows := differences(pair):
        lines = in_columns([["differs", *names], *rows], width)
    side = beside(pair, metric, case)
    return "\n".join([" and ".join(labels), "", *lines, "", title(metric, case), "", *side])
