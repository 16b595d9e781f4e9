"""Everything that the page shows, from a results folder, the build tree and the sources.

The value made here is what page.py embeds as JSON and web/model.js takes apart again.  It is kept
small: the text of an instruction is a number in one table, its place in the sources one integer.
"""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import cells
from harness.elf import lines, snapshot_of
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from records.machine import read_machine
from records.rows import Row, read_rows
from records.summary import FULL, of_one_case
from rsalab import markdown
from rsalab.explorer import instructions, listing, macros, step
from rsalab.steps import why

SOURCES = ("nat.h", "rsa.c", "mont.S")
PARAGRAPHS = {"change": "Change", "why": "Why", "came": markdown.VERDICT}
FACTS = ("platform", "compiler", "flags", "date", "git_revision", "git_clean")
FILE_BITS = 3  # a place is line << FILE_BITS | 1 + index of its file; 0: no line of the sources

MEASURE = "`make all-iterations studies`"
ABSENT = f"not measured here; {MEASURE} measures what can be"
UNBUILT = f"measured, but not built here; run {MEASURE}"
STALE = f"rebuilt since it was measured; run {MEASURE}"
EDITED = f"edited since it was measured; run {MEASURE}"


@dataclass(frozen=True)
class Results:
    """What is read of a results folder: machine.json, rows of lines.csv by cell label, and
    instructions of a round trip by cell label, run-time of the compiler included."""

    label: str
    machine: dict[str, Any]
    counted: dict[str, list[Row]]
    totals: dict[str, int]


def load(folder: Path, root: Path = ROOT) -> Results:
    """A results folder.  Raises Failure when nothing in it can be shown or a row is not whole,
    OSError."""
    full = folder.resolve()
    label = (full.relative_to(root) if full.is_relative_to(root) else folder).as_posix()
    if not folder.is_dir():
        raise Failure(f"{label}: no results there; run {MEASURE}")
    machine = read_machine(folder, label)
    counted: dict[str, list[Row]] = {}
    for row in of_one_case(read_rows(folder / "lines.csv")):
        if row["case"] == FULL and _cell(row) in machine["programs"]:
            counted.setdefault(_cell(row), []).append(row)
    if not counted:
        raise Failure(f"{label}: no counts by line (lines.csv); run {MEASURE}")
    totals = {
        _cell(row): row["value"]
        for row in of_one_case(read_rows(folder / "counts.csv"))
        if (row["case"], row["metric"], row["symbol"]) == (FULL, "instructions", "total")
    }
    return Results(label, machine, counted, totals)


def _cell(row: Row) -> str:
    """The label of the cell that a row is of."""
    return f"{row['study']}/{row['snapshot']}/{row['level']}"


def gather(folder: Path, root: Path = ROOT) -> dict[str, Any]:
    """The page's data; `missing` says in a line each what is not shown and why.  Raises Failure
    and OSError."""
    found = load(folder, root)
    known = [s for study in (LADDER, *ladder.studies(root)) for s in ladder.snapshots(study, root)]
    made = [cells.Cell(snapshot, level, "default") for snapshot in known for level in LEVELS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(lambda cell: _level(cell, found, root), made))
    texts: dict[str, int] = {}
    shown: dict[Snapshot, dict[str, Any]] = {}
    reasons: dict[str, list[cells.Cell]] = {}
    for cell, part in zip(made, parts):
        if isinstance(part, str):
            reasons.setdefault(part, []).append(cell)
            continue
        shown.setdefault(cell.snapshot, {})[cell.level] = part
        for function in part["functions"]:
            function[2] = [texts.setdefault(text, len(texts)) for text in function[2]]
    missing = [f"{_names(left, made)}: {reason}" for reason, left in reasons.items()]
    if not shown:
        raise Failure("; ".join(missing))
    facts = {name: found.machine.get(name, "") for name in FACTS}
    facts.update(folder=found.label, levels=LEVELS, files=SOURCES)
    facts["merged"] = why.MERGED
    helps = instructions.helps(texts)
    snapshots = [_snapshot(snapshot, levels, folder, root) for snapshot, levels in shown.items()]
    return {
        "facts": facts,
        "snapshots": snapshots,
        "texts": list(texts),
        "instructions": helps,
        "missing": missing,
    }


