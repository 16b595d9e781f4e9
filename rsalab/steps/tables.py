"""Results as tables on a terminal: the ladder that a run ends with, its times,
two folders side by side.  Nothing but Python itself is needed."""

import textwrap
from collections.abc import Collection, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, LEVELS, ROOT, Snapshot, levels
from records.results import FULL, SIZES, Results, load, reference
from records.tables import NONE, aligned, factor, figures

# --- the ladder -----------------------------------------------------------------------------------

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


def ladder_text(results: Results, study: str, only: Collection[str], width: int) -> str:
    """The tables of a study, one for each level; `only` names the snapshots
    to show, all when empty.  Raises Failure."""
    rows = results.query("select * from ladder where (study, workload) = (?, ?)", study, FULL)
    counted = any(row["instructions"] is not None for row in rows)
    notes = [f"{study}, {results.platform}, {results.machine['compiler']}"]
    notes.append(TRIP if counted else UNCOUNTED)
    if all(row["median_us"] is None for row in rows):
        notes.append(untimed(results.machine))
    committed, seen = results.root / "results" / results.platform, reference(results.root)
    if results.folder != committed != seen and committed.is_dir():
        notes.append(OTHER_COMPILER.format(seen.name, committed.name))
    blocks = ["\n".join(notes + [SMALL] * results.small(study))]
    widths = by_width(ladder.snapshots(study, results.root), only)
    for level in levels():
        for bits, names in widths.items():
            values = {"study": study, "only": f" {' '.join(names)} ", "width": width}
            table = results.table(__file__, "ladder", level=level, **values)
            heading = f"-{level}, numbers of {bits} bits" if len(widths) > 1 else f"-{level}"
            if table.rows:
                blocks.append("\n".join([heading, *table.lines]))
    shown = (row for row in rows if not only or row["snapshot"] in only)
    if counted and any(row["parent"] and row["versus_parent"] is None for row in shown):
        asked = f" LEVELS='{' '.join(levels())}'" if levels() != LEVELS else ""
        blocks.append(UNCOMPARED.format(asked))
    return "\n\n".join(blocks)


def by_width(snapshots: Sequence[Snapshot], only: Collection[str]) -> dict[int, list[str]]:
    """Return the names of the snapshots of each width in bits, whose counts
    are not comparable; only those of `only`, unless it is empty."""
    widths: dict[int, list[str]] = {}
    for snapshot in snapshots:
        if not only or snapshot.name in only:
            widths.setdefault(snapshot.width, []).append(snapshot.name)
    return widths


# --- times ----------------------------------------------------------------------------------------

NEXT = "next       make duel A=v2 B=v4 LEVEL=O1     do two of them differ?"


def times_text(results: Results) -> str:
    """What the times were taken on, and the times of each study.  Raises
    Failure where there are none."""
    studies = results.query("select distinct study from time_summaries order by study")
    if not studies:
        raise Failure(f"{results.label}/times.csv: no times; `make host` takes some")
    ((every, tainted),) = results.query("select count(*), sum(metric like '%tainted') from times")
    lines = [
        f"\n{results.platform}, {results.machine['cpu']}, {results.machine['compiler']}",
        f"microseconds; {tainted} of {every} samples tainted and left out\n",
    ]
    for (study,) in studies:
        lines += results.table(__file__, "times", study=study).lines
    return "\n".join([*lines, f"\nresults    {results.label}/\n{NEXT}"])


def perf_text(results: Results) -> str:
    """The hardware's counters as Dirk (2019) prints them, a table for each
    study and level, and why numbers are missing.  Raises Failure."""
    cells = results.query("select distinct study, level from perf order by study, level")
    if not cells:
        raise Failure(f"no {results.label}/perf.csv: programs are measured where they run directly")
    blocks = []
    for cell in map(dict, cells):
        why = results.table(__file__, "absent", **cell).rows
        lines = results.table(__file__, "perf", **cell).lines + [f"  - {text}" for (text,) in why]
        blocks.append("\n".join(["{study} -{level}".format(**cell), *lines]))
    return "\n\n".join(blocks)


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
    asked = "select study, snapshot, level, workload, inputs from provenance"
    inputs = [{tuple(row)[:4]: row["inputs"] for row in side.query(asked)} for side in pair]
    for what, (a, b) in (("programs", [fact["programs"] for fact in facts]), ("inputs", inputs)):
        shared = a.keys() & b.keys()
        if changed := sum(a[key] != b[key] for key in shared):
            rows.append([what, f"{changed} of {len(shared)}", "differ from these"])
        elif not shared:
            rows.append([what, "unknown", "these folders have none in common"])
    return rows


def beside(pair: Pair, metric: str, case: str, study: str = LADDER) -> list[str]:
    """The metric side by side, a row for each snapshot and level.  Raises
    Failure when no cell has it in both."""
    asked = "select * from comparable where study = ? and workload in (?, 'static')"
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
            values = (NONE if n is None else figures(n) for n in (a, b))
            table.append([cell[1], f"-{cell[0]}", *values, ratio])
    return aligned(table, (0, 1))


def title(metric: str, case: str) -> str:
    """What the table shows."""
    if metric == "time":
        return "median time of a round trip, us"
    if metric.startswith("model_"):
        return f"{metric} of {case}: model, not measured; `make models` prints its error"
    return metric if metric in SIZES else f"{metric}, mean of {case}"


def stacked(rows: list[list[str]], names: Sequence[str], width: int) -> list[str]:
    """What differs, the text of one folder above that of the other, wrapped to a width."""
    room, lines = max(map(len, names)) + 4, list[str]()
    fill = textwrap.TextWrapper(width, subsequent_indent=" " * room, break_on_hyphens=False)
    for what, *texts in rows:
        sides = (f"  {name}".ljust(room) + text for name, text in zip(names, texts))
        lines += [what, *map(fill.fill, sides)]
    return lines


def compare_text(asked: str, metric: str, case: str, width: int, root: Path = ROOT) -> str:
    """All that `make compare` prints, in a terminal of this width: what
    differs between two folders, then the metric, one of counts.csv,
    models.csv or asm.csv or `time`.  Raises Failure."""
    pair = two_folders(asked, root)
    labels, names = zip(*((side.label, side.folder.name) for side in pair))
    lines = ["nothing differs but the moment: the same machine, compiler, flags and inputs"]
    if rows := differences(pair):
        lines = stacked(rows, names, width)
    side = beside(pair, metric, case)
    return "\n".join([" and ".join(labels), "", *lines, "", title(metric, case), "", *side])
