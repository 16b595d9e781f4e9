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

from records import results as folders
from records.commands import command
from records.faults import Failure
from records.files import replace
from records.ladder import LADDER, ROOT, Snapshot
from records.machine import is_imported
from records.results import LOCAL, Results, load
from rsalab import markdown
from rsalab.report import chapters, described, readmes
from rsalab.report.story import Story, illustrated, settled, template
from rsalab.steps.spent import warn

Files = dict[Path, bytes]


def pictures(story: Story) -> Files:
    """The charts."""
    drawn = story.charts.values()
    return {story.pictures / f"{chart.name}.svg": chart.bytes("svg") for chart in drawn}


def own(results: Results, out: Path) -> Files:
    """A report on one's own run: OUT, and its charts in a folder beside it.

    Raises Failure when OUT is a place where the repository keeps something.
    """
    out, root = out.resolve(), results.root.resolve()
    if root in out.parents and root / "build" not in out.parents:
        raise Failure(f"{out.name}: inside the repository a report of one's own goes to build/")
    warn(results, results.rungs())
    told = illustrated(results, out.parent / out.stem.lower())
    text = settled(chapters.report(told), out.parent, root)
    return {out: text.encode(), **pictures(told)}


def committed(results: Results) -> Files:
    """Everything that is generated from the reference results.  Raises Failure."""
    root, folder = results.root.resolve(), results.folder.resolve()
    if folder.parent != root / "results" or results.label == LOCAL:
        raise Failure(f"{results.label}: reference results are in results/ and not {LOCAL}")
    if is_imported(folder):
        raise Failure(f"{results.label}: `make import` brought it, so it is no reference")
    told = illustrated(results, folder / "charts")
    told.add("text", {"claims": lambda: readmes.every_claim(results)})
    texts = {
        "REPORT.md": chapters.report(told),
        f"{LADDER}/README.md": told.file(template("ladder")),
        "docs/claims.md": told.file(template("claims")),
        described.PAGE: described.page(results),
    }
    blocks = (("README.md", "ladder", told.get("text:front")),
              ("docs/measuring.md", "agreement", chapters.agreement(root)))  # fmt: skip
    for file, name, block in blocks:
        texts[file] = markdown.between((root / file).read_text("utf-8"), name, block, file)
    for study in (LADDER, *results.studies()):
        for snapshot in results.rungs(study):
            path = snapshot.path / "README.md"
            texts[path.relative_to(root).as_posix()] = readme(results, snapshot)
    made = {root / name: settled(text, (root / name).parent, root) for name, text in texts.items()}
    return {**{path: text.encode() for path, text in made.items()}, **pictures(told)}


def readme(results: Results, snapshot: Snapshot) -> str:
    """A snapshot's own README.md with its verdict and what was measured.  Raises Failure."""
    told = readmes.story_of(results, snapshot)
    path = snapshot.path / "README.md"
    name = path.relative_to(results.root).as_posix()
    text = markdown.with_verdict(path.read_text("utf-8"), told.get("fact:verdict"), name)
    text = markdown.between(text, "measured", told.get("text:measured"), name)
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
