"""Makes pages of what is in the repository.

Usage: python -m rsalab.pages report REPORT.md OUT.html [--pdf OUT.pdf]
       python -m rsalab.pages site RESULTS OUT
       python -m rsalab.pages figures
       python -m rsalab.pages links FOLDER
       python -m rsalab.pages lab [ARGUMENT...]

`report` without pandoc says so and is content: the text itself is there.  `lab` opens JupyterLab.
"""

import argparse
import sys
from pathlib import Path

from records import faults
from records.faults import Failure
from rsalab.pages.links import check


def arguments_of(arguments: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="pages", description="Makes pages.")
    forms = parser.add_subparsers(dest="form", required=True)
    one = forms.add_parser("report", help="one HTML file of a report")
    one.add_argument("source", type=Path, metavar="REPORT.md")
    one.add_argument("out", type=Path, metavar="OUT.html")
    one.add_argument("--pdf", type=Path, metavar="OUT.pdf")
    one = forms.add_parser("site", help="a folder for any static host")
    one.add_argument("results", type=Path, metavar="RESULTS")
    one.add_argument("out", type=Path, metavar="OUT")
    forms.add_parser("figures", help="draw docs/figures/*.dot")
    one = forms.add_parser("links", help="check every link of a folder of pages")
    one.add_argument("folder", type=Path, metavar="FOLDER")
    return parser.parse_args(arguments)


def run(args: argparse.Namespace) -> list[str]:
    """Does what was asked; returns what to tell.  Raises ValueError or OSError."""
    if args.form == "report":
        from rsalab.pages.report import report

        return report(args.source, args.out, args.pdf)
    if args.form == "site":
        from rsalab.pages.site import site

        return site(args.results, args.out)
    if args.form == "figures":
        from rsalab.pages.figures import make

        return [f"  FIGURE  {path.name}" for path in make()]
    return [check(args.folder)]


def main(arguments: list[str] | None = None) -> int:
    """Command line; 0, or 2 with one line on stderr for each fault."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["lab"]:
        from rsalab.pages.lab import lab

        return lab(arguments[1:])
    try:
        said = run(arguments_of(arguments))
    except faults.EXPECTED as fault:
        said = str(fault) if isinstance(fault, Failure) else faults.line(fault)
        print(f"pages: {said}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("pages: stopped; nothing half made was kept", file=sys.stderr)
        return 130
    print("\n".join(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
