"""Markdown to one HTML page by pandoc: formulas as MathML, pictures embedded, links as told."""

import base64
import html
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from records.faults import Failure

HERE = Path(__file__).parent
TEMPLATE, STYLE = HERE / "page.html", HERE / "style.css"
READS = "gfm+tex_math_dollars"
INSTALL = "pandoc is missing: sudo apt-get install pandoc"
TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg"}
# A link's target as the page may show it; None where it leads nowhere from there.
Rewrite = Callable[[str], str | None]


def pandoc(*arguments: str, text: str) -> str:
    """What pandoc makes of a text.  Raises Failure when it is missing or refuses."""
    if not shutil.which("pandoc"):
        raise Failure(INSTALL)
    ran = subprocess.run(["pandoc", *arguments], input=text.encode(), capture_output=True)
    if ran.returncode:
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise Failure(f"pandoc: {said[0]}")
    return ran.stdout.decode()


def embedded(name: str, folder: Path) -> str:
    """A picture's bytes as a data: address.  Raises Failure when it is not in the folder."""
    path = folder / name
    if name.startswith("data:"):
        return name
    if "://" in name or path.suffix not in TYPES:
        raise Failure(f"{name}: a picture is a local file in {', '.join(TYPES)}")
    try:
        data = base64.b64encode(path.read_bytes()).decode()
    except OSError:
        raise Failure(f"{name}: no such picture") from None
    return f"data:{TYPES[path.suffix]};base64,{data}"


def settle(node: Any, folder: Path, rewrite: Rewrite) -> Any:
    """A pandoc tree with its pictures embedded, its links rewritten, its tables in boxes that a
    narrow screen can scroll, and no line that ends with the hyphen of an option (-O1)."""
    if isinstance(node, list):
        return [settle(one, folder, rewrite) for one in node]
    if not isinstance(node, dict):
        return node
    kind, parts = node.get("t"), settle(node.get("c"), folder, rewrite)
    if kind == "Image":
        parts[2][0] = embedded(parts[2][0], folder)
    elif kind == "Link":
        old, parts[2][0] = parts[2][0], rewrite(parts[2][0])
        if parts[2][0] is None:
            return {"t": "Span", "c": [["", ["file"], [["title", old]]], parts[1]]}
    elif kind == "Header":
        parts = headed(parts)
    elif kind == "Str" and re.match(r"-[A-Za-z]", parts):
        return {"t": "Span", "c": [["", ["option"], []], [node]]}
    elif kind == "Table":
        return {"t": "Div", "c": [["", ["scroll"], [["tabindex", "0"]]], [{"t": kind, "c": parts}]]}
    return {**node, "c": parts} if "c" in node else node


def headed(parts: list) -> list:
    """A heading that bears the name of the `<a id="...">` written in it, which would otherwise come
    twice: there and in the table of contents."""
    level, attributes, words = parts
    for one in words:
        name = one["c"][1].split('"') if one["t"] == "RawInline" else []
        if len(name) == 3 and name[0] == "<a id=":
            attributes = [name[1], *attributes[1:]]
    return [level, attributes, [one for one in words if one["t"] != "RawInline"]]


def title_of(tree: dict) -> str:
    """The words of the first heading."""
    for block in tree["blocks"]:
        if block["t"] == "Header":
            return "".join(plain(one) for one in block["c"][2])
    return "Untitled"


def plain(node: Any) -> str:
    """The words of a piece of text."""
    if isinstance(node, list):
        return "".join(map(plain, node))
    if not isinstance(node, dict) or node["t"] == "RawInline":
        return ""
    if node["t"] in ("Space", "SoftBreak"):
        return " "
    parts = node.get("c", "")
    return parts if node["t"] == "Str" else parts[-1] if node["t"] == "Code" else plain(parts)


def page(
    text: str, folder: Path, rewrite: Rewrite, nav: str = "", contents: bool = True
) -> tuple[str, str]:
    """The HTML of a Markdown text, and its title.

    `folder` is where its pictures are.  With `nav`, the HTML of a navigation bar, the page is one
    of a site and takes the look from style.css beside it; without, the look is in the page.
    Raises Failure.
    """
    tree = json.loads(pandoc("--from", READS, "--to", "json", text=text))
    title = title_of(tree)
    tree["blocks"] = settle(tree["blocks"], folder, rewrite)
    style = "" if nav else f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>"
    options = ["--standalone", "--mathml", f"--template={TEMPLATE}", "--wrap=preserve"]
    options += ["--toc", "--toc-depth=3"] if contents else []
    values = {"pagetitle": html.escape(title), "nav": nav, "look": style}
    options += [f"--variable={name}:{value}" for name, value in values.items() if value]
    told = ["--from", "json", "--to", "html5", *options]
    return pandoc(*told, text=json.dumps(tree)), title
