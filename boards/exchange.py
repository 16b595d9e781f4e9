"""Results from other machines and for them: tables, machine.json and gprof's texts, by name.

`make import DIR=...` copies these files to results/NAME, by default the platform that machine.json
names: all of them, or nothing.  The copy is checked before it gets its name.  Pictures of call
graphs are drawn here.  `make valid` names the faults of a folder, `make contribute` packs one.
"""

import datetime
import json
import os
import re
import shlex
import shutil
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import gprof
from harness.collect import set_aside
from records import ladder, machine
from records.faults import Failure
from records.files import alone
from records.machine import IMPORTED, is_imported, read_machine, write_machine
from records.results import Results
from records.rows import COLUMNS

# --- what is wrong with a results folder ----------------------------------------------------------

TABLES = tuple("gprof/calls.csv" if name == "calls.csv" else name for name in COLUMNS)


def names(folder: Path, called: str = "") -> list[str]:
    """The files of a folder that are taken, machine.json first.  `called`
    is what the folder is called in a fault.  Raises Failure where one is no
    plain file, which would hang who opens it."""
    if (folder / "gprof").is_symlink():
        raise Failure(f"{called or folder}/gprof: not a plain folder")
    texts = sorted(f"gprof/{path.name}" for path in (folder / "gprof").glob("*.txt"))
    there = [name for name in (machine.FILE, *TABLES, *texts) if os.path.lexists(folder / name)]
    for name in there:
        if not stat.S_ISREG((folder / name).lstat().st_mode):
            raise Failure(f"{called or folder}/{name}: not a plain file")
    return there


def validate(folder: Path, name: str = "") -> list[str]:
    """Every fault of a results folder, `name/file: fault`; [] when there is
    none.  `name` is what the folder is called in them."""
    name = name or str(folder)
    try:
        files = names(folder, name)  # before one is opened
        results = Results(folder, name, read_machine(folder, name))
        if not {*files} & {*TABLES}:
            return [f"{name}: no rows: there is none of {', '.join(TABLES)}"]
        results.check()
        programs, levels = map(json.dumps, (results.machine["programs"], ladder.EVERY_LEVEL))
        found = results.rows(__file__, "faults", programs=programs, levels=levels)
        return [f"{name}/{fault}" for (fault,) in found]
    except Failure as fault:
        return [str(fault)]


def check(folder: Path) -> int:
    """Print the faults of a folder; 1 when there is one."""
    faults = validate(folder)
    print("\n".join(faults) or f"{folder}: whole")
    return 1 if faults else 0


def refuse(faults: list[str], folder: Path) -> None:
    """Raise Failure with the first fault of a folder, if there is one."""
    if faults:
        every = f"`python3 -m boards check {shlex.quote(str(folder))}`"
        more = f" ({len(faults):,} faults; {every} names them)" if faults[1:] else ""
        raise Failure(faults[0] + more)


# --- import ---------------------------------------------------------------------------------------

RESULTS, BUILD = Path("results"), Path("build")
OWN = ("local", "farm", "earlier")  # folders that this machine's commands write


@contextmanager
def workshop() -> Iterator[Path]:
    """An empty folder to make something in, which nobody else uses; it goes
    at the end, and what a killed command left in it at the start."""
    folder = BUILD / "import"
    with alone(BUILD / "import.lock"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def copy(folder: Path, new: Path) -> None:
    """Copy the files that are taken.  Raises Failure and OSError."""
    for name in names(folder):
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, new / name, follow_symlinks=False)


def adopt(folder: Path, new: Path) -> None:
    """Copy a results folder, check the copy, draw its pictures and mark
    it.  Raises Failure and OSError."""
    copy(folder, new)
    refuse(validate(new, str(folder)), folder)
    if (new / "gprof").is_dir():
        print(f"  NOTE    {gprof.draw(new)}", flush=True)
    moment = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    write_machine(new, {**read_machine(new), IMPORTED: moment})


def target(name: str, force: bool) -> Path:
    """Where the folder goes.  Raises Failure."""
    path = RESULTS / name
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", name) or name in OWN:
        form = "64 lower-case letters, digits and . _ - at most, and none of"
        raise Failure(f"NAME={name[:80]!a}: {form} {', '.join(OWN)}")
    if os.path.lexists(path) and not is_imported(path):
        raise Failure(f"{path} was not imported and stays; NAME=... gives another name")
    if path.exists() and not force:
        raise Failure(f"{path} is there already; FORCE=1 replaces it, NAME=... gives another name")
    return path


def take(folder: Path, name: str = "", force: bool = False) -> None:
    """Import a folder; what it replaces is kept in results/earlier.  After
    Failure or an interruption of the checks nothing is changed."""
    if folder == Path() or not folder.is_dir():
        raise Failure(f"DIR={folder}: no such folder; say DIR=FOLDER, results from another board")
    if folder.resolve().is_relative_to(RESULTS.resolve()):
        raise Failure(f"DIR={folder}: it is in {RESULTS} already")
    RESULTS.mkdir(exist_ok=True)
    with workshop() as place:
        names(folder)  # before one is opened
        path = target(name or read_machine(folder)["platform"], force)
        new = place / "new"
        adopt(folder, new)
        if path.exists():
            set_aside(path, "results of an earlier import")
        new.rename(path)
    print(f"{path}: imported; `make compare M={path.name},local` compares it with your own")


# --- contribute -----------------------------------------------------------------------------------


def anonymous(text: str, host: str, home: str) -> str:
    """The text without the name of the machine and the path of the home."""
    if len(home) > 1:
        text = text.replace(home, "/home/user")
    return re.sub(rf"(?<![\w-]){re.escape(host.partition('.')[0])}(?![\w-])", "board", text)


def contribute(folder: Path) -> None:
    """Write build/contribute/PLATFORM-DATE.tar.gz from a results folder.
    Raises Failure, which names the first fault of the results, and OSError."""
    refuse(validate(folder), folder)
    facts, out = read_machine(folder), BUILD / "contribute"
    name = re.sub(r"[^A-Za-z0-9.-]+", "", f"{facts['platform']}-{facts['date']}")
    out.mkdir(parents=True, exist_ok=True)
    with workshop() as place:
        new = place / name
        copy(folder, new)
        for path in (*new.glob("*.json"), *new.glob("gprof/*.txt")):
            text = path.read_text(encoding="utf-8", errors="replace")
            path.write_text(anonymous(text, socket.gethostname(), os.path.expanduser("~")))
        packed = shutil.make_archive(
            str(out / name), "gztar", place, name, owner="root", group="root"
        )
    print(f"{packed}: {os.path.getsize(packed):,} bytes, to be handed on; its receiver unpacks it")
    print("and types `make import DIR=FOLDER`")
