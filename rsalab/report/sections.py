"""What the report tells of, its abstract, its facts and its ladder: values for the template."""

import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from records.faults import Failure
from records.ladder import ROOT, Snapshot
from records.verdict import THRESHOLD
from rsalab import sources as beside
from rsalab.charts.charts import all_charts
from rsalab.charts.levels import by_level
from rsalab.charts.memory import loads_and_stores
from rsalab.charts.mix import stacked
from rsalab.charts.picture import Chart
from rsalab.charts.survival import survival
from rsalab.frames import Results, cell, ladder_table, main_line, rungs
from rsalab.report import markdown, studies, tables
from rsalab.report.studies import MISSING
from rsalab.steps.table import factor, whole

CASES = {
    "mont_mul": "One Montgomery product",
    "mod_exp": "One exponentiation, its exponent random and of full width",
    "roundtrip-65537": "One round trip with e = 65537, the usual short public exponent",
}
UNKNOWN = "(not measured)"
MEMBERS = ("count-down", "static-inline", "registers", "local-copies")  # in studies/dead-ends
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

    @property
    def inside(self) -> bool:
        """Whether the text is one of the repository."""
        return self.out == self.root or self.root in self.out.parents

    def seen(self, path: Path) -> str:
        """A path as a link in the text; of a text outside the repository only its own pictures."""
        if self.inside or self.out in path.parents:
            return Path(os.path.relpath(path, self.out)).as_posix()
        return path.relative_to(self.root).as_posix()

    def picture(self, name: str) -> str:
        """A chart under its question."""
        chart = self.charts[name]
        link = self.seen(self.pictures / f"{name}.svg")
        return f"**{chart.question}**\n\n![{chart.answer}]({link})"

    def figure(self, path: Path, caption: str) -> list[str]:
        """A picture of the repository with its caption; none where it cannot be seen."""
        if not path.is_file() or not (self.inside and self.root in path.parents):
            return []
        return [f"![{caption}]({self.seen(path)})\n\n*{caption}.*"]

    def pictures_of(self, *names: str) -> str:
        """Those of the charts that there are; a word when there is none of them."""
        return "\n\n".join(self.picture(n) for n in names if n in self.charts) or MISSING


def story(results: Results, out: Path, pictures: Path, root: Path = ROOT) -> Story:
    """Reads everything; raises ValueError, one line, for what is missing."""
    root, table = root.resolve(), ladder_table(results, root=root)
    snapshots = rungs(results, root=root)
    charts = {chart.name: chart for chart in gallery(results, table, snapshots, root)}
    return Story(results, table, snapshots, charts, out.resolve(), pictures.resolve(), root)


def gallery(
    results: Results, table: pd.DataFrame, snapshots: list[Snapshot], root: Path = ROOT
) -> list[Chart]:
    """Every chart of the report, but for those of which the results hold nothing."""
    found = all_charts(results, table, root)
    for draw in (by_level, survival, stacked, loads_and_stores):
        try:
            found.append(draw(results, table, snapshots))
        except Failure:
            continue  # the text says that it was not measured
    return [*found, *beside.charts(results, root)]


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
    ladder = tale.ladder
    steps = [s for s in tale.snapshots if tables.verdict_line(ladder, s.name)]
    mixed = [s for s in steps if (ladder[ladder["rung"] == s.name]["verdict"] != "helps").any()]
    others = [f"{s.name}, {s.idea} ({tables.verdict_line(ladder, s.name)})" for s in mixed]
    helped = f"{len(steps) - len(mixed)} of {len(steps)} steps help at every level"
    line = main_line(tale.snapshots)
    return {
        "rungs": str(len(tale.snapshots)),
        "first": line[0],
        "last": line[-1],
        "ends": tables.ends(ladder, tale.snapshots, line[0], line[-1]),
        "helped": helped + (f"; not so {'; '.join(others)}" if others else ""),
        "domain": step_factors(tale, "v5", "v6"),
        "neon_arrays": step_factors(tale, "v1", "v3"),
        "neon_limbs": step_factors(tale, "v2", "v3"),
        "shorter": tale.charts["lines-and-instructions"].answer,
        **{f"alone_{name.replace('-', '_')}": said for name, said in alone(tale).items()},
    }


def alone(tale: Story) -> dict[str, str]:
    """What each of MEMBERS is worth alone: `x1.00 at -O0, x0.93 at -O3`, or UNKNOWN."""
    table = studies.measured(tale.results, tale.root).get("dead-ends")
    said = {}
    for name in MEMBERS:
        rows = [] if table is None else table[table["rung"] == f"{name}-only"].itertuples()
        known = [f"{factor(row.versus_parent)} at -{row.level}" for row in rows if row.verdict]
        said[name] = ", ".join(known) or f"{UNKNOWN[:-1]} here: `make studies`)"
    return said


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
    levels = [f"At -{level}:\n\n{tables.by_level(tale.ladder, level)}" for level in tale.levels]
    return {
        "tree": markdown.tree(tale.snapshots),
        "overview": tables.overview(tale.ladder, tale.snapshots),
        "speed_up": tale.picture("speed-up"),
        "levels_chart": tale.pictures_of("levels"),
        "by_level": "\n\n".join(levels),
        "survival": tale.pictures_of("survival"),
        "lines": tale.picture("lines-and-instructions"),
        "mix": tale.pictures_of("instruction-mix", "loads-and-stores"),
        "operations": operations(tale),
    }


def operations(tale: Story) -> str:
    """A table for each of the other cases; a word where none was counted."""
    parts = []
    for case, what in CASES.items():
        n = tale.results.trips(case)
        if n:
            table = ladder_table(tale.results, case=case, root=tale.root)
            parts.append(f"{what} (`{case}`, exact mean of {whole(n)}):\n\n"
                         + tables.operations(table, tale.snapshots))  # fmt: skip
    return "\n\n".join(parts) or MISSING


def step_factors(tale: Story, parent: str, child: str) -> str:
    """`x1.10 at -O0, x2.97 at -O1`: instructions of one rung over another's."""
    said = []
    for level in tale.levels:
        this, base = cell(tale.ladder, child, level), cell(tale.ladder, parent, level)
        if this is not None and base is not None:
            said.append(f"{factor(base['instructions'] / this['instructions'])} at -{level}")
    return ", ".join(said) or UNKNOWN
