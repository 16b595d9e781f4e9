"""What the report's template asks for: each value from the results, in Markdown."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import pandas as pd

from rsalab import markdown, studies, tables
from rsalab.charts import all_charts
from rsalab.frames import Results, cell, ladder_table, main_line, published, rungs
from rsalab.ladder import ROOT, Snapshot
from rsalab.picture import Chart
from rsalab.table import factor, whole
from rsalab.verdict import THRESHOLD

CASES = ("mont_mul", "mod_exp", "roundtrip-65537")
TIMES = "Times are noisy: medians of `clock_gettime` over the round trips, on the board itself."
NO_TIMES = "There are no times here: the programs ran under emulation, whose time means nothing."
THREAT = (
    "- **No time was measured.** The programs ran under emulation and no ARM board stood behind"
    " these results, so no\n  statement here is about seconds.\n"
)


@dataclass(frozen=True)
class Story:
    """All that the report tells of: the results, their ladder table, its rungs and charts.  `out`
    is the folder that the text goes to, `pictures` the one that the charts go to."""

    results: Results
    ladder: pd.DataFrame
    snapshots: list[Snapshot]
    charts: dict[str, Chart]
    out: Path
    pictures: Path
    root: Path

    @property
    def levels(self) -> list[str]:
        """The levels that were measured."""
        return tables.levels(self.ladder)

    def seen(self, path: Path) -> str:
        """A path as a link in the text; of a text outside the repository only its own pictures."""
        inside = self.out == self.root or self.root in self.out.parents
        if inside or self.out in path.parents:
            return Path(os.path.relpath(path, self.out)).as_posix()
        return path.relative_to(self.root).as_posix()

    def picture(self, name: str) -> str:
        """A chart under its question."""
        chart = self.charts[name]
        link = self.seen(self.pictures / f"{name}.svg")
        return f"**{chart.question}**\n\n![{chart.answer}]({link})"


def story(results: Results, out: Path, pictures: Path, root: Path = ROOT) -> Story:
    """Reads everything; raises ValueError, one line, for what is missing."""
    root, table = root.resolve(), ladder_table(results, root=root)
    charts = {chart.name: chart for chart in all_charts(results, table, root)}
    snapshots = rungs(results, root=root)
    return Story(results, table, snapshots, charts, out.resolve(), pictures.resolve(), root)


def source(results: Results) -> str:
    """Where the numbers are from: folder, platform, compiler, date, revision."""
    facts = results.machine
    revision = facts["git_revision"][:12] + ("" if facts.get("git_clean") else " and changes")
    return (
        f"{results.label}: platform {facts['platform']}, {facts['compiler']},"
        f" {facts['date'][:10]}, revision {revision}"
    )


def origin(results: Results) -> str:
    """From what a text is made, and how not to change it."""
    return f"Generated from {source(results)}; never edited by hand."


def summary(tale: Story) -> dict[str, str]:
    """The main numbers, for the abstract."""
    line, ladder = main_line(tale.snapshots), tale.ladder
    ends, best = [], []
    for level in tale.levels:
        start, end = cell(ladder, line[0], level), cell(ladder, line[-1], level)
        if start is not None and end is not None:
            ends.append(f"from {whole(start['instructions'])} to {whole(end['instructions'])} at"
                        f" -{level} ({factor(end['versus_base'])})")  # fmt: skip
        rows = ladder[(ladder["level"] == level) & ladder["versus_parent"].notna()]
        in_c = rows[rows["rung"].isin([s.name for s in tale.snapshots if not s.has_assembly])]
        tops = [(said, found.loc[found["versus_parent"].idxmax()])
                for said, found in (("", rows), ("in C ", in_c)) if len(found)]  # fmt: skip
        words = [f"{said}{top['rung']} ({factor(top['versus_parent'])})" for said, top in tops]
        best.append(f"{', '.join(words)} at -{level}")
    steps = [s for s in tale.snapshots if tables.verdict_line(ladder, s.name)]
    mixed = [s for s in steps if (ladder[ladder["rung"] == s.name]["verdict"] != "helps").any()]
    others = [f"{s.name}: {tables.verdict_line(ladder, s.name)}" for s in mixed]
    return {
        "rungs": str(len(tale.snapshots)),
        "first": line[0],
        "last": line[-1],
        "ends": ", ".join(ends),
        "best": "; ".join(best),
        "steps": str(len(steps)),
        "helped": str(len(steps) - len(mixed)),
        "others": f"; not so {'; '.join(others)}" if others else "",
    }


def facts(tale: Story) -> dict[str, str]:
    """What the numbers were measured with, and what is missing."""
    timed = bool(tale.ladder["median_us"].notna().any())
    return {
        "origin": origin(tale.results),
        "platform": tale.results.platform,
        "compiler": tale.results.compiler,
        "flags": tale.results.machine.get("flags", ""),
        "folder": tale.results.label,
        "trips": str(tale.results.trips()),
        "levels": ", ".join(f"-{level}" for level in tale.levels),
        "threshold": f"{100 * THRESHOLD:g}",
        "times": TIMES if timed else NO_TIMES,
        "no_times": "" if timed else THREAT,
    }


def ladder_parts(tale: Story) -> dict[str, str]:
    """The ladder drawn, tabulated and charted."""
    levels = [f"### At -{level}\n\n{tables.by_level(tale.ladder, level)}" for level in tale.levels]
    cases = {c: ladder_table(tale.results, case=c, root=tale.root) for c in CASES
             if tale.results.trips(c)}  # fmt: skip
    other = ""
    if cases:
        n = ", ".join(f"{tale.results.trips(case)} of {case}" for case in cases)
        other = (
            "### Other cases\n\nInstructions an operation, exact means: one Montgomery product, one"
            " exponentiation with a random exponent of full width, one round trip with e = 65537."
            f" Operations: {n}.\n\n{tables.operations(cases, tale.snapshots)}"
        )
    return {
        "tree": markdown.tree(tale.snapshots),
        "overview": tables.overview(tale.ladder, tale.snapshots),
        "speed_up": tale.picture("speed-up"),
        "by_level": "\n\n".join(levels),
        "lines": tale.picture("lines-and-instructions"),
        "operations": other,
        "sections": "\n\n".join(rung(tale, snapshot) for snapshot in tale.snapshots),
        "studies": studies.section(tale.results, tale.root) or "Nothing of it is measured here.",
    }


def rung(tale: Story, snapshot: Snapshot) -> str:
    """One rung: idea, change, prediction, what was measured, what to look at."""
    part, came = markdown.parts(snapshot, tale.root), markdown.VERDICT
    name = snapshot.path.relative_to(tale.root).as_posix()
    code = f"Code: [{name}]({tale.seen(snapshot.path)})."
    after = f"Parent: [{snapshot.parent}](#{snapshot.parent}). " if snapshot.parent else ""
    words = tables.verdict_line(tale.ladder, snapshot.name)
    return "\n\n".join(
        [
            f'### <a id="{snapshot.name}"></a>{snapshot.name}. {snapshot.idea}',
            f"{after}Source: {snapshot.source or 'none'}. {code}",
            f"**Change.** {part['Change']}",
            f"**{'Predicted' if snapshot.parent else 'Why'}.** {part['Why']}",
            f"**Measured.** {words}".rstrip() + ("." if words else ""),
            tables.step(tale.ladder, snapshot),
            *([f"**{came}.** {part[came]}"] if part.get(came) else []),
            f"**Look at.** {part['Look at']}",
        ]
    )


def step_factors(tale: Story, parent: str, child: str) -> str:
    """`x1.10 at -O0, x2.97 at -O1`: instructions of one rung over another's."""
    said = []
    for level in tale.levels:
        this, base = cell(tale.ladder, child, level), cell(tale.ladder, parent, level)
        if this is not None and base is not None:
            said.append(f"{factor(base['instructions'] / this['instructions'])} at -{level}")
    return ", ".join(said) or "no number"


def lines_of(row: Optional[pd.Series]) -> str:
    """Lines of assembly of a rung at a level."""
    return "no number" if row is None else whole(row["asm_lines"])


def comparison(tale: Story) -> dict[str, str]:
    """The first source's table beside our rungs."""
    theirs = published(tale.root)
    return {
        "table_1": tables.table_1(theirs),
        "reasons": tables.reasons(theirs),
        "side_by_side": tables.side_by_side(tale.ladder, theirs),
        "beside": tale.picture("beside-bishop-austin-2021"),
        "neon_arrays": step_factors(tale, "v1", "v3"),
        "neon_limbs": step_factors(tale, "v2", "v3"),
        "their_last": factor(theirs["step"].iloc[-1]),
        "our_last": step_factors(tale, "v5", "v6"),
        "their_lines_before": whole(theirs["asm_lines"].iloc[-2]),
        "their_lines_after": whole(theirs["asm_lines"].iloc[-1]),
        "our_lines_before": lines_of(cell(tale.ladder, "v5", "O0")),
        "our_lines_after": lines_of(cell(tale.ladder, "v6", "O0")),
    }
