"""Take over a results folder from another board: all of it, or nothing.

`python3 -m harness.exchange.import_results [--name NAME] [--force] DIR` copies DIR to results/NAME,
by default the platform that its machine.json names.  The copy is checked
(harness/exchange/validate.py) before it gets its name, so what was checked is what stands there.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from harness.exchange.validate import validate
from records.faults import Failure, command_line
from records.machine import read_machine

RESULTS = Path("results")


def target(name: str, results: Path, force: bool) -> Path:
    """Where the folder goes.  Raises Failure."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name):
        raise Failure(f"NAME={name}: lower-case letters, digits, dots and dashes only")
    if name == "local":
        raise Failure("NAME=local: results/local is for this machine's own runs; say another name")
    path = results / name
    if path.exists() and not force:
        raise Failure(f"{path} is there already; FORCE=1 replaces it, NAME=... gives another name")
    return path


def copy(folder: Path, new: Path) -> None:
    """Copy the folder's files, and put them on the disk.  Raises OSError, and Failure where
    there is anything but files and folders."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise Failure(f"{path}: neither a file nor a folder")
    shutil.copytree(folder, new, symlinks=True)
    for path in [*new.rglob("*"), new]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def install(new: Path, path: Path, aside: Path) -> None:
    """Give the copy its name; what stood there is moved aside first, and back if that fails."""
    if path.exists():
        path.rename(aside)
    try:
        new.rename(path)
    except OSError:
        if aside.exists():
            aside.rename(path)
        raise


def take(
    folder: Path, name: str | None = None, force: bool = False, results: Path = RESULTS
) -> Path:
    """Import a folder and return where it stands.  After Failure or OSError nothing is changed."""
    if not folder.is_dir():
        raise Failure(f"DIR={folder}: no such folder")
    results.mkdir(exist_ok=True)
    if results.resolve() in (folder.resolve(), *folder.resolve().parents):
        raise Failure(f"DIR={folder}: it is in {results} already")
    with tempfile.TemporaryDirectory(prefix=".import-", dir=results) as place:
        new = Path(place, "new")
        copy(folder, new)
        faults = validate(new, str(folder))
        if faults:
            every = f"`python3 -m harness.exchange.validate {shlex.quote(str(folder))}`"
            more = f" ({len(faults):,} faults; {every} names them)" if faults[1:] else ""
            raise Failure(faults[0] + more)
        path = target(name or read_machine(new)["platform"], results, force)
        new.chmod(0o755)
        install(new, path, Path(place, "old"))
    return path


def main() -> None:
    """Command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--name")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("folder", metavar="DIR")
    options = parser.parse_args()
    if not options.folder:
        raise Failure("say DIR=FOLDER, a results folder from another board")
    path = take(Path(options.folder), options.name or None, options.force)
    print(f"{path}: imported; `make compare M={path.name},local` compares it with your own")


if __name__ == "__main__":
    sys.exit(command_line("import", main))
