"""Checkouts that are built and measured once a run, the order of tests,
the temporary files.

`clone` and `measured` are checkouts of the files under test in a folder
whose path has a space. Each is made once a run; each worker of
pytest-xdist has its own copy, in which make may run.
"""

import contextlib
import fcntl
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone
from driver_build import compile_driver

from records.ladder import ROOT

LEFT = f"{ROOT}/results/local/"  # what a make here leaves
CHECKOUTS = {"clone", "measured"}
OPTIONS = pytest.StashKey[Path]()


def no_leftovers(event: str, arguments: tuple[object, ...]) -> None:
    """No test reads what a make in this checkout has left: it would differ
    elsewhere."""
    if event == "open":
        assert not str(arguments[0]).startswith(LEFT), arguments


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    sys.addaudithook(no_leftovers)
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
    """Tests in a checkout are slow; the modules that have such tests come
    last."""
    last = set()
    for item in items:
        if CHECKOUTS & set(item.fixturenames):
            item.add_marker(pytest.mark.slow)
            last.add(item.path)
    items.sort(key=lambda item: item.path in last)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """The tests of a module go to one worker, and so do the modules of the
    explorer."""
    from xdist.scheduler import LoadScopeScheduling

    class ByModule(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            module = nodeid.partition("::")[0]
            return "explorer" if "test_explorer" in module else module

    config.option.loadscopereorder = False
    return ByModule(config, log)


def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The temporary folder of all workers of this run."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@contextlib.contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Waits until no other worker is in here."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The driver for this machine, compiled."""
    return compile_driver(tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="session")
def first_clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """The checkout that all workers copy."""
    folder = shared(tmp_path_factory)
    with one_at_a_time(folder / "clone.lock"):
        path = folder / "first clone" / "rsa lab"
        return Clone(path) if path.exists() else Clone.of_sources(path)


@pytest.fixture(scope="session")
def clone(first_clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clean checkout, committed to a repository of its own; nothing is
    built."""
    return first_clone.copy(tmp_path_factory.mktemp("clean clone") / "rsa lab")


@pytest.fixture(scope="session")
def measured(first_clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """The same after `make all-iterations`; `said` is what it printed."""
    folder = shared(tmp_path_factory)
    record = folder / "measured.json"
    first = Clone(folder / "first measured" / "rsa lab")
    with one_at_a_time(folder / "measured.lock"):
        if not record.exists():
            ran = first_clone.copy(first.path).make("all-iterations")
            record.write_text(json.dumps([ran.returncode, ran.stdout, ran.stderr]))
    status, first.said, complaints = json.loads(record.read_text())
    assert status == 0, first.said[-2000:] + complaints[-2000:]
    return first.copy(tmp_path_factory.mktemp("measured clone") / "rsa lab")
