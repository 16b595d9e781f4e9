"""A reader predicts what a step gains on its page, as `make predict` does at a terminal."""

import json
from pathlib import Path
from typing import Any

import axe
import pytest
from explorer_page import Page
from needs import needs, require
from representatives import mostly_long
from selenium.webdriver.common.keys import Keys

from records import ladder
from records.ladder import LADDER, LEVELS, ROOT
from records.results import Results, load, reference
from rsalab.pages import document, site
from rsalab.steps import predict

pytestmark = [pytest.mark.slow, needs("chromium", "chromedriver", "python:selenium")]
SEEN = (
    "return [...document.querySelectorAll('main > *')].filter((part) => !part.hidden)"
)
WHY = f"{SEEN}.some((part) => part.textContent.startsWith('Why.'))"
RIGHT = ["1.3", "1.2", "1.3"], "shr"  # of v5


@pytest.fixture(scope="module")
def results() -> Results:
    return load(reference(), reference=True)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, results: Results) -> Path:
    """The pages of v3 and v5, with no other beside them."""
    require("pandoc")
    out = tmp_path_factory.mktemp("pages")
    for name in ("v3", "v5"):
        page = site.lesson(ROOT / LADDER / name / "README.md", results)
        content = document.content_of(page.text, page.folder, lambda _: None)
        text = site.whole(page, content, [page])
        (out / page.file).write_text(text, encoding="utf-8")
    return out


@pytest.fixture
def tab(pages: Path, driver: Any) -> Page:
    """The page of v5 as a reader meets it who has never predicted."""
    made = opened(pages, driver, "v5")
    made.run("localStorage.clear()")
    return opened(pages, driver, "v5")


def opened(pages: Path, driver: Any, step: str) -> Page:
    made = Page(driver, pages / f"{step}.html")
    made.load("", 390)
    return made


def type_answer(driver: Any, factors: list[str], function: str) -> None:
    """Answers by keyboard."""
    form = driver.find_element("id", "predict")
    for level, factor in zip(LEVELS, factors):
        form.find_element("name", level).send_keys(factor)
    form.find_element("name", "function").send_keys(function)
    form.find_element("name", LEVELS[0]).send_keys(Keys.ENTER)


def test_the_result_comes_after_the_answer_and_stays(
    pages: Path, driver: Any, tab: Page
) -> None:
    assert not driver.execute_script(WHY)
    assert "21 % (x1.27)" in tab.text("main")  # the parent's share and the cap
    type_answer(driver, *RIGHT)
    for _ in range(2):
        rows = tab.texts("#predicted tbody tr")
        assert len(rows) == 3 and driver.execute_script(WHY)
        assert rows[1] == (
            "v5 -O1x1.20x1.22rightshrx1.40 to x1.60: too high (wrong share)"
        )
        assert predict.RULE in tab.text("#predicted")
        assert not driver.find_element("id", "predict").is_displayed()
        tab = opened(pages, driver, "v5")


def test_the_scoreboard_has_all_steps_and_can_be_forgotten(
    pages: Path, driver: Any, tab: Page
) -> None:
    type_answer(driver, *RIGHT)
    tab = opened(pages, driver, "v3")
    assert tab.text("#predicted caption") == "Your scoreboard"
    type_answer(driver, ["1", ".8", "2"], "less")
    said = predict.SUMMARY.format(levels=6, right=4, named=3, blind=4, author=0)
    assert said in tab.text("#predicted")
    tab.click("#predicted button")
    assert tab.text("#predicted") == "" and not driver.execute_script(WHY)
    assert tab.run("return document.activeElement.name") == LEVELS[0]


@pytest.mark.parametrize("slip", ["", "-1", "1001"])
def test_nonsense_is_no_answer(driver: Any, tab: Page, slip: str) -> None:
    type_answer(driver, ["1.3", slip, "1.3"], "shr")
    assert tab.text("#predicted") == ""
    assert tab.run("return document.activeElement.name") == LEVELS[1]


def test_what_is_kept_by_others_does_no_harm(
    pages: Path, driver: Any, tab: Page
) -> None:
    for kept in ("nonsense", "null", '{"v99": {"factors": {}, "function": "add"}}'):
        tab.run(f"localStorage.setItem('rsa-lab predictions', {json.dumps(kept)})")
        tab = opened(pages, driver, "v5")
        assert driver.find_element("id", "predict").is_displayed()
    assert driver.get_log("browser") == []


def test_page_and_terminal_say_the_same(
    results: Results, driver: Any, tab: Page
) -> None:
    """At factors around both ends of what is right, of every step."""
    answers = {}
    expected = []
    inside = 1.09
    for child in ladder.snapshots():
        if not child.parent:
            continue
        inside = 1 / inside
        found = [predict.found_of(results, child, level).factor for level in LEVELS]
        factors = dict(
            zip(LEVELS, (found[0] * inside, found[1] / 1.11, found[2] * 1.11))
        )
        function = predict.found_of(results, child, LEVELS[1]).most
        answer = predict.Answer(LADDER, child.name, factors, function)
        answers[child.name] = {"factors": factors, "function": function}
        expected += [one.word for one in predict.outcomes(results, child, answer)]
    assert set(expected) == {"right", "too low", "too high"}
    tab.run(f"localStorage['rsa-lab predictions'] = {json.dumps(json.dumps(answers))}")
    driver.refresh()
    words = tab.texts("#predicted .scroll:last-of-type tbody td:nth-child(4)")
    assert words == expected


@pytest.mark.parametrize("dark", mostly_long([False, True], [True]))
def test_the_form_and_the_result_are_accessible(
    driver: Any, tab: Page, dark: bool
) -> None:
    for width in (390, 1280):
        tab.run("localStorage.clear()")
        tab.load("", width, dark)
        assert axe.violations(driver) == []
        type_answer(driver, *RIGHT)
        assert axe.violations(driver) == []
        assert tab.run("return document.documentElement.scrollWidth") <= width
