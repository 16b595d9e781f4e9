"""The site: report, notebooks, explorer, call graphs and documents of one results folder, in one
folder that any static host serves.  What cannot be made here is named with the command for it."""

import base64
import dataclasses
import html
import os
import re
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import nbformat

from records import ladder
from records.faults import Failure
from records.files import replace, scratch
from records.ladder import LADDER, LEVELS, ROOT, Snapshot, natural_key
from records.policy import sealed
from records.profiles import pictures, profiles
from records.results import LOCAL, NOT_YOURS, SWITCH, Results, label, load, reference
from records.settings import LEVEL_TABLE
from rsalab import markdown
from rsalab.explorer.data import gather
from rsalab.explorer.page import WEB as EXPLORER_WEB
from rsalab.explorer.page import build
from rsalab.frames import main_line
from rsalab.live import page as live_page
from rsalab.pages import notebooks, predict, search, slides
from rsalab.pages.document import (
    LICENCES,
    WEB,
    Content,
    content_of,
    fenced,
    framed,
    words_of,
)
from rsalab.pages.glossary import Marker, anchored
from rsalab.pages.navigation import (
    DOCUMENTS,
    EXPLORER,
    GRAPHS,
    INDEX,
    LESSONS,
    LIVE,
    NOTEBOOKS,
    REPORT,
    SEARCH,
    SLIDES,
    STUDIES,
    Page,
    bar,
    file_of,
    listed,
    neighbours,
    rewriting,
)
from rsalab.report import chapters, generate
from rsalab.report.story import Story, illustrated, settled

GLOSSARY = "docs/glossary.md"
FILES = {
    "docs/*.md": DOCUMENTS,
    f"{LADDER}/*/README.md": LESSONS,
    "labs/0*/README.md": LESSONS,
}
# Where the page of a step says how another page opens at it.
AT_A_STEP = re.compile(r"`make \w+`, then `build/(explorer|live)\.html(#[^`]+)`")
# What the box for the search needs: to Firefox no file of a disk is 'self'.
NEEDS = {"form-action": "'self' file:"}
BASICS = EXPLORER_WEB / "basics.js"  # of every page with scripts
FLAME = EXPLORER_WEB / "flame.js"
NEXT = "**Next.**"  # the end of a lesson begins with it
UNBUILT_TREES = (
    "No tree of calls here: no program of these results is built. `make all-iterations`"
)
HEADING = re.compile(r"^#+ (.+)$", re.M)
PICTURE = '<div class="chart drawn" tabindex="0"><p><img src="{}" alt="{}"></p></div>'
CODE = "<details>\n<summary>Code</summary>\n\n{}\n\n</details>"


def site(results: Path, out: Path) -> None:
    """Make the site, whole or not at all.  Raises Failure, OSError."""
    out = (ROOT / out).resolve()
    if out.exists() and not (out / INDEX).is_file():
        raise Failure(f"{label(out)}: exists and is not a site; name another folder")
    (ROOT / "build").mkdir(exist_ok=True)
    with scratch(ROOT / "build", "site") as folder:
        work = folder / "work"
        new = folder / "site"
        new.mkdir()
        absent = fill(results, new, work)
        shutil.rmtree(out, ignore_errors=True)
        shutil.move(new, out)
    for line in absent:
        print(f"  SITE  not made here: {line}")
    print(f"  SITE  {label(out)}/{INDEX}: open it, or serve the folder")


def fill(folder: Path, out: Path, work: Path, root: Path = ROOT) -> list[str]:
    """Make every page in `out`, from a results folder; `work`, inside
    build/, is for what comes between.  Returns a line on each page that
    cannot be made.  Raises Failure, OSError."""
    results = load(folder, root, reference=True)
    story = illustrated(load(folder, root), work / "report")
    pages: list[Page] = []
    absent: list[str] = []
    for title, make in makers(results, story, out).items():
        try:
            pages.append(make())
        except (Failure, OSError) as fault:
            absent.append(f"{title}: {fault}")
    files = [page.file for page in pages]
    assert len(files) == len(set(files)), "two pages of one name"
    explored = (out / EXPLORER).is_file()
    front = index(story, pages, absent, chart_data(results, explored))
    pages.insert(0, front)
    texts = [page for page in pages if page.text]
    for page in texts:  # so that a link to it is known for what it is
        (out / page.file).touch()
    (out / SEARCH).touch()
    glossary = Marker(root / GLOSSARY, file_of(root / GLOSSARY, root))

    def made(page: Page) -> Content:
        content = content_of(page.text, page.folder, rewriting(page, pages, root, out))
        if page.file == glossary.file:
            return content._replace(body=anchored(content.body))
        return content._replace(body=glossary.marked(content.body))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        contents = list(pool.map(made, texts))
    sections = []
    for page, content in zip(texts, contents):
        sections += search.sections(page.title, page.file, content.body)
        (out / page.file).write_text(whole(page, content, pages), encoding="utf-8")
    page = search_page(sections, out)
    content = content_of(page.text, out, str)
    (out / SEARCH).write_text(whole(page, content, pages), encoding="utf-8")
    return absent


