"""What looks at single calls."""

import subprocess
from pathlib import Path

import pytest

from records.ladder import ROOT


@pytest.fixture(scope="session")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of the traces."""
    made = tmp_path_factory.mktemp("hooks") / "trace.so"
    source = ROOT / "harness/trace.c"
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", source, "-o", made], check=True)
    return made
