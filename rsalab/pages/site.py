"""The site: report, notebooks, explorer, call graphs and documents of one results folder, in one
folder that any static host serves.  What cannot be made here is named with the command for it."""

import base64
import html
import json
import os
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

import nbformat

from records.faults import Failure
from records.ladder import LADDER, ROOT, natural_key
from records.results import LOCAL, SWITCH, Results, label, load, reference
from records.settings import LEVEL_TABLE
from records.tables import questions
from rsalab import markdown
from rsalab.explorer.page import with_scripts
from rsalab.explorer.page import write as write_explorer
from rsalab.frames import main_line
from rsalab.pages import notebooks, slides
from rsalab.pages.document import LICENCES, WEB, Rewrite, fenced, to_html, words_of
from rsalab.report import chapters, generate
from rsalab.report.story import Story, gallery, settled

INDEX, REPORT, EXPLORER, GRAPHS = "index.html", "report.html", "explorer.html", "call-graphs.html"
SLIDES, SEARCH = "slides.html", "search.html"
# The lists of the front page.
PAGES, NOTEBOOKS, DOCUMENTS, LESSONS = "What is here", "Notebooks", "Documents", "Lessons"
FILES = {"docs/*.md": DOCUMENTS, f"{LADDER}/*/README.md": LESSONS, "labs/0*/README.md": LESSONS}
CODE = "<details>\n<summary>Code</summary>\n\n{}\n\n</details>"


@dataclass(frozen=True)
class Page:
    """A page of the site: its file; its Markdown, "" where the file is
    there already; the folder that pictures and links start from; the list
    that has it, and the file of the repository that it shows."""

    title: str
    file: str
    text: str
    folder: Path
    group: str = PAGES
    source: Path | None = None


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


def fill(folder: Path, out: Path, work: Path, root: Path = ROOT) -> list[str]:
    """Makes every page in `out`, from a results folder; `work`, inside
    build/, is for what comes between.  Returns a line on each page that
    cannot be made.  Raises Failure, OSError."""
    results = load(folder, root)
    story = Story(results, work / "report", gallery(results))
    makers: dict[str, Callable[[], Page]] = {
        "Report": partial(report, story),
        "Explorer": partial(explorer, results, out),
        "Slides": partial(lecture, results, out),
        "Call graphs": partial(call_graphs, results, out),
        **{
            path.stem: partial(notebook, path, story)
            for path in sorted(root.glob("notebooks/*.py"))
        },
    }
    for pattern, group in FILES.items():
        for path in sorted(root.glob(pattern)):
            makers[str(path)] = partial(text_page, path, group)
    pages, absent = [], []
    for title, make in makers.items():
        try:
            pages.append(make())
        except (Failure, OSError) as fault:
            absent.append(f"{title}: {fault}")
    pages.append(Page("Search", SEARCH, words_of("search.md"), out))
    pages.insert(0, index(story, pages, absent))

    def made(page: Page) -> str:
        seen = rewriting(page, pages, story, out)
        return to_html(page.text, page.folder, seen, bar(page, pages), page.file != INDEX)

    texts = [page for page in pages if page.text]
    for page in texts:  # so that a link to it is known for what it is
        (out / page.file).touch()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        written = dict(zip(texts, pool.map(made, texts)))
    front, *_, search = texts
    written[search] = with_words(written[search], written)
    shown = data(results, (out / EXPLORER).is_file())
    written[front] = with_scripts(written[front], SCRIPTS, shown)
    for page, text in written.items():
        (out / page.file).write_text(text, encoding="utf-8")
    return absent


def rewriting(page: Page, pages: list[Page], story: Story, out: Path) -> Rewrite:
    """Links of a page as they lead on the site: a file of the repository
    that has a page to that page, a rung's folder to its step in the
    explorer, where there is one, any other nowhere."""
    root, explored = story.results.root.resolve(), (out / EXPLORER).is_file()
    made = {root / "README": INDEX, root / "REPORT": REPORT}
    made |= dict.fromkeys((root / LADDER, root / LADDER / "README"), f"{REPORT}#the-ladder")
    for name in [snapshot.name for snapshot in story.results.rungs()]:
        made[root / LADDER / name] = f"{EXPLORER}#b={name}" if explored else f"{name}.html"
    made |= {one.source.resolve().with_suffix(""): one.file for one in pages if one.source}

    def rewrite(target: str) -> str | None:
        path, mark, anchor = target.partition("#")
        for place in (page.folder / path, root / path.lstrip("/")):
            if new := made.get(place.resolve().with_suffix("")):
                return new if "#" in new else f"{new}{mark}{anchor}"
        inside = out.resolve() in (out / path).resolve().parents
        return target if inside and (out / path).is_file() else None

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


# --- pages ----------------------------------------------------------------------------------------


def report(story: Story) -> Page:
    """The report, with its charts in their folder."""
    generate.write(generate.pictures(story))
    folder = story.pictures.parent
    return Page("Report", REPORT, settled(chapters.report(story), folder), folder)


def explorer(results: Results, out: Path) -> Page:
    """The diff explorer, which makes its own page; it gets a link to the front page."""
    write_explorer(results.folder, out / EXPLORER)
    made, brand = (out / EXPLORER).read_text(encoding="utf-8"), '<p class="brand">'
    made = made.replace(brand, f'{brand}<a href="{INDEX}">Overview</a> / ', 1)
    (out / EXPLORER).write_text(made, encoding="utf-8")
    return Page("Explorer", EXPLORER, "", out)