def whole(page: Page, content: Content, pages: list[Page]) -> str:
    """Return the file of a page: with the links to all pages, its style sheets, scripts and policy.
    Raises OSError."""
    if page.file in (INDEX, SEARCH):
        content = content._replace(contents="")
    sheets = [sheet.read_text("utf-8") for sheet in page.sheets]
    text = framed(content, bar(page, pages), neighbours(page, pages), sheets)
    files = [BASICS, *page.scripts] if page.scripts else []
    scripts = [script.read_text("utf-8") for script in files]
    return sealed(text, scripts, page.data, NEEDS)


def search_page(sections: list[search.Section], out: Path) -> Page:
    """Return the page that searches the sections of all others."""
    data = search.searched(sections)
    text = words_of("search.md")
    return Page("Search", SEARCH, text, out, scripts=SEARCH_SCRIPTS, data=data)


def makers(results: Results, story: Story, out: Path) -> dict[str, Callable[[], Page]]:
    """Return what makes each page, by the name that a line on a missing page has."""
    root = results.root
    made: dict[str, Callable[[], Page]] = {
        "Report": partial(report, story),
        "Edit a rung": partial(live, out),
        "Explorer": partial(explorer, results, out),
        "Slides": partial(lecture, results, out),
        "Call graphs": partial(call_graphs, results, out),
    }
    for source in sorted(root.glob("notebooks/*.py")):
        made[source.stem] = partial(notebook, source, story, out)
    for pattern, group in FILES.items():
        for source in sorted(
            root.glob(pattern), key=lambda path: natural_key(str(path))
        ):
            if source.parent.parent == root / LADDER:
                made[str(source)] = partial(lesson, source, results)
            else:
                made[str(source)] = partial(text_page, source, group, root)
    overview = root / "studies/README.md"
    made[str(overview)] = partial(text_page, overview, STUDIES, root)
    for folder in sorted(root.glob("studies/*/")):
        made[folder.name] = partial(study, folder, root)
        for source in parts_of(folder):
            made[str(source)] = partial(text_page, source, STUDIES, root)
    return made


# --- pages ----------------------------------------------------------------------------------------


def report(story: Story) -> Page:
    """Return the report, with its charts in their folder."""
    generate.write(generate.pictures(story))
    folder = story.pictures.parent
    return Page("Report", REPORT, settled(chapters.report(story), folder), folder)


@cache
def gathered(folder: Path) -> dict[str, Any]:
    """Return what the explorer shows of a results folder.  Raises Failure and OSError."""
    return gather(folder)


@cache
def trees(folder: Path) -> dict[str, dict[str, Any]]:
    """Return label -> level -> the tree of calls and its number of round trips; {} where no program
    of the results folder is built, which many pages ask, and which takes as long to find out."""
    try:
        snapshots = gathered(folder)["snapshots"]
    except (Failure, OSError):
        return {}
    found: dict[str, dict[str, Any]] = {}
    for snapshot in snapshots:
        for level, cell in snapshot["levels"].items():
            if cell["tree"]:
                by_level = found.setdefault(snapshot["label"], {})
                by_level[level] = {"tree": cell["tree"], "n": cell["n"]}
    return found


def explorer(results: Results, out: Path) -> Page:
    """Return the diff explorer, a page of its own; it gets a link to the front page."""
    page = build(gathered(results.folder))
    brand = '<p class="brand">'
    page = page.replace(brand, f'{brand}<a href="{INDEX}">Overview</a> / ', 1)
    if (out / LIVE).is_file():
        page = page.replace(
            brand, f'<p><a id="live" href="{LIVE}">Edit and run</a></p>{brand}', 1
        )
    (out / EXPLORER).write_text(page, encoding="utf-8")
    return Page("Explorer", EXPLORER, "", out)


def live(out: Path) -> Page:
    """Return the page in which a rung is edited and run.  Raises Failure where
    nothing was built."""
    live_page.write(out / LIVE)
    return Page("Edit a rung", LIVE, "", out)


def lecture(results: Results, out: Path) -> Page:
    """Return the slides, a page of their own; the first one gets a link to the
    front page."""
    (out / SLIDES).write_text(slides.page_of(results, INDEX), encoding="utf-8")
    return Page("Slides", SLIDES, "", out)


