"""The exercises of the live page.

An exercise is an entry beside the rungs, with their keys and with `lab`: its task, its hints, and
the programs that an answer is compared with.  The answer is a mont.S.  The page compiles no C; of an
answer in C it keeps the text, and counts the start and the solution instead: it has those
exercises whose idea these counts show.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from records import c_functions, ladder
from records.faults import Failure
from records.ladder import ROOT, Snapshot
from rsalab.live.compiler import compiled

IMPROVE = Path(__file__).resolve().parent / "improve.md"
Folders = list[Path]  # in the order in which a file is looked for
Entry = dict[str, Any]


def exercises() -> Iterator[Entry]:
    """Yield all of them.  Raises Failure and OSError."""
    last = ladder.snapshots()[-1]
    for readme in sorted(ROOT.glob("labs/*/README.md")):
        values = ladder.front_matter(readme, keys=ladder.LAB_KEYS)
        if (solution_of(readme) / "mont.S").is_file():
            yield exercise(readme, last)
        elif "may-vary" in values:
            yield exercise_in_c(readme)
    yield improvement(last)


def solution_of(readme: Path) -> Path:
    """Return the folder of an exercise's solution.  Raises Failure."""
    values = ladder.front_matter(readme, keys=ladder.LAB_KEYS)
    if "leads-to" in values:
        return ROOT / values["leads-to"]
    return readme.parent / "solution"


def exercise(readme: Path, last: Snapshot) -> Entry:
    """Return an exercise of labs/.

    Where the program that a student starts from is all in C, the text is the
    last rung's mont.S, which is for four limbs, and the C is the solution's.
    Raises Failure.
    """
    values = ladder.front_matter(readme, keys=ladder.LAB_KEYS)
    width = int(values.get("width", ladder.DEFAULT_WIDTH))
    start = [readme.parent / "start", ROOT / values["starts-from"]]
    solution = [solution_of(readme), *start]
    by_hand = find("mont.S", start)
    if by_hand is None:
        entry = editable(last.path / "mont.S", solution, width)
    else:
        entry = editable(by_hand, start, width)
    draft = "" if by_hand else f"{last.name}'s, for four limbs"
    entry |= described(readme, values["title"], draft)
    entry["lab"] |= {
        "start": program(start, width),
        "solution": program(solution, width),
    }
    return entry


def exercise_in_c(readme: Path) -> Entry:
    """Return an exercise of labs/ whose answer is in C: its text is rsa.c.  Raises Failure."""
    values = ladder.front_matter(readme, keys=ladder.LAB_KEYS)
    width = int(values.get("width", ladder.DEFAULT_WIDTH))
    start = [readme.parent / "start", ROOT / values["starts-from"]]
    solution = [solution_of(readme), *start]
    cell = {"text": read("rsa.c", start), "rest": "", "file": "rsa.c"}
    entry = described(readme, values["title"], "")
    entry["cells"] = dict.fromkeys(ladder.LEVELS, cell)
    entry["sources"] = {"nat.h": read("nat.h", start)}
    entry["width"] = width
    entry["lab"] |= {
        "inC": True,
        "start": program(start, width),
        "solution": program(solution, width),
    }
    return entry


def described(readme: Path, title: str, draft: str) -> Entry:
    """Return what an entry says of an exercise of labs/.  Raises OSError."""
    folder = readme.parent
    number = int(folder.name.partition("-")[0])
    lab = {
        "folder": folder.name,
        "note": f"make lab L={number} draws other operands.",
        "task": task(readme),
        "hints": hints(folder / "hints.md"),
        "draft": draft,
    }
    return {"name": f"lab{number}", "idea": title, "lab": lab}


def improvement(rung: Snapshot) -> Entry:
    """Return the exercise without a solution: to execute fewer instructions than a rung."""
    folders = [rung.path]
    entry = editable(rung.path / "mont.S", folders, rung.width)
    entry["name"] = "improve"
    entry["idea"] = f"Improve {rung.name}"
    entry["lab"] = {
        "folder": f"improve-{rung.name}",
        "note": f"make new-iteration FROM={rung.name} NAME=... begins a rung.",
        "task": IMPROVE.read_text(encoding="utf-8").replace("{rung}", rung.name),
        "hints": [],
        "draft": "",
        "start": program(folders, rung.width),
        "solution": None,
    }
    return entry


def task(readme: Path) -> str:
    """Return what a README says below its heading."""
    _, _, below = readme.read_text(encoding="utf-8").partition("\n# ")
    _, _, text = below.partition("\n")
    return text


def hints(path: Path) -> list[str]:
    """Return the hints of an exercise, in their order."""
    _, *parts = re.split(r"(?m)^## .*$", path.read_text(encoding="utf-8"))
    return [part.strip() for part in parts]


def find(name: str, folders: Folders) -> Path | None:
    """Return the first file of this name."""
    for folder in folders:
        path = folder / name
        if path.is_file():
            return path
    return None


def read(name: str, folders: Folders) -> str:
    """Return the text of the first file of this name, "" without one."""
    path = find(name, folders)
    if path is None:
        return ""
    return path.read_text(encoding="utf-8")


def compiled_at_each_level(folders: Folders, width: int) -> dict[str, str]:
    """Return what the compiler makes of the first rsa.c.  Raises Failure."""
    source = find("rsa.c", folders)
    if source is None:
        raise Failure(f"{folders[-1]}: there is no rsa.c")
    return {level: compiled(source, level, width, folders) for level in ladder.LEVELS}


def program(folders: Folders, width: int) -> Entry:
    """Return a program that an answer is compared with.  Raises Failure."""
    rests = compiled_at_each_level(folders, width)
    text = read("mont.S", folders)
    return {"text": text, "rests": rests, "functions": functions(folders)}


def functions(folders: Folders) -> dict[str, list[tuple[int, str]]]:
    """Return where the functions of each file of C begin, [(line, name), ...]; the file is named as
    the compiler names it.  Raises OSError."""
    found = {}
    for name in ("rsa.c", "nat.h"):
        path = find(name, folders)
        if path is None:
            continue
        text = path.read_text(encoding="utf-8")
        starts = []
        for function in c_functions.functions(text):
            line = text.count("\n", 0, function.start) + 1
            starts.append((line, function.name))
        found[f"./{path.relative_to(ROOT)}"] = starts
    return found


def editable(text: Path, folders: Folders, width: int) -> Entry:
    """Return the part of an entry that a reader edits: a text that is the same at all levels, the
    C in these folders, and what the compiler makes of it.  Raises Failure."""
    by_hand = text.read_text(encoding="utf-8")
    cells = {}
    for level, rest in compiled_at_each_level(folders, width).items():
        cells[level] = {"text": by_hand, "rest": rest, "file": "mont.S"}
    sources = {name: read(name, folders) for name in ("rsa.c", "nat.h")}
    return {"sources": sources, "cells": cells, "width": width}
