"""Everything that the page shows, from a results folder, the build tree and the sources.

The value made here is what page.py embeds as JSON and web/model.js takes apart again.  It is kept
small: the text of an instruction is a number in one table, its place in the sources one integer.
"""

import os
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from sqlite3 import Row
from typing import Any

from harness import cells
from harness.elf import lines, snapshot_of
from records import ladder, results
from records.faults import Failure
from records.files import digest
from records.ladder import LEVELS, ROOT, SOURCES, Snapshot
from records.results import Results
from records.tables import questions
from rsalab import markdown
from rsalab.explorer import instructions, listing
from rsalab.steps import scoreboard, spent, why

PARAGRAPHS = {"change": "Change", "why": "Why", "came": markdown.VERDICT}
FACTS = ("platform", "compiler", "flags", "date", "git_revision", "git_clean")
FILE_BITS = 3  # a place is line << FILE_BITS | 1 + index of its file; 0: no line of the sources

MEASURE = "`make all-iterations studies`"
ABSENT = f"not measured here; {MEASURE} measures what can be"
UNBUILT = f"measured, but not built here; run {MEASURE}"
STALE = f"rebuilt since it was measured; run {MEASURE}"
EDITED = f"edited since it was measured; run {MEASURE}"


def gather(folder: Path, root: Path = ROOT) -> dict[str, Any]:
    """The page's data; `missing` says in a line each what is not shown and
    why.  Raises Failure and OSError."""
    found = results.load(folder.resolve(), root, counted=False)
    known = ladder.every(root)
    made = [cells.Cell(snapshot, level, "default") for snapshot in known for level in LEVELS]
    rows = [found.query(questions(__file__)["counted"], *cell.place.values()) for cell in made]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(_level, made, rows, repeat(found)))
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
    return {
        "facts": {name: found.machine.get(name, "") for name in FACTS}
        | {"folder": found.label, "levels": LEVELS, "files": SOURCES, "merged": why.MERGED},
        "snapshots": [_snapshot(snapshot, at, found) for snapshot, at in shown.items()],
        "texts": list(texts),
        "instructions": instructions.helps(texts),
        "missing": missing,
    }


def _names(left: list[cells.Cell], made: list[cells.Cell]) -> str:
    """`v0 O0 O1, alone/limb-only, width-64`: of a snapshot that lacks every
    level the name alone, and of a study that lacks everything the study's."""
    names: dict[str, list[str]] = {}
    for cell in left:
        study = cell.snapshot.study
        whole = all(other in left for other in made if other.snapshot.study == study)
        names.setdefault(study if whole else cell.snapshot.label, []).append(cell.level)
    return ", ".join(
        name if set(at) == set(LEVELS) else f"{name} {' '.join(at)}" for name, at in names.items()
    )


# --- a snapshot at a level ------------------------------------------------------------------------


def _level(cell: cells.Cell, rows: list[Row], results: Results) -> dict[str, Any] | str:
    """One snapshot at one level, or why it cannot be shown.  A function is
    [name, offset, texts, counts, places], one entry a word; the count of a
    constant is None.  Counts are totals over `n` operations; `rows` has
    those of each address."""
    root, measured = results.root, results.machine["programs"].get(cell.label)
    if not rows or not measured:
        return ABSENT
    program, snapshot = root / cell.program, root / cell.folder / "snapshot.o"
    if not program.is_file() or not snapshot.is_file():
        return UNBUILT
    if digest(program) != measured:
        return STALE
    if not cell.made_of_sources(root):
        return EDITED
    code = listing.read(snapshot)
    counts = {int(row["offset"], 16): row["instructions"] for row in rows}
    words = [word for part in code.functions for word in part.words.items()]
    executable = {at for at, text in words if not text.startswith(".")}
    places = {int(row["offset"], 16): (row["file"], row["line"]) for row in rows}
    never = sorted(executable - places.keys())
    start, folder = snapshot_of(program).start, Path(*cell.folder.parts[1:-1])
    where = lines(program, [start + offset for offset in never], folder)
    places |= {address - start: place[:2] for address, place in where.items()}
    counts |= dict.fromkeys(never, 0)
    functions = [
        [
            part.name,
            part.start,
            list(part.words.values()),
            [counts.get(at) for at in part.words],
            [_place(*places.get(at, ("", 0))) for at in part.words],
        ]
        for part in code.functions
    ]
    return {
        "n": rows[0]["n"],
        "total": rows[0]["total"],
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
        for line, bodies in listing.expansions(source).items()
        if bodies and words[file, line] % len(bodies) == 0
    }


def _place(file: str, line: int) -> int:
    if file not in SOURCES or line == 0:
        return 0
    return line << FILE_BITS | 1 + SOURCES.index(file)


# --- a snapshot and its step ----------------------------------------------------------------------


def _snapshot(snapshot: Snapshot, at: dict[str, Any], results: Results) -> dict[str, Any]:
    """One snapshot: what its README.md says, its sources, its levels."""
    prose = markdown.parts(snapshot, results.root)
    parent = ladder.parent_of(snapshot, results.root)
    reasons = _reasons(results, snapshot)
    files = {
        name: (snapshot.path / name).read_text(encoding="utf-8")
        for name in SOURCES
        if (snapshot.path / name).is_file()
    }
    return {
        "label": snapshot.label,
        "study": snapshot.study,
        "idea": snapshot.idea,
        "parent": parent.label if parent else "",
        "verdict": snapshot.verdict,
        "width": snapshot.width,
        **{key: " ".join(prose.get(name, "").split()) for key, name in PARAGRAPHS.items()},
        "files": files,
        "levels": at,
        "reasons": reasons,
        "look": _opening(snapshot, reasons, "\n".join(files.values())),
    }


def _reasons(results: Results, child: Snapshot) -> dict[str, Any]:
    """Level -> why the step from its parent gains: the sentence, the
    prediction and what became of it, and the table of differences, its head
    first.  {} without a parent to compare with."""
    found = {}
    for level in LEVELS:
        made = spent.step(results, child, level)
        if made is not None:
            predicted = scoreboard.score(results, child, level)
            table = {"n": made.child.n, "gain": made.gain, "rows": why.rows(made)}
            found[level] = {"movers": why.movers(made), "predicted": predicted, **table}
    return found


def _opening(snapshot: Snapshot, reasons: dict[str, Any], code: str) -> dict[str, str]:
    """Where the step opens: the front matter's place, or at the level, -O0
    apart, where the step gains or loses most, the function of its own code
    that changes most; {} without a step."""
    place = ladder.parse(snapshot.look)
    if place:
        return {"level": place.level, "view": place.view, "fn": place.after, "lines": place.lines}
    levels = [level for level in LEVELS[1:] if level in reasons]
    if not levels:
        return {}
    level = max(levels, key=lambda level: abs(reasons[level]["gain"] - 1))
    names = [row[0] for row in reasons[level]["rows"][1:-1]]
    own = [name for name in names if re.search(rf"\b{re.escape(name)}[(:]", code)]
    return {"level": level, "view": "c", "fn": next(iter(own), ""), "lines": ""}
