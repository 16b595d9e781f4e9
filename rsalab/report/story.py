"""What the report tells of: results, their ladder table and charts, and where they come from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from records.faults import Failure
from records.ladder import ROOT, Snapshot, front_matter
from records.results import Results
from rsalab.charts.inside import mix
from rsalab.charts.ladder import size_against_work, speed_up, survival
from rsalab.charts.picture import Chart
from rsalab.frames import ladder_table, levels
from rsalab.markdown import plain
from rsalab.sources import bishop
from rsalab.steps.diff import LIMIT

MISSING = "*Not measured in these results.*"


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
        return levels(self.ladder)

    @property
    def inside(self) -> bool:
        """Whether the text is one of the repository."""
        return self.out == self.root or self.root in self.out.parents

    def seen(self, path: Path) -> str:
        """A path as a link in the text; of a text outside the repository only its own pictures."""
        if self.inside or self.out in path.parents:
            return Path(os.path.relpath(path, self.out)).as_posix()
        return path.relative_to(self.root).as_posix()

    def picture(self, *names: str) -> str:
        """The charts of these names; MISSING when there is none."""
        found = [self.charts[name] for name in names if name in self.charts]
        shown = [f"![{chart.title}]({self.seen(self.pictures / f'{chart.name}.svg')})"
                 for chart in found]  # fmt: skip
        return "\n\n".join(shown) or MISSING


def story(results: Results, out: Path, pictures: Path, root: Path = ROOT) -> Story:
    """Reads everything; raises Failure for what is missing."""
    root, table = root.resolve(), ladder_table(results)
    snapshots = results.rungs()
    charts = {chart.name: chart for chart in gallery(results)}
    return Story(results, table, snapshots, charts, out.resolve(), pictures.resolve(), root)


def gallery(results: Results) -> list[Chart]:
    """The charts of the report, without those that these results have no numbers for."""
    found = []
    for draw in (speed_up, size_against_work, survival, mix):
        try:
            found.append(draw(results))
        except Failure:
            continue  # the text says that it was not measured
    return [*found, bishop.chart(results, ladder_table(results), results.root)]


def source(results: Results) -> str:
    """Where the numbers are from, as Markdown: folder, platform, compiler, date, revision."""
    facts = results.machine
    revision = facts["git_revision"][:12] + ("" if facts.get("git_clean") else " and changes")
    return plain(
        f"{results.label}: platform {facts['platform']}, {facts['compiler']},"
        f" {facts['date'][:10]}, revision {revision}"
    )


def origin(results: Results) -> str:
    """From what a text is made, and how not to change it."""
    return f"Generated from {source(results)}; never edited by hand."


def under(results: Results, study: str = "iterations") -> str:
    """The line under a table: unit, case, platform, compiler."""
    where = plain(f"{results.platform}, {results.compiler}, from {results.label}.")
    return (
        f"Instructions a round trip (exact mean of {results.trips(study=study)}), {where}"
        " `A/this` is the count of A divided by this one: x2.00 means half the instructions of A."
    )


def words(folder: Path, root: Path = ROOT) -> str:
    """Where the words and the numbered claims of a page in this folder are explained, and the one
    in its head."""
    docs = Path(os.path.relpath(root / "docs", folder)).as_posix()
    matter = front_matter(folder / "README.md", root)
    words = f"[Words]({docs}/glossary.md) that are new to you"
    claims = f"[claims]({docs}/claims.md) behind numbers such as [1]"
    head = f"; `exempt`: may change more than {LIMIT} lines" * ("exempt" in matter)
    return f"{f'{words}; {claims}' if 'claims' in matter else words}{head}."
