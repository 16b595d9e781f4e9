"""The pages of the site, and how a reader comes from one to another: the bar, the lists of the front
page, the neighbours, and links of the repository that lead to a page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from records.ladder import LADDER
from rsalab import markdown
from rsalab.pages.document import Link, Rewrite

INDEX = "index.html"
REPORT = "report.html"
EXPLORER = "explorer.html"
LIVE = "live.html"
SLIDES = "slides.html"
SEARCH = "search.html"
GRAPHS = "call-graphs.html"
# The lists of the front page.
PAGES = "What is here"
NOTEBOOKS = "Notebooks"
DOCUMENTS = "Documents"
LESSONS = "Lessons"
STUDIES = "Studies"
LISTS = (NOTEBOOKS, DOCUMENTS, LESSONS, STUDIES)


@dataclass(frozen=True)
class Page:
    """A page of the site: its file; its Markdown, "" where the file is
    there already; the folder that pictures and links start from; the list
    that it belongs to; the file of the repository that it shows; its scripts
    with what they show, and their style sheets."""

    title: str
    file: str
    text: str
    folder: Path
    group: str = PAGES
    source: Path | None = None
    scripts: tuple[Path, ...] = ()
    data: dict[str, Any] | None = None
    sheets: tuple[Path, ...] = ()

    @property
    def part_of_a_study(self) -> bool:
        """Return whether the page of its study lists it, and not the front page."""
        return self.group == STUDIES and self.folder.parent.parent.name == "studies"


def file_of(source: Path, root: Path) -> str:
    """Return the name of the page of a file of the repository: the folders of a README without the first one,
    of a document the folder, too, because pages of the site have names such as `live.html`."""
    name = source.stem
    folders = source.parent.relative_to(root).parts
    if name == "README":
        name = "-".join(folders[1:] or folders)
    elif folders == ("docs",):
        name = f"docs-{name}"
    return f"{name}.html"


def rewriting(page: Page, pages: list[Page], root: Path, out: Path) -> Rewrite:
    """Return links of a page as they lead on the site: a file of the repository
    that has a page, or the folder whose README.md has one, to that page,
    any other nowhere."""
    root = root.resolve()
    ladder = f"{REPORT}#the-ladder"
    addresses = {
        root / "README.md": INDEX,
        root / "REPORT.md": REPORT,
        root / LADDER: ladder,
        root / LADDER / "README.md": ladder,
    }
    for other in pages:
        if other.source:
            source = other.source.resolve()
            addresses[source] = other.file
            addresses[source.with_suffix(".ipynb")] = other.file
            if source.stem == "README":
                addresses[source.parent] = other.file

    def rewrite(target: str) -> str | None:
        path, mark, anchor = target.partition("#")
        for file in (page.folder / path, root / path.lstrip("/")):
            address = addresses.get(file.resolve())
            if address:
                return address if "#" in address else f"{address}{mark}{anchor}"
        file = (out / path).resolve()
        inside = out.resolve() in file.parents
        return target if inside and file.is_file() else None

    return rewrite


def bar(page: Page, pages: list[Page]) -> list[Link]:
    """Return the bar of a page: the pages there are; notebooks and documents by their lists."""
    links = []
    for one in pages:
        if one.group == PAGES:
            links.append(Link(one.title, one.file, here(one is page)))
    for group in LISTS:
        at = f"{INDEX}#{group.lower()}"
        links.append(Link(group, at, here(group == page.group)))
    return links


def here(is_here: bool) -> str:
    """Return how a link says that it leads to where the reader is."""
    return "page" if is_here else ""


def neighbours(page: Page, pages: list[Page]) -> list[Link]:
    """Return the links at the foot of a page: to the pages before and behind it in its list."""
    if page.group not in LISTS:
        return []
    group = [other for other in pages if other.group == page.group]
    position = group.index(page)
    before = group[:position][-1:]
    behind = group[position + 1 :][:1]
    links = [Link(other.title, other.file, "prev") for other in before]
    return links + [Link(other.title, other.file, "next") for other in behind]


def listed(pages: list[Page], absent: list[str]) -> str:
    """Return the lists of the front page; a study lists its parts itself."""
    lists: dict[str, list[str]] = {group: [] for group in LISTS}
    for page in pages:
        if page.group in lists and not page.part_of_a_study:
            lists[page.group].append(f"[{page.title}]({page.file})")
    lists["Not made here"] = [markdown.message(line) for line in absent]
    parts = []
    for title, lines in lists.items():
        if lines:
            parts.append(f"## {title}\n\n- " + "\n- ".join(lines))
    return "\n\n".join(parts)
