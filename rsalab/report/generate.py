"""Generates the report, and the tables of the front page and of the rungs.

Usage: python -m rsalab.report.generate RESULTS OUT
       python -m rsalab.report.generate --reference [RESULTS]

The first form writes one report and its charts from a run of one's own, and
touches nothing else. The second writes what is committed: REPORT.md, the
charts in RESULTS/charts/, README.md between its markers, iterations/README.md,
and of each measured rung what was measured, in its README.md, and the verdict, in its step.toml;
without RESULTS it takes the reference that every reader sees.  Nothing is
written unless all of it can be.
"""

import html
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from records import results as folders
from records import step_file
from records.commands import command
from records.faults import Failure
from records.files import replace
from records.ladder import LADDER, ROOT, Snapshot
from records.machine import is_imported
from records.results import LOCAL, Results, load
from rsalab import compilers, markdown
from rsalab.charts import theme
from rsalab.report import chapters, described, lesson, readmes
from rsalab.report.story import Story, illustrated, settled, template
from rsalab.steps import figures
from rsalab.steps.spent import warn

Files = dict[Path, bytes]
FRONT_CHART = "speed-up"  # README.md shows it
# What is generated between `<!-- name -->` and `<!-- /name -->` of a snapshot's README.md, where
# it has these marks.
PARTS: dict[str, Callable[[Results, Snapshot], str]] = {
    "change": lesson.changed,
    "controls": lesson.controls,
    "shares": lesson.shares,
    "mispredictions": readmes.mispredictions,
    "assembly": readmes.excerpt,
    "links": lesson.links,
}

# Of these, what is made of a step and its parent only, so that nothing it needs can be absent.
OF_THE_STEP = "change"


def pictures(story: Story) -> Files:
    """Return the charts."""
    files = {}
    for chart in story.charts.values():
        path = story.pictures / f"{chart.name}.svg"
        files[path] = chart.bytes("svg")
        if chart.name == FRONT_CHART:
            dark = theme.dark_twin(files[path].decode())
            files[twin_of(path)] = dark.encode()
    return files


def twin_of(path: Path) -> Path:
    """Return the path of a picture for dark pages."""
    return path.with_stem(f"{path.stem}-dark")


def twinned(text: str) -> str:
    """Return a text whose picture has its twin where the reader's pages are dark."""

    def both(found: re.Match[str]) -> str:
        words, address = found.groups()
        dark = f'<source media="(prefers-color-scheme: dark)" srcset="{twin_of(Path(address))}">'
        light = f'<img alt="{html.escape(words)}" src="{address}">'
        return f"<picture>\n{dark}\n{light}\n</picture>"

    return re.sub(rf"!\[(.*?)\]\((.*/{FRONT_CHART}\.svg)\)", both, text)


def own(results: Results, out: Path) -> Files:
    """Return a report on one's own run, OUT, and its charts in a folder beside it.

    Raises Failure when OUT is a place where the repository keeps something.
    """
    out = out.resolve()
    root = results.root.resolve()
    if root in out.parents and root / "build" not in out.parents:
        raise Failure(
            f"{out.name}: inside the repository a report of one's own goes to build/"
        )
    warn(results, results.rungs())
    folder = out.parent / out.stem.lower()
    story = illustrated(results, folder)
    text = settled(chapters.report(story), out.parent, root)
    return {out: text.encode(), **pictures(story)}


