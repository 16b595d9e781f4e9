"""Take over a results folder from another board: all of it, or nothing.

`python3 -m harness.exchange.import_results [--name NAME] [--force] DIR` copies DIR to results/NAME,
by default the platform that its machine.json names.  Kinds and sizes of its files are looked at
before one is opened; the copy is checked (harness/exchange/validate.py) before it gets its name, so
what was checked is what stands there.  Pictures of call graphs are drawn again, from the texts.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.calls import draw
from harness.exchange.folder import HOST, copy, picture_faults, strangers, survey
from harness.exchange.validate import note, validate
from harness.progress import bytes_done
from records.faults import Failure, command_line
from records.files import exchange
from records.lock import alone
from records.machine import FILE, IMPORTED, is_imported, read_machine, write_machine

RESULTS = Path("results")
OWN = ("local", "farm")  # folders that this machine's commands write
LEFT = (HOST, "charts/")  # of another compiler; made anew by `make report`
PREFIX = "import-"


def target(name: str, results: Path, force: bool) -> Path:
    """Where the folder goes.  Raises Failure."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", name):
        raise Failure(f"NAME={name[:80]!a}: 64 lower-case letters, digits, dots and dashes at most")
    if name in OWN:
        raise Failure(f"NAME={name}: results/{name} is for this machine's runs; say another name")
    path = results / name
    if (path.exists() or path.is_symlink()) and not force:
        raise Failure(f"{path} is there already; FORCE=1 replaces it, NAME=... gives another name")
    if (path / FILE).exists() and not is_imported(path):
        raise Failure(f"{path} was measured here and stays; NAME=... gives another name")
    return path


@contextmanager
def workshop(results: Path) -> Iterator[Path]:
    """A folder for the copy, that of one import at a time.  What a killed import has left is put
    back or removed.  Raises Failure and OSError."""
    build = results.parent / "build"
    with alone(build / "import.lock"):
        for left in build.glob(f"{PREFIX}*/"):
            for old in left.glob("old/*/"):
                if not (results / old.name).exists():
                    old.rename(results / old.name)
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(prefix=PREFIX, dir=build) as place:
            yield Path(place)


def refuse(faults: list[str], folder: Path) -> None:
    """Raise Failure with the first fault, if there is one."""
    if faults:
        every = f"`python3 -m harness.exchange.validate {shlex.quote(str(folder))}`"
        more = f" ({len(faults):,} faults; {every} names them)" if faults[1:] else ""
        raise Failure(faults[0] + more)


def adopt(folder: Path, new: Path) -> None:
    """Copy a results folder and check the copy, draw its pictures, mark and seal it.  Raises
    Failure and OSError."""
    names = [name for name in survey(folder)[0] if not name.startswith(LEFT)]
    size = sum((folder / name).stat().st_size for name in names)
    new.mkdir()
    with bytes_done(f"copying {folder}", size) as advance:
        for name in names:
            copy(folder / name, new / name)
            advance((new / name).stat().st_size)
    print(f"  CHECK   {len(names):,} files, {size:,} bytes", flush=True)
    refuse(validate(new, str(folder)), folder)
    said, why_not = note(new), draw.missing()
    for picture in new.glob("gprof/*.svg"):
        picture.unlink()
    try:
        drawn = draw.draw(new / "gprof", not why_not)
    except Failure as fault:
        raise Failure(str(fault).replace(str(new), str(folder))) from None
    refuse([f"{folder}/{file}: {wrong}" for file, wrong in picture_faults(new / "gprof")], folder)
    for line in filter(None, (said, why_not, f"{drawn} call graphs are drawn again" * bool(drawn))):
        print(f"  NOTE    {line}", flush=True)
    moment = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    write_machine(new, {**read_machine(new), IMPORTED: moment})


def take(
    folder: Path, name: str | None = None, force: bool = False, results: Path = RESULTS
) -> Path:
    """Import a folder and return where it stands.  After Failure, OSError or an interruption
    nothing is changed."""
    if not folder.is_dir():
        raise Failure(f"DIR={folder}: no such folder")
    if results.resolve() in (folder.resolve(), *folder.resolve().parents):
        raise Failure(f"DIR={folder}: it is in {results} already")
    results.mkdir(exist_ok=True)
    with workshop(results) as place:
        new, old = place / "new", place / "old"
        refuse(strangers(folder, str(folder)), folder)
        target(name or read_machine(folder)["platform"], results, force)  # before all is copied
        adopt(folder, new)
        path = target(name or read_machine(new)["platform"], results, force)
        os.sync()  # the copy is on the disk before it gets its name
        if path.exists() and exchange(new, path):
            return path
        old.mkdir()
        try:  # in two steps, on a file system that has no exchange
            if path.exists():
                path.rename(old / path.name)
            new.rename(path)
        except BaseException:
            if (old / path.name).exists():
                (old / path.name).rename(path)
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
