"""The site: report, notebooks, explorer, call graphs and documents of one results folder, in one
folder that any static host serves.  What cannot be made here is named with the command for it."""

from __future__ import annotations

import base64
import html
import os
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path

import nbformat

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, ROOT, natural_key
from records.results import LOCAL, SWITCH, Results, label, load, reference
from rsalab import markdown
from rsalab.explorer.page import write as write_explorer
from rsalab.frames import grid, main_line
from rsalab.pages import notebooks, slides
from rsalab.pages.document import LICENCES, Rewrite, fenced, to_html, with_scripts
from rsalab.report import generate
from rsalab.report.story import Story, origin, story


def explorer(results: Results, out: Path) -> Page:
    """The diff explorer, which makes its own page; it gets a link to the front page."""
    write_explorer(results.folder, out / EXPLORER)
    made, brand = (out / EXPLORER).read_text(encoding="utf-8"), '<p class="brand">'
    made = made.replace(brand, f'{brand}<a href="{INDEX}">Overview</a> / ', 1)
    (out / EXPLORER).write_text(made, encoding="utf-8")
    about = ": any two snapshots side by side, in C or assembly, with how often each line ran"
    return Page("Explorer", EXPLORER, "", out, about=about)


def lecture(tale: Story, out: Path) -> Page:
    """The slides, which are a page of their own; the first one gets a link to the front page."""
    end, link = "</section>", f'<p><a href="{INDEX}">Overview of the site</a></p>'
    made = slides.page_of(tale).replace(end, f"{link}{end}", 1)
    (out / SLIDES).write_text(made, encoding="utf-8")
    about = ": a lecture of 45 minutes; S opens the speaker's window"
    return Page("Slides", SLIDES, "", out, about=about)


def seen_on(page: Page, rungs: list[str], out: Path, root: Path) -> Rewrite:
    """Links of a page as they lead on the site: a file of the repository
    that has a page to that page, a rung to its place in the explorer (a
    document's to its section of the report, and so where there is no
    explorer), any other nowhere."""
    steps = rungs[1:] if page.group != DOCUMENTS and (out / EXPLORER).is_file() else []

    def rewrite(target: str) -> str | None:
        path, mark, anchor = target.partition("#")
        places = [(folder / path).resolve() for folder in (page.folder, root, out)]
        name = os.path.relpath(next(filter(Path.exists, places), root), root.resolve())
        rung = re.match(rf"{LADDER}/(\w+)", name)
        text = re.fullmatch(r"(?:docs|notebooks|labs)/(.+?)(?:/README)?\.(?:md|py|ipynb)", name)
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
    for group in (NOTEBOOKS, DOCUMENTS, LESSONS):
        entries[group] = (f"{INDEX}#{group.lower()}", here.group == group)
    marks = ("", ' aria-current="page"')
    links = (
        f'<a href="{to}"{marks[now]}>{html.escape(title)}</a>'
        for title, (to, now) in entries.items()
    )
    return "\n".join(links)


def fill(folder: Path, out: Path, work: Path, root: Path = ROOT) -> list[str]:
    """Makes every page in `out`, from a results folder; `work`, inside
    build/, is for what comes between.  Returns a line on each page that
    cannot be made.  Raises Failure, OSError."""
    results = load(folder, root)
    tale = story(results, work, work / "report", root)
    absent: list[str] = []
    makers: dict[str, Callable[[], Page]] = {
        "Report": partial(report, tale),
        "Explorer": partial(explorer, results, out),
        "Slides": partial(lecture, tale, out),
        "Call graphs": partial(call_graphs, results, out),
    }
    for path in sorted(root.glob("notebooks/*.py")):
        makers[path.stem] = partial(notebook, path, results, root)
    for path in sorted(root.glob("docs/*.md")):
        text = path.read_text(encoding="utf-8")
        makers[path.stem] = partial(text_page, text, path, DOCUMENTS)
    for path in sorted([*root.glob(f"{LADDER}/*/README.md"), *root.glob("labs/0*/README.md")]):
        makers[path.parent.name] = partial(lesson, path)
    pages = []
    for title, make in makers.items():
        try:
            pages.append(make())
        except (Failure, OSError) as fault:
            absent.append(f"{title}: {fault}")
    pages.append(Page("Search", SEARCH, SOUGHT, out, about=": every word, and where it is"))
    pages.insert(0, index(tale, pages, absent, root))
    rungs = [snapshot.name for snapshot in tale.snapshots]

    def made(page: Page) -> str:
        seen = seen_on(page, rungs, out, root)
        return to_html(page.text, page.folder, seen, bar(page, pages), page.file != INDEX)

    texts = [page for page in pages if page.text]
    for page in texts:  # so that a link to it is known for what it is
        (out / page.file).touch()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        written = dict(zip(texts, pool.map(made, texts)))
    front, *_, search = texts
    written[search] = with_words(written[search], written)
    written[front] = with_chart(written[front], tale, (out / EXPLORER).is_file())
    for page, text in written.items():
        (out / page.file).write_text(text, encoding="utf-8")
    return absent


