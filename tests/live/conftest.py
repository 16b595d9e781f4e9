"""The live page and its assembler, in a browser."""

from collections.abc import Iterator
from typing import Any

import pytest
from explorer_page import browser
from live_assembler import Assembler
from live_page import wait
from needs import require

from records.ladder import ROOT
from rsalab.live import page


@pytest.fixture(scope="session")
def assembler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assembler]:
    """The assembler as a script of one file, opened from the disk."""
    require("chromium", "chromedriver", "python:selenium")
    driver = browser()
    yield Assembler(driver, tmp_path_factory.mktemp("assembler"))
    driver.quit()


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page, opened from the disk in a folder whose name has a space."""
    require("chromium", "chromedriver", "python:selenium")
    if not (ROOT / "build/flags").exists():
        pytest.skip("nothing is built here; `make check`")
    out = tmp_path_factory.mktemp("a folder") / "live.html"
    out.write_text(page.build(), encoding="utf-8")
    driver = browser()
    driver.get(out.as_uri())
    wait(driver)
    yield driver
    driver.quit()
