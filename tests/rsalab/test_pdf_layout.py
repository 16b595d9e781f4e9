"""The PDF of the report: its charts' text is as large as text, and its
pages are full."""

import html
import re
import subprocess
from pathlib import Path

import numpy
import pytest
from matplotlib.text import Text
from needs import needs
from PIL import Image

from records.ladder import ROOT
from records.results import load, reference
from rsalab.pages import document
from rsalab.report.story import gallery

DPI = 50
PAPER = 210 - 2 * 15  # mm: A4 without the margins of style.css
LEAST = 7  # points, of any text in a chart on paper
LARGE = 12  # points: higher than a line of the text, and lower than one of a heading
FOOT = 5  # points of ink that a heading needs below it on its page


@pytest.mark.slow
def test_the_text_of_charts_is_as_large_as_text_on_paper() -> None:
    results = load(reference())
    charts = list(gallery(results))
    assert len(charts) > 3
    for chart in charts:
        scale = PAPER / 25.4 / chart.figure.get_figwidth()
        sizes = {
            text.get_fontsize()
            for text in chart.figure.findobj(Text)
            if text.get_text()
        }
        assert min(sizes) * scale >= LEAST, chart.name


def ink(page: Path) -> numpy.ndarray:
    """The rows of a page's picture that have ink, without the page's
    number."""
    rows = numpy.asarray(Image.open(page)).min(axis=1)
    return numpy.flatnonzero(rows[: -int(18 / 25.4 * DPI)] < 200)


def lines(pdf: Path) -> list[list[tuple[str, float]]]:
    """Of each page the lines in large letters, each with its lower edge in
    points."""
    said = subprocess.run(["pdftotext", "-bbox-layout", pdf, "-"], capture_output=True, text=True,
                          check=True).stdout  # fmt: skip
    pages = []
    for page in said.split("<page ")[1:]:
        shape = r'<line [^>]*yMin="([\d.]+)"[^>]*yMax="([\d.]+)">(.*?)</line>'
        pages.append([
            (html.unescape(" ".join(re.findall(r"<word[^>]*>(.*?)</word>", text))), float(low))
            for top, low, text in re.findall(shape, page, flags=re.S)
            if float(low) - float(top) > LARGE
        ])  # fmt: skip
    return pages


def faults(markdown: Path, folder: Path) -> list[str]:
    """What is wrong with the pages of a text's PDF."""
    out = folder / "REPORT.html"
    document.report(markdown, out)
    pdf = out.with_suffix(".pdf")
    subprocess.run(
        ["pdftoppm", "-r", str(DPI), "-gray", pdf, folder / "page"], check=True
    )
    pages, found = sorted(folder.glob("page-*.pgm")), []
    titles = re.findall(r"<h[1-4][^>]*>(.*?)</h[1-4]>", out.read_text(), flags=re.S)
    titles = [html.unescape(re.sub(r"<[^>]+>", "", title)) for title in titles]
    assert len(pages) > 1 and titles
    for number, (page, text) in enumerate(zip(pages, lines(pdf), strict=True), start=1):
        rows = ink(page)
        height = Image.open(page).height
        if number < len(pages) and rows.max() < height / 3:  # a chart may need a page
            found.append(f"page {number}: two thirds are blank")
        for title, y in text:
            below = rows[rows > y * DPI / 72 + 2]
            if len(below) * 72 / DPI < FOOT and any(t.endswith(title) for t in titles):
                found.append(f"page {number}: {title!r} stands alone at the foot")
    return found


TOOLS = needs("pandoc", "chromium", "pdftotext", "pdftoppm")


@pytest.mark.long
@TOOLS
def test_pages_are_full_and_no_heading_is_alone(tmp_path: Path) -> None:
    assert faults(ROOT / "REPORT.md", tmp_path) == []
