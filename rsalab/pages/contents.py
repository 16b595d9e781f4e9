"""What the site consists of: its pages as Markdown, made from one results folder."""

import base64
import html
import os
import re
import shutil
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import nbformat

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, natural_key
from records.results import LOCAL, SWITCH, Results, reference
from rsalab import markdown
from rsalab.notebooks import execute as notebooks
from rsalab.pages import interactive
from rsalab.report import generate
from rsalab.report.story import Story, origin

INDEX, REPORT, EXPLORER, GRAPHS = "index.html", "report.html", "explorer.html", "call-graphs.html"
PAGES, NOTEBOOKS, DOCUMENTS = "What is here", "Notebooks", "Documents"  # lists of the front page
CODE = "<details>\n<summary>Code</summary>\n\n{}\n\n</details>"


@dataclass(frozen=True)
class Page:
    """A page of the site: its file; its Markdown, "" where the file is there already; the folder
    that pictures and links start from; the list that has it, and what the list says of it."""

    title: str
    file: str
    text: str
    folder: Path
    group: str = PAGES
    about: str = ""


def report(tale: Story) -> Page:
    """The report, its charts in the folder that the story names."""
    generate.write(generate.pictures(tale))
    about = ": the answer, every step and its reasons, techniques, predictions, sources, threats"
    return Page("Report", REPORT, generate.text_of(tale), tale.out, about=about)


def call_graphs(results: Results, out: Path) -> Page:
    """The call graphs by rung and level, copied to `out` with gprof's own texts.  Raises Failure
    when there are none."""
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


def notebook(source: Path, results: Results, root: Path) -> Page:
    """A notebook with its outputs for these results: the committed ones where they are of the
    reference, and else executed now.  Raises Failure when a cell fails."""
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
    """The Markdown of an .ipynb: text, code folded away, and outputs in the open.  (pandoc's own
    reader of notebooks drops Markdown outputs, and the words that stand for a picture.)"""
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


def fenced(text: str, language: str = "") -> str:
    """A text as it stands: the fence is longer than any in it."""
    fence = "`" * max(4, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def index(tale: Story, pages: list[Page], absent: list[str], root: Path) -> Page:
    """The front page: what this is, the ladder's chart and table, and what is where; `absent` has
    a line on each page that could not be made.  Raises OSError without README.md."""
    intro = re.split(r"\n{2,}", (root / "README.md").read_text(encoding="utf-8"))[1]
    front = generate.front_page(tale).replace("\n\n|", f"{interactive.PLACE}\n\n|", 1)
    parts = ["# RSA on 32-bit ARM, step by step", intro, front]
    lists: dict[str, list[str]] = {group: [] for group in (PAGES, NOTEBOOKS, DOCUMENTS)}
    for page in pages:
        lists[page.group].append(f"[{page.title}]({page.file}){page.about}")
    for title, lines in {**lists, "Not made here": list(map(markdown.said, absent))}.items():
        parts += [f"## {title}", "\n".join(f"- {line}" for line in lines)] if lines else []
    parts.append(f"*{origin(tale.results)}*")
    licences = fenced(interactive.LICENCES.read_text(encoding="utf-8"))
    parts.append(
        f"<details>\n<summary>Licences of D3 and reveal.js</summary>\n\n{licences}\n\n</details>"
    )
    return Page("Overview", INDEX, "\n\n".join(parts), tale.out)
