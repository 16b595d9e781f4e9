"""What a results folder may consist of: names, kinds of file, sizes, pictures, seals.

survey() opens nothing, so that a pipe or a device of an unknown folder hangs nobody.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from harness.calls import draw
from records import machine
from records.faults import Failure
from records.rows import SCHEMAS

CALLS = "gprof/calls.csv"
TABLES = (*(name for name in SCHEMAS if name != "calls.csv"), CALLS)
HOST = "host/"  # a results folder in a folder: the numbers of another compiler
FILES = re.compile(
    f"({HOST})?({'|'.join(map(re.escape, (*TABLES, machine.FILE)))}"
    r"|charts/\w[\w.-]*\.svg|gprof/\w[\w.-]*\.(svg|txt))"
)
FOLDERS = re.compile(f"({HOST})?(gprof|charts)|host")
MOST = 2000  # files
KIB, MIB = 2**10, 2**20
LARGEST = {".csv": 64 * MIB, ".json": machine.LARGEST, ".svg": MIB, ".txt": 64 * KIB}
TOTAL = 256 * MIB
Named = tuple[str, str]  # file, what is wrong with it

# What Graphviz draws a call graph with.
ELEMENTS = "svg g title a polygon polyline path ellipse text".split()
ATTRIBUTES = """
    class id transform width height viewBox fill stroke stroke-width stroke-dasharray points d x y
    cx cy rx ry font-family font-size font-weight text-anchor style
""".split()
SVG, TITLE = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}title"
STYLES = ("", "max-width:100%;height:auto")
VALUE = re.compile(r"[\w #.,;:%()+-]*")


def survey(folder: Path) -> tuple[dict[str, int], list[Named]]:
    """The bytes of every file of a results folder by its name, and what does not belong there or is
    too large.  Stops at the first file beyond MOST.  Raises OSError."""
    sizes: dict[str, int] = {}
    faults: list[Named] = []
    for name, status in _walk(folder, ""):
        if stat.S_ISDIR(status.st_mode) and FOLDERS.fullmatch(name):
            continue
        if stat.S_IFMT(status.st_mode) not in (stat.S_IFREG, stat.S_IFDIR):
            faults.append((name, "neither a file nor a folder; remove it"))
        elif not stat.S_ISREG(status.st_mode) or not FILES.fullmatch(name):
            faults.append((name, "not part of a results folder"))
        elif status.st_size > LARGEST[Path(name).suffix]:
            faults.append((name, f"larger than {LARGEST[Path(name).suffix]:,} bytes"))
        sizes[name] = status.st_size
        if len(sizes) > MOST:
            return sizes, [("", f"more than {MOST:,} files"), *faults]
    if sum(sizes.values()) > TOTAL:
        faults.append(("", f"larger than {TOTAL:,} bytes"))
    return sizes, faults


def strangers(folder: Path, name: str) -> list[str]:
    """Every fault that shows before a file is opened.  `name` is what the folder is called."""
    found = [(f"/{file}" if file else "", said) for file, said in survey(folder)[1]]
    return [f"{name}{file if file.isprintable() else ascii(file)}: {said}" for file, said in found]


def faults(folder: Path, facts: dict[str, object]) -> Iterator[Named]:
    """What is wrong with files that are no tables, and with the seals."""
    yield from picture_faults(folder / "gprof")
    yield from text_faults(folder / "gprof")
    yield from seal_faults(folder, facts)


def _walk(folder: Path, below: str) -> Iterator[tuple[str, os.stat_result]]:
    """(name, status) of all in a folder, of links themselves; a folder that does not belong there
    is not entered."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        name = below + entry.name
        yield name, entry.stat(follow_symlinks=False)
        if entry.is_dir(follow_symlinks=False) and FOLDERS.fullmatch(name):
            yield from _walk(Path(entry.path), f"{name}/")


def copy(source: Path, target: Path) -> None:
    """Copy a plain file, whatever has become of it since the survey.  Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    number = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(f"{source}: changes while it is copied")
        target.write_bytes(file.read(LARGEST[source.suffix]))


def picture_fault(data: bytes) -> str:
    """What is wrong with a picture of a call graph; empty if nothing.  It consists of what Graphviz
    draws with: nothing in it runs, fetches or leads anywhere."""
    try:
        text = data.decode("utf-8")
        if not text.startswith("<") or "<!DOCTYPE" in text or "<?" in text:
            return "a picture begins with <svg and declares nothing"
        for element in ElementTree.fromstring(text).iter():
            tag = str(element.tag)
            if tag.removeprefix(SVG) not in ELEMENTS or not tag.startswith(SVG):
                return f"a picture has no element {tag[-60:]!a}"
            for name, value in element.items():
                if name != TITLE and (name not in ATTRIBUTES or not VALUE.fullmatch(value)):
                    return f"a picture has no attribute {name[-60:]!a} of this value"
                if "url" in value.lower() and name != TITLE:
                    return "a picture fetches nothing"
            if element.get("style", "") not in STYLES:
                return "a picture has no style of its own"
    except (ValueError, ElementTree.ParseError, RecursionError):
        return "not a picture"
    return ""


def picture(path: Path) -> str:
    """A picture of gprof/ for a reader to show.  Raises Failure when it does more than to draw, and
    OSError."""
    plain = FILES.fullmatch(f"gprof/{path.name}") and path.is_file() and not path.is_symlink()
    data = path.read_bytes() if plain else b""
    if fault := picture_fault(data):
        raise Failure(f"gprof/{path.name}: {fault}; remove it, and `make gprof` draws it again")
    return data.decode("utf-8")


def picture_faults(folder: Path) -> Iterator[Named]:
    """(file, fault) of the pictures in gprof/.  A picture is of the text beside it."""
    for path in sorted(folder.glob("*.svg")):
        beside, data = path.with_suffix(".txt"), path.read_bytes()
        fault = picture_fault(data)
        if fault:
            yield f"gprof/{path.name}", fault
        elif not beside.exists() or not data.startswith(draw.stamp(beside.read_text()).encode()):
            yield f"gprof/{path.name}", f"not drawn from {beside.name}"


def text_faults(folder: Path) -> Iterator[Named]:
    """(file, fault) of gprof's texts, which are plain ones."""
    for path in sorted(folder.glob("*.txt")):
        text = path.read_bytes().decode("ascii", "replace")
        if not text.replace("\n", "").replace("\t", "").isprintable() or "\ufffd" in text:
            yield f"gprof/{path.name}", "not a plain text"


def seal_faults(folder: Path, facts: dict[str, object]) -> Iterator[Named]:
    """(file, fault) of what has changed, gone or come since machine.json sealed the folder."""
    there = machine.seals(folder)
    sealed = facts.get(machine.SEALS, there)
    if not isinstance(sealed, dict):
        yield machine.FILE, f"'{machine.SEALS}' is no object"
        return
    for name in sorted(sealed.keys() | there.keys()):
        if name not in there:
            yield name, f"missing: {machine.FILE} has its hash"
        elif name not in sealed:
            yield name, f"not sealed: {machine.FILE} has no hash of it"
        elif sealed[name] != there[name]:
            yield name, f"changed since it was written: {machine.FILE} has another hash"
