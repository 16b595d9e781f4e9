"""`.binder/`: a notebook server in a browser has the packages of this repository and no others."""

import os
import re

from records.ladder import ROOT

BINDER = ROOT / ".binder"
SECTIONS = ("build", "gcc")  # of packages.txt: what `make all-iterations` needs
FOR_ARM = "[armhf]"


def packages_of(section: str) -> list[str]:
    """Return the Debian packages of a section of packages.txt on a machine that is no 32-bit ARM."""
    text = (ROOT / "harness/setup/packages.txt").read_text()
    body = re.search(rf"(?ms)^\[{section}\].*?$(.*?)(?=^\[|\Z)", text)
    assert body
    names = []
    for line in body[1].splitlines():
        first, _, _ = line.partition(";")
        package, _, _ = first.partition("|")
        if package.strip() and not line.startswith("#") and FOR_ARM not in package:
            names.append(package.split()[0])
    return names


def test_binder_has_the_packages_of_the_one_list() -> None:
    wanted = [name for section in SECTIONS for name in packages_of(section)]
    assert (BINDER / "apt.txt").read_text().splitlines() == wanted


def test_binder_has_the_python_packages_of_the_lock_files() -> None:
    for line in (BINDER / "requirements.txt").read_text().splitlines():
        lock = line.removeprefix("-r ")
        assert (BINDER / lock).resolve().name == "requirements.lock", line
        assert (BINDER / lock).is_file(), line


def test_binder_runs_what_it_runs_last() -> None:
    assert os.access(BINDER / "postBuild", os.X_OK)