def site(results: Path, out: Path) -> None:
    """Makes the site, whole or not at all.  Raises Failure, OSError."""
    out = (ROOT / out).resolve()
    if out.exists() and not (out / INDEX).is_file():
        raise Failure(f"{label(out)}: exists and is not a site; name another folder")
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="site-", dir=ROOT / "build") as scratch:
        work, new = Path(scratch, "work"), Path(scratch, "site")
        new.mkdir()
        absent = fill(results, new, work)
        shutil.rmtree(out, ignore_errors=True)
        shutil.move(new, out)
    for line in absent:
        print(f"  SITE  not made here: {line}")
    print(f"  SITE  {label(out)}/{INDEX}: open it, or serve the folder")


# --- contents -------------------------------------------------------------------------------------

INDEX, REPORT, EXPLORER, GRAPHS = "index.html", "report.html", "explorer.html", "call-graphs.html"
SLIDES, SEARCH = "slides.html", "search.html"
# The lists of the front page.
PAGES, NOTEBOOKS, DOCUMENTS, LESSONS = "What is here", "Notebooks", "Documents", "Lessons"
CODE = "<details>\n<summary>Code</summary>\n\n{}\n\n</details>"
MADE_OF = {"README.md": INDEX, "REPORT.md": REPORT}
MADE_OF |= dict.fromkeys((LADDER, f"{LADDER}/README.md"), f"{REPORT}#the-ladder")


@dataclass(frozen=True)
class Page:
    """A page of the site: its file; its Markdown, "" where the file is
    there already; the folder that pictures and links start from; the list
    that has it, and what the list says of it."""

    title: str
    file: str
    text: str
    folder: Path
    group: str = PAGES
    about: str = ""


def short(page: Page) -> str:
    """A page's name in a list of links: Report, Notebook 3, measuring, v7, Lab 6."""
    words_of = {NOTEBOOKS: f"Notebook {page.title}", DOCUMENTS: page.file.removesuffix(".html")}
    return words_of.get(page.group, page.title).partition(". ")[0]


def report(tale: Story) -> Page:
    """The report, its charts in the folder that the story names."""
    generate.write(generate.pictures(tale))
    about = ": the answer, every step and its reasons, techniques, predictions, sources, threats"
    return Page("Report", REPORT, generate.text_of(tale), tale.out, about=about)


def call_graphs(results: Results, out: Path) -> Page:
    """The call graphs by rung and level, copied to `out` with gprof's own
    texts.  Raises Failure when there are none."""
    folder = results.folder / "gprof"
    found = sorted(folder.glob("*-O?.svg"), key=lambda path: natural_key(path.name))
    if not found:
        raise Failure("`make gprof` draws them")
    (out / "gprof").mkdir()
    index, parts = [], []
    for rung, graphs in groupby(found, key=lambda path: path.stem[: -len("-O1")]):
        index.append(f"[{rung}](#{rung})")
        parts.append(f'## <a id="{rung}"></a>{rung}')
        for path in graphs:
            shutil.copy(path, out / "gprof")
            title = f"{rung} at {path.stem[-len('-O1') :]}"
            parts.append(f"### {title}\n\n![Call graph of {title}]({path.name})")
            alone, text = f"[picture alone](gprof/{path.name})", path.with_suffix(".txt")
            if text.is_file():
                shutil.copy(text, out / "gprof")
                alone += f", [gprof's text](gprof/{text.name})"
            parts.append(alone)
    intro = (
        "# Call graphs\n\nWho calls whom, and how often, by gprof, in a round trip: the calls are"
        " exact, and so are the instructions of each function, which its colour and size show."
        " From -O1 on a function that the compiler inlined is not there."
        f" From {markdown.plain(results.label)}.\n\n{' · '.join(index)}"
    )
    about = ": who calls whom and how often, for each rung and level"
    return Page("Call graphs", GRAPHS, "\n\n".join([intro, *parts]), out / "gprof", about=about)


