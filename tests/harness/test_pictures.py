"""Pictures of call graphs from elsewhere: they draw, and nothing else."""

from pathlib import Path

import pytest
from foreign import REFERENCE
from needs import needs

from harness.calls import draw
from harness.exchange.folder import picture, picture_fault, picture_faults
from records.faults import Failure

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'
XHTML = "http://www.w3.org/1999/xhtml"
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "script of another prefix": '<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>',
    "script of HTML": f'<h:script xmlns:h="{XHTML}">alert(1)</h:script>',
    "picture of HTML": f'<h:img xmlns:h="{XHTML}" src="x" onerror="alert(1)"/>',
    "no name space": '<script xmlns="">alert(1)</script>',
    "handler": '<g onload="alert(1)"/>',
    "spaced handler": '<g onload = "alert(1)"/>',
    "handler on a line of its own": '<g\nonload\n=\n"alert(1)"/>',
    "handler in capitals": '<g ONLOAD="alert(1)"/>',
    "handler of another name space": '<g x:onload="alert(1)" xmlns:x="y"/>',
    "foreign object": "<foreignObject><g/></foreignObject>",
    "image": '<image xlink:href="http://example.org/x.png"/>',
    "use": '<use href="#x"/>',
    "link": '<a href="javascript:alert(1)"><text>x</text></a>',
    "old link": '<a xlink:href="javascript:alert(1)"><text>x</text></a>',
    "style sheet": "<style>@import 'http://example.org/x.css';</style>",
    "style": '<g style="background:url(http://example.org/x)"/>',
    "paint": '<path d="M0 0" fill="url(http://example.org/x#y)"/>',
    "paint in capitals": '<path d="M0 0" fill="URL(#y)"/>',
    "paint by an escape": '<path d="M0 0" fill="u\\72l(#y)"/>',
    "animation": '<set attributeName="onmouseover" to="alert(1)"/>',
    "base": '<g xml:base="http://example.org/"/>',
    "processing": "<?xml-stylesheet href='x.css'?>",
    "not closed": "<g>",
}
WHOLE = {
    "document type": f'<!DOCTYPE svg [<!ENTITY x "y">]>{HEAD.format("")}'.encode(),
    "declaration": f'<?xml version="1.0" encoding="UTF-7"?>{HEAD.format("")}'.encode(),
    "sixteen bits": HEAD.format("<script/>").encode("utf-16"),
    "latin": HEAD.format("<title>\u00e9</title>").encode("latin-1"),
    "HTML": b"<html><body>x</body></html>",
    "deep": HEAD.format("<g>" * 20_000 + "</g>" * 20_000).encode(),
    "nothing": b"",
}


def test_what_graphviz_draws_is_a_picture() -> None:
    found = sorted((REFERENCE / "gprof").glob("*.svg"))
    assert found and not [path.name for path in found if picture_fault(path.read_bytes())]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_does_more_is_none(name: str, tmp_path: Path) -> None:
    text = HEAD.format(HOSTILE[name])
    assert picture_fault(text.encode())
    (tmp_path / "v0-O1.svg").write_text(text)
    with pytest.raises(Failure, match="gprof/v0-O1.svg: "):
        picture(tmp_path / "v0-O1.svg")


@pytest.mark.parametrize("name", [*WHOLE])
def test_nor_what_is_written_otherwise(name: str) -> None:
    said = picture_fault(WHOLE[name])
    assert name == "deep" or said  # depth alone is no fault, as long as nothing breaks
    assert said.isprintable()


def test_a_link_is_no_picture(tmp_path: Path) -> None:
    (tmp_path / "v0-O1.svg").symlink_to(REFERENCE / "gprof" / "v0-O1.svg")
    with pytest.raises(Failure):
        picture(tmp_path / "v0-O1.svg")


@needs("dot", "python:gprof2dot")
@pytest.mark.parametrize(
    "head",
    [
        'v8", URL="javascript:alert(1)", x="',
        'v8\\", URL="javascript:alert(1)',
        'v8\\\\", URL="javascript:alert(1)',
        "v8\\",
        'v8"; node [URL="javascript:alert(1)"]; "',
        "v8<script>alert(1)</script>&quot;",
    ],
)
def test_a_text_cannot_draw_anything_else(head: str) -> None:
    """Heads and names of a text from elsewhere stay texts in the picture that is drawn here."""
    text = (REFERENCE / "gprof" / "v8-O3.txt").read_text()
    text = head + text[2:].replace("mont_mul", 'x"URL="javascript:alert(1)')
    drawn = draw.svg(text)
    assert not picture_fault(drawn.encode()) and "href=" not in drawn


def test_a_picture_is_of_its_text(tmp_path: Path) -> None:
    folder = tmp_path / "gprof"
    folder.mkdir()
    (folder / "v0-O1.svg").write_text(HEAD.format(""))
    (folder / "v0-O1.txt").write_text("another\n")
    ((name, said),) = picture_faults(folder)
    assert name == "gprof/v0-O1.svg" and "v0-O1.txt" in said
