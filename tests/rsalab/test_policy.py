"""The policy of every page that is made here: it names the page's scripts, and allows no other."""

import re
from collections.abc import Callable
from pathlib import Path

import policies
import pytest
from explorer_page import browser
from hangs import wait_until
from needs import needs, require
from selenium.webdriver.common.keys import Keys

from labs import page as classes
from labs.book import Book
from records.ladder import ROOT
from records.policy import sealed
from records.results import reference
from rsalab.explorer import page as explorer
from rsalab.live import page as live
from rsalab.pages import document, site, slides

EMPTY = '<!DOCTYPE html>\n<head>\n<meta charset="utf-8">\n</head>\n<body>{}\n</body>'
SLIDES = "<section>\n\n## {0}\n\n<aside class='notes'>said of {0}</aside>\n</section>\n"


def report(folder: Path, patch: pytest.MonkeyPatch) -> str:
    """`make report`, without the PDF."""
    patch.setattr(document, "write_pdf", lambda page, out: None)
    source = folder / "REPORT.md"
    source.write_text("# A\n")
    document.report(source, folder / "REPORT.html")
    return (folder / "REPORT.html").read_text()


def of_the_site(folder: Path, patch: pytest.MonkeyPatch) -> str:
    """A page of `make site` with scripts."""
    page = site.Page("A", "a.html", "# A\n", folder, scripts=site.SCRIPTS, data={})
    content = document.content_of(page.text, folder, str)
    return site.whole(page, content, [page])


def lecture(folder: Path, patch: pytest.MonkeyPatch) -> str:
    """`make slides`, of two slides."""
    text = SLIDES.format("A") + SLIDES.format("B")
    patch.setattr(slides, "text_of", lambda results: text)
    slides.slides(reference(), folder / "slides.html")
    return (folder / "slides.html").read_text()


def edited(folder: Path, patch: pytest.MonkeyPatch) -> str:
    """`make live`, without a rung."""
    patch.setattr(live, "gather", lambda names: {})
    return live.build()


def explored(folder: Path, patch: pytest.MonkeyPatch) -> str:
    """`make explore`, without a snapshot."""
    return explorer.build({})


def graded(folder: Path, patch: pytest.MonkeyPatch) -> str:
    """`make grade`, of no folder."""
    return classes.of_class(Book(), [], "grades", "", 0)


# The template of each page, and what makes the page.
MAKERS: dict[str, list[Callable[[Path, pytest.MonkeyPatch], str]]] = {
    "rsalab/pages/page.html": [report, of_the_site],
    "rsalab/pages/web/slides.html": [lecture],
    "rsalab/live/page.html": [edited],
    "rsalab/explorer/web/page.html": [explored],
    "labs/page.html": [graded],
}
WITHOUT_SCRIPTS = (report, graded)


def test_every_template_is_tried_here() -> None:
    templates = (*ROOT.glob("rsalab/**/*.html"), *ROOT.glob("labs/*.html"))
    assert {str(path.relative_to(ROOT)) for path in templates} == set(MAKERS)


@pytest.mark.parametrize(
    "make", sum(MAKERS.values(), []), ids=lambda make: make.__name__
)
def test_a_page_runs_its_own_scripts_alone(
    make: Callable[[Path, pytest.MonkeyPatch], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    require("pandoc")
    page = make(tmp_path, monkeypatch)
    assert policies.faults(page) == []
    assert "<script>" in page or make in WITHOUT_SCRIPTS


def test_a_script_of_a_text_is_not_allowed() -> None:
    page = sealed(EMPTY.format("<script>theirs()</script>"), ["ours()"], {"a": 1})
    (fault,) = policies.faults(page)
    assert fault == f"a script has no hash: {policies.named('theirs()')}"
    for spoilt, says in (
        (page.replace("script-src", "script-src 'unsafe-inline'"), "unsafe-inline"),
        (page.replace("; base-uri 'none'", ""), "base-uri"),
        (re.sub("<meta http.*?>", "", page), "0 policies"),
        (page.replace("<body>", "<body onload=theirs()>"), "onload"),
    ):
        assert says in " ".join(policies.faults(spoilt))


@needs("chromium", "chromedriver", "python:selenium", "pandoc")
def test_keys_turn_the_slides_and_open_the_speakers_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That window obeys the policy of the slides."""
    lecture(tmp_path, monkeypatch)
    driver = browser()
    try:
        driver.get((tmp_path / "slides.html").as_uri())
        kept = "const open = window.open; window.open = (...words) => window.speakers = open(...words);"
        driver.execute_script(kept)
        keys = driver.find_element("tag name", "body")
        keys.send_keys(Keys.ARROW_RIGHT)
        assert driver.execute_script("return vendor.Reveal.getIndices().h") == 1
        keys.send_keys("s")
        notes = "return speakers.document.querySelector('.speaker-controls-notes').textContent"
        wait_until(lambda: "said of B" in driver.execute_script(notes), "the notes")
        assert driver.get_log("browser") == []
    finally:
        driver.quit()