def text_page(text: str, source: Path, group: str) -> Page:
    """The page of a file of the repository; its title is the first heading."""
    title = text.partition("# ")[2].partition("\n")[0].replace("`", "")
    return Page(title, f"{source.stem}.html", text, source.parent, group)


def lesson(source: Path) -> Page:
    """The page of a rung's or an exercise's README, without its front matter."""
    text = re.sub(r"\A---\n.*?\n---\n", "", source.read_text(encoding="utf-8"), flags=re.DOTALL)
    return replace(text_page(text, source, LESSONS), file=f"{source.parent.name}.html")


def notebook(source: Path, results: Results, root: Path) -> Page:
    """A notebook with its outputs for these results: the committed ones
    where they are of the reference, and else executed now.  Raises Failure
    when a cell fails."""
    committed = not os.environ.get(SWITCH) and results.label != LOCAL
    if committed and results.folder.resolve() == reference(root).resolve():
        made = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    else:
        print(f"  NOTEBOOK  {source.stem} on {results.label}", flush=True)
        made, _ = notebooks.execute(source, results.folder)
    return text_page(f"{notebook_text(made)}\n\n{steps(root)}", source, NOTEBOOKS)


def steps(root: Path) -> str:
    """A line of links to the steps of the ladder."""
    rungs = [rung for rung in ladder.snapshots(root=root) if rung.parent]
    links = (f"[{rung.name}]({LADDER}/{rung.name})" for rung in rungs)
    return f"The steps, each with its code and counts: {', '.join(links)}."


def notebook_text(notebook: str) -> str:
    """The Markdown of an .ipynb: text, code folded away, and outputs in the
    open.  (pandoc's own reader of notebooks drops Markdown outputs, and the
    words that stand for a picture.)"""
    parts = []
    for cell in nbformat.reads(notebook, as_version=4).cells:  # type: ignore[no-untyped-call]
        parts.append(
            CODE.format(fenced(cell.source, "python")) if cell.cell_type == "code" else cell.source
        )
        for output in cell.get("outputs", []):
            parts.append(_output(output.get("data") or {"text/plain": output.get("text", "")}))
    return "\n\n".join(parts)


def _output(data: dict[str, str]) -> str:
    """The best form of an output: a picture, Markdown, text."""
    words, picture, kind = data.get("text/plain", ""), data.get("image/png", ""), "png"
    if "image/svg+xml" in data:
        picture, kind = base64.b64encode(data["image/svg+xml"].encode()).decode(), "svg+xml"
    if picture:
        return f'<p><img src="data:image/{kind};base64,{picture}" alt="{html.escape(words)}"></p>'
    return data.get("text/markdown") or fenced(words)


def index(tale: Story, pages: list[Page], absent: list[str], root: Path) -> Page:
    """The front page: what this is, the ladder's chart and table, and what
    is where; `absent` has a line on each page that could not be made.
    Raises OSError without README.md."""
    intro = re.split(r"\n{2,}", (root / "README.md").read_text(encoding="utf-8"))[1]
    front = generate.front_page(tale).replace("\n\n|", f"{PLACE}\n\n|", 1)
    parts = ["# RSA on 32-bit ARM, step by step", intro, front]
    lists: dict[str, list[str]] = {group: [] for group in (PAGES, NOTEBOOKS, DOCUMENTS, LESSONS)}
    for page in pages:
        lists[page.group].append(f"[{page.title}]({page.file}){page.about}")
    for title, lines in {**lists, "Not made here": list(map(markdown.said, absent))}.items():
        parts += [f"## {title}", "\n".join(f"- {line}" for line in lines)] if lines else []
    parts.append(f"*{origin(tale.results)}*")
    licences = fenced(LICENCES.read_text(encoding="utf-8"))
    parts.append(
        f"<details>\n<summary>Licences of D3 and reveal.js</summary>\n\n{licences}\n\n</details>"
    )
    return Page("Overview", INDEX, "\n\n".join(parts), tale.out)


