"""The UML figures: drawn from their .dot, in the common look, the same
wherever they are drawn."""

import re
from pathlib import Path

import pytest
from needs import needs

from records.commands import command
from records.faults import Failure
from rsalab.pages import document

SOURCES = sorted(document.FOLDER.glob("*.dot"))
NAMES = [source.stem for source in SOURCES]
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


@needs_dot
def test_a_text_that_is_no_graph(tmp_path: Path) -> None:
    (tmp_path / "x.dot").write_text("digraph {")
    with pytest.raises(Failure, match=r"^dot: [^\n]*syntax error[^\n]*$"):
        document.draw(tmp_path / "x.dot")


def test_without_graphviz(monkeypatch, capsys) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert command("figures", document.figures, []) == 2
    said = capsys.readouterr().err
    assert said.startswith("figures: dot: ") and said.count("\n") == 1
