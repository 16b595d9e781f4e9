"""The two counters, built from the sources under test."""

from pathlib import Path

import pytest
from counter_build import plugin, unicorn


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with count.so and unicorn.so."""
    folder = tmp_path_factory.mktemp("counters")
    unicorn(folder)
    plugin(folder)
    return folder
