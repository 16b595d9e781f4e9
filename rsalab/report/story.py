"""What the typed names of texts about results stand for: facts of the results, the charts of the
report, the sections of words.md, and what tables.py and sentences.py make.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path

from records.faults import Failure
from records.ladder import LADDER, ROOT, Snapshot
from records.results import NOT_YOURS, Results, lender_of, load
from records.tables import Table
from rsalab import chapter, markdown
from rsalab.charts.compilers import compilers
from rsalab.charts.cycles import in_cycles
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
    "compilers": compilers,
    "in-cycles": in_cycles,
    "instruction-mix": mix,
    "beside-bishop-austin-2021": of_bishop,
}


class Story(Names):
    """The names of texts about results, or about a snapshot.

    The charts that are drawn are in the folder `pictures`.  What these results have no number for
    is the lender's, marked; `missing` stands where it has none, either.
    """

    def __init__(
        self, results: Results, pictures: Path = ROOT, drawn: Iterable[Chart] = (),
        snapshot: Snapshot | None = None, missing: str = MISSING, lender: Results | None = None,
        lent: Iterable[Chart] = (),
    ) -> None:  # fmt: skip
        super().__init__(WORDS)
        self.results = results
        self.pictures = pictures
        self.missing = missing
        self.lender = lender
        self.lent = {chart.name for chart in lent}
        self.charts = {chart.name: chart for chart in (*drawn, *lent)}
        self.know(facts_of(results))
        study = snapshot.study if snapshot else LADDER
        self.know({"study": study, "trips": results.trips(study=study)})
        self.add("chart", {name: partial(self.picture, name) for name in makers()})
        self.add_made("table", tables.OF_RESULTS)
        self.add_made("fact", sentences.FACTS_OF_RESULTS)
        self.add_made("text", sentences.TEXTS_OF_RESULTS)
        if snapshot:
            self.add_made("table", tables.OF_SNAPSHOT, snapshot)
            self.add_made("fact", sentences.FACTS_OF_SNAPSHOT, snapshot)
            self.add_made("text", sentences.TEXTS_OF_SNAPSHOT, snapshot)

    def add_made(
        self,
        kind: str,
        functions: Iterable[Callable[..., Table | str]],
        *snapshot: Snapshot,
    ) -> None:
        """Add what functions of the results, and of a snapshot, make, by their names."""
        for function in functions:
            self.add(kind, {function.__name__: partial(self.made, function, *snapshot)})

    def made(self, function: Callable[..., Table | str], *snapshot: Snapshot) -> str:
        """Return what a function makes of these results, or else of the lender's."""
        own = function(self.results, *snapshot)
        if isinstance(own, str) and (own or function not in sentences.ALWAYS):
            return own
        text = shown(own)
        if not text and self.lender:
            text = shown(function(self.lender, *snapshot))
            if text and function in sentences.FACTS_OF_RESULTS:
                text = f"{text} ({NOT_YOURS})"
            elif text:
                text = f"{self.mark}\n\n{text}"
        return text or self.missing

    @property
    def mark(self) -> str:
        """Return what stands above what is the lender's."""
        label = markdown.plain(self.lender.label) if self.lender else ""
        return f"*{label}: {NOT_YOURS}*"

    def picture(self, name: str) -> str:
        """Return the Markdown that shows a chart."""
        if name not in self.charts:
            return self.missing
        folder = os.path.relpath(self.pictures, self.results.root.resolve())
        title = self.charts[name].title
        image = f"![{title}](/{folder}/{name}.svg)"
        if name in self.lent:
            return f"{self.mark}\n\n{image}"
        return image


def shown(made: Table | str) -> str:
    """Return what was made, as Markdown."""
    return made if isinstance(made, str) else made.markdown


def illustrated(results: Results, pictures: Path) -> Story:
    """Return the names of texts about results, with charts; what the results lack is the
    reference's."""
    drawn = list(gallery(results))
    names = {chart.name for chart in drawn}
    folder = lender_of(results.folder, results.root)
    if not folder:
        return Story(results, pictures, drawn)
    lender = load(folder, results.root, counted=False)
    lent = [chart for chart in gallery(lender, names) if chart.name not in names]
    return Story(results, pictures, drawn, lender=lender, lent=lent)


def facts_of(results: Results) -> dict[str, str]:
    """Return what a text may say of a results folder, as Markdown."""
    machine = results.machine
    line = main_line(results.rungs()) or [""]
    changes = "" if machine.get("git_clean") else " and changes"
    texts = {
        "compiler": results.compiler,
        "full_compiler": machine["compiler"],
        "date": machine["date"][:10],
        "revision": machine["git_revision"][:12] + changes,
        "label": results.label,
    }
    for name in ("platform", "cpu", "os", "kernel"):
        texts[name] = str(machine.get(name, ""))
    facts = {name: markdown.plain(text) for name, text in texts.items()}
    return {**facts, "first": line[0], "last": line[-1]}


def makers() -> dict[str, Callable[[Results], Chart]]:
    """Return what draws each chart of the report, those of studies too, by its name."""
    return {**GALLERY, **chapter.charts()}


def gallery(results: Results, but: Collection[str] = ()) -> Iterator[Chart]:
    """Draw the charts of the report, but for some, without those that these results have no
    numbers for."""
    for name, draw in makers().items():
        if name in but:
            continue
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

    in_repository = folder == root or root in folder.parents

    def relative(link: re.Match[str]) -> str:
        target = link[1]
        path = Path(os.path.normpath(root / target))
        if in_repository or folder in path.parents:
            target = os.path.relpath(path, folder)
        return f"]({target}"

    return re.sub(r"\]\(/([^)#]+)", relative, text)
