"""Everything that the page shows, from a results folder, the build tree and the sources.

The value made here is what page.py embeds as JSON and web/model.js takes apart again.  It is kept
small: the text of an instruction is a number in one table, its place in the sources one integer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from harness import cells
from harness.count import counts, lines
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from records.machine import read_machine
from records.rows import read_rows
from rsalab.explorer import listing
from rsalab.explorer.listing import WORD
from rsalab.report import markdown

CASE = "roundtrip-full"
SOURCES = ("nat.h", "rsa.c", "mont.S")
PARAGRAPHS = {"change": "Change", "why": "Why", "came": markdown.VERDICT}
FACTS = ("platform", "compiler", "flags", "date", "git_revision", "git_clean")
FILE_BITS = 3  # a place is line << FILE_BITS | 1 + index of its file; 0: no line of the sources

MEASURE = "`make all-iterations studies`"
ABSENT = f"not measured here; {MEASURE} measures what can be"
UNBUILT = f"measured, but not built here; run {MEASURE}"
STALE = f"rebuilt since it was measured; run {MEASURE}"


@dataclass(frozen=True)
class Results:
    """What is read of a results folder: machine.json, rows of lines.csv by cell label, and
    instructions of CASE by cell label, run-time of the compiler included."""

    label: str
    machine: dict
    counted: dict[str, list[dict]]
    totals: dict[str, int]


def load(folder: Path, root: Path = ROOT) -> Results:
    """A results folder.  Raises Failure when nothing in it can be shown, ValueError for a
    row that is not whole and OSError."""
    label = _label(folder, root)
    if not (folder / "machine.json").exists():
        raise Failure(f"{label}: no results there; run {MEASURE}")
    machine = read_machine(folder, label)
    programs = machine["programs"]
    counted: dict[str, list[dict]] = {}
    for row in read_rows(folder / "lines.csv"):
        name = f"{row['study']}/{row['snapshot']}/{row['level']}"
        if row["case"] == CASE and name in programs:
            counted.setdefault(name, []).append(row)
    if not counted:
        raise Failure(f"{label}: no counts by line (lines.csv); run {MEASURE}")
    wanted = (CASE, "instructions", "total")
    totals = {
        f"{row['study']}/{row['snapshot']}/{row['level']}": row["value"]
        for row in read_rows(folder / "counts.csv")
        if (row["case"], row["metric"], row["symbol"]) == wanted
    }
    return Results(label, machine, counted, totals)


def gather(folder: Path, root: Path = ROOT) -> dict:
    """The page's data; `missing` says in a line each what is not shown and why.  Raises
    Failure, Failure, Failure, ValueError, OSError and CalledProcessError, each
    with one line for the reader."""
    found = load(folder, root)
    studies = [LADDER, *ladder.studies(root)]
    known = [snapshot for study in studies for snapshot in ladder.snapshots(study, root)]
    made = [cells.Cell(snapshot, level, "default") for snapshot in known for level in LEVELS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        codes = list(pool.map(lambda cell: _code(cell, found, root), made))
    texts: dict[str, int] = {}
    shown: dict[Snapshot, dict] = {}
    reasons: dict[str, list[cells.Cell]] = {}
    for cell, code in zip(made, codes):
        if isinstance(code, str):
            reasons.setdefault(code, []).append(cell)
        else:
            shown.setdefault(cell.snapshot, {})[cell.level] = _cell(cell, code, found, texts)
    missing = [f"{_names(left)}: {reason}" for reason, left in reasons.items()]
    if not shown:
        raise Failure("; ".join(missing))
    facts = {name: found.machine.get(name, "") for name in FACTS}
    facts.update(folder=found.label, levels=LEVELS, files=SOURCES, case=CASE)
    snapshots = [_snapshot(snapshot, levels, root) for snapshot, levels in shown.items()]
    return {"facts": facts, "snapshots": snapshots, "texts": list(texts), "missing": missing}


def _label(folder: Path, root: Path) -> str:
    """The folder as a text may show it: from the root of the repository where it is inside."""
    full = folder.resolve()
    return (full.relative_to(root) if full.is_relative_to(root) else folder).as_posix()


def _names(left: Iterable[cells.Cell]) -> str:
    """`v0 O0 O1, dead-ends/limb-only O3`; a study of which nothing is left by its name alone."""
    levels: dict[str, list[str]] = {}
    for cell in left:
        levels.setdefault(label(cell.snapshot), []).append(cell.level)
    return ", ".join(
        name if said == list(LEVELS) else f"{name} {' '.join(said)}"
        for name, said in levels.items()
    )


def label(snapshot: Snapshot) -> str:
    """What a link calls it: `v2`, and in a study `dead-ends/limb-only`."""
    return snapshot.name if snapshot.study == LADDER else f"{snapshot.study}/{snapshot.name}"


@dataclass(frozen=True)
class Code:
    """The code that was measured, and for each instruction at an offset [count, file, line]."""

    listing: listing.Listing
    counts: dict[int, tuple[int, str, int]]


def _code(cell: cells.Cell, found: Results, root: Path) -> Code | str:
    """The code of the program that was measured, or why it cannot be shown."""
    if cell.label not in found.counted or cell.label not in found.totals:
        return ABSENT
    program, snapshot = root / cell.program, root / cell.folder / "snapshot.o"
    if not program.is_file() or not snapshot.is_file():
        return UNBUILT
    if digest(program) != found.machine["programs"][cell.label]:
        return STALE
    sources = max(path.stat().st_mtime for path in cell.snapshot.path.glob("*.[chS]"))
    if sources > program.stat().st_mtime:
        return f"edited since it was measured; run {MEASURE}"
    try:
        code = listing.read(snapshot, program)
    except Failure:
        return STALE
    table = _counts(cell, code, found.counted[cell.label], program)
    return Code(code, table) if table else STALE


def _counts(
    cell: cells.Cell, code: listing.Listing, rows: list[dict], program: Path
) -> dict[int, tuple[int, str, int]]:
    """Code.counts: the rows, and 0 for what was never executed; empty where a row tells of what is
    no instruction."""
    table = {
        int(row["offset"], 16): (row["instructions"], row["file"], row["line"]) for row in rows
    }
    known = {
        function.start + WORD * index
        for function in code.functions
        for index in range(len(function.texts))
        if index not in function.data
    }
    if not table.keys() <= known:
        return {}
    start = counts.sections(program)["snapshot_text"].start
    never = [start + offset for offset in sorted(known - table.keys())]
    folder = Path(*cell.folder.parts[1:-1])
    places = lines.where(program, never, folder) if never else {}
    return table | {address - start: (0, *place) for address, place in places.items()}


def _cell(cell: cells.Cell, code: Code, found: Results, texts: dict[str, int]) -> dict:
    """One snapshot at one level.  A function is [name, offset, texts, counts, places], one entry a
    word; the count of a constant is null.  Counts are totals over `n` operations."""
    functions = []
    for function in code.listing.functions:
        offsets = [function.start + WORD * index for index in range(len(function.texts))]
        rows = [code.counts.get(offset, (None, "", 0)) for offset in offsets]
        said = [texts.setdefault(text, len(texts)) for text in function.texts]
        numbers = [count for count, _, _ in rows]
        places = [_place(file, line) for _, file, line in rows]
        functions.append([function.name, function.start, said, numbers, places])
    return {
        "n": found.counted[cell.label][0]["n"],
        "total": found.totals[cell.label],
        "digest": code.listing.digest,
        "bytes": code.listing.code_bytes,
        "functions": functions,
    }


def _place(file: str, line: int) -> int:
    return line << FILE_BITS | 1 + SOURCES.index(file) if file in SOURCES else 0


def _snapshot(snapshot: Snapshot, levels: dict, root: Path) -> dict:
    """One snapshot: what its README.md says, its sources, its levels."""
    said = markdown.parts(snapshot, root)
    parent = ladder.parent_of(snapshot, root)
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
    }