def _names(left: list[cells.Cell], made: list[cells.Cell]) -> str:
    """`v0 O0 O1, alone/limb-only, width-64`: of a snapshot that lacks every level the name
    alone, and of a study that lacks everything the study's."""
    names: dict[str, list[str]] = {}
    for cell in left:
        study = [one for one in made if one.snapshot.study == cell.snapshot.study]
        name = cell.snapshot.study if set(study) <= set(left) else label(cell.snapshot)
        names.setdefault(name, []).append(cell.level)
    lacking = (
        name if set(said) == set(LEVELS) else f"{name} {' '.join(said)}"
        for name, said in names.items()
    )
    return ", ".join(lacking)


def label(snapshot: Snapshot) -> str:
    """What a link calls it: `v2`, and in a study `alone/limb-only`."""
    return snapshot.name if snapshot.study == LADDER else f"{snapshot.study}/{snapshot.name}"


def _level(cell: cells.Cell, found: Results, root: Path) -> dict[str, Any] | str:
    """One snapshot at one level, or why it cannot be shown.  A function is [name, offset, texts,
    counts, places], one entry a word; the count of a constant is None.  Counts are totals over `n`
    operations."""
    rows = found.counted.get(cell.label)
    if not rows or cell.label not in found.totals:
        return ABSENT
    program, snapshot = root / cell.program, root / cell.folder / "snapshot.o"
    if not program.is_file() or not snapshot.is_file():
        return UNBUILT
    if digest(program) != found.machine["programs"][cell.label]:
        return STALE
    if not cell.made_of_sources(root):
        return EDITED
    try:
        code = listing.read(snapshot, program)
    except Failure:
        return STALE
    places = {int(row["offset"], 16): (row["file"], row["line"]) for row in rows}
    instructions = {at for part in code.functions for at in part.words.keys() - part.constants}
    if not places.keys() <= instructions:
        return STALE
    numbers = dict.fromkeys(instructions, 0)
    numbers |= {int(row["offset"], 16): row["instructions"] for row in rows}
    never = sorted(instructions - places.keys())
    if never:
        start = snapshot_of(program).start
        folder = Path(*cell.folder.parts[1:-1])
        where = lines(program, [start + offset for offset in never], folder)
        places |= {address - start: place[:2] for address, place in where.items()}
    functions = [
        [
            part.name,
            part.start,
            list(part.words.values()),
            [numbers.get(at) for at in part.words],
            [_place(*places.get(at, ("", 0))) for at in part.words],
        ]
        for part in code.functions
    ]
    return {
        "n": rows[0]["n"],
        "total": found.totals[cell.label],
        "digest": code.digest,
        "bytes": code.code_bytes,
        "functions": functions,
        "macros": _macros(cell.snapshot, Counter(places.values())),
    }


def _macros(snapshot: Snapshot, words: Counter[tuple[str, int]]) -> dict[int, list[list[int]]]:
    """Place that uses a macro -> for each word of an expansion, its places in the bodies."""
    if not snapshot.has_assembly:
        return {}
    file = SOURCES[-1]
    source = (snapshot.path / file).read_text(encoding="utf-8")
    return {
        _place(file, line): [[_place(file, number) for number in chain] for chain in bodies]
        for line, bodies in macros.expansions(source).items()
        if bodies and words[file, line] % len(bodies) == 0
    }


def _place(file: str, line: int) -> int:
    return line << FILE_BITS | 1 + SOURCES.index(file) if file in SOURCES else 0


def _snapshot(
    snapshot: Snapshot, levels: dict[str, Any], folder: Path, root: Path
) -> dict[str, Any]:
    """One snapshot: what its README.md says, its sources, its levels."""
    said = markdown.parts(snapshot, root)
    parent = ladder.parent_of(snapshot, root)
    reasons = step.reasons(folder, snapshot, root)
    files = {
        name: (snapshot.path / name).read_text(encoding="utf-8")
        for name in SOURCES
        if (snapshot.path / name).is_file()
    }
    return {
        "label": label(snapshot),
        "study": snapshot.study,
        "idea": snapshot.idea,
        "parent": label(parent) if parent else "",
        "verdict": snapshot.verdict,
        "width": snapshot.width,
        **{key: " ".join(said.get(name, "").split()) for key, name in PARAGRAPHS.items()},
        "files": files,
        "levels": levels,
        "reasons": reasons,
        "look": step.place(snapshot, reasons),
    }