def committed(results: Results) -> Files:
    """Return everything that is generated from the reference results.  Raises Failure."""
    root = results.root.resolve()
    folder = results.folder.resolve()
    if folder.parent != root / "results" or results.label == LOCAL:
        raise Failure(
            f"{results.label}: reference results are in results/ and not {LOCAL}"
        )
    if is_imported(folder):
        raise Failure(
            f"{results.label}: `make import` brought it, so it is no reference"
        )
    story = illustrated(results, folder / "charts")
    story.add("text", {"claims": lambda: readmes.every_claim(results)})
    texts = {
        "REPORT.md": chapters.report(story),
        f"{LADDER}/README.md": story.file(template("ladder")),
        "docs/claims.md": story.file(template("claims")),
        "docs/predictions.md": story.file(template("predictions")),
        described.PAGE: described.page(results),
    }
    blocks = (
        ("README.md", "ladder", story.get("text:front")),
        ("docs/measuring.md", "agreement", chapters.agreement(root)),
        ("docs/measuring.md", "options", compilers.of_options(root)),
    )
    for file, name, block in blocks:
        page = texts.get(file) or (root / file).read_text("utf-8")
        texts[file] = markdown.between(page, name, block, file)
    for study in results.studies():
        file = f"studies/{study}/README.md"
        page = (root / file).read_text("utf-8")
        if "<!-- steps -->" in page:
            block = chapters.of_study(story, study)
            texts[file] = markdown.between(page, "steps", block, file)
    for study in (LADDER, *results.studies()):
        for snapshot in results.rungs(study):
            path = snapshot.path / "README.md"
            file = path.relative_to(root).as_posix()
            texts[file] = readme(results, snapshot)
            if snapshot.parent:
                path = snapshot.path / step_file.FILE
                file = path.relative_to(root).as_posix()
                texts[file] = with_verdict(results, snapshot)
    files = {}
    for file, text in texts.items():
        path = root / file
        text = settled(text, path.parent, root)
        files[path] = (twinned(text) if file == "README.md" else text).encode()
    return {**files, **pictures(story)}


def with_verdict(results: Results, snapshot: Snapshot) -> str:
    """Return a snapshot's own step.toml with its verdict.  Raises Failure."""
    story = readmes.story_of(results, snapshot)
    path = snapshot.path / step_file.FILE
    name = path.relative_to(results.root).as_posix()
    if not path.is_file():
        raise Failure(
            f"{name}: missing; `make new-iteration` writes one, with every key"
        )
    return markdown.with_verdict(
        path.read_text("utf-8"), story.get("fact:verdict"), name
    )


def readme(results: Results, snapshot: Snapshot) -> str:
    """Return a snapshot's own README.md with what was measured.  Raises Failure."""
    story = readmes.story_of(results, snapshot)
    path = snapshot.path / "README.md"
    name = path.relative_to(results.root).as_posix()
    text = path.read_text("utf-8")
    text = markdown.between(text, "measured", story.get("text:measured"), name)
    for mark, part in PARTS.items():
        if f"<!-- {mark} -->" not in text:
            continue
        # Another block stays where what it is made of is not here: programs, or a study.
        absent = () if mark == OF_THE_STEP else (Failure, OSError)
        with suppress(*absent):
            block = part(results, snapshot)
            if block:
                text = markdown.between(text, mark, block, name)
    try:
        return figures.filled(text, readmes.steps_of(results, snapshot))
    except Failure as fault:
        raise Failure(f"{name}: {fault}") from None


def write(files: Files) -> list[Path]:
    """Write each file whole.  Return those that changed."""
    changed = []
    for path, data in files.items():
        if path.exists() and path.read_bytes() == data:
            continue
        replace(path, data)
        changed.append(path)
    return changed


def generate(*words: str, reference: bool = False, root: Path = ROOT) -> None:
    """Generate RESULTS OUT, or --reference [RESULTS].  Nothing is written when it ends with a
    fault."""
    match words:
        case [] | [_] if reference:
            folder = words[0] if words else folders.reference(root)
            results = load(folder, root)
            files = committed(results)
        case [folder, out] if not reference:
            results = load(folder, root)
            files = own(results, root / out)
        case _:
            raise Failure("say RESULTS OUT, or --reference, or --reference RESULTS")
    changed = write(files)
    top = root.resolve()
    for path in changed:
        shown = path.relative_to(top) if top in path.parents else path
        print(f"  REPORT  {shown}")
    if not changed:
        print(f"  REPORT  {len(files)} files are as {results.label} says")


if __name__ == "__main__":
    sys.exit(command("report", generate))
