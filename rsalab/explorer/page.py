"""The diff explorer: two snapshots side by side, C or assembly, with exact counts, on one page.

`python -m rsalab.explorer.page RESULTS OUT`, which `make explore` calls.  RESULTS is a folder with
machine.json, counts.csv and lines.csv; the programs it tells of stand in build/.  OUT is one HTML
file that needs nothing else: its content security policy allows the scripts and the style sheets in
it, by their hash, and nothing else.  What is left out is named in a line each, here and on it.
"""

import argparse
import base64
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from records.faults import command_line
from records.files import replace
from rsalab.explorer import data

WEB = Path(__file__).resolve().parent / "web"
STYLES = ("vendor/vendor.css", "page.css", "code.css", "print.css")
SCRIPTS = (
    "vendor/vendor.js",
    *(f"{name}.js" for name in ("model", "state", "moved", "diff", "heads", "heat", "table")),
    *(f"{name}.js" for name in ("folds", "find", "links", "detail", "app")),
)


def hashes(texts: list[str]) -> str:
    """What a policy calls these scripts or style sheets."""
    found = [base64.b64encode(hashlib.sha256(text.encode()).digest()) for text in texts]
    return " ".join(f"'sha256-{digest.decode()}'" for digest in found)


def policy(styles: list[str], scripts: list[str]) -> str:
    """The policy that lets exactly these texts run."""
    return (
        f"default-src 'none'; script-src {hashes(scripts)};"
        f" style-src {hashes(styles)}; base-uri 'none'; form-action 'none'"
    )


def element(name: str, text: str) -> str:
    """An element of raw text.  Raises ValueError where the text would end it."""
    if f"</{name}" in text.lower() or "<!--" in text:
        raise ValueError(f"the page's {name} holds what would end it")
    return f"<{name}>{text}</{name}>"


def embedded(value: object) -> str:
    """JSON that may stand in a script element, the same for the same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def build(value: dict[str, Any]) -> str:
    """The whole page.  Raises OSError and ValueError when a part of the front end is missing."""
    styles = [(WEB / name).read_text(encoding="utf-8") for name in STYLES]
    scripts = [(WEB / name).read_text(encoding="utf-8") for name in SCRIPTS]
    licences = (WEB / "vendor/LICENSES").read_text(encoding="utf-8")
    parts = {
        "policy": policy(styles, scripts),
        "styles": "\n".join(element("style", text) for text in styles),
        "scripts": "\n".join(element("script", text) for text in scripts),
        "data": embedded(value),
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


def main() -> None:
    """Writes the page that the command line names."""
    parser = argparse.ArgumentParser(prog="explorer", description="Writes the diff explorer.")
    parser.add_argument("results", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    value = write(args.results, args.out)
    for line in value["missing"]:
        print(f"explorer: {line}", file=sys.stderr)
    size, number = args.out.stat().st_size / 1e6, len(value["snapshots"])
    print(f"{args.out}: {number} snapshots, {size:.1f} MB; open it in a browser")


if __name__ == "__main__":
    sys.exit(command_line("explorer", main))
