"""The diff explorer: two snapshots side by side, C or assembly, with exact counts, on one page.

`python -m rsalab.explorer.page RESULTS OUT`, which `make explore` calls.  RESULTS is a folder with
machine.json, counts.csv and lines.csv; the programs it tells of stand in build/.  OUT is one HTML
file that needs nothing else.  What is left out is named in a line each, here and on it.
"""

import hashlib
import html
import json
import sys
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from records.commands import command
from records.files import replace
from rsalab.explorer import data

WEB = Path(__file__).resolve().parent / "web"
POLICY = "default-src 'none';"
STYLES = ("vendor/vendor.css", "page.css", "code.css", "print.css")
SCRIPTS = (
    "vendor/vendor.js",
    *(f"{name}.js" for name in ("model", "state", "moved", "diff", "heads", "heat", "table")),
    *(f"{name}.js" for name in ("folds", "find", "links", "detail", "app")),
)


def held(name: str, value: object) -> str:
    """Data for the page's scripts, the same for the same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def with_scripts(page: str, scripts: Iterable[Path], value: object = None) -> str:
    """The page with these scripts, the only ones that its policy then
    allows, and the data that they read.  Raises OSError."""
    texts = [path.read_text(encoding="utf-8") for path in scripts]
    digests = (b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    page = page.replace(POLICY, f"{POLICY} script-src {allowed};", 1)
    head, end, tail = page.rpartition("</body>")
    parts = [] if value is None else [held("data", value)]
    parts += [f"<script>{text}</script>" for text in texts]
    return "\n".join([head, *parts, end + tail])


def build(value: dict[str, Any]) -> str:
    """The whole page.  Raises OSError when a part of the front end is missing."""
    styles = "\n".join((WEB / name).read_text(encoding="utf-8") for name in STYLES)
    licences = html.escape((WEB / "vendor/LICENSES").read_text(encoding="utf-8"), quote=False)
    page = (WEB / "page.html").read_text(encoding="utf-8")
    page = page.replace("{{styles}}", styles).replace("{{licences}}", licences)
    return with_scripts(page, [WEB / name for name in SCRIPTS], value)


def write(results: Path, out: Path) -> dict[str, Any]:
    """Writes the page of a results folder; returns its data.  Raises
    Failure when nothing can be shown, OSError."""
    value = data.gather(results)
    replace(out, build(value))
    return value


def main(results: Path, out: Path) -> None:
    """Writes the page of a results folder.  Raises Failure, OSError."""
    value = write(results, out)
    for line in value["missing"]:
        print(f"explorer: {line}", file=sys.stderr)
    size, number = out.stat().st_size / 1e6, len(value["snapshots"])
    print(f"{out}: {number} snapshots, {size:.1f} MB; open it in a browser")


if __name__ == "__main__":
    sys.exit(command("explorer", main))
