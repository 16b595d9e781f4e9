"""A checkout with the exercises."""

from pathlib import Path

import pytest
from handed_in import tree


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which the exercises are built once."""
    return tree(tmp_path_factory.mktemp("labs") / "lab")
