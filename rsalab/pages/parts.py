"""The parts of the site: Markdown that becomes a page, or a line on why there is none here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from records.faults import Failure
from records.ladder import ROOT, natural_key
from rsalab.frames import LOCAL, SWITCH, Results, reference
from rsalab.pages.notebook import to_markdown
from rsalab.report import report as text_of_report
from rsalab.report.sections import Story, origin, story
from rsalab.steps.table import LEVELS

INDEX, REPORT, EXPLORER, GRAPHS = "index.html", "report.html", "explorer.html", "call-graphs.html"
NOTEBOOKS, DOCUMENTS = "Notebooks", "Documents"  # groups, and headings of the front page


@dataclass(frozen=True)
class Part:
    """A part of the site.

    `file` is its page; `body` the Markdown that it is made of, with pictures relative to `folder`
    and links relative to `base` or to the repository; without a body the page is there already.
    `source` is the file of the repository that it stands for; `group` the list that it is in.
    `absent`, if not empty, says why there is no such page, and what to type.
    """

    title: str
    file: str = ""
    what: str = ""
    body: str = ""
    folder: Path = ROOT
    base: Path = ROOT
    source: str = ""
    group: str = ""
    absent: str = ""


def title_of(body: str) -> str:
    """The first heading of a Markdown text."""
    found = re.search(r"(?m)^# +(.+?) *$", body)
    return found[1].replace("`", "") if found else "Untitled"


def report(results: Results, work: Path, root: Path) -> tuple[Part, Story]:
    """The report on these results, its charts in the work folder, and the story it tells."""
    tale = story(results, work, work / "report", root)
    for path, data in text_of_report.pictures(tale).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    what = "method, every step with its prediction and what came of it, comparison, threats"
    body = text_of_report.text_of(tale)
    part = Part("Report", REPORT, what, body, work, work, "REPORT.md")
    return part, tale


def explorer(results: Results, out: Path, root: Path) -> Part:
    """The diff explorer, which makes its own page."""
    command = [sys.executable, "-m", "rsalab.explorer", results.folder, out / EXPLORER]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if ran.returncode or not (out / EXPLORER).is_file():
        said = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return Part("Explorer", absent=f"`make explore` makes it; here it ended with: {said}")
    page = (out / EXPLORER).read_text(encoding="utf-8")
    brand = '<p class="brand">'
    (out / EXPLORER).write_text(
        page.replace(brand, f'{brand}<a href="{INDEX}">Overview</a> / ', 1), encoding="utf-8"
    )
    what = "any two snapshots side by side, in C or assembly, with how often each line ran"
    return Part("Explorer", EXPLORER, what)


def call_graphs(results: Results, out: Path) -> Part:
    """The call graphs by rung and level, with gprof's own texts, all copied into the site."""
    source = results.folder / "gprof"
    found = sorted(source.glob("*-O?.svg"), key=lambda path: natural_key(path.name))
    if not found:
        return Part("Call graphs", absent="`make gprof` draws them")
    (out / "gprof").mkdir()
    lines = [
        "# Call graphs",
        "Who calls whom, and how often, by gprof: the numbers of calls are exact. At -O1 and"
        f" above a function that the compiler inlined is no longer there. From {results.label}.",
    ]
    rungs = list(dict.fromkeys(path.stem.rsplit("-", 1)[0] for path in found))
    lines.append(" · ".join(f"[{rung}](#{rung})" for rung in rungs))
    for rung in rungs:
        lines.append(f'## <a id="{rung}"></a>{rung}')
        for path in (source / f"{rung}-{level}.svg" for level in LEVELS):
            if path in found:
                lines += graph(path, out)
    what = "who calls whom and how often, for each rung and level"
    return Part("Call graphs", GRAPHS, what, "\n\n".join(lines), source, source)


def graph(path: Path, out: Path) -> list[str]:
    """One call graph: heading, picture, and links to the files."""
    rung, level = path.stem.rsplit("-", 1)
    shutil.copyfile(path, out / "gprof" / path.name)
    links = f"[picture alone](gprof/{path.name})"
    text = path.with_suffix(".txt")
    if text.is_file():
        shutil.copyfile(text, out / "gprof" / text.name)
        links += f", [gprof's text](gprof/{text.name})"
    return [f"### {rung} at -{level}", f"![Call graph of {rung} at -{level}]({path.name})", links]


def notebooks(results: Results, work: Path, root: Path) -> list[Part]:
    """The notebooks with their outputs for these results: those committed where they are of the
    reference, and else executed now."""
    committed = not os.environ.get(SWITCH) and results.label != LOCAL
    committed = committed and results.folder.resolve() == reference(root).resolve()
    found = []
    for source in sorted((root / "notebooks").glob("*.py")):
        name = source.stem
        try:
            text = source.with_suffix(".ipynb").read_text() if committed else run(source, results)
            body = to_markdown(text, name, work)
        except (ImportError, OSError, ValueError) as fault:
            said = " ".join(str(fault).split())
            said = f"`make notebooks` executes it; here it ended with: {said}"
            found.append(Part(f"Notebook {name}", absent=said))
            continue
        place = f"notebooks/{name}"
        base, page = root / "notebooks", f"{name}.html"
        found.append(Part(title_of(body), page, "", body, work, base, place, NOTEBOOKS))
    return found


def run(source: Path, results: Results) -> str:
    """The text of a .ipynb, executed on these results."""
    from rsalab.notebooks import execute

    print(f"  NOTEBOOK  {source.stem} on {results.label}", flush=True)
    return execute(source, results.folder)


def documents(root: Path) -> list[Part]:
    """The texts under docs/."""
    found = []
    for path in sorted((root / "docs").glob("*.md")):
        body = path.read_text(encoding="utf-8")
        place, folder = f"docs/{path.name}", path.parent
        page = f"{path.stem}.html"
        found.append(Part(title_of(body), page, "", body, folder, folder, place, DOCUMENTS))
    return found


def index(tale: Story, parts: list[Part], root: Path) -> Part:
    """The front page: what this is, the ladder's chart and table, and what is where."""
    lines = ["# RSA on 32-bit ARM, step by step", introduction(root)]
    lines += [text_of_report.front_page(tale), "## What is here"]
    made = [part for part in parts if not part.absent]
    lines.append("\n".join(f"- [{p.title}]({p.file}): {p.what}" for p in made if not p.group))
    for group in (NOTEBOOKS, DOCUMENTS):
        entries = [f"- [{part.title}]({part.file})" for part in made if part.group == group]
        lines += [f"## {group}", "\n".join(entries)] if entries else []
    absent = [f"- {part.title}: {part.absent}" for part in parts if part.absent]
    lines += ["## Not made here", "\n".join(absent)] if absent else []
    lines.append(f"*{origin(tale.results)}*")
    return Part("Overview", INDEX, "", "\n\n".join(lines), tale.out, root, "README.md")


def introduction(root: Path) -> str:
    """What README.md says first.  Raises Failure."""
    try:
        text = (root / "README.md").read_text(encoding="utf-8")
        return re.split(r"\n{2,}", text.split("\n", 1)[1].strip())[0]
    except (OSError, IndexError):
        raise Failure("README.md: missing, or without a first paragraph") from None
