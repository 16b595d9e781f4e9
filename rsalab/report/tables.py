"""The tables of report, notebooks and front page, as Markdown, their numbers as in rsalab.steps.table."""

import pandas as pd

from records.ladder import Snapshot
from rsalab.frames import cell
from rsalab.report.markdown import table
from rsalab.steps.table import LEVELS, factor, whole

NONE = "-"


def ratio(value: float | None) -> str:
    """A factor, or a dash where there is none."""
    return NONE if value is None or pd.isna(value) else factor(value)


def change(child: float, parent: float | None) -> str:
    """A number and by how much it differs from the parent's: `1,234 (-12 %)`."""
    if parent is None or pd.isna(parent) or not parent:
        return whole(child)
    percent = round(100 * (child / parent - 1)) + 0  # no "-0"
    return f"{whole(child)} ({percent:+,} %)"


def levels(ladder: pd.DataFrame) -> list[str]:
    """The levels that the ladder table has."""
    return [level for level in LEVELS if (ladder["level"] == level).any()]


def verdict_line(ladder: pd.DataFrame, rung: str) -> str:
    """`O0 helps, O1 no difference, O3 hurts`; empty for a rung without a measured parent."""
    found = [(level, cell(ladder, rung, level)) for level in levels(ladder)]
    return ", ".join(
        f"{level} {row['verdict']}" for level, row in found if row is not None and row["verdict"]
    )


def overview(ladder: pd.DataFrame, snapshots: list[Snapshot], link: str = "") -> str:
    """A row for each rung: instructions a round trip and factor against the first rung, by level.
    `link` is the folder that the rungs' folders are in, as seen from the text."""
    first, rows = snapshots[0].name, []
    for snapshot in snapshots:
        name = f"[{snapshot.name}]({link}{snapshot.name}/README.md)" if link else snapshot.name
        found = [cell(ladder, snapshot.name, level) for level in levels(ladder)]
        rows.append(
            [name, snapshot.idea]
            + [NONE if row is None else whole(row["instructions"]) for row in found]
            + [NONE if row is None else ratio(row["versus_base"]) for row in found]
        )
    head = ["rung", "idea", *(f"-{level}" for level in levels(ladder))]
    return table(head + [f"{first}/this -{level}" for level in levels(ladder)], rows, (0, 1))


def by_level(ladder: pd.DataFrame, level: str) -> str:
    """The ladder at one level: instructions, factors, verdict, size; times where there are any."""
    found = ladder[ladder["level"] == level]
    timed = bool(found["median_us"].notna().any())
    head = ["rung", "parent", "instructions", f"{ladder['rung'].iloc[0]}/this", "parent/this"]
    head += ["verdict", "asm lines", "asm instructions", "code bytes"] + ["median µs"] * timed
    rows = []
    for _, row in found.iterrows():
        cells = [row["rung"], row["parent"] or NONE, whole(row["instructions"])]
        cells += [ratio(row["versus_base"]), ratio(row["versus_parent"]), row["verdict"] or NONE]
        cells += [whole(row[m]) for m in ("asm_lines", "asm_instructions", "code_bytes")]
        if timed:
            cells.append(NONE if pd.isna(row["median_us"]) else f"{row['median_us']:,.1f}")
        rows.append(cells)
    return table(head, rows, (0, 1, 5))


def verdicts(ladder: pd.DataFrame, snapshots: list[Snapshot]) -> str:
    """The word for each step at each level, with its factor against the parent."""
    rows = []
    for snapshot in snapshots:
        found = [cell(ladder, snapshot.name, level) for level in levels(ladder)]
        if any(row is not None and row["verdict"] for row in found):
            step = f"{(snapshot.parent or '').rpartition('/')[2]} to {snapshot.name}"
            words = [
                NONE if row is None else f"{row['verdict']} {ratio(row['versus_parent'])}"
                for row in found
            ]
            rows.append([step, snapshot.idea, *words])
    head = ["step", "idea", *(f"-{level}" for level in levels(ladder))]
    return table(head, rows, tuple(range(len(head))))


