"""No view of anybody's own results has an empty section: what they lack is the reference's."""

import re
from pathlib import Path

import kinds
import pytest
from needs import needs
from representatives import mostly_long

from records.results import NOT_YOURS
from rsalab.live import page as live
from rsalab.pages import site, slides

pytestmark = needs("pandoc")


def test_an_empty_part_is_found() -> None:
    page = "<main><h1>A</h1><h2>B</h2><p>text</p><h2>C</h2><h2>D</h2><img></main><h2>E</h2>"
    assert kinds.empty_parts(page) == ["C"]
    assert kinds.empty_parts(
        "<main><h1>A</h1><p><em>Not measured in these results.</em></main>"
    )


def test_no_part_of_the_live_page_is_empty_before_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "gather", lambda names: {})
    assert kinds.empty_parts(live.build()) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", mostly_long(kinds.KINDS, ["one"]))
def test_the_slides_have_every_step(kind: str, tmp_path: Path) -> None:
    out = tmp_path / "slides.html"
    slides.slides(kinds.make(kind, tmp_path / kind), out)
    page = out.read_text()
    body = page.partition('<div class="slides">')[2].partition("<script")[0]
    assert kinds.empty_parts(body) == []
    steps = set(re.findall(r">(v\d+): the count", body))
    assert steps >= {"v0", "v1", "v7", "v8"}
    assert (NOT_YOURS.capitalize() in page) == (kind == "one")


@pytest.mark.long
@needs("python:nbclient", "python:ipykernel")
@pytest.mark.parametrize("kind", kinds.KINDS)
def test_no_page_of_the_site_has_an_empty_part(kind: str, tmp_path: Path) -> None:
    """The notebooks are among its pages; what is not yours is marked there."""
    out = tmp_path / "site"
    site.site(kinds.make(kind, tmp_path / kind), out)
    pages = {path.name: path.read_text() for path in out.glob("*.html")}
    found = {name: kinds.empty_parts(text) for name, text in pages.items()}
    assert {name: parts for name, parts in found.items() if parts} == {}
    for name in ("06-multiplication.html", "07-openssl.html", "09-limit.html"):
        assert NOT_YOURS in pages[name].lower(), name
    assert NOT_YOURS in pages[site.GRAPHS]
