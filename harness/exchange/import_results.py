"""Take over a results folder from another board: all of it, or nothing.

`python3 -m harness.exchange.import_results [--name NAME] [--force] DIR` copies DIR to results/NAME, by
default the platform that its machine.json names.  The copy is checked (harness.exchange.valid) before it
gets its name, so what was checked is what stands there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from harness.exchange import valid
from records.faults import Failure

RESULTS = Path("results")


def target(machine: Path, name: str | None, results: Path, force: bool) -> Path:
    """Where the folder goes.  Raises Failure."""
    name = name or json.loads(machine.read_text(encoding="utf-8"))["platform"]
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
        faults = valid.validate(new, str(folder))
        if faults:
            raise Failure(valid.shortened(faults))
        path = target(new / "machine.json", name, results, force)
        new.chmod(0o755)
        install(new, path, Path(place, "old"))
    return path


def main() -> int:
    """Command line; 0, or 2 with what is wrong on stderr."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("folder", metavar="DIR")
    options = parser.parse_args()
    try:
        if not options.folder:
            raise Failure("say DIR=FOLDER, a results folder from another board")
        path = take(Path(options.folder), options.name or None, options.force)
    except (Failure, OSError) as fault:
        print("\n".join(f"import: {line}" for line in str(fault).splitlines()), file=sys.stderr)
        return 2
    print(f"{path}: imported; `make compare M={path.name},local` compares it with your own")
    return 0


if __name__ == "__main__":
    sys.exit(main())
