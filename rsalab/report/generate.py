"""Generates the report, and the tables of the front page and of the rungs.

Usage: python -m rsalab.report.generate RESULTS OUT
       python -m rsalab.report.generate --reference [RESULTS]

The first form writes one report and its charts from a run of one's own, and touches nothing else.
The second writes what is committed: REPORT.md, the charts in RESULTS/charts/, README.md between its
markers, iterations/README.md, and of each measured rung's README.md the verdict and what was
measured; without RESULTS it takes the reference that every reader sees.  Nothing is
written unless all of it can be.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path
from string import Template

import pandas as pd

from records.faults import Failure, command_line
from records.files import replace
from records.ladder import LADDER, ROOT, Snapshot, study_path
from records.machine import is_imported
from records.results import LOCAL, Results, load, reference
from rsalab import markdown
from rsalab.frames import measured
from rsalab.report import chapters, reasons, studies, tables
from rsalab.report.reasons import excerpt
from rsalab.report.story import Story, origin, story, under, words
from rsalab.steps import mispredictions

TEMPLATE = Path(__file__).with_name("report.template.md")
Files = dict[Path, bytes]


def text_of(tale: Story) -> str:
    """The report."""
    template = TEMPLATE.read_text(encoding="utf-8")
    return Template(template).substitute(chapters.values(tale))


def pictures(tale: Story) -> Files:
    """The charts."""
    return {tale.pictures / f"{name}.svg": c.bytes("svg") for name, c in tale.charts.items()}


def own(results: Results, out: Path, root: Path = ROOT) -> Files:
    """A report on one's own run: OUT, and its charts in a folder beside it.

    Raises Failure when OUT is a place where the repository keeps something.
    """
    out, build = out.resolve(), root.resolve() / "build"
    if root.resolve() in out.parents and build not in out.parents:
        raise Failure(f"{out.name}: inside the repository a report of one's own goes to build/")
    tale = story(results, out.parent, out.parent / out.stem.lower(), root)
    return {out: text_of(tale).encode(), **pictures(tale)}


def committed(results: Results, root: Path = ROOT) -> Files:
    """Everything that is generated from the reference results.  Raises Failure."""
    root, folder = root.resolve(), results.folder.resolve()
    if folder.parent != root / "results" or results.label == LOCAL:
        raise Failure(f"{results.label}: reference results are in results/ and not {LOCAL}")
    if is_imported(folder):
        raise Failure(f"{results.label}: `make import` brought it, so it is no reference")
    tale = story(results, root, folder / "charts", root)
    front = markdown.read(root / "README.md", root)
    texts = {
        root / "REPORT.md": text_of(tale),
        root / "README.md": markdown.between(front, "ladder", front_page(tale), "README.md"),
        study_path(LADDER, root) / "README.md": overview(tale),
        root / "docs/claims.md": reasons.every_claim(results.folder, root),
        root / "docs/measuring.md": markdown.between(
            markdown.read(root / "docs/measuring.md", root),
            "agreement",
            studies.agreement(root),
            "docs/measuring.md",
        ),
    }
    first = str(tale.ladder["rung"].iloc[0])
    for snapshot in tale.snapshots:
        texts[snapshot.path / "README.md"] = readme(results, tale.ladder, snapshot, root, first)
    for study, table in measured(results).items():
        for snapshot in results.rungs(study):
            texts[snapshot.path / "README.md"] = readme(results, table, snapshot, root)
    return {**{path: text.encode() for path, text in texts.items()}, **pictures(tale)}


def front_page(tale: Story) -> str:
    """Chart and table for README.md."""
    table = tables.overview(tale.ladder, tale.snapshots, f"{LADDER}/")
    return f"{tale.picture('speed-up')}\n\n{table}\n\n{under(tale.results)}"


def overview(tale: Story) -> str:
    """iterations/README.md: the ladder drawn, its numbers, its verdicts."""
    branches = "The first line is the ladder; a rung below it is a branch that ends there."
    return "\n\n".join(
        [
            "# The ladder",
            f"*{origin(tale.results)}*",
            f"```\n{markdown.tree(tale.snapshots)}\n```",
            branches,
            tables.overview(tale.ladder, tale.snapshots, "./"),
            under(tale.results),
            "What each step did, by instructions against its parent at the same level:",
            tables.verdicts(tale.ladder, tale.snapshots),
            "What was predicted (parent / this) and what was found. `disclosed`: the result, or a"
            " prototype's, was known when the prediction was written, so it is not scored.",
            reasons.predictions(tale.results.folder, root=tale.root),
            "A step in C and assembly: `make diff B=v4`. All results: [REPORT.md](../REPORT.md).\n",
        ]
    )


def readme(
    results: Results, table: pd.DataFrame, snapshot: Snapshot, root: Path, first: str = ""
) -> str:
    """A snapshot's own README.md with its verdict and its measured paragraph, with the factors
    against `first` if it is named.  Raises Failure."""
    path = snapshot.path / "README.md"
    name = path.relative_to(root).as_posix()
    spine = (reasons.foreseen, reasons.product, reasons.account)
    numbers = (under(results, snapshot.study), tables.step(table, snapshot, first))
    said = [part(results.folder, snapshot, root) for part in spine]
    parts = [*numbers, *said, words(snapshot.path, root)]
    block = "\n\n".join(filter(None, parts))
    verdict = tables.verdict_line(table, snapshot.name)
    text = markdown.with_verdict(markdown.read(path, root), verdict, name)
    text = markdown.between(text, "measured", block, name)
    if "<!-- mispredictions -->" in text:
        beside = mispredictions.table(results, snapshot, root)
        text = markdown.between(text, "mispredictions", beside, name) if beside else text
    if "<!-- assembly -->" in text:
        with suppress(Failure, OSError):  # without the programs that were counted the excerpt stays
            cut = excerpt(results.folder, snapshot, root)
            text = markdown.between(text, "assembly", cut, name)
    return text


def write(files: Files) -> list[Path]:
    """Writes each file whole; returns those that changed."""
    changed = [p for p, data in files.items() if not p.exists() or p.read_bytes() != data]
    for path in changed:
        replace(path, files[path])
    return changed


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Command line; nothing is written when it ends with a fault."""
    parser = argparse.ArgumentParser(prog="report", description="Generates the report.")
    parser.add_argument("--reference", action="store_true", help="write what is committed")
    parser.add_argument("results", metavar="RESULTS", nargs="?", type=Path)
    parser.add_argument("out", metavar="OUT", nargs="?", type=Path)
    args = parser.parse_args(arguments)
    if args.reference == bool(args.out):
        parser.error("give RESULTS and OUT, or --reference without OUT")

    def generate() -> None:
        results = load(args.results or reference(root), root)
        files = committed(results, root) if args.reference else own(results, root / args.out, root)
        changed = write(files)
        for path in changed:
            top = root.resolve()
            print(f"  REPORT  {path.relative_to(top) if top in path.parents else path}")
        if not changed:
            print(f"  REPORT  {len(files)} files are as {results.label} says")

    return command_line("report", generate)


if __name__ == "__main__":
    sys.exit(main())