def step(ladder: pd.DataFrame, snapshot: Snapshot, memory: bool = True) -> str:
    """One rung at each level: with `memory` loads, stores, branches and their change, else the
    verdict."""
    parent, first = snapshot.parent, ladder["rung"].iloc[0]
    against = parent if parent != first else None  # else it is the same column twice
    head = ["level", "instructions", f"{first}/this"] + [f"{against}/this"] * bool(against)
    said = bool(parent) and not memory
    head += ["verdict"] * said + ["loads", "stores", "branches"] * memory
    rows = []
    for level in levels(ladder):
        row, above = cell(ladder, snapshot.name, level), cell(ladder, parent or "", level)
        if row is None:
            continue
        cells = [f"-{level}", whole(row["instructions"]), ratio(row["versus_base"])]
        cells += [ratio(row["versus_parent"])] * bool(against)
        cells += [row["verdict"] or NONE] * said
        for metric in ("loads", "stores", "branches") if memory else ():
            cells.append(change(row[metric], None if above is None else above[metric]))
        rows.append(cells)
    return table(head, rows, (0, *(i for i, name in enumerate(head) if name == "verdict")))


def operations(ladder: pd.DataFrame, snapshots: list[Snapshot]) -> str:
    """Instructions of one case by rung and level."""
    rows = []
    for snapshot in snapshots:
        found = [cell(ladder, snapshot.name, level) for level in levels(ladder)]
        rows.append(
            [snapshot.name, *(NONE if r is None else whole(r["instructions"]) for r in found)]
        )
    return table(["rung", *(f"-{level}" for level in levels(ladder))], rows)


def ends(ladder: pd.DataFrame, snapshots: list[Snapshot], first: str, last: str) -> str:
    """The ends of the ladder at each level, and the largest step: of all, and of those in C."""
    in_c = [snapshot.name for snapshot in snapshots if not snapshot.has_assembly]
    rows = []
    for level in levels(ladder):
        pair = [cell(ladder, rung, level) for rung in (first, last)]
        steps = ladder[(ladder["level"] == level) & ladder["versus_parent"].notna()]
        row = [f"-{level}", *(NONE if end is None else whole(end["instructions"]) for end in pair)]
        known = all(end is not None for end in pair)
        row.append(factor(pair[0]["instructions"] / pair[1]["instructions"]) if known else NONE)
        for found in (steps, steps[steps["rung"].isin(in_c)]):
            top = found.loc[found["versus_parent"].idxmax()] if len(found) else None
            row.append(NONE if top is None else f"{top['rung']} {factor(top['versus_parent'])}")
        rows.append(row)
    head = ["level", first, last, f"{first}/{last}", "largest step", "largest step in C"]
    return table(head, rows, (0, 4, 5))


def table_1(theirs: pd.DataFrame) -> str:
    """Table 1 of Bishop & Austin 2021 as published, with the factor that its times give."""
    rows = [
        [str(row["iteration"]), row["description"], row["seconds"], row["percent_increase"] or NONE,
         whole(row["asm_lines"]), factor(row["factor"])]
        for _, row in theirs.iterrows()
    ]  # fmt: skip
    head = ["iteration", "description", "time, s", "% increase", "lines of assembly", "0/this"]
    return table(head, rows, (0, 1))


def side_by_side(ladder: pd.DataFrame, theirs: pd.DataFrame) -> str:
    """Their steps in time beside ours in instructions: two metrics, in columns of their own."""
    rows = []
    for _, row in theirs.iterrows():
        ours, against = row["ours"], row["against"]
        name = f"part of {ours}" if row["counterpart"] == "part of a rung" else ours
        cells = [str(row["iteration"]), ratio(row["step"])]
        cells.append(f"{against} to {name}" if against else name or row["counterpart"])
        for level in levels(ladder):
            this, base = cell(ladder, ours, level), cell(ladder, against, level)
            known = this is not None and base is not None
            cells.append(ratio(base["instructions"] / this["instructions"]) if known else NONE)
        rows.append(cells)
    head = ["iteration", "their step, time", "our step"]
    head += [f"instructions -{level}" for level in levels(ladder)]
    return table(head, rows, (0, 2))


def reasons(theirs: pd.DataFrame) -> str:
    """Which rung corresponds to each of their rows, and why: a list."""
    said = []
    for _, row in theirs.iterrows():
        ours = row["ours"]
        what = (
            f"{row['counterpart']} {ours}" if row["counterpart"] == "rung" else row["counterpart"]
        )
        what = what.replace("a rung", ours) if ours else what
        said.append(f"- **Row {row['iteration']}: {what}.** {row['reason']}")
    return "\n".join(said)
