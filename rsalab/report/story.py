"""What the report tells of: results, their ladder and charts, where they come
from, and the tables that report, front page and notebooks share, as Markdown.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from records.faults import Failure
from records.ladder import LADDER, ROOT, Snapshot, front_matter
from records.results import Results
from records.tables import NONE, factor, whole
from rsalab.charts.inside import mix
from rsalab.charts.ladder import size_against_work, speed_up, survival
from rsalab.charts.picture import Chart
from rsalab.frames import cells, grid, ladder_table, levels
from rsalab.markdown import plain, table
from rsalab.sources import charts
from rsalab.steps.diff import LIMIT
from studies.limit import floor

MISSING = "*Not measured in these results.*"


@dataclass(frozen=True)
class Story:
    """All that the report tells of: the results, their ladder table, its
    rungs and charts.  `out` is the folder that the text goes to, `pictures`
    the one that the charts go to."""

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

    def seen(self, path: Path) -> str:
        """A path as a link in the text; of a text outside the repository only its own pictures."""
        inside = self.out == self.root or self.root in self.out.parents
        if inside or self.out in path.parents:
            return Path(os.path.relpath(path, self.out)).as_posix()
        return path.relative_to(self.root).as_posix()

    def linked(self, snapshot: Snapshot, name: str) -> str:
        """A snapshot's name as a link to its README.md."""
        return f"[{name}]({self.seen(snapshot.path / 'README.md')})"

    def picture(self, name: str) -> str:
        """The chart of this name; MISSING when there is none."""
        if name not in self.charts:
            return MISSING
        return f"![{self.charts[name].title}]({self.seen(self.pictures / f'{name}.svg')})"


def story(results: Results, out: Path, pictures: Path, root: Path = ROOT) -> Story:
    """Reads everything; raises Failure for what is missing."""
    made = {chart.name: chart for chart in gallery(results)}
    places = (out.resolve(), pictures.resolve(), root.resolve())
    return Story(results, ladder_table(results), results.rungs(), made, *places)


def gallery(results: Results) -> Iterator[Chart]:
    """The charts of the report, without those that these results have no numbers for."""
    for draw in (speed_up, size_against_work, survival, mix, charts.of_bishop, floor.chart):
        try:
            yield draw(results)
        except Failure:
            continue  # the text says that it was not measured


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


def under(results: Results, study: str = LADDER) -> str:
    """The line under a table: unit, case, platform, compiler."""
    where = plain(f"{results.platform}, {results.compiler}, from {results.label}.")
    return (
        f"Instructions a round trip (exact mean of {results.trips(study=study)}), {where}"
        " `A/this` is the count of A divided by this one: x2.00 means half the instructions of A."
    )


def words(folder: Path, root: Path = ROOT) -> str:
    """Where the words and the numbered claims of a page in this folder are
    explained, and the one in its head."""
    docs = Path(os.path.relpath(root / "docs", folder)).as_posix()
    matter = front_matter(folder / "README.md", root)
    words = f"[Words]({docs}/glossary.md) that are new to you"
    place = f"{folder.parent.name}{folder.name}".removeprefix(LADDER)  # its heading there
    claims = f"[claims]({docs}/claims.md#{place}) behind numbers such as [1]"
    head = f"; `exempt`: may change more than {LIMIT} lines" * ("exempt" in matter)
    return f"{f'{words}; {claims}' if 'claims' in matter else words}{head}."


# --- tables ---------------------------------------------------------------------------------------


def verdict_line(ladder: pd.DataFrame, rung: str) -> str:
    """`O0 helps, O1 no difference, O3 hurts`; empty for a rung without a measured parent."""
    verdicts = [f"{at} {row['verdict']}" for at, row in cells(ladder, rung) if row["verdict"]]
    return ", ".join(verdicts)


def by_level(wide: pd.DataFrame, form: Callable[[float], str], what: str = "rung") -> str:
    """A row for each name, a column for each level; `what` heads the names."""
    rows = [[str(name), *map(form, row)] for name, row in wide.iterrows()]
    return table([what, *(f"-{level}" for level in wide)], rows)


def overview(ladder: pd.DataFrame, snapshots: list[Snapshot], link: str = "") -> str:
    """A row for each rung: instructions a round trip and factor against the
    first rung, by level. `link` is the folder that the rungs' folders are
    in, as seen from the text."""
    counts = grid(ladder, snapshots, "instructions")
    ratios = grid(ladder, snapshots, "versus_base")
    rows = []
    for s in snapshots:
        name = f"[{s.name}]({link}{s.name}/README.md)" if link else s.name
        numbers = [*map(whole, counts.loc[s.name]), *map(factor, ratios.loc[s.name])]
        rows.append([name, s.idea, *numbers])
    head = ["rung", "idea", *(f"-{level}" for level in counts)]
    return table(head + [f"{snapshots[0].name}/this -{level}" for level in counts], rows, (0, 1))


def verdicts(ladder: pd.DataFrame, snapshots: list[Snapshot]) -> str:
    """The word for each step at each level, with its factor against the parent."""
    texts = ladder.assign(text=ladder["verdict"] + " " + ladder["versus_parent"].map(factor))
    wide = grid(texts, snapshots, "text").fillna(NONE)
    rows = [
        [f"{s.parent} to {s.name}", s.idea, *wide.loc[s.name]]
        for s in snapshots
        if verdict_line(ladder, s.name)
    ]
    head = ["step", "idea", *(f"-{level}" for level in wide)]
    return table(head, rows, tuple(range(len(head))))


def step(ladder: pd.DataFrame, snapshot: Snapshot, first: str = "") -> str:
    """One rung at each level beside its parent, with its factors against
    `first`, if it is named, and against the parent."""
    parent = (snapshot.parent or "").rpartition("/")[2]
    columns: dict[str, Callable[[pd.Series], str]] = {"level": lambda row: f"-{row['level']}"}
    if parent:
        columns[parent] = lambda row: whole(row["instructions"] * row["versus_parent"])
    columns[f"{snapshot.name} (this)"] = lambda row: whole(row["instructions"])
    if first:
        columns[f"{first}/this"] = lambda row: factor(row["versus_base"])
    if parent:  # where it is the first, both factors are the same
        columns[f"{parent}/this"] = lambda row: factor(row["versus_parent"])
        columns["verdict"] = lambda row: row["verdict"] or NONE
    rows = [[form(row) for form in columns.values()] for _, row in cells(ladder, snapshot.name)]
    left = (0, len(columns) - 1) if parent else (0,)
    return table(list(columns), rows, left)


def predictions(results: Results, study: str = LADDER) -> str:
    """The scoreboard: a row for each step; for each level what was expected, and what it gained."""
    return "\n\n".join(
        results.table(__file__, name, study=study).markdown for name in ("predictions", "right")
    )
