"""The site: every page there, every link checked, the same bytes each
time."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlparse

import axe
import links
import page_faults
import policies
import pytest
from explorer_page import Page as Tab
from firefox import Firefox
from needs import needs, require
from representatives import mostly_long
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from records.commands import command
from records.faults import Failure
from records.ladder import ROOT
from records.results import reference
from rsalab.pages import site

TELEPHONE = 390  # pixels
PROGRAMS = (site.EXPLORER, site.LIVE, site.SLIDES, site.SEARCH)
# Their front page, a text, charts, a rung, a notebook, a study, the lecture.
OF_EACH_KIND = (
    "index.html",
    "docs-montgomery.html",
    "report.html",
    "v4.html",
    "01-ladder.html",
    "limit.html",
    site.SLIDES,
)
STUDIES = sorted((ROOT / "studies").glob("*/"))
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the reference results."""
    require("pandoc")
    out = tmp_path_factory.mktemp("a host") / "site"
    site.site(reference(), out)
    return out


@pytest.mark.slow
def test_every_page_is_there_and_every_link_leads_somewhere(made: Path) -> None:
    names = {path.name for path in made.glob("*.html")}
    assert {"index.html", "report.html", "slides.html"} <= names
    documents = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"README"}
    assert {f"docs-{document}.html" for document in documents} | {"docs.html"} <= names
    assert {f"{path.stem}.html" for path in (ROOT / "notebooks").glob("*.py")} <= names
    assert {"v0.html", "v8.html", "06-word-serial-in-c.html"} <= names
    assert links.faults(made) == []


@pytest.mark.slow
def test_every_page_leads_to_every_other(made: Path) -> None:
    front = links.Page(made / "index.html").links
    for path in made.glob("*.html"):
        page = links.Page(path)
        part_of_a_study = any(path.name.startswith(f"{one.name}-") for one in STUDIES)
        assert path.name in ("index.html", *front) or part_of_a_study, path.name
        if path.name == site.LIVE:  # a program, which stands alone
            continue
        assert "index.html" in page.links, path.name
        if path.name not in (site.EXPLORER, site.SLIDES, site.SEARCH):
            assert path.read_text().count('aria-current="page"') == 1
            assert "report.html" in page.links


@pytest.mark.slow
def test_every_study_has_a_page_that_leads_to_all_of_its_parts(made: Path) -> None:
    front = links.Page(made / "index.html").links
    for study in STUDIES:
        page = made / f"{study.name}.html"
        assert page.name in front
        parts = {
            f"{study.name}-{path.parent.name}.html"
            for path in study.glob("*/README.md")
        }
        assert parts <= set(links.Page(page).links)
        assert parts <= {path.name for path in made.glob("*.html")}


@pytest.mark.slow
def test_next_leads_through_a_list_and_previous_back(made: Path) -> None:
    read = ["v0.html"]
    while read[-1] != "v8.html":
        page = (made / read[-1]).read_text()
        read.append(re.search('rel="next" href="(.*?)"', page)[1])
        back = re.search('rel="prev" href="(.*?)"', (made / read[-1]).read_text())
        assert back[1] == read[-2]
    assert read == [f"v{number}.html" for number in range(9)]


@pytest.mark.slow
def test_a_reader_finds_a_phrase_and_what_a_word_means(made: Path, driver: Any) -> None:
    """From the box of any page; no server answers."""
    phrase = "The product whose one factor is 1 gets a function of its own"
    driver.get((made / "v0.html").as_uri())
    box = driver.find_element("css selector", "input[type=search]")
    box.send_keys(phrase)
    box.submit()
    WebDriverWait(driver, 30).until(lambda _: "search.html?q=" in driver.current_url)
    first = driver.find_element("css selector", "#found li")
    assert first.find_element("css selector", "mark").text == phrase
    leads = first.find_element("css selector", "a").get_dom_attribute("href")
    assert leads.startswith(("v4.html", "report.html"))
    misspelt = "?q=montgomry+domain+kept"
    driver.get((made / "search.html").as_uri() + misspelt)
    first = driver.find_element("css selector", "#found a")
    assert "Montgomery domain kept" in first.text
    driver.get((made / "v4.html").as_uri())
    word = driver.find_element("css selector", "a.term")
    driver.execute_script("arguments[0].focus({focusVisible: true})", word)
    shown = "return getComputedStyle(arguments[0], '::after').content"
    assert word.get_dom_attribute("data-means") in driver.execute_script(shown, word)
    line = urlparse(word.get_dom_attribute("href"))
    assert f'<li id="{line.fragment}"' in (made / line.path).read_text()
    assert driver.get_log("browser") == []


