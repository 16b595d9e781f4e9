"""What the texts about results are made of: each place `$name` of a template is
a text that is given, a chart, words of words.md, or the answer to a question of
story.sql.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from records.faults import Failure
from records.ladder import LADDER, ROOT
from records.results import Results
from rsalab import markdown
from rsalab.charts.inside import mix
from rsalab.charts.ladder import size_against_work, speed_up, survival
from rsalab.charts.picture import Chart
from rsalab.frames import main_line
from rsalab.sources import charts
from studies.limit import floor

MISSING = "*Not measured in these results.*"


class Places(markdown.Places):
    """What stands in the places of a text about results: facts of them, what
    is `given`, charts, which are in the folder `pictures`, words and answers
    of this folder."""

    def __init__(
        self, results: Results, pictures: Path = ROOT, drawn: Iterable[Chart] = (), **given: str
    ) -> None:
        super().__init__(results, __file__, MISSING)
        self.pictures = pictures
        self.charts = {chart.name.replace("-", "_"): chart for chart in drawn}
        facts, line = results.machine, main_line(results.rungs()) or [""]
        clean = "" if facts.get("git_clean") else " and changes"
        said = {
            **{name: str(facts.get(name, "")) for name in ("platform", "cpu", "os", "kernel")},
            "compiler": results.compiler,
            "full_compiler": facts["compiler"],
            "date": facts["date"][:10],
            "revision": facts["git_revision"][:12] + clean,
            "label": results.label,
        }
        self.update({name: markdown.plain(text) for name, text in said.items()})
        self.update({"study": LADDER, "first": line[0], "last": line[-1]} | given)
        self["trips"] = str(results.trips(study=self["study"]))

    def __missing__(self, name: str) -> str:
        if chart := self.charts.get(name):
            folder = os.path.relpath(self.pictures, self.results.root.resolve())
            return f"![{chart.title}](/{folder}/{chart.name}.svg)"
        return super().__missing__(name)


def gallery(results: Results) -> Iterator[Chart]:
    """The charts of the report, without those that these results have no numbers for."""
    for draw in (speed_up, size_against_work, survival, mix, charts.of_bishop, floor.chart):
        try:
            yield draw(results)
        except Failure:
            continue  # the text says that it was not measured


def filled(name: str, places: Mapping[str, str]) -> str:
    """The template of this name with text in its places."""
    return markdown.filled(Path(__file__).with_name(f"{name}.template.md"), places)


def settled(text: str, folder: Path, root: Path = ROOT) -> str:
    """A text with its links from the repository's root, such as
    `](/docs/glossary.md)`, as they are for one in this folder; outside of
    the repository only those to its own pictures lead anywhere."""

    def seen(link: re.Match[str]) -> str:
        path = Path(os.path.normpath(root / link[1]))
        inside = root in (folder, *folder.parents) or folder in path.parents
        return f"]({os.path.relpath(path, folder) if inside else link[1]}"

    return re.sub(r"\]\(/([^)#]+)", seen, text)
