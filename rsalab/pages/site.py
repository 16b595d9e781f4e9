"""The site: report, notebooks, explorer, call graphs and documents of one results folder, in one
folder that any static host serves.  What cannot be made here is named with the command for it."""

import html
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from records.faults import Failure
from records.ladder import LADDER, ROOT
from records.results import Results, label, load
from rsalab.explorer.__main__ import write as write_explorer
from rsalab.pages import contents
from rsalab.pages.contents import DOCUMENTS, EXPLORER, INDEX, NOTEBOOKS, PAGES, REPORT, Page
from rsalab.pages.html import Rewrite, to_html
from rsalab.pages.interactive import with_chart
from rsalab.pages.links import check
from rsalab.report.story import story

MADE_OF = {"README.md": INDEX, "REPORT.md": REPORT}
MADE_OF |= dict.fromkeys((LADDER, f"{LADDER}/README.md"), f"{REPORT}#the-ladder")


def explorer(results: Results, out: Path) -> Page:
    """The diff explorer, which makes its own page; it gets a link to the front page."""
    write_explorer(results.folder, out / EXPLORER)
    made, brand = (out / EXPLORER).read_text(encoding="utf-8"), '<p class="brand">'
    made = made.replace(brand, f'{brand}<a href="{INDEX}">Overview</a> / ', 1)
    (out / EXPLORER).write_text(made, encoding="utf-8")
    about = ": any two snapshots side by side, in C or assembly, with how often each line ran"
    return Page("Explorer", EXPLORER, "", out, about=about)


def seen_on(page: Page, rungs: list[str], out: Path, root: Path) -> Rewrite:
    """Links of a page as they lead on the site: a file of the repository that has a page to that
    page, a rung to its place in the explorer (a document's to its section of the report, and so
    where there is no explorer), any other nowhere."""
    steps = rungs[1:] if page.group != DOCUMENTS and (out / EXPLORER).is_file() else []

    def rewrite(target: str) -> str | None:
        path, mark, anchor = target.partition("#")
        places = [(folder / path).resolve() for folder in (page.folder, root, out)]
        name = os.path.relpath(next(filter(Path.exists, places), root), root.resolve())
        rung = re.match(rf"{LADDER}/(\w+)", name)
        text = re.fullmatch(r"(?:docs|notebooks)/(.+)\.(?:md|py|ipynb)", name)
        if name in MADE_OF:
            new = MADE_OF[name]
        elif rung and rung[1] in rungs:
            new = f"{EXPLORER}#b={rung[1]}" if rung[1] in steps else f"{REPORT}#{rung[1]}"
        else:
            new = f"{text[1]}.html" if text else path
        new = new if "#" in new else f"{new}{mark}{anchor}"
        made = (out / new.partition("#")[0]).resolve()
        return new if made.is_file() and out.resolve() in made.parents else None

    return rewrite


def bar(here: Page, pages: list[Page]) -> str:
    """The bar of a page: the pages there are; notebooks and documents by their lists."""
    entries = {page.title: (page.file, page is here) for page in pages if page.group == PAGES}
    for group in (NOTEBOOKS, DOCUMENTS):
        entries[group] = (f"{INDEX}#{group.lower()}", here.group == group)
    marks = ("", ' aria-current="page"')
    links = (
        f'<a href="{to}"{marks[now]}>{html.escape(title)}</a>'
        for title, (to, now) in entries.items()
    )
    return "\n".join(links)


def fill(folder: Path, out: Path, work: Path, root: Path = ROOT) -> list[str]:
    """Makes every page in `out`, from a results folder; `work`, inside build/, is for what comes
    between.  Returns a line on each page that cannot be made.  Raises Failure, OSError."""
    results = load(folder, root)
    tale = story(results, work, work / "report", root)
    absent: list[str] = []
    makers: dict[str, Callable[[], Page]] = {
        "Report": partial(contents.report, tale),
        "Explorer": partial(explorer, results, out),
        "Call graphs": partial(contents.call_graphs, results, out),
    }
    for path in sorted(root.glob("notebooks/*.py")):
        makers[path.stem] = partial(contents.notebook, path, results, root)
    for path in sorted(root.glob("docs/*.md")):
        text = path.read_text(encoding="utf-8")
        makers[path.stem] = partial(contents.text_page, text, path, DOCUMENTS)
    pages = []
    for title, make in makers.items():
        try:
            pages.append(make())
        except (Failure, OSError) as fault:
            absent.append(f"{title}: {fault}")
    pages.insert(0, contents.index(tale, pages, absent, root))
    rungs = [snapshot.name for snapshot in tale.snapshots]

    def write(page: Page) -> None:
        seen = seen_on(page, rungs, out, root)
        made = to_html(page.text, page.folder, seen, bar(page, pages), page.file != INDEX)
        if page.file == INDEX:
            made = with_chart(made, tale, (out / EXPLORER).is_file())
        (out / page.file).write_text(made, encoding="utf-8")

    texts = [page for page in pages if page.text]
    for page in texts:  # so that a link to it is known for what it is
        (out / page.file).touch()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(write, texts))
    return absent


def site(results: Path, out: Path) -> None:
    """Makes the site, whole or not at all: every link is checked before it takes its place.
    Raises Failure, OSError."""
    out = (ROOT / out).resolve()
    if out.exists() and not (out / INDEX).is_file():
        raise Failure(f"{label(out)}: exists and is not a site; name another folder")
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="site-", dir=ROOT / "build") as scratch:
        work, new = Path(scratch, "work"), Path(scratch, "site")
        new.mkdir()
        absent = fill(results, new, work)
        print(f"  LINKS  {check(new)}, every one leads somewhere")
        shutil.rmtree(out, ignore_errors=True)
        shutil.move(new, out)
    for line in absent:
        print(f"  SITE  not made here: {line}")
    print(f"  SITE  {label(out)}/{INDEX}: open it, or serve the folder")