@pytest.mark.slow
def test_no_page_tells_where_it_was_made(made: Path) -> None:
    for path in made.glob("*.html"):
        text = path.read_text()
        for place in (str(ROOT), str(made), "build/site-", str(Path.home()) + "/"):
            assert place not in text, f"{path.name}: {place}"


@pytest.mark.slow
def test_every_page_runs_its_own_scripts_alone(made: Path) -> None:
    for path in made.glob("*.html"):
        assert policies.faults(path.read_text()) == [], path.name


def test_a_fault_leaves_the_old_site(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("old")
    with pytest.raises(Failure, match="results/none: no such folder"):
        site.site(Path("results/none"), tmp_path)
    assert (tmp_path / "index.html").read_text() == "old"


def test_another_folder_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert command("site", site.site, ["results/none", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_call_graphs_by_rung_and_level(tmp_path: Path) -> None:
    source, out = tmp_path / "r" / "gprof", tmp_path / "site"
    source.mkdir(parents=True)
    out.mkdir()
    for name in ("v10-O1", "v2-O3", "v2-O0"):
        (source / f"{name}.svg").write_text(SVG)
    (source / "v2-O0.txt").write_text("calls")
    results = SimpleNamespace(folder=tmp_path / "r", label="r", lender=None)
    page = site.call_graphs(results, out)
    order = re.findall(r"\[picture\]\(gprof/(.*?)\)", page.text)
    assert order == ["v2-O0.svg", "v2-O3.svg", "v10-O1.svg"]
    assert sorted(path.name for path in (out / "gprof").iterdir()) == sorted(
        [*order, "v2-O0.txt"]
    )
    assert page.text.count("gprof/v2-O0.txt") == 1
    shutil.rmtree(source)
    with pytest.raises(Failure, match="make gprof"):
        site.call_graphs(results, out)


@pytest.mark.long
def test_axe_finds_nothing_serious_on_any_page(made: Path, driver: Any) -> None:
    for path in sorted(made.glob("*.html")):
        for width, dark in (
            (390, False),
            (1280, False),
            (1280, True),
            (1920, True),
        ):
            Tab(driver, path).load("", width, dark)
            assert axe.violations(driver) == [], (path.name, width, dark)


# Each is one fault that a page must not have.
FAULTY = """<main><h2>Empty</h2><h2>Full</h2><p>Text</p>
<p style="overflow: hidden; width: 3em; white-space: nowrap">Longer than its box</p>
<svg viewBox="0 0 90 20" style="width: 900px"><text y="15">Here</text><text x="80" y="15">Outside</text></svg>
</main>"""
SMALL = """<main><p>Large</p><p style="font-size: 10px">Tiny</p>
<p style="transform: scale(0.5)">Half</p>
<svg viewBox="0 0 900 40" style="width: 300px"><text y="30" font-size="14">Small</text></svg></main>"""


def test_what_a_reader_sees_at_first_sight_is_found(
    driver: Any, tmp_path: Path
) -> None:
    planted = tmp_path / "planted.html"
    planted.write_text(FAULTY)
    tab = Tab(driver, planted)
    tab.load("", 1440)
    empty, cut, outside = tab.run(page_faults.SCRIPT)
    assert empty.endswith(": Empty")
    assert cut.startswith("cut: Longer")
    assert outside.endswith(": Outside")
    planted.write_text(SMALL)
    tab.load("", TELEPHONE)
    small = tab.run(page_faults.SMALL)
    assert [fault.split(": ")[1] for fault in small] == ["Tiny", "Half", "Small"]


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_EACH_KIND)
@pytest.mark.parametrize("width", [TELEPHONE, 1440])
def test_a_page_is_whole(made: Path, driver: Any, name: str, width: int) -> None:
    assert faults_of(Tab(driver, made / name), width) == []


@pytest.mark.long
@pytest.mark.parametrize("width", [TELEPHONE, 1024, 1440])
def test_every_page_is_whole(made: Path, driver: Any, width: int) -> None:
    for path in sorted(made.glob("*.html")):
        assert faults_of(Tab(driver, path), width) == [], path.name


def faults_of(tab: Tab, width: int) -> list[str]:
    """A section without anything, a word that is cut or, on a telephone, under
    eleven pixels; and a page that is wider than its window, or much narrower."""
    tab.load("", width)
    name = tab.run("return location.pathname.split('/').pop()")
    found: list[str] = []
    if name not in PROGRAMS:
        found += tab.run(page_faults.SCRIPT)
    if width == TELEPHONE:
        found += tab.run(page_faults.SMALL)
    if tab.run("return document.documentElement.scrollWidth") > width:
        found.append("wider than the window")
    column = tab.run("return document.querySelector('main, .reveal').offsetWidth")
    if column < min(800, 0.85 * width):
        found.append(f"a column of {column} pixels")
    return found


@pytest.mark.long
@needs("firefox-esr")
def test_firefox_opens_every_page_without_an_error(made: Path, tmp_path: Path) -> None:
    planted = tmp_path / "planted.html"
    planted.write_text(
        "<!DOCTYPE html><meta charset=utf-8><title>A</title><script>nobody();</script>"
    )
    profile = tmp_path / "profile"
    profile.mkdir()
    firefox = Firefox(profile, "firefox-esr")
    try:
        (fault,) = firefox.open(planted.as_uri())
        assert "nobody is not defined" in fault
        for path in sorted(made.glob("*.html")):
            assert firefox.open(path.as_uri()) == [], path.name
            text = "return document.body.innerText.trim().length"
            assert firefox.run(text) > 100, path.name
        firefox.open((made / site.SLIDES).as_uri())
        turned = "vendor.Reveal.next(); return vendor.Reveal.getIndices().h"
        assert firefox.run(turned) == 1
        assert firefox.console() == []
    finally:
        firefox.quit()


# The part that has the focus: its place among those that had it, and whether one sees the focus.
FOCUS = """const part = document.activeElement;
if (part === document.body) return null;
const picture = part.querySelector(":scope > rect");
const stroke = picture ? parseFloat(getComputedStyle(picture).strokeWidth) : 0;
const { outlineStyle, boxShadow } = getComputedStyle(part);
window.stops = window.stops || [];
const number = window.stops.indexOf(part);
if (number < 0) window.stops.push(part);
const seen = outlineStyle !== "none" || boxShadow !== "none" || stroke >= 2;
return [number, seen, part.outerHTML.slice(0, 80)];"""
REACHABLE = """return [...document.querySelectorAll(
    "a[href], button, select, input, summary, textarea, [tabindex]")]
    .filter((part) => part.tabIndex >= 0 && !part.disabled && part.checkVisibility()).length"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", mostly_long(["index.html", "call-graphs.html", "v4.html"], ["v4.html"])
)
def test_the_keyboard_alone_reaches_everything(
    made: Path, driver: Any, name: str
) -> None:
    Tab(driver, made / name).load("", 1440)
    reachable = driver.execute_script(REACHABLE)
    unseen = []
    stops = 0
    for _ in range(reachable + 1):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        focus = driver.execute_script(FOCUS)
        if focus is None or focus[0] >= 0:
            break
        stops += 1
        _, seen, part = focus
        if not seen:
            unseen.append(part)
    assert unseen == []
    assert stops == reachable > 20


def test_programs_that_are_not_built_are_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []

    def gather(folder: Path) -> dict[str, Any]:
        looked.append(folder)
        raise Failure("nothing is built")

    monkeypatch.setattr(site, "gather", gather)
    for _ in range(3):
        assert site.trees(tmp_path) == {}
    assert looked == [tmp_path]
