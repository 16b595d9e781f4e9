"""A small measured checkout, in which commands may be killed and files
spoilt."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone


@pytest.fixture(scope="session")
def small(measured: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A checkout that has v7 and v8 built and measured, and nothing else."""
    copy = measured.copy(tmp_path_factory.mktemp("small") / "copy")
    other = ("iterations/v[0-6]", "gprof", "studies", "host", "explorer*")
    for folder in (path for name in other for path in copy.path.glob(f"build/{name}")):
        shutil.rmtree(folder) if folder.is_dir() else folder.unlink()
    shutil.rmtree(copy.path / "results/local")  # which has the others, too
    assert copy.make("v7", "v8").returncode == 0
    return copy


@pytest.fixture
def copy(small: Clone, tmp_path: Path) -> Iterator[Clone]:
    """A copy of that for one test."""
    made = small.copy(tmp_path / "copy")
    yield made
    shutil.rmtree(made.path)
