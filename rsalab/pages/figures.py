"""The UML figures: Graphviz draws each docs/figures/*.dot into the .svg beside it."""

import re
from pathlib import Path

from records.command import run
from records.files import replace
from records.ladder import ROOT

FOLDER = ROOT / "docs" / "figures"
FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


def draw(source: Path) -> str:
    """The SVG of a .dot file, without what names the version of Graphviz or a file elsewhere.
    Raises Failure when Graphviz refuses the file, FileNotFoundError without Graphviz."""
    text = re.sub(
        r"<!--.*?-->\n?|<!DOCTYPE[^>]*>\n?", "", run(["dot", "-Tsvg", source]), flags=re.S
    )
    return re.sub(r'font-family="[^"]*"', f'font-family="{FONTS}"', text)


def figures() -> None:
    """Draws every figure, or none when one cannot be drawn.  Raises as draw() does."""
    pictures = {source.with_suffix(".svg"): draw(source) for source in FOLDER.glob("*.dot")}
    for path, svg in sorted(pictures.items()):
        replace(path, svg)
        print(f"  FIGURE  {path.name}")
