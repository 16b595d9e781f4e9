"""Take over a results folder from another board: all of it, or nothing.

`python3 -m harness.exchange.import_results [--name NAME] [--force] DIR` copies the tables,
machine.json and gprof's texts of DIR to results/NAME, by default the platform that machine.json
names.  The copy is checked (harness/exchange/validate.py) before it gets its name, so what was
checked is what stands there.  Pictures of call graphs are drawn here.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from harness import draw, merge
from harness.exchange.folder import copy, names
from harness.exchange.validate import validate
from records.faults import Failure, command_line
from records.files import alone
from records.machine import IMPORTED, is_imported, read_machine, write_machine

RESULTS = Path("results")
OWN = ("local", "farm", "earlier")  # folders that this machine's commands write


def target(name: str, results: Path, force: bool) -> Path:
    """Where the folder goes.  Raises Failure."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", name):
        raise Failure(f"NAME={name[:80]!a}: 64 lower-case letters, digits and . _ - at most")
    if name in OWN:
        raise Failure(f"NAME={name}: results/{name} is for this machine's runs; say another name")
    path = results / name
    if os.path.lexists(path) and not is_imported(path):
        raise Failure(f"{path} was not imported and stays; NAME=... gives another name")
    if path.exists() and not force:
        raise Failure(f"{path} is there already; FORCE=1 replaces it, NAME=... gives another name")
    return path


def refuse(faults: list[str], folder: Path) -> None:
    """Raise Failure with the first fault, if there is one."""
    if faults:
        every = f"`python3 -m harness.exchange.validate {shlex.quote(str(folder))}`"
        more = f" ({len(faults):,} faults; {every} names them)" if faults[1:] else ""
        raise Failure(faults[0] + more)


def adopt(folder: Path, new: Path) -> None:
    """Copy a results folder, check the copy, draw its pictures and mark it.  Raises Failure and
    OSError."""
    for name in names(folder):
        copy(folder / name, new / name)
    refuse(validate(new, str(folder)), folder)
    why_not = draw.missing()
    try:
        drawn = draw.draw(new / "gprof", not why_not)
    except Failure as fault:
        raise Failure(str(fault).replace(str(new), str(folder))) from None
    for line in filter(None, (why_not, f"{drawn} call graphs are drawn" * bool(drawn))):
        print(f"  NOTE    {line}", flush=True)
    moment = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    write_machine(new, {**read_machine(new), IMPORTED: moment})


def take(
    folder: Path, name: str | None = None, force: bool = False, results: Path = RESULTS
) -> Path:
    """Import a folder and return where it stands; what it replaces is kept in results/earlier.
    After Failure or an interruption of the checks nothing is changed."""
    if not folder.is_dir():
        raise Failure(f"DIR={folder}: no such folder")
    if results.resolve() in (folder.resolve(), *folder.resolve().parents):
        raise Failure(f"DIR={folder}: it is in {results} already")
    results.mkdir(exist_ok=True)
    build = results.parent / "build"
    with alone(build / "import.lock"), tempfile.TemporaryDirectory(dir=build) as place:
        new = Path(place, "new")
        names(folder)  # before one is opened
        path = target(name or read_machine(folder)["platform"], results, force)
        adopt(folder, new)
        if path.exists():
            merge.set_aside(path, shutil.move, "results of an earlier import", results / "earlier")
        new.rename(path)
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
