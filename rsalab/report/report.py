"""Generates the report, and the tables of the front page and of the rungs.

Usage: python -m rsalab.report.report RESULTS OUT
       python -m rsalab.report.report --reference [RESULTS]

The first form writes one report and its charts from a run of one's own, and touches nothing else.
The second writes what is committed: REPORT.md, the charts in RESULTS/charts/, README.md between its
markers, iterations/README.md, and of each measured rung's README.md the verdict and what was
measured; without RESULTS it takes the reference that every reader sees (frames.reference).  Nothing
is written unless all of it can be.
"""

import argparse
import sys
from pathlib import Path
from string import Template

from records.files import replace
from records.ladder import LADDER, ROOT, Snapshot, study_path
from rsalab.frames import LOCAL, Results, load, reference
from rsalab.report import against, chapters, instruments, markdown, sections, studies, tables

TEMPLATE = Path(__file__).with_name("report.template.md")
Files = dict[Path, bytes]


def text_of(tale: sections.Story) -> str:
    """The report."""
    values = {
        **sections.facts(tale),
        **sections.summary(tale),
        **sections.ladder_parts(tale),
        **chapters.background(tale),
        **chapters.steps(tale),
        **instruments.calls(tale),
        **instruments.cycles(tale),
        **against.comparison(tale),
        "studies": studies.section(tale.results, tale.root) or sections.MISSING,
    }
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(values)


def pictures(tale: sections.Story) -> Files:
    """The charts."""
    return {tale.pictures / f"{name}.svg": c.bytes("svg") for name, c in tale.charts.items()}


def own(results: Results, out: Path, root: Path = ROOT) -> Files:
    """A report on one's own run: OUT, and its charts in a folder beside it.

    Raises ValueError when OUT is a place where the repository keeps something.
    """
    out, build = out.resolve(), root.resolve() / "build"
    if root.resolve() in out.parents and build not in out.parents:
        raise ValueError(f"{out.name}: inside the repository a report of one's own goes to build/")
    tale = sections.story(results, out.parent, out.parent / out.stem.lower(), root)
    return {out: text_of(tale).encode(), **pictures(tale)}


def committed(results: Results, root: Path = ROOT) -> Files:
    """Everything that is generated from the reference results.  Raises ValueError."""
    root = root.resolve()
    folder = results.folder.resolve()
    if folder.parent != root / "results" or results.label == LOCAL:
        raise ValueError(f"{results.label}: reference results are in results/ and not {LOCAL}")
    tale = sections.story(results, root, folder / "charts", root)
    files = {root / "REPORT.md": text_of(tale).encode(), **pictures(tale)}
    front = markdown.between(
        markdown.read(root / "README.md", root), "ladder", front_page(tale), "README.md"
    )
    files[root / "README.md"] = front.encode()
    files[study_path(LADDER, root) / "README.md"] = overview(tale).encode()
    for snapshot in tale.snapshots:
        files[snapshot.path / "README.md"] = rung_readme(tale, snapshot).encode()
    return {**files, **studies.readmes(results, under, root)}


def under(results: Results, study: str = LADDER) -> str:
    """The line under a table: unit, case, platform, compiler."""
    return (
        f"Instructions a round trip (exact mean of {results.trips(study=study)}),"
        f" {results.platform}, {results.compiler}, from {results.label}."
    )


def front_page(tale: sections.Story) -> str:
    """Chart and table for README.md."""
    table = tables.overview(tale.ladder, tale.snapshots, f"{LADDER}/")
    return f"{tale.picture('speed-up')}\n\n{table}\n\n{under(tale.results)}"


def overview(tale: sections.Story) -> str:
    """iterations/README.md: the ladder drawn, its numbers, its verdicts."""
    branches = "The first line is the way up; what hangs below it was measured and not continued."
    return "\n\n".join(
        [
            "# The ladder",
            f"*{sections.origin(tale.results)}*",
            f"```\n{markdown.tree(tale.snapshots)}\n```",
            branches,
            tables.overview(tale.ladder, tale.snapshots, "./"),
            under(tale.results),
            "What each step did, by instructions against its parent at the same level:",
            tables.verdicts(tale.ladder, tale.snapshots),
            "One step, C and assembly: `make diff B=v4`. All of it: [REPORT.md](../REPORT.md).\n",
        ]
    )


def rung_readme(tale: sections.Story, snapshot: Snapshot) -> str:
    """A rung's own README.md with its verdict and its measured paragraph."""
    path = snapshot.path / "README.md"
    name = path.relative_to(tale.root).as_posix()
    block = f"{under(tale.results)}\n\n{tables.step(tale.ladder, snapshot, memory=False)}\n"
    text = markdown.with_verdict(
        markdown.read(path, tale.root), tables.verdict_line(tale.ladder, snapshot.name), name
    )
    return markdown.between(text, "measured", block, name)


def write(files: Files) -> list[Path]:
    """Writes each file whole; returns those that changed."""
    changed = [p for p, data in files.items() if not p.exists() or p.read_bytes() != data]
    for path in changed:
        replace(path, files[path])
    return changed


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Command line; 0, or 2 with one line on stderr and nothing written."""
    parser = argparse.ArgumentParser(prog="report", description="Generates the report.")
    parser.add_argument("--reference", action="store_true", help="write what is committed")
    parser.add_argument("results", metavar="RESULTS", nargs="?", type=Path)
    parser.add_argument("out", metavar="OUT", nargs="?", type=Path)
    args = parser.parse_args(arguments)
    if args.reference == bool(args.out):
        parser.error("give RESULTS and OUT, or --reference without OUT")
    try:
        results = load(args.results or reference(root), root)
        files = committed(results, root) if args.reference else own(results, root / args.out, root)
        changed = write(files)
    except (ValueError, OSError) as fault:
        print(f"report: {fault}", file=sys.stderr)
        return 2
    top = root.resolve()
    for path in changed:
        print(f"  REPORT  {path.relative_to(top) if top in path.parents else path}")
    if not changed:
        print(f"  REPORT  {len(files)} files are as {results.label} says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
