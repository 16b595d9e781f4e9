"""The front page's chart: its data, its policy, and in a browser what a
reader changes."""

import itertools
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlparse

import pytest
from needs import needs

from records.policy import sealed
from records.results import Results, load, reference
from rsalab.pages import site
from rsalab.pages.document import HERE, Content, framed

BODY = f'<div class="chart"><p><img alt=""></p></div>{site.PLACE}'


def page(results: Results, explored: bool = True) -> str:
    """A page with the chart and nothing else."""
    shown = site.chart_data(results, explored)
    scripts = [script.read_text() for script in (site.BASICS, *site.SCRIPTS)]
    return sealed(framed(Content("", "", BODY)), scripts, shown)


def test_the_data_are_the_table(without: Results) -> None:
    found = site.chart_data(without, explored=False)
    rows = [row for row in found["rows"] if row["level"] == "O1"]
    counts = {row["snapshot"]: row["instructions"] for row in rows}
    assert counts == {
        r["snapshot"]: r["instructions"] for r in without.ladder() if r["level"] == "O1"
    }
    assert list(counts) == [rung.name for rung in without.rungs()]


def test_vendored_code_has_its_licences_and_names_no_registry() -> None:
    web = HERE / "web"
    licences = site.LICENCES.read_text()
    packages = json.loads((web / "package-lock.json").read_text())["packages"]
    for name in packages[""]["devDependencies"]:
        version = packages[f"node_modules/{name}"]["version"]
        assert name == "esbuild" or f"{name} {version} (" in licences
    for path in [*web.glob("*.*"), *web.glob("vendor/*")]:
        assert "registry" not in path.read_text().lower(), path
    assert "resolved" not in (web / "package-lock.json").read_text()


@pytest.mark.long
@needs("chromium", "chromedriver", "python:selenium")
def test_the_heading_is_of_what_is_drawn_and_the_axis_has_numbers(
    tmp_path: Path, driver: Any
) -> None:
    """For every metric, baseline and level, of the committed results."""
    from selenium.webdriver.support.ui import Select

    results = load(reference())
    (tmp_path / "index.html").write_text(page(results))
    last = results.rungs()[-1].name
    driver.get((tmp_path / "index.html").as_uri())
    lists = driver.find_elements("css selector", "#chart select")
    choices = [[option.text for option in Select(one).options] for one in lists]
    for level, metric, against in itertools.product(*choices):
        for one, text in zip(lists, (level, metric, against)):
            Select(one).select_by_visible_text(text)
        address = urlparse(driver.current_url).fragment
        chosen = dict(parse_qsl(address))
        assert chosen.get("level", "all") == level.removeprefix("-")
        assert chosen.get("metric", "instructions") == metric
        heading = driver.find_element("css selector", "#chart p").text.replace(
            "\u2011", "-"
        )
        than = "its parent" if against == "the parent" else against
        asked = f"How many times fewer {metric} does each rung have than {than}"
        assert heading.startswith(asked), heading
        point = f"#chart svg:first-child a[aria-label^='{last},']"
        drawn = driver.find_elements("css selector", point)
        labels = [one.get_attribute("aria-label") for one in drawn]
        assert labels or "no factor" in heading
        for label in labels:
            assert label.partition(": ")[2].partition(" against")[0] in heading
        axes = driver.find_elements("css selector", "#chart .grid")
        for axis in axes:
            assert len(axis.find_elements("css selector", "text")) >= 4, heading
    # Who follows the address sees the same chart.
    driver.get("about:blank")
    driver.get(f"{(tmp_path / 'index.html').as_uri()}#{address}")
    again = driver.find_element("css selector", "#chart p").text
    assert again.replace("\u2011", "-") == heading
