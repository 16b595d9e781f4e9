"""The scoreboard: what each step was expected to gain before it was measured,
and what it gained.

A gain is parent / child in instructions of a round trip.  A range whose result
was known when it was written is `disclosed` and not scored.  When a range was
written is asked of git and printed, never committed: a copy without its
history says nothing, and no text changes.
"""

import subprocess
from collections import Counter
from functools import cache
from itertools import groupby
from pathlib import Path

from records import ladder
from records.faults import Failure, run
from records.ladder import LADDER, Snapshot
from records.results import Results
from records.tables import factor

WORDS = ("right", "too low", "too high", "disclosed", "open")  # of the view `scores`
NOTE = """in words: the commit that predicted in words, from which the range was made
after the results were known; the range: the commit that wrote it.
open: it says only that a step hurts."""


def score(results: Results, child: Snapshot, level: str) -> str:
    """What was expected of a step at a level and what became of it: `x1.80
    to x2.20: right`; "" where nothing was expected or measured."""
    asked = "select said || ': ' || word from scores where (study, snapshot, level) = (?, ?, ?)"
    rows = results.query(asked, child.study, child.name, level)
    return rows[0][0] or "" if rows else ""


def text(results: Results, study: str = LADDER) -> str:
    """Each step with its commits, and a line for each level.  Raises Failure."""
    rows = results.query("select * from scores where study = ? and said is not null", study)
    if not rows:
        raise Failure(f"no step of {study} with a prediction is measured in {results.label}")
    lines = [f"{study}: parent / this in instructions ({results.label})"]
    for name, of in groupby(rows, key=lambda row: str(row["snapshot"])):
        child = ladder.find(name, study, results.root)
        lines += ["", f"{child.parent} to {name}"]
        lines += [f"  {when}" for when in [written(child)] if when]
        for row in of:
            found = f"found {factor(row['gain']):>7}  {row['word']}"
            lines.append(f"  -{row['level']}  predicted {row['said']:<18} {found}")
    words = Counter(row["word"] for row in rows)
    lines += ["", f"{', '.join(f'{words[word]} {word}' for word in WORDS)}.", NOTE]
    if not whole(results.root):
        lines.append("No history here to name the commits: `git fetch --unshallow` brings it.")
    return "\n".join(lines)


def written(child: Snapshot) -> str:
    """The commits of a prediction: `in words: 3172b67; the range: 6ab937c, 2026-11-21`."""
    known = {"in words": child.written, "the range": first_commit(child)}
    return "; ".join(f"{what}: {commit}" for what, commit in known.items() if commit)


def first_commit(snapshot: Snapshot) -> str:
    """`6ab937c, 2026-11-21`: the commit that wrote the range as it stands;
    "" where there is none, no prediction, or no whole history to ask."""
    readme = snapshot.path / "README.md"
    said = ladder.front_matter(readme, readme.parent).get("predicts", "")
    asked = commits(snapshot, f"-Spredicts: {said}") if said and whole(snapshot.path) else []
    return asked[-1] if asked else ""


def commits(snapshot: Snapshot, pick: str) -> list[str]:
    """The commits that `git log` picks for a README.md, the last one first."""
    return git(snapshot.path, "log", "--format=%h, %as", pick, "--", "README.md").splitlines()


def whole(folder: Path) -> bool:
    """Whether this is a clone with all of its commits."""
    return git(folder, "rev-parse", "--is-shallow-repository") == "false"


@cache
def git(folder: Path, *words: str) -> str:
    """What git prints; "" where it cannot."""
    try:
        return run(["git", "-C", folder, *words], timeout=20).strip()
    except (Failure, OSError, subprocess.TimeoutExpired):
        return ""
