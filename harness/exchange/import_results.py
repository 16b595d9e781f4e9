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
from harness.progress import bytes_done
from records.faults import Failure, command_line
from records.machine import read_machine

RESULTS = Path("results")
BLOCK = 1 << 20  # bytes


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
    """Copies a folder; shows how far it is.  Raises Failure, OSError."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]

    def copy_file(source: str, to: str) -> None:
        if not Path(source).is_file():
            raise Failure(f"{source}: neither a file nor a folder; remove it, then import again")
        with open(source, "rb") as old, open(to, "wb") as made:
            while block := old.read(BLOCK):
                made.write(block)
                advance(len(block))
        shutil.copystat(source, to)

    with bytes_done(f"copying {folder}", sum(path.stat().st_size for path in files)) as advance:
        shutil.copytree(folder, new, symlinks=True, copy_function=copy_file)


def take(
    folder: Path, name: str | None = None, force: bool = False, results: Path = RESULTS
) -> Path:
    """Import a folder and return where it stands.  After Failure or OSError nothing is changed."""
    if not folder.is_dir():
        raise Failure(f"DIR={folder}: no such folder")
    results.mkdir(exist_ok=True)
    if results.resolve() in (folder.resolve(), *folder.resolve().parents):
        raise Failure(f"DIR={folder}: it is in {results} already")
    target(name or read_machine(folder)["platform"], results, force)  # before anything is copied
    with tempfile.TemporaryDirectory(prefix=".import-", dir=results) as place:
        new, old = Path(place, "new"), Path(place, "old")
        copy(folder, new)
        faults = validate(new, str(folder))
        if faults:
            every = f"`python3 -m harness.exchange.validate {shlex.quote(str(folder))}`"
            more = f" ({len(faults):,} faults; {every} names them)" if faults[1:] else ""
            raise Failure(faults[0] + more)
        path = target(name or read_machine(new)["platform"], results, force)
        new.chmod(0o755)
        os.sync()  # the copy is on the disk before anything makes room for it
        if path.exists():
            path.rename(old)
        try:
            new.rename(path)
        except OSError:
            if old.exists():
                old.rename(path)
            raise
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
