"""Results from other machines and for them: tables, machine.json and gprof's texts, by name.

`make import DIR=...` copies these files to results/NAME, by default the platform that machine.json
names: all of them, or nothing.  The copy is checked before it gets its name.  Pictures of call
graphs are drawn here.  `make valid` names the faults of a folder, `make contribute` packs one.
"""

import datetime
import os
import re
import shlex
import shutil
import socket
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import gprof
from harness.collect import set_aside
from records import ladder, machine
from records.earlier import convert
from records.faults import Failure
from records.files import alone
from records.machine import IMPORTED, is_imported, read_machine, write_machine
from records.profiles import profiles
from records.results import Results, named
from records.rows import CELL, COLUMNS, OF_CELLS

# --- what is wrong with a results folder ----------------------------------------------------------

CALLS_FILE = "calls.csv"  # whose calls are counted in programs of their own
TABLES = tuple(f"gprof/{name}" if name == CALLS_FILE else name for name in COLUMNS)


def names(folder: Path, called: str = "") -> list[str]:
    """Return the files of a folder that are taken, machine.json first.
    `called` is what the folder is called in a fault.  Raises Failure where
    one is no plain file, which would hang who opens it, and for a text of gprof
    that no reader can show."""
    label = called or str(folder)
    if (folder / "gprof").is_symlink():
        raise Failure(f"{label}/gprof: not a plain folder")
    taken = [machine.FILE, *TABLES]
    for path in profiles(folder, label):
        taken.append(f"gprof/{path.name}")
    found = []
    for name in taken:
        path = folder / name
        if not os.path.lexists(path):
            continue
        if not stat.S_ISREG(path.lstat().st_mode):
            raise Failure(f"{label}/{name}: not a plain file")
        found.append(name)
    return found


def contradictions(results: Results) -> list[str]:
    """Return where the files contradict the snapshots of this checkout,
    machine.json, or themselves.  Raises Failure."""
    return [*cell_faults(results), *program_faults(results), *sum_faults(results)]


def cell_faults(results: Results) -> list[str]:
    """Return a fault for each cell that this checkout does not have, and then
    for each one whose program machine.json does not name.  Raises Failure."""
    programs = results.machine["programs"]
    unknown = []
    without_program: dict[str, str] = {}
    for row in results.rows(__file__, "cells"):
        file = row["file"]
        if file not in OF_CELLS:
            continue
        label = label_of(row)
        if not row["is_here"] or row["level"] not in ladder.EVERY_LEVEL:
            unknown.append(f"{file}: no snapshot and level {label} here")
        elif file != CALLS_FILE and programs.get(label) is None:
            without_program.setdefault(label, file)
    lacking = []
    for label, file in sorted(without_program.items()):
        lacking.append(f"{file}: machine.json has no program for {label}")
    return [*unknown, *lacking]


def program_faults(results: Results) -> list[str]:
    """Return a fault for each cell that was measured of another program than
    machine.json names.  Raises Failure."""
    programs = results.machine["programs"]
    labels = []
    for row in results.rows(__file__, "programs"):
        label = label_of(row)
        named = programs.get(label)
        if named not in (None, row["program"]) and label not in labels:
            labels.append(label)
    return [
        f"provenance.csv: machine.json has another program for {label}"
        for label in labels
    ]


def sum_faults(results: Results) -> list[str]:
    """Return a fault for each total that is not the sum of its symbols.  Raises Failure."""
    faults = []
    for row in results.rows(__file__, "sums"):
        total = "none" if row["total"] is None else row["total"]
        sums = f"total {total} is not the sum of its symbols, {row['parts']}"
        columns = (*CELL, "workload", "metric")
        where = " ".join(row[column] for column in columns)
        faults.append(f"{row['file']}: {sums}: {where}")
    return faults


def label_of(row: sqlite3.Row) -> str:
    """Return the cell of a row as machine.json has it: `iterations/v8/O3`."""
    return "/".join(row[column] for column in CELL)


