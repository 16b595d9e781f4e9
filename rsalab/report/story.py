"""What the typed names of texts about results stand for: facts of the results, the charts of the
report, the sections of words.md, and what tables.py and sentences.py make.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from records.faults import Failure
from records.ladder import LADDER, ROOT, Snapshot
from records.results import Results
from records.tables import Table
from rsalab import chapter, markdown
from rsalab.charts.inside import mix
from rsalab.charts.ladder import size_against_work, speed_up, survival
from rsalab.charts.picture import Chart
from rsalab.frames import main_line
from rsalab.report import sentences, tables
from rsalab.report.sentences import MISSING
from rsalab.sources.charts import of_bishop
from rsalab.templates import Names, UnknownName

WORDS = Path(__file__).with_name("words.md")
GALLERY: dict[str, Callable[[Results], Chart]] = {
    "speed-up": speed_up,
    "lines-and-instructions": size_against_work,
    "survival": survival,
    "instruction-mix": mix,
    "beside-bishop-austin-2021": of_bishop,
}


class Story(Names):
    """The names of texts about results, or about a snapshot.

    The charts that are drawn are in the folder `pictures`; `missing` stands where these results
    have no number.
    """

    def __init__(
        self, results: Results, pictures: Path = ROOT, drawn: Iterable[Chart] = (),
        snapshot: Snapshot | None = None, missing: str = MISSING,
    ) -> None:  # fmt: skip
        super().__init__(WORDS)
        self.results = results
        self.pictures = pictures
        self.missing = missing
        self.charts = {chart.name: chart for chart in drawn}
        self.know(facts_of(results))
        study = snapshot.study if snapshot else LADDER
        self.know({"study": study, "trips": results.trips(study=study)})
        self.add("chart", {name: partial(self.picture, name) for name in makers()})
        self._add_made("table", tables.OF_RESULTS, results)
        self._add_made("fact", sentences.FACTS_OF_RESULTS, results)
        self._add_made("text", sentences.TEXTS_OF_RESULTS, results)
        if snapshot:
            self._add_made("table", tables.OF_SNAPSHOT, results, snapshot)
            self._add_made("fact", sentences.FACTS_OF_SNAPSHOT, results, snapshot)
            self._add_made("text", sentences.TEXTS_OF_SNAPSHOT, results, snapshot)

    def _add_made(
        self, kind: str, functions: Iterable[Callable[..., Table | str]], *subject: object
    ) -> None:
        for function in functions:
            self.add(kind, {function.__name__: partial(self._made, function, *subject)})

    def _made(self, function: Callable[..., Table | str], *subject: object) -> str:
        made = function(*subject)
        if isinstance(made, Table):
            return made.markdown or self.missing
        return made

    def picture(self, name: str) -> str:
        """Return the Markdown that shows a chart."""
        if name not in self.charts:
            return self.missing
        folder = os.path.relpath(self.pictures, self.results.root.resolve())
        return f"![{self.charts[name].title}](/{folder}/{name}.svg)"


def facts_of(results: Results) -> dict[str, str]:
    """Return what a text may say of a results folder, as Markdown."""
    machine = results.machine
    line = main_line(results.rungs()) or [""]
    changes = "" if machine.get("git_clean") else " and changes"
    said = {
        "compiler": results.compiler,
        "full_compiler": machine["compiler"],
        "date": machine["date"][:10],
        "revision": machine["git_revision"][:12] + changes,
        "label": results.label,
    }
    for name in ("platform", "cpu", "os", "kernel"):
        said[name] = str(machine.get(name, ""))
    facts = {name: markdown.plain(text) for name, text in said.items()}
    return {**facts, "first": line[0], "last": line[-1]}


def makers() -> dict[str, Callable[[Results], Chart]]:
    """Return what draws each chart of the report, those of studies too, by its name."""
    return {**GALLERY, **chapter.charts()}


def gallery(results: Results) -> Iterator[Chart]:
    """Draw the charts of the report, without those that these results have no numbers for."""
    for draw in makers().values():
        try:
            yield draw(results)
        except UnknownName:
            raise
        except Failure:
            continue  # the text says that it was not measured


def template(name: str) -> Path:
    """Return the path of a template of this folder."""
    return Path(__file__).with_name(f"{name}.template.md")


def settled(text: str, folder: Path, root: Path = ROOT) -> str:
    """Return a text with its links from the repository's root, such as `](/docs/glossary.md)`, as
    they are for a text in this folder; outside of the repository only those to its own pictures
    lead anywhere."""

    def seen(link: re.Match[str]) -> str:
        path = Path(os.path.normpath(root / link[1]))
        inside = root in (folder, *folder.parents) or folder in path.parents
        return f"]({os.path.relpath(path, folder) if inside else link[1]}"

    return re.sub(r"\]\(/([^)#]+)", seen, text)
