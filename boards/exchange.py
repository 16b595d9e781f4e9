"""Take over a results folder from another board: all of it, or nothing.

`python3 -m boards.exchange import [--name NAME] [--force] DIR` copies the tables,
machine.json and gprof's texts of DIR to results/NAME, by default the platform that machine.json
names.  The copy is checked (boards/validate.py) before it gets its name, so what was
checked is what stands there.  Pictures of call graphs are drawn here.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import shlex
import shutil
import socket
import sys
import tarfile
import tempfile
from pathlib import Path

from boards.validate import copy, names, validate
from harness import collect, gprof
from records import machine
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
        every = f"`python3 -m boards.validate {shlex.quote(str(folder))}`"
        more = f" ({len(faults):,} faults; {every} names them)" if faults[1:] else ""
        raise Failure(faults[0] + more)


def adopt(folder: Path, new: Path) -> None:
    """Copy a results folder, check the copy, draw its pictures and mark it.  Raises Failure and
    OSError."""
    for name in names(folder):
        copy(folder / name, new / name)
    refuse(validate(new, str(folder)), folder)
    if (new / "gprof").is_dir():
        print(f"  NOTE    {gprof.draw(new)}", flush=True)
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
            collect.set_aside(
                path, shutil.move, "results of an earlier import", results / "earlier"
            )
        new.rename(path)
    return path


def bring(folder: str, name: str, force: bool) -> None:
    """Import a folder and say what to do with it.  Raises Failure and OSError."""
    if not folder:
        raise Failure("say DIR=FOLDER, a results folder from another board")
    path = take(Path(folder), name or None, force)
    print(f"{path}: imported; `make compare M={path.name},local` compares it with your own")


# --- contribute -----------------------------------------------------------------------------------

TEXTS = ("*.json", "gprof/*.txt")


def anonymous(text: str, host: str, home: str) -> str:
    """The text without the name of the machine, in any form, and the path of the home."""
    text = text.replace(home, "/home/user") if len(home) > 1 else text
    short = host.partition(".")[0]
    for name in filter(None, (host, short)):
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "board", text)
    return text


def member(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """An entry of the archive that tells nothing of its owner."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def pack(folder: Path, out: Path) -> Path:
    """Write OUT/PLATFORM-DATE.tar.gz from a results folder and return it.  Raises Failure, which
    names the first fault of the results, and OSError."""
    if not folder.is_dir():
        raise Failure(f"{folder}: no such folder; `make all-iterations` measures")
    refuse(validate(folder), folder)
    facts = machine.read_machine(folder)
    name = re.sub(r"[^A-Za-z0-9.-]+", "", f"{facts['platform']}-{facts['date']}")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as place:
        new = Path(place, name)
        for file in names(folder):
            copy(folder / file, new / file)
        for path in (path for pattern in TEXTS for path in new.rglob(pattern)):
            said = path.read_text(encoding="utf-8")
            path.write_text(anonymous(said, socket.gethostname(), os.path.expanduser("~")))
        refuse(validate(new, str(folder)), folder)
        archive = Path(place, f"{name}.tar.gz")
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(new, name, filter=member)
        return archive.rename(out / archive.name)


def contribute(folder: Path, out: Path) -> None:
    """Pack a folder and say what to do with the archive.  Raises Failure and OSError."""
    path = pack(folder, out)
    print(f"{path}: {path.stat().st_size:,} bytes, to be handed on; its receiver unpacks it and")
    print("types `make import DIR=FOLDER`")


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(prog="exchange", description="Results from and for others.")
    commands = parser.add_subparsers(required=True, dest="command")
    made = {name: commands.add_parser(name) for name in ("import", "contribute")}
    made["import"].add_argument("--name", default="")
    made["import"].add_argument("--force", action="store_true")
    made["import"].add_argument("folder", metavar="DIR")
    made["contribute"].add_argument("folder", type=Path)
    made["contribute"].add_argument("out", type=Path)
    options = parser.parse_args()
    if options.command == "import":
        bring(options.folder, options.name, options.force)
    else:
        contribute(options.folder, options.out)


if __name__ == "__main__":
    sys.exit(command_line(sys.argv[1] if len(sys.argv) > 1 else "exchange", main))