def validate(folder: Path, name: str = "") -> list[str]:
    """Return every fault of a results folder, `name/file: fault`; [] when there is
    none.  `name` is what the folder is called in them."""
    name = name or str(folder)
    try:
        files = names(folder, name)  # before one is opened
        results = Results(folder, name, read_machine(folder, name))
        if not set(files).intersection(TABLES):
            return [f"{name}: no rows: there is none of {', '.join(TABLES)}"]
        results.check()
        return [f"{name}/{fault}" for fault in contradictions(results)]
    except Failure as fault:
        return [str(fault)]


def check(folder: Path) -> int:
    """Print the faults of a results folder, by its name or path, and return 1 when there is one.
    Raises Failure where there is no such folder."""
    folder = named(folder, Path())
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

RESULTS = Path("results")
BUILD = Path("build")
OWN = ("local", "farm", "earlier")  # folders that this machine's commands write


@contextmanager
def workshop() -> Iterator[Path]:
    """Yield an empty folder to make something in, which nobody else uses; it goes
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
    """Copy the files that are taken, with the heads of today.  Raises Failure and OSError."""
    for name in names(folder):
        copied = new / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, copied, follow_symlinks=False)
    convert(new, str(folder))


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
    """Return where the folder goes.  Raises Failure."""
    path = RESULTS / name
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", name) or name in OWN:
        form = "64 lower-case letters, digits and . _ - at most, and none of"
        raise Failure(f"NAME={name[:80]!a}: {form} {', '.join(OWN)}")
    if os.path.lexists(path) and not is_imported(path):
        raise Failure(f"{path} was not imported and stays; NAME=... gives another name")
    if path.exists() and not force:
        raise Failure(
            f"{path} is there already; FORCE=1 replaces it, NAME=... gives another name"
        )
    return path


def take(folder: Path, name: str = "", force: bool = False) -> None:
    """Import a folder; what it replaces is kept in results/earlier.  After
    Failure or an interruption of the checks nothing is changed."""
    if folder == Path() or not folder.is_dir():
        raise Failure(
            f"DIR={folder}: no such folder; say DIR=FOLDER, results from another board"
        )
    if folder.resolve().is_relative_to(RESULTS.resolve()):
        raise Failure(f"DIR={folder}: it is in {RESULTS} already")
    RESULTS.mkdir(exist_ok=True)
    with workshop() as temporary:
        names(folder)  # before one is opened
        if name:
            target(name, force)
        if not (folder / machine.FILE).exists():
            raise Failure(f"DIR={folder}: no {machine.FILE} in it, so no results")
        path = target(name or read_machine(folder)["platform"], force)
        new = temporary / "new"
        adopt(folder, new)
        if path.exists():
            set_aside(path, "results of an earlier import")
        new.rename(path)
    print(
        f"{path}: imported; `make compare M={path.name},local` compares it with your own"
    )


# --- contribute -----------------------------------------------------------------------------------


def anonymous(text: str, host: str, home: str) -> str:
    """Return the text without the name of the machine and the path of the home."""
    if len(home) > 1:
        text = text.replace(home, "/home/user")
    name = re.escape(host.partition(".")[0])
    return re.sub(rf"(?<![\w-]){name}(?![\w-])", "board", text)


def contribute(folder: Path) -> None:
    """Write build/contribute/PLATFORM-DATE.tar.gz from a results folder, by its name or path.
    Raises Failure, which names the first fault of the results, and OSError."""
    folder = named(folder, Path())
    refuse(validate(folder), folder)
    out = BUILD / "contribute"
    facts = read_machine(folder)
    moment = f"{facts['platform']}-{facts['date']}"
    name = re.sub(r"[^A-Za-z0-9.-]+", "", moment)
    out.mkdir(parents=True, exist_ok=True)
    with workshop() as temporary:
        new = temporary / name
        copy(folder, new)
        host = socket.gethostname()
        home = os.path.expanduser("~")
        for path in (*new.glob("*.json"), *new.glob("gprof/*.txt")):
            text = path.read_text(encoding="utf-8", errors="replace")
            path.write_text(anonymous(text, host, home))
        packed = shutil.make_archive(
            str(out / name), "gztar", temporary, name, owner="root", group="root"
        )
    print(
        f"{packed}: {os.path.getsize(packed):,} bytes, to be handed on; its receiver unpacks it"
    )
    print("and types `make import DIR=FOLDER`")
