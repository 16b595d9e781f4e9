"""The two counters, built from the sources under test."""

from pathlib import Path

import pytest
from counter_build import library


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with count.so and unicorn."""
    folder = tmp_path_factory.mktemp("counters")
    library("unicorn", folder)
    library("plugin", folder)
    return folder
