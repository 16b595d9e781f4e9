"""What is made once a run: checkouts, built and measured, and a browser; the
order of tests; the temporary files.

`clone` and `measured` are checkouts of the files under test in a folder
whose path has a space. Each is made once a run; each worker of
pytest-xdist has its own copy, in which make may run.
"""

import contextlib
import fcntl
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clone import Clone
from driver_build import compile_driver
from explorer_page import browser
from needs import require
from processor_time import ProcessorTime, group_of, seconds_by_group

from records.ladder import ROOT

LEFT = f"{ROOT}/results/local/"  # what a make here leaves
CHECKOUTS = {"clone", "measured"}
OPTIONS = pytest.StashKey[Path]()


def no_leftovers(event: str, arguments: tuple[object, ...]) -> None:
    """No test reads what a make in this checkout has left: it would differ
    elsewhere."""
    if event == "open":
        assert not str(arguments[0]).startswith(LEFT), arguments


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-durations", metavar="CSV", help="list the slow tests")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    sys.addaudithook(no_leftovers)
    config.pluginmanager.register(ProcessorTime())
    for mark in (
        "slow: takes seconds",
        "long: takes minutes; only `make test-long` runs it",
    ):
        config.addinivalue_line("markers", mark)
    if not hasattr(config, "workerinput"):  # the workers inherit it
        base = config._tmp_path_factory.getbasetemp()
        os.environ["TMPDIR"] = tempfile.tempdir = str(base / "other")
        Path(tempfile.tempdir).mkdir()
        config.stash[OPTIONS] = base


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes the folder that pytest shares among runs once it is empty."""
    if base := config.stash.get(OPTIONS, None):
        with contextlib.suppress(OSError):
            if not base.exists():
                (base.parent / "pytest-current").unlink(missing_ok=True)
            base.parent.rmdir()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a checkout are slow.  What takes longest begins, so that no
    worker ends long after the others."""
    for item in items:
        if CHECKOUTS & set(item.fixturenames):
            item.add_marker(pytest.mark.slow)
    seconds = seconds_by_group()
    items.sort(key=lambda item: -seconds[group_of(item.nodeid)])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """The tests of a group go to one worker, whose fixtures they share."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    config.option.loadscopereorder = False
    return ByGroup(config, log)


@contextlib.contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Waits until no other worker is in here."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


Make = Callable[[Path], object]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Make], Path]:
    """A folder of this name that the first worker to ask for it makes, and
    no other."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Make) -> Path:
        folder = shared / name
        with one_at_a_time(shared / f"{name}.lock"):
            if not folder.exists():
                half = shared / f"{name}, half made"
                half.mkdir()
                make(half)
                half.rename(folder)
        return folder

    return made


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The driver for this machine, compiled."""
    return compile_driver(tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="session")
def window() -> Iterator[Any]:
    """A Chromium, started once a worker."""
    require("chromium", "chromedriver", "python:selenium")
    made = browser()
    yield made
    made.quit()


@pytest.fixture
def driver(window: Any) -> Any:
    """The same as nobody has used it."""
    window.get("about:blank")
    window.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    stored = {"origin": "file://", "storageTypes": "all"}
    window.execute_cdp_cmd("Storage.clearDataForOrigin", stored)
    window.get_log("browser")
    return window


@pytest.fixture(scope="session")
def first_clone(once: Callable[[str, Make], Path]) -> Clone:
    """The checkout that all workers copy."""
    folder = once("first clone", lambda path: Clone.of_sources(path / "rsa lab"))
    return Clone(folder / "rsa lab")


@pytest.fixture(scope="session")
def clone(first_clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clean checkout, committed to a repository of its own; nothing is
    built."""
    return first_clone.copy(tmp_path_factory.mktemp("clean clone") / "rsa lab")


@pytest.fixture(scope="session")
def measured(
    first_clone: Clone,
    once: Callable[[str, Make], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Clone:
    """The same after `make all-iterations`; `said` is what it printed."""

    def measure(folder: Path) -> None:
        ran = first_clone.copy(folder / "rsa lab").make("all-iterations")
        assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
        (folder / "said").write_text(ran.stdout)

    folder = once("first measured", measure)
    first = Clone(folder / "rsa lab", (folder / "said").read_text())
    return first.copy(tmp_path_factory.mktemp("measured clone") / "rsa lab")
