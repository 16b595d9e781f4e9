"""The slides: a question before each answer, in one file that fetches
nothing; all is legible."""

import base64
import random
import re
from pathlib import Path

import links
import pytest
from needs import needs

from records.ladder import LEVELS, snapshots
from records.results import load, reference
from rsalab.pages import products, slides

RUNGS = snapshots()


def test_the_pictures_of_a_product_are_right() -> None:
    """Of any numbers: a wrong line would stop them."""
    draw = random.Random(2026)
    for _ in range(500):
        n = draw.randrange(3, products.BASE, 2)
        list(products.rounds(draw.randrange(n), draw.randrange(n), n))
        n = draw.randrange(3, products.BASE**products.WORDS, 2)
        list(products.word_rounds(draw.randrange(n), draw.randrange(n), n))
    x, y, n = products.BY_WORDS
    result = x * y * pow(256, -1, n) % n
    assert f"mod n = {result:02X}<" in products.by_words()
    lecture = slides.text_of(load(reference()))
    assert f"x = {x:X}, y = {y:X}, n = {n:X}" in lecture
    assert "x = {}, y = {}, n = {}, R = 16".format(*products.BY_BITS) in lecture


def test_whole_sentences_are_kept() -> None:
    assert slides.short("One two. Three four. Five.", 4) == "One two. Three four."
    assert slides.short("One two three. Four.", 2) == "One two three."


@pytest.mark.parametrize("rung", [s for s in RUNGS if s.parent], ids=lambda s: s.name)
def test_the_code_is_a_change_that_two_slides_have_room_for(rung) -> None:
    """All lines of code that are added, or as many as there is room for."""
    pages = [
        text.partition("diff\n")[2].partition("\n```")[0] for text in slides.code(rung)
    ]
    assert 0 < len(pages) <= 2
    lines = [line for page in pages for line in page.splitlines()]
    assert max(map(len, lines)) <= slides.SLIDE_COLUMNS
    changed = [line[1:] for line in lines if line[:1] in ("+", "-")]
    assert not any(re.match(r"\s*(/\*|\*[ /]|//|@|$)", line) for line in changed)
    shown = {line[1:].strip() for line in lines if line[:1] == "+"}
    added = {line[1:].strip() for _, all_of in slides.hunks(rung) for line in all_of
             if line[0] == "+"}  # fmt: skip
    left = int(
        (re.findall(r"but for (\d+) of its lines", slides.code(rung)[-1]) or [0])[0]
    )
    assert added <= shown or left and len(lines) > slides.SLIDE_LINES + 10


@pytest.mark.slow
def test_each_step_asks_before_it_answers() -> None:
    results = load(reference())
    rows = {(row["snapshot"], row["level"]): row for row in results.ladder()}
    for rung in RUNGS[1:]:
        parts = re.split(r"(?m)^(?=## )", slides.of_rung(results, rung))[1:]
        titles = [re.search("## (.*)", text)[1] for text in parts]
        count = next(i for i, t in enumerate(titles) if "count" in t)
        assert rung.idea in titles[0] and "Your prediction" in parts[0]
        assert "code" in titles[1] and count == len(parts) - 1
        assert parts[count].count('<div class="fragment">') == 1
        for level in LEVELS:
            row = rows[rung.name, level]
            assert f"| -{level} | {row['instructions']:,.0f} |" in parts[count]
            assert f"x{row['versus_parent']:.2f} | {row['verdict']} |" in parts[count]
        shown = [text.partition("Notes:")[0] for text in parts[:count]]
        assert not any(f"x{row['versus_parent']:.2f}" in text for text in shown)
        assert "| calls |" in parts[count]


@pytest.mark.long
@needs("pandoc", "chromium", "chromedriver")
def test_every_slide_is_legible_and_whole(tmp_path: Path) -> None:
    from explorer_page import browser

    out = tmp_path / "slides.html"
    slides.slides(reference(), out)
    assert all(address.startswith("data:") for address in links.Page(out).fetched)
    driver = browser()
    try:
        screen = {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        driver.get(out.as_uri())
        number = driver.execute_script("return vendor.Reveal.getTotalSlides()")
        assert 30 <= number <= 40
        charts = driver.find_elements("css selector", ".chart svg")
        places = "return vendor.Reveal.getIndices(arguments[0].closest('section')).h"
        drawn = [driver.execute_script(places, chart) for chart in charts]
        assert drawn[0] == 0 and drawn[-1] == number - 1
        over = """const slide = vendor.Reveal.getCurrentSlide();
        return [...slide.querySelectorAll('*')].filter((part) => {
            const box = part.getBoundingClientRect();
            const text = [...part.childNodes].some((one) => one.nodeType == 3 && one.data.trim());
            const scale = part.getScreenCTM ? part.getScreenCTM().a : 1;
            const least = part.closest('svg, pre.whole') ? 13 : 20;
            const small = text && scale * parseFloat(getComputedStyle(part).fontSize) < least;
            return box.height && (box.bottom > innerHeight || box.right > innerWidth || small
                                  || !part.closest('svg') && part.clientWidth
                                  && part.scrollWidth > part.clientWidth + 1);
        }).map((part) => part.tagName + ' ' + part.textContent.slice(0, 40))"""
        for at in range(number):
            driver.execute_script(f"vendor.Reveal.slide({at})")
            assert driver.execute_script(over) == [], at
            while driver.execute_script(
                "return vendor.Reveal.availableFragments().next"
            ):
                driver.execute_script("vendor.Reveal.nextFragment()")
                assert driver.execute_script(over) == [], at
        shown = "return getComputedStyle(document.querySelector('aside.notes')).display"
        assert driver.execute_script(shown) == "none"
        assert driver.get_log("browser") == []
        for paper in ({"paperWidth": 8.27, "paperHeight": 11.69}, {}):  # A4, Letter
            made = driver.execute_cdp_cmd("Page.printToPDF", paper)
            pages = re.findall(rb"/Type ?/Page\b", base64.b64decode(made["data"]))
            assert len(pages) == number
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert (
            driver.execute_script(shown.replace("aside.notes", ".speaker-notes"))
            == "none"
        )
        driver.find_element("tag name", "body").send_keys("s")
        assert len(driver.window_handles) == 2  # the speaker's
    finally:
        driver.quit()
