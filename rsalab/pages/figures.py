"""The UML figures: each docs/figures/*.dot is drawn by Graphviz into the .svg beside it."""

import re
import shutil
import subprocess
from pathlib import Path

from records.faults import Failure
from records.files import replace
from records.ladder import ROOT

FOLDER = "docs/figures"
FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
INSTALL = "graphviz is missing (no command dot): sudo apt-get install graphviz"


def sources(root: Path = ROOT) -> list[Path]:
    """The .dot files, by name."""
    return sorted((root / FOLDER).glob("*.dot"))


def draw(source: Path) -> str:
    """The SVG of a .dot file, without what names the version of Graphviz or a file elsewhere.

    Raises Failure when there is no dot, or it refuses the file.
    """
    if not shutil.which("dot"):
        raise Failure(INSTALL)
    ran = subprocess.run(["dot", "-Tsvg", source], capture_output=True, text=True)
    if ran.returncode or not ran.stdout:
        said = (ran.stderr.strip().splitlines() or ["no picture came"])[0]
        raise Failure(f"{source.name}: {said}")
    text = re.sub(r"<!--.*?-->\n?|<!DOCTYPE[^>]*>\n?", "", ran.stdout, flags=re.S)
    return re.sub(r'font-family="[^"]*"', f'font-family="{FONTS}"', text)


def content(svg: str) -> tuple[list[str], list[str]]:
    """What an SVG shows wherever it was drawn: its names of nodes and edges, and its words; each
    sorted, for versions of Graphviz differ in order and in layout."""
    titles = re.findall(r"<title>(.*?)</title>", svg)
    return sorted(titles), sorted(re.findall(r"<text [^>]*>(.*?)</text>", svg))


def make(root: Path = ROOT) -> list[Path]:
    """Draws every figure, or none when one cannot be drawn; returns them.  Raises Failure."""
    pictures = {source.with_suffix(".svg"): draw(source) for source in sources(root)}
    for path, svg in pictures.items():
        replace(path, svg)
    return list(pictures)