def call_graphs(results: Results, out: Path) -> Page:
    """Return the call graphs by rung and level, copied to `out` with gprof's own
    texts.  Raises Failure when there are none."""
    lender = results.lender
    label = results.label
    found = pictures(results.folder)
    texts = profiles(results.folder, label)
    if lender and not found:
        label = f"{lender.label}: {NOT_YOURS}"
        found = pictures(lender.folder)
        texts = profiles(lender.folder, label)
    if not found:
        raise Failure("`make gprof` draws them")
    (out / "gprof").mkdir()
    for path in (*found, *texts):
        shutil.copy(path, out / "gprof")
    lines: dict[str, list[str]] = {}
    for path in sorted(found, key=lambda path: natural_key(path.name)):
        rung, _, level = path.stem.rpartition("-")
        files = f"-{level}: [picture](gprof/{path.name})"
        if path.with_suffix(".txt") in texts:
            files += f", [text](gprof/{path.stem}.txt)"
        lines.setdefault(rung, []).append(files)
    graphs = [f"- {rung}: {'; '.join(files)}" for rung, files in lines.items()]
    programs = trees(results.folder)
    text = words_of(
        "call-graphs.md",
        folder=markdown.plain(label),
        pictures="" if programs else UNBUILT_TREES,
        graphs="\n".join(graphs),
    )
    return Page(
        "Call graphs",
        GRAPHS,
        text,
        out / "gprof",
        scripts=(FLAME, WEB / "calls.js") if programs else (),
        data={"programs": programs},
        sheets=(FLAME.with_suffix(".css"), WEB / "calls.css"),
    )


def lesson(source: Path, results: Results) -> Page:
    """Return the page of a rung.  That of a step asks for a prediction, and has the flame graphs of
    parent and child where both are built."""
    page = text_page(source, LESSONS, results.root)
    child = ladder.find(source.parent.name, LADDER, results.root)
    parent = ladder.parent_of(child, results.root)
    if parent is None:
        return page
    return with_flames(asking(page, results, child), results, (parent, child))


def asking(page: Page, results: Results, child: Snapshot) -> Page:
    """Return the page of a step with the form for a prediction, where the step is counted."""
    try:
        data = {"predict": predict.shown(results, child)}
        text = predict.with_form(page.text, results, child)
    except Failure:
        return page
    return dataclasses.replace(
        page, text=text, scripts=(predict.SCRIPT,), data=data, sheets=(predict.SHEET,)
    )


def with_flames(page: Page, results: Results, step: tuple[Snapshot, Snapshot]) -> Page:
    """Return the page of a step with the flame graphs of parent and child, where both are built."""
    programs = trees(results.folder)
    levels = {}
    for level in LEVELS:
        sides = []
        for name in (one.label for one in step):
            if level in programs.get(name, {}):
                sides.append({"label": name, **programs[name][level]})
        if len(sides) == 2:
            levels[level] = sides
    if not levels:
        return page
    return dataclasses.replace(
        page,
        text=page.text.replace(NEXT, f"{words_of('flames.md')}\n{NEXT}", 1),
        scripts=(FLAME, WEB / "step.js", *page.scripts),
        data={"levels": levels, **(page.data or {})},
        sheets=(FLAME.with_suffix(".css"), *page.sheets),
    )


def text_page(source: Path, group: str, root: Path, text: str = "") -> Page:
    """Return the page of a file of the repository, without its front matter; its
    title is the first heading, its name that of the folders of a README."""
    if not text:
        text = source.read_text(encoding="utf-8")
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = AT_A_STEP.sub(r"[\1](\1.html\2)", text)
    heading = text.partition("# ")[2].partition("\n")[0]
    title = heading.replace("`", "")
    return Page(title, file_of(source, root), text, source.parent, group, source)


def parts_of(study: Path) -> list[Path]:
    """Return the pages of the parts of a study, in the order of their names."""
    return sorted(
        study.glob("*/README.md"), key=lambda path: natural_key(str(path.parent))
    )


def study(folder: Path, root: Path) -> Page:
    """Return the page of a study: its README.md, where it has one, and its parts."""
    source = folder / "README.md"
    text = (
        source.read_text(encoding="utf-8") if source.is_file() else f"# {folder.name}"
    )
    parts = []
    for path in parts_of(folder):
        part = text_page(path, STUDIES, root)
        parts.append(f"- [{part.title}]({path.parent.name}/README.md)")
    if parts:
        text += "\n\n## All of its parts\n\n" + "\n".join(parts)
    return text_page(source, STUDIES, root, text)


