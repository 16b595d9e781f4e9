"""Everything that the page shows, from a results folder, the build tree and the sources.

The value made here is what page.py embeds as JSON and web/model.js takes apart again.  It is kept
small: the text of an instruction is a number in one table, its line of the sources one integer.
"""

import os
from collections import Counter
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from sqlite3 import Row
from typing import Any

from harness.call_tree import Tree, entries
from harness.cells import Cell
from harness.elf import lines, snapshot_of
from records import ladder, results
from records.faults import Failure
from records.files import digest
from records.ladder import LEVELS, ROOT, SOURCES, Snapshot
from records.results import Results
from records.tables import questions
from rsalab import markdown
from rsalab.explorer import instructions, listing
from rsalab.explorer.listing import Listing
from rsalab.steps import scoreboard, spent, why

try:
    from tqdm import tqdm
except ImportError:  # a machine without Debian's python3-tqdm shows no bar
    tqdm = None

SourceLine = tuple[str, int]  # a file of the sources and a line

# What the page says of a step, and the paragraphs of README.md that it is made of.
PARAGRAPHS = {
    "change": ("Idea", "Change"),
    "why": ("Why",),
    "came": (markdown.VERDICT,),
}
FACTS = ("platform", "compiler", "flags", "date", "git_revision", "git_clean")
ROOT_FUNCTION = "mod_exp"  # the one that the harness calls in a round trip
# A line of the sources is one integer: line << FILE_BITS | 1 + index of its file; 0 is none.
FILE_BITS = 3

MEASURE = "`make all-iterations studies`"
ABSENT = f"not measured here; {MEASURE} measures what can be"
UNBUILT = f"measured, but not built here; run {MEASURE}"
STALE = f"rebuilt since it was measured; run {MEASURE}"
EDITED = f"edited since it was measured; run {MEASURE}"


