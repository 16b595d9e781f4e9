"""The slides: a question before each answer, in one file that fetches
nothing; all is legible."""

import base64
import html
import random
import re
from pathlib import Path
from typing import Any

import links
import page_faults
import pytest
from needs import needs

from records.c_functions import definition
from records.ladder import LEVELS, Snapshot, parent_of, snapshots
from records.results import load, reference
from rsalab.pages import code_slides, products, slides

RUNGS = snapshots()


def test_the_pictures_of_a_product_are_right() -> None:
    """Of any numbers: a wrong line would stop them.  Every register of those shown is one digit."""
    draw = random.Random(2026)
    for _ in range(500):
        n = draw.randrange(3, products.BASE, 2)
        list(products.bit_frames(draw.randrange(n), draw.randrange(n), n))
        n = draw.randrange(3, products.BASE**products.WORDS, 2)
        list(products.word_frames(draw.randrange(n), draw.randrange(n), n))
    for frames in (
        products.bit_frames(*products.BY_BITS),
        products.word_frames(*products.BY_WORDS),
    ):
        for frame in frames:
            cells = [cell for row in frame.rows for cell in row.cells]
            assert max(map(len, cells)) == 1, frame
    x, y, n = products.BY_WORDS
    result = x * y * pow(256, -1, n) % n
    assert f"t = {result:02X} = x y / R mod n<" in products.by_words()


def shown_at(block: list[code_slides.Line], now: int) -> list[str]:
    """The lines of a function that a slide shows at a step, but those that are just going."""
    lines = []
    for line, step in zip(block, code_slides.steps_of(block)):
        if line.mark == " " or (line.mark == "+") == (step <= now):
            lines.append(line.text.strip())
    return lines


@pytest.mark.parametrize("rung", [s for s in RUNGS if s.parent], ids=lambda s: s.name)
def test_the_code_grows_from_the_parents_to_the_childs(rung: Snapshot) -> None:
    parent = parent_of(rung)
    found = code_slides.changed_functions(parent, rung)
    if not rung.has_assembly:
        columns = code_slides.columns_of(code_slides.chosen(found))
        assert code_slides.letters(columns) >= 13
    for name, block in found.items():
        if name == "mont.S":
            continue
        texts = []
        for one in (parent, rung):
            whole = [code_slides.text_of(one, file) for file in ("rsa.c", "nat.h")]
            text = "".join(definition(file, name) for file in whole)
            texts.append([line.strip() for line in text.splitlines()])
        before, after = texts
        assert shown_at(block, 0) == before, name
        assert shown_at(block, max(code_slides.steps_of(block))) == after, name


@needs("pandoc")
def test_the_code_is_shown_as_it_is_written() -> None:
    block = [code_slides.Line("+", "    x &= y < 1; /* <b> */", 0)]
    shown = code_slides.block_of([*block, code_slides.Line(" ", "}")], [1, 0])
    assert html.unescape(re.sub("<[^>]*>", "", shown)) == block[0].text + "}"


@pytest.mark.slow
@needs("pandoc")
def test_each_step_asks_before_it_answers() -> None:
    results = load(reference())
    rows = {(row["snapshot"], row["level"]): row for row in results.ladder()}
    for rung in RUNGS[1:]:
        parts = re.split(r"(?m)^(?=## )", slides.of_rung(results, rung))[1:]
        titles = [re.search("## (.*)", text)[1] for text in parts]
        count = next(i for i, t in enumerate(titles) if "count" in t)
        assert rung.idea in titles[0] and "Your prediction" in parts[0]
        assert "code" in titles[1] and count == len(parts) - 1
        for level in LEVELS:
            row = rows[rung.name, level]
            for step, text in (
                (1, f"{row['instructions']:,.0f}"),
                (1, f"x{row['versus_parent']:.2f}"),
            ):
                shown = f'data-fragment-index="{step}">{text}</span>'
                assert shown in parts[count]
        steps = re.findall(r'data-fragment-index="(\d)"', parts[count])
        assert set(steps) == {"1", "2", "3"}
        shown = [text.partition("Notes:")[0] for text in parts[:count]]
        assert not any(f"x{row['versus_parent']:.2f}" in text for text in shown)
        assert "| calls |" in parts[count]


@pytest.mark.parametrize("rung", [s for s in RUNGS if s.parent], ids=lambda s: s.name)
def test_a_count_is_of_the_rung_that_its_title_names(rung: Snapshot) -> None:
    """And each bar is as long as the numbers beside it say."""
    results = load(reference())
    lines = slides.counts(results, rung).split("<tr>")[1:]
    assert re.findall("<th>(v.*?)</th>", lines[0])[:2] == [rung.parent_name, rung.name]
    for line, level in zip(lines[1:], LEVELS, strict=True):
        assert f"<td>-{level}</td>" in line and f"var(--{level})" in line
        before, after = (
            int(number.replace(",", ""))
            for number in re.findall(r">([\d,]{5,})<", line)
        )
        drawn = re.search(r"<i [^>]*width: ([\d.]+)%", line)[1]
        share = min(after / before, slides.WIDEST_BAR) / slides.WIDEST_BAR
        assert float(drawn) == pytest.approx(100 * share, abs=0.06)


@pytest.mark.long
@needs("pandoc", "chromium", "chromedriver")
def test_every_slide_is_legible_and_whole(tmp_path: Path) -> None:
    from explorer_page import browser
    from selenium.webdriver.support.ui import WebDriverWait

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
            const code = part.closest('pre.whole');
            const least = part.closest('svg') ? 15 : code ? 17 : 20;
            const away = code && part !== code  // beyond the part of the function that is seen
                && box.bottom > code.getBoundingClientRect().bottom - 1;
            if (away && part === code.querySelector('.current-fragment')) return true;
            if (away) return false;
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
        last = number - 1
        kept = "const open = window.open; window.open = (...words) => window.speakers = open(...words);"
        driver.execute_script(f"vendor.Reveal.slide({last}); {kept}")
        driver.find_element("tag name", "body").send_keys("s")
        assert len(driver.window_handles) == 2  # the speaker's
        WebDriverWait(driver, 30).until(
            lambda page: (
                "which step would you take first"
                in page.execute_script("return speakers.document.body.textContent")
            )
        )
    finally:
        driver.quit()


@pytest.mark.long
@needs("pandoc", "chromium", "chromedriver")
def test_a_telephone_shows_each_slide_in_legible_letters(
    tmp_path: Path, driver: Any
) -> None:
    """As wide as its screen, and step by step as on a large one."""
    from explorer_page import Page

    out = tmp_path / "slides.html"
    slides.slides(reference(), out)
    page = Page(driver, out)
    page.load("", 390)
    hidden = "return vendor.Reveal.availableFragments().next"
    asked = 0
    for at in range(page.run("return vendor.Reveal.getTotalSlides()")):
        page.run(f"vendor.Reveal.slide({at})")
        asked += page.run(hidden)
        while page.run(hidden):
            page.run("vendor.Reveal.nextFragment()")
        assert page.run(page_faults.SMALL) == [], at
        wide = "return vendor.Reveal.getCurrentSlide().scrollWidth"
        assert page.run(wide) == 390, at
    assert asked > 2 * len(RUNGS)
