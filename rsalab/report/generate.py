"""Generates the report, and the tables of the front page and of the rungs.

Usage: python -m rsalab.report.generate RESULTS OUT
       python -m rsalab.report.generate --reference [RESULTS]

The first form writes one report and its charts from a run of one's own, and
touches nothing else. The second writes what is committed: REPORT.md, the
charts in RESULTS/charts/, README.md between its markers, iterations/README.md,
and of each measured rung's README.md the verdict and what was measured;
without RESULTS it takes the reference that every reader sees.  Nothing is
written unless all of it can be.
"""

import sys
from contextlib import suppress
from pathlib import Path
from string import Template

import pandas as pd

from records import results as folders
from records.commands import command
from records.faults import Failure
from records.files import replace
from records.ladder import LADDER, ROOT, Snapshot, study_path
from records.machine import is_imported
from records.results import LOCAL, Results, load
from rsalab import markdown
from rsalab.frames import measured
from rsalab.report import chapters, readmes, story
from rsalab.report.story import Story

TEMPLATES = Path(__file__).parent
Files = dict[Path, bytes]


def text_of(tale: Story) -> str:
    """The report."""
    return filled("report", chapters.values(tale))


def filled(name: str, places: dict[str, str]) -> str:
    """A template with text in its places."""
    template = (TEMPLATES / f"{name}.template.md").read_text(encoding="utf-8")
    return Template(template).substitute(places)


def pictures(tale: Story) -> Files:
    """The charts."""
    return {tale.pictures / f"{name}.svg": c.bytes("svg") for name, c in tale.charts.items()}


def own(results: Results, out: Path) -> Files:
    """A report on one's own run: OUT, and its charts in a folder beside it.

    Raises Failure when OUT is a place where the repository keeps something.
    """
    out, root = out.resolve(), results.root.resolve()
    if root in out.parents and root / "build" not in out.parents:
        raise Failure(f"{out.name}: inside the repository a report of one's own goes to build/")
    tale = story.story(results, out.parent, out.parent / out.stem.lower(), root)
    return {out: text_of(tale).encode(), **pictures(tale)}


def committed(results: Results) -> Files:
    """Everything that is generated from the reference results.  Raises Failure."""
    root, folder = results.root.resolve(), results.folder.resolve()
    if folder.parent != root / "results" or results.label == LOCAL:
        raise Failure(f"{results.label}: reference results are in results/ and not {LOCAL}")
    if is_imported(folder):
        raise Failure(f"{results.label}: `make import` brought it, so it is no reference")
    tale = story.story(results, root, folder / "charts", root)
    blocks = (("README.md", "ladder", front_page(tale)),
              ("docs/measuring.md", "agreement", chapters.agreement(root)))  # fmt: skip
    texts = {
        root / "REPORT.md": text_of(tale),
        study_path(LADDER, root) / "README.md": of_ladder(tale),
        root / "docs/claims.md": filled("claims", {"claims": readmes.every_claim(results)}),
    }
    for file, name, block in blocks:
        texts[root / file] = markdown.between((root / file).read_text("utf-8"), name, block, file)
    studies = {LADDER: tale.ladder, **measured(results)}
    for study, frame in studies.items():
        first = str(frame["rung"].iloc[0]) if study == LADDER else ""
        for snapshot in results.rungs(study):
            texts[snapshot.path / "README.md"] = readme(results, frame, snapshot, first)
    return {**{path: text.encode() for path, text in texts.items()}, **pictures(tale)}


def front_page(tale: Story) -> str:
    """Chart and table for README.md."""
    table = story.overview(tale.ladder, tale.snapshots, f"{LADDER}/")
    return f"{tale.picture('speed-up')}\n\n{table}\n\n{story.under(tale.results)}"


def of_ladder(tale: Story) -> str:
    """iterations/README.md: the ladder drawn, its numbers, its verdicts."""
    places = {
        "origin": story.origin(tale.results),
        "tree": markdown.tree(tale.snapshots),
        "overview": story.overview(tale.ladder, tale.snapshots, "./"),
        "under": story.under(tale.results),
        "verdicts": story.verdicts(tale.ladder, tale.snapshots),
        "predictions": story.predictions(tale.results),
    }
    return filled("ladder", places)


def readme(results: Results, table: pd.DataFrame, snapshot: Snapshot, first: str = "") -> str:
    """A snapshot's own README.md with its verdict and its measured
    paragraph, with the factors against `first` if it is named.  Raises
    Failure."""
    path = snapshot.path / "README.md"
    name = path.relative_to(results.root).as_posix()
    spine = (readmes.foreseen, readmes.product, readmes.account)
    parts = [story.under(results, snapshot.study), story.step(table, snapshot, first)]
    parts += [part(results, snapshot) for part in spine]
    parts.append(story.words(snapshot.path, results.root))
    verdict = story.verdict_line(table, snapshot.name)
    text = markdown.with_verdict(path.read_text("utf-8"), verdict, name)
    text = markdown.between(text, "measured", "\n\n".join(filter(None, parts)), name)
    for mark, part in (("mispredictions", readmes.mispredictions), ("assembly", readmes.excerpt)):
        if f"<!-- {mark} -->" in text:
            with suppress(Failure, OSError):  # without the programs that were counted it stays
                block = part(results, snapshot)
                text = markdown.between(text, mark, block, name) if block else text
    return text


def write(files: Files) -> list[Path]:
    """Writes each file whole; returns those that changed."""
    changed = [p for p, data in files.items() if not p.exists() or p.read_bytes() != data]
    for path in changed:
        replace(path, files[path])
    return changed


def generate(*words: str, reference: bool = False, root: Path = ROOT) -> None:
    """RESULTS OUT, or --reference [RESULTS].  Nothing is written when it ends with a fault."""
    match words:
        case [] | [_] if reference:
            results = load(words[0] if words else folders.reference(root), root)
            files = committed(results)
        case [folder, out] if not reference:
            results = load(folder, root)
            files = own(results, root / out)
        case _:
            raise Failure("say RESULTS OUT, or --reference, or --reference RESULTS")
    changed, top = write(files), root.resolve()
    for path in changed:
        print(f"  REPORT  {path.relative_to(top) if top in path.parents else path}")
    if not changed:
        print(f"  REPORT  {len(files)} files are as {results.label} says")


if __name__ == "__main__":
    sys.exit(command("report", generate))
