"""The UML figures: drawn from their .dot, in the common look, the same wherever they are drawn."""

import re
from pathlib import Path

import pytest
from needs import needs

matplotlib = pytest.importorskip("matplotlib")

from records.faults import Failure
from rsalab.charts.picture import COLOUR, GREY
from rsalab.pages import document
from rsalab.pages.__main__ import main

SOURCES = sorted(document.FOLDER.glob("*.dot"))
NAMES = [source.stem for source in SOURCES]
INK = ("#222222", "white")
needs_dot = needs("dot")


def content(svg: str) -> tuple[list[str], list[str]]:
    """What an SVG shows wherever it was drawn: its names of nodes and
    edges, and its words; each sorted, for versions of Graphviz differ in
    order and in layout."""
    titles = re.findall(r"<title>(.*?)</title>", svg)
    return sorted(titles), sorted(re.findall(r"<text [^>]*>(.*?)</text>", svg))


def test_the_figures_of_the_sources_are_here() -> None:
    assert {"activity", "process", "use-case", "modexp", "mmm"} <= set(NAMES)


@needs_dot
@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_the_picture_is_what_the_text_gives(source: Path) -> None:
    drawn = document.draw(source)
    assert content(drawn) == content(source.with_suffix(".svg").read_text())
    assert drawn == document.draw(source)


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_a_picture_can_be_read_anywhere(source: Path) -> None:
    svg = source.with_suffix(".svg").read_text()
    assert re.search(r'<title>[a-z_]+</title>\n<polygon fill="white"', svg), "no white ground"
    assert "<!--" not in svg and "<!DOCTYPE" not in svg and "href=" not in svg
    assert set(re.findall(r'font-family="([^"]*)"', svg)) == {document.FONTS}


def tint(colour: str) -> bool:
    """Is this one of the palette's colours, or one of them thinned with white?"""
    given = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    for base in (*COLOUR.values(), GREY):
        full = [int(base[i : i + 2], 16) for i in (1, 3, 5)]
        if any(
            all(abs(255 - k / 100 * (255 - f) - g) <= 3 for f, g in zip(full, given))
            for k in range(5, 101)
        ):
            return True
    return False


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_the_colours_are_those_of_the_charts(source: Path) -> None:
    for colour in re.findall(r'color="([^"]*)"', source.read_text()):
        assert colour in INK or tint(colour), colour
    assert not tint("#7a2fa0") and not tint("#ff0000")


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_a_figure_names_the_one_it_stands_for(source: Path) -> None:
    text = " ".join(re.findall(r"(?m)^// (.*)$", source.read_text()))
    stands_for = r"Corresponds to .*(Bishop & Austin 2021|Dirk 2019|Lee 2021)|iterations/v8"
    assert re.search(stands_for, text)


@needs_dot
def test_a_changed_text_is_another_picture(tmp_path: Path) -> None:
    source = tmp_path / "modexp.dot"
    source.write_text((document.FOLDER / "modexp.dot").read_text().replace("k >> 1", "k >> 2"))
    assert content(document.draw(source)) != content((document.FOLDER / "modexp.svg").read_text())


@needs_dot
def test_a_text_that_is_no_graph(tmp_path: Path) -> None:
    (tmp_path / "x.dot").write_text("digraph {")
    with pytest.raises(Failure, match=r"^dot: [^\n]*syntax error[^\n]*$"):
        document.draw(tmp_path / "x.dot")


def test_without_graphviz(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["figures"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("pages: dot: ") and said.count("\n") == 1
