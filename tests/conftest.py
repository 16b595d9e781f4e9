"""A clean clone in a folder whose path has a space, with its first run of `make all-iterations`."""

import shutil
import subprocess

import pytest
from clone import ROOT, Clone


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """The working tree as git would record it, committed to a repository of its own."""
    path = tmp_path_factory.mktemp("clean clone") / "rsa lab"
    names = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, path / name)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "state under test"]):
        subprocess.run([*git, *command], cwd=path, check=True)
    return Clone(path)


@pytest.fixture(scope="session")
def measured(clone: Clone) -> Clone:
    """The same after `make all-iterations`; `said` is what it printed."""
    ran = clone.make("all-iterations")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    clone.said = ran.stdout
    return clone
