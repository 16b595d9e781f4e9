"""One HTML file of the data, the front end and the vendored libraries, with nothing fetched.

Its content security policy allows the scripts and the style sheets in it, by their hash, and
nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

WEB = Path(__file__).resolve().parent / "web"
STYLES = ("vendor/vendor.css", "page.css", "code.css", "print.css")
SCRIPTS = (
    "vendor/vendor.js",
    *(f"{name}.js" for name in ("model", "state", "moved", "diff", "heads", "heat", "table")),
    *(f"{name}.js" for name in ("folds", "find", "links", "detail", "app")),
)
LICENCES = "vendor/LICENSES"


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
    licences = (WEB / LICENCES).read_text(encoding="utf-8")
    parts = {
        "policy": policy(styles, scripts),
        "styles": "\n".join(element("style", text) for text in styles),
        "scripts": "\n".join(element("script", text) for text in scripts),
        "data": embedded(value),
        "licences": licences.replace("&", "&amp;").replace("<", "&lt;"),
    }
    template = (WEB / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda m: parts[m[1]], template)
