"""A small measured checkout, in which commands may be killed and files
spoilt."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone
from two_rungs import checkout, make


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A checkout that has v7 and v8 built and measured, and nothing else."""
    made = Clone(checkout(tmp_path_factory.mktemp("small") / "rsa lab"))
    ran = made.make("v7", "v8")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return made


@pytest.fixture
def copy(small: Clone, tmp_path: Path) -> Iterator[Clone]:
    """A copy of that for one test."""
    made = small.copy(tmp_path / "copy")
    yield made
    shutil.rmtree(made.path)


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which v8 is built and checked at -O1."""
    path = checkout(tmp_path_factory.mktemp("a folder") / "lab")
    ran = make(path, "build/iterations/v8/O1/check.ok", "LEVELS=O1")
    assert ran.returncode == 0, ran.stderr
    return path
