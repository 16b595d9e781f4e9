"""The slides: two a rung, in one file that fetches nothing, and none runs over its edges."""

import re
from pathlib import Path

import pytest
from needs import needs

pytest.importorskip("matplotlib")

from records.ladder import ROOT, snapshots  # noqa: E402
from records.results import load, reference
from rsalab import frames
from rsalab.pages import slides
from rsalab.pages.document import Page
from rsalab.report.story import Story

RUNGS = snapshots()


@pytest.fixture(scope="module")
def tale() -> Story:
    """The committed results, without charts."""
    results = load(reference())
    return Story(results, frames.ladder_table(results), RUNGS, {}, ROOT, ROOT, ROOT)


def test_whole_sentences_are_kept() -> None:
    assert slides.short("One two. Three four. Five.", 4) == "One two. Three four."
    assert slides.short("One two three. Four.", 2) == "One two three."


@pytest.mark.parametrize("rung", [s for s in RUNGS if s.parent], ids=lambda s: s.name)
def test_the_code_is_a_change_that_a_slide_has_room_for(rung) -> None:
    text = slides.code(rung)
    lines = text.partition("diff\n")[2].splitlines()[:-1]
    assert 0 < len(lines) <= slides.LINES and max(map(len, lines)) <= slides.COLUMNS
    name = re.match(r"`(.*?)`", text)[1]
    here = (rung.path / name).read_text().splitlines()
    added = [line for line in lines if line[0] == "+"]
    assert added and all(
        any(old.startswith(line[1:].rstrip("…")) for old in here) for line in added
    )


@pytest.mark.slow
def test_a_rung_has_two_slides_with_notes_and_its_numbers(tale: Story) -> None:
    for rung in RUNGS:
        both = slides.of_rung(tale, rung)
        assert len(both) == 2 and all(text.count('<aside class="notes">') == 1 for text in both)
        assert rung.idea in both[0] and all("Ask: " in text for text in both)
        for level, row in frames.cells(tale.ladder, rung.name):
            assert f"| -{level} | {row['instructions']:,.0f} |" in both[1]
            if rung.parent:
                assert f"x{row['versus_parent']:.2f} | {row['verdict']} |" in both[1]


@pytest.mark.long
@needs("pandoc", "chromium", "chromedriver")
def test_no_slide_runs_over(tmp_path: Path) -> None:
    from explorer_page import browser

    out = tmp_path / "slides.html"
    slides.slides(reference(), out)
    assert all(address.startswith("data:") for _, address in Page(out).fetched)
    driver = browser()
    try:
        screen = {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        driver.get(out.as_uri())
        number = driver.execute_script("return vendor.Reveal.getTotalSlides()")
        assert number == 2 * len(RUNGS) + 2
        over = """const slide = vendor.Reveal.getCurrentSlide();
        return [...slide.querySelectorAll('*')].filter((part) => {
            const box = part.getBoundingClientRect();
            return box.height && (box.bottom > innerHeight || box.right > innerWidth
                                  || part.scrollWidth > part.clientWidth + 1 && part.clientWidth);
        }).map((part) => part.tagName + ' ' + part.textContent.slice(0, 40))"""
        for at in range(number):
            driver.execute_script(f"vendor.Reveal.slide({at})")
            assert driver.execute_script(over) == [], at
        driver.find_element("tag name", "body").send_keys("s")
        notes = driver.find_element("css selector", ".speaker-notes")
        assert notes.is_displayed() and "Ask" in notes.text
        assert driver.get_log("browser") == []
    finally:
        driver.quit()
