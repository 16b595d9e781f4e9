"""The diff explorer: two snapshots side by side, C or assembly, with exact counts, on one page.

`python -m rsalab.explorer.page RESULTS OUT`, which `make explore` calls.  RESULTS is a folder with
machine.json, counts.csv and lines.csv; the programs it tells of stand in build/.  OUT is one HTML
file that needs nothing else.  What is left out is named in a line each, here and on it.
"""

import html
import sys
from pathlib import Path
from typing import Any

from records.commands import command
from records.files import replace
from records.policy import sealed
from rsalab.charts import theme
from rsalab.explorer import data

WEB = Path(__file__).resolve().parent / "web"
STYLES = ("page.css", "code.css", "flame.css", "print.css")
SCRIPTS = (
    "vendor/vendor.js",
    "basics.js",
    *(f"{name}.js" for name in ("model", "state", "heads", "moved", "diff", "colour")),
    *(f"{name}.js" for name in ("heat", "lazy", "folds", "table", "find", "links")),
    *(f"{name}.js" for name in ("flame", "detail", "app")),
)


def build(value: dict[str, Any]) -> str:
    """Return the whole page.  Raises OSError when a part of the front end is missing."""
    sheets = [front_end(name) for name in STYLES]
    styles = "\n".join([theme.switched_variables(), *sheets])
    licences = html.escape(front_end("vendor/LICENSES"), quote=False)
    page = front_end("page.html")
    page = page.replace("{{styles}}", styles)
    page = page.replace("{{licences}}", licences)
    page = sealed(page, map(front_end, SCRIPTS), value)
    return theme.complete(page)


def front_end(name: str) -> str:
    """Return a part of the front end."""
    return (WEB / name).read_text(encoding="utf-8")


def write(results: Path, out: Path) -> None:
    """Write the page of a results folder, and say what is on it.  Raises
    Failure when nothing can be shown, OSError."""
    value = data.gather(results)
    replace(out, build(value))
    for line in value["missing"]:
        print(f"explorer: {line}", file=sys.stderr)
    number = len(value["snapshots"])
    size = out.stat().st_size / 1e6
    print(f"{out}: {number} snapshots, {size:.1f} MB; open it in a browser")


if __name__ == "__main__":
    sys.exit(command("explorer", write))