def lecture(results: Results, out: Path) -> Page:
    """The slides, which are a page of their own; the first one gets a link to the front page."""
    end, link = "</section>", f'<p><a href="{INDEX}">Overview of the site</a></p>'
    made = slides.page_of(results).replace(end, f"{link}{end}", 1)
    (out / SLIDES).write_text(made, encoding="utf-8")
    return Page("Slides", SLIDES, "", out)


def call_graphs(results: Results, out: Path) -> Page:
    """The call graphs by rung and level, copied to `out` with gprof's own
    texts.  Raises Failure when there are none."""
    folder = results.folder / "gprof"
    found = sorted(folder.glob("*-O?.svg"), key=lambda path: natural_key(path.name))
    if not found:
        raise Failure("`make gprof` draws them")
    shutil.copytree(folder, out / "gprof", ignore=shutil.ignore_patterns("*.csv"))
    rungs, parts = [], []
    for rung, graphs in groupby(found, key=lambda path: path.stem[: -len("-O1")]):
        rungs.append(f"[{rung}](#{rung})")
        parts.append(f'## <a id="{rung}"></a>{rung}')
        for path in graphs:
            title = f"{rung} at {path.stem[-len('-O1') :]}"
            parts.append(f"### {title}\n\n![Call graph of {title}]({path.name})")
            text = f", [gprof's text](gprof/{path.stem}.txt)" * path.with_suffix(".txt").is_file()
            parts.append(f"[picture alone](gprof/{path.name}){text}")
    facts = {"folder": markdown.plain(results.label), "rungs": " · ".join(rungs)}
    text = words_of("call-graphs.md", **facts, graphs="\n\n".join(parts))
    return Page("Call graphs", GRAPHS, text, out / "gprof")


def text_page(source: Path, group: str, text: str = "") -> Page:
    """The page of a file of the repository, without its front matter; its
    title is the first heading, its name that of the folder of a README."""
    text = text or source.read_text(encoding="utf-8")
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    title = text.partition("# ")[2].partition("\n")[0].replace("`", "")
    name = source.parent.name if source.stem == "README" else source.stem
    return Page(title, f"{name}.html", text, source.parent, group, source)


def notebook(source: Path, story: Story) -> Page:
    """A notebook with its outputs for these results: the committed ones
    where they are of the reference, and else executed now.  Raises Failure
    when a cell fails."""
    results = story.results
    committed = not os.environ.get(SWITCH) and results.label != LOCAL
    if committed and results.folder.resolve() == reference(results.root).resolve():
        made = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    else:
        print(f"  NOTEBOOK  {source.stem} on {results.label}", flush=True)
        made, _ = notebooks.execute(source, results.folder)
    links = ", ".join(f"[{s.name}]({LADDER}/{s.name})" for s in results.rungs() if s.parent)
    steps = f"The steps, each with its code and counts: {links}."
    return text_page(source, NOTEBOOKS, f"{notebook_text(made)}\n\n{steps}")


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


def index(story: Story, pages: list[Page], absent: list[str]) -> Page:
    """The front page: what this is, the ladder's chart and table, and what
    is where; `absent` has a line on each page that could not be made.
    Raises OSError without README.md."""
    intro = re.split(r"\n{2,}", (story.results.root / "README.md").read_text(encoding="utf-8"))[1]
    front = settled(story.get("text:front"), story.pictures.parent).replace(
        "\n\n|", f"{PLACE}\n\n|", 1
    )
    lists: dict[str, list[str]] = {NOTEBOOKS: [], DOCUMENTS: [], LESSONS: []}
    for page in pages:
        lists.setdefault(page.group, []).append(f"[{page.title}]({page.file})")
    lists["Not made here"] = list(map(markdown.said, absent))
    del lists[PAGES]
    parts = [f"## {title}\n\n- " + "\n- ".join(lines) for title, lines in lists.items() if lines]
    text = words_of(
        "index.md",
        intro=intro,
        front=front,
        lists="\n\n".join(parts),
        origin=story.get("text:origin"),
        licences=fenced(LICENCES.read_text()),
    )
    for line in absent:
        text = re.sub(rf"(?m)^- \[{line.partition(':')[0]}\].*\n", "", text)
    return Page("Overview", INDEX, text, story.pictures.parent)


# --- interactive ----------------------------------------------------------------------------------

SCRIPTS = (WEB / "vendor/chart.js", WEB / "chart.js")
PLACE = '\n\n<div id="chart" hidden></div>'


def data(results: Results, explorer: bool) -> dict[str, object]:
    """What the chart of the front page shows; a point leads to its step in
    the explorer, or else in the report."""
    shown = results.query(questions(__file__)["chart"], explorer)[0][0]
    source = f"{results.platform}, {results.compiler}, exact means"
    line = main_line(results.rungs())
    marks = {row.level: row.shape for row in LEVEL_TABLE}
    return {**json.loads(shown), "main": line, "marks": marks, "source": source}


# --- search ---------------------------------------------------------------------------------------


def short(page: Page) -> str:
    """A page's name in a list of links: Report, Notebook 3, measuring, v7, Lab 6."""
    words_of = {NOTEBOOKS: f"Notebook {page.title}", DOCUMENTS: page.file.removesuffix(".html")}
    return words_of.get(page.group, page.title).partition(". ")[0]


WORD = re.compile(r"(?<!\w)(?!x\d)[A-Za-z][\w-]*\w")  # no factor such as x2
USUAL = 0.6  # the share of the pages above which a word finds nothing
SILENT = re.compile(r"<(script|style|math)\b.*?</\1>|<[^>]*>", re.DOTALL)  # no text


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
    return with_scripts(search.replace("WORDS", "\n".join(lines), 1), [WEB / "words.js"])
