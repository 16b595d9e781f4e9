"""Makes pages of what is in the repository: `python -m rsalab.pages COMMAND --help`."""

import sys

from records.commands import building

COMMANDS = {
    "report": "document.report",
    "site": "site.site",
    "slides": "slides.slides",
    "figures": "document.figures",
    "notebooks": "notebooks.notebooks",
    "jupyter": "notebooks.jupyter",
}

if __name__ == "__main__":
    sys.exit(building("rsalab.pages", COMMANDS))
