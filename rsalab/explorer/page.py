"""The diff explorer: two snapshots side by side, C or assembly, with exact counts, on one page.

`python -m rsalab.explorer.page RESULTS OUT`, which `make explore` calls.  RESULTS is a folder with
machine.json, counts.csv and lines.csv; the programs it tells of stand in build/.  OUT is one HTML
file that needs nothing else.  What is left out is named in a line each, here and on it.
"""

import hashlib
import json
import re
import sys
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from records.commands import command
from records.files import replace
from rsalab.explorer import data

WEB = Path(__file__).resolve().parent / "web"
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


def elements(kind: str, folder: Path, names: Iterable[str]) -> str:
    """The texts of these files, each in an element."""
    texts = ((folder / name).read_text(encoding="utf-8") for name in names)
    return "\n".join(f"<{kind}>{text}</{kind}>" for text in texts)


def hashes(scripts: str) -> str:
    """What a policy calls the scripts in these elements, so that it lets no other run."""
    texts = re.findall("<script>(.*?)</script>", scripts, re.DOTALL)
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)


def build(value: dict[str, Any]) -> str:
    """The whole page.  Raises OSError when a part of the front end is missing."""
    licences = (WEB / "vendor/LICENSES").read_text(encoding="utf-8")
    scripts = elements("script", WEB, SCRIPTS)
    parts = {
        "styles": elements("style", WEB, STYLES),
        "hashes": hashes(scripts),
        "scripts": scripts,
        "data": held("data", value),
        "licences": licences.replace("&", "&amp;").replace("<", "&lt;"),
    }
    template = (WEB / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda m: parts[m[1]], template)


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
