"""Makes pages of what is in the repository.

Usage: python -m rsalab.pages report REPORT.md OUT.html   with OUT.pdf beside it
       python -m rsalab.pages site RESULTS OUT
       python -m rsalab.pages slides RESULTS OUT.html
       python -m rsalab.pages figures
"""

import sys
from collections.abc import Callable
from pathlib import Path

from records.faults import command_line
from rsalab.pages.document import figures, report
from rsalab.pages.site import site
from rsalab.pages.slides import slides

MAKERS: dict[str, Callable[..., None]] = {
    "report": report,
    "site": site,
    "slides": slides,
    "figures": figures,
}


def main(arguments: list[str]) -> int:
    """Command line; 0, or 2 with one line on stderr."""
    name, *paths = arguments
    return command_line("pages", lambda: MAKERS[name](*map(Path, paths)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
