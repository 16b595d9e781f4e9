"""A measured checkout with one study in it, and the explorer's page of it,
in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone
from collecting import COLLECT, run
from explorer_page import STATIC, Page, browser, explore
from made_results import add_studies, load_repository, write_repository

from records.ladder import LEVELS
from records.results import Results


@pytest.fixture(scope="session")
def explored(measured: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """The ladder and one study, measured."""
    copy = measured.copy(tmp_path_factory.mktemp("explored") / "rsa lab")
    study = f"studies/{STATIC}"
    ran = copy.make(*(f"build/{study}/{level}/check.ok" for level in LEVELS))
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    rungs = sorted(
        f"iterations/{path.parent.name}"
        for path in copy.path.glob("iterations/*/rsa.c")
    )
    ran = run(copy, *COLLECT[:-2], *rungs, study)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return copy


@pytest.fixture(scope="session")
def built(explored: Clone, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The explorer's page of it."""
    out = tmp_path_factory.mktemp("explorer") / "explorer.html"
    ran = explore(explored.path, explored.path / "results/local", out)
    assert ran.returncode == 0, ran.stderr
    return out


@pytest.fixture(scope="session")
def chromium(built: Path) -> Iterator[Page]:
    """The page in a browser without a window."""
    driver = browser()
    yield Page(driver, built)
    driver.quit()


@pytest.fixture
def page(chromium: Page) -> Iterator[Page]:
    """The same; a test ends with an empty console, policy violations
    included."""
    yield chromium
    chromium.run("localStorage.clear()")
    assert chromium.driver.get_log("browser") == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with the ladder and made-up results of it alone."""
    return write_repository(tmp_path)


@pytest.fixture
def without(root: Path) -> Results:
    """Its results, without the studies."""
    return load_repository(root)


@pytest.fixture
def with_studies(root: Path) -> Results:
    """Its results, with the studies."""
    add_studies(root, root / "results" / "made-up")
    return load_repository(root)