def notebook(source: Path, story: Story, out: Path) -> Page:
    """Return a notebook with its outputs for these results: the committed ones
    where they are of the reference, and else executed now.  Raises Failure
    when a cell fails."""
    results = story.results
    root = results.root
    own = os.environ.get(SWITCH) or results.label == LOCAL
    of_reference = results.folder.resolve() == reference(root).resolve()
    if of_reference and not own:
        executed = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    else:
        print(f"  NOTEBOOK  {source.stem} on {results.label}", flush=True)
        executed, _ = notebooks.execute(source, results.folder)
    file = out / "ipynb" / f"{source.stem}.ipynb"
    replace(file, executed)
    heading, _, rest = notebook_text(executed).partition("\n")
    text = words_of("notebook.md", heading=heading, file=file.name, rest=rest)
    return text_page(source, NOTEBOOKS, root, text)


def notebook_text(notebook: str) -> str:
    """Return the Markdown of an .ipynb: text, code folded away, and outputs in the
    open.  (pandoc's own reader of notebooks drops Markdown outputs, and the
    words that stand for a picture.)"""
    parts = []
    heading = ""
    for cell in nbformat.reads(notebook, as_version=4).cells:  # type: ignore[no-untyped-call]
        if cell.cell_type != "code":
            parts.append(cell.source)
            headings = HEADING.findall(cell.source)
            heading = headings[-1] if headings else heading
            continue
        parts.append(CODE.format(fenced(cell.source, "python")))
        for output in cell.outputs:
            data = output.get("data") or {"text/plain": output.get("text", "")}
            parts.append(_output(data, heading))
    return "\n\n".join(parts)


def _output(data: dict[str, str], heading: str) -> str:
    """Return the best form of an output below a heading: a picture, Markdown, a
    table of pandas, text."""
    words = data.get("text/plain", "")
    if words.startswith("<Figure"):
        words = f"Chart: {heading}"
    if words.startswith("<IPython"):
        words = "The picture that the line above names"
    if "image/svg+xml" in data:
        kind = "svg+xml"
        picture = base64.b64encode(data["image/svg+xml"].encode()).decode()
    elif "image/png" in data:
        kind = "png"
        picture = data["image/png"]
    elif "text/markdown" in data:
        return data["text/markdown"]
    elif "text/html" in data:
        table = f'<div class="scroll" tabindex="0">{data["text/html"]}</div>'
        return fenced(table, "{=html}")
    else:
        return fenced(words)
    source = f"data:image/{kind};base64,{picture}"
    return PICTURE.format(source, html.escape(words))


def index(
    story: Story, pages: list[Page], absent: list[str], chart: dict[str, object]
) -> Page:
    """Return the front page: what this is, the ladder's chart and table, and what
    is where; `absent` has a line on each page that could not be made, `chart` what
    the chart shows.  Raises OSError without README.md."""
    folder = story.pictures.parent
    readme = (story.results.root / "README.md").read_text(encoding="utf-8")
    text = words_of(
        "index.md",
        answer=story.get("text:answer"),
        intro=re.split(r"\n{2,}", readme)[1],
        front=settled(story.get("text:front"), folder).replace(
            "\n\n|", f"{PLACE}\n\n|", 1
        ),
        lists=listed(pages, absent),
        origin=story.get("text:origin"),
        licences=fenced(LICENCES.read_text()),
    )
    for line in absent:
        title = line.partition(":")[0]
        text = re.sub(rf"(?m)^- \[{re.escape(title)}\].*\n", "", text)
    return Page("Overview", INDEX, text, folder, scripts=SCRIPTS, data=chart)


# --- interactive ----------------------------------------------------------------------------------

SCRIPTS = (WEB / "vendor/chart.js", WEB / "chart.js")
SEARCH_SCRIPTS = (WEB / "vendor/search.js", WEB / "search.js")
METRICS = ("instructions", "loads", "stores", "branches", "multiplies", "code_bytes")
COLUMNS = ("snapshot", "idea", "parent", "code", "level", *METRICS)
PLACE = '\n\n<div id="chart" hidden></div>'


def chart_data(results: Results, explored: bool) -> dict[str, object]:
    """Return what the chart of the front page shows; `explored` says whether
    its points can lead to the explorer."""
    rows = []
    for row in results.ladder():
        rows.append({column: row[column] for column in COLUMNS})
    return {
        "rows": rows,
        "metrics": METRICS,
        "marks": {row.level: row.shape for row in LEVEL_TABLE},
        "main": main_line(results.rungs()),
        "source": f"{results.platform}, {results.compiler}, exact means",
        "explored": explored,
    }