# --- interactive ----------------------------------------------------------------------------------

SCRIPTS = ("vendor/chart.js", "chart.js")
METRICS = {
    "instructions": " a round trip", "loads": " a round trip", "stores": " a round trip",
    "branches": " a round trip", "multiplies": " a round trip", "code_bytes": "",
}  # fmt: skip
PLACE = '\n\n<div id="chart" hidden></div>'


def data(tale: Story, explorer: bool) -> dict[str, object]:
    """What the chart shows; a point leads to its step in the explorer, or else in the report."""
    line, rungs = main_line(tale.snapshots), []
    for snapshot in tale.snapshots:
        step = f"a={snapshot.parent}&b={snapshot.name}" if snapshot.parent else f"b={snapshot.name}"
        there = f"explorer.html#{step}&level=LEVEL" if explorer else f"report.html#{snapshot.name}"
        rungs.append(
            {"name": snapshot.name, "idea": snapshot.idea, "parent": snapshot.parent, "href": there,
             "main": snapshot.name in line, "assembly": snapshot.has_assembly}
        )  # fmt: skip
    counts = {}
    for metric in METRICS:
        wide = grid(tale.ladder, tale.snapshots, metric)
        found = {level: wide[level].dropna().to_dict() for level in wide}
        counts[metric.replace("_", " ")] = found
    unit = {metric.replace("_", " "): words for metric, words in METRICS.items()}
    source = f"{tale.results.platform}, {tale.results.compiler}, exact means"
    return {"levels": tale.levels, "rungs": rungs, "counts": counts, "unit": unit, "source": source}


def with_chart(page: str, tale: Story, explorer: bool) -> str:
    """The front page with the chart."""
    return with_scripts(page, SCRIPTS, data(tale, explorer))


# --- search ---------------------------------------------------------------------------------------

WORD = re.compile(r"(?<!\w)(?!x\d)[A-Za-z][\w-]*\w")  # no factor such as x2
USUAL = 0.6  # the share of the pages above which a word finds nothing
SILENT = re.compile(r"<(script|style|math)\b.*?</\1>|<[^>]*>", re.DOTALL)  # no text
SOUGHT = """# Search

Every word of the report, notebooks, documents and lessons that stands on less than 60 % of the
pages, each with the part of a page that has it most. The explorer searches the code.

<p><label>Word, or part of one: <input type="search" id="sought" size="24"></label></p>
<ul style="max-width: none">
WORDS
</ul>
"""


def words(text: str) -> dict[str, str]:
    """The words of a page, each with the heading below which it is most often."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    main, anchor = text.partition("<main>")[2].partition("</main>")[0], ""
    for part in re.split(r"(?=<h[1-6]\b)", main):
        named = re.match(r'<h[1-6][^>]* id="([^"]*)"', part)
        anchor = named[1] if named else anchor
        for word in WORD.findall(html.unescape(SILENT.sub(" ", part))):
            found[word.lower()][anchor] += 1
    return {word: anchors.most_common(1)[0][0] for word, anchors in found.items()}


def with_words(search: str, pages: dict[Page, str]) -> str:
    """The page of the search, with every word of these pages in alphabetical
    order and where it is: links that need neither a server nor a script;
    with its script a search as one types."""
    places: dict[str, list[str]] = defaultdict(list)
    for page, text in pages.items():
        for word, anchor in words(text).items():
            places[word].append(f'<a href="{page.file}#{anchor}">{html.escape(short(page))}</a>')
    lines = [
        f'<li data-word="{word}"><b>{word}</b> {", ".join(links)}</li>'
        for word, links in sorted(places.items())
        if len(links) <= USUAL * len(pages)
    ]
    return with_scripts(search.replace("WORDS", "\n".join(lines), 1), ["words.js"])
