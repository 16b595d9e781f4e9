"""The assembler of the live page, in a browser."""

from collections.abc import Iterator

import pytest
from explorer_page import browser
from live_assembler import Assembler
from needs import require


@pytest.fixture(scope="session")
def assembler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assembler]:
    """The assembler as a script of one file, opened from the disk."""
    require("chromium", "chromedriver", "python:selenium")
    driver = browser()
    yield Assembler(driver, tmp_path_factory.mktemp("assembler"))
    driver.quit()
