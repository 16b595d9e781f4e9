"""Makes pages of what is in the repository.

Usage: python -m rsalab.pages report REPORT.md OUT.html   with OUT.pdf beside it
       python -m rsalab.pages site RESULTS OUT
       python -m rsalab.pages slides RESULTS OUT.html
       python -m rsalab.pages figures
"""

import argparse
import sys
from pathlib import Path

from records.faults import command_line
from rsalab.pages.document import figures, report
from rsalab.pages.site import site
from rsalab.pages.slides import slides


def main(arguments: list[str] | None = None) -> int:
    """Command line; 0, or 2 with one line on stderr."""
    parser = argparse.ArgumentParser(prog="pages", description="Makes pages.")
    forms = parser.add_subparsers(required=True)
    for make, *paths in (
        (report, "source", "out"),
        (site, "results", "out"),
        (slides, "results", "out"),
        (figures,),
    ):
        form = forms.add_parser(make.__name__, description=make.__doc__)
        form.set_defaults(make=make)
        for path in paths:
            form.add_argument(path, type=Path)
    given = vars(parser.parse_args(arguments))
    make = given.pop("make")
    return command_line("pages", lambda: make(**given))


if __name__ == "__main__":
    sys.exit(main())