def gather(folder: Path, root: Path = ROOT) -> dict[str, Any]:
    """Return the page's data; `missing` says in a line each what is not
    shown and why.  Raises Failure and OSError."""
    found = results.load(folder.resolve(), root, counted=False)
    every = [
        Cell(one, level, "default") for one in ladder.every(root) for level in LEVELS
    ]
    sql = questions(__file__)
    rows = [found.query(sql["counted"], *cell.columns.values()) for cell in every]
    functions = []
    for cell in every:
        of_cell = found.query(sql["functions"], *cell.columns.values())
        functions.append({row["symbol"]: row["value"] for row in of_cell})
    texts: dict[str, int] = {}
    shown: dict[Snapshot, dict[str, Any]] = {}
    reasons: dict[str, list[Cell]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = pool.map(_level, every, rows, functions, repeat(found))
        if tqdm:
            parts = tqdm(
                parts,
                "  EXPLORE",
                len(every),
                leave=False,
                disable=None,
                unit="program",
            )
        for cell, part in zip(every, parts):
            if isinstance(part, str):
                reasons.setdefault(part, []).append(cell)
                continue
            shown.setdefault(cell.snapshot, {})[cell.level] = part
            for function in part["functions"]:
                function[2] = [
                    texts.setdefault(text, len(texts)) for text in function[2]
                ]
    missing = [
        f"{_names(absent, every)}: {reason}" for reason, absent in reasons.items()
    ]
    if not shown:
        raise Failure("; ".join(missing))
    facts = {name: found.machine.get(name, "") for name in FACTS}
    facts |= {
        "folder": found.label,
        "levels": LEVELS,
        "files": SOURCES,
        "merged": why.MERGED,
    }
    return {
        "facts": facts,
        "snapshots": [
            _snapshot(snapshot, levels, found) for snapshot, levels in shown.items()
        ],
        "texts": list(texts),
        "instructions": instructions.helps(texts),
        "missing": missing,
    }


def _names(absent: list[Cell], every: list[Cell]) -> str:
    """Return `v0 O0 O1, alone/limb-only, width-64`: of a snapshot that lacks
    every level the name alone, and of a study that lacks everything the
    study's."""
    partly = {cell.snapshot.study for cell in every if cell not in absent}
    lacking: dict[str, list[str]] = {}
    for cell in absent:
        study = cell.snapshot.study
        name = cell.snapshot.label if study in partly else study
        lacking.setdefault(name, []).append(cell.level)
    names = []
    for name, levels in lacking.items():
        all_levels = set(levels) == set(LEVELS)
        names.append(name if all_levels else f"{name} {' '.join(levels)}")
    return ", ".join(names)


# --- a snapshot at a level ------------------------------------------------------------------------


def _level(
    cell: Cell, rows: list[Row], functions: dict[str, int], results: Results
) -> dict[str, Any] | str:
    """Return one snapshot at one level, or why it cannot be shown.  `rows`
    has the counts of each address, `functions` those of each function, totals over `n` operations."""
    root = results.root
    measured = results.machine["programs"].get(cell.label)
    program = root / cell.program
    snapshot = root / cell.folder / "snapshot.o"
    if not rows or not measured:
        return ABSENT
    if not program.is_file() or not snapshot.is_file():
        return UNBUILT
    if digest(program) != measured:
        return STALE
    if not cell.made_of_sources(root):
        return EDITED
    code = listing.read(snapshot)
    counts = {}
    lines_of = {}
    for row in rows:
        offset = int(row["offset"], 16)
        counts[offset] = row["instructions"]
        lines_of[offset] = row["file"], row["line"]
    for offset, source_line in _never_executed(code, program, cell, counts).items():
        counts[offset] = 0
        lines_of[offset] = source_line
    return {
        "n": rows[0]["n"],
        "total": rows[0]["total"],
        "tree": _tree(code, program, rows, functions),
        "digest": code.digest,
        "bytes": code.code_bytes,
        "functions": [_function(part, counts, lines_of) for part in code.functions],
        "macros": _macros(cell.snapshot, Counter(lines_of.values())),
    }


def _tree(
    code: Listing, program: Path, rows: list[Row], functions: dict[str, int]
) -> dict[str, Any] | None:
    """Return who calls whom, and what it costs; None where a function calls itself."""
    start = snapshot_of(program).start
    symbols = {}
    for function in code.functions:
        for offset in function.words:
            symbols[offset] = function.name
    executed = []
    for row in sorted(rows, key=lambda row: int(row["offset"], 16)):
        offset = int(row["offset"], 16)
        executed.append({**row, "address": start + offset, "symbol": symbols[offset]})
    own = {row["symbol"] for row in executed}
    outside = {name: value for name, value in functions.items() if name not in own}
    _, sites = entries(program, executed, outside)
    try:
        return Tree(executed, outside, sites).frame(ROOT_FUNCTION).as_data()
    except ValueError:
        return None


def _never_executed(
    code: Listing, program: Path, cell: Cell, counts: Collection[int]
) -> dict[int, SourceLine]:
    """Return the file and line of each instruction that has no count."""
    start = snapshot_of(program).start
    addresses = []
    for function in code.functions:
        for offset, text in function.words.items():
            is_data = text.startswith(".")  # such as .word, in a literal pool
            if offset not in counts and not is_data:
                addresses.append(start + offset)
    folder = Path(*cell.folder.parts[1:-1])
    found = lines(program, sorted(addresses), folder)
    return {address - start: line[:2] for address, line in found.items()}


def _function(
    part: listing.Function, counts: dict[int, int], lines_of: dict[int, SourceLine]
) -> list[Any]:
    """Return [name, offset, texts, counts, lines], one entry a word; the
    count of a constant is None."""
    texts = list(part.words.values())
    executed = [counts.get(offset) for offset in part.words]
    packed = [_packed(*lines_of.get(offset, ("", 0))) for offset in part.words]
    return [part.name, part.start, texts, executed, packed]


def _macros(
    snapshot: Snapshot, words: Counter[SourceLine]
) -> dict[int, list[list[int]]]:
    """Line that uses a macro -> for each word of an expansion, its lines in the bodies; all packed."""
    macros: dict[int, list[list[int]]] = {}
    if not snapshot.has_assembly:
        return macros
    file = SOURCES[-1]
    source = (snapshot.path / file).read_text("utf-8", "replace")
    for line, bodies in listing.expansions(source).items():
        if bodies and words[file, line] % len(bodies) == 0:
            chains = macros[_packed(file, line)] = []
            for chain in bodies:
                chains.append([_packed(file, number) for number in chain])
    return macros


def _packed(file: str, line: int) -> int:
    """Return a line of the sources as one integer."""
    if file not in SOURCES or line == 0:
        return 0
    return line << FILE_BITS | 1 + SOURCES.index(file)


# --- a snapshot and its step ----------------------------------------------------------------------


def _snapshot(
    snapshot: Snapshot, at: dict[str, Any], results: Results
) -> dict[str, Any]:
    """Return one snapshot: what its README.md says, its sources, its levels."""
    prose = markdown.parts(snapshot, results.root)
    told = {}
    for key, names in PARAGRAPHS.items():
        text = " ".join(prose.get(name, "") for name in names)
        told[key] = " ".join(text.split())
    parent = ladder.parent_of(snapshot, results.root)
    files = {
        name: (snapshot.path / name).read_text("utf-8", "replace")
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
        **told,
        "files": files,
        "levels": at,
        "reasons": _reasons(results, snapshot),
        "look": _look(snapshot),
    }


def _reasons(results: Results, child: Snapshot) -> dict[str, Any]:
    """Return by level why the step from its parent gains: the sentence, the
    prediction and what became of it, and the table of differences, its head
    first.  {} without a parent to compare with."""
    reasons = {}
    for level in LEVELS:
        step = spent.step(results, child, level)
        if step is not None:
            reasons[level] = {
                "movers": why.movers(step),
                "predicted": scoreboard.score(results, child, level),
                "n": step.child.n,
                "rows": why.rows(step),
            }
    return reasons


def _look(snapshot: Snapshot) -> dict[str, str]:
    """Return the function and the lines of C that step.toml says to look at; {} for none."""
    look = ladder.looked_at(snapshot)
    if look is None or look.view != "c":
        return {}
    lines = ladder.lines_of(look, snapshot.path, snapshot.label)
    return {"fn": look.after, "lines": lines}
